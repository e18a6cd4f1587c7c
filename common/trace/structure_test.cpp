// SPDX-License-Identifier: Apache-2.0
#include "common/trace/structure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "common/trace/hand_made.h"

namespace tracebook {
namespace {

TEST(Nesting, RangesNestByTime) {
  HandMade made;
  const SliceId inner = made.op("inner", 20, 30);  // written before what encloses it
  const SliceId outer = made.op("outer", 0, 100);
  const SliceId call = made.call("cudaLaunchKernel", 22, 25);
  const SliceId later = made.op("later", 40, 50);
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.parent[outer], kNoSlice);
  EXPECT_EQ(structure.parent[inner], outer);
  EXPECT_EQ(structure.parent[call], inner);
  EXPECT_EQ(structure.parent[later], outer);
  EXPECT_EQ(structure.depth[call], 2);
  EXPECT_EQ(structure.op[call], inner);
  EXPECT_EQ(structure.op[later], outer);
  EXPECT_EQ(structure.cpu_order, (std::vector<SliceId>{outer, inner, call, later}));
  EXPECT_EQ(structure.thread_begin, (std::vector<std::uint32_t>{0, 4}));
}

TEST(Nesting, RangeThatEndsAfterTheOneAroundItIsNoChild) {
  HandMade made;
  const SliceId root = made.op("root", 0, 200);
  const SliceId first = made.op("first", 10, 75);
  const SliceId crossing = made.op("crossing", 18, 86);
  const SliceId in_both = made.op("in both", 20, 30);
  const SliceId in_first_only = made.op("still in crossing", 70, 74);
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.parent[first], root);
  EXPECT_EQ(structure.parent[crossing], root);
  // Once the crossing range has begun, it is the innermost.
  EXPECT_EQ(structure.parent[in_both], crossing);
  EXPECT_EQ(structure.parent[in_first_only], crossing);
}

TEST(Nesting, EqualTimesNestInFileOrder) {
  HandMade made;
  const SliceId outer = made.op("outer", 5, 15);
  const SliceId inner = made.op("inner", 5, 15);
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.parent[outer], kNoSlice);
  EXPECT_EQ(structure.parent[inner], outer);
}

TEST(Nesting, EmptyRanges) {
  HandMade made;
  const SliceId outer = made.op("outer", 0, 10);
  const SliceId at_start = made.op("at start", 0, 0);
  const SliceId inside = made.op("inside", 5, 5);
  const SliceId inside_again = made.op("inside again", 5, 5);
  const SliceId at_end = made.op("at end", 10, 10);
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.parent[at_start], outer);
  EXPECT_EQ(structure.parent[inside], outer);
  // An empty range encloses nothing, not even its like.
  EXPECT_EQ(structure.parent[inside_again], outer);
  EXPECT_EQ(structure.parent[at_end], kNoSlice);
}

TEST(Nesting, ThreadsDoNotNestInEachOther) {
  HandMade made;
  const SliceId main = made.op("main", 0, 100, {.tid = 1});
  const SliceId other = made.op("other", 10, 20, {.tid = 2});
  const SliceId child = made.op("child", 30, 40, {.tid = 1});
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.parent[other], kNoSlice);
  EXPECT_EQ(structure.parent[child], main);
  EXPECT_EQ(structure.cpu_order, (std::vector<SliceId>{main, child, other}));
  EXPECT_EQ(structure.thread_begin, (std::vector<std::uint32_t>{0, 2, 3}));
}

TEST(Nesting, PythonFramesEncloseButAreNoOps) {
  HandMade made;
  const SliceId op = made.op("aten::mm", 0, 100);
  const SliceId frame = made.python("matmul.py(3): f", 10, 50);
  const SliceId call = made.call("cudaLaunchKernel", 20, 30);
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.parent[call], frame);
  EXPECT_EQ(structure.op[call], op);
}

TEST(Nesting, EndBeyondInt64DoesNotWrap) {
  HandMade made;
  const SliceId open = made.op("left open", 1'000, std::numeric_limits<std::int64_t>::max());
  made.trace.slices.dur_ns[open] = std::numeric_limits<std::int64_t>::max() - 5;
  const SliceId child = made.op("child", 2'000, 3'000);
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.parent[child], open);
  EXPECT_TRUE(has_impossible_time(made.trace, open));
  EXPECT_FALSE(has_impossible_time(made.trace, child));
}

TEST(Nesting, DeepStacksKeepTheirDepth) {
  constexpr std::int64_t kDepth = 70'000;  // more than 16 bits hold
  HandMade made;
  for (std::int64_t i = 0; i < kDepth; ++i) made.python("frame", i, 2 * kDepth - i);
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.depth[kDepth - 1], std::numeric_limits<std::uint16_t>::max());
  EXPECT_EQ(structure.parent[kDepth - 1], static_cast<SliceId>(kDepth - 2));
}

TEST(Nesting, TensOfThousandsOfCrossingRangesEnd) {
  constexpr std::int64_t kRanges = 100'000;
  HandMade made;
  for (std::int64_t i = kRanges; i-- > 0;) made.op("crossing", i, i + kRanges);
  for (std::int64_t i = 0; i < kRanges; ++i) made.overhead("Buffer Flush", i, i + kRanges / 2);
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.cpu_order.size(), static_cast<std::size_t>(2 * kRanges));
  EXPECT_EQ(structure.parent[0], kNoSlice);
}

/// The rule as torch.profiler writes it down, on plain vectors.
std::vector<SliceId> parents_by_the_book(const Slices& slices, std::vector<SliceId> thread) {
  std::stable_sort(thread.begin(), thread.end(), [&](SliceId left, SliceId right) {
    return std::pair(slices.ts_ns[left], -slices.end_ns(left)) <
           std::pair(slices.ts_ns[right], -slices.end_ns(right));
  });
  std::vector<SliceId> parents(slices.size(), kNoSlice);
  std::vector<SliceId> stack;
  for (const SliceId id : thread) {
    while (!stack.empty()) {
      const SliceId top = stack.back();
      if (slices.ts_ns[id] < slices.end_ns(top) && slices.end_ns(id) <= slices.end_ns(top)) {
        parents[id] = top;
        break;
      }
      stack.pop_back();
    }
    stack.push_back(id);
  }
  return parents;
}

TEST(Nesting, AgreesWithTheBookOnRandomRanges) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same traces every time
  for (const std::int64_t spread : {50, 5'000, 40'000'000}) {
    SCOPED_TRACE(spread);
    HandMade made;
    std::vector<std::vector<SliceId>> threads(3);
    std::uniform_int_distribution<std::int64_t> start(-spread, spread);
    std::uniform_int_distribution<std::int64_t> length(0, spread / 4);
    for (int i = 0; i < 4'000; ++i) {
      const std::size_t thread = random() % threads.size();
      const std::int64_t ts = start(random);
      const std::int64_t end = ts + (random() % 4 == 0 ? 0 : length(random));
      threads[thread].push_back(made.op("op", ts, end, {.tid = static_cast<std::int64_t>(thread)}));
    }
    const Structure structure = build_structure(made.trace);
    for (const std::vector<SliceId>& thread : threads) {
      const std::vector<SliceId> expected = parents_by_the_book(made.trace.slices, thread);
      for (const SliceId id : thread) ASSERT_EQ(structure.parent[id], expected[id]) << id;
    }
    std::vector<bool> seen(made.trace.slices.size(), false);
    for (const SliceId id : structure.cpu_order) {
      if (structure.parent[id] != kNoSlice) {
        EXPECT_TRUE(seen[structure.parent[id]]) << "a child stands before its parent";
      }
      seen[id] = true;
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 4'000);
  }
}

TEST(Overhead, NestsInTheThreadWhoseInnermostRangeHoldsItWhole) {
  HandMade made;
  const SliceId main = made.op("main", 0, 1'000, {.tid = 1});
  made.op("worker", 0, 500, {.tid = 2});
  const SliceId call = made.call("cudaLaunchKernel", 100, 300, {.tid = 2});
  const SliceId loading = made.overhead("Lazy Function Loading", 150, 250);
  const SliceId flush = made.overhead("Buffer Flush", 400, 600);  // longer than the worker's
  const SliceId nowhere = made.overhead("Activity Buffer Request", 900, 1'100);
  const SliceId inner = made.call("cudaMalloc", 160, 170, {.tid = 2});
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.parent[loading], call);
  EXPECT_EQ(structure.parent[inner], loading);
  EXPECT_EQ(structure.parent[flush], main);
  EXPECT_EQ(structure.op[flush], main);
  EXPECT_EQ(structure.parent[nowhere], kNoSlice);
  EXPECT_EQ(structure.cpu_order.size(), 7U);
}

TEST(Overhead, PrefersACallToAFrameOfAnotherThread) {
  HandMade made;
  const SliceId call = made.call("cudaLaunchKernel", 0, 1'000, {.tid = 1});
  made.python("threading.py(1): wait", 100, 400, {.tid = 2});
  const SliceId overhead = made.overhead("Lazy Function Loading", 200, 300);
  EXPECT_EQ(build_structure(made.trace).parent[overhead], call);
}

TEST(GpuSpans, HaveADepthButNoParent) {
  HandMade made;
  const SliceId outer = made.gpu_span("ProfilerStep#1", 0, 100);
  const SliceId inner = made.gpu_span("matmul_add", 10, 20);
  const SliceId kernel = made.kernel("gemm", 10, 20);
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.depth[outer], 0);
  EXPECT_EQ(structure.depth[inner], 1);
  EXPECT_EQ(structure.parent[inner], kNoSlice);
  EXPECT_EQ(structure.parent[kernel], kNoSlice);
  EXPECT_TRUE(structure.steps.empty()) << "a span on the GPU is no step";
}

TEST(UnknownCategories, NestInTheirOwnTrack) {
  HandMade made;
  const SliceId op = made.op("op", 0, 100);
  const SliceId outer = made.add(Category::kOther, TrackKind::kOther, "outer", 0, 50, {});
  const SliceId inner = made.add(Category::kOther, TrackKind::kOther, "inner", 10, 20, {});
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.parent[outer], kNoSlice);
  EXPECT_EQ(structure.parent[inner], outer);
  EXPECT_EQ(structure.cpu_order, std::vector<SliceId>{op});
}

TEST(Steps, AreFoundByNameInOrderOfTime) {
  HandMade made;
  const SliceId second = made.annotation("ProfilerStep#7", 100, 200);
  const SliceId first = made.annotation("ProfilerStep#3", 0, 90);
  const SliceId in_first = made.op("aten::mm", 10, 20);
  const SliceId between = made.op("between", 91, 99);
  const SliceId deep = made.call("cudaLaunchKernel", 12, 14, {.correlation = 1});
  const SliceId kernel = made.kernel("late", 150, 160, {.correlation = 1});
  const SliceId unlaunched = made.kernel("unlaunched", 20, 30);
  made.annotation("ProfilerStep#x", 300, 400);
  made.annotation("ProfilerStep#", 300, 400);
  const Structure structure = build_structure(made.trace);
  ASSERT_EQ(structure.steps.size(), 2U);
  EXPECT_EQ(structure.steps[0].slice, first);
  EXPECT_EQ(structure.steps[0].number, 3);
  EXPECT_EQ(structure.steps[1].number, 7);
  EXPECT_EQ(structure.step[first], 0);
  EXPECT_EQ(structure.step[second], 1);
  EXPECT_EQ(structure.step[in_first], 0);
  EXPECT_EQ(structure.step[deep], 0);
  EXPECT_EQ(structure.step[between], kNoStep);
  EXPECT_EQ(structure.step[kernel], 0) << "its launch's step, not the one that it runs in";
  EXPECT_EQ(structure.step[unlaunched], kNoStep);
}

TEST(Steps, OtherThreadsGoByTheirStart) {
  HandMade made;
  made.annotation("ProfilerStep#0", 0, 100, {.tid = 1});
  made.annotation("ProfilerStep#1", 100, 200, {.tid = 1});
  const SliceId backward = made.op("autograd", 90, 150, {.tid = 2});
  const SliceId at_border = made.op("at border", 100, 110, {.tid = 3});
  const SliceId before = made.op("before", -10, 20, {.tid = 3});
  const SliceId after = made.op("after", 200, 210, {.tid = 3});
  const SliceId call = made.call("cudaLaunchKernel", 120, 130, {.tid = 2, .correlation = 1});
  const SliceId kernel = made.kernel("k", 140, 150, {.correlation = 1});
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.step[backward], 0);
  EXPECT_EQ(structure.step[at_border], 1);
  EXPECT_EQ(structure.step[before], kNoStep);
  EXPECT_EQ(structure.step[after], kNoStep);
  EXPECT_EQ(structure.step[call], 1);
  EXPECT_EQ(structure.step[kernel], 1);
}

TEST(Steps, OfStepsAtOnceTheLastToBeginIsMeant) {
  HandMade made;
  made.annotation("ProfilerStep#0", 0, 100, {.tid = 1});
  made.annotation("ProfilerStep#5", 50, 60, {.tid = 2});
  const SliceId in_both = made.op("a", 55, 56, {.tid = 3});
  const SliceId after_inner = made.op("b", 70, 71, {.tid = 3});
  const SliceId on_first = made.op("c", 55, 56, {.tid = 1});
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.step[in_both], 1);
  EXPECT_EQ(structure.step[after_inner], 0);
  EXPECT_EQ(structure.step[on_first], 0) << "the step around it on its own thread";
}

TEST(ImpossibleTimes, RecordsThatWereNeverFilledIn) {
  HandMade made;
  constexpr std::int64_t kBase_ns = 1'790'857'026'000'000'000;
  const SliceId empty = made.kernel("k", 0, 0);
  const SliceId kernel = made.kernel("k", 0, 10);
  const SliceId absolute = made.kernel("k", -kBase_ns, -kBase_ns);
  const SliceId op = made.op("aten::empty", 0, 0);
  EXPECT_TRUE(has_impossible_time(made.trace, empty));
  EXPECT_FALSE(has_impossible_time(made.trace, kernel));
  EXPECT_FALSE(has_impossible_time(made.trace, op)) << "empty CPU ranges are common";
  EXPECT_FALSE(has_impossible_time(made.trace, absolute));
  made.trace.head.base_time_ns = kBase_ns;
  EXPECT_TRUE(has_impossible_time(made.trace, absolute));
}

TEST(Structure, OfAnEmptyTrace) {
  const Structure structure = build_structure(Trace());
  EXPECT_TRUE(structure.cpu_order.empty());
  EXPECT_EQ(structure.thread_begin, std::vector<std::uint32_t>{0});
  EXPECT_EQ(structure.stream_begin, std::vector<std::uint32_t>{0});
  EXPECT_EQ(structure.regime, ExternalIdRegime::kUnknown);
}

TEST(Structure, DeviceOrderIsByTrackThenStart) {
  HandMade made;
  const SliceId a2 = made.kernel("a2", 20, 30, {.stream = 7});
  const SliceId b1 = made.kernel("b1", 5, 9, {.stream = 8});
  const SliceId a1 = made.memset("a1", 10, 12, {.stream = 7});
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.device_order, (std::vector<SliceId>{a1, a2, b1}));
  EXPECT_EQ(structure.stream_begin, (std::vector<std::uint32_t>{0, 2, 3}));
}

}  // namespace
}  // namespace tracebook
