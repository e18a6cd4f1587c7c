// SPDX-License-Identifier: Apache-2.0
#include "common/trace/clock_faults.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "common/trace/hand_made.h"
#include "common/trace/structure.h"

namespace tracebook {
namespace {

/// A call of 5 us that begins `early` ns before the inner of two ops; its External id is `id`.
struct EarlyCall {
  explicit EarlyCall(std::int64_t early, std::int64_t id = kNoId) {
    step = made.annotation("ProfilerStep#4", 0, 200'000);
    outer = made.op("aten::linear", 10'000, 100'000, {.external_id = 1});
    call = made.call("cudaLaunchKernel", 30'000 - early, 35'000,
                     {.correlation = 9, .external_id = id});
    inner = made.op("aten::addmm", 30'000, 80'000, {.external_id = 2});
    kernel = made.kernel("gemm", 60'000, 70'000, {.correlation = 9, .external_id = id});
    // What decides that External id names ops.
    made.call("cudaEventRecord", 50'000, 51'000, {.correlation = 10, .external_id = 2});
    structure = build_structure(made.trace);
  }
  HandMade made;
  SliceId step, outer, call, inner, kernel;
  Structure structure;
};

TEST(CrossingCalls, BelongToTheOpThatTheyCrossInto) {
  for (const std::int64_t id : {kNoId, std::int64_t{0}, std::int64_t{2}}) {
    const EarlyCall early(300, id);
    EXPECT_EQ(early.structure.op[early.call], early.inner) << id;
    EXPECT_EQ(early.structure.op[early.kernel], early.inner) << id;
    EXPECT_EQ(early.structure.parent[early.call], early.outer) << id;  // nesting is by time
    EXPECT_EQ(early.structure.step[early.kernel], 0) << id;
  }
}

TEST(CrossingCalls, NotWhereExternalIdNamesAnother) {
  const EarlyCall early(300, 1);
  EXPECT_EQ(early.structure.op[early.call], early.outer);
}

TEST(CrossingCalls, NotByMoreThanClocksDiffer) {
  const EarlyCall just(1'000);
  EXPECT_EQ(just.structure.op[just.call], just.inner);
  const EarlyCall early(1'001);
  EXPECT_EQ(early.structure.op[early.call], early.outer);
}

TEST(CrossingCalls, OfTheEnd) {
  HandMade made;
  const SliceId outer = made.op("outer", 0, 90'000);
  const SliceId inner = made.op("inner", 10'000, 50'000);
  const SliceId late = made.call("cudaLaunchKernel", 45'000, 50'400, {.correlation = 1});
  const SliceId later = made.call("cudaLaunchKernel", 60'000, 61'000, {.correlation = 2});
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.op[late], inner);
  EXPECT_EQ(structure.op[later], outer);
}

TEST(CrossingCalls, TakeTheOpsStep) {
  HandMade made;
  const SliceId call = made.call("cudaLaunchKernel", 9'800, 12'000, {.correlation = 1});
  const SliceId step = made.annotation("ProfilerStep#1", 10'000, 50'000);
  const SliceId kernel = made.kernel("gemm", 20'000, 30'000, {.correlation = 1});
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.op[call], step);
  EXPECT_EQ(structure.step[call], 0);
  EXPECT_EQ(structure.step[kernel], 0);
}

TEST(CrossingCalls, AnOpInsideACallIsNone) {
  HandMade made;
  const SliceId call = made.call("cuModuleLoad", 0, 5'000, {.correlation = 1});
  made.op("inside", 100, 4'000);
  EXPECT_EQ(build_structure(made.trace).op[call], kNoSlice);
}

TEST(Overruns, EndWhereTheNextBegins) {
  HandMade made;
  const SliceId long_one = made.kernel("a", 0, 1'600'000'000);
  made.kernel("b", 30'000, 40'000);
  made.op("aten::mm", 0, 50'000);
  const Structure structure = build_structure(made.trace);
  ASSERT_EQ(structure.overruns.size(), 1U);
  EXPECT_EQ(structure.overruns[0].id, long_one);
  EXPECT_EQ(structure.end_ns(made.trace.slices, long_one), 30'000);
  EXPECT_EQ(structure.dur_ns(made.trace.slices, long_one), 30'000);
  EXPECT_EQ(window_ns(made.trace, structure).second, 50'000);
}

TEST(Overruns, TheLastOfThemEndsWithTheRecording) {
  HandMade made;
  made.kernel("a", 0, 1'600'000'000);
  const SliceId last = made.kernel("a", 30'000, 1'600'030'000);
  made.op("aten::mm", 0, 50'000);
  const Structure structure = build_structure(made.trace);
  ASSERT_EQ(structure.overruns.size(), 2U);
  EXPECT_EQ(structure.end_ns(made.trace.slices, last), 50'000);
}

TEST(Overruns, SmallOverlapsAreNone) {
  HandMade made;
  made.kernel("a", 0, 100'000);
  made.kernel("b", 80'000, 150'000);   // programmatic dependent launch
  made.kernel("c", 149'000, 240'000);  // rounding
  EXPECT_TRUE(build_structure(made.trace).overruns.empty());
}

TEST(Overruns, StreamsOfTwoProcessesMayHaveOneNumber) {
  HandMade made;
  const TrackId other =
      made.trace.track_of(TrackKind::kCpuThread, EventId{.number = 200}, EventId{.number = 1}, -1);
  made.call("cudaLaunchKernel", 0, 10, {.correlation = 1});
  made.trace.add_slice(Category::kRuntime, 0, made.trace.strings.intern("cudaLaunchKernel"), other,
                       20, 10, 2, kNoId, "");
  made.kernel("a", 100, 1'000'000, {.correlation = 1});
  made.kernel("b", 200, 300, {.correlation = 2});
  EXPECT_TRUE(build_structure(made.trace).overruns.empty());
}

}  // namespace
}  // namespace tracebook
