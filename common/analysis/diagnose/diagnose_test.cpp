// SPDX-License-Identifier: Apache-2.0
//
// The engine: window, order, severity, and the forms in which a diagnosis is shown.
#include "common/analysis/diagnose/diagnose.h"

#include <gtest/gtest.h>

#include <regex>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "common/analysis/diagnose/context.h"
#include "common/analysis/diagnose/rule_test_support.h"
#include "common/trace/file.h"

namespace tracebook {
namespace {

TEST(Severity, FollowsTheShare) {
  EXPECT_EQ(severity_of(0.0199), Severity::kInfo);
  EXPECT_EQ(severity_of(0.02), Severity::kAdvice);
  EXPECT_EQ(severity_of(0.0999), Severity::kAdvice);
  EXPECT_EQ(severity_of(0.10), Severity::kWarning);
}

TEST(Intervals, SubtractLeavesWhatTheOtherDoesNotCover) {
  EXPECT_EQ(subtract({{0, 100}}, {{10, 20}, {50, 60}}), (Intervals{{0, 10}, {20, 50}, {60, 100}}));
  EXPECT_EQ(subtract({{0, 10}, {20, 30}}, {{5, 25}}), (Intervals{{0, 5}, {25, 30}}));
  EXPECT_EQ(subtract({{0, 10}}, {{0, 10}}), Intervals{});
  EXPECT_EQ(subtract({{0, 10}}, {}), (Intervals{{0, 10}}));
}

TEST(Window, GoesFromTheFirstStepToTheLastWorkOfTheSteps) {
  Scene scene;
  scene.op("aten::warm", 0, 500);
  scene.step(1, 1000, 1100);
  scene.run("aten::mm", 1001, {.start = 1050, .dur = 450});
  scene.call("cudaDeviceSynchronize", 1110, 1900);
  EXPECT_EQ(scene.diagnosis().window_ns, 500'000);
  EXPECT_EQ(scene.diagnosis().busy_ns, 450'000);
}

TEST(Window, IsTheWholeTraceWithoutSteps) {
  Scene scene;
  scene.op("aten::mm", 100, 200);
  scene.made.kernel("a", 250'000, 300'000);
  EXPECT_EQ(scene.diagnosis().window_ns, 200'000);
}

TEST(Diagnosis, NoIdleTimeIsClaimedTwice) {
  Scene scene;
  for (int i = 0; i < 3; ++i) {
    const int at = i * 3000;
    scene.step(i, at, at + 3000);
    scene.overhead("Activity Buffer Request", at + 100, at + 300);
    scene.op("aten::empty", at + 90, at + 500);
    scene.call("cudaMalloc", at + 280, at + 480);
    scene.run("aten::mm", at + 600, {.start = at + 610, .dur = 100});
    scene.call("cudaStreamSynchronize", at + 620, at + 720);
    scene.run("aten::mm", at + 1600, {.start = at + 1610, .dur = 10});
  }
  double sum = 0;
  for (const Finding& finding : scene.diagnosis().findings) sum += finding.share;
  const Diagnosis all = scene.diagnosis();
  const double idle = 1 - static_cast<double>(all.busy_ns) / static_cast<double>(all.window_ns);
  EXPECT_LE(sum, idle + 1e-9);
  EXPECT_GT(sum, 0.9 * idle - 0.11);  // what the first launch takes is nobody's
}

TEST(Diagnosis, LargestShareFirst) {
  const Diagnosis all = healthy_scene().diagnosis();
  EXPECT_TRUE(std::ranges::is_sorted(all.findings, std::greater{}, &Finding::share));
}

TEST(Diagnosis, OfNothingIsUnknown) {
  const Diagnosis empty = Scene{}.diagnosis();
  EXPECT_EQ(empty.verdict, "unknown");
  ASSERT_EQ(empty.findings.size(), 1U);
  EXPECT_EQ(empty.findings[0].id, "X14");
  const std::string text = diagnosis_text(empty, 200);
  EXPECT_NE(text.find("holds no work. Usual causes: the schedule never"), text.npos) << text;
  EXPECT_EQ(text.find("Nothing stands out"), text.npos) << text;
  Scene cpu_only;
  cpu_only.step(1, 0, 100);
  cpu_only.op("aten::mm", 0, 100);
  EXPECT_EQ(cpu_only.diagnosis().verdict, "unknown");
  for (const Finding& finding : cpu_only.diagnosis().findings)
    EXPECT_EQ(finding.share, 0) << finding.id;
}

TEST(Diagnosis, WithoutCpuEventsGapsHaveNoCause) {
  Scene scene;
  scene.made.kernel("a", 0, 100'000);
  scene.made.kernel("a", 200'000, 300'000);
  const auto gaps = scene.find("G2");
  ASSERT_TRUE(gaps);
  EXPECT_NE(gaps->title.find("no CPU events"), std::string::npos);
  EXPECT_FALSE(scene.find("X3"));
}

TEST(Diagnosis, LooksAtTheGpuThatWorksMost) {
  Scene scene = healthy_scene();
  scene.made.kernel("small", 0, 1000, {.stream = 7, .device = 1});
  const Diagnosis both = scene.diagnosis();
  EXPECT_EQ(both.device, 0);
  EXPECT_EQ(both.device_count, 2);
  EXPECT_NE(diagnosis_text(both, 80).find("2 GPUs"), std::string::npos);
}

TEST(Diagnosis, ImpossibleTimesStretchNothing) {
  Scene scene = healthy_scene();
  const std::int64_t window = scene.diagnosis().window_ns;
  scene.made.op("aten::open", 100, std::numeric_limits<std::int64_t>::max() / 2);
  EXPECT_EQ(scene.diagnosis().window_ns, window);
}

TEST(Verdict, NamesWhatHoldsMost) {
  EXPECT_EQ(healthy_scene().diagnosis().verdict, "compute-bound");
  EXPECT_EQ(scene_with(kAddKernel).diagnosis().verdict, "memory-bound");
  Scene stall;
  stall.step(1, 0, 2000);
  stall.run("aten::mm", 1500, {.start = 1510, .dur = 490});
  EXPECT_EQ(stall.diagnosis().verdict, "input-bound");
  Scene half;
  half.step(1, 0, 2000);
  half.run("aten::mm", 1000, {.start = 1000, .dur = 1000});
  EXPECT_EQ(half.diagnosis().verdict, "mixed");
}

/// Steps of 1 ms with these numbers; the second half a second later.
Scene two_cycles(std::initializer_list<int> numbers) {
  Scene scene;
  int at = 0;
  std::size_t done = 0;
  for (const int number : numbers) {
    if (done++ == numbers.size() / 2) at += 1'000'000;
    scene.step(number, at, at + 1000);
    scene.run("aten::mm", at + 1, {.start = at + 5, .dur = 990});
    at += 1000;
  }
  return scene;
}

TEST(Window, LeavesOutThePauseBetweenRecordingCycles) {
  const Diagnosis cycles = two_cycles({3, 4, 3, 4}).diagnosis();
  EXPECT_EQ(cycles.window_ns, 4'000'000);
  EXPECT_EQ(cycles.verdict, "compute-bound");
  EXPECT_LT(two_cycles({3, 4, 3, 4}).share("X3"), 0.02);
  // A loop that stalls between two steps in a row was recorded all the while.
  EXPECT_EQ(two_cycles({3, 4, 5, 6}).diagnosis().verdict, "input-bound");
}

TEST(Verdict, KernelsOfUnknownKindProveNothing) {
  const Diagnosis diagnosis = scene_with("my_magic_kernel(float*)").diagnosis();
  EXPECT_EQ(diagnosis.verdict, "unknown");
  EXPECT_NE(diagnosis.arithmetic.find("99 % in kernels whose names do not tell"), std::string::npos)
      << diagnosis.arithmetic;
}

TEST(Verdict, SaysWhatToDoAboutTransfersBetweenGpus) {
  const Diagnosis nccl = scene_with("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(X)").diagnosis();
  EXPECT_EQ(nccl.verdict, "transfer-bound");
  EXPECT_NE(nccl.arithmetic.find("bucket_cap_mb"), std::string::npos);
}

TEST(Text, PrintsNoTimeThatNoClockGave) {
  Diagnosis diagnosis = healthy_scene().diagnosis();
  diagnosis.findings.front().evidence = {
      {.name = "k", .ts_ns = -1'600'000'000'000'000'000, .dur_ns = 0, .step = {}}};
  const std::string text = diagnosis_text(diagnosis, 100, true);
  EXPECT_NE(text.find("no time"), std::string::npos) << text;
  EXPECT_EQ(text.find("-16"), std::string::npos);
}

TEST(Text, NamesTheBusyTimeOfEachGpuWhereTheyDiffer) {
  Diagnosis diagnosis = healthy_scene().diagnosis();
  diagnosis.device_count = 2;
  diagnosis.device_busy_ns = {{0, 3'000'000}, {1, 1'000'000}};
  EXPECT_NE(diagnosis_text(diagnosis, 200, false).find("GPU 0 3.00 ms, GPU 1 1.00 ms"),
            std::string::npos);
  diagnosis.device_busy_ns = {{0, 3'000'000}, {1, 2'900'000}};
  EXPECT_EQ(diagnosis_text(diagnosis, 200, false).find("Busy times"), std::string::npos);
}

TEST(Json, HasTheShapeThatIsPromised) {
  Scene scene = scene_with("ampere_sgemm_128x64_tn");
  const auto json = nlohmann::json::parse(diagnosis_json(scene.diagnosis()));
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_EQ(json.at("verdict"), "compute-bound");
  const auto& first = json.at("findings").at(0);
  EXPECT_EQ(first.at("id"), "X5");
  EXPECT_EQ(first.at("severity"), "warning");
  EXPECT_GT(first.at("share").get<double>(), 0.7);
  for (const char* key : {"title", "meaning", "next", "chapter"})
    EXPECT_TRUE(first.at(key).is_string()) << key;
  const auto& evidence = first.at("evidence").at(0);
  EXPECT_EQ(evidence.size(), 4U);
  EXPECT_EQ(evidence.at("name"), "ampere_sgemm_128x64_tn");
  EXPECT_DOUBLE_EQ(evidence.at("ts_us").get<double>(), 5.0);
  EXPECT_DOUBLE_EQ(evidence.at("dur_us").get<double>(), 994.0);
  EXPECT_EQ(evidence.at("step"), 1);
  EXPECT_EQ(json.at("health").at("launches_without_work"), 0);
}

TEST(Json, TakesNamesThatAreNoUtf8) {
  Scene scene = scene_with("broken\xff\xfename");
  EXPECT_TRUE(nlohmann::json::accept(diagnosis_json(scene.diagnosis())));
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST(Text, FitsItsWidth) {
  Scene scene = scene_with("cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_nn_align1");
  const Diagnosis all = scene.diagnosis();
  for (const std::size_t width : {40U, 60U, 80U, 120U}) {
    EXPECT_LE(widest_line(diagnosis_text(all, width)), width);
    EXPECT_LE(widest_line(diagnosis_text(all, width, true)), width);
  }
}

TEST(Text, PutsTheVerdictFirstAndExplainsAdvice) {
  const std::string text = diagnosis_text(scene_with("ampere_sgemm_128x64_tn").diagnosis(), 80);
  EXPECT_TRUE(text.starts_with("Verdict: compute-bound\n"));
  for (const char* part :
       {"warning X5, 75 %", "Means:", "Next:", "Check:", "Share:", "Look at:", "step 1"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_NE(diagnosis_text(healthy_scene().diagnosis(), 80).find("Nothing stands out"),
            std::string::npos);
}

TEST(Rules, AreAllThereInOrderWithTheirTexts) {
  const std::vector<std::pair<char, int>> families = {{'T', 5}, {'C', 6}, {'G', 5},
                                                      {'D', 4}, {'P', 5}, {'X', 15}};
  std::vector<std::string> expected;
  for (const auto& [letter, count] : families) {
    for (int i = 1; i <= count; ++i) expected.push_back(letter + std::to_string(i));
  }
  std::vector<std::string> ids;
  for (const Rule& rule : all_rules()) {
    ids.emplace_back(rule.id);
    for (const std::string_view text :
         {rule.title, rule.looks_for, rule.means, rule.next, rule.experiment}) {
      EXPECT_GE(text.size(), 4U) << rule.id;
    }
    for (const std::string_view text : {rule.looks_for, rule.means, rule.next, rule.experiment}) {
      EXPECT_EQ(text.back(), '.') << rule.id << ": " << text;
    }
    if (rule.chapter.empty()) continue;
    // The lesson that a rule sends its reader to speaks of the pattern by its id.
    const std::string lesson =
        std::string(TRACEBOOK_SOURCE_DIR "/chapters/").append(rule.chapter).append("/README.md");
    EXPECT_TRUE(std::regex_search(read_file(lesson), std::regex("\\b" + ids.back() + "\\b")))
        << lesson << " does not name " << rule.id;
  }
  EXPECT_EQ(ids, expected);
}

TEST(CheatSheet, IsWhatTheDocsHold) {
  EXPECT_EQ(read_file(TRACEBOOK_SOURCE_DIR "/docs/cheatsheet.md"), cheatsheet_markdown())
      << "write the output of `tracebook cheatsheet` to docs/cheatsheet.md";
}

}  // namespace
}  // namespace tracebook
