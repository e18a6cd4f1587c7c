// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/cupti/decode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "common/profiler/cupti/records.h"

namespace tracebook {
namespace {

/// Records one behind the other, as CUPTI lays them.
class Buffer {
 public:
  template <class Record>
  void add(const Record& record) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(&record);
    bytes_.insert(bytes_.end(), begin, begin + sizeof(record));
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] ActivityRecords decode() const { return decode(bytes_.size()); }
  [[nodiscard]] ActivityRecords decode(std::size_t size) const {
    ActivityRecords records;
    ActivityDecoder().decode({bytes_.data(), size}, records);
    return records;
  }

 private:
  std::vector<std::uint8_t> bytes_;  // operator new aligns to 16
};

ApiRecord api_record(CUpti_ActivityKind kind, std::uint32_t cbid, std::uint32_t correlation) {
  ApiRecord record{};
  record.kind = kind;
  record.cbid = cbid;
  record.start = 1000;
  record.end = 1500;
  record.threadId = 474;
  record.correlationId = correlation;
  return record;
}

KernelRecord kernel_record(const char* name) {
  KernelRecord record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.start = 2000;
  record.end = 2600;
  record.deviceId = 1;
  record.contextId = 3;
  record.streamId = 7;
  record.correlationId = 41;
  record.gridX = 4;
  record.gridY = 2;
  record.gridZ = 1;
  record.blockX = 384;
  record.blockY = 1;
  record.blockZ = 1;
  record.registersPerThread = 168;
  record.staticSharedMemory = 20;
  record.dynamicSharedMemory = 164288;
  record.name = name;
  return record;
}

TEST(Decode, Kernel) {
  Buffer buffer;
  buffer.add(kernel_record("_ZN9tracebook10add_kernelIfEEvPKT_S3_PS1_l"));
  const ActivityRecords records = buffer.decode();
  ASSERT_EQ(records.work.size(), 1);
  const DeviceWork& work = records.work[0];
  EXPECT_EQ(work.category, Category::kKernel);
  EXPECT_EQ(records.strings.view(work.name),
            "void tracebook::add_kernel<float>(float const*, float const*, float*, long)");
  EXPECT_EQ(work.start_ns, 2000);
  EXPECT_EQ(work.end_ns, 2600);
  EXPECT_EQ(work.device, 1);
  EXPECT_EQ(work.context, 3);
  EXPECT_EQ(work.stream, 7);
  EXPECT_EQ(work.correlation, 41);
  EXPECT_EQ(work.grid, (std::array<std::int64_t, 3>{4, 2, 1}));
  EXPECT_EQ(work.block, (std::array<std::int64_t, 3>{384, 1, 1}));
  EXPECT_EQ(work.registers, 168);
  EXPECT_EQ(work.static_shared_bytes, 20);
  EXPECT_EQ(work.dynamic_shared_bytes, 164288);
}

TEST(Decode, NamesThatAreNotMangledStay) {
  Buffer buffer;
  buffer.add(kernel_record("nvjet_sm90_tst_64x8_64x16_1x4_h_bz_NNT"));
  buffer.add(kernel_record(nullptr));
  const ActivityRecords records = buffer.decode();
  ASSERT_EQ(records.work.size(), 2);
  EXPECT_EQ(records.strings.view(records.work[0].name), "nvjet_sm90_tst_64x8_64x16_1x4_h_bz_NNT");
  EXPECT_EQ(records.strings.view(records.work[1].name), "<unnamed kernel>");
}

TEST(Decode, RuntimeAndDriverCalls) {
  Buffer buffer;
  buffer.add(
      api_record(CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, 51));
  buffer.add(
      api_record(CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, 52));
  buffer.add(api_record(CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, 41));
  buffer.add(
      api_record(CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_DRIVER_TRACE_CBID_cuKernelGetAttribute, 42));
  buffer.add(
      api_record(CUPTI_ACTIVITY_KIND_DRIVER,
                 CUPTI_DRIVER_TRACE_CBID_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 43));
  const ActivityRecords records = buffer.decode();
  ASSERT_EQ(records.calls.size(), 3);
  EXPECT_EQ(records.strings.view(records.calls[0].name), "cudaLaunchKernel");
  EXPECT_FALSE(records.calls[0].driver);
  EXPECT_TRUE(records.calls[0].starts_flow);
  EXPECT_EQ(records.calls[0].cbid, 211);
  EXPECT_EQ(records.calls[0].thread, 474);
  EXPECT_EQ(records.calls[0].correlation, 51);
  EXPECT_EQ(records.calls[0].start_ns, 1000);
  EXPECT_EQ(records.calls[0].end_ns, 1500);
  EXPECT_EQ(records.strings.view(records.calls[1].name), "cuLaunchKernelEx");
  EXPECT_TRUE(records.calls[1].driver);
  EXPECT_TRUE(records.calls[1].starts_flow);
  EXPECT_EQ(records.strings.view(records.calls[2].name),
            "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags");
  EXPECT_FALSE(records.calls[2].starts_flow);
}

TEST(Decode, CopiesAndFills) {
  MemcpyRecord copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  copy.bytes = 4096;
  copy.start = 10;
  copy.end = 20;
  MemcpyPeerRecord peer{};
  peer.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  peer.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  peer.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  peer.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  peer.start = 30;
  peer.end = 40;
  peer.srcDeviceId = 2;
  peer.dstDeviceId = 5;
  peer.srcContextId = 6;
  peer.dstContextId = 8;
  MemsetRecord fill{};
  fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  fill.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  fill.bytes = 64;
  fill.start = 50;
  fill.end = 60;
  Buffer buffer;
  buffer.add(copy);
  buffer.add(peer);
  buffer.add(fill);
  const ActivityRecords records = buffer.decode();
  ASSERT_EQ(records.work.size(), 3);
  EXPECT_EQ(records.strings.view(records.work[0].name), "Memcpy DtoH (Device -> Pinned)");
  EXPECT_EQ(records.work[0].category, Category::kMemcpy);
  EXPECT_EQ(records.work[0].bytes, 4096);
  EXPECT_EQ(records.work[0].from_device, -1);
  EXPECT_EQ(records.strings.view(records.work[1].name), "Memcpy PtoP (Device -> Device)");
  EXPECT_EQ(records.work[1].from_device, 2);
  EXPECT_EQ(records.work[1].to_device, 5);
  EXPECT_EQ(records.work[1].from_context, 6);
  EXPECT_EQ(records.work[1].to_context, 8);
  EXPECT_EQ(records.strings.view(records.work[2].name), "Memset (Device)");
  EXPECT_EQ(records.work[2].category, Category::kMemset);
  EXPECT_EQ(records.work[2].bytes, 64);
}

TEST(Decode, Overheads) {
  constexpr std::uint32_t kShift = 16;
  const std::vector<std::string> names = {"Buffer Flush",
                                          "Instrumentation",
                                          "Resource",
                                          "Runtime Triggered Module Loading",
                                          "Lazy Function Loading",
                                          "Command Buffer Full",
                                          "Activity Buffer Request",
                                          "UVM Activity Init",
                                          "Unknown"};
  Buffer buffer;
  for (std::uint32_t kind = 1; kind <= names.size(); ++kind) {
    OverheadRecord record{};
    record.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
    record.overheadKind = static_cast<CUpti_ActivityOverheadKind>(kind << kShift);
    record.start = 100 * kind;
    record.end = 100 * kind + 5;
    buffer.add(record);
  }
  const ActivityRecords records = buffer.decode();
  ASSERT_EQ(records.overheads.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(records.strings.view(records.overheads[i].name), names[i]);
  }
  EXPECT_EQ(records.overheads[6].start_ns, 700);
  EXPECT_EQ(records.overheads[6].end_ns, 705);
}

TEST(Decode, WaitsAndLinks) {
  SyncRecordOfCupti sync{};
  sync.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  sync.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
  sync.streamId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  sync.contextId = 1;
  sync.correlationId = 111;
  ExternalRecord op{};
  op.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  op.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
  op.externalId = (std::uint64_t{1} << 40) + 3;
  op.correlationId = 41;
  ExternalRecord annotation = op;
  annotation.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1;
  Buffer buffer;
  buffer.add(sync);
  buffer.add(op);
  buffer.add(annotation);
  const ActivityRecords records = buffer.decode();
  ASSERT_EQ(records.syncs.size(), 1);
  EXPECT_EQ(records.strings.view(records.syncs[0].name), "Context Sync");
  EXPECT_FALSE(records.syncs[0].of_event);
  EXPECT_EQ(records.syncs[0].stream, -1);
  EXPECT_EQ(records.syncs[0].correlation, 111);
  ASSERT_EQ(records.links.size(), 2);
  EXPECT_FALSE(records.links[0].annotation);
  EXPECT_EQ(records.links[0].push_id, (std::uint64_t{1} << 40) + 3);
  EXPECT_EQ(records.links[0].correlation, 41);
  EXPECT_TRUE(records.links[1].annotation);
}

TEST(Decode, WorkWithoutTimestampsIsCountedNotKept) {
  KernelRecord kernel = kernel_record("k");
  kernel.start = 0;
  kernel.end = 0;
  Buffer buffer;
  buffer.add(kernel);
  const ActivityRecords records = buffer.decode();
  EXPECT_TRUE(records.work.empty());
  EXPECT_EQ(records.without_time, 1);
}

TEST(Decode, ACutBufferKeepsItsWholeRecords) {
  Buffer buffer;
  buffer.add(
      api_record(CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, 1));
  const std::size_t first = buffer.size();
  buffer.add(kernel_record("k"));
  for (std::size_t size = first + 1; size < buffer.size(); ++size) {
    const ActivityRecords records = buffer.decode(size);
    EXPECT_EQ(records.calls.size(), 1) << size;
    EXPECT_EQ(records.work.size(), 0) << size;
    EXPECT_EQ(records.cut_buffers, 1) << size;
  }
  EXPECT_EQ(buffer.decode(first).cut_buffers, 0);
  EXPECT_EQ(buffer.decode().cut_buffers, 0);
  EXPECT_EQ(buffer.decode(3).cut_buffers, 1);
  EXPECT_EQ(buffer.decode(0).cut_buffers, 0);
}

TEST(Decode, UnknownKinds) {
  // One that CUPTI knows, but nobody asked for, is stepped over.
  CUpti_ActivityName name{};
  name.kind = CUPTI_ACTIVITY_KIND_NAME;
  Buffer known;
  known.add(name);
  known.add(kernel_record("k"));
  const ActivityRecords records = known.decode();
  EXPECT_EQ(records.unknown, 1);
  EXPECT_EQ(records.work.size(), 1);
  EXPECT_EQ(records.cut_buffers, 0);

  // One that it does not know has no length: the rest of the buffer is lost, and said to be.
  Buffer unknown;
  unknown.add(kernel_record("k"));
  ApiRecord strange{};
  strange.kind = static_cast<CUpti_ActivityKind>(999);
  unknown.add(strange);
  unknown.add(kernel_record("k"));
  const ActivityRecords rest = unknown.decode();
  EXPECT_EQ(rest.work.size(), 1);
  EXPECT_EQ(rest.unknown, 1);
  EXPECT_EQ(rest.cut_buffers, 1);
}

TEST(ApiTable, CutsCuptisOwnVersionsOnly) {
  EXPECT_EQ(describe_runtime_call("cudaLaunchKernel_v7000").name, "cudaLaunchKernel");
  EXPECT_EQ(describe_runtime_call("cudaGetDeviceProperties_v2_v12000").name,
            "cudaGetDeviceProperties_v2");
  EXPECT_EQ(describe_runtime_call("cudaMemcpyAsync_ptsz_v7000").name, "cudaMemcpyAsync_ptsz");
  EXPECT_EQ(describe_driver_call("cuMemcpyHtoDAsync_v2").name, "cuMemcpyHtoDAsync_v2");
  EXPECT_EQ(describe_runtime_call("").name, "INVALID");
}

TEST(ApiTable, KeepsLaunchesQueriesAndMemory) {
  for (const char* kept : {"cuLaunchKernel", "cuLaunchKernelEx_ptsz", "cuGraphLaunch",
                           "cuOccupancyMaxActiveClusters", "cuMemAlloc_v2", "cuMemFree_v2",
                           "cuMemcpyDtoHAsync_v2_ptsz", "cuMemsetD8Async", "cuStreamSynchronize"}) {
    EXPECT_TRUE(describe_driver_call(kept).kept) << kept;
  }
  for (const char* dropped : {"cuKernelGetAttribute", "cuCtxGetCurrent", "cuMemGetInfo_v2",
                              "cuMemGetAddressRange_v2", "cuLaunchHostFunc", "cuModuleLoad", ""}) {
    EXPECT_FALSE(describe_driver_call(dropped).kept) << dropped;
  }
  for (const char* flow :
       {"cudaLaunchKernelExC_v11060", "cudaMemcpyAsync_v3020", "cudaMemsetAsync_v3020",
        "cudaGraphLaunch_v10000", "cudaLaunchKernel_ptsz_v7000", "cudaDeviceSynchronize_v3020"}) {
    EXPECT_TRUE(describe_runtime_call(flow).starts_flow) << flow;
  }
  EXPECT_FALSE(describe_runtime_call("cudaMalloc_v3020").starts_flow);
  EXPECT_TRUE(describe_runtime_call("cudaMalloc_v3020").kept);
  EXPECT_FALSE(describe_runtime_call("cudaEventCreate_v3020").kept);
}

TEST(ApiTable, SelectsByNumber) {
  ApiTable table;
  const std::vector<std::uint32_t> unwanted = table.unwanted_driver_calls();
  EXPECT_EQ(std::ranges::count(unwanted, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx), 0);
  EXPECT_EQ(std::ranges::count(unwanted, CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent), 1);
  EXPECT_EQ(table.unwanted_runtime_calls().size(), 6);
  EXPECT_EQ(table.runtime(100'000).name, "INVALID");
}

}  // namespace
}  // namespace tracebook
