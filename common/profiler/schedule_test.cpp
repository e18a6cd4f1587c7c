// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/schedule.h"

#include <gtest/gtest.h>

#include <string>

#include "common/trace/error.h"

namespace tracebook {
namespace {

/// One letter a step: . none, w warm-up, r record, S record and save.
std::string actions(const ScheduleOptions& options, std::int64_t steps) {
  const Schedule when = schedule(options);
  std::string text;
  for (std::int64_t step = 0; step < steps; ++step) {
    switch (when(step)) {
      case ProfilerAction::kNone:
        text += '.';
        break;
      case ProfilerAction::kWarmup:
        text += 'w';
        break;
      case ProfilerAction::kRecord:
        text += 'r';
        break;
      case ProfilerAction::kRecordAndSave:
        text += 'S';
        break;
    }
  }
  return text;
}

struct Case {
  ScheduleOptions options;
  std::string expected;
};

class ScheduleTable : public testing::TestWithParam<Case> {};

TEST_P(ScheduleTable, AsTorchAnswers) {
  const Case& it = GetParam();
  EXPECT_EQ(actions(it.options, static_cast<std::int64_t>(it.expected.size())), it.expected);
}

// What torch.profiler.schedule answers for the same arguments.
INSTANTIATE_TEST_SUITE_P(
    Torch, ScheduleTable,
    testing::Values(
        Case{{.wait = 1, .warmup = 1, .active = 3}, ".wrrS.wrrS.wrrS"},
        Case{{.wait = 1, .warmup = 1, .active = 3, .repeat = 1}, ".wrrS........."},
        Case{{.wait = 1, .warmup = 1, .active = 3, .repeat = 2}, ".wrrS.wrrS...."},
        Case{{.active = 1}, "SSSSS"}, Case{{.active = 20, .repeat = 1}, "rrrrrrrrrrrrrrrrrrrS...."},
        Case{{.warmup = 2, .active = 1}, "wwSwwSwwS"}, Case{{.wait = 2, .active = 2}, "..rS..rS"},
        Case{{.skip_first = 3, .wait = 1, .warmup = 1, .active = 2}, "....wrS.wrS"},
        Case{{.skip_first = 3, .wait = 1, .warmup = 1, .active = 2, .repeat = 1}, "....wrS....."},
        Case{{.skip_first = 3, .wait = 4, .warmup = 1, .active = 2, .skip_first_wait = true},
             "...wrS....wrS...."},
        Case{{.wait = 4, .warmup = 1, .active = 2, .repeat = 1, .skip_first_wait = true},
             "wrS.........."}));

TEST(Schedule, RefusesWhatTorchRefuses) {
  EXPECT_THROW(schedule({.active = 0}), UsageError);
  EXPECT_THROW(schedule({.wait = -1, .active = 1}), UsageError);
  EXPECT_THROW(schedule({.warmup = -1, .active = 1}), UsageError);
  EXPECT_THROW(schedule({.skip_first = -1, .active = 1}), UsageError);
  EXPECT_THROW(schedule({.active = 1, .repeat = -1}), UsageError);
  EXPECT_THROW(schedule({.active = 1})(-1), UsageError);
}

TEST(Schedule, NamesTheArgument) {
  try {
    schedule({.warmup = -2, .active = 1});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()), "schedule: warmup is -2, expected 0 or more");
    EXPECT_EQ(error.exit_code(), 2);
  }
}

}  // namespace
}  // namespace tracebook
