// SPDX-License-Identifier: Apache-2.0
//
// A trace like a long eager run's, made here (about 60 MB), for benchmarks.
//
//   for (auto _ : state) read_trace_text(long_run(), "long run");
//   count(state);
//
// Plain functions; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "common/trace/trace.h"
#include "common/trace/writer.h"

namespace tracebook {

inline constexpr int kLaunches = 60'000;

/// Events of the text.
inline constexpr std::int64_t kLongRunEvents = std::int64_t{5} * kLaunches;

/// An op, its launch, its kernel and the arrow between them, over and over; made once.
inline const std::string& long_run() {
  static const std::string kText = [] {
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
  return kText;
}

/// Reports MB/s of the text and events/s; of any benchmark::State, so that this header needs no
/// package.
template <typename State>
void count(State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(long_run().size()));
  state.SetItemsProcessed(state.iterations() * kLongRunEvents);
}

}  // namespace tracebook
