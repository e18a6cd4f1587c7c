// SPDX-License-Identifier: Apache-2.0
//
// X1 to X15 but X8: each rule on a scene on which it must fire and on one on which it must
// not.
#include <gtest/gtest.h>

#include "common/analysis/diagnose/rule_test_support.h"

namespace tracebook {
namespace {

/// Three steps of 10 ms: a copy of 64 MiB that takes `dur` us and blocks its call, then a product.
Scene copying(std::string_view name, std::int64_t dur) {
  Scene scene;
  for (int i = 0; i < 3; ++i) {
    const int at = i * 10000;
    scene.step(i, at, at + 10000);
    scene.op("aten::copy_", at, at + 50 + dur);
    scene.run("", at + 10,
              {.kernel = name,
               .start = at + 30,
               .dur = dur,
               .call = "cudaMemcpyAsync",
               .args = R"({"bytes": 67108864})",
               .category = Category::kMemcpy});
    scene.run("aten::mm", at + 60 + dur, {.start = at + 70 + dur, .dur = 10000 - 70 - dur});
  }
  return scene;
}

TEST(RuleX1, CountsWhatPinnedMemoryWouldSave) {
  // 64 MiB at 50 GB/s take 1.34 ms of the 8 ms.
  EXPECT_NEAR(copying("Memcpy HtoD (Pageable -> Device)", 8000).share("X1"), (8.0 - 1.34) / 10,
              0.02);
  EXPECT_FALSE(copying("Memcpy HtoD (Pinned -> Device)", 1340).find("X1"));
}

/// Three steps of 1 ms: a product, a wait for it, another product. `at` moves the wait.
Scene waiting(std::string_view call, bool drains = true) {
  Scene scene;
  for (int i = 0; i < 3; ++i) {
    const int at = i * 1000;
    scene.step(i, at, at + 1000);
    scene.run("aten::mm", at + 1, {.start = at + 5, .dur = 495});
    if (drains) {
      scene.call(call, at + 10, at + 510);
      scene.run("aten::mm", at + 560, {.start = at + 600, .dur = 400});
    } else {
      scene.run("aten::mm", at + 10, {.start = at + 500, .dur = 500});
      scene.call(call, at + 20, at + 510);
    }
  }
  return scene;
}

TEST(RuleX2, CountsTheWaitAndTheRefill) {
  EXPECT_NEAR(waiting("cudaStreamSynchronize").share("X2"), 0.1, 0.005);
  EXPECT_FALSE(healthy_scene().find("X2"));
}

TEST(RuleX2, AWaitThatLeavesWorkQueuedCostsNothing) {
  EXPECT_LT(waiting("cudaStreamSynchronize", false).share("X2"), 0.005);
}

/// Three steps of 2 ms whose GPU is busy for 1 ms; the host does something else in the other.
Scene stalling(std::string_view meanwhile) {
  Scene scene;
  for (int i = 0; i < 3; ++i) {
    const int at = i * 2000;
    scene.step(i, at, at + 2000);
    if (meanwhile.starts_with("enumerate")) {
      scene.range(meanwhile, at, at + 990);
      scene.op("aten::stack", at + 100, at + 900);
    } else if (!meanwhile.empty()) {
      scene.op(meanwhile, at, at + 990);
    }
    scene.run("aten::mm", at + 992, {.start = at + 1000, .dur = 1000});
  }
  return scene;
}

TEST(RuleX3, FiresWhereNobodyWorks) {
  // Two of the three stalls: before the first work the pipeline is only being filled.
  EXPECT_GT(stalling("").share("X3"), 0.32);
  EXPECT_GT(stalling("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__").share("X3"),
            0.32);
  EXPECT_GT(stalling("aten::randn").share("X3"), 0.32);  // CPU work that launches nothing
}

TEST(RuleX3, NamesOnlyLoadersThatTheGpuWaitedFor) {
  const std::string loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
  Scene scene;
  for (int i = 0; i < 4; ++i) {
    const int at = i * 2000;
    scene.step(i, at, at + 2000);
    // The third step's work leaves the GPU idle while the fourth's batch is loaded.
    scene.range(loader, at, at + 990);
    scene.run("aten::mm", at + 992, {.start = at + 1000, .dur = i == 2 ? 500 : 2000});
  }
  const auto found = scene.find("X3");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->evidence.size(), 1U) << "not the hidden ones, nor the first step's";
  EXPECT_EQ(found->evidence.front().ts_ns, 6'000'000);
  EXPECT_NEAR(found->share, 1.0 / 9, 0.07);
}

TEST(RuleX3, FillingThePipelineIsNoStall) {
  Scene scene;
  scene.step(1, 0, 3000);
  scene.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 1990);
  scene.run("aten::mm", 1992, {.start = 2000, .dur = 1000});
  EXPECT_FALSE(scene.find("X3"));
}

TEST(RuleX3, NotWhereTheCpuLaunches) {
  Scene scene;
  for (int i = 0; i < 3; ++i) {
    scene.step(i, i * 1000, i * 1000 + 1000);
    for (int k = 0; k < 10; ++k) {
      scene.run("aten::mm", i * 1000 + k * 100, {.start = i * 1000 + k * 100 + 5, .dur = 20});
    }
  }
  EXPECT_FALSE(scene.find("X3"));
}

TEST(RuleX4, FiresOnAlign1) {
  const Scene scene = scene_with("cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_nn_align1");
  EXPECT_NEAR(scene.share("X4"), 0.994 * (1 - 1 / 5.4), 0.01);
  EXPECT_FALSE(scene_with("cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_nn_align8").find("X4"));
}

TEST(RuleX5, FiresOnFp32Products) {
  EXPECT_NEAR(scene_with("ampere_sgemm_128x64_tn").share("X5"), 0.994 * 0.75, 0.01);
  EXPECT_FALSE(healthy_scene().find("X5"));
}

TEST(RuleX5, AdvisesWhatTheGpuAndTheLibraryKnow) {
  Scene volta = scene_with("volta_sgemm_128x64_tn");
  volta.made.trace.head.devices.front().compute_major = 7;
  ASSERT_TRUE(volta.find("X5"));
  EXPECT_TRUE(volta.find("X5")->next.starts_with("Autocast to fp16"));
  Scene pascal = scene_with("maxwell_sgemm_128x64_tn");
  pascal.made.trace.head.devices.front().compute_major = 6;
  EXPECT_FALSE(pascal.find("X5"));

  const auto conv = scene_with("cudnn_infer_ampere_scudnn_128x64_relu_interior_nn_v1").find("X5");
  ASSERT_TRUE(conv);
  EXPECT_TRUE(conv->next.starts_with("torch.backends.cudnn.allow_tf32"));
  EXPECT_FALSE(
      scene_with("void at::native::conv_depthwise2d_forward_kernel<3, float, int>(X)").find("X5"));
}

constexpr std::string_view kStridedCopy =
    "void at::native::elementwise_kernel<128, 4, void at::native::gpu_kernel_impl_nocast<"
    "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}>>(int)";
constexpr std::string_view kPlainCopy =
    "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda("
    "at::TensorIteratorBase&)::{lambda()#3}>(int)";

TEST(RuleX6, FiresOnStridedCopiesNotOnCasts) {
  EXPECT_NEAR(scene_with(kStridedCopy).share("X6"), 0.994, 0.01);
  EXPECT_FALSE(scene_with(kPlainCopy).find("X6"));
  Scene under;
  under.step(1, 0, 1000);
  under.op("aten::contiguous", 0, 20);
  under.run("aten::copy_", 2, {.kernel = kPlainCopy, .start = 10, .dur = 900});
  EXPECT_TRUE(under.find("X6"));
}

Scene allocating(int steps_with) {
  Scene scene;
  for (int i = 0; i < 3; ++i) {
    const int at = i * 1000;
    scene.step(i, at, at + 1000);
    scene.op("aten::empty", at, at + 302);
    if (i < steps_with) scene.call("cudaMalloc", at + 2, at + 300);
    scene.run("aten::mm", at + 305, {.start = at + 310, .dur = 690});
  }
  return scene;
}

TEST(RuleX7, FiresOnAllocationsInSteadyState) {
  EXPECT_NEAR(allocating(3).share("X7"), 0.298, 0.01);
  EXPECT_FALSE(allocating(1).find("X7"));
}

Scene elementwise_run(int count) {
  Scene scene;
  scene.step(1, 0, 1000);
  for (int k = 0; k < count; ++k) {
    scene.run("aten::add", k * 5, {.kernel = kAddKernel, .start = 100 + k * 100, .dur = 100});
  }
  return scene;
}

TEST(RuleX9, NotWhatIsFusedAlready) {
  Scene scene;
  scene.step(1, 0, 1000);
  for (int k = 0; k < 9; ++k) {
    scene.run("", k * 10,
              {.kernel = "triton_poi_fused_add_mul_2", .start = 100 + k * 100, .dur = 100});
  }
  EXPECT_EQ(scene.share("X9"), 0);
}

TEST(RuleX9, CountsWhatFusingTheRunWouldSave) {
  EXPECT_NEAR(elementwise_run(9).share("X9"), 0.8, 0.001);
  EXPECT_EQ(elementwise_run(1).share("X9"), 0);
  EXPECT_FALSE(healthy_scene().find("X9"));
}

Scene swarm(int count, std::string_view kernel = kAddKernel) {
  Scene scene;
  scene.step(1, 0, count * 10);
  for (int k = 0; k < count; ++k) {
    scene.run("aten::add_", k * 10, {.kernel = kernel, .start = k * 10 + 4, .dur = 1});
  }
  return scene;
}

TEST(RuleX10, FiresOnALongRunOfTinyKernels) {
  EXPECT_GT(swarm(100).share("X10"), 0.8);
  EXPECT_FALSE(swarm(10).find("X10"));
  EXPECT_FALSE(swarm(100, kGoodGemm).find("X10"));
}

TEST(RuleX10, NamesTheOptimizer) {
  Scene scene = swarm(100);
  scene.range("Optimizer.step#SGD.step", 0, 1000);
  EXPECT_NE(scene.find("X10")->title.find("Optimizer.step#SGD.step"), std::string::npos);
}

/// Ten replays of two kernels each, `apart` us from one to the next.
Scene replays(std::int64_t apart) {
  Scene scene;
  scene.step(1, 0, 10 * apart + 20);
  for (int k = 0; k < 10; ++k) {
    const std::int64_t at = k * apart;
    scene.run("", at, {.start = at + 5, .dur = 4, .call = "cudaGraphLaunch"});
    scene.work({.start = at + 10, .dur = 4});
  }
  return scene;
}

TEST(RuleX11, CountsTheWaitBetweenReplaysNotTheGapsInside) {
  EXPECT_NEAR(replays(30).share("X11"), 9 * 21 / 320.0, 0.03);
  EXPECT_FALSE(healthy_scene().find("X11"));
}

Scene two_streams(bool beside) {
  Scene scene;
  scene.step(1, 0, 1000);
  for (int k = 0; k < 5; ++k) {
    const int at = k * 200;
    scene.run("aten::mm", k * 10, {.start = at, .dur = 100, .stream = 7});
    scene.run("aten::mm", k * 10 + 5,
              {.start = beside ? at + 20 : at + 100, .dur = 60, .stream = 20});
  }
  return scene;
}

TEST(RuleX12, FiresOnStreamsThatTakeTurns) {
  EXPECT_NEAR(two_streams(false).share("X12"), 0.3, 0.01);
  EXPECT_FALSE(two_streams(true).find("X12"));
}

TEST(RuleX13, FiresOnASmallGrid) {
  const std::string_view scan = "void at::native::tensor_kernel_scan_outer_dim<float>(float*)";
  EXPECT_NEAR(scene_with(scan, R"({"grid": [4, 1, 1]})").share("X13"), 0.994 * 128 / 132.0, 0.01);
  EXPECT_FALSE(scene_with(scan, R"({"grid": [4096, 1, 1]})").find("X13"));
}

TEST(RuleX13, NotWhereAnotherStreamFillsTheGpu) {
  Scene scene;
  scene.step(1, 0, 1000);
  scene.run("aten::a", 1,
            {.kernel = "a", .start = 10, .dur = 900, .args = R"({"grid": [4, 1, 1]})"});
  scene.run(
      "aten::b", 6,
      {.kernel = "b", .start = 10, .dur = 900, .stream = 20, .args = R"({"grid": [4096, 1, 1]})"});
  EXPECT_LT(scene.share("X13"), 0.01);
}

TEST(RuleX14, AdviceOnlyWhereRecordsAreLostOrTimesImpossible) {
  EXPECT_FALSE(healthy_scene().find("X14"));
  Scene lost = healthy_scene();
  lost.op("aten::mm", 500, 510);
  lost.call("cudaLaunchKernel", 502, 504);
  ASSERT_TRUE(lost.find("X14"));
  EXPECT_EQ(lost.find("X14")->severity, Severity::kAdvice);

  Scene unfilled = healthy_scene();
  unfilled.made.kernel("a", 0, 0);
  ASSERT_TRUE(unfilled.find("X14"));
  EXPECT_EQ(unfilled.find("X14")->severity, Severity::kAdvice);

  Scene overlapping = healthy_scene();
  overlapping.run("aten::mm", 300, {.start = 500, .dur = 100});
  ASSERT_TRUE(overlapping.find("X14"));
  EXPECT_EQ(overlapping.find("X14")->severity, Severity::kInfo);
}

/// Three steps of 4 ms, each with 3 ms of work and a wait for it.
Scene waiting_scene(bool last_step_lost) {
  Scene scene;
  for (int i = 0; i < 3; ++i) {
    const int at = i * 4000;
    scene.step(i + 1, at, at + 4000);
    scene.op("aten::mm", at + 10, at + 20);
    if (i < 2 || !last_step_lost) scene.run("aten::mm", at + 30, {.start = at + 40, .dur = 3000});
    scene.call("cudaStreamSynchronize", at + 50, at + 3050);
  }
  return scene;
}

TEST(RuleX14, AWaitForAGpuWithoutWorkShowsLostRecords) {
  EXPECT_FALSE(waiting_scene(false).find("X14"));
  const Scene lost = waiting_scene(true);
  ASSERT_TRUE(lost.find("X14"));
  EXPECT_EQ(lost.find("X14")->severity, Severity::kAdvice);
  EXPECT_EQ(lost.diagnosis().health.waits_for_unseen, 1);
  EXPECT_EQ(lost.diagnosis().verdict, "unknown");
}

TEST(RuleX14, WhatTheRecordingsStartWaitsForIsNormal) {
  Scene scene;
  scene.step(1, 0, 10000);
  scene.call("cudaStreamSynchronize", 10, 3000);
  scene.run("aten::mm", 3010, {.start = 3020, .dur = 6900});
  EXPECT_FALSE(scene.find("X14"));
}

TEST(RuleX14, WorkLaunchedBeforeTheWindowIsNormal) {
  Scene scene;
  scene.made.kernel("earlier", 0, 3000);
  scene.step(1, 2, 1000);
  scene.run("aten::mm", 3, {.start = 10, .dur = 900});
  EXPECT_FALSE(scene.find("X14"));
}

TEST(RuleX15, AnOpThatLoadedCodeCountsWhole) {
  Scene scene;
  scene.step(0, 0, 1000);
  scene.op("aten::conv2d", 0, 900);
  scene.overhead("Lazy Function Loading", 400, 410);
  scene.run("", 880, {.start = 890, .dur = 100});
  EXPECT_NEAR(scene.share("X15"), 0.89, 0.01);
  EXPECT_FALSE(healthy_scene().find("X15"));
}

}  // namespace
}  // namespace tracebook
