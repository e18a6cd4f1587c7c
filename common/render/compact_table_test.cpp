// SPDX-License-Identifier: Apache-2.0
#include "common/render/compact_table.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace tracebook {
namespace {

Averages sample() {
  Averages averages;
  AverageRow op;
  op.key = "aten::a_long_name_of_an_op_训练_that_no_narrow_terminal_can_hold_in_one_line";
  op.count = 12345;
  op.self_cpu_ns = op.cpu_ns = 123'456'789;
  AverageRow span;
  span.key = "matmul_add";
  span.device_type = DeviceType::kCuda;
  span.is_span = true;
  span.count = 3;
  span.self_device_ns = span.device_ns = 89'791;
  AverageRow evil;
  evil.key = "\033[2J";
  averages.rows = {op, span, evil};
  averages.self_cpu_total_ns = 123'456'789;
  averages.self_device_total_ns = 8'318;
  return averages;
}

TEST(CompactTable, NoLineIsLongerThanTheTerminal) {
  for (int width = 40; width <= 130; ++width) {
    std::istringstream text(render_compact_table(sample(), {}, width));
    int lines = 0;
    for (std::string line; std::getline(text, line); ++lines) {
      EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
      EXPECT_EQ(line.find('\033'), std::string::npos);
    }
    EXPECT_EQ(lines, 7);
  }
}

TEST(CompactTable, MarksSpansAndCountsWhatIsLeftOut) {
  const std::string text = render_compact_table(sample(), {.row_limit = 2}, 100);
  EXPECT_NE(text.find("matmul_add (GPU span)"), std::string::npos);
  EXPECT_NE(text.find("… 1 more row\n"), std::string::npos);
}

TEST(CompactTable, CpuOnlyTracesHaveNoCudaColumns) {
  Averages averages = sample();
  averages.rows.resize(1);
  EXPECT_EQ(render_compact_table(averages, {}, 100).find("CUDA"), std::string::npos);
}

TEST(CompactTable, OnlyNarrowTerminalsGetIt) {
  const Averages averages = sample();
  const std::string full = render_table(averages);
  EXPECT_EQ(render_table_for(averages, {}, {.is_terminal = false, .width = 80}), full);
  EXPECT_EQ(render_table_for(averages, {}, {.is_terminal = true, .width = 400}), full);
  EXPECT_EQ(render_table_for(averages, {}, {.is_terminal = true, .width = 80}),
            render_compact_table(averages, {}, 80));
}

TEST(CompactTable, ShowsWhatKeepsRowsApartAndTheCallsTimes) {
  Averages averages;
  averages.options = {.by_step = true, .by_shape = true, .stats = true};
  AverageRow row;
  row.key = "aten::mm";
  row.count = 3;
  row.step = 7;
  row.shape = "[[64, 64]]";
  row.calls = CallTimes{.min_ns = 1'000, .median_ns = 2'000, .max_ns = 9'000, .spread_ns = 500};
  averages.rows = {row};
  const std::string text = render_compact_table(averages, {}, 80);
  for (const char* part :
       {"7 aten::mm [[64, 64]]", "Median", "1.000us", "2.000us", "9.000us", "0.500us"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  const std::string narrow = render_compact_table(averages, {}, 40);
  EXPECT_NE(narrow.find("2.000us"), std::string::npos) << narrow;
}

}  // namespace
}  // namespace tracebook
