// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/build_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/trace/args.h"
#include "common/trace/reader.h"
#include "common/trace/structure.h"
#include "common/trace/writer.h"

namespace tracebook {
namespace {

constexpr std::int64_t kBase = 1'790'000'000'000'000'000;  // a whole second
constexpr std::int64_t kThread = 474;

/// One step of matmul and add, as PyTorch's 01_cold_64.json has it, in times after kBase.
struct Sample {
  RecordedWindow window{
      .start_ns = kBase + 1'000, .end_ns = kBase + 900'000, .disabled_ns = kBase + 1'000'000};
  RangeLog ranges;
  ActivityRecords records;
  TraceEnvironment environment;

  Sample() {
    range("ProfilerStep#2", RangeKind::kUserAnnotation, 10'000, 300'000);
    range("matmul_add", RangeKind::kUserAnnotation, 60'000, 290'000);
    range("aten::matmul", RangeKind::kCpuOp, 90'000, 220'000);
    range("aten::mm", RangeKind::kCpuOp, 94'000, 217'000);
    range("aten::add", RangeKind::kCpuOp, 231'000, 265'000);
    call("cuLaunchKernelEx", true, 188'000, 214'000, 41);
    kernel("nvjet", 213'000, 215'000, 41);
    call("cudaLaunchKernel", false, 252'000, 263'000, 51);
    kernel("add", 264'000, 265'000, 51);
    call("cudaDeviceSynchronize", false, 560'000, 582'000, 111);
    DeviceProperties gpu;
    gpu.name = "NVIDIA H200";
    gpu.compute_major = 9;
    gpu.max_threads_per_multiprocessor = 2048;
    gpu.warp_size = 32;
    gpu.num_sms = 132;
    gpu.regs_per_multiprocessor = 65536;
    gpu.shared_mem_per_block_optin = 232448;
    gpu.shared_mem_per_multiprocessor = 233472;
    environment.pid = 470;
    environment.process_name = "01_cold_trace";
    environment.devices = {gpu};
    environment.driver_version = 13000;
    environment.cupti_version = 130001;
    environment.provenance.gpu = "NVIDIA H200";
    environment.provenance.recorded_at = "2026-11-29T16:34:45Z";
  }

  void range(std::string_view name, RangeKind kind, std::int64_t start, std::int64_t end) {
    const std::uint64_t push_id = ranges.ranges.size() + 1;
    ranges.ranges.push_back({.start_ns = kBase + start,
                             .end_ns = kBase + end,
                             .name = name,
                             .kind = kind,
                             .thread = kThread,
                             .push_id = push_id});
  }
  void call(std::string_view name, bool driver, std::int64_t start, std::int64_t end,
            std::int64_t correlation) {
    ApiCall it;
    it.driver = driver;
    it.starts_flow = true;
    it.cbid = driver ? 652 : 211;
    it.name = records.strings.intern(name);
    it.start_ns = kBase + start;
    it.end_ns = kBase + end;
    it.thread = kThread;
    it.correlation = correlation;
    records.calls.push_back(it);
  }
  DeviceWork& kernel(std::string_view name, std::int64_t start, std::int64_t end,
                     std::int64_t correlation) {
    DeviceWork it;
    it.name = records.strings.intern(name);
    it.start_ns = kBase + start;
    it.end_ns = kBase + end;
    it.context = 1;
    it.stream = 7;
    it.correlation = correlation;
    it.grid = {4, 2, 1};
    it.block = {384, 1, 1};
    it.registers = 168;
    it.dynamic_shared_bytes = 164308;
    records.work.push_back(it);
    return records.work.back();
  }
  [[nodiscard]] Trace build(bool links_from_cupti = false) const {
    return build_trace(window, ranges, records, environment, links_from_cupti);
  }
};

SliceId find(const Trace& trace, std::string_view name, Category category) {
  for (SliceId id = 0; id < trace.slices.size(); ++id) {
    if (trace.name(id) == name && trace.slices.category[id] == category) return id;
  }
  return kNoSlice;
}

std::int64_t count(const Trace& trace, Category category) {
  return std::ranges::count(trace.slices.category, category);
}

TEST(BuildTrace, WritesAKernelAsKinetoDoes) {
  const Trace trace = Sample().build();
  const SliceId id = find(trace, "nvjet", Category::kKernel);
  ASSERT_NE(id, kNoSlice);
  EXPECT_EQ(trace.args(id),
            "{\"External id\": 4, \"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, "
            "\"correlation\": 41, \"registers per thread\": 168, \"shared memory\": 164308, "
            "\"blocks per SM\": 0.060606, \"warps per SM\": 0.727273, \"grid\": [4, 2, 1], "
            "\"block\": [384, 1, 1], \"est. achieved occupancy %\": 1}");
  EXPECT_EQ(trace.head.base_time_ns, kBase);
  EXPECT_EQ(trace.slices.ts_ns[id], 213'000);
  EXPECT_EQ(trace.slices.dur_ns[id], 2'000);
  EXPECT_EQ(trace.slices.correlation[id], 41);
  EXPECT_EQ(trace.slices.external_id[id], 4);
  const Track& track = trace.tracks[trace.slices.track[id]];
  EXPECT_EQ(track.kind, TrackKind::kStream);
  EXPECT_EQ(track.pid.number, 0);
  EXPECT_EQ(track.tid.number, 7);
}

TEST(BuildTrace, LinksCallsToTheInnermostOp) {
  const Trace trace = Sample().build();
  const SliceId launch = find(trace, "cuLaunchKernelEx", Category::kDriver);
  ASSERT_NE(launch, kNoSlice);
  EXPECT_EQ(trace.args(launch), "{\"External id\": 4, \"cbid\": 652, \"correlation\": 41}");
  const SliceId add = find(trace, "cudaLaunchKernel", Category::kRuntime);
  EXPECT_EQ(trace.slices.external_id[add], 5);
  const SliceId sync = find(trace, "cudaDeviceSynchronize", Category::kRuntime);
  ASSERT_NE(sync, kNoSlice);
  EXPECT_EQ(trace.slices.external_id[sync], kNoId);
  EXPECT_EQ(trace.args(sync), "{\"cbid\": 211, \"correlation\": 111}");
}

TEST(BuildTrace, BothWaysOfLinkingAgree) {
  Sample sample;
  for (const auto& [range, correlation] : {std::pair{4, 41}, std::pair{5, 51}}) {
    sample.records.links.push_back({.annotation = false,
                                    .push_id = static_cast<std::uint64_t>(range),
                                    .correlation = correlation});
    sample.records.links.push_back({.annotation = true, .push_id = 2, .correlation = correlation});
  }
  EXPECT_EQ(first_difference(sample.build(false), sample.build(true)), "");
}

TEST(BuildTrace, ACallBehindANestedRangeBelongsToTheOuterOne) {
  Sample sample;
  sample.call("cudaMemsetAsync", false, 218'000, 219'000, 60);  // after mm, inside matmul
  sample.call("cudaMemcpyAsync", false, 225'000, 226'000, 61);  // inside the annotation alone
  const Trace trace = sample.build();
  EXPECT_EQ(trace.slices.external_id[find(trace, "cudaMemsetAsync", Category::kRuntime)], 3);
  EXPECT_EQ(trace.slices.external_id[find(trace, "cudaMemcpyAsync", Category::kRuntime)], kNoId);
}

TEST(BuildTrace, AnotherThreadsRangesDoNotCount) {
  Sample sample;
  sample.records.calls[0].thread = kThread + 1;
  const Trace trace = sample.build();
  EXPECT_EQ(trace.slices.external_id[find(trace, "cuLaunchKernelEx", Category::kDriver)], kNoId);
  EXPECT_EQ(trace.slices.external_id[find(trace, "nvjet", Category::kKernel)], kNoId);
}

TEST(BuildTrace, SpansAnnotationsOnTheGpu) {
  Sample sample;
  sample.kernel("elsewhere", 266'000, 270'000, 51).stream = 13;
  const Trace trace = sample.build();
  ASSERT_EQ(count(trace, Category::kGpuUserAnnotation), 2);
  const SliceId span = find(trace, "matmul_add", Category::kGpuUserAnnotation);
  ASSERT_NE(span, kNoSlice);
  // From the first kernel's start to the last one's end, 1 ns early and 2 ns longer.
  EXPECT_EQ(trace.slices.ts_ns[span], 212'999);
  EXPECT_EQ(trace.slices.dur_ns[span], 52'002);
  EXPECT_EQ(trace.args(span), "{\"External id\": 2}");
  EXPECT_EQ(trace.tracks[trace.slices.track[span]].kind, TrackKind::kGpuSpans);
  // The step around it has no kernel of its own.
  EXPECT_EQ(find(trace, "ProfilerStep#2", Category::kGpuUserAnnotation), kNoSlice);
}

TEST(BuildTrace, DrawsArrows) {
  const Trace trace = Sample().build();
  const auto flows = [&](std::int64_t id) {
    std::string text;
    for (const Flow& flow : trace.flows) {
      if (flow.id != id) continue;
      text += flow.phase;
      text += flow.bind_enclosing ? "e" : "";
      text += "@" + std::to_string(flow.ts_ns) + " ";
      EXPECT_EQ(trace.strings.view(flow.category_text), "ac2g");
    }
    return text;
  };
  EXPECT_EQ(flows(41), "s@188000 fe@213000 ");
  EXPECT_EQ(flows(111), "s@560000 ");
}

TEST(BuildTrace, LeavesOutWhatIsNotOfTheWindow) {
  Sample sample;
  sample.call("cudaLaunchKernel", false, 500, 800, 7);  // warm-up
  sample.kernel("late warm-up work", 2'000, 3'000, 7);
  sample.kernel("before", 100, 900, 8);
  sample.kernel("straddles the end", 899'000, 900'001, 9);
  sample.call("cudaFree", false, 950'000, 960'000, 10);
  sample.records.overheads.push_back(
      {.name = sample.records.strings.intern("Activity Buffer Request"),
       .start_ns = kBase + 100,
       .end_ns = kBase + 2'000});
  EXPECT_EQ(first_difference(sample.build(), Sample().build()), "");
}

TEST(BuildTrace, KeepsOverheadsInTheirOwnTrack) {
  Sample sample;
  sample.records.overheads.push_back(
      {.name = sample.records.strings.intern("Lazy Function Loading"),
       .start_ns = kBase + 100'000,
       .end_ns = kBase + 120'000});
  const Trace trace = sample.build();
  const SliceId id = find(trace, "Lazy Function Loading", Category::kOverhead);
  ASSERT_NE(id, kNoSlice);
  const Track& track = trace.tracks[trace.slices.track[id]];
  EXPECT_EQ(track.pid.number, -1);
  EXPECT_EQ(track.tid.number, 0);
  EXPECT_EQ(trace.args(id), "");
}

TEST(BuildTrace, KeepsTheRuntimesCallOverTheDriversInside) {
  Sample sample;
  sample.call("cuLaunchKernel", true, 253'000, 262'000, 51);
  EXPECT_EQ(first_difference(sample.build(), Sample().build()), "");
}

TEST(BuildTrace, DescribesCopies) {
  Sample sample;
  DeviceWork& copy = sample.kernel("Memcpy DtoH (Device -> Pinned)", 400'000, 401'600, 70);
  copy.category = Category::kMemcpy;
  copy.bytes = 4;
  DeviceWork& fill = sample.kernel("Memset (Device)", 402'000, 402'000, 71);
  fill.category = Category::kMemset;
  fill.bytes = 16;
  DeviceWork& peer = sample.kernel("Memcpy PtoP (Device -> Device)", 403'000, 404'000, 72);
  peer.category = Category::kMemcpy;
  peer.bytes = 2000;
  peer.from_device = 0;
  peer.to_device = 1;
  peer.from_context = 1;
  peer.to_context = 2;
  const Trace trace = sample.build();
  EXPECT_EQ(trace.args(find(trace, "Memcpy DtoH (Device -> Pinned)", Category::kMemcpy)),
            "{\"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": 70, \"bytes\": 4, "
            "\"memory bandwidth (GB/s)\": 0.0025}");
  EXPECT_EQ(trace.args(find(trace, "Memset (Device)", Category::kMemset)),
            "{\"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": 71, \"bytes\": 16, "
            "\"memory bandwidth (GB/s)\": \"N/A\"}");
  EXPECT_EQ(trace.args(find(trace, "Memcpy PtoP (Device -> Device)", Category::kMemcpy)),
            "{\"fromDevice\": 0, \"inDevice\": 0, \"toDevice\": 1, \"fromContext\": 1, "
            "\"inContext\": 1, \"toContext\": 2, \"stream\": 7, \"correlation\": 72, "
            "\"bytes\": 2000, \"memory bandwidth (GB/s)\": 2.0}");
}

TEST(BuildTrace, DescribesWaits) {
  Sample sample;
  sample.records.syncs.push_back({.name = sample.records.strings.intern("Context Sync"),
                                  .start_ns = kBase + 561'000,
                                  .end_ns = kBase + 581'000,
                                  .context = 1,
                                  .stream = -1,
                                  .correlation = 111});
  sample.records.syncs.push_back({.name = sample.records.strings.intern("Stream Wait Event"),
                                  .of_event = true,
                                  .start_ns = kBase + 582'000,
                                  .end_ns = kBase + 583'000,
                                  .context = 1,
                                  .stream = 7,
                                  .event = 5,
                                  .correlation = 112});
  const Trace trace = sample.build();
  EXPECT_EQ(trace.args(find(trace, "Context Sync", Category::kSync)),
            "{\"cuda_sync_kind\": \"Context Sync\", \"stream\": -1, \"correlation\": 111, "
            "\"device\": 0, \"context\": 1}");
  EXPECT_EQ(trace.args(find(trace, "Stream Wait Event", Category::kSync)),
            "{\"cuda_sync_kind\": \"Stream Wait Event\", \"wait_on_stream\": 7, "
            "\"wait_on_cuda_event_id\": 5, \"stream\": 7, \"correlation\": 112, \"device\": 0, "
            "\"context\": 1}");
}

TEST(BuildTrace, NamesProcessesAndThreadsAsKinetoDoes) {
  const Trace trace = Sample().build();
  ASSERT_EQ(trace.processes.size(), 3);
  EXPECT_EQ(trace.processes[0].labels, "CPU");
  EXPECT_EQ(trace.processes[0].sort_index, 470);
  EXPECT_EQ(trace.processes[1].labels, "GPU 0");
  EXPECT_EQ(trace.processes[1].sort_index, 5'000'000);
  EXPECT_TRUE(trace.processes[2].pid.is_text);
  EXPECT_EQ(trace.processes[2].sort_index, 536'870'912);
  ASSERT_EQ(trace.threads.size(), 2);
  EXPECT_EQ(trace.threads[0].name, "stream 7 ");
  EXPECT_EQ(trace.threads[1].name, "thread 474 (01_cold_trace)");
  const SliceId span = find(trace, "Tracebook Profiler (0)", Category::kTraceSpan);
  ASSERT_NE(span, kNoSlice);
  EXPECT_EQ(trace.slices.dur_ns[span], 899'000);
  ASSERT_EQ(trace.others.size(), 2);
  EXPECT_EQ(trace.strings.view(trace.others[0].name), "Iteration Start: Tracebook Profiler");
  EXPECT_EQ(trace.strings.view(trace.others[1].name), "Record Window End");
  EXPECT_EQ(trace.others[1].ts_ns, 1'000'000);
}

TEST(BuildTrace, ShowsWhatWasLost) {
  Sample sample;
  EXPECT_TRUE(sample.build().issues.empty());
  sample.records.dropped = 12;
  sample.ranges.cut = 1;
  const Trace trace = sample.build();
  ASSERT_EQ(trace.issues.size(), 2);
  EXPECT_EQ(trace.issues[0].kind, "lost_records");
  EXPECT_EQ(trace.issues[0].count, 12);
  EXPECT_EQ(trace.issues[1].kind, "cut_ranges");
}

TEST(BuildTrace, ReadsBackAsItWas) {
  Sample sample;
  sample.records.overheads.push_back(
      {.name = sample.records.strings.intern("Lazy Function Loading"),
       .start_ns = kBase + 100'000,
       .end_ns = kBase + 120'000});
  sample.records.syncs.push_back({.name = sample.records.strings.intern("Context Sync"),
                                  .start_ns = kBase + 561'000,
                                  .end_ns = kBase + 581'000,
                                  .context = 1,
                                  .stream = -1,
                                  .correlation = 111});
  const Trace trace = sample.build();
  const ReadResult read = read_trace_text(write_trace_text(trace), "written.json");
  EXPECT_EQ(read.exit_code, 0);
  EXPECT_TRUE(read.trace.issues.empty());
  EXPECT_EQ(first_difference(trace, read.trace), "");
}

TEST(BuildTrace, IsUnderstoodByTheStructure) {
  const Trace trace = Sample().build();
  const Structure structure = build_structure(trace);
  const SliceId kernel = find(trace, "nvjet", Category::kKernel);
  EXPECT_EQ(structure.launch[kernel], find(trace, "cuLaunchKernelEx", Category::kDriver));
  EXPECT_EQ(structure.op[kernel], find(trace, "aten::mm", Category::kCpuOp));
  ASSERT_EQ(structure.steps.size(), 1);
  EXPECT_EQ(structure.step[kernel], 0);
  EXPECT_EQ(structure.regime, ExternalIdRegime::kOp);
}

TEST(BuildTrace, AnEmptyWindowIsATrace) {
  const Trace trace = build_trace({.start_ns = kBase, .end_ns = kBase + 5}, {}, {}, {});
  EXPECT_EQ(trace.slices.size(), 1);
  EXPECT_TRUE(trace.flows.empty());
}

}  // namespace
}  // namespace tracebook
