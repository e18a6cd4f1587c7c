// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "common/trace/error.h"

namespace tracebook {
namespace {

TEST(Process, OutputAndErrorsAreKeptInTheirOrder) {
  const ProcessEnd end =
      run_process({"sh", "-c", "echo one; echo two >&2; echo three; exit 7"}, Output::kKept);
  EXPECT_EQ(end.exit_code, 7);
  EXPECT_EQ(end.output, "one\ntwo\nthree\n");
}

TEST(Process, WordsAreNotTakenApart) {
  const ProcessEnd end = run_process({"printf", "%s|", "a b", "$HOME", ";"}, Output::kKept);
  EXPECT_EQ(end.output, "a b|$HOME|;|");
}

TEST(Process, MoreOutputThanAPipeHolds) {
  const ProcessEnd end = run_process({"sh", "-c", "head -c 300000 /dev/zero"}, Output::kKept);
  EXPECT_EQ(end.output.size(), 300000U);
}

TEST(Process, DroppedOutputIsNotReturned) {
  EXPECT_EQ(run_process({"echo", "nothing"}, Output::kDropped).output, "");
}

TEST(Process, ASignalIsNoExitCodeOfItsOwn) {
  EXPECT_EQ(run_process({"sh", "-c", "kill -TERM $$"}, Output::kKept).exit_code, 128 + 15);
}

TEST(Process, WhatDoesNotEndIsKilledAfterItsTime) {
  const auto began = std::chrono::steady_clock::now();
  const ProcessEnd end = run_process({"sh", "-c", "echo begun; exec sleep 1000"}, Output::kKept,
                                     std::chrono::milliseconds{300});
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.output, "begun\n");
  EXPECT_EQ(end.exit_code, 128 + 9);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{100});
  EXPECT_FALSE(run_process({"true"}, Output::kKept, std::chrono::minutes{5}).timed_out);
}

TEST(Process, WhatIsNotThereIsNamed) {
  try {
    run_process({"no-such-program-here"}, Output::kKept);
    FAIL() << "it was started";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no-such-program-here"), std::string::npos);
  }
}

}  // namespace
}  // namespace tracebook
