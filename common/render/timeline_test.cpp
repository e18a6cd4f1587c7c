// SPDX-License-Identifier: Apache-2.0
//
// The timeline against approved pictures in testdata/, and what must hold of every picture. After a
// deliberate change: TRACEBOOK_APPROVE=1 writes the pictures anew; look at them before you commit.
#include "common/render/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "common/render/terminal.h"
#include "common/trace/file.h"
#include "common/trace/hand_made.h"
#include "common/trace/reader.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

const fs::path kExpected = TRACEBOOK_SOURCE_DIR "/expected";
const fs::path kApproved = TRACEBOOK_SOURCE_DIR "/common/render/testdata";

std::string render(const Trace& trace, const TimelineOptions& options = {}) {
  return render_timeline(trace, build_structure(trace), options);
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

struct Golden {
  const char* name;
  const char* trace;
  TimelineOptions options;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

class TimelineGolden : public testing::TestWithParam<Golden> {};

TEST_P(TimelineGolden, IsAsApproved) {
  const Golden& golden = GetParam();
  const Trace trace = read_trace_file(kExpected / golden.trace).trace;
  const std::string drawn = render(trace, golden.options);
  const fs::path file = kApproved / (std::string(golden.name) + ".txt");
  if (std::getenv("TRACEBOOK_APPROVE") != nullptr) {
    std::ofstream(file, std::ios::binary) << drawn;
    GTEST_SKIP() << "approved anew: " << golden.name;
  }
  ASSERT_TRUE(fs::exists(file)) << "TRACEBOOK_APPROVE=1 writes it";
  EXPECT_EQ(drawn, read_file(file)) << "if that is better, TRACEBOOK_APPROVE=1 approves it";
}

INSTANTIATE_TEST_SUITE_P(
    Timeline, TimelineGolden,
    testing::Values(
        Golden{"cold_64", "torch_parity/torch-h200/01_cold_64.json.gz", {}},
        Golden{"cold_4096", "torch_parity/torch-h200/01_cold_4096.json.gz", {}},
        Golden{"cold_4096_narrow",
               "torch_parity/torch-h200/01_cold_4096.json.gz",
               {.width = 40, .ascii = true, .only_step = 3}},
        Golden{
            "buffer_request", "torch_parity/torch-h200/03_schedule_64.json.gz", {.only_step = 0}},
        Golden{"active20", "torch_parity/torch-h200/04_active20_64.json.gz", {.max_steps = 1}},
        Golden{"cuda_graph", "torch_parity/planted-h200/cuda_graph.json.gz", {.max_steps = 1}},
        Golden{"gpt_decode", "torch_parity/planted-h200/gpt_decode.json.gz", {.only_step = 2}}),
    [](const testing::TestParamInfo<Golden>& golden) { return std::string(golden.param.name); });

/// A trace with everything that a picture can hold, and names that try to break it.
Trace rich() {
  HandMade made;
  made.op("aten::训练\033[31m", 0, 900'000);
  std::int64_t correlation = 1;
  for (std::int64_t step = 0; step < 12; ++step) {
    const std::int64_t at = 1'000'000 + step * 500'000;
    made.annotation("ProfilerStep#" + std::to_string(step), at, at + 480'000);
    made.annotation("range", at + 40'000, at + 470'000);
    std::int64_t start = at + 100'000;
    std::int64_t end = at + 460'000;
    for (int level = 0; level < 14; ++level) {
      made.op("op\n" + std::to_string(level), start += 3'000, end -= 3'000);
    }
    for (int call = 0; call < 40; ++call) {
      const std::int64_t launch = start + 4'000 + call * 1'000;
      made.call("cudaLaunchKernel", launch, launch + 700, {.correlation = correlation});
      made.kernel("kernel<" + std::to_string(call) + ", (a)>::\xFF", launch + 5'000,
                  launch + 25'000, {.stream = call % 6, .correlation = correlation});
      ++correlation;
    }
    for (std::int64_t thread = 2; thread < 8; ++thread) {
      made.op("backward", at + 10'000 * thread, at + 200'000, {.tid = thread});
    }
    made.overhead("Activity Buffer Request", at + 300'000, at + 320'000);
  }
  made.call("cudaDeviceSynchronize", 7'000'000, 7'500'000);
  return std::move(made.trace);
}

TEST(Timeline, NoLineIsLongerThanTheWidth) {
  const Trace trace = rich();
  for (int width = 40; width <= 400; width += width < 100 ? 1 : 37) {
    for (const bool ascii : {false, true}) {
      for (const std::string& line : split_lines(render(trace, {.width = width, .ascii = ascii}))) {
        ASSERT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
        ASSERT_TRUE(line.empty() || line.back() != ' ') << line;
        for (const char c : line) {
          const auto byte = static_cast<unsigned char>(c);
          ASSERT_TRUE(byte >= 0x20 && (!ascii || byte < 0x7F)) << line;
        }
      }
    }
  }
}

TEST(Timeline, WidthsBeyondTheLimitsAreTheLimits) {
  const Trace trace = rich();
  EXPECT_EQ(render(trace, {.width = -3}), render(trace, {.width = 40}));
  EXPECT_EQ(render(trace, {.width = 100'000}), render(trace, {.width = 400}));
}

TEST(Timeline, ColoursAreOnlyDecoration) {
  const Trace trace = rich();
  const std::string plain = render(trace);
  std::string colored = render(trace, {.color = true});
  EXPECT_NE(plain, colored);
  for (std::size_t at = colored.find('\033'); at != std::string::npos; at = colored.find('\033')) {
    colored.erase(at, colored.find('m', at) - at + 1);
  }
  EXPECT_EQ(plain, colored);
}

TEST(Timeline, SaysWhatItLeavesOut) {
  const std::string text = render(rich());
  EXPECT_TRUE(has(text, "… 7 more steps, from #5 on")) << text;
  EXPECT_TRUE(has(text, "deeper levels")) << text;
  EXPECT_TRUE(has(text, "… 4 more threads")) << text;
  EXPECT_TRUE(has(text, "… 2 more streams")) << text;
  EXPECT_TRUE(has(text, "… others")) << text;
  EXPECT_TRUE(has(text, "Before the steps")) << text;
  EXPECT_TRUE(has(text, "After the steps")) << text;
}

TEST(Timeline, ATinyKernelShows) {
  HandMade made;
  made.annotation("ProfilerStep#0", 0, 10'000'000);
  made.call("cudaLaunchKernel", 5'000'000, 5'004'000, {.correlation = 1});
  made.kernel("tiny", 5'010'000, 5'010'500, {.correlation = 1});
  const std::string text = render(made.trace);
  EXPECT_TRUE(has(text, "\nCUDA API" + std::string(36, ' ') + "A\n")) << text;
  EXPECT_TRUE(has(text, "\nGPU" + std::string(41, ' ') + "A\n")) << text;
  EXPECT_TRUE(has(text, "▁")) << text;
  EXPECT_TRUE(has(text, "A tiny      1  0.5 µs  10.0 µs")) << text;
}

TEST(Timeline, ARuntimeCallHasTheLetterOfTheDriverCallWithin) {
  HandMade made;
  made.op("aten::mm", 0, 80'000);
  made.call("cudaLaunchKernel", 10'000, 50'000, {.correlation = 1});
  made.driver_call("cuLaunchKernel", 20'000, 40'000, {.correlation = 2});
  made.kernel("gemm", 60'000, 70'000, {.correlation = 2});
  EXPECT_TRUE(has(render(made.trace), "A cudaLaunchKernel")) << render(made.trace);
}

TEST(Timeline, GapBeforeTheFirstOpIsMeasured) {
  HandMade made;
  made.annotation("ProfilerStep#0", 0, 100'000);
  made.annotation("matmul_add", 10'000, 95'000);
  made.op("aten::matmul", 60'000, 90'000);
  EXPECT_TRUE(has(render(made.trace), " 50.0 µs ·")) << render(made.trace);
}

TEST(Timeline, WorkFarBeyondTheStepIsSaid) {
  HandMade made;
  made.annotation("ProfilerStep#0", 0, 10'000);
  made.call("cudaLaunchKernel", 5'000, 6'000, {.correlation = 1});
  made.kernel("late", 1'000'000, 2'000'000, {.correlation = 1});
  EXPECT_TRUE(has(render(made.trace), "ends 2.00 ms after the step's start")) << render(made.trace);
}

TEST(Timeline, WithoutStepsItIsOnePicture) {
  HandMade made;
  made.op("aten::mm", 0, 100'000);
  const std::string text = render(made.trace);
  EXPECT_TRUE(text.starts_with("Whole trace · 100.0 µs\n")) << text;
  EXPECT_FALSE(has(text, "GPU")) << text;
}

TEST(Timeline, WhatAnOpenStepHoldsStandsAfterTheOthers) {
  constexpr std::int64_t kForever = std::int64_t{1} << 60;
  HandMade made;
  made.annotation("ProfilerStep#1", 0, 1000);
  made.op("aten::mm", 100, 900);
  made.annotation("ProfilerStep#2", 1000, kForever);
  made.op("aten::late", 1100, 1900);
  const std::string text = render(made.trace);
  EXPECT_TRUE(has(text, "After the steps")) << text;
  EXPECT_TRUE(has(text, "aten::late")) << text;
  EXPECT_TRUE(has(render(made.trace, {.only_step = 2}), "no possible length"));
  HandMade alone;
  alone.annotation("ProfilerStep#2", 1000, kForever);
  alone.op("aten::late", 1100, 1900);
  EXPECT_TRUE(has(render(alone.trace), "aten::late")) << render(alone.trace);
}

TEST(Timeline, NothingToDraw) {
  EXPECT_TRUE(render({}).starts_with("The trace holds no work. Usual causes: the schedule never"));
  HandMade made;
  made.add(Category::kSync, TrackKind::kOther, "Stream Wait Event", 0, 10, {});
  EXPECT_TRUE(render(made.trace).starts_with("None of the trace's 1 timed event is an op,"));
}

TEST(Timeline, AHugeTraceStaysAPageAndQuick) {
  HandMade made;
  std::int64_t at = 0;
  for (std::int64_t step = 0; step < 5'000; ++step) {
    made.annotation("ProfilerStep#" + std::to_string(step), at, at + 50'000);
    for (std::int64_t call = 0; call < 20; ++call) {
      const std::int64_t launch = at + call * 2'000;
      const std::int64_t id = step * 20 + call;
      made.op("aten::op" + std::to_string(call), launch, launch + 1'900);
      made.call("cudaLaunchKernel", launch + 100, launch + 900, {.correlation = id});
      made.kernel("kernel" + std::to_string(call), at + 60'000, at + 61'000, {.correlation = id});
    }
    at += 51'000;
  }
  const Structure structure = build_structure(made.trace);
  const auto start = std::chrono::steady_clock::now();
  const std::string text = render_timeline(made.trace, structure);
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(split_lines(text).size(), 130U);
  // 300,000 events take some 10 ms; the bound is for sanitizers and busy machines.
  EXPECT_LT(std::chrono::duration<double>(took).count(), 1.0);
  EXPECT_LT(split_lines(render_timeline(made.trace, structure, {.width = 400})).size(), 130U);
}

TEST(Timeline, ManyRangesInOneRowAreALine) {
  HandMade made;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    made.op("op" + std::to_string(i % 50), i * 1'000, i * 1'000 + 900);
  }
  EXPECT_LT(split_lines(render(made.trace)).size(), 10U);
}

}  // namespace
}  // namespace tracebook
