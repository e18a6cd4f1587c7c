// SPDX-License-Identifier: Apache-2.0
//
// For tests: a trace of 16 events and 4 counters, small enough to reckon each answer by hand, and
// answers as text.
//
//   const SampleTrace sample;
//   EXPECT_EQ(sample.answer("SELECT name FROM step"), "…");
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <variant>

#include "common/analysis/database.h"
#include "common/trace/structure.h"
#include "common/trace/trace.h"

namespace tracebook {

/// Cells divided by '|', one row a line; REALs in the fewest digits that tell them apart.
inline std::string text_of(const QueryResult& result) {
  std::string text;
  for (const auto& row : result.rows) {
    if (!text.empty()) text += '\n';
    const char* separator = "";
    for (const Cell& cell : row) {
      text += separator;
      separator = "|";
      if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
        text += std::to_string(*integer);
      } else if (const auto* real = std::get_if<double>(&cell)) {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.10g", *real);
        text += digits;
        if (text.find_first_of(".en", text.size() - std::string_view(digits).size()) ==
            std::string::npos) {
          text += ".0";
        }
      } else if (const auto* string = std::get_if<std::string>(&cell)) {
        text += *string;
      } else {
        text += "NULL";
      }
    }
  }
  return text;
}

/// Two steps of one thread on an H200. The first launches a product that becomes two kernels which
/// overlap, an add whose kernel was lost, and a copy; one more kernel has no launch.
inline Trace make_sample_trace() {
  Trace trace;
  trace.head.base_time_ns = 1'000'000'000'000;
  trace.head.devices.push_back({.id = 0,
                                .name = "NVIDIA H200",
                                .total_global_mem = 150'109'880'320,
                                .compute_major = 9,
                                .compute_minor = 0,
                                .max_threads_per_block = 1024,
                                .max_threads_per_multiprocessor = 2048,
                                .regs_per_block = 65536,
                                .warp_size = 32,
                                .shared_mem_per_block = 49152,
                                .num_sms = 132,
                                .regs_per_multiprocessor = 65536,
                                .shared_mem_per_block_optin = 232448,
                                .shared_mem_per_multiprocessor = 233472});
  trace.head.members = {{"trace_id", "\"F8D3\""},
                        {"cuda_driver_version", "13000"},
                        {"cuda_runtime_version", "12040"}};
  const auto number = [](std::int64_t value) { return EventId{false, value, 0}; };
  const TrackId thread = trace.track_of(TrackKind::kCpuThread, number(474), number(474), -1);
  const TrackId overhead = trace.track_of(TrackKind::kOverhead, number(-1), number(0), -1);
  const TrackId stream = trace.track_of(TrackKind::kStream, number(0), number(7), 0);
  const TrackId other_stream = trace.track_of(TrackKind::kStream, number(0), number(9), 0);
  const TrackId spans = trace.track_of(TrackKind::kGpuSpans, number(0), number(7), 0);
  const EventId spans_pid{true, 0, trace.strings.intern("Spans")};
  const EventId spans_tid{true, 0, trace.strings.intern("PyTorch Profiler")};
  const TrackId window = trace.track_of(TrackKind::kOther, spans_pid, spans_tid, -1);
  const auto add = [&trace](Category category, std::string_view name, TrackId track,
                            std::int64_t start_ns, std::int64_t end_ns,
                            std::int64_t correlation = kNoId, std::string_view args = "") {
    return trace.add_slice(category, trace.strings.intern(category_name(category)),
                           trace.strings.intern(name), track, start_ns, end_ns - start_ns,
                           correlation, kNoId, args);
  };
  add(Category::kUserAnnotation, "ProfilerStep#2", thread, 1'000, 101'000);              // 0
  add(Category::kUserAnnotation, "matmul_add", thread, 11'000, 91'000);                  // 1
  add(Category::kCpuOp, "aten::mm", thread, 21'000, 61'500);                             // 2
  add(Category::kRuntime, "cudaLaunchKernel", thread, 31'000, 41'000, 7);                // 3
  add(Category::kOverhead, "Activity Buffer Request", overhead, 33'000, 35'500);         // 4
  add(Category::kCpuOp, "aten::add", thread, 71'000, 89'000, kNoId, R"({"Ev Idx":4})");  // 5
  add(Category::kRuntime, "cudaLaunchKernel", thread, 73'000, 83'000, 8);                // 6
  add(Category::kDriver, "cuMemcpyDtoDAsync", thread, 84'000, 88'000, 9);                // 7
  add(Category::kKernel, "gemm", stream, 51'000, 61'000, 7,
      R"({"device":0,"stream":7,"registers per thread":168,"shared memory":164308,)"
      R"("grid":[4,2,1],"block":[384,1,1],"est. achieved occupancy %":0})");  // 8
  add(Category::kKernel, "reduce", stream, 60'000, 70'000, 7,
      R"({"device":0,"stream":7,"registers per thread":34,"shared memory":0,)"
      R"("grid":[16384,1,1],"block":[128,1,1],"est. achieved occupancy %":75})");         // 9
  add(Category::kMemcpy, "Memcpy DtoD", stream, 95'000, 99'000, 9, R"({"bytes":8192})");  // 10
  add(Category::kKernel, "orphan", other_stream, 55'000, 57'000, 99);                     // 11
  add(Category::kUserAnnotation, "ProfilerStep#3", thread, 111'000, 121'000);             // 12
  add(Category::kRuntime, "cudaDeviceSynchronize", thread, 122'000, 125'000, 12);         // 13
  add(Category::kGpuUserAnnotation, "matmul_add", spans, 51'000, 99'002);                 // 14
  add(Category::kTraceSpan, "PyTorch Profiler (0)", window, 0, 900'000);                  // 15
  const auto count = [&](std::string_view name, std::int64_t ns, std::string_view args) {
    OtherEvent counter;
    counter.phase = 'C';
    counter.name = trace.strings.intern(name);
    counter.track = trace.track_of(TrackKind::kOther, number(0), number(0), -1);
    counter.ts_ns = ns;
    counter.args = trace.keep_args(args);
    trace.others.push_back(counter);
  };
  count("SM clock", 0, R"({"MHz": 345})");
  count("SM clock", 51'000, R"({"MHz": 1980})");
  count("Power", 51'500, R"({"W": 312.4})");
  count("SM clock", 112'000, R"({"MHz": 1755})");
  return trace;
}

struct SampleTrace {
  Trace trace = make_sample_trace();
  Structure structure = build_structure(trace);
  Database database{trace, structure};
  [[nodiscard]] std::string answer(std::string_view sql) const {
    return text_of(database.query(sql));
  }
};

}  // namespace tracebook
