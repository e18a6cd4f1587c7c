// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/record_function.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tracebook {
namespace {

RangeLog stop() { return stop_ranges(clock_now_ns()); }

std::vector<std::string> names(const RangeLog& log) {
  std::vector<std::string> result;
  for (const RangeRecord& range : log.ranges) result.emplace_back(range.name);
  return result;
}

TEST(RecordFunction, KeepsRangesParentsFirst) {
  start_ranges();
  {
    const RecordFunction outer("matmul_add");
    { const RecordFunction op("aten::mm", RangeKind::kCpuOp); }
    { const RecordFunction op("aten::add", RangeKind::kCpuOp); }
  }
  const RangeLog log = stop();
  ASSERT_EQ(names(log), (std::vector<std::string>{"matmul_add", "aten::mm", "aten::add"}));
  const auto& [outer, mm, add] = std::tie(log.ranges[0], log.ranges[1], log.ranges[2]);
  EXPECT_EQ(outer.kind, RangeKind::kUserAnnotation);
  EXPECT_EQ(mm.kind, RangeKind::kCpuOp);
  EXPECT_LE(outer.start_ns, mm.start_ns);
  EXPECT_LE(mm.start_ns, mm.end_ns);
  EXPECT_LE(mm.end_ns, add.start_ns);
  EXPECT_LE(add.end_ns, outer.end_ns);
  EXPECT_EQ(log.cut, 0);
}

TEST(RecordFunction, KeepsNothingWhileOff) {
  { const RecordFunction range("before"); }
  start_ranges();
  stop();
  { const RecordFunction range("after"); }
  start_ranges();
  { const RecordFunction range("inside"); }
  EXPECT_EQ(names(stop()), std::vector<std::string>{"inside"});
}

TEST(RecordFunction, CopiesNames) {
  start_ranges();
  {
    std::string name = "ProfilerStep#17";
    const RecordFunction range(name);
    name = "overwritten by now";
  }
  EXPECT_EQ(names(stop()), std::vector<std::string>{"ProfilerStep#17"});
}

TEST(RecordFunction, TakesAnyName) {
  const std::string large(200'000, 'x');
  start_ranges();
  { const RecordFunction range(""); }
  { const RecordFunction range(large); }
  { const RecordFunction range("small"); }
  EXPECT_EQ(names(stop()), (std::vector<std::string>{"", large, "small"}));
}

TEST(RecordFunction, LeavesOutRangesOpenAtTheStart) {
  RangeLog log;
  {
    const RecordFunction early("early");
    start_ranges();
    { const RecordFunction inside("inside"); }
  }
  EXPECT_EQ(names(stop()), std::vector<std::string>{"inside"});
}

TEST(RecordFunction, CutsRangesOpenAtTheEnd) {
  start_ranges();
  std::int64_t end_ns = 0;
  RangeLog log;
  {
    const RecordFunction late("late");
    end_ns = clock_now_ns();
    log = stop_ranges(end_ns);
  }
  ASSERT_EQ(names(log), std::vector<std::string>{"late"});
  EXPECT_EQ(log.ranges[0].end_ns, end_ns);
  EXPECT_EQ(log.cut, 1);
}

TEST(RecordFunction, ARangeThatOutlivesItsWindowHarmsNoOther) {
  start_ranges();
  RangeLog second;
  {
    const RecordFunction straddling("straddling");
    stop();
    start_ranges();
    // Takes the same place in the thread's buffer.
    const RecordFunction open("open");
    second = RangeLog{};
  }
  { const RecordFunction closed("closed"); }
  second = stop();
  ASSERT_EQ(names(second), (std::vector<std::string>{"open", "closed"}));
  EXPECT_EQ(second.cut, 0);
  EXPECT_LE(second.ranges[0].end_ns, second.ranges[1].start_ns);
}

TEST(RecordFunction, KeepsMoreThanAChunk) {
  constexpr int kRanges = 20'000;
  start_ranges();
  for (int i = 0; i < kRanges; ++i) const RecordFunction range("range " + std::to_string(i));
  const RangeLog log = stop();
  ASSERT_EQ(log.ranges.size(), kRanges);
  for (int i = 0; i < kRanges; ++i) {
    ASSERT_EQ(log.ranges[static_cast<std::size_t>(i)].name, "range " + std::to_string(i));
  }
}

TEST(RecordFunction, KeepsThreadsApartEvenEndedOnes) {
  constexpr int kThreads = 8;
  constexpr int kRanges = 5'000;
  for (int window = 0; window < 3; ++window) {
    start_ranges();
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([t] {
        for (int i = 0; i < kRanges; ++i) const RecordFunction range(std::to_string(t));
      });
    }
    for (std::thread& thread : threads) thread.join();
    const RangeLog log = stop();
    ASSERT_EQ(log.ranges.size(), kThreads * kRanges);
    std::set<std::pair<std::string, std::int64_t>> name_and_thread;
    for (const RangeRecord& range : log.ranges) {
      name_and_thread.emplace(range.name, range.thread);
    }
    EXPECT_EQ(name_and_thread.size(), kThreads);
  }
}

TEST(RecordFunction, StopsWhileOthersRecord) {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!done) {
        const RecordFunction outer("outer");
        const RecordFunction inner("inner", RangeKind::kCpuOp);
      }
    });
  }
  for (int window = 0; window < 50; ++window) {
    start_ranges();
    const RecordFunction mine("mine");
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    const std::int64_t end_ns = clock_now_ns();
    const RangeLog log = stop_ranges(end_ns);
    for (const RangeRecord& range : log.ranges) {
      ASSERT_LE(range.start_ns, range.end_ns);
      ASSERT_LE(range.end_ns, end_ns);
      ASSERT_TRUE(range.name == "outer" || range.name == "inner" || range.name == "mine");
    }
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
}

std::vector<std::uint64_t> pushed;
int popped = 0;

TEST(RecordFunction, TellsCuptiOfRangesInPairs) {
  pushed.clear();
  popped = 0;
  start_ranges({.push = [](RangeKind, std::uint64_t id) noexcept { pushed.push_back(id); },
                .pop = [](RangeKind) noexcept { ++popped; }});
  RangeLog log;
  {
    const RecordFunction outer("outer");
    { const RecordFunction inner("inner", RangeKind::kCpuOp); }
    log = stop();
  }
  ASSERT_EQ(log.ranges.size(), 2);
  EXPECT_EQ(pushed, (std::vector<std::uint64_t>{log.ranges[0].push_id, log.ranges[1].push_id}));
  // The outer one too, though its window had ended: CUPTI's stack must not grow.
  EXPECT_EQ(popped, 2);
}

}  // namespace
}  // namespace tracebook
