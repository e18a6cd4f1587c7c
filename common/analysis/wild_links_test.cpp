// SPDX-License-Identifier: Apache-2.0
//
// What real traces do to a reader, from the text to the answer: order, names, links. One test a
// kind, each as small as the kind allows.
#include <gtest/gtest.h>

#include <string>

#include "common/analysis/lanes.h"
#include "common/analysis/wild_trace.h"

namespace tracebook {
namespace {

TEST(WildOrder, OpsOverlapWithoutNesting) {  // 47
  const auto trace = Wild().op("parent", 0, 75).op("child", 8, 78).answer();
  EXPECT_EQ(trace.row("parent"), "1|75.0|75.0|0.0|0.0");
  EXPECT_EQ(trace.row("child"), "1|78.0|78.0|0.0|0.0");
}

TEST(WildOrder, AnAnnotationCrossesAPythonFrame) {  // 48
  const auto trace = Wild()
                         .range("python_function", "train.py(3): f", 0, 50)
                         .range("user_annotation", "loss", 40, 60)
                         .run(60, 1)
                         .answer();
  EXPECT_EQ(trace.row("loss"), "1|40.0|60.0|0.0|20.0");
  EXPECT_EQ(trace.sql("SELECT path FROM kernel"), "loss > aten::mm > cudaLaunchKernel > gemm");
}

TEST(WildOrder, ChildrenWrittenFirstAndCrossingPairs) {  // 49
  const auto trace = Wild().op("child", 10, 5).op("parent", 0, 50).answer();
  EXPECT_EQ(trace.row("parent"), "1|45.0|50.0|0.0|0.0");
  const auto crossing = Wild::of(R"([{"ph":"B","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":0},
      {"ph":"B","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":5},
      {"ph":"E","name":"a","pid":1,"tid":1,"ts":8},{"ph":"E","name":"b","pid":1,"tid":1,"ts":12}])");
  EXPECT_EQ(crossing.sql("SELECT name, dur FROM op ORDER BY ts"), "a|8.0\nb|7.0");
}

TEST(WildOrder, KernelsOfOneStreamOverlap) {  // 50
  const auto trace = Wild().kernel("a", 0, 10, 1).kernel("b", 8, 7, 2).answer();
  EXPECT_EQ(build_lanes(trace.trace, trace.structure).devices.at(0).busy_ns(), 15'000);
  EXPECT_EQ(trace.sql("SELECT sum(device_time_total) FROM average"), "17.0");
  EXPECT_EQ(trace.sql("SELECT overlaps_on_stream, overruns FROM info"), "1|0");
  EXPECT_FALSE(trace.flagged());
}

TEST(WildOrder, DurationsFarBeyondTheNextKernel) {  // 51
  Wild wild;
  for (int i = 1; i <= 5; ++i) wild.run(30 * i, i, i == 3 ? 1.6e6 : 15);
  const auto trace = wild.answer();
  EXPECT_EQ(build_lanes(trace.trace, trace.structure).devices.at(0).busy_ns(), 90'000);
  EXPECT_EQ(trace.diagnosis().busy_ns, 90'000);
  EXPECT_EQ(trace.diagnosis().window_ns, 145'000);
  EXPECT_EQ(trace.sql("SELECT dur, overruns FROM info"), "145.0|1");
  EXPECT_TRUE(has(trace.health(), "lasts far beyond the start of the next")) << trace.health();
  EXPECT_TRUE(trace.flagged());
}

TEST(WildOrder, AGraphsKernelsMayCoverOneAnother) {
  const auto trace = Wild()
                         .call("cudaGraphLaunch", 0, 5, 1)
                         .kernel("long", 10, 1000, 1)
                         .kernel("short", 20, 5, 1)
                         .answer();
  EXPECT_EQ(trace.sql("SELECT overruns FROM info"), "0");
  EXPECT_EQ(trace.diagnosis().busy_ns, 1'000'000);
}

TEST(WildOrder, OneEndsWhereTheNextStarts) {  // 52
  const auto trace =
      Wild().kernel("a", 0, 10, 1).kernel("b", 10, 0, 2).kernel("c", 10, 5, 3).answer();
  EXPECT_EQ(trace.sql("SELECT overlaps_on_stream FROM info"), "0");
  EXPECT_EQ(build_lanes(trace.trace, trace.structure).devices.at(0).busy_ns(), 15'000);
  EXPECT_EQ(trace.sql("SELECT gap_before FROM kernel WHERE name <> 'a'"), "0.0\n0.0");
}

TEST(WildOrder, BeginsWithoutEndsAndSurplusEnds) {  // 54, 55
  const auto mark = [](const char* phase, const char* name, double ts) {
    return std::string(R"({"pid":1,"tid":1,"ph":")") + phase + R"(","name":")" + name +
           R"(","ts":)" + std::to_string(ts) + "}";
  };
  Wild wild;
  wild.add(mark("B", "A", 0)).add(mark("B", "B", 10)).add(mark("B", "C", 20));
  wild.add(mark("E", "B", 30)).add(mark("E", "A", 40)).add(mark("E", "Z", 50));
  const auto trace = wild.answer();
  EXPECT_EQ(trace.row("A"), "1|20.0|40.0|0.0|0.0");
  EXPECT_EQ(trace.row("B"), "1|20.0|20.0|0.0|0.0");
  EXPECT_EQ(trace.row("C"), "1|0.0|0.0|0.0|0.0");
  EXPECT_TRUE(has(trace.health(), "never end") && has(trace.health(), "never began"));
}

TEST(WildOrder, EqualTimesAndNoLength) {  // 55
  const auto trace = Wild().op("outer", 0, 10).op("inner", 0, 10).op("empty", 3, 0).answer();
  EXPECT_EQ(trace.row("outer"), "1|0.0|10.0|0.0|0.0");
  EXPECT_EQ(trace.row("inner"), "1|10.0|10.0|0.0|0.0");
  EXPECT_EQ(trace.row("empty"), "1|0.0|0.0|0.0|0.0");
}

TEST(WildNames, NoCategories) {  // 20
  const auto trace = Wild::of(
      R"([{"name":"aten::add","ph":"X","ts":1,"dur":9,"tid":1,"pid":"CPU functions","args":{}},
          {"name":"aten::empty","ph":"X","ts":2,"dur":3,"tid":1,"pid":"CPU functions","args":{}},
          {"name":"add_kernel","ph":"X","ts":12,"dur":4,"tid":0,"pid":"CUDA functions","args":{}}])");
  EXPECT_EQ(trace.row("aten::add"), "1|6.0|9.0|0.0|0.0");
  EXPECT_EQ(trace.row("add_kernel", "CUDA"), "1|0.0|0.0|4.0|4.0");
  EXPECT_EQ(trace.health(),
            "no CUDA calls were recorded: what launched the device work is unknown; "
            "3 ranges without a category of torch's, placed by name and lane");
}

TEST(WildNames, KinetosEventsWithoutCategories) {
  Wild plain;
  Wild bare;
  for (int i = 1; i <= 3; ++i) plain.step(i, 100 * i, 90).run(100 * i + 5, i);
  const auto whole = plain.answer();
  std::string text = R"({"traceEvents":[)";
  for (SliceId id = 0; id < whole.trace.slices.size(); ++id) {
    const Track& track = whole.trace.tracks[whole.trace.slices.track[id]];
    text += std::string(id == 0 ? "" : ",") + R"({"ph":"X","name":")" +
            std::string(whole.trace.name(id)) + R"(","pid":)" + std::to_string(track.pid.number) +
            R"(,"tid":)" + std::to_string(track.tid.number) + R"(,"ts":)" +
            std::to_string(whole.trace.slices.ts_ns[id] / 1000) + R"(,"dur":)" +
            std::to_string(whole.trace.slices.dur_ns[id] / 1000) + R"(,"args":)" +
            std::string(whole.trace.args(id)) + "}";
  }
  const auto stripped = Wild::of(text + "]}");
  const char* const rows =
      "SELECT key, device_type, self_cpu_time_total_ns, device_time_total_ns FROM average";
  EXPECT_EQ(stripped.sql(rows), whole.sql(rows));
  EXPECT_EQ(stripped.sql("SELECT path FROM kernel"), whole.sql("SELECT path FROM kernel"));
}

TEST(WildNames, TheProfilersOwnSpanWithoutACategory) {
  const auto trace = Wild()
                         .run(100, 1)
                         .add(R"json({"ph":"X","name":"PyTorch Profiler (0)","pid":"Spans",)json"
                              R"("tid":"PyTorch Profiler","ts":0,"dur":1000})")
                         .answer();
  EXPECT_EQ(trace.row("PyTorch Profiler (0)"), "");
  EXPECT_EQ(trace.sql("SELECT dur FROM info"), "30.0");
}

TEST(WildNames, AnUnknownCategoryBesideKinetosStaysUnknown) {
  const auto trace = Wild().run(0, 1).range("my_tool", "mine", 50, 10).answer();
  EXPECT_EQ(trace.row("mine"), "");
  EXPECT_EQ(trace.sql("SELECT cat, uncategorised, unplaced FROM slice, info WHERE name = 'mine'"),
            "my_tool|0|1");
  EXPECT_EQ(Wild().range("my_tool", "mine", 50, 10).answer().row("mine"), "1|10.0|10.0|0.0|0.0");
}

TEST(WildNames, StringPidsAndTids) {  // 56
  const auto trace = Wild::of(
      R"json([{"ph":"B","name":"a","pid":"process4770 (system-wide)","tid":"t 1","ts":0},
          {"ph":"B","name":"b","pid":"process4770 (system-wide)","tid":"t 1","ts":2},
          {"ph":"E","pid":"process4770 (system-wide)","tid":"t 1","ts":5},
          {"ph":"E","pid":"process4770 (system-wide)","tid":"t 1","ts":9}])json");
  EXPECT_EQ(trace.row("a"), "1|6.0|9.0|0.0|0.0");
  EXPECT_EQ(trace.sql("SELECT DISTINCT track FROM op"), "thread t 1");
}

TEST(WildNames, AscendsStringsAndLanes) {
  const auto trace = Wild::of(
      R"([{"ph":"M","name":"process_name","pid":12,"args":{"name":"Ascend Hardware"}},
          {"ph":"X","name":"aten::mm","cat":"cpu_op","pid":1,"tid":1,"ts":"1700000000000000.120","dur":"50.250"},
          {"ph":"X","name":"MatMul","pid":12,"tid":5,"ts":"1700000000000030.120","dur":"15.250"},
          {"ph":"X","name":"EVENT_WAIT","pid":12,"tid":5,"ts":"1700000000000050.120","dur":"9"}])");
  EXPECT_EQ(trace.row("MatMul", "CUDA"), "1|0.0|0.0|15.25|15.25");
  EXPECT_EQ(trace.row("EVENT_WAIT", "CUDA") + trace.row("EVENT_WAIT"), "");
  EXPECT_EQ(trace.sql("SELECT ts_ns, dur_ns FROM kernel"), "30000|15250");
}

TEST(WildLinks, ExternalIdsThatAreCorrelationIds) {  // 58, 59
  // The kernel's id is its call's correlation id, and by chance that of an unrelated op.
  const auto trace = Wild()
                         .op("unrelated", 0, 10, R"("External id":7)")
                         .op("aten::mm", 20, 30, R"("External id":8)")
                         .call("cudaLaunchKernel", 22, 5, 7, R"("External id":7)")
                         .kernel("gemm", 40, 20, 7, R"("External id":7)")
                         .answer();
  EXPECT_EQ(trace.sql("SELECT regime FROM info"), "correlation");
  EXPECT_EQ(trace.row("unrelated"), "1|10.0|10.0|0.0|0.0");
  EXPECT_EQ(trace.row("aten::mm"), "1|25.0|30.0|20.0|20.0");
}

TEST(WildLinks, ExternalIdsOfOpsZeroOrAbsent) {  // 58
  for (const char* id : {R"("External id":3)", R"("External id":0)", ""}) {
    const auto trace = Wild()
                           .op("aten::mm", 20, 30, R"("External id":3)")
                           .call("cudaLaunchKernel", 22, 5, 7, id)
                           .kernel("gemm", 40, 20, 7, id)
                           .answer();
    EXPECT_EQ(trace.row("aten::mm"), "1|25.0|30.0|20.0|20.0") << id;
  }
}

TEST(WildLinks, NcclKernelsBelongToTheInnerOp) {  // 60
  const auto trace = Wild()
                         .op("record_param_comms", 0, 50, R"("External id":17)")
                         .op("nccl:all_reduce", 5, 40, R"("External id":18)")
                         .call("cudaLaunchKernelExC", 10, 5, 3, R"("External id":17)")
                         .kernel("ncclDevKernel", 30, 20, 3, R"("External id":17)")
                         .answer();
  EXPECT_EQ(trace.row("nccl:all_reduce"), "1|35.0|40.0|20.0|20.0");
  EXPECT_EQ(trace.row("record_param_comms"), "1|10.0|50.0|0.0|20.0");
}

TEST(WildLinks, AGraphsLaunchOwnsAllItsKernels) {  // 63
  Wild wild;
  wild.op("replay", 0, 30).call("cudaGraphLaunch", 5, 20, 4);
  for (int i = 0; i < 500; ++i) wild.kernel("k", 30 + i, 0.5, 4);
  const auto trace = wild.answer();
  EXPECT_EQ(trace.row("replay"), "1|10.0|30.0|250.0|250.0");
  EXPECT_EQ(trace.sql("SELECT kernels FROM launch"), "500");
  EXPECT_EQ(trace.health(), "good");
}

TEST(WildLinks, GraphReplaysWithFewKernels) {  // 65
  Wild none;
  Wild few;
  for (int i = 1; i <= 70; ++i) {
    none.call("cudaGraphLaunch", 100 * i, 20, i);
    if (i % 20 == 0) none.kernel("k", 100 * i + 30, 10, i);
    few.call("cudaGraphLaunch", 100 * i, 20, i);
    for (int k = 0; k < (i == 1 ? 30 : 1); ++k) {
      few.kernel("k", 100 * i + 30 + 2 * k, 2, i, R"("graph id":3)");
    }
  }
  EXPECT_EQ(none.answer().health(), "67 of 70 launches without device records: these were lost");
  EXPECT_EQ(few.answer().health(), "69 replays of graphs with less than half of their kernels");
  for (const auto& trace : {none.answer(), few.answer()}) {
    EXPECT_TRUE(trace.flagged());
    EXPECT_EQ(trace.diagnosis().verdict, "unknown");
    for (const Finding& finding : trace.diagnosis().findings) EXPECT_LT(finding.share, 0.05);
  }
}

TEST(WildLinks, KernelsThatNameNoLaunchAreNoLostRecords) {
  const auto trace = Wild()
                         .op("aten::mm", 0, 20)
                         .range("cuda_runtime", "cudaLaunchKernel", 2, 5)
                         .range("kernel", "gemm", 10, 20, "", R"("pid":0,"tid":7)")
                         .answer();
  EXPECT_EQ(trace.health(), "1 launch whose device work is there but not linked to it");
  EXPECT_FALSE(trace.flagged());
}

TEST(WildLinks, RanksMergedIntoOneFileShareTheirIds) {
  const std::string other = R"("pid":200,"tid":2)";
  const auto trace =
      Wild()
          .call("cudaLaunchKernel", 0, 5, 1)
          .range("cuda_runtime", "cudaLaunchKernel", 2, 5, R"("correlation":1)", other)
          .kernel("gemm", 10, 20, 1)
          .range("kernel", "gemm", 12, 20, R"("correlation":1)", R"("pid":1,"tid":7)")
          .answer();
  EXPECT_EQ(trace.row("gemm", "CUDA"), "2|0.0|0.0|40.0|40.0");
  EXPECT_EQ(trace.sql("SELECT lost_launches FROM info"), "0");
  EXPECT_TRUE(trace.flagged());  // nothing tells whose work it is
}

TEST(WildLinks, LaunchesThatACaptureSwallowed) {
  const auto trace = Wild()
                         .run(0, 1)
                         .call("cudaStreamBeginCapture", 100, 5, 2)
                         .call("cudaLaunchKernel", 110, 5, 3)
                         .call("cudaStreamEndCapture", 120, 5, 4)
                         .run(200, 5)
                         .answer();
  EXPECT_EQ(trace.health(), "good");
}

TEST(WildLinks, CpuIdsThatLookLikeGpus) {  // 66, 67
  for (const char* pid : {"0", "1"}) {
    const std::string lane = std::string(R"("pid":)") + pid + R"(,"tid":7)";
    const auto trace =
        Wild()
            .range("cpu_op", "aten::mm", 0, 20, "", lane)
            .range("cuda_runtime", "cudaLaunchKernel", 2, 5, R"("correlation":1)", lane)
            .range("kernel", "gemm", 10, 20, R"("correlation":1,"device":1)", R"("pid":1,"tid":7)")
            .answer();
    EXPECT_EQ(trace.row("aten::mm"), "1|15.0|20.0|20.0|20.0") << pid;
    EXPECT_EQ(trace.sql("SELECT device FROM kernel"), "1") << pid;
    EXPECT_EQ(trace.sql("SELECT kernels, devices FROM info"), "1|1") << pid;
  }
}

TEST(WildLinks, ThreadIdsOfAnySize) {  // 68
  for (const char* tid : {"2147483648", "-5", "140245680400192", "18446744073709551615"}) {
    const std::string lane = std::string(R"("pid":3,"tid":)") + tid;
    const auto trace =
        Wild()
            .range("cpu_op", "aten::mm", 0, 20, "", lane)
            .range("cuda_runtime", "cudaLaunchKernel", 2, 5, R"("correlation":1)", lane)
            .kernel("gemm", 10, 20, 1)
            .answer();
    EXPECT_EQ(trace.row("aten::mm"), "1|15.0|20.0|20.0|20.0") << tid;
  }
}

TEST(WildLinks, SpansOnTheGpuAreNoWork) {  // 69, 70
  const auto trace = Wild()
                         .kernel("gemm", 1, 10, 1)
                         .range("gpu_user_annotation", "loss", 0, 12, "", R"("pid":0,"tid":7)")
                         .answer();
  EXPECT_EQ(trace.row("loss"), "");
  EXPECT_EQ(trace.sql("SELECT is_span FROM average WHERE key = 'loss'"), "1");
  EXPECT_EQ(key_averages(trace.trace, trace.structure).self_device_total_ns, 10'000);
  EXPECT_EQ(trace.diagnosis().busy_ns, 10'000);
}

TEST(WildLinks, WrappersOwnNoKernel) {  // 71
  Wild wild;
  int depth = 0;
  for (const char* name : {"aten::conv2d", "aten::convolution", "aten::_convolution"}) {
    wild.op(name, depth, 50 - 2 * depth);
    ++depth;
  }
  const auto trace = wild.op("aten::cudnn_convolution", 3, 40)
                         .call("cudaLaunchKernel", 10, 5, 1)
                         .kernel("conv", 30, 20, 1)
                         .answer();
  EXPECT_EQ(trace.row("aten::conv2d"), "1|2.0|50.0|0.0|20.0");
  EXPECT_EQ(trace.row("aten::cudnn_convolution"), "1|35.0|40.0|20.0|20.0");
  EXPECT_EQ(trace.sql("SELECT sum(self_device_time_total) FROM average WHERE device_type = 'CPU'"),
            "20.0");
}

TEST(WildLinks, TritonsLaunchesAreDriverCalls) {  // 73
  const auto trace = Wild()
                         .op("triton_poi_fused", 0, 20)
                         .range("cuda_driver", "cuLaunchKernel", 5, 5, R"("correlation":1)")
                         .kernel("triton_poi_fused_0", 12, 20, 1)
                         .answer();
  EXPECT_EQ(trace.row("triton_poi_fused"), "1|15.0|20.0|20.0|20.0");
  EXPECT_EQ(trace.sql("SELECT api, kernels FROM launch"), "driver|1");
}

TEST(WildLinks, RecordFunctionIdsAbsentOrZero) {  // 75
  for (const char* id : {"", R"("Record function id":0)"}) {
    const auto trace = Wild().op("a", 0, 20, id).op("b", 5, 5, id).answer();
    EXPECT_EQ(trace.row("a"), "1|15.0|20.0|0.0|0.0") << id;
  }
}

}  // namespace
}  // namespace tracebook
