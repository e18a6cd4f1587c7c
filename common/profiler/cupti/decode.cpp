// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/cupti/decode.h"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "common/profiler/cupti/records.h"

namespace tracebook {
namespace {

// Kineto's words for CUPTI's kinds.

std::string_view copy_direction(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return "HtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return "DtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return "HtoA";
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return "AtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
      return "AtoA";
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
      return "AtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
      return "DtoA";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "DtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return "HtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "PtoP";
    default:
      return "<unknown>";
  }
}

std::string_view memory_kind(std::uint16_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return "Pageable";
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return "Pinned";
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
      return "Device";
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
      return "Array";
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
      return "Managed";
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
      return "Device Static";
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
      return "Managed Static";
    default:
      return "Unknown";
  }
}

/// By number: several of the kinds are newer than CUDA 12.4.
std::string_view overhead_name(std::uint32_t kind) {
  constexpr std::uint32_t kCuptiShift = 16;
  if (kind == CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER) return "Driver Compiler";
  switch (kind >> kCuptiShift) {
    case 1:
      return "Buffer Flush";
    case 2:
      return "Instrumentation";
    case 3:
      return "Resource";
    case 4:
      return "Runtime Triggered Module Loading";
    case 5:
      return "Lazy Function Loading";
    case 6:
      return "Command Buffer Full";
    case 7:
      return "Activity Buffer Request";
    case 8:
      return "UVM Activity Init";
    default:
      return "Unknown";
  }
}

std::string_view sync_name(std::uint32_t type) {
  switch (type) {
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE:
      return "Event Sync";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT:
      return "Stream Wait Event";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE:
      return "Stream Sync";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE:
      return "Context Sync";
    default:
      return "Unknown Sync";
  }
}

std::string copy_name(std::uint8_t direction, std::uint8_t from, std::uint8_t to) {
  std::string name = "Memcpy ";
  name += copy_direction(direction);
  name += " (";
  name += memory_kind(from);
  name += " -> ";
  name += memory_kind(to);
  name += ")";
  return name;
}

std::int64_t ns(std::uint64_t time) { return static_cast<std::int64_t>(time); }

/// Records are packed; a copy is aligned, and as long as our structure whatever CUPTI's is.
template <class Record>
Record copy_of(const CUpti_Activity* record) {
  Record copy;
  std::memcpy(&copy, record, sizeof(copy));
  return copy;
}

/// What copies, fills and kernels have in common.
template <class Record>
DeviceWork device_work(const Record& record, Category category) {
  DeviceWork work;
  work.category = category;
  work.start_ns = ns(record.start);
  work.end_ns = ns(record.end);
  work.device = static_cast<std::int32_t>(record.deviceId);
  work.context = record.contextId;
  work.stream = record.streamId;
  work.correlation = record.correlationId;
  return work;
}

void add_work(DeviceWork work, ActivityRecords& records) {
  // CUPTI writes 0 where it has no timestamps.
  if (work.start_ns == 0 || work.end_ns == 0) {
    ++records.without_time;
    return;
  }
  records.work.push_back(work);
}

void add_copy(const MemcpyRecord& record, ActivityRecords& records) {
  DeviceWork work = device_work(record, Category::kMemcpy);
  work.name = records.strings.intern(copy_name(record.copyKind, record.srcKind, record.dstKind));
  work.bytes = static_cast<std::int64_t>(record.bytes);
  add_work(work, records);
}

void add_peer_copy(const MemcpyPeerRecord& record, ActivityRecords& records) {
  DeviceWork work = device_work(record, Category::kMemcpy);
  work.name = records.strings.intern(copy_name(record.copyKind, record.srcKind, record.dstKind));
  work.bytes = static_cast<std::int64_t>(record.bytes);
  work.from_device = static_cast<std::int32_t>(record.srcDeviceId);
  work.to_device = static_cast<std::int32_t>(record.dstDeviceId);
  work.from_context = record.srcContextId;
  work.to_context = record.dstContextId;
  add_work(work, records);
}

void add_fill(const MemsetRecord& record, ActivityRecords& records) {
  DeviceWork work = device_work(record, Category::kMemset);
  std::string name = "Memset (";
  name += memory_kind(record.memoryKind);
  work.name = records.strings.intern(name + ")");
  work.bytes = static_cast<std::int64_t>(record.bytes);
  add_work(work, records);
}

void add_kernel(const KernelRecord& record, StringId name, ActivityRecords& records) {
  DeviceWork work = device_work(record, Category::kKernel);
  work.name = name;
  work.grid = {record.gridX, record.gridY, record.gridZ};
  work.block = {record.blockX, record.blockY, record.blockZ};
  work.registers = record.registersPerThread;
  work.static_shared_bytes = record.staticSharedMemory;
  work.dynamic_shared_bytes = record.dynamicSharedMemory;
  add_work(work, records);
}

void add_call(const ApiRecord& record, const ApiFunction& function, bool driver,
              ActivityRecords& records) {
  if (!function.kept) return;
  ApiCall call;
  call.driver = driver;
  call.starts_flow = function.starts_flow;
  call.cbid = record.cbid;
  call.name = records.strings.intern(function.name);
  call.start_ns = ns(record.start);
  call.end_ns = ns(record.end);
  call.thread = record.threadId;
  call.correlation = record.correlationId;
  records.calls.push_back(call);
}

void add_overhead(const OverheadRecord& record, ActivityRecords& records) {
  records.overheads.push_back({.name = records.strings.intern(overhead_name(record.overheadKind)),
                               .start_ns = ns(record.start),
                               .end_ns = ns(record.end)});
}

void add_sync(const SyncRecordOfCupti& record, ActivityRecords& records) {
  SyncRecord sync;
  sync.name = records.strings.intern(sync_name(record.type));
  sync.of_event = record.type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE ||
                  record.type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT;
  sync.start_ns = ns(record.start);
  sync.end_ns = ns(record.end);
  sync.context = record.contextId;
  // 2^32 - 1 where no stream is meant.
  sync.stream = static_cast<std::int32_t>(record.streamId);
  sync.event = record.cudaEventId;
  sync.correlation = record.correlationId;
  records.syncs.push_back(sync);
}

void add_link(const ExternalRecord& record, ActivityRecords& records) {
  records.links.push_back(
      {.annotation = record.externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1,
       .push_id = record.externalId,
       .correlation = record.correlationId});
}

std::size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(KernelRecord);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(MemcpyRecord);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return sizeof(MemcpyPeerRecord);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(MemsetRecord);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(ApiRecord);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return sizeof(OverheadRecord);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sizeof(SyncRecordOfCupti);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(ExternalRecord);
    default:
      return 0;
  }
}

bool is_our_cupti() {
  std::uint32_t version = 0;
  return cuptiGetVersion(&version) == CUPTI_SUCCESS && version == CUPTI_API_VERSION;
}

}  // namespace

StringId ActivityDecoder::kernel_name(const char* mangled, ActivityRecords& records) {
  if (mangled == nullptr) return records.strings.intern("<unnamed kernel>");
  const auto [place, is_new] = demangled_.try_emplace(mangled);
  if (is_new) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> readable(
        abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
    place->second = status == 0 && readable != nullptr ? readable.get() : mangled;
  }
  return records.strings.intern(place->second);
}

void ActivityDecoder::decode(std::span<const std::uint8_t> buffer, ActivityRecords& records) {
  if (buffer.empty()) return;
  // CUPTI's function does not write; its signature lacks the const.
  auto* begin = const_cast<std::uint8_t*>(buffer.data());  // NOLINT
  const std::uint8_t* known_end = begin;
  CUpti_Activity* record = nullptr;
  CUptiResult status = CUPTI_SUCCESS;
  while ((status = cuptiActivityGetNextRecord(begin, buffer.size(), &record)) == CUPTI_SUCCESS) {
    const auto* at = reinterpret_cast<const std::uint8_t*>(record);
    const std::size_t size = size_of(record->kind);
    if (static_cast<std::size_t>(begin + buffer.size() - at) < size) break;  // cut
    known_end = size == 0 ? nullptr : at + size;
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_KERNEL:
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        const auto kernel = copy_of<KernelRecord>(record);
        add_kernel(kernel, kernel_name(kernel.name, records), records);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        add_copy(copy_of<MemcpyRecord>(record), records);
        break;
      case CUPTI_ACTIVITY_KIND_MEMCPY2:
        add_peer_copy(copy_of<MemcpyPeerRecord>(record), records);
        break;
      case CUPTI_ACTIVITY_KIND_MEMSET:
        add_fill(copy_of<MemsetRecord>(record), records);
        break;
      case CUPTI_ACTIVITY_KIND_RUNTIME: {
        const auto call = copy_of<ApiRecord>(record);
        add_call(call, table_.runtime(call.cbid), false, records);
        break;
      }
      case CUPTI_ACTIVITY_KIND_DRIVER: {
        const auto call = copy_of<ApiRecord>(record);
        add_call(call, table_.driver(call.cbid), true, records);
        break;
      }
      case CUPTI_ACTIVITY_KIND_OVERHEAD:
        add_overhead(copy_of<OverheadRecord>(record), records);
        break;
      case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
        add_sync(copy_of<SyncRecordOfCupti>(record), records);
        break;
      case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        add_link(copy_of<ExternalRecord>(record), records);
        break;
      default:
        ++records.unknown;
        break;
    }
  }
  if (status != CUPTI_SUCCESS && status != CUPTI_ERROR_MAX_LIMIT_REACHED) ++records.unknown;
  // Bytes behind the last whole record are the beginning of one more. Only a CUPTI whose
  // structures are longer than ours may leave some for another reason.
  const bool bytes_left = known_end != nullptr && known_end != begin + buffer.size();
  if (status != CUPTI_ERROR_MAX_LIMIT_REACHED || (bytes_left && is_our_cupti())) {
    ++records.cut_buffers;
  }
}

}  // namespace tracebook
