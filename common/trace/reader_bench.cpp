// SPDX-License-Identifier: Apache-2.0
//
// How fast a trace is read: one like a long eager run, made here (about 60 MB). Compare the bytes
// per second with those of other readers on the same machine.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "common/trace/reader.h"
#include "common/trace/trace.h"
#include "common/trace/writer.h"

namespace tracebook {
namespace {

constexpr int kLaunches = 60'000;

/// An op, its launch, its kernel and the arrow between them, over and over.
const std::string& long_run() {
  static const std::string text = [] {
    Trace trace;
    trace.head.base_time_ns = 1'790'857'026'000'000'000;
    const StringId op = trace.strings.intern("cpu_op");
    const StringId runtime = trace.strings.intern("cuda_runtime");
    const StringId kernel = trace.strings.intern("kernel");
    const StringId arrow = trace.strings.intern("ac2g");
    const StringId mm = trace.strings.intern("aten::mm");
    const StringId launch = trace.strings.intern("cudaLaunchKernelExC");
    const StringId gemm = trace.strings.intern(
        "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_32x6_tn_align8>"
        "(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_32x6_tn_align8::Params)");
    const TrackId thread =
        trace.track_of(TrackKind::kCpuThread, EventId{.number = 474}, EventId{.number = 474}, -1);
    const TrackId stream =
        trace.track_of(TrackKind::kStream, EventId{.number = 0}, EventId{.number = 7}, 0);
    std::int64_t ts_ns = 5'105'701'810'941'267;
    for (std::int64_t i = 1; i <= kLaunches; ++i) {
      const std::string id = std::to_string(i);
      trace.add_slice(Category::kCpuOp, op, mm, thread, ts_ns, 23'059, kNoId, i,
                      "{\n      \"External id\": " + id +
                          ",\"Record function id\": 0, \"Sequence number\": 0, "
                          "\"Fwd thread id\": 0, \"Ev Idx\": " +
                          id + "\n    }");
      trace.add_slice(Category::kRuntime, runtime, launch, thread, ts_ns + 9'002, 6'417, i, i,
                      "{\n      \"External id\": " + id +
                          ", \"cbid\": 430, \"correlation\": " + id + "\n    }");
      trace.flows.push_back({.phase = 's',
                             .name = arrow,
                             .category_text = arrow,
                             .track = thread,
                             .id = i,
                             .ts_ns = ts_ns + 9'002});
      trace.add_slice(Category::kKernel, kernel, gemm, stream, ts_ns + 25'311, 4'128, i, i,
                      "{\n      \"External id\": " + id +
                          ", \"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, "
                          "\"correlation\": " +
                          id +
                          ", \"registers per thread\": 168, \"shared memory\": 213008, "
                          "\"blocks per SM\": 0.060606, \"warps per SM\": 0.727273, "
                          "\"grid\": [8, 1, 1], \"block\": [384, 1, 1], "
                          "\"est. achieved occupancy %\": 0\n    }");
      trace.flows.push_back({.phase = 'f',
                             .bind_enclosing = true,
                             .name = arrow,
                             .category_text = arrow,
                             .track = stream,
                             .id = i,
                             .ts_ns = ts_ns + 25'311});
      ts_ns += 31'007;
    }
    return write_trace_text(trace);
  }();
  return text;
}

void read(benchmark::State& state, const std::string& text, const ReadOptions& options) {
  for (auto _ : state) {
    const ReadResult result = read_trace_text(text, "long run", options);
    if (result.events != std::int64_t{5} * kLaunches) state.SkipWithError("events are missing");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void read_all(benchmark::State& state) { read(state, long_run(), {}); }
BENCHMARK(read_all)->Unit(benchmark::kMillisecond);

void read_lean(benchmark::State& state) {
  read(state, long_run(), {.keep_args = false, .keep_flows = false});
}
BENCHMARK(read_lean)->Unit(benchmark::kMillisecond);

/// The same with one bare nan a window: all of it goes through the tolerant scanner.
void read_broken(benchmark::State& state) {
  static const std::string text = [] {
    std::string broken = long_run();
    constexpr std::size_t kWindow = std::size_t{1} << 20U;
    const std::string zero = "\"queued\": 0,";
    for (std::size_t at = broken.find(zero); at != std::string::npos;
         at = broken.find(zero, at + kWindow)) {
      broken.replace(at, zero.size(), "\"queued\":nan");
      broken.insert(at + zero.size(), ",");
    }
    return broken;
  }();
  read(state, text, {});
}
BENCHMARK(read_broken)->Unit(benchmark::kMillisecond);

void write(benchmark::State& state) {
  const Trace trace = read_trace_text(long_run(), "long run").trace;
  std::size_t size = 0;
  for (auto _ : state) size = write_trace_text(trace).size();
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
}
BENCHMARK(write)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tracebook
