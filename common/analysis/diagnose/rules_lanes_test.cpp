// SPDX-License-Identifier: Apache-2.0
//
// T1 to D4: each rule on a scene on which it must fire and on one on which it must not.
#include <gtest/gtest.h>

#include "common/analysis/diagnose/rule_test_support.h"

namespace tracebook {
namespace {

/// One step in which the CPU launches every 20 us what takes the GPU 2 us.
Scene launch_bound(std::string_view kernel = kGoodGemm, int count = 10) {
  Scene scene;
  scene.step(1, 0, count * 20);
  for (int i = 0; i < count; ++i) {
    scene.op("aten::linear", i * 20, i * 20 + 19);
    scene.run("aten::mm", i * 20 + 12, {.kernel = kernel, .start = i * 20 + 16, .dur = 2});
  }
  return scene;
}

TEST(RuleT1, FiresWhereTheGpuWaitsForLaunches) {
  const auto found = launch_bound().find("T1");
  ASSERT_TRUE(found);
  // Nine gaps of 18 us; the tenth, before the first kernel, is nobody's.
  EXPECT_NEAR(found->share, 9 * 18 / 200.0, 0.011);
  EXPECT_EQ(found->severity, Severity::kWarning);
}

TEST(RuleT1, NotWhereTheCpuRunsAhead) { EXPECT_FALSE(healthy_scene().find("T1")); }

TEST(RuleT1, WaitingIsNotWork) {
  Scene scene = healthy_scene();
  scene.call("cudaDeviceSynchronize", 100, 998);
  EXPECT_FALSE(scene.find("T1"));
}

TEST(RuleT2, FiresOnABusyGpuAsInformation) {
  const auto found = healthy_scene().find("T2");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::kInfo);
}

TEST(RuleT2, NotOnAnIdleOne) { EXPECT_FALSE(launch_bound().find("T2")); }

TEST(RuleT3, FiresOnOneKernelThatDominates) { EXPECT_TRUE(healthy_scene().find("T3")); }

TEST(RuleT3, NotWhereTimeIsSpread) {
  Scene scene;
  scene.step(1, 0, 100);
  scene.run("aten::a", 1, {.kernel = "a", .start = 10, .dur = 20});
  scene.run("aten::b", 6, {.kernel = "b", .start = 30, .dur = 20});
  scene.run("aten::c", 11, {.kernel = "c", .start = 50, .dur = 20});
  EXPECT_FALSE(scene.find("T3"));
}

TEST(RuleT3, SpansAreNoWork) {
  Scene scene;
  scene.step(1, 0, 100);
  for (int i = 0; i < 4; ++i) {
    scene.run("aten::a", i * 20,
              {.kernel = i % 2 == 0 ? "a"
                         : i == 1   ? "b"
                                    : "c",
               .start = i * 20 + 5,
               .dur = 10});
  }
  scene.made.gpu_span("matmul_add", 5'000, 95'000);
  const auto found = scene.find("T3");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->title.find("matmul_add"), std::string::npos);
}

TEST(RuleT4, FiresOnManyShortCalls) {
  EXPECT_TRUE(launch_bound(kAddKernel, 60).find("T4"));
  EXPECT_FALSE(launch_bound(kAddKernel, 30).find("T4"));
}

TEST(RuleT5, FiresOnAnOpThatOnlyPassesOn) {
  Scene scene;
  scene.step(1, 0, 100);
  scene.op("aten::matmul", 0, 100);
  scene.op("aten::mm", 1, 99);
  EXPECT_TRUE(scene.find("T5"));
  Scene flat;
  flat.step(1, 0, 100);
  flat.op("aten::mm", 0, 100);
  EXPECT_FALSE(flat.find("T5"));
}

Scene steps_of(std::initializer_list<std::int64_t> lengths) {
  Scene scene;
  std::int64_t at = 0;
  int number = 0;
  for (const std::int64_t length : lengths) {
    scene.step(number++, at, at + length);
    scene.op("aten::linear", at, at + length);
    scene.run("aten::mm", at + length - 6, {.start = at + length - 2, .dur = 1});
    at += length;
  }
  return scene;
}

TEST(RuleC1, FiresOnAWideFirstStep) {
  EXPECT_TRUE(steps_of({250, 100, 100}).find("C1"));
  EXPECT_FALSE(steps_of({110, 100, 100}).find("C1"));
}

TEST(RuleC1, HasAShareOnlyWhereTheStepWasCold) {
  EXPECT_EQ(steps_of({250, 100, 100}).share("C1"), 0);
  EXPECT_GT(steps_of({1000, 100, 100}).share("C1"), 0.5);
}

TEST(RuleC2, FiresOnALateFirstOp) {
  Scene scene;
  scene.step(1, 0, 200);
  scene.range("matmul_add", 10, 110);
  scene.op("aten::mm", 60, 100);
  EXPECT_TRUE(scene.find("C2"));
  Scene prompt;
  prompt.step(1, 0, 200);
  prompt.range("matmul_add", 10, 110);
  prompt.op("aten::mm", 12, 100);
  EXPECT_FALSE(prompt.find("C2"));
}

TEST(RuleC3, FiresOnAQueryInTheLaunchingOp) {
  Scene scene;
  scene.step(1, 0, 100);
  scene.op("aten::mm", 0, 50);
  scene.call("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", 2, 4);
  scene.run("", 10, {.start = 20, .dur = 10});
  EXPECT_TRUE(scene.find("C3"));
  EXPECT_FALSE(scene.find("C4"));
}

TEST(RuleC3, NotOnAQueryOfAnotherOp) {
  Scene scene;
  scene.step(1, 0, 100);
  scene.op("aten::setup", 0, 8);
  scene.call("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", 2, 4);
  scene.run("aten::mm", 10, {.start = 20, .dur = 10});
  EXPECT_FALSE(scene.find("C3"));
  EXPECT_TRUE(scene.find("C4"));
}

TEST(RuleC5, TellsHowMuchCoversAnIdleGpu) {
  Scene scene = healthy_scene();
  scene.call("cudaDeviceSynchronize", 3010, 3040);
  const auto found = scene.find("C5");
  ASSERT_TRUE(found);
  EXPECT_NE(found->title.find("30.0 us, 30.0 us"), std::string::npos) << found->title;
  EXPECT_FALSE(healthy_scene().find("C5"));
}

Scene with_copy(std::string_view op) {
  Scene scene = healthy_scene();
  scene.step(4, 3000, 4000);
  scene.op(op, 3001, 3020);
  scene.run("", 3002,
            {.kernel = "Memcpy DtoD (Device -> Device)",
             .start = 3010,
             .dur = 200,
             .call = "cudaMemcpyAsync",
             .category = Category::kMemcpy});
  scene.run("", 3010, {.kernel = kGoodGemm, .start = 3210, .dur = 780});
  return scene;
}

TEST(RuleC6, FiresOnACopyInsideAnotherOp) {
  EXPECT_NEAR(with_copy("aten::addmm").share("C6"), 200 / 4000.0, 0.001);
  EXPECT_FALSE(with_copy("aten::copy_").find("C6"));
}

TEST(RuleG5, FiresOnACopyBeforeAGemmOfItsOp) {
  EXPECT_TRUE(with_copy("aten::addmm").find("G5"));
  EXPECT_FALSE(healthy_scene().find("G5"));
}

TEST(RuleG1, CountsWhatTheRequestLeftIdle) {
  Scene scene = launch_bound();
  scene.overhead("Activity Buffer Request", 58, 74);
  const auto found = scene.find("G1");
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->share, 16 / 200.0, 0.001);
  EXPECT_FALSE(launch_bound().find("G1"));
  Scene loading = launch_bound();
  loading.overhead("Lazy Function Loading", 58, 74);
  EXPECT_FALSE(loading.find("G1"));
}

/// A step in which the second kernel is launched at `launch` and starts at 600 us.
Scene late_launch(std::int64_t launch) {
  Scene scene;
  scene.step(1, 0, 1000);
  scene.op("aten::linear", 0, 1000);
  scene.run("aten::mm", 1, {.start = 5, .dur = 585});
  scene.run("aten::mm", launch, {.start = 600, .dur = 400});
  return scene;
}

Scene scene_without_gaps() {
  Scene scene;
  scene.step(1, 0, 1000);
  scene.run("aten::mm", 1, {.start = 5, .dur = 595});
  scene.run("aten::mm", 10, {.start = 600, .dur = 400});
  return scene;
}

TEST(RuleG2, LaunchSpacingHasAShareAndTheQueueHasNone) {
  EXPECT_NEAR(late_launch(592).share("G2"), 0.01, 0.0001);
  EXPECT_EQ(late_launch(300).share("G2"), 0);
  EXPECT_FALSE(scene_without_gaps().find("G2"));
}

TEST(RuleG3, FiresOnASpreadOfOneKernel) {
  const auto with_last = [](std::int64_t dur) {
    Scene scene;
    scene.step(1, 0, 1000);
    for (int i = 0; i < 6; ++i) {
      scene.run(
          "aten::mm", i * 10,
          {.start = 100 + i * 100, .dur = i == 5 ? dur : 50, .args = R"({"grid": [264, 1, 1]})"});
    }
    return scene;
  };
  EXPECT_TRUE(with_last(80).find("G3"));
  EXPECT_FALSE(with_last(52).find("G3"));
}

TEST(RuleG4, DecodesTheLargestProduct) {
  const auto found = healthy_scene().find("G4");
  ASSERT_TRUE(found);
  EXPECT_NE(found->title.find("cuBLAS GEMM, bf16, sm90"), std::string::npos) << found->title;
  EXPECT_FALSE(scene_with(kAddKernel).find("G4"));
}

TEST(RuleD1, FollowsTheChain) {
  Scene scene = healthy_scene();
  const auto found = scene.find("D1");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->evidence.front().name, "ProfilerStep#1");
  EXPECT_EQ(found->evidence.back().name, kGoodGemm);
  Scene loose;
  loose.step(1, 0, 100);
  loose.made.kernel("a", 10'000, 20'000);
  EXPECT_FALSE(loose.find("D1"));
}

Scene chain(std::string_view outer, std::string_view inner) {
  Scene scene;
  scene.step(1, 0, 100);
  scene.op(outer, 0, 90);
  scene.run(inner, 10,
            {.kernel = "nvjet_sm90_tst_64x8_64x16_1x4_h_badd_NNT", .start = 20, .dur = 10});
  return scene;
}

TEST(RuleD2, MatmulToMm) {
  EXPECT_TRUE(chain("aten::matmul", "aten::mm").find("D2"));
  EXPECT_FALSE(chain("aten::linear", "aten::mm").find("D2"));
}

TEST(RuleD3, MatmulToBmm) {
  EXPECT_TRUE(chain("aten::matmul", "aten::bmm").find("D3"));
  EXPECT_FALSE(chain("aten::matmul", "aten::mm").find("D3"));
}

TEST(RuleD4, AddmmWithItsEpilogue) {
  const auto found = chain("aten::linear", "aten::addmm").find("D4");
  ASSERT_TRUE(found);
  EXPECT_NE(found->title.find("beta=1"), std::string::npos) << found->title;
  EXPECT_FALSE(chain("aten::matmul", "aten::mm").find("D4"));
}

}  // namespace
}  // namespace tracebook
