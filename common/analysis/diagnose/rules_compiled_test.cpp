// SPDX-License-Identifier: Apache-2.0
//
// P1 to P5 and X8: each rule on a scene on which it must fire and on one on which it must not.
#include <gtest/gtest.h>

#include <string>

#include "common/analysis/diagnose/rule_test_support.h"

namespace tracebook {
namespace {

/// Three steps of 1 ms; `hash` gives the compiled graph's name in each.
template <typename Hash>
Scene compiled(Hash&& hash, std::int64_t kernel = 20) {
  Scene scene;
  for (int i = 0; i < 3; ++i) {
    const int at = i * 1000;
    scene.step(i, at, at + 1000);
    scene.op("TorchDynamo Cache Lookup", at + 1, at + 10);
    scene.op("Torch-Compiled Region: 0/0", at + 10, at + 400);
    scene.op("AOTDispatcher Runtime Wrapper Prologue", at + 12, at + 20);
    scene.op("## Call CompiledFxGraph " + std::string(hash(i)) + " ##", at + 30, at + 300);
    scene.run("aten::mm", at + 100, {.start = at + 120, .dur = kernel});
  }
  return scene;
}

std::string same(int /*step*/) { return "fabc"; }
std::string changing(int step) { return "f" + std::to_string(step); }

TEST(RuleP, RecognisesCompiledCode) {
  const Scene scene = compiled(same);
  for (const std::string_view id : {"P1", "P2", "P3", "P4"}) {
    const auto found = scene.find(id);
    ASSERT_TRUE(found) << id;
    EXPECT_EQ(found->occurrences, 3) << id;
    EXPECT_FALSE(healthy_scene().find(id)) << id;
  }
  EXPECT_NE(scene.find("P4")->title.find("cache hit"), std::string::npos);
}

TEST(RuleP5, OnlyWhereTheWorkIsTiny) {
  EXPECT_TRUE(compiled(same, 20).find("P5"));
  EXPECT_FALSE(compiled(same, 200).find("P5"));
}

TEST(RuleX8, FiresOnAGraphThatIsNewEachStep) {
  EXPECT_TRUE(compiled(changing).find("X8"));
  EXPECT_FALSE(compiled(same).find("X8"));
}

TEST(RuleX8, CountsTheIdleTimeOfCompiling) {
  Scene scene = compiled(changing);
  scene.op("_compile.compile_inner (dynamo_timed)", 1500, 1900);
  EXPECT_NEAR(scene.share("X8"), 400 / 3000.0, 0.001);
}

/// Four steps of 3 ms: 2 ms of nothing, then a compiled region whose graph `name` gives. No events
/// of the compiler.
template <typename Name>
Scene quiet_before_a_graph(Name&& name) {
  Scene scene;
  scene.run("aten::mm", 0, {.start = 5, .dur = 10});
  for (int i = 0; i < 4; ++i) {
    const int at = i * 3000;
    scene.step(i, at, at + 3000);
    scene.range(name(i), at + 2000, at + 2100);
    scene.run("aten::mm", at + 2005, {.start = at + 2010, .dur = 990});
  }
  return scene;
}

TEST(RuleX8, HasTheIdleTimeBeforeANewGraph) {
  for (const std::string start : {"## Call CompiledFxGraph f", "Torch-Compiled Region: 0/"}) {
    const Scene each = quiet_before_a_graph([&](int step) { return start + std::to_string(step); });
    EXPECT_GT(each.share("X8"), 0.6) << start;
    EXPECT_LT(each.share("X3"), 0.01) << start;
    const Scene one = quiet_before_a_graph([&](int) { return start + "0"; });
    EXPECT_FALSE(one.find("X8")) << start;
    EXPECT_GT(one.share("X3"), 0.6) << start;
    const Scene two =
        quiet_before_a_graph([&](int step) { return start + std::to_string(step % 2); });
    EXPECT_FALSE(two.find("X8")) << start;
  }
}

TEST(RuleX8, FramesThatAreCalledOnceAreNoVersions) {
  EXPECT_FALSE(quiet_before_a_graph([](int step) {
                 return "Torch-Compiled Region: " + std::to_string(step) + "/0";
               }).find("X8"));
}

TEST(RuleX8, LeavesALoaderItsTime) {
  Scene scene = quiet_before_a_graph(
      [](int step) { return "## Call CompiledFxGraph f" + std::to_string(step) + " ##"; });
  for (int i = 0; i < 4; ++i) {
    scene.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", i * 3000 + 100,
                i * 3000 + 1990);
  }
  EXPECT_GT(scene.share("X3"), 0.4);
  EXPECT_LT(scene.share("X8"), 0.05);
}

}  // namespace
}  // namespace tracebook
