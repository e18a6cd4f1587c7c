// SPDX-License-Identifier: Apache-2.0
#include "common/render/compare_text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "common/render/terminal.h"
#include "common/trace/reader.h"

namespace tracebook {
namespace {

Comparison comparison_of(const std::string& a, const std::string& b) {
  const std::filesystem::path folder = std::filesystem::path(TRACEBOOK_SOURCE_DIR) / "expected";
  const Trace trace_a = read_trace_file(folder / a).trace;
  const Trace trace_b = read_trace_file(folder / b).trace;
  const Structure structure_a = build_structure(trace_a);
  const Structure structure_b = build_structure(trace_b);
  return compare_traces({trace_a, structure_a, a}, {trace_b, structure_b, b});
}

const std::string kEager = "torch_parity/torch-h200/06_warmup_4096.json.gz";
const std::string kCompiled = "torch_parity/torch-h200/09_compile_4096.json.gz";
const std::string kOurs = "01_cold_trace/h200/64_bf16_cold_eager.json";
const std::string kCpuOnly = "01_cold_trace/h200/64_bf16_cold_eager_cpu.json";
const std::string kTorch = "01_cold_trace/torch/01_cold_64.json";

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(CompareText, NoLineIsWiderThanAsked) {
  for (const auto& [a, b] :
       {std::pair{kEager, kCompiled}, {kTorch, kOurs}, {kOurs, kCpuOnly}, {kEager, kEager}}) {
    const Comparison comparison = comparison_of(a, b);
    for (const std::size_t width : {40U, 59U, 60U, 80U, 120U}) {
      for (const bool ascii : {false, true}) {
        std::istringstream lines(
            comparison_text(comparison, {.width = width, .row_limit = 100, .ascii = ascii}));
        std::string line;
        while (std::getline(lines, line)) {
          EXPECT_LE(display_width(line), width) << line;
          if (ascii) {
            for (const char c : line) EXPECT_LT(static_cast<unsigned char>(c), 0x80U) << line;
          }
        }
      }
    }
  }
}

TEST(CompareText, SaysWhatChanged) {
  const std::string text = comparison_text(comparison_of(kEager, kCompiled));
  EXPECT_TRUE(has(text, "Verdict: no difference beyond the spread")) << text;
  EXPECT_TRUE(has(text,
                  "aten::mm → aten::addmm\n"
                  "    A  nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT\n"
                  "    B  nvjet_sm90_tst_256x128_64x4_1x2_h_badd_coopA_NNT\n"))
      << text;
  EXPECT_TRUE(has(text, "0→1 new       Memcpy DtoD")) << text;
  EXPECT_TRUE(has(text, "1→0 gone      aten::mm")) << text;
}

TEST(CompareText, NarrowTerminalKeepsFiguresAndChanges) {
  const std::string text = comparison_text(comparison_of(kEager, kCompiled), {.width = 40});
  EXPECT_TRUE(has(text, "\nstep time ")) << text;
  EXPECT_TRUE(has(text, " within spread\n  ")) << text;
  EXPECT_TRUE(has(text, " new       Memcpy DtoD")) << text;
  EXPECT_FALSE(has(text, "calls")) << text;
}

TEST(CompareText, RowLimitIsForEachTableAndSaysHowManyMore) {
  const Comparison comparison = comparison_of(kEager, kCompiled);
  const std::string one = comparison_text(comparison, {.row_limit = 1});
  EXPECT_TRUE(has(one, "… 3 more rows")) << one;
  EXPECT_TRUE(has(one, "gone      vectorized_elementwise_kern"));
  EXPECT_FALSE(has(one, "new       Memcpy DtoD"));
  EXPECT_FALSE(has(comparison_text(comparison, {.row_limit = 1'000}), "more row"));
}

TEST(CompareText, TraceWithItselfHasNoRows) {
  const std::string text = comparison_text(comparison_of(kEager, kEager));
  EXPECT_TRUE(has(text, "Verdict: no differences")) << text;
  EXPECT_FALSE(has(text, "largest change first")) << text;
}

TEST(CompareText, MissingGpuLaneIsInTheVerdict) {
  const std::string text = comparison_text(comparison_of(kOurs, kCpuOnly));
  EXPECT_TRUE(has(text, "B has no GPU lane")) << text;
  EXPECT_FALSE(has(text, "GPU busy")) << text;
  EXPECT_FALSE(has(text, "launches")) << text;
}

}  // namespace
}  // namespace tracebook
