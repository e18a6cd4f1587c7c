// SPDX-License-Identifier: Apache-2.0
//
// Code exercises without a GPU: their claims hold on recordings of the same work and miss where
// they should, each skeleton comes from its solution, and every end of a run is told apart. The
// programs themselves, solution, planted wrong one and skeleton, were recorded on a GPU, and what
// they left there is judged again here; `make live` runs them anew.
#include "common/workbook/lab/code_exercise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/trace/reader.h"
#include "common/trace/writer.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/claims.h"
#include "common/workbook/json_file.h"
#include "common/workbook/lab/lab_test_support.h"
#include "common/workbook/lab/loaded_trace.h"
#include "common/workbook/lab/questions.h"
#include "common/workbook/lab/skeleton.h"
#include "common/workbook/recordings.h"
#include "common/workbook/run_exercise.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

std::vector<CodeExercise> all_code_exercises() {
  std::vector<CodeExercise> out;
  for (const ChapterInfo& chapter : all_chapters()) {
    for (CodeExercise& one : chapter_code_exercises(chapter.stem)) out.push_back(std::move(one));
  }
  return out;
}

/// A counter's values, in order, as the program of an exercise adds them.
struct Counter {
  std::string name;
  std::vector<double> values;
};

/// The recording of the same work as if the exercise's own program had left it.
JudgedExercise judged_as_own(const CodeExercise& exercise, const Counter& counter) {
  Trace trace =
      read_trace_file(recording_file(exercise.chapter, exercise.like.front(), exercise.file)).trace;
  trace.head.provenance.recording = exercise.name();
  const std::int64_t end = trace.window_ns().second;
  for (std::size_t i = 0; i < counter.values.size(); ++i) {
    trace.add_counter(counter.name, "value", counter.values[i], end + static_cast<std::int64_t>(i));
  }
  const ScratchFolder folder;
  const fs::path file = folder.path() / "made.json";
  write_file(file, write_trace_text(trace));
  return judge_code_trace(exercise, file);
}

JudgedExercise judged_as_own(const std::string& file, const Counter& counter) {
  return judged_as_own(find_code_exercise(file).value(), counter);
}

class CodeExerciseTest : public testing::TestWithParam<CodeExercise> {
 protected:
  static fs::path recording(const std::string& label) {
    return recording_file(GetParam().chapter, label, GetParam().file);
  }
};

TEST_P(CodeExerciseTest, TheSkeletonComesFromTheSolution) {
  const CodeExercise& exercise = GetParam();
  const fs::path solution = solution_path(exercise.chapter, exercise.file);
  if (!fs::exists(solution)) GTEST_SKIP() << "this copy has no solutions";
  const std::string made = skeleton_of(read_file(solution), solution);
  // Once a student has begun, what lies there is the attempt; or they have deleted it.
  const std::string given =
      fs::exists(exercise.skeleton_file()) ? read_file(exercise.skeleton_file()) : "";
  if (is_untouched(exercise, given)) {
    EXPECT_EQ(given, made) << "make it anew: tracebook exercise --skeleton " << solution;
  }
  EXPECT_NE(made.find("TODO"), std::string::npos);
  EXPECT_TRUE(is_untouched(exercise, made));
  EXPECT_TRUE(is_untouched(exercise, "// begun\n" + made)) << "a comment is no answer";
  EXPECT_FALSE(is_untouched(exercise, read_file(solution)));
  EXPECT_EQ(exercise.hints.size(), 3);
}

TEST_P(CodeExerciseTest, ItsClaimsHoldOnRecordingsOfTheSameWork) {
  for (const std::string& label : GetParam().like) {
    const JudgedExercise judged = judge_code_trace(GetParam(), recording(label));
    EXPECT_EQ(judged.outcome, ExerciseOutcome::kPassed) << label << ": " << judged.says;
  }
}

TEST_P(CodeExerciseTest, EachClaimMissesWhereItShould) {
  for (const Claim& claim : read_claims(GetParam().claims_file())) {
    // What only the exercise's program leaves in its trace is tried below, on traces made by hand.
    const bool own = claim.when == "SELECT recording = '" + GetParam().name() + "' FROM info";
    EXPECT_EQ(claim.fails_on.empty(), own) << claim.id << " is never seen to fail";
    if (own) {
      EXPECT_EQ(judged_as_own(GetParam(), {}).outcome, ExerciseOutcome::kFailed) << claim.id;
    }
    EXPECT_FALSE(claim.otherwise.empty()) << claim.id << " does not say what was wrong";
    for (const std::string& label : claim.fails_on) {
      const LoadedTrace loaded(recording(label));
      const ClaimResult result = judge(claim, loaded.database);
      EXPECT_EQ(result.verdict, Verdict::kMissed) << claim.id << " on " << label << result.value;
      EXPECT_TRUE(result.measured) << claim.id << " on " << label << ": " << result.reason;
      EXPECT_EQ(judge_code_trace(GetParam(), recording(label)).outcome, ExerciseOutcome::kFailed);
    }
  }
}

TEST_P(CodeExerciseTest, ThePlantedWrongSolutionIsToldWhatAClaimSays) {
  const CodeExercise& exercise = GetParam();
  const fs::path file = solution_path(exercise.chapter, exercise.file);
  if (!fs::exists(file)) GTEST_SKIP() << "this copy has no solutions";
  const WrongSolution wrong = wrong_solution(read_file(file), file);
  const std::vector<Claim> claims = read_claims(exercise.claims_file());
  EXPECT_TRUE(std::any_of(claims.begin(), claims.end(), [&](const Claim& claim) {
    return claim.otherwise.find(wrong.words) != std::string::npos;
  })) << wrong.words;
  EXPECT_FALSE(is_untouched(exercise, wrong.text));
  const auto found = find_code_exercise(file.parent_path() / (exercise.name() + ".wrong.cu"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->file, exercise.file);
}

/// What the programs of an exercise left on a GPU: exercises/solutions/NN_name/GPU/NAME.KIND.json.
class RecordedExerciseTest : public CodeExerciseTest {
 protected:
  void SetUp() override {
    const fs::path folder = solution_path(GetParam().chapter, "");
    if (!fs::exists(folder)) GTEST_SKIP() << "this copy has no solutions";
    for (const Recording& recording : read_manifest(folder).recordings) {
      if (recording.name.starts_with(GetParam().name() + ".")) recordings_.push_back(recording);
    }
  }

  /// Judges all of one kind ("wrong"), which must be of this source: else what they show is not
  /// true of it any more.
  std::vector<JudgedExercise> judged(const std::string& kind, const std::string& source) const {
    std::vector<JudgedExercise> out;
    for (const Recording& recording : recordings_) {
      if (!recording.name.ends_with("." + kind)) continue;
      const Trace trace = read_trace_file(recording.path).trace;
      const Json recorded = Json::parse(trace.head.member(kExerciseSource), nullptr, false);
      EXPECT_TRUE(recorded.is_string() && same_code(recorded.get<std::string>(), source))
          << recording.path
          << " was recorded by other code; on a GPU: make record ONLY=exercises N="
          << GetParam().number();
      EXPECT_EQ(trace.head.provenance.recording, GetParam().name());
      EXPECT_EQ(trace.head.provenance.chapter, "exercises/" + GetParam().chapter);
      out.push_back(judge_code_trace(GetParam(), recording.path));
    }
    EXPECT_FALSE(out.empty()) << "no recording of the kind " << kind;
    return out;
  }

  std::vector<Recording> recordings_;
};

TEST_P(RecordedExerciseTest, TheSolutionPassed) {
  const std::string source = read_file(solution_path(GetParam().chapter, GetParam().file));
  for (const JudgedExercise& one : judged("solution", source)) {
    EXPECT_EQ(one.outcome, ExerciseOutcome::kPassed) << one.says;
  }
}

TEST_P(RecordedExerciseTest, ThePlantedWrongOneWasToldWhy) {
  const fs::path file = solution_path(GetParam().chapter, GetParam().file);
  const WrongSolution wrong = wrong_solution(read_file(file), file);
  for (const JudgedExercise& one : judged("wrong", wrong.text)) {
    EXPECT_EQ(one.outcome, ExerciseOutcome::kFailed) << one.says;
    EXPECT_NE(one.says.find(wrong.words), std::string::npos) << one.says;
  }
}

TEST_P(RecordedExerciseTest, TheSkeletonFailedForAReasonOfItsOwn) {
  const fs::path file = solution_path(GetParam().chapter, GetParam().file);
  // Begun as cmake/exercises.cmake begins it.
  const std::string begun = skeleton_of(read_file(file), file) + "static_assert(true);\n";
  for (const JudgedExercise& one : judged("skeleton", begun)) {
    EXPECT_EQ(one.outcome, ExerciseOutcome::kFailed) << one.says;
    EXPECT_NE(one.says.find(" Expected: "), std::string::npos) << one.says;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RecordedExerciseTest, testing::ValuesIn(all_code_exercises()),
                         [](const auto& exercise) {
                           return exercise.param.number() + "_" + exercise.param.name();
                         });

INSTANTIATE_TEST_SUITE_P(All, CodeExerciseTest, testing::ValuesIn(all_code_exercises()),
                         [](const auto& exercise) {
                           return exercise.param.number() + "_" + exercise.param.name();
                         });

TEST(SteadyClockTest, TwoHundredProductsDoForARecordingAndNotForTheProgram) {
  const JudgedExercise judged = judged_as_own("exercises/07_variance/steady_clock.cu", {});
  EXPECT_EQ(judged.outcome, ExerciseOutcome::kFailed);
  EXPECT_NE(judged.says.find("too few products"), std::string::npos) << judged.says;
}

TEST(QuietBuffersTest, TheSizeIsReckoned) {
  const auto judged = [](const std::vector<double>& bytes) {
    return judged_as_own("exercises/04_active20_buffer_gaps/quiet_buffers.cu",
                         {"Buffer size", bytes});
  };
  for (const double bytes : {7.0 * 2048, 32768.0, 57344.0, 65536.0}) {
    EXPECT_EQ(judged({bytes}).outcome, ExerciseOutcome::kPassed) << bytes;
  }
  const double by_default = 4 << 20;
  for (const double bytes : {8192.0, 262144.0, by_default, 16 * by_default}) {
    const JudgedExercise missed = judged({bytes});
    EXPECT_EQ(missed.outcome, ExerciseOutcome::kFailed) << bytes;
    EXPECT_NE(missed.says.find("was not reckoned"), std::string::npos) << missed.says;
  }
  EXPECT_EQ(judged({}).outcome, ExerciseOutcome::kFailed) << "nobody says how many bytes";
}

TEST(OwnScheduleTest, EachStepIsAnsweredAsItShould) {
  const auto judged = [](const std::vector<double>& actions) {
    return judged_as_own("exercises/03_schedule_tweak/own_schedule.cu",
                         {"Profiler action", actions});
  };
  EXPECT_EQ(judged({0, 1, 2, 2, 3, 0, 0, 0}).outcome, ExerciseOutcome::kPassed);
  // The same steps are kept by a schedule that stops recording, and by one that warms up twice.
  for (const auto& actions :
       {std::vector<double>{0, 1, 2, 2, 2, 0, 0, 0}, {1, 1, 2, 2, 3, 0, 0, 0}}) {
    const JudgedExercise missed = judged(actions);
    EXPECT_EQ(missed.outcome, ExerciseOutcome::kFailed);
    EXPECT_NE(missed.says.find("kRecordAndSave"), std::string::npos) << missed.says;
  }
}

/// Programs that stand for a student's: scripts that take the same arguments.
class CodeAttemptTest : public testing::Test {
 protected:
  CodeAttemptTest()
      : exercise_(all_code_exercises().back()),
        good_(recording_file(exercise_.chapter, exercise_.like.front(), exercise_.file)) {
    write_file(attempt_.file, "int main() { return 0; }\n");
  }

  /// A program that does `script`; $2 is the trace that it should leave.
  void program(const std::string& script) {
    attempt_.program = folder_.path() / "program";
    write_file(attempt_.program, "#!/bin/sh\n" + script + "\n");
    fs::permissions(attempt_.program, fs::perms::owner_all);
  }

  /// The recording as a program of `source` would have left it.
  fs::path trace_of(const fs::path& recording, const std::string& source) {
    Trace trace = read_trace_file(recording).trace;
    trace.head.members.emplace_back(kExerciseSource, exercise_source_json(source));
    const fs::path file = folder_.path() / "made.json";
    write_file(file, write_trace_text(trace));
    return file;
  }

  ScratchFolder folder_;
  CodeExercise exercise_;
  fs::path good_;
  CodeAttempt attempt_{.file = folder_.path() / exercise_.chapter / exercise_.file,
                       .out = folder_.path() / "traces"};
};

TEST_F(CodeAttemptTest, ARunThatLeavesAGoodTracePasses) {
  const std::string source = read_file(attempt_.file);
  program("mkdir -p \"$(dirname \"$2\")\" && cp '" + trace_of(good_, source).string() + "' \"$2\"");
  EXPECT_EQ(judge_code_so_far(exercise_, attempt_).outcome, ExerciseOutcome::kNeedsGpu);
  const JudgedExercise judged = judge_code_exercise(exercise_, attempt_);
  EXPECT_EQ(judged.outcome, ExerciseOutcome::kPassed) << judged.says;
  EXPECT_TRUE(fs::exists(trace_of_attempt(exercise_, attempt_)));

  // Its trace is there now: the same source need not be built and run again.
  attempt_.program.clear();
  EXPECT_EQ(judge_code_exercise(exercise_, attempt_).outcome, ExerciseOutcome::kPassed);
  EXPECT_EQ(judge_code_so_far(exercise_, attempt_).outcome, ExerciseOutcome::kPassed);
  write_file(attempt_.file, "int main() { return 1; }\n");
  EXPECT_THROW(judge_code_exercise(exercise_, attempt_), InputError) << "it must be built";
  EXPECT_EQ(judge_code_so_far(exercise_, attempt_).outcome, ExerciseOutcome::kNeedsGpu);
}

TEST_F(CodeAttemptTest, ATraceOfAnEarlierRunIsNotTakenForThisOnes) {
  const fs::path trace = trace_of_attempt(exercise_, attempt_);
  write_file(trace, read_file(trace_of(good_, read_file(attempt_.file))));
  program("exit 0");
  const JudgedExercise judged = judge_code_exercise(exercise_, attempt_);
  EXPECT_EQ(judged.outcome, ExerciseOutcome::kFailed);
  EXPECT_NE(judged.says.find("left no trace"), std::string::npos) << judged.says;
}

TEST_F(CodeAttemptTest, AProgramOfAnotherSourceIsNoPass) {
  const std::string other = trace_of(good_, "int main() { return 2; }\n").string();
  program("mkdir -p \"$(dirname \"$2\")\" && cp '" + other + "' \"$2\"");
  const JudgedExercise judged = judge_code_exercise(exercise_, attempt_);
  EXPECT_EQ(judged.outcome, ExerciseOutcome::kFailed);
  EXPECT_NE(judged.says.find("another text"), std::string::npos) << judged.says;
  EXPECT_FALSE(judged.runs);
}

TEST_F(CodeAttemptTest, Utf16IsNamedAndNotCompiled) {
  write_file(attempt_.file, std::string("\xFF\xFEi\0n\0t\0", 8));
  for (const JudgedExercise& judged :
       {judge_code_exercise(exercise_, attempt_), judge_code_so_far(exercise_, attempt_)}) {
    EXPECT_EQ(judged.outcome, ExerciseOutcome::kFailed);
    EXPECT_EQ(judged.says, "the file is UTF-16; save it as UTF-8");
  }
}

TEST_F(CodeAttemptTest, ABrokenTraceOfAnEarlierRunIsNoObstacle) {
  write_file(trace_of_attempt(exercise_, attempt_), "{");
  EXPECT_EQ(judge_code_so_far(exercise_, attempt_).outcome, ExerciseOutcome::kNeedsGpu);
}

TEST_F(CodeAttemptTest, ATraceFromElsewhereIsJudgedIfThisSourceMadeIt) {
  attempt_.trace = trace_of(good_, read_file(attempt_.file));
  EXPECT_EQ(judge_code_exercise(exercise_, attempt_).outcome, ExerciseOutcome::kPassed);
  attempt_.trace = trace_of(good_, "int main() { return 2; }\n");
  const JudgedExercise foreign = judge_code_exercise(exercise_, attempt_);
  EXPECT_EQ(foreign.outcome, ExerciseOutcome::kFailed);
  EXPECT_NE(foreign.says.find("not recorded by this source"), std::string::npos) << foreign.says;
  EXPECT_FALSE(foreign.hint_helps);
  // A recording of a chapter was made by no source of an exercise.
  attempt_.trace = good_;
  EXPECT_EQ(judge_code_exercise(exercise_, attempt_).outcome, ExerciseOutcome::kFailed);
}

TEST_F(CodeAttemptTest, WithoutAGpuItIsNoPass) {
  program("echo 'true_fusion: needs a GPU: no driver' >&2; exit 77");
  const JudgedExercise judged = judge_code_exercise(exercise_, attempt_);
  EXPECT_EQ(judged.outcome, ExerciseOutcome::kNeedsGpu);
  EXPECT_NE(judged.says.find("no driver"), std::string::npos) << judged.says;
}

TEST_F(CodeAttemptTest, AProgramThatFailsSaysHow) {
  program("echo first; echo 'wrong result' >&2; exit 3");
  const JudgedExercise failed = judge_code_exercise(exercise_, attempt_);
  EXPECT_EQ(failed.outcome, ExerciseOutcome::kFailed);
  EXPECT_NE(failed.says.find("exit code 3"), std::string::npos) << failed.says;
  EXPECT_EQ(failed.detail, "wrong result\n");
  program("kill -SEGV $$");
  EXPECT_NE(judge_code_exercise(exercise_, attempt_).says.find("signal 11"), std::string::npos);
}

TEST_F(CodeAttemptTest, WhatNothingBuildsIsNamed) {
  try {
    judge_code_exercise(exercise_, attempt_);
    FAIL() << "it was judged";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--program"), std::string::npos) << error.what();
  }
}

TEST_F(CodeAttemptTest, SkeletonAsHandedOutIsNotStarted) {
  const auto original = original_skeleton(exercise_.chapter, exercise_.file);
  ASSERT_TRUE(original);
  write_file(attempt_.file, *original);
  EXPECT_EQ(judge_code_exercise(exercise_, attempt_).outcome, ExerciseOutcome::kNotStarted);
}

}  // namespace
}  // namespace tracebook
