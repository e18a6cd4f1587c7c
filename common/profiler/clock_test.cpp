// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace tracebook {
namespace {

std::int64_t system_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

TEST(Clock, TellsTheDate) {
  start_clock();
  // A wall clock that is being corrected may move some milliseconds; an error of the line's units
  // would be hours.
  EXPECT_LT(std::abs(clock_now_ns() - system_ns()), 1'000'000'000);
}

TEST(Clock, MeasuresDurationsAsTheSystemDoes) {
  start_clock();
  const auto before = std::chrono::steady_clock::now();
  const std::int64_t start = clock_now_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const std::int64_t measured = clock_now_ns() - start;
  const auto expected = std::chrono::duration_cast<std::chrono::nanoseconds>(
                            std::chrono::steady_clock::now() - before)
                            .count();
  // Within 1 in 1,000 plus what the scheduler may do between the readings.
  EXPECT_NEAR(static_cast<double>(measured), static_cast<double>(expected),
              static_cast<double>(expected) / 1000 + 2e6);
}

TEST(Clock, NeverGoesBack) {
  start_clock();
  std::uint64_t last_ticks = clock_ticks();
  std::int64_t last_ns = clock_ns(last_ticks);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t ticks = clock_ticks();
    const std::int64_t ns = clock_ns(ticks);
    ASSERT_GE(ticks, last_ticks);
    ASSERT_GE(ns, last_ns);
    last_ticks = ticks;
    last_ns = ns;
  }
}

TEST(Clock, ConvertsTicksFromBeforeItsBase) {
  start_clock();
  const std::uint64_t now = clock_ticks();
  const std::int64_t earlier = clock_ns(now - 1'000'000'000);
  EXPECT_LT(earlier, clock_ns(now));
  EXPECT_GT(earlier, clock_ns(now) - 100'000'000'000);
}

}  // namespace
}  // namespace tracebook
