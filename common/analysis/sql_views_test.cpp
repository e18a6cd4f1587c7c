// SPDX-License-Identifier: Apache-2.0
//
// Every view on a trace small enough to reckon by hand, and docs/views.md against the columns.
#include "common/analysis/sql_views.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/analysis/sql_sample_trace.h"
#include "common/trace/hand_made.h"

namespace tracebook {
namespace {

TEST(SliceView, ShowsEveryEvent) {
  const SampleTrace sample;
  EXPECT_EQ(
      sample.answer("SELECT id, ts, ts_ns, dur, dur_ns, name, cat, track, depth, parent, step "
                    "FROM slice WHERE id IN (0, 2, 4, 7, 8, 11, 13, 14, 15)"),
      "0|0.0|0|100.0|100000|ProfilerStep#2|user_annotation|thread 474|0|NULL|2\n"
      "2|20.0|20000|40.5|40500|aten::mm|cpu_op|thread 474|2|1|2\n"
      "4|32.0|32000|2.5|2500|Activity Buffer Request|overhead|overhead|4|3|2\n"
      "7|83.0|83000|4.0|4000|cuMemcpyDtoDAsync|cuda_driver|thread 474|3|5|2\n"
      "8|50.0|50000|10.0|10000|gemm|kernel|GPU 0 stream 7|0|NULL|2\n"
      "11|54.0|54000|2.0|2000|orphan|kernel|GPU 0 stream 9|0|NULL|NULL\n"
      "13|121.0|121000|3.0|3000|cudaDeviceSynchronize|cuda_runtime|thread 474|0|NULL|NULL\n"
      "14|50.0|50000|48.002|48002|matmul_add|gpu_user_annotation|GPU 0 stream 7 spans|0|NULL|NULL\n"
      "15|-1.0|-1000|900.0|900000|PyTorch Profiler (0)|Trace|Spans PyTorch Profiler|0|NULL|NULL");
  EXPECT_EQ(sample.answer("SELECT count(*) FROM slice"), "16");
}

TEST(SliceView, PathsLeadFromTheStepToTheKernel) {
  const SampleTrace sample;
  EXPECT_EQ(sample.answer("SELECT path FROM slice WHERE id IN (0, 2, 8, 11)"),
            "ProfilerStep#2\n"
            "ProfilerStep#2 > matmul_add > aten::mm\n"
            "ProfilerStep#2 > matmul_add > aten::mm > cudaLaunchKernel > gemm\n"
            "orphan");
}

TEST(SliceView, GivesArgumentsAsWritten) {
  const SampleTrace sample;
  EXPECT_EQ(sample.answer("SELECT id, args FROM slice WHERE id IN (4, 5, 10)"),
            "4|NULL\n5|{\"Ev Idx\":4}\n10|{\"bytes\":8192}");
}

TEST(SliceView, KeepsACategoryThatItDoesNotKnow) {
  Trace trace;
  const TrackId track = trace.track_of(TrackKind::kOther, {.number = 1}, {.number = 2}, -1);
  trace.add_slice(Category::kOther, trace.strings.intern("ac2g"), trace.strings.intern("x"), track,
                  0, 5, kNoId, kNoId, "");
  const Structure structure = build_structure(trace);
  const Database database(trace, structure);
  EXPECT_EQ(text_of(database.query("SELECT cat, track FROM slice")), "ac2g|1 2");
}

TEST(SliceView, TellsProcessesApart) {
  Trace trace;
  for (const std::int64_t pid : {3, 4}) {
    const TrackId track = trace.track_of(TrackKind::kCpuThread, {.number = pid}, {.number = 9}, -1);
    trace.add_slice(Category::kCpuOp, 0, trace.strings.intern("x"), track, 0, 5, kNoId, kNoId, "");
  }
  const Structure structure = build_structure(trace);
  const Database database(trace, structure);
  EXPECT_EQ(text_of(database.query("SELECT track FROM slice")),
            "process 3 thread 9\nprocess 4 thread 9");
}

TEST(OpView, ReckonsSelfTimes) {
  const SampleTrace sample;
  // The step: 100 less matmul_add's 80; matmul_add: 80 less 40.5 and 18; mm: 40.5 less the
  // call's 10.
  EXPECT_EQ(sample.answer("SELECT id, name, cat, dur, self, self_ns, depth, parent, step FROM op"),
            "0|ProfilerStep#2|user_annotation|100.0|20.0|20000|0|NULL|2\n"
            "1|matmul_add|user_annotation|80.0|21.5|21500|1|0|2\n"
            "2|aten::mm|cpu_op|40.5|30.5|30500|2|1|2\n"
            "5|aten::add|cpu_op|18.0|4.0|4000|2|1|2\n"
            "12|ProfilerStep#3|user_annotation|10.0|10.0|10000|0|NULL|3");
}

TEST(OpView, LooksThroughPythonFrames) {
  HandMade made;
  made.op("outer", 0, 100);
  made.python("frame.py(3): f", 10, 90);
  made.op("inner", 20, 50);
  const Structure structure = build_structure(made.trace);
  const Database database(made.trace, structure);
  EXPECT_EQ(text_of(database.query("SELECT name, parent, self_ns FROM op")),
            "outer|NULL|70\ninner|1|30");
}

TEST(LaunchView, CountsTheWorkOfEachCall) {
  const SampleTrace sample;
  EXPECT_EQ(sample.answer("SELECT id, ts, dur, name, api, track, parent, op, step, correlation, "
                          "kernels, first_kernel, delay, delay_ns FROM launch"),
            "3|30.0|10.0|cudaLaunchKernel|runtime|thread 474|2|2|2|7|2|8|20.0|20000\n"
            "6|72.0|10.0|cudaLaunchKernel|runtime|thread 474|5|5|2|8|0|NULL|NULL|NULL\n"
            "7|83.0|4.0|cuMemcpyDtoDAsync|driver|thread 474|5|5|2|9|1|10|11.0|11000");
}

TEST(LaunchView, TakesALaunchMadeOfTwoCallsOnce) {
  HandMade made;
  made.call("cudaLaunchKernel", 0, 50, {.correlation = 1});  // holds the call that owns the kernel
  made.driver_call("cuLaunchKernel", 10, 40, {.correlation = 2});
  made.kernel("k", 60, 70, {.correlation = 2});
  made.call("cudaLaunchKernel", 100, 150, {.correlation = 3});  // owns it itself
  made.driver_call("cuLaunchKernel", 110, 140, {.correlation = 4});
  made.kernel("k", 160, 170, {.correlation = 3});
  made.call("cudaLaunchKernel", 200, 250, {.correlation = 5});  // both lost
  made.driver_call("cuLaunchKernel", 210, 240, {.correlation = 6});
  const Structure structure = build_structure(made.trace);
  const Database database(made.trace, structure);
  EXPECT_EQ(text_of(database.query("SELECT correlation, kernels FROM launch")), "2|1\n3|1\n5|0");
}

TEST(LaunchView, KnowsLaunchesByName) {
  HandMade made;
  std::int64_t start = 0;
  for (const auto* name :
       {"cudaLaunchKernelExC", "cudaGraphLaunch", "cuLaunchKernelEx", "cudaMemsetAsync",
        "cudaMemcpyAsync", "hipModuleLaunchKernel", "hipExtModuleLaunchKernel",
        "cudaLaunchHostFunc", "cudaMalloc", "cudaGraphInstantiate", "cudaStreamSynchronize",
        "cudaFuncGetAttributes"}) {
    made.call(name, start, start + 5);
    start += 10;
  }
  const Structure structure = build_structure(made.trace);
  const Database database(made.trace, structure);
  EXPECT_EQ(text_of(database.query("SELECT group_concat(id) FROM launch")), "0,1,2,3,4,5,6");
}

TEST(LaunchView, DelayMayBeNegative) {
  HandMade made;
  made.call("cudaLaunchKernel", 1'000, 2'000, {.correlation = 1});
  made.kernel("nccl", 500, 5'000, {.correlation = 1});
  const Structure structure = build_structure(made.trace);
  const Database database(made.trace, structure);
  EXPECT_EQ(text_of(database.query("SELECT delay, delay_ns FROM launch")), "-0.5|-500");
}

TEST(KernelView, LinksWorkToItsLaunchOpAndStep) {
  const SampleTrace sample;
  EXPECT_EQ(sample.answer("SELECT id, ts, dur, name, kind, device, stream, launch, op, step, "
                          "correlation FROM kernel"),
            "8|50.0|10.0|gemm|kernel|0|7|3|2|2|7\n"
            "9|59.0|10.0|reduce|kernel|0|7|3|2|2|7\n"
            "10|94.0|4.0|Memcpy DtoD|memcpy|0|7|7|5|2|9\n"
            "11|54.0|2.0|orphan|kernel|0|9|NULL|NULL|NULL|99");
}

TEST(KernelView, GapsAreNeverNegative) {
  const SampleTrace sample;
  // gemm and orphan are the first of their streams; reduce starts before gemm ends.
  EXPECT_EQ(sample.answer("SELECT name, gap_before, gap_before_ns FROM kernel"),
            "gemm|NULL|NULL\nreduce|0.0|0\nMemcpy DtoD|25.0|25000\norphan|NULL|NULL");
}

TEST(KernelView, GivesTheShape) {
  const SampleTrace sample;
  EXPECT_EQ(sample.answer("SELECT name, grid, grid_x, grid_y, grid_z, block, block_x, block_y, "
                          "block_z, registers, shared_memory FROM kernel"),
            "gemm|4,2,1|4|2|1|384,1,1|384|1|1|168|164308\n"
            "reduce|16384,1,1|16384|1|1|128,1,1|128|1|1|34|0\n"
            "Memcpy DtoD|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL\n"
            "orphan|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL");
}

TEST(KernelView, ReckonsOccupancy) {
  const SampleTrace sample;
  // gemm: 8 blocks of 12 warps on 132 SMs; one block fits, 12 of 64 warps.
  // reduce: 12 blocks of 4 warps fit by registers, 48 of 64 warps.
  EXPECT_EQ(
      sample.answer("SELECT name, blocks_per_sm, warps_per_sm, occupancy, "
                    "occupancy_theoretical, active_blocks, occupancy_limit, occupancy_kineto FROM "
                    "kernel"),
      "gemm|0.060606|0.727273|1|18.75|1|registers|0\n"
      "reduce|124.121216|496.484863|75|75.0|12|registers|75\n"
      "Memcpy DtoD|NULL|NULL|NULL|NULL|NULL|NULL|NULL\n"
      "orphan|NULL|NULL|NULL|NULL|NULL|NULL|NULL");
}

TEST(KernelView, TakesKinetosOccupancyWhereTheGpuIsUnknown) {
  Trace trace = make_sample_trace();
  trace.head.devices.clear();
  const Structure structure = build_structure(trace);
  const Database database(trace, structure);
  EXPECT_EQ(text_of(database.query("SELECT blocks_per_sm, occupancy, occupancy_limit, "
                                   "occupancy_kineto FROM kernel WHERE name = 'reduce'")),
            "NULL|NULL|NULL|75");
}

TEST(KernelView, ReckonsBandwidth) {
  const SampleTrace sample;
  EXPECT_EQ(sample.answer("SELECT bytes, bandwidth FROM kernel WHERE kind = 'memcpy'"),
            "8192|2.048");
  EXPECT_EQ(sample.answer("SELECT count(bytes), count(bandwidth) FROM kernel"), "1|1");
}

TEST(StepView, SumsUpEachStep) {
  const SampleTrace sample;
  EXPECT_EQ(
      sample.answer("SELECT number, id, ts, dur, track, ops, launches, kernels, first_launch, "
                    "to_first_launch, first_kernel, to_first_kernel FROM step"),
      "2|0|0.0|100.0|thread 474|3|3|3|3|30.0|8|50.0\n"
      "3|12|110.0|10.0|thread 474|0|0|0|NULL|NULL|NULL|NULL");
  // 10 + 10 + 4, of which 1 counts twice.
  EXPECT_EQ(
      sample.answer("SELECT device_time, device_time_ns, device_busy, device_busy_ns FROM step"),
      "24.0|24000|23.0|23000\n0.0|0|0.0|0");
}

TEST(OverheadView, FallsIntoTheRangeThatItStalled) {
  const SampleTrace sample;
  EXPECT_EQ(
      sample.answer("SELECT id, ts, ts_ns, dur, dur_ns, name, parent, op, step FROM overhead"),
      "4|32.0|32000|2.5|2500|Activity Buffer Request|3|2|2");
}

TEST(AverageView, IsTheProfilerTable) {
  const SampleTrace sample;
  EXPECT_EQ(sample.answer("SELECT key, device_type, is_span, count, self_cpu_time_total, "
                          "cpu_time_total, self_device_time_total, device_time_total FROM average "
                          "WHERE key IN ('ProfilerStep*', 'aten::mm', 'gemm', 'matmul_add')"),
            "ProfilerStep*|CPU|0|2|30.0|110.0|0.0|24.0\n"
            "matmul_add|CPU|0|1|21.5|80.0|0.0|24.0\n"
            "aten::mm|CPU|0|1|30.5|40.5|20.0|20.0\n"
            "matmul_add|CUDA|1|1|0.0|0.0|48.0|48.0\n"
            "gemm|CUDA|0|1|0.0|0.0|10.0|10.0");
  EXPECT_EQ(sample.answer("SELECT self_cpu_time_total_ns, cpu_time_total_ns, "
                          "self_device_time_total_ns, device_time_total_ns "
                          "FROM average WHERE key = 'aten::mm'"),
            "30500|40500|20000|20000");
}

TEST(InfoView, DescribesAFileFromTorch) {
  const SampleTrace sample;
  EXPECT_EQ(
      sample.answer("SELECT source, regime, chapter, recording, command, commit_id, recorded_at, "
                    "gpu, compute_capability, driver, cuda, cuda_driver, cublas, cupti FROM info"),
      "torch.profiler|unknown|NULL|NULL|NULL|NULL|NULL|NVIDIA H200|9.0|NULL|12.4|13.0|NULL|NULL");
  // The profiler's own span starts earlier and does not count.
  EXPECT_EQ(sample.answer("SELECT health, issues, lost_records, start_ns, dur, dur_ns, events, "
                          "ops, launches, kernels, "
                          "unlaunched, empty_launches, steps, devices FROM info"),
            "1 of 2 launches without device records: these were lost; 1 overlap on a stream|"
            "0|NULL|1000000001000|124.0|124000|16|5|3|4|1|1|2|1");
}

TEST(InfoView, DescribesARecordingOfOurs) {
  Trace trace = make_sample_trace();
  trace.head.provenance = {.chapter = "01_cold_trace",
                           .recording = "64_bf16_cold_eager",
                           .command = "01_cold_trace --live",
                           .commit = "1a2b3c",
                           .recorded_at = "2026-11-29T16:00:00Z",
                           .gpu = "NVIDIA H200 NVL",
                           .driver = "580.159.04",
                           .cuda = "13.0",
                           .cublas = "13.0.2",
                           .cupti = "13.0.1"};
  trace.note("bad_utf8", "bytes that are no UTF-8 were replaced", 12, 2);
  trace.note("lost_records", "CUPTI dropped records", 0, 5);
  const Structure structure = build_structure(trace);
  const Database database(trace, structure);
  EXPECT_EQ(
      text_of(database.query("SELECT source, chapter, recording, command, commit_id, recorded_at, "
                             "gpu, driver, cuda, cublas, cupti FROM info")),
      "tracebook|01_cold_trace|64_bf16_cold_eager|01_cold_trace --live|1a2b3c|"
      "2026-11-29T16:00:00Z|NVIDIA H200 NVL|580.159.04|13.0|13.0.2|13.0.1");
  EXPECT_EQ(text_of(database.query("SELECT health, issues, lost_records FROM info")),
            "1 of 2 launches without device records: these were lost; 1 overlap on a stream; "
            "bytes that are no UTF-8 were replaced (2); CUPTI dropped records (5)|7|5");
}

TEST(Views, AreThereForAnEmptyTrace) {
  const Trace trace;
  const Structure structure = build_structure(trace);
  const Database database(trace, structure);
  for (const auto* view : {"slice", "op", "launch", "kernel", "step", "overhead", "average"}) {
    const std::string name(view);
    EXPECT_EQ(text_of(database.query("SELECT count(*) FROM " + name)), "0") << view;
    EXPECT_EQ(database.query("SELECT * FROM " + name).rows.size(), 0U) << view;
  }
  EXPECT_EQ(
      text_of(database.query("SELECT source, gpu, start_ns, dur_ns, kernels, steps FROM info")),
      "other|NULL|0|0|0|0");
}

// ---- docs/views.md -------------------------------------------------------------------------

struct ViewPage {
  std::vector<std::string> columns;  // "name TYPE"
  std::vector<std::string> units;
};

struct Document {
  std::map<std::string, ViewPage> views;
  std::vector<std::string> examples;
  std::map<std::string, int> examples_of;
};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line.substr(1));
  for (std::string field; std::getline(in, field, '|');) {
    const std::size_t begin = field.find_first_not_of(" `");
    const std::size_t end = field.find_last_not_of(" `");
    fields.push_back(begin == std::string::npos ? "" : field.substr(begin, end - begin + 1));
  }
  return fields;
}

Document read_document() {
  std::ifstream file(TRACEBOOK_SOURCE_DIR "/docs/views.md");
  EXPECT_TRUE(file.is_open());
  Document document;
  std::string section;
  bool in_example = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "```sql") {
      in_example = true;
      document.examples.emplace_back();
      ++document.examples_of[section];
    } else if (line == "```") {
      in_example = false;
    } else if (in_example) {
      document.examples.back() += line + "\n";
    } else if (line.starts_with("## ")) {
      section = line.substr(3);
    } else if (line.starts_with("| `") && section != "Rules") {
      const auto fields = fields_of(line);
      if (section.empty() || fields.size() < 5) continue;
      document.views[section].columns.push_back(fields[0] + " " + fields[1]);
      document.views[section].units.push_back(fields[2]);
    }
  }
  return document;
}

TEST(Document, HasEveryColumnAndNoOther) {
  const SampleTrace sample;
  const Document document = read_document();
  SqlModel model(sample.trace, sample.structure);
  const auto views = make_views(model);
  EXPECT_EQ(document.views.size(), views.size());
  for (const SqlView& view : views) {
    std::vector<std::string> columns;
    for (const auto& row : sample.database.query("PRAGMA table_info(" + view->name() + ")").rows) {
      columns.push_back(std::get<std::string>(row[1]) + " " + std::get<std::string>(row[2]));
    }
    ASSERT_EQ(document.views.count(view->name()), 1U) << view->name();
    EXPECT_EQ(document.views.at(view->name()).columns, columns) << view->name();
  }
}

TEST(Document, GivesTimesTheirUnitsAndTwins) {
  for (const auto& [name, view] : read_document().views) {
    for (std::size_t i = 0; i < view.columns.size(); ++i) {
      const std::string& column = view.columns[i];
      EXPECT_TRUE(view.units[i] == "ns" || !column.ends_with("_ns INTEGER"))
          << name << "." << column;
      if (view.units[i] != "µs") continue;
      ASSERT_TRUE(column.ends_with(" REAL")) << name << "." << column;
      ASSERT_LT(i + 1, view.columns.size()) << name << "." << column;
      EXPECT_EQ(view.columns[i + 1], column.substr(0, column.size() - 5) + "_ns INTEGER") << name;
    }
  }
}

TEST(Document, ExamplesAnswer) {
  const SampleTrace sample;
  const Document document = read_document();
  for (const auto& [view, page] : document.views) {
    EXPECT_TRUE(document.examples_of.contains(view)) << view << " has no example";
  }
  for (const std::string& example : document.examples) {
    EXPECT_FALSE(sample.database.query(example).rows.empty()) << example;
  }
}

TEST(Document, FirstExampleIsTheTimeToTheFirstOp) {
  const SampleTrace sample;
  EXPECT_EQ(sample.answer(read_document().examples.at(0)), "2|10000");
}

}  // namespace
}  // namespace tracebook
