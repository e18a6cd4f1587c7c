// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/lanes.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>
#include <vector>

#include "common/trace/hand_made.h"

namespace tracebook {
namespace {

struct Built {
  Structure structure;
  Lanes lanes;
};

Built build(const HandMade& made) {
  Built built;
  built.structure = build_structure(made.trace);
  built.lanes = build_lanes(made.trace, built.structure);
  return built;
}

TEST(Intervals, MergeTouchingOverlappingAndEmpty) {
  EXPECT_EQ(merge_intervals({{8, 15}, {0, 10}, {20, 20}, {15, 18}, {30, 31}}),
            (Intervals{{0, 18}, {30, 31}}));
  EXPECT_TRUE(merge_intervals({}).empty());
  EXPECT_TRUE(merge_intervals({{5, 5}}).empty());
}

TEST(Intervals, CoveredTimeWithinAWindow) {
  const Intervals disjoint = {{0, 10}, {20, 30}, {40, 50}};
  EXPECT_EQ(total_ns(disjoint), 30);
  EXPECT_EQ(covered_ns(disjoint, 5, 45), 20);
  EXPECT_EQ(covered_ns(disjoint, 10, 20), 0);
  EXPECT_EQ(covered_ns(disjoint, 22, 24), 2);
  EXPECT_EQ(covered_ns(disjoint, -100, 100), 30);
  EXPECT_EQ(covered_ns({}, 0, 10), 0);
}

TEST(Intervals, AgreeWithCountingMoments) {
  std::mt19937 random(11);  // NOLINT(cert-msc51-cpp): the same intervals every time
  for (int round = 0; round < 50; ++round) {
    const auto some = [&] {
      Intervals intervals;
      for (int i = 0; i < 8; ++i) {
        const auto start = static_cast<std::int64_t>(random() % 60);
        intervals.push_back({start, start + static_cast<std::int64_t>(random() % 10)});
      }
      return intervals;
    };
    const auto moments = [](const Intervals& intervals) {
      std::set<std::int64_t> all;
      for (const Interval& interval : intervals) {
        for (std::int64_t t = interval.start_ns; t < interval.end_ns; ++t) all.insert(t);
      }
      return all;
    };
    const Intervals left = some();
    const Intervals right = some();
    const Intervals both = intersect(merge_intervals(left), merge_intervals(right));
    std::set<std::int64_t> expected;
    for (const std::int64_t t : moments(left)) {
      if (moments(right).contains(t)) expected.insert(t);
    }
    EXPECT_EQ(moments(both), expected);
    EXPECT_EQ(total_ns(merge_intervals(left)), static_cast<std::int64_t>(moments(left).size()));
  }
}

TEST(Lanes, BusyTimeIsAUnion) {
  HandMade made;
  made.kernel("a", 0, 10);
  made.kernel("b", 8, 15);  // programmatic dependent launch
  const Lanes lanes = build(made).lanes;
  ASSERT_EQ(lanes.streams.size(), 1U);
  EXPECT_EQ(lanes.streams[0].busy_ns(), 15);
  EXPECT_EQ(lanes.streams[0].work_ns, 17);
  EXPECT_EQ(lanes.streams[0].count, 2);
  EXPECT_TRUE(lanes.streams[0].gaps.empty());
  EXPECT_TRUE(lanes.overlaps[0].empty()) << "one stream does not overlap itself";
}

TEST(Lanes, GapsSayWhatStandsAroundThemAndWhoWaited) {
  HandMade made;
  made.annotation("ProfilerStep#0", 0, 10);
  made.annotation("ProfilerStep#1", 10, 20);
  made.call("cudaLaunchKernel", 1, 2, {.correlation = 1});
  made.call("cudaLaunchKernel", 11, 12, {.correlation = 2});
  const SliceId first = made.kernel("long", 100, 200, {.correlation = 1});
  const SliceId inside = made.kernel("inside", 110, 120, {.correlation = 1});
  const SliceId last = made.memset("after", 250, 260, {.correlation = 2});
  const SliceId touching = made.kernel("touching", 260, 270);
  const Built built = build(made);
  ASSERT_EQ(built.lanes.devices.size(), 1U);
  const std::vector<Gap>& gaps = built.lanes.devices[0].gaps;
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].start_ns, 200);
  EXPECT_EQ(gaps[0].end_ns, 250);
  EXPECT_EQ(gaps[0].dur_ns(), 50);
  EXPECT_EQ(gaps[0].before, first) << "what ended last, not what began last";
  EXPECT_EQ(gaps[0].after, last);
  EXPECT_EQ(gaps[0].step, 1);
  EXPECT_EQ(built.lanes.devices[0].idle_ns(), 50);
  const std::vector<std::int64_t>& before = built.lanes.gap_before_ns;
  EXPECT_EQ(before[first], Lanes::kNoGap);
  EXPECT_EQ(before[inside], 0);
  EXPECT_EQ(before[last], 50);
  EXPECT_EQ(before[touching], 0);
}

TEST(Lanes, StreamsOfOneGpuShareItsTime) {
  HandMade made;
  made.kernel("compute", 0, 100, {.stream = 7});
  const SliceId copy = made.kernel("copy", 50, 130, {.stream = 8});
  const SliceId late = made.kernel("compute", 140, 150, {.stream = 7});
  made.kernel("elsewhere", 0, 10, {.stream = 7, .device = 1});
  const Lanes lanes = build(made).lanes;
  ASSERT_EQ(lanes.devices.size(), 2U);
  EXPECT_EQ(lanes.devices[0].device, 0);
  EXPECT_EQ(lanes.devices[0].busy_ns(), 140);
  ASSERT_EQ(lanes.devices[0].gaps.size(), 1U);
  EXPECT_EQ(lanes.devices[0].gaps[0].before, copy);
  EXPECT_EQ(lanes.devices[0].gaps[0].after, late);
  EXPECT_EQ(lanes.overlaps[0], (Intervals{{50, 100}}));
  EXPECT_EQ(lanes.devices[1].busy_ns(), 10);
  EXPECT_TRUE(lanes.overlaps[1].empty());
  EXPECT_EQ(lanes.streams.size(), 3U);
  // A stream's gap is its own, whatever other streams do meanwhile.
  EXPECT_EQ(lanes.gap_before_ns[late], 40);
}

TEST(Lanes, ImpossibleTimesMakeNoGap) {
  HandMade made;
  constexpr std::int64_t kEpoch_ns = 1'672'924'880'617'000'000;
  const SliceId empty = made.kernel("never filled in", 0, 0);
  made.kernel("a", kEpoch_ns, kEpoch_ns + 10);
  made.kernel("b", kEpoch_ns + 30, kEpoch_ns + 40);
  const SliceId open = made.kernel("left open", kEpoch_ns + 50, kEpoch_ns + 60);
  made.trace.slices.dur_ns[open] = std::numeric_limits<std::int64_t>::max() / 2;
  const Lanes lanes = build(made).lanes;
  EXPECT_EQ(lanes.devices[0].busy_ns(), 20);
  EXPECT_EQ(lanes.devices[0].idle_ns(), 20);
  EXPECT_EQ(lanes.gap_before_ns[empty], Lanes::kNoGap);
}

TEST(Lanes, SpansAndSynchronizationAreNoWork) {
  HandMade made;
  made.gpu_span("matmul_add", 0, 1'000);
  made.add(Category::kSync, TrackKind::kStream, "Stream Synchronize", 0, 1'000, {});
  const Lanes lanes = build(made).lanes;
  EXPECT_TRUE(lanes.devices.empty());
  EXPECT_TRUE(lanes.streams.empty());
}

TEST(Lanes, EmptyWorkDividesAGapButIsNotBusy) {
  HandMade made;
  made.kernel("a", 100, 110);
  made.memset("empty", 120, 120);
  made.kernel("b", 140, 150);
  const Lanes lanes = build(made).lanes;
  EXPECT_EQ(lanes.devices[0].busy, (Intervals{{100, 110}, {140, 150}}));
  EXPECT_EQ(lanes.devices[0].gaps.size(), 2U);
  EXPECT_EQ(lanes.devices[0].idle_ns(), 30);
}

TEST(Lanes, ThreadsAreBusyInOpsAndCallsNotInAnnotations) {
  HandMade made;
  made.annotation("ProfilerStep#0", 0, 1'000);
  made.python("train.py(1): main", 0, 1'000);
  made.op("aten::mm", 100, 200);
  made.call("cudaLaunchKernel", 150, 180);
  made.call("cudaDeviceSynchronize", 300, 700);
  made.call("cudaStreamSynchronize_ptsz", 800, 810);
  made.call("cudaEventRecord", 900, 950);
  made.op("worker", 0, 10, {.tid = 2});
  const Lanes lanes = build(made).lanes;
  ASSERT_EQ(lanes.threads.size(), 2U);
  EXPECT_EQ(lanes.threads[0].busy, (Intervals{{100, 200}, {300, 700}, {800, 810}, {900, 950}}));
  EXPECT_EQ(lanes.threads[0].waiting, (Intervals{{300, 700}, {800, 810}}));
  EXPECT_EQ(lanes.threads[1].busy, (Intervals{{0, 10}}));
}

TEST(Lanes, OfAnEmptyTrace) {
  const Lanes lanes = build(HandMade()).lanes;
  EXPECT_TRUE(lanes.devices.empty());
  EXPECT_TRUE(lanes.threads.empty());
}

TEST(Lanes, ManyOverlappingKernels) {
  constexpr std::int64_t kKernels = 100'000;
  HandMade made;
  for (std::int64_t i = 0; i < kKernels; ++i) {
    made.kernel("k", i, i + kKernels, {.stream = i % 4});
  }
  const Lanes lanes = build(made).lanes;
  EXPECT_EQ(lanes.devices[0].busy_ns(), 2 * kKernels - 1);
  EXPECT_EQ(total_ns(lanes.overlaps[0]), 2 * kKernels - 3);
}

}  // namespace
}  // namespace tracebook
