// SPDX-License-Identifier: Apache-2.0
//
// What real traces do to a reader, from the text to the answer: missing content, strange times. One
// test a kind, each as small as the kind allows.
#include <gtest/gtest.h>

#include <string>

#include "common/analysis/wild_trace.h"

namespace tracebook {
namespace {

TEST(WildContent, LaunchesOnlyWithoutAnyMemset) {  // 24
  const auto trace = Wild().run(0, 1).answer();
  EXPECT_EQ(trace.sql("SELECT count(*) FROM kernel WHERE kind = 'memset'"), "0");
  EXPECT_EQ(trace.health(), "good");
}

TEST(WildContent, NoDistributedInfo) {  // 25
  const auto trace = Wild().run(0, 1).answer(R"("schemaVersion":1,)");
  EXPECT_EQ(trace.sql("SELECT kernels, launches FROM info"), "1|1");
  EXPECT_NE(trace.diagnosis().verdict, "unknown");
}

TEST(WildContent, NoProfilerSteps) {  // 26
  const auto trace = Wild().run(0, 1).run(100, 2).answer();
  EXPECT_EQ(trace.sql("SELECT count(*) FROM step"), "0");
  EXPECT_EQ(trace.diagnosis().window_ns, 130'000);
  EXPECT_EQ(trace.diagnosis().busy_ns, 40'000);
}

TEST(WildContent, TheLastStepCounts) {  // 27
  Wild wild;
  for (int i = 1; i <= 3; ++i) wild.step(i, 100 * i, 90).run(100 * i + 5, i);
  EXPECT_EQ(wild.answer().sql("SELECT number, kernels, device_time FROM step"),
            "1|1|20.0\n2|1|20.0\n3|1|20.0");
  EXPECT_EQ(wild.answer().health(), "good");
}

TEST(WildContent, TheLastStepLacksItsKernels) {  // 28
  Wild wild;
  for (int i = 1; i <= 2; ++i) wild.step(i, 100 * i, 90).run(100 * i + 5, i, 80);
  wild.step(3, 300, 90).op("aten::mm", 305, 20).call("cudaLaunchKernel", 307, 5, 3);
  const auto trace = wild.answer();
  EXPECT_EQ(trace.health(), "1 of 3 launches without device records: these were lost");
  EXPECT_TRUE(trace.flagged());
  EXPECT_EQ(trace.diagnosis().verdict, "unknown");
  for (const Finding& finding : trace.diagnosis().findings) {
    EXPECT_LT(finding.share, 0.15) << finding.id;  // nobody is blamed for the third step
  }
}

TEST(WildContent, LaunchesInAQueueWhenTheRecordingStopsAreNormal) {
  Wild wild;
  for (int i = 1; i <= 4; ++i) wild.run(100 * i, i, 90);
  wild.op("aten::mm", 480, 20).call("cudaLaunchKernel", 482, 5, 9);
  EXPECT_EQ(wild.answer().health(), "good");
  EXPECT_EQ(wild.answer().sql("SELECT empty_launches, lost_launches FROM info"), "1|0");
}

TEST(WildContent, TheFirstKernelsAreMissing) {  // 29
  Wild wild;
  for (int i = 1; i <= 10; ++i) {
    wild.op("aten::mm", 100 * i, 20).call("cudaLaunchKernel", 100 * i + 2, 5, i);
    if (i > 5) wild.kernel("gemm", 100 * i + 10, 60, i);
  }
  const auto trace = wild.answer();
  EXPECT_EQ(trace.health(), "5 of 10 launches without device records: these were lost");
  EXPECT_TRUE(trace.flagged());
  EXPECT_EQ(trace.diagnosis().verdict, "unknown");
}

TEST(WildContent, LaunchesWithoutAnyKernel) {  // 29, 30
  Wild wild;
  for (int i = 1; i <= 10; ++i) wild.call("cudaLaunchKernel", 100 * i, 5, i);
  const auto trace = wild.answer();
  EXPECT_TRUE(has(trace.health(), "all records of 10 launches were lost")) << trace.health();
  EXPECT_TRUE(trace.flagged());
  EXPECT_EQ(trace.diagnosis().verdict, "unknown");
  for (const Finding& finding : trace.diagnosis().findings) EXPECT_EQ(finding.share, 0);
}

TEST(WildContent, CpuOnlyIsNoIdleGpu) {  // 30
  const auto trace = Wild().step(1, 0, 5000).op("aten::mm", 10, 20).answer();
  EXPECT_EQ(trace.health(), "no device work: recorded without the GPU");
  EXPECT_EQ(trace.diagnosis().verdict, "unknown");
  for (const Finding& finding : trace.diagnosis().findings) {
    EXPECT_EQ(finding.share, 0) << finding.id;
    EXPECT_FALSE(has(finding.title, "idle") || has(finding.title, "GPU waits")) << finding.title;
  }
}

TEST(WildContent, GpuOnlyCannotSayWhyItWasIdle) {
  const auto trace = Wild().kernel("a", 0, 10, 1).kernel("b", 90, 10, 2).answer();
  EXPECT_EQ(trace.health(),
            "no CUDA calls were recorded: what launched the device work is unknown");
  EXPECT_EQ(trace.diagnosis().verdict, "unknown");
  EXPECT_EQ(trace.diagnosis().busy_ns, 20'000);
}

TEST(WildContent, WorkThatKnowsNoStepBelongsToAll) {
  Wild wild;
  wild.step(1, 0, 50).op("aten::mm", 5, 20).range("cuda_runtime", "cudaLaunchKernel", 7, 5);
  wild.range("kernel", "gemm", 20, 980, "", R"("pid":0,"tid":7)");
  EXPECT_EQ(wild.answer().diagnosis().window_ns, 1'000'000);
  EXPECT_EQ(wild.answer().diagnosis().verdict, "compute-bound");
}

TEST(WildContent, NothingButTheWindowsEnd) {  // 31
  const std::string end = R"({"ph":"i","name":"Record Window End","ts":100,"s":"g"})";
  const std::string name = R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}})";
  for (const auto& trace : {Wild().answer(), Wild().add(name).add(end).answer()}) {
    EXPECT_EQ(trace.health(), "no work was recorded");
    const std::string text = diagnosis_text(trace.diagnosis(), 100);
    EXPECT_TRUE(has(text, "holds no work") && has(text, "schedule never reached")) << text;
    EXPECT_FALSE(has(text, "Nothing stands out")) << text;
  }
}

TEST(WildContent, StepNumbersWithGapsAndTwoCycles) {  // 32
  Wild wild;
  int correlation = 0;
  for (const int number : {3, 7, 8, 3}) {
    const double at = 100 * ++correlation;
    wild.step(number, at, 90).run(at + 5, correlation);
  }
  EXPECT_EQ(wild.answer().sql("SELECT number, kernels FROM step ORDER BY ts"),
            "3|1\n7|1\n8|1\n3|1");
  EXPECT_EQ(wild.answer().sql("SELECT count(DISTINCT id) FROM step"), "4");
}

TEST(WildTimes, ManyShortKernelsLoseNothing) {  // 37
  Wild wild;
  for (int i = 0; i < 100; ++i) wild.kernel("tiny", 10 * i, 0.4, i + 1);
  EXPECT_EQ(wild.answer().row("tiny", "CUDA"), "100|0.0|0.0|40.0|40.0");
  EXPECT_EQ(Wild::of(R"([{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":1,"dur":5.7},
                         {"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":9,"dur":5.007}])")
                .sql("SELECT dur_ns FROM kernel"),
            "5700\n5007");
}

TEST(WildTimes, SixteenDigitsWithFractions) {  // 38
  const auto trace = Wild::of(
      R"([{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1672924880617000.001,"dur":1},
          {"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":1672924881307000.002,"dur":1}])");
  EXPECT_EQ(trace.sql("SELECT ts_ns FROM op"), "0\n690000001");
}

TEST(WildTimes, DisplayTimeUnitChangesNothing) {  // 39
  for (const char* member : {"", R"("displayTimeUnit":"ms",)", R"("displayTimeUnit":"ns",)"}) {
    EXPECT_EQ(Wild().run(5, 1).answer(member).row("gemm", "CUDA"), "1|0.0|0.0|20.0|20.0") << member;
  }
}

TEST(WildTimes, KernelsThatWereNeverFilledIn) {  // 40
  constexpr double kEpoch = 1.7e15;
  for (const char* member : {"", R"("baseTimeNanoseconds":1600000000000000000,)"}) {
    Wild wild;
    for (int i = 1; i <= 4; ++i) {
      const double at = kEpoch + 100 * i;
      wild.op("aten::mm", at, 20).call("cudaLaunchKernel", at + 2, 5, i);
      wild.kernel("gemm", i < 3 ? 0 : at + 10, i < 3 ? 0 : 20, i);
    }
    const auto trace = wild.answer(member);
    EXPECT_EQ(trace.sql("SELECT ts, dur, gap_before FROM kernel ORDER BY id"),
              "NULL|NULL|NULL\nNULL|NULL|NULL\n210.0|20.0|NULL\n310.0|20.0|80.0");
    EXPECT_EQ(trace.sql("SELECT dur FROM info"), "330.0");
    EXPECT_TRUE(has(trace.health(), "2 events with impossible times")) << trace.health();
    EXPECT_TRUE(trace.flagged());
    EXPECT_EQ(trace.diagnosis().verdict, "unknown");
    EXPECT_EQ(trace.row("gemm", "CUDA"), "2|0.0|0.0|40.0|40.0");
  }
}

TEST(WildTimes, CenturiesAway) {
  const auto trace = Wild().run(-9.2e15, 1).run(9.2e15, 2).run(0, 3).step(1, -9.2e15, 5).answer();
  EXPECT_EQ(trace.sql("SELECT ts, dur FROM kernel"), "NULL|NULL\nNULL|NULL\n10.0|20.0");
  EXPECT_EQ(trace.sql("SELECT dur, impossible_times FROM info"), "30.0|7");
  EXPECT_EQ(trace.row("gemm", "CUDA"), "1|0.0|0.0|20.0|20.0");
  EXPECT_EQ(trace.diagnosis().window_ns, 30'000);
}

TEST(WildTimes, AParentLeftOpen) {  // 41
  const auto trace = Wild().op("parent", 0, 9.2e15).run(10, 1).run(100, 2).answer();
  EXPECT_EQ(trace.row("aten::mm"), "2|30.0|40.0|40.0|40.0");
  EXPECT_EQ(trace.row("parent"), "");
  EXPECT_EQ(trace.sql("SELECT dur FROM info"), "120.0");
  EXPECT_EQ(trace.sql("SELECT dur FROM op WHERE name = 'parent'"), "NULL");
  EXPECT_EQ(trace.diagnosis().window_ns, 120'000);
  EXPECT_TRUE(trace.flagged());
}

TEST(WildTimes, AStepLeftOpenAndOneThatEndsBeforeItStarts) {  // 41
  Wild wild;
  wild.step(1, 0, 100).run(10, 1).step(2, 110, 9.2e15).run(120, 2).step(3, 210, -1.6e15);
  const auto trace = wild.run(220, 3).answer();
  EXPECT_EQ(trace.sql("SELECT number, dur, device_time FROM step"),
            "1|100.0|20.0\n2|NULL|40.0\n3|0.0|0.0");
  EXPECT_EQ(trace.row("gemm", "CUDA"), "3|0.0|0.0|60.0|60.0");
  EXPECT_LE(trace.diagnosis().window_ns, 250'000);
}

TEST(WildTimes, UnfinishedOpsOfLengthMinusOne) {  // 42
  const auto trace = Wild().op("unfinished", 0, -1).run(10, 1).answer();
  EXPECT_EQ(trace.row("unfinished"), "1|0.0|0.0|0.0|0.0");
  EXPECT_EQ(trace.row("aten::mm"), "1|15.0|20.0|20.0|20.0");
  EXPECT_TRUE(has(trace.health(), "end before they start")) << trace.health();
}

TEST(WildTimes, AKernelShortlyBeforeItsLaunch) {  // 44
  const auto trace = Wild()
                         .op("nccl:all_reduce", 0, 50)
                         .call("cudaLaunchKernel", 20, 5, 1)
                         .kernel("ncclDevKernel", 19.5, 30, 1)
                         .answer();
  EXPECT_EQ(trace.row("nccl:all_reduce"), "1|45.0|50.0|30.0|30.0");
  EXPECT_EQ(trace.sql("SELECT delay FROM launch"), "-0.5");
  EXPECT_EQ(trace.health(), "1 kernel before its launch");
  EXPECT_FALSE(trace.flagged());  // clocks differ by as much
}

TEST(WildTimes, AKernelLongBeforeItsLaunch) {
  const auto trace = Wild()
                         .op("aten::mm", 900, 50)
                         .call("cudaLaunchKernel", 910, 5, 1)
                         .kernel("k", 0, 9, 1)
                         .answer();
  EXPECT_EQ(trace.health(), "1 kernel over 100 us before its launch");
  EXPECT_TRUE(trace.flagged());
}

TEST(WildTimes, KernelsAnHourAfterTheirLaunches) {
  constexpr double kHour = 3.6e9;
  Wild wild;
  for (int i = 1; i <= 3; ++i) {
    wild.op("aten::mm", 100 * i, 20).call("cudaLaunchKernel", 100 * i + 2, 5, i);
    wild.kernel("gemm", kHour + 100 * i, 20, i);
  }
  const auto trace = wild.answer();
  EXPECT_EQ(trace.health(), "1 GPU that begins its first work over 1 s after its launch");
  EXPECT_TRUE(trace.flagged());
  EXPECT_EQ(trace.diagnosis().verdict, "unknown");
  for (const Finding& finding : trace.diagnosis().findings) EXPECT_EQ(finding.share, 0);
}

TEST(WildTimes, ACallThatSeemsToBeginBeforeItsOp) {  // 45
  const std::string id = R"("External id":)";
  const auto trace = Wild()
                         .op("aten::linear", 0, 100, id + "1")
                         .call("cudaLaunchKernel", 29.7, 5, 9, id + "2")
                         .op("aten::addmm", 30, 50, id + "2")
                         .kernel("gemm", 60, 20, 9, id + "2")
                         .answer();
  EXPECT_EQ(trace.row("aten::addmm"), "1|50.0|50.0|20.0|20.0");
  EXPECT_EQ(trace.row("aten::linear"), "1|45.0|100.0|0.0|20.0");  // the call nests by time
  EXPECT_EQ(trace.sql("SELECT path FROM kernel"),
            "aten::linear > aten::addmm > cudaLaunchKernel > gemm");
  EXPECT_EQ(trace.health(), "good");
}

}  // namespace
}  // namespace tracebook
