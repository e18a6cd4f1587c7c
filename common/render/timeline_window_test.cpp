// SPDX-License-Identifier: Apache-2.0
#include "common/render/timeline_window.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/trace/hand_made.h"

namespace tracebook {
namespace {

using Kind = TimelineWindow::Kind;

struct Windows {
  Structure structure;
  std::vector<TimelineWindow> list;
};

Windows windows_of(const HandMade& made, const TimelineOptions& options = {}) {
  Windows windows{build_structure(made.trace), {}};
  windows.list = timeline_windows(made.trace, windows.structure, options);
  return windows;
}

TEST(TimelineWindows, OneForEachStepAndForWhatLiesAround) {
  HandMade made;
  made.op("aten::before", 0, 50);
  made.annotation("ProfilerStep#7", 100, 200);
  made.annotation("ProfilerStep#8", 200, 300);
  made.call("cudaDeviceSynchronize", 320, 400);
  const Windows windows = windows_of(made);
  ASSERT_EQ(windows.list.size(), 4U);
  EXPECT_EQ(windows.list[0].kind, Kind::kBefore);
  EXPECT_EQ(windows.list[0].time, (Interval{0, 100}));
  EXPECT_EQ(windows.list[1].kind, Kind::kStep);
  EXPECT_EQ(windows.list[2].step, 1);
  EXPECT_EQ(windows.list[3].kind, Kind::kAfter);
  EXPECT_EQ(windows.list[3].time, (Interval{300, 400}));
  EXPECT_EQ(windows_of(made, {.max_steps = 1}).list.size(), 3U);
  const Windows eight = windows_of(made, {.only_step = 8});
  ASSERT_EQ(eight.list.size(), 1U);
  EXPECT_EQ(eight.list[0].time, (Interval{200, 300}));
}

TEST(TimelineWindows, DeviceWorkBelongsToItsLaunchsStep) {
  HandMade made;
  made.annotation("ProfilerStep#0", 0, 100);
  made.call("cudaLaunchKernel", 50, 60, {.correlation = 1});
  made.annotation("ProfilerStep#1", 100, 200);
  const SliceId kernel = made.kernel("gemm", 150, 350, {.correlation = 1});
  const Windows windows = windows_of(made);
  ASSERT_EQ(windows.list.size(), 2U);
  EXPECT_EQ(windows.list[0].time, (Interval{0, 350}))
      << "the window reaches to the end of the work";
  EXPECT_EQ(windows.list[0].device_end_ns, 350);
  ASSERT_EQ(windows.list[0].streams.size(), 1U);
  EXPECT_EQ(windows.list[0].streams[0].own, std::vector<SliceId>{kernel});
  EXPECT_EQ(windows.list[1].time, (Interval{100, 200}));
  ASSERT_EQ(windows.list[1].streams.size(), 1U);
  EXPECT_TRUE(windows.list[1].streams[0].own.empty());
  EXPECT_EQ(windows.list[1].streams[0].other, std::vector<SliceId>{kernel});
}

TEST(TimelineWindows, ADeepQueueDoesNotSwallowTheStep) {
  HandMade made;
  made.annotation("ProfilerStep#0", 0, 100);
  made.call("cudaLaunchKernel", 50, 60, {.correlation = 1});
  made.kernel("gemm", 5'000, 9'000, {.correlation = 1});
  const Windows windows = windows_of(made);
  ASSERT_EQ(windows.list.size(), 1U);
  EXPECT_TRUE(windows.list[0].is_cut);
  EXPECT_EQ(windows.list[0].time, (Interval{0, 100}));
}

TEST(TimelineWindows, LevelsAreOpsAndCallsStandApart) {
  HandMade made;
  made.annotation("train", 0, 1'000);  // encloses all steps: no level of theirs
  const SliceId step = made.annotation("ProfilerStep#0", 100, 900);
  made.python("module.py(3): forward", 110, 880);
  const SliceId op = made.op("aten::mm", 120, 800);
  const SliceId call = made.call("cudaLaunchKernel", 200, 300, {.correlation = 1});
  made.driver_call("cuLaunchKernel", 210, 290, {.correlation = 2});
  const SliceId overhead = made.overhead("Activity Buffer Request", 400, 500);
  const SliceId inner = made.op("aten::empty", 600, 610);
  const Windows windows = windows_of(made);
  ASSERT_EQ(windows.list.size(), 1U);
  ASSERT_EQ(windows.list[0].threads.size(), 1U);
  const TimelineWindow::Thread& thread = windows.list[0].threads[0];
  EXPECT_EQ(thread.levels, (std::vector<std::vector<SliceId>>{{step}, {op}, {inner}}));
  EXPECT_EQ(thread.calls, std::vector<SliceId>{call});
  EXPECT_EQ(thread.overheads, std::vector<SliceId>{overhead});
  EXPECT_TRUE(outside_steps(made.trace, windows.structure).empty());
}

TEST(TimelineWindows, ThreadsAndStreamsComeBusiestFirst) {
  HandMade made;
  made.op("idle", 0, 10, {.tid = 1});
  made.op("busy", 0, 500, {.tid = 2});
  made.kernel("short", 0, 10, {.stream = 7});
  made.kernel("long", 0, 400, {.stream = 20});
  const Windows windows = windows_of(made);
  ASSERT_EQ(windows.list.size(), 1U);
  EXPECT_EQ(windows.list[0].kind, Kind::kWhole);
  const Trace& trace = made.trace;
  ASSERT_EQ(windows.list[0].threads.size(), 2U);
  EXPECT_EQ(trace.tracks[windows.list[0].threads[0].track].tid.number, 2);
  ASSERT_EQ(windows.list[0].streams.size(), 2U);
  EXPECT_EQ(trace.tracks[windows.list[0].streams[0].track].tid.number, 20);
}

TEST(TimelineWindows, AStepsOwnThreadComesFirst) {
  HandMade made;
  made.annotation("ProfilerStep#0", 0, 100, {.tid = 9});
  made.op("backward", 10, 500, {.tid = 2});  // longer than the step
  const Windows windows = windows_of(made);
  ASSERT_EQ(windows.list.size(), 1U);
  ASSERT_EQ(windows.list[0].threads.size(), 2U);
  EXPECT_EQ(made.trace.tracks[windows.list[0].threads[0].track].tid.number, 9);
  EXPECT_EQ(windows.list[0].time.end_ns, 500)
      << "what another thread began in the step is shown whole";
}

TEST(TimelineWindows, ImpossibleTimesDoNotStretch) {
  HandMade made;
  made.op("aten::mm", 1'000, 2'000);
  made.kernel("never filled in", 0, 0);
  made.op("left open", 1'500, 4'000'000'000'000'000'000);
  const Windows windows = windows_of(made);
  ASSERT_EQ(windows.list.size(), 1U);
  EXPECT_EQ(windows.list[0].time, (Interval{1'000, 2'000}));
}

TEST(TimelineWindows, WorkWithoutALaunchIsShownWhereItRan) {
  HandMade made;
  made.annotation("ProfilerStep#0", 0, 100);
  made.annotation("ProfilerStep#1", 100, 200);
  const SliceId inside = made.kernel("graph", 120, 130);
  const SliceId after = made.kernel("late", 250, 260);
  const Windows windows = windows_of(made);
  ASSERT_EQ(windows.list.size(), 3U);
  EXPECT_TRUE(windows.list[0].streams.empty());
  EXPECT_EQ(windows.list[1].streams.at(0).own, std::vector<SliceId>{inside});
  EXPECT_EQ(windows.list[2].streams.at(0).own, std::vector<SliceId>{after});
}

TEST(TimelineWindows, NothingToShow) { EXPECT_TRUE(windows_of(HandMade()).list.empty()); }

}  // namespace
}  // namespace tracebook
