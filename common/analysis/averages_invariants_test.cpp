// SPDX-License-Identifier: Apache-2.0
//
// What holds of the table of any trace: of recordings, and of traces made at random.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/analysis/averages.h"
#include "common/trace/error.h"
#include "common/trace/hand_made.h"
#include "common/trace/reader.h"

namespace tracebook {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t recorded_work_ns(const Trace& trace) {
  std::int64_t sum = 0;
  for (SliceId id = 0; id < trace.slices.size(); ++id) {
    if (is_device_work(trace.slices.category[id]) && !has_impossible_time(trace, id)) {
      sum += trace.slices.dur_ns[id];
    }
  }
  return sum;
}

bool same(const Averages& left, const Averages& right) {
  return averages_json(left) == averages_json(right) &&
         left.self_cpu_total_ns == right.self_cpu_total_ns &&
         left.self_device_total_ns == right.self_device_total_ns;
}

/// Whether ranges nest, and none has one of its own name inside: then no share exceeds 100 %.
bool is_plain_tree(const Trace& trace, const Structure& structure) {
  const Slices& slices = trace.slices;
  for (const SliceId id : structure.cpu_order) {
    for (SliceId up = structure.parent[id]; up != kNoSlice; up = structure.parent[up]) {
      if (slices.name[up] == slices.name[id]) return false;
    }
  }
  for (std::size_t t = 0; t + 1 < structure.thread_begin.size(); ++t) {
    std::vector<std::int64_t> ends;
    for (auto i = structure.thread_begin[t]; i < structure.thread_begin[t + 1]; ++i) {
      const SliceId id = structure.cpu_order[i];
      while (!ends.empty() && ends.back() <= slices.ts_ns[id]) ends.pop_back();
      if (!ends.empty() && ends.back() < slices.end_ns(id)) return false;
      ends.push_back(slices.end_ns(id));
    }
  }
  return true;
}

void expect_invariants(const Trace& trace) {
  const Structure structure = build_structure(trace);
  const Averages averages = key_averages(trace, structure);
  std::int64_t self_cpu = 0;
  std::int64_t work = 0;
  std::int64_t self_device_of_ops = 0;
  for (const AverageRow& row : averages.rows) {
    SCOPED_TRACE(row.key);
    self_cpu += row.self_cpu_ns;
    EXPECT_GT(row.count, 0);
    if (row.device_type == DeviceType::kCuda) {
      EXPECT_EQ(row.cpu_ns, 0) << "device work takes no CPU time";
      if (!row.is_span) work += row.self_device_ns;
    } else {
      EXPECT_FALSE(row.is_span);
      self_device_of_ops += row.self_device_ns;
    }
    if (!row.is_span) {
      EXPECT_LE(row.self_device_ns, averages.self_device_total_ns);
    }
  }
  EXPECT_EQ(self_cpu, averages.self_cpu_total_ns);
  EXPECT_EQ(work, averages.self_device_total_ns) << "spans are no work";
  EXPECT_EQ(work, recorded_work_ns(trace)) << "every kernel counts once";
  EXPECT_LE(self_device_of_ops, work) << "a kernel has one op at most";
  if (is_plain_tree(trace, structure)) {
    for (const AverageRow& row : averages.rows) {
      SCOPED_TRACE(row.key);
      EXPECT_LE(row.self_cpu_ns, averages.self_cpu_total_ns);
      EXPECT_LE(row.cpu_ns, averages.self_cpu_total_ns);
      if (!row.is_span) {
        EXPECT_LE(row.device_ns, averages.self_device_total_ns);
      }
    }
  }

  EXPECT_TRUE(same(averages, key_averages(trace, structure))) << "asked twice";
  EXPECT_TRUE(same(averages, key_averages(trace, build_structure(trace))));

  const Averages by_step = key_averages(trace, structure, {.by_step = true, .stats = true});
  EXPECT_EQ(by_step.self_cpu_total_ns, averages.self_cpu_total_ns);
  EXPECT_EQ(by_step.self_device_total_ns, averages.self_device_total_ns);
  std::int64_t calls = 0;
  for (const AverageRow& row : by_step.rows) {
    calls += row.count;
    const std::int64_t sum = row.device_type == DeviceType::kCpu ? row.cpu_ns : row.device_ns;
    EXPECT_LE(row.calls->min_ns * row.count, sum);
    EXPECT_GE(row.calls->max_ns * row.count, sum);
    EXPECT_LE(row.calls->min_ns, row.calls->median_ns);
    EXPECT_LE(row.calls->median_ns, row.calls->max_ns);
    EXPECT_GE(row.calls->spread_ns, 0);
  }
  for (const AverageRow& row : averages.rows) calls -= row.count;
  EXPECT_EQ(calls, 0) << "steps share the calls out";
}

/// Ranges that nest, launches in some of them, their kernels later on one of two streams.
class RandomTrace {
 public:
  explicit RandomTrace(unsigned seed) : random_(seed) {
    for (std::int64_t thread = 1; thread <= 2; ++thread) {
      for (std::int64_t step = 0; step < 4; ++step) {
        const std::int64_t start = step * 100'000;
        made_.annotation("ProfilerStep#" + std::to_string(step), start, start + 90'000,
                         {.tid = thread});
        fill(start + 1'000, start + 89'000, 0, thread);
      }
    }
  }
  [[nodiscard]] const Trace& trace() const { return made_.trace; }

 private:
  std::int64_t up_to(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random_);
  }
  void fill(std::int64_t start, std::int64_t end, int depth, std::int64_t thread) {
    while (end - start > 200) {
      const std::int64_t from = start + up_to((end - start) / 4);
      const std::int64_t to = from + 1 + up_to((end - from) / 2);
      if (depth == 4 || up_to(3) == 0) {
        launch(from, to, thread);
      } else {
        // A name of its own at each depth, so that no range holds one of its name.
        made_.op("op" + std::to_string(depth) + std::to_string(up_to(2)), from, to,
                 {.tid = thread});
        fill(from, to, depth + 1, thread);
      }
      start = to;
    }
  }
  void launch(std::int64_t from, std::int64_t to, std::int64_t thread) {
    const std::int64_t correlation = ++correlation_;
    made_.call("cudaLaunchKernel", from, to, {.tid = thread, .correlation = correlation});
    const std::int64_t kernels = up_to(2);
    for (std::int64_t i = 0; i < kernels; ++i) {
      const std::int64_t begin = to + up_to(500);
      made_.kernel("kernel" + std::to_string(up_to(3)), begin, begin + up_to(900),
                   {.stream = 7 + up_to(1), .correlation = correlation});
    }
    made_.gpu_span("ProfilerStep#0", from, to + up_to(100'000));
  }

  std::mt19937 random_;
  HandMade made_;
  std::int64_t correlation_ = 0;
};

TEST(AveragesInvariants, OfTracesMadeAtRandom) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTrace random(seed);
    ASSERT_TRUE(is_plain_tree(random.trace(), build_structure(random.trace())));
    expect_invariants(random.trace());
  }
}

TEST(AveragesInvariants, OfAllRecordings) {
  namespace fs = std::filesystem;
  int count = 0;
  int plain = 0;
  for (const auto& entry : fs::recursive_directory_iterator(TRACEBOOK_SOURCE_DIR "/expected")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json.gz") && !name.ends_with(".json")) continue;
    ReadResult read;
    try {
      read = read_trace_file(entry.path());
    } catch (const InputError&) {
      continue;  // other JSON of ours
    }
    SCOPED_TRACE(name);
    ++count;
    plain += is_plain_tree(read.trace, build_structure(read.trace)) ? 1 : 0;
    expect_invariants(read.trace);
  }
  EXPECT_GE(count, 40);
  EXPECT_GE(plain, 5) << "else the shares were hardly looked at";
}

TEST(AveragesInvariants, ImpossibleTimesAreLeftOut) {
  HandMade made;
  made.annotation("ProfilerStep#0", 0, kMost);
  made.annotation("ProfilerStep#0", 0, kMost);  // twice: their sum is beyond any int64
  made.op("left open", 10, kMost);
  made.op("aten::mm", 20, 120);
  made.call("cudaLaunchKernel", 30, 60, {.correlation = 1});
  made.kernel("gemm", 100, 150, {.correlation = 1});
  made.kernel("open kernel", 100, kMost);
  made.kernel("open kernel", 100, kMost);
  made.gpu_span("open span", 5, kMost);
  const Averages averages = key_averages(made.trace, build_structure(made.trace));
  std::set<std::string> keys;
  for (const AverageRow& row : averages.rows) keys.insert(row.key);
  EXPECT_EQ(keys, (std::set<std::string>{"aten::mm", "cudaLaunchKernel", "gemm"}));
  EXPECT_EQ(averages.self_cpu_total_ns, 100);
  EXPECT_EQ(averages.self_device_total_ns, 50);
  EXPECT_EQ(averages.rows[0].self_device_ns, 50) << "the op inside keeps its kernel";
  expect_invariants(made.trace);
}

TEST(AveragesInvariants, WorkOfARangeOfImpossibleTimeGoesToTheOneAroundIt) {
  HandMade made;
  made.op("left open", 10, kMost);
  made.call("cudaLaunchKernel", 30, 60, {.correlation = 1});
  made.kernel("gemm", 100, 150, {.correlation = 1});
  const Averages averages = key_averages(made.trace, build_structure(made.trace));
  ASSERT_EQ(averages.rows.size(), 2U);
  EXPECT_EQ(averages.rows[0].key, "cudaLaunchKernel");
  EXPECT_EQ(averages.self_device_total_ns, 50) << "there is no other: it belongs to nobody";
}

TEST(AveragesInvariants, SumsOfManyDaysEndAtTheLargestNumber) {
  constexpr std::int64_t kDay_ns = 86'400'000'000'000;
  HandMade made;
  for (int i = 0; i < 107'000; ++i) made.kernel("long", i, i + kDay_ns);
  const Averages averages = key_averages(made.trace, build_structure(made.trace));
  ASSERT_EQ(averages.rows.size(), 1U);
  EXPECT_EQ(averages.rows[0].self_device_ns, kMost);
  EXPECT_EQ(averages.self_device_total_ns, kMost);
}

}  // namespace
}  // namespace tracebook
