// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "common/trace/hand_made.h"
#include "common/trace/reader.h"

namespace tracebook {
namespace {

using Json = nlohmann::json;

/// What one step of a hand-made trace does: an op that launches one kernel.
struct Shape {
  std::string op = "aten::mm";
  std::string kernel = "gemm";
  std::int64_t cpu_ns = 10'000;  ///< of the op; the step is 2 µs longer
  std::int64_t gpu_ns = 50'000;
};

class Maker {
 public:
  HandMade made;

  void step(const Shape& shape) {
    const std::int64_t end = at_ + shape.cpu_ns + 2'000;
    made.annotation("ProfilerStep#" + std::to_string(number_++), at_, end);
    made.op(shape.op, at_ + 1'000, at_ + 1'000 + shape.cpu_ns);
    launch(shape.kernel, at_ + 2'000, shape.gpu_ns);
    at_ = end + 100'000;
  }
  void launch(const std::string& kernel, std::int64_t at, std::int64_t gpu_ns) {
    made.call("cudaLaunchKernel", at, at + 100, {.correlation = ++correlation_});
    if (gpu_ns > 0) made.kernel(kernel, gpu_at_, gpu_at_ + gpu_ns, {.correlation = correlation_});
    gpu_at_ += gpu_ns;
  }
  /// What the loop does outside of any step.
  void stall(std::int64_t ns) { at_ += ns; }
  void skip_number() { number_ += 5; }
  void gpu(const std::string& name) {
    DeviceProperties properties;
    properties.name = name;
    made.trace.head.devices.push_back(properties);
  }

 private:
  std::int64_t at_ = 0;
  std::int64_t gpu_at_ = 5'000'000;
  std::int64_t number_ = 3;
  std::int64_t correlation_ = 0;
};

/// A wide first step, then `gpu_ns` one a step.
Maker steps_of(const std::vector<std::int64_t>& gpu_ns, Shape shape = {}) {
  Maker maker;
  Shape first = shape;
  first.cpu_ns = 900'000;
  first.gpu_ns = 700'000;
  maker.step(first);
  for (const std::int64_t ns : gpu_ns) {
    shape.gpu_ns = ns;
    maker.step(shape);
  }
  return maker;
}

Comparison compare(const Trace& a, const Trace& b) {
  const Structure structure_a = build_structure(a);
  const Structure structure_b = build_structure(b);
  return compare_traces({a, structure_a, "a.json"}, {b, structure_b, "b.json"});
}
Comparison compare(const Maker& a, const Maker& b) { return compare(a.made.trace, b.made.trace); }

const Measure& measure(const Comparison& comparison, std::string_view id) {
  const auto found = std::find_if(comparison.measures.begin(), comparison.measures.end(),
                                  [id](const Measure& each) { return each.id == id; });
  EXPECT_NE(found, comparison.measures.end()) << id;
  return *found;
}

const ComparedRow* row(const Comparison& comparison, std::string_view key,
                       DeviceType device = DeviceType::kCuda) {
  for (const ComparedRow& each : comparison.rows) {
    if (each.key == key && each.device_type == device) return &each;
  }
  return nullptr;
}

bool has_note(const Comparison& comparison, std::string_view part) {
  return std::any_of(
      comparison.notes.begin(), comparison.notes.end(),
      [part](const std::string& note) { return note.find(part) != std::string::npos; });
}

bool says(const Comparison& comparison, std::string_view part) {
  return comparison.verdict.find(part) != std::string::npos;
}

const std::vector<std::int64_t> kAbout50{50'000, 51'000, 49'000, 50'500, 49'500, 50'200, 49'800};
const std::vector<std::int64_t> kAbout60{60'000, 61'000, 59'000, 60'500, 59'500, 60'200, 59'800};
const std::vector<std::int64_t> kAbout51{51'000, 52'000, 50'000, 51'500, 50'500, 51'200, 50'800};

TEST(Series, SpreadIsTheScaledDeviationAndIgnoresAnOutlier) {
  const Series series = make_series({100'000, 104'000, 96'000, 102'000, 9'000'000});
  EXPECT_DOUBLE_EQ(series.median_ns, 102'000);
  EXPECT_DOUBLE_EQ(series.spread_ns, 1.4826 * 2'000);
}

TEST(Series, EqualValuesKeepTheLeastSpread) {
  EXPECT_DOUBLE_EQ(make_series({100'000, 100'000}).spread_ns, 500) << "0.5 %";
  EXPECT_DOUBLE_EQ(make_series({100, 100}).spread_ns, 32) << "one tick of a GPU's clock";
}

TEST(Judge, MarginNarrowsWithTheNumberOfSteps) {
  const auto outcome = [](std::size_t steps, std::int64_t apart) {
    return judge(make_series(std::vector<std::int64_t>(steps, 100'000)),
                 make_series(std::vector<std::int64_t>(steps, 100'000 + apart)))
        .outcome;
  };
  EXPECT_EQ(outcome(1, 50'000), Outcome::kCannotTell);
  // Both spreads are 500 ns or a little more: 4, 3 and 2 times 707 ns.
  EXPECT_EQ(outcome(2, 2'700), Outcome::kSame);
  EXPECT_EQ(outcome(3, 2'950), Outcome::kSlower);
  EXPECT_EQ(outcome(4, 2'050), Outcome::kSame);
  EXPECT_EQ(outcome(6, 2'250), Outcome::kSlower);
  EXPECT_EQ(outcome(7, 1'300), Outcome::kSame);
  EXPECT_EQ(outcome(7, 1'500), Outcome::kSlower);
  EXPECT_EQ(outcome(7, -1'500), Outcome::kFaster);
}

TEST(Judge, SamplesOfOneDistributionAreSeldomCalledDifferent) {
  std::mt19937 random(7);
  std::normal_distribution<double> bell(100'000, 2'000);
  const auto sample = [&](std::size_t steps) {
    std::vector<std::int64_t> values(steps);
    for (std::int64_t& value : values) value = std::llround(bell(random));
    return make_series(values);
  };
  constexpr int kRounds = 4'000;
  for (const auto& [steps, most] : std::vector<std::pair<std::size_t, double>>{
           {2, 0.06}, {3, 0.06}, {4, 0.03}, {7, 0.02}, {20, 0.002}}) {
    int different = 0;
    for (int i = 0; i < kRounds; ++i) {
      if (judge(sample(steps), sample(steps)).outcome != Outcome::kSame) ++different;
    }
    EXPECT_LE(different, most * kRounds) << steps << " steps";
  }
}

TEST(Compare, SlowerAndFasterBothWays) {
  const Maker fast = steps_of(kAbout50);
  const Maker slow = steps_of(kAbout60);
  const Comparison worse = compare(fast, slow);
  EXPECT_EQ(measure(worse, "step_time").judgement.outcome, Outcome::kSlower);
  EXPECT_EQ(measure(worse, "gpu_busy").judgement.outcome, Outcome::kSlower);
  EXPECT_EQ(measure(worse, "step_duration").judgement.outcome, Outcome::kSame);
  EXPECT_TRUE(says(worse, "slower by 20 %: a step takes 60.0 ± 0.7 µs in B, 50.0 ± 0.7 µs in A"))
      << worse.verdict;
  ASSERT_NE(row(worse, "gemm"), nullptr);
  EXPECT_EQ(row(worse, "gemm")->outcome, Outcome::kSlower);
  EXPECT_DOUBLE_EQ(row(worse, "gemm")->change_ns, 10'000);
  EXPECT_EQ(worse.rows.front().key, "gemm") << "the largest change comes first";

  const Comparison better = compare(slow, fast);
  EXPECT_EQ(measure(better, "step_time").judgement.outcome, Outcome::kFaster);
  EXPECT_TRUE(says(better, "faster by 17 %")) << better.verdict;
  EXPECT_DOUBLE_EQ(row(better, "gemm")->change_ns, -10'000);
}

TEST(Compare, DifferenceWithinTheSpreadIsNone) {
  const Comparison comparison = compare(steps_of(kAbout50), steps_of(kAbout51));
  EXPECT_EQ(measure(comparison, "step_time").judgement.outcome, Outcome::kSame);
  EXPECT_FALSE(comparison.identical);
  EXPECT_TRUE(
      says(comparison, "no difference beyond the spread (a: 50.0 ± 0.7 µs, b: 51.0 ± 0.7 µs)"))
      << comparison.verdict;
  EXPECT_EQ(row(comparison, "gemm")->outcome, Outcome::kSame);
}

TEST(Compare, FirstStepIsLeftOutAndThatIsSaid) {
  const Comparison comparison = compare(steps_of(kAbout50), steps_of(kAbout50));
  EXPECT_EQ(comparison.a.steps, 8U);
  EXPECT_EQ(comparison.a.used, 7U);
  EXPECT_EQ(measure(comparison, "gpu_busy").a.values_ns, kAbout50);
  EXPECT_DOUBLE_EQ(row(comparison, "gemm")->a.calls, 1);
  EXPECT_TRUE(has_note(comparison, "first recorded step of each is left out"));
}

TEST(Compare, StepTakesWhatTheSlowerOfCpuAndGpuTakes) {
  Shape host;
  host.cpu_ns = 80'000;
  const Comparison comparison = compare(steps_of(kAbout50, host), steps_of(kAbout60, host));
  EXPECT_DOUBLE_EQ(measure(comparison, "step_time").a.median_ns, 82'000);
  EXPECT_EQ(measure(comparison, "step_time").judgement.outcome, Outcome::kSame)
      << "the GPU has time to spare";
  EXPECT_EQ(measure(comparison, "gpu_busy").judgement.outcome, Outcome::kSlower);
}

TEST(Compare, TooFewStepsCannotTell) {
  const Comparison comparison = compare(steps_of({50'000}), steps_of({90'000, 90'000}));
  EXPECT_EQ(measure(comparison, "step_time").judgement.outcome, Outcome::kCannotTell);
  EXPECT_TRUE(says(comparison, "cannot tell: 2 steps in A, 3 steps in B")) << comparison.verdict;
  EXPECT_FALSE(is_slower_by(comparison, 0));
  EXPECT_EQ(row(comparison, "gemm")->outcome, Outcome::kCannotTell);
}

TEST(Compare, OnlyStepIsTheFirstOne) {
  const Comparison comparison = compare(steps_of({}), steps_of(kAbout50));
  EXPECT_EQ(comparison.a.used, 1U);
  EXPECT_TRUE(has_note(comparison, "A has one step only, its first"));
  EXPECT_TRUE(says(comparison, "cannot tell: 1 step in A, 8 steps in B")) << comparison.verdict;
}

TEST(Compare, WithoutStepsWholeTracesAreCompared) {
  Maker a;
  a.made.op("aten::mm", 0, 1'000);
  a.launch("gemm", 100, 5'000);
  a.launch("gemm", 300, 5'000);
  const Comparison against_steps = compare(a, steps_of(kAbout50));
  EXPECT_FALSE(against_steps.per_step);
  EXPECT_TRUE(has_note(against_steps, "A has no steps"));
  EXPECT_DOUBLE_EQ(row(against_steps, "gemm")->a.calls, 2);
  EXPECT_DOUBLE_EQ(row(against_steps, "gemm")->b.calls, 8);
  EXPECT_TRUE(says(against_steps, "cannot tell: A has 0 steps")) << against_steps.verdict;

  Maker b = a;
  b.launch("gemm", 500, 5'000);
  const Comparison neither = compare(a, b);
  EXPECT_TRUE(has_note(neither, "No steps"));
  EXPECT_DOUBLE_EQ(measure(neither, "gpu_busy").b.median_ns, 15'000);
  EXPECT_TRUE(says(neither, "cannot tell: neither trace has steps")) << neither.verdict;
}

TEST(Compare, TraceWithItselfHasNoDifferences) {
  Maker stepless;
  stepless.made.op("aten::mm", 0, 1'000);
  stepless.launch("gemm", 100, 5'000);
  for (const Maker& maker : {steps_of(kAbout50), steps_of({}), stepless, Maker{}}) {
    const Comparison comparison = compare(maker, maker);
    EXPECT_TRUE(comparison.identical);
    EXPECT_TRUE(says(comparison, "no differences")) << comparison.verdict;
    EXPECT_FALSE(is_slower_by(comparison, 0));
    for (const ComparedRow& each : comparison.rows) {
      EXPECT_EQ(each.status, RowStatus::kBoth) << each.key;
      EXPECT_EQ(each.outcome, Outcome::kSame) << each.key;
      EXPECT_EQ(each.change_ns, 0) << each.key;
    }
  }
}

TEST(Compare, RowsAppearAndVanish) {
  Shape other;
  other.op = "aten::conv2d";
  other.kernel = "convolve";
  const Comparison comparison = compare(steps_of(kAbout50), steps_of(kAbout50, other));
  ASSERT_NE(row(comparison, "gemm"), nullptr);
  EXPECT_EQ(row(comparison, "gemm")->status, RowStatus::kVanished);
  EXPECT_DOUBLE_EQ(row(comparison, "gemm")->change_ns, -50'000);
  EXPECT_EQ(row(comparison, "convolve")->status, RowStatus::kAppeared);
  EXPECT_EQ(row(comparison, "aten::mm", DeviceType::kCpu)->status, RowStatus::kVanished);
  EXPECT_EQ(row(comparison, "aten::conv2d", DeviceType::kCpu)->status, RowStatus::kAppeared);
  EXPECT_EQ(row(comparison, "aten::conv2d", DeviceType::kCpu)->b.launches, 1);
}

TEST(Compare, KernelOfTheSameOpIsReplaced) {
  Shape other;
  other.kernel = "better_gemm";
  const Comparison comparison = compare(steps_of(kAbout60), steps_of(kAbout50, other));
  EXPECT_EQ(row(comparison, "gemm"), nullptr) << "the pair is one row";
  const ComparedRow* const pair = row(comparison, "better_gemm");
  ASSERT_NE(pair, nullptr);
  EXPECT_EQ(pair->status, RowStatus::kReplaced);
  EXPECT_EQ(pair->was, "gemm");
  EXPECT_EQ(pair->op, "aten::mm");
  EXPECT_EQ(pair->outcome, Outcome::kFaster);
  EXPECT_DOUBLE_EQ(pair->change_ns, -10'000);
}

TEST(Compare, ProductOfAnotherOpIsReplacedButACopyIsNot) {
  Shape mm;
  mm.kernel = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT";
  Shape addmm;
  addmm.op = "aten::addmm";
  addmm.kernel = "nvjet_sm90_tst_256x128_64x4_1x2_h_badd_coopA_NNT";
  const Comparison product = compare(steps_of(kAbout50, mm), steps_of(kAbout50, addmm));
  ASSERT_NE(row(product, addmm.kernel), nullptr);
  EXPECT_EQ(row(product, addmm.kernel)->was, mm.kernel);
  EXPECT_EQ(row(product, addmm.kernel)->op_was, "aten::mm");

  Shape copying;  // even under the same op
  copying.kernel = "Memcpy DtoD (Device -> Device)";
  const Comparison copy = compare(steps_of(kAbout50, mm), steps_of(kAbout50, copying));
  ASSERT_NE(row(copy, mm.kernel), nullptr);
  EXPECT_EQ(row(copy, mm.kernel)->status, RowStatus::kVanished);
  EXPECT_EQ(row(copy, copying.kernel)->status, RowStatus::kAppeared);
}

TEST(Compare, RowNotInEveryStepIsNotJudged) {
  Maker a = steps_of(kAbout50);
  Maker b = steps_of(kAbout50);
  for (Maker* maker : {&a, &b}) {
    Shape rare;
    rare.kernel = "rare";
    rare.gpu_ns = maker == &a ? 8'000 : 80'000;
    maker->step(rare);
  }
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(row(comparison, "rare")->outcome, Outcome::kCannotTell);
  EXPECT_DOUBLE_EQ(row(comparison, "rare")->a.self_device_ns, 1'000) << "a mean over eight steps";
  EXPECT_DOUBLE_EQ(row(comparison, "rare")->change_ns, 9'000);
  EXPECT_DOUBLE_EQ(row(comparison, "rare")->b.calls, 0.125);
}

TEST(Compare, GraphLaunchCountsOnce) {
  Maker a;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t at = i * 100'000;
    a.made.annotation("ProfilerStep#" + std::to_string(i), at, at + 50'000);
    a.made.call("cudaGraphLaunch", at + 100, at + 200, {.correlation = i});
    for (int node = 0; node < 5; ++node) {
      a.made.kernel("node", at + 1'000 * node, at + 1'000 * node + 500, {.correlation = i});
    }
  }
  const Comparison comparison = compare(a, a);
  EXPECT_DOUBLE_EQ(comparison.a.launches, 1);
  EXPECT_DOUBLE_EQ(comparison.a.device_work, 5);
  EXPECT_DOUBLE_EQ(row(comparison, "node")->a.calls, 5);
  EXPECT_DOUBLE_EQ(row(comparison, "node")->a.launches, 1);
  EXPECT_DOUBLE_EQ(row(comparison, "cudaGraphLaunch", DeviceType::kCpu)->a.launches, 1);
}

TEST(Compare, WaitingIsNoCpuTime) {
  const Maker a = steps_of(kAbout50);
  Maker b = a;
  for (SliceId id = 0; id < a.made.trace.slices.size(); ++id) {
    if (a.made.trace.name(id) != "aten::mm") continue;
    const std::int64_t end = a.made.trace.slices.end_ns(id);
    b.made.call("cudaDeviceSynchronize", end, end + 1'000);
  }
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(measure(comparison, "cpu_time").a.values_ns,
            measure(comparison, "cpu_time").b.values_ns);
  EXPECT_EQ(row(comparison, "cudaDeviceSynchronize", DeviceType::kCpu)->status,
            RowStatus::kAppeared);
}

TEST(Compare, MissingGpuLaneIsSaidAndKernelsDoNotVanish) {
  const Maker with = steps_of(kAbout50);
  Shape host;
  Maker without;
  host.gpu_ns = 0;
  for (int i = 0; i < 8; ++i) without.step(host);
  const Comparison comparison = compare(with, without);
  EXPECT_TRUE(has_note(comparison, "B has no GPU lane"));
  EXPECT_TRUE(says(comparison, "CPU only, since B has no GPU lane")) << comparison.verdict;
  EXPECT_EQ(row(comparison, "gemm"), nullptr);
  EXPECT_DOUBLE_EQ(measure(comparison, "step_time").a.median_ns, 12'000) << "not the GPU's 50 µs";
  EXPECT_TRUE(has_note(compare(without, with), "A has no GPU lane"));
  EXPECT_TRUE(has_note(compare(without, without), "Neither trace has GPU work"));
}

TEST(Compare, StepsWithoutTheirGpuWorkAreSaid) {
  Maker empty;
  Shape host;
  host.gpu_ns = 0;
  for (int i = 0; i < 8; ++i) empty.step(host);
  empty.made.kernel("lost", 20'000'000, 20'001'000, {.correlation = 999});
  const Comparison comparison = compare(steps_of(kAbout50), empty);
  EXPECT_TRUE(says(comparison, "CPU only, since B has no GPU work in what is compared"))
      << comparison.verdict;
  EXPECT_EQ(row(comparison, "gemm"), nullptr) << "lost by the recording, not by the program";
}

TEST(Compare, DifferentGpusAreSaid) {
  Maker a = steps_of(kAbout50);
  Maker b = steps_of(kAbout60);
  a.gpu("NVIDIA H200");
  b.gpu("NVIDIA A100");
  const Comparison comparison = compare(a, b);
  EXPECT_TRUE(has_note(comparison, "GPUs differ"));
  EXPECT_TRUE(says(comparison, "the GPUs differ")) << comparison.verdict;
  EXPECT_FALSE(has_note(compare(a, a), "GPUs differ"));
}

TEST(Compare, WorkOutsideOfStepsIsSaid) {
  Maker a = steps_of(kAbout50);
  EXPECT_EQ(compare(a, a).a.outside, 0);
  a.made.kernel("lost", 20'000'000, 20'001'000, {.correlation = 999});
  const Comparison comparison = compare(a, a);
  EXPECT_EQ(comparison.a.outside, 1);
  EXPECT_TRUE(has_note(comparison, "1 piece of GPU work in A belongs to no step"));
  EXPECT_EQ(row(comparison, "lost"), nullptr);
}

TEST(Compare, ImpossibleTimesCountNowhere) {
  const Maker a = steps_of(kAbout50);
  Maker b = a;
  for (SliceId id = 0; id < a.made.trace.slices.size(); ++id) {
    if (a.made.trace.name(id) != "aten::mm") continue;
    b.made.op("left_open", a.made.trace.slices.ts_ns[id], std::numeric_limits<std::int64_t>::max());
  }
  const Comparison comparison = compare(a, b);
  EXPECT_EQ(row(comparison, "left_open", DeviceType::kCpu), nullptr);
  EXPECT_DOUBLE_EQ(measure(comparison, "cpu_time").b.median_ns, 10'000);
}

TEST(FailIfSlower, NeedsBothThePercentageAndTheSpread) {
  const Comparison worse = compare(steps_of(kAbout50), steps_of(kAbout60));  // 20 %
  EXPECT_TRUE(is_slower_by(worse, 0));
  EXPECT_TRUE(is_slower_by(worse, 19.9));
  EXPECT_FALSE(is_slower_by(worse, 20)) << "more than, not as much as";
  EXPECT_FALSE(is_slower_by(compare(steps_of(kAbout60), steps_of(kAbout50)), 0));
  EXPECT_FALSE(is_slower_by(compare(steps_of(kAbout50), steps_of(kAbout51)), 0)) << "in the spread";
}

/// Steps of the same work; the loop takes `ns` more between two of them.
Maker stalled(std::int64_t ns) {
  Maker maker;
  for (const std::int64_t gpu_ns : kAbout50) {
    maker.step({.gpu_ns = gpu_ns});
    maker.stall(ns + gpu_ns / 100);
  }
  return maker;
}

TEST(StepPeriod, AStallBetweenStepsIsSlower) {
  const Comparison worse = compare(stalled(0), stalled(30'000));
  EXPECT_EQ(measure(worse, "step_time").judgement.outcome, Outcome::kSame);
  EXPECT_EQ(measure(worse, "step_period").judgement.outcome, Outcome::kSlower);
  EXPECT_EQ(measure(worse, "step_period").a.values_ns.size(), 5U) << "of 7 steps, 6 compared";
  EXPECT_TRUE(says(worse, "B is slower by 27 %: from step to step")) << worse.verdict;
  EXPECT_FALSE(worse.identical);
  EXPECT_TRUE(is_slower_by(worse, 20));
  EXPECT_FALSE(is_slower_by(worse, 30));
  EXPECT_TRUE(says(compare(stalled(30'000), stalled(0)), "B is faster by"));
  EXPECT_TRUE(says(compare(stalled(0), stalled(10)), "no difference beyond the spread"));
  EXPECT_EQ(Json::parse(comparison_json(worse)).at("verdict").at("measure"), "step_period");
}

TEST(StepPeriod, APauseBetweenRecordingCyclesIsNone) {
  Maker cycles = stalled(0);
  cycles.skip_number();
  cycles.stall(9'000'000);
  for (int i = 0; i < 2; ++i) cycles.step({});
  const Comparison same = compare(cycles, cycles);
  const Measure& period = measure(same, "step_period");
  EXPECT_EQ(period.a.values_ns.size(), 6U);
  EXPECT_LT(*std::ranges::max_element(period.a.values_ns), 1'000'000);
}

TEST(CompareJson, ReadsBackWithItsFigures) {
  Shape other;
  other.kernel = "better \"gemm\"\xff";  // as broken files have them
  const Comparison comparison = compare(steps_of(kAbout60), steps_of(kAbout50, other));
  const Json json = Json::parse(comparison_json(comparison));
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_EQ(json.at("per"), "step");
  EXPECT_EQ(json.at("verdict").at("outcome"), "faster");
  EXPECT_EQ(json.at("verdict").at("says"), comparison.verdict);
  EXPECT_NEAR(json.at("verdict").at("change_percent").get<double>(), -100.0 / 6, 1e-9);
  EXPECT_EQ(json.at("a").at("file"), "a.json");
  EXPECT_EQ(json.at("a").at("compared"), 7);
  EXPECT_EQ(json.at("measures").at(0).at("id"), "step_time");
  EXPECT_EQ(json.at("measures").at(0).at("b").at("median_us"), 50.0);
  EXPECT_EQ(json.at("measures").at(0).at("b").at("values_us").size(), 7U);
  EXPECT_EQ(json.at("rows").size(), comparison.rows.size());
  EXPECT_EQ(json.at("rows").at(0).at("status"), "replaced");
  EXPECT_EQ(json.at("rows").at(0).at("was"), "gemm");
  EXPECT_EQ(json.at("rows").at(0).at("a").at("self_device_time"), 60.0);
  EXPECT_EQ(json.at("rows").at(0).at("change_us"), -10.0);

  const Json limited = Json::parse(comparison_json(comparison, 1));
  EXPECT_EQ(limited.at("rows").size(), 1U);
  EXPECT_EQ(limited.at("row_count"), comparison.rows.size());
}

TEST(CompareJson, OneSidedRowsAndSingleValuesAreNull) {
  Shape other;
  other.op = "aten::conv2d";
  other.kernel = "convolve";
  const Json json = Json::parse(comparison_json(compare(steps_of({}), steps_of({}, other))));
  EXPECT_TRUE(json.at("measures").at(0).at("a").at("spread_us").is_null());
  EXPECT_TRUE(json.at("measures").at(0).at("margin_us").is_null());
  int vanished = 0;
  for (const Json& each : json.at("rows")) {
    if (each.at("status") == "vanished") {
      ++vanished;
      EXPECT_TRUE(each.at("b").is_null());
      EXPECT_TRUE(each.at("outcome").is_null());
    }
  }
  EXPECT_EQ(vanished, 2) << "the op and its kernel";
}

Trace recording(const std::string& path) {
  return read_trace_file(std::filesystem::path(TRACEBOOK_SOURCE_DIR) / "expected" / path).trace;
}

TEST(CompareRecordings, AddmmTakesAnotherKernelAndACopy) {
  const Trace eager = recording("torch_parity/torch-h200/06_warmup_4096.json.gz");
  for (const std::string name : {"08_addmm_4096", "09_compile_4096"}) {
    const Comparison comparison =
        compare(eager, recording("torch_parity/torch-h200/" + name + ".json.gz"));
    const ComparedRow* const product =
        row(comparison, "nvjet_sm90_tst_256x128_64x4_1x2_h_badd_coopA_NNT");
    ASSERT_NE(product, nullptr) << name;
    EXPECT_EQ(product->was, "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT");
    EXPECT_EQ(product->op_was, "aten::mm");
    EXPECT_EQ(product->op, "aten::addmm");
    EXPECT_EQ(row(comparison, "Memcpy DtoD (Device -> Device)")->status, RowStatus::kAppeared);
    EXPECT_EQ(row(comparison, "aten::mm", DeviceType::kCpu)->status, RowStatus::kVanished);
    EXPECT_EQ(measure(comparison, "gpu_busy").judgement.outcome, Outcome::kSame) << name;
    EXPECT_EQ(row(comparison, "TorchDynamo Cache Lookup", DeviceType::kCpu) != nullptr,
              name == "09_compile_4096");
  }
}

TEST(CompareRecordings, OursAgainstTorch) {
  const Trace ours = recording("01_cold_trace/h200/64_bf16_cold_eager.json");
  const Trace torch = recording("01_cold_trace/torch/01_cold_64.json");
  const Comparison comparison = compare(torch, ours);
  EXPECT_EQ(measure(comparison, "step_time").judgement.outcome, Outcome::kFaster);
  EXPECT_EQ(measure(comparison, "gpu_busy").judgement.outcome, Outcome::kSame);
  EXPECT_TRUE(is_slower_by(compare(ours, torch), 100));
  EXPECT_FALSE(is_slower_by(compare(ours, torch), 1000));
  EXPECT_FALSE(has_note(comparison, "GPUs differ"));
  EXPECT_EQ(std::count_if(comparison.rows.begin(), comparison.rows.end(),
                          [](const ComparedRow& each) {
                            return each.status == RowStatus::kReplaced && each.op == "aten::add";
                          }),
            1);
}

TEST(CompareRecordings, TwoRecordingsOfTheSameProgramDoNotDiffer) {
  const Comparison comparison =
      compare(recording("torch_parity/torch-h200/01_cold_4096.json.gz"),
              recording("torch_parity/torch-h200/06_warmup_4096.json.gz"));
  EXPECT_EQ(measure(comparison, "step_time").judgement.outcome, Outcome::kSame);
  EXPECT_EQ(measure(comparison, "gpu_busy").judgement.outcome, Outcome::kSame);
}

}  // namespace
}  // namespace tracebook
