// SPDX-License-Identifier: Apache-2.0
//
// Which call launched which work, and whose op it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "common/trace/hand_made.h"
#include "common/trace/structure.h"

namespace tracebook {
namespace {

std::vector<SliceId> list(std::span<const SliceId> ids) { return {ids.begin(), ids.end()}; }

TEST(Launches, KernelBelongsToTheCallOfItsCorrelation) {
  HandMade made;
  const SliceId op = made.op("aten::mm", 0, 100, {.external_id = 7});
  const SliceId wrong_op = made.op("aten::add", 200, 300, {.external_id = 3});
  const SliceId call = made.call("cudaLaunchKernel", 10, 20, {.correlation = 7, .external_id = 7});
  const SliceId unrelated = made.call("cudaMalloc", 210, 220, {.correlation = 8});
  // Starts before its launch ends, as kernels do.
  const SliceId kernel = made.kernel("gemm", 15, 90, {.correlation = 7, .external_id = 7});
  const SliceId orphan = made.kernel("orphan", 95, 99, {.correlation = 999});
  const SliceId without_id = made.kernel("no id", 100, 101);
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.launch[kernel], call);
  EXPECT_EQ(structure.op[kernel], op);
  EXPECT_EQ(list(structure.launched_by(call)), std::vector<SliceId>{kernel});
  EXPECT_TRUE(structure.launched_by(unrelated).empty());
  EXPECT_TRUE(structure.launched_by(wrong_op).empty());
  EXPECT_EQ(structure.launch[orphan], kNoSlice);
  EXPECT_EQ(structure.op[orphan], kNoSlice);
  EXPECT_EQ(structure.launch[without_id], kNoSlice);
  EXPECT_EQ(structure.launch[call], kNoSlice);
}

TEST(Launches, OneGraphLaunchOwnsAllItsKernelsInFileOrder) {
  HandMade made;
  const SliceId step = made.annotation("ProfilerStep#4", 0, 1'000);
  std::vector<SliceId> kernels;
  for (std::int64_t i = 0; i < 250; ++i) {
    kernels.push_back(made.kernel("node", 2'000 - i, 2'001 - i, {.correlation = 42}));
  }
  const SliceId launch = made.call("cudaGraphLaunch", 10, 50, {.correlation = 42});
  for (std::int64_t i = 0; i < 250; ++i) {
    kernels.push_back(made.kernel("node", 3'000 + i, 3'001 + i, {.correlation = 42}));
  }
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(list(structure.launched_by(launch)), kernels);
  for (const SliceId kernel : kernels) {
    EXPECT_EQ(structure.op[kernel], step);
    EXPECT_EQ(structure.step[kernel], 0);
  }
}

TEST(Launches, OfARuntimeAndADriverRecordOfOneIdTheOuterIsMeant) {
  HandMade made;
  const SliceId driver = made.driver_call("cuLaunchKernel", 12, 18, {.correlation = 5});
  const SliceId runtime = made.call("cudaLaunchKernel", 10, 20, {.correlation = 5});
  const SliceId kernel = made.kernel("k", 30, 40, {.correlation = 5});
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.launch[kernel], runtime);
  EXPECT_EQ(structure.parent[driver], runtime);
  EXPECT_TRUE(structure.launched_by(driver).empty());
}

TEST(Launches, OfTwoProcessesThatShareAnIdTheLastCallBeforeTheWorkIsMeant) {
  HandMade made;
  const SliceId early = made.call("cudaLaunchKernel", 10, 20, {.tid = 1, .correlation = 5});
  const SliceId late = made.call("cudaLaunchKernel", 500, 510, {.tid = 2, .correlation = 5});
  const SliceId first = made.kernel("k", 30, 40, {.correlation = 5});
  const SliceId second = made.kernel("k", 520, 540, {.correlation = 5});
  const SliceId before_all = made.kernel("k", 5, 8, {.correlation = 5});  // clocks are not exact
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.launch[first], early);
  EXPECT_EQ(structure.launch[second], late);
  EXPECT_EQ(structure.launch[before_all], early);
}

TEST(Launches, OfProcessesThatShareIds) {
  HandMade made;
  const auto call = [&made](std::int64_t pid, std::int64_t start, std::int64_t correlation) {
    const TrackId track = made.trace.track_of(TrackKind::kCpuThread, EventId{.number = pid},
                                              EventId{.number = 1}, -1);
    return made.trace.add_slice(Category::kRuntime, 0,
                                made.trace.strings.intern("cudaLaunchKernel"), track, start, 5,
                                correlation, kNoId, "");
  };
  // Id 1 is that of both processes; 2 and 3 tell which of them works on which GPU.
  const SliceId first = call(100, 0, 1);
  const SliceId second = call(200, 8, 1);
  call(100, 50, 2);
  call(200, 58, 3);
  const SliceId on_0 = made.kernel("a", 10, 20, {.device = 0, .correlation = 1});
  const SliceId on_1 = made.kernel("a", 12, 20, {.device = 1, .correlation = 1});
  made.kernel("b", 60, 70, {.device = 0, .correlation = 2});
  made.kernel("b", 68, 80, {.device = 1, .correlation = 3});
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.launch[on_0], first);
  EXPECT_EQ(structure.launch[on_1], second);
}

TEST(Launches, OfRanksThatNumberAlikeNobodyOwnsWorkOfSeveralGpus) {
  HandMade made;
  const auto call = [&made](std::int64_t pid, std::int64_t start) {
    const TrackId track = made.trace.track_of(TrackKind::kCpuThread, EventId{.number = pid},
                                              EventId{.number = 1}, -1);
    return made.trace.add_slice(Category::kRuntime, 0,
                                made.trace.strings.intern("cudaLaunchKernel"), track, start, 5, 1,
                                kNoId, "");
  };
  const SliceId first = call(100, 0);
  call(200, 8);
  call(300, 400);
  const SliceId on_0 = made.kernel("a", 6, 20, {.device = 0, .correlation = 1});
  const SliceId on_1 = made.kernel("a", 12, 20, {.device = 1, .correlation = 1});
  const SliceId on_2 = made.kernel("a", 13, 20, {.device = 2, .correlation = 1});
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.launch[on_0], first);  // nobody else had called before
  EXPECT_EQ(structure.launch[on_1], kNoSlice);
  EXPECT_EQ(structure.launch[on_2], kNoSlice);
  EXPECT_EQ(structure.undecided_work, 2);
}

TEST(Launches, SharedZeroIsNoId) {
  HandMade made;
  made.call("cudaMalloc", 0, 1, {.correlation = 0});
  made.call("cudaFree", 2, 3, {.correlation = 0});
  const SliceId kernel = made.kernel("k", 5, 8, {.correlation = 0});
  EXPECT_EQ(build_structure(made.trace).launch[kernel], kNoSlice);
}

TEST(Launches, ManyCallsOfOneIdDoNotGoQuadratic) {
  constexpr std::int64_t kCalls = 50'000;
  HandMade made;
  for (std::int64_t i = 0; i < kCalls; ++i) {
    made.call("cudaLaunchKernel", i, 2 * kCalls - i, {.correlation = 9});
    made.kernel("k", 3 * kCalls + i, 3 * kCalls + i + 1, {.correlation = 9});
  }
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.launched_by(0).size(), static_cast<std::size_t>(kCalls));
}

TEST(Regime, IdsOfOpsDifferFromCorrelations) {
  HandMade made;
  made.op("aten::mm", 0, 100, {.external_id = 2});
  made.call("cudaLaunchKernel", 10, 20, {.correlation = 40, .external_id = 2});
  made.kernel("k", 30, 40, {.correlation = 40, .external_id = 2});
  EXPECT_EQ(build_structure(made.trace).regime, ExternalIdRegime::kOp);
}

TEST(Regime, CorrelationsInsteadOfOpsAreRecognised) {
  HandMade made;
  // An op's id equals the correlation of a call elsewhere: joining by it would be silently wrong.
  const SliceId wrong = made.op("aten::mm", 0, 100, {.external_id = 40});
  const SliceId right = made.op("aten::add", 200, 300, {.external_id = 41});
  made.call("cudaLaunchKernel", 210, 220, {.correlation = 40, .external_id = 40});
  made.call("cudaLaunchKernel", 230, 240, {.correlation = 44, .external_id = 44});
  const SliceId kernel = made.kernel("k", 230, 240, {.correlation = 40, .external_id = 40});
  const SliceId unlaunched = made.kernel("k", 250, 260, {.correlation = 77, .external_id = 40});
  made.kernel("k", 270, 280, {.correlation = 44, .external_id = 44});
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.regime, ExternalIdRegime::kCorrelation);
  EXPECT_EQ(structure.op[kernel], right);
  EXPECT_NE(structure.op[unlaunched], wrong);
  EXPECT_EQ(structure.op[unlaunched], kNoSlice);
}

TEST(Regime, AnIdOfAnOpThatHappensToEqualTheCorrelationSaysNothing) {
  HandMade made;
  made.op("aten::mm", 0, 100, {.external_id = 7});
  made.call("cudaLaunchKernel", 10, 20, {.correlation = 7, .external_id = 7});
  made.kernel("k", 30, 40, {.correlation = 7, .external_id = 7});
  EXPECT_EQ(build_structure(made.trace).regime, ExternalIdRegime::kOp);
}

TEST(Regime, NothingToDecideItBy) {
  HandMade made;
  made.op("aten::mm", 0, 100, {.external_id = 7});
  made.call("cudaLaunchKernel", 10, 20, {.correlation = 7, .external_id = 0});
  made.kernel("k", 30, 40, {.correlation = 7});
  EXPECT_EQ(build_structure(made.trace).regime, ExternalIdRegime::kUnknown);
}

TEST(Attribution, NestingWinsOverExternalId) {
  HandMade made;
  made.op("record_param_comms", 0, 100, {.external_id = 17});
  const SliceId inner = made.op("nccl:all_reduce", 10, 90, {.external_id = 18});
  made.call("cudaLaunchKernel", 20, 30, {.correlation = 5, .external_id = 17});
  const SliceId kernel = made.kernel("nccl", 40, 50, {.correlation = 5, .external_id = 17});
  EXPECT_EQ(build_structure(made.trace).op[kernel], inner);
}

TEST(Attribution, ExternalIdServesWhereTheLaunchIsMissing) {
  HandMade made;
  const SliceId op = made.op("aten::mm", 0, 100, {.external_id = 3});
  made.op("twice", 200, 210, {.external_id = 4});
  made.op("twice", 220, 230, {.external_id = 4});
  made.kernel("k", 30, 40, {.correlation = 50, .external_id = 3});
  const SliceId lost = made.kernel("k", 41, 42, {.correlation = 51, .external_id = 3});
  const SliceId ambiguous = made.kernel("k", 43, 44, {.correlation = 52, .external_id = 4});
  made.call("cudaLaunchKernel", 10, 20, {.correlation = 50, .external_id = 3});
  const Structure structure = build_structure(made.trace);
  EXPECT_EQ(structure.op[lost], op);
  EXPECT_EQ(structure.launch[lost], kNoSlice);
  EXPECT_EQ(structure.step[lost], kNoStep);
  EXPECT_EQ(structure.op[ambiguous], kNoSlice);
}

}  // namespace
}  // namespace tracebook
