// SPDX-License-Identifier: Apache-2.0
#include "common/render/timeline_raster.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/render/terminal.h"

namespace tracebook {
namespace {

std::string bars_text(const std::vector<Bar>& bars, Interval window, int columns) {
  Row row(columns);
  draw_bars(row, Scale(window, columns), bars, unicode_glyphs());
  return row.text();
}

std::string heights_text(const Intervals& busy, Interval window, int columns,
                         const Glyphs& glyphs = unicode_glyphs()) {
  Row row(columns);
  draw_heights(row, Scale(window, columns), busy, glyphs);
  return row.text();
}

TEST(Scale, EveryIntervalInTheWindowHasACell) {
  const Scale scale({1000, 2000}, 10);
  EXPECT_EQ(scale.cells({1000, 2000}).count(), 10);
  EXPECT_EQ(scale.cells({1500, 1500}).begin, 5);
  EXPECT_EQ(scale.cells({1500, 1500}).count(), 1);
  EXPECT_EQ(scale.cells({2000, 2000}).begin, 9);
  EXPECT_EQ(scale.cells({0, 5000}).count(), 10);
  EXPECT_EQ(scale.cells({0, 999}).count(), 0);
  EXPECT_EQ(scale.cells({2001, 2002}).count(), 0);
  EXPECT_EQ(Scale({5, 5}, 10).cells({5, 5}).count(), 1);  // an empty window
}

TEST(Scale, TouchedCellsEndAtABorder) {
  const Scale scale({0, 100}, 10);
  EXPECT_EQ(scale.touched_cells({10, 20}).begin, 1);
  EXPECT_EQ(scale.touched_cells({10, 20}).end, 2);
  EXPECT_EQ(scale.touched_cells({19, 21}).count(), 2);
  EXPECT_EQ(scale.touched_cells({100, 100}).begin, 9);
}

TEST(Bars, LabelsGiveWayAsTheBarGetsShorter) {
  const Labels labels{"aten::mm", "mm"};
  const auto text = [&labels](std::int64_t cells) {
    return bars_text({{.time = {0, cells}, .labels = labels}}, {0, 20}, 20);
  };
  EXPECT_EQ(text(14), "├─ aten::mm ─┤");
  EXPECT_EQ(text(13), "├─ aten::mm ┤");
  EXPECT_EQ(text(12), "├ aten::mm ┤");
  EXPECT_EQ(text(10), "├aten::mm┤");
  EXPECT_EQ(text(9), "├─ mm ──┤");
  EXPECT_EQ(text(4), "├mm┤");
  EXPECT_EQ(text(3), "├─┤");
  EXPECT_EQ(text(2), "├┤");
  EXPECT_EQ(text(1), "│");
  EXPECT_EQ(bars_text({{.time = {0, 9}, .labels = {"cudaLaunchKernel"}}}, {0, 20}, 20),
            "├cudaLa…┤");
}

TEST(Bars, LettersStandForShortCalls) {
  const auto text = [](std::int64_t cells) {
    return bars_text({{.time = {0, cells}, .labels = {"A launch", "A"}, .letter = 'A'}}, {0, 20},
                     20);
  };
  EXPECT_EQ(text(12), "├ A launch ┤");
  EXPECT_EQ(text(9), "├─ A ───┤");
  EXPECT_EQ(text(3), "├A┤");
  EXPECT_EQ(text(2), "A┤");
  EXPECT_EQ(text(1), "A");
}

TEST(Bars, NeighboursKeepACellEach) {
  // A bar shorter than a cell, and one that begins in the same cell.
  EXPECT_EQ(bars_text({{.time = {0, 1}}, {.time = {1, 60}}}, {0, 100}, 10), "│├───┤");
  // Two that overlap without nesting.
  EXPECT_EQ(bars_text({{.time = {0, 60}}, {.time = {40, 90}}}, {0, 100}, 10), "├──┤├───┤");
}

TEST(Bars, SeveralInOneCellAreMarkedAndListed) {
  Row row(10);
  const DrawnBars drawn = draw_bars(
      row, Scale({0, 100}, 10),
      {{.time = {0, 1}, .labels = {"a"}}, {.time = {2, 3}, .labels = {"b"}}}, unicode_glyphs());
  EXPECT_EQ(row.text(), "▒");
  EXPECT_EQ(drawn.unnamed, (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(drawn.any_several);
  // Calls of one kernel keep its letter.
  EXPECT_EQ(
      bars_text({{.time = {0, 1}, .letter = 'C'}, {.time = {2, 3}, .letter = 'C'}}, {0, 100}, 10),
      "C");
}

TEST(Bars, GapsShowTheirLengthWhereItFits) {
  const auto text = [](std::int64_t cells) {
    return bars_text({{.time = {0, cells}, .labels = {"5.0 µs"}, .is_gap = true}}, {0, 20}, 20);
  };
  EXPECT_EQ(text(12), "·· 5.0 µs ··");
  EXPECT_EQ(text(9), "·········");
}

TEST(Heights, AreTheShareOfTheCellsTime) {
  EXPECT_EQ(heights_text({{0, 100}}, {0, 100}, 4), "████");
  EXPECT_EQ(heights_text({{10, 11}}, {0, 400}, 4), "▁");    // the shortest work shows
  EXPECT_EQ(heights_text({{50, 150}}, {0, 400}, 4), "▄▄");  // half of two cells
  EXPECT_EQ(heights_text({{0, 25}, {75, 100}}, {0, 100}, 1), "▄");
  EXPECT_EQ(heights_text({{-500, 5000}}, {0, 100}, 2), "██");
  EXPECT_EQ(heights_text({{200, 300}}, {0, 100}, 2), "");
  EXPECT_EQ(heights_text({{0, 10}, {100, 160}, {200, 300}}, {0, 300}, 3, ascii_glyphs()), ".:#");
}

TEST(Labels, TheLongestOfACellWins) {
  Row row(20);
  draw_labels(row, Scale({0, 2000}, 20),
              {{.time = {0, 10}, .letter = 'A'},
               {.time = {20, 60}, .letter = 'B'},
               {.time = {500, 2000}, .labels = {"gemm_kernel_name"}, .letter = 'C'}},
              unicode_glyphs());
  EXPECT_EQ(row.text(), "B    C gemm_kernel…");
}

TEST(Labels, ATinyKernelBeforeALongOneKeepsItsLetter) {
  Row row(20);
  draw_labels(row, Scale({0, 2000}, 20),
              {{.time = {0, 10}, .letter = 'A'}, {.time = {20, 900}, .letter = 'B'}},
              unicode_glyphs());
  EXPECT_EQ(row.text(), "AB");
}

TEST(Ruler, HasRoundTimesAndOneUnit) {
  EXPECT_EQ(ruler(Scale({0, 290'700}, 71), 0, unicode_glyphs()),
            "┬0 µs───────┬50─────────┬100─────────┬150────────┬200────────┬250──────");
  EXPECT_EQ(ruler(Scale({1'000'000, 1'290'700}, 71), 1'000'000, ascii_glyphs()),
            "+0 us-------+50---------+100---------+150--------+200--------+250------");
  EXPECT_EQ(ruler(Scale({0, 21'000'000}, 40), 0, unicode_glyphs()),
            "┬0 ms──────────────┬10──────────────────");
  EXPECT_EQ(ruler(Scale({0, 5}, 30), 0, unicode_glyphs()), "┬0.000 µs───┬0.002──────┬0.004");
}

TEST(Ruler, IsAsLongAsTheLineAtAnyScale) {
  for (int columns = 31; columns <= 391; columns += 45) {
    for (std::int64_t length = 1; length < 4'000'000'000'000'000'000 / 7; length *= 7) {
      const std::string text = ruler(Scale({-5, length}, columns), -5, unicode_glyphs());
      EXPECT_EQ(display_width(text), static_cast<std::size_t>(columns)) << text;
    }
  }
}

TEST(Times, AreShort) {
  EXPECT_EQ(time_text(0, false), "0.0 µs");
  EXPECT_EQ(time_text(290'676, false), "290.7 µs");
  EXPECT_EQ(time_text(290'676, true), "290.7 us");
  EXPECT_EQ(time_text(999'949, false), "999.9 µs");
  EXPECT_EQ(time_text(999'950, false), "1.00 ms");
  EXPECT_EQ(time_text(2'740'000, false), "2.74 ms");
  EXPECT_EQ(time_text(1'200'000'000, false), "1.20 s");
  EXPECT_EQ(time_text(-1'500, false), "-1.5 µs");
}

TEST(Row, WideLettersTakeTwoCells) {
  Row row(5);
  row.write(0, "训a", 3);
  row.write(4, "练", 1);  // has no room
  EXPECT_EQ(row.text(), "训a");
  EXPECT_EQ(display_width(row.text()), 3U);
}

}  // namespace
}  // namespace tracebook
