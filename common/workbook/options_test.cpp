// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/trace/error.h"

namespace tracebook {
namespace {

ChapterInfo sample_chapter() {
  ChapterInfo chapter{.stem = "04_sample", .title = "Sample", .question = "What?"};
  chapter.defaults.active = 20;
  chapter.batches = true;
  chapter.comparisons = {{.flag = "sweep", .help = "s", .runs = {""}, .sql = "SELECT 1"},
                         {.flag = "paths", .help = "p", .runs = {""}, .sql = "SELECT 1"}};
  chapter.extra_knobs = {
      {.flag = "buffers", .help = "b", .default_value = "zeroed", .choices = {"fresh", "zeroed"}},
      {.flag = "activity-buffer",
       .help = "bytes",
       .default_value = "4096",
       .choices = {},
       .minimum = 1}};
  return chapter;
}

std::optional<ChapterOptions> parse(const std::vector<std::string>& arguments) {
  static const ChapterInfo chapter = sample_chapter();
  std::vector<const char*> argv{"04_sample"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  return parse_chapter_options(chapter, static_cast<int>(argv.size()), argv.data());
}

TEST(OptionsTest, DefaultsAreTheChapters) {
  const auto options = parse({});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->knobs.active, 20);
  EXPECT_EQ(options->knobs.extra.at("buffers"), "zeroed");
  EXPECT_EQ(options->knobs.step_count(), 22);
  EXPECT_EQ(options->mode, RunMode::kAuto);
}

TEST(OptionsTest, ReplayTakesAFileOrNone) {
  EXPECT_EQ(parse({"--replay"})->mode, RunMode::kReplay);
  EXPECT_EQ(parse({"--replay"})->replay_file, "");
  EXPECT_EQ(parse({"--replay", "x.json"})->replay_file, "x.json");
  EXPECT_EQ(parse({"--live"})->mode, RunMode::kLive);
  EXPECT_THROW(parse({"--live", "--replay"}), UsageError);
}

TEST(OptionsTest, ActivitiesAreCpuAndCuda) {
  EXPECT_FALSE(parse({"--activities", "cpu"})->knobs.record_cuda);
  EXPECT_TRUE(parse({"--activities", "cuda,cpu"})->knobs.record_cuda);
  EXPECT_THROW(parse({"--activities", "gpu"}), UsageError);
  EXPECT_THROW(parse({"--activities", ""}), UsageError);
}

/// Bad command lines, each with words that its one-line message must hold.
class BadOptions : public testing::TestWithParam<std::pair<std::vector<std::string>, const char*>> {
};

TEST_P(BadOptions, SayWhatWasExpected) {
  try {
    parse(GetParam().first);
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(GetParam().second), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_EQ(error.exit_code(), 2);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Lines, BadOptions,
    testing::Values(std::pair(std::vector<std::string>{"--size", "0"}, "from 1 to"),
                    std::pair(std::vector<std::string>{"--size", "-5"}, "got \"-5\""),
                    std::pair(std::vector<std::string>{"--size", "64k"}, "got \"64k\""),
                    std::pair(std::vector<std::string>{"--size", "99999999999999999999"},
                              "from 1 to"),
                    std::pair(std::vector<std::string>{"--dtype", "bf17"}, "bf16, fp16, fp32"),
                    std::pair(std::vector<std::string>{"--batch", "0"}, "from 1 to"),
                    std::pair(std::vector<std::string>{"--buffers", "dirty"}, "fresh, zeroed"),
                    std::pair(std::vector<std::string>{"--activity-buffer", "0"}, "from 1 to"),
                    std::pair(std::vector<std::string>{"--active", "0"}, "from 1 to"),
                    std::pair(std::vector<std::string>{"--steps", "3"}, "too few"),
                    std::pair(std::vector<std::string>{"--repeat", "1000000"}, "steps"),
                    std::pair(std::vector<std::string>{"--sort-by", "name"}, "cpu_time_total"),
                    std::pair(std::vector<std::string>{"--row-limit", "many"}, "whole number"),
                    std::pair(std::vector<std::string>{"--nonsense"}, "--nonsense"),
                    std::pair(std::vector<std::string>{"stray"}, "stray")));

TEST(RecordingStemTest, NamesWhatDiffersFromTheChaptersDefaults) {
  const ChapterInfo chapter = sample_chapter();
  EXPECT_EQ(recording_stem(chapter, parse({})->knobs), "64_bf16_cold_eager");
  EXPECT_EQ(recording_stem(chapter, parse({"--size", "4096", "--warmup"})->knobs),
            "4096_bf16_warm_eager");
  EXPECT_EQ(
      recording_stem(chapter, parse({"--batch", "8", "--wait", "0", "--buffers", "fresh"})->knobs),
      "64_bf16_batch8_cold_eager_wait0_buffers-fresh");
  EXPECT_EQ(recording_stem(chapter, parse({"--activities", "cpu"})->knobs),
            "64_bf16_cold_eager_cpu");
}

TEST(KnobArgumentsTest, ReadBackAsTheSameKnobs) {
  const ChapterInfo chapter = sample_chapter();
  for (const std::string& line :
       {std::string(), std::string("--size 4096 --dtype fp16 --batch 8 --warmup"),
        std::string("--wait 0 --profiler-warmup 0 --active 3 --repeat 2 --steps 7"),
        std::string("--activities cuda --buffers fresh --activity-buffer 2048")}) {
    const Knobs knobs = parse_knobs(chapter, line);
    EXPECT_EQ(knob_arguments(chapter, knobs), line);
    EXPECT_EQ(parse_knobs(chapter, knob_arguments(chapter, knobs)), knobs);
  }
}

TEST(ComparisonOptionsTest, RefuseWhatWouldChangeNothing) {
  EXPECT_EQ(parse({"--sweep"})->comparison->flag, "sweep");
  EXPECT_EQ(parse({"--sweep", "--replay"})->mode, RunMode::kReplay);
  for (const std::vector<std::string>& line : {std::vector<std::string>{"--sweep", "--size", "128"},
                                               {"--sweep", "--paths"},
                                               {"--sweep", "--replay", "x.json"},
                                               {"--replay", "x.json", "--size", "128"}}) {
    EXPECT_THROW(parse(line), UsageError) << line.front() << " … " << line.back();
  }
}

TEST(ChapterOptionsTest, BatchIsRefusedByAProgramThatDoesNotReadIt) {
  ChapterInfo chapter{.stem = "05_plain", .title = "Plain", .question = "What?"};
  EXPECT_THROW(parse_knobs(chapter, "--batch 3"), UsageError);
  chapter.batches = true;
  EXPECT_EQ(parse_knobs(chapter, "--batch 3").batch, 3);
}

}  // namespace
}  // namespace tracebook
