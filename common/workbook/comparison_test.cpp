// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <variant>

#include "common/trace/error.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/options.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

Manifest manifest_of(const ChapterInfo& chapter) {
  return read_manifest(workbook_root() / "expected" / chapter.stem);
}

TEST(RunComparisonTest, RunsAreAmongTheVariants) {
  for (const ChapterInfo& chapter : all_chapters()) {
    std::set<std::string> variants;
    for (const std::string& variant : chapter.variants) {
      variants.insert(recording_stem(chapter, parse_knobs(chapter, variant)));
    }
    for (const RunComparison& comparison : chapter.comparisons) {
      for (const std::string& run : comparison.runs) {
        EXPECT_TRUE(variants.contains(recording_stem(chapter, parse_knobs(chapter, run))))
            << chapter.stem << " --" << comparison.flag << ": " << run;
      }
    }
  }
}

TEST(RunComparisonTest, EveryTableOfTheRecordingsIsFull) {
  std::size_t tables = 0;
  for (const ChapterInfo& chapter : all_chapters()) {
    for (const RunComparison& comparison : chapter.comparisons) {
      const ComparedRuns runs =
          compare_runs(chapter, comparison, manifest_of(chapter), /*live=*/false, "");
      EXPECT_NE(runs.source.find("recordings made on"), std::string::npos);
      EXPECT_GE(runs.rows.rows.size(), comparison.runs.size());
      for (const auto& row : runs.rows.rows) {
        ASSERT_EQ(row.size(), runs.rows.columns.size());
        EXPECT_TRUE(std::ranges::none_of(
            row, [](const Cell& cell) { return std::holds_alternative<std::monostate>(cell); }))
            << chapter.stem << " --" << comparison.flag << "\n"
            << compared_text(runs.rows);
      }
      ++tables;
    }
  }
  EXPECT_GE(tables, 7);
}

TEST(RunComparisonTest, SaysWhichRecordingIsMissing) {
  const ChapterInfo& chapter = find_chapter("01");
  const RunComparison comparison{.flag = "x", .help = "", .runs = {"--size 96"}, .sql = "SELECT 1"};
  try {
    compare_runs(chapter, comparison, manifest_of(chapter), /*live=*/false, "");
    FAIL() << "a recording of size 96";
  } catch (const CannotJudge& error) {
    EXPECT_NE(std::string(error.what()).find("--size 96"), std::string::npos) << error.what();
  }
}

TEST(ComparedTextTest, NumbersTheRunsAndBreaksHeadersWhereTheTerminalIsNarrow) {
  const QueryResult result{
      .columns = {"run", "kernel", "first_step_us"},
      .rows = {{std::string("--no-warmup --wait 0"), std::string("a_kernel_of_a_long_name"), 7.5},
               {std::string("--no-warmup --wait 0"), std::string("b"), 8.25},
               {std::string("(plain)"), std::string("c"), 9.5}}};
  EXPECT_EQ(compared_text(result, 24),
            "  1  --no-warmup --wait 0\n"
            "  2  (plain)\n"
            "\n"
            "                   first\n"
            "                    step\n"
            "run  kernel           us\n"
            "  1  a_kernel_of…    7.5\n"
            "  1  b              8.25\n"
            "  2  c               9.5\n");
  EXPECT_EQ(compared_text(result, 200), compared_text(result));
}

}  // namespace
}  // namespace tracebook
