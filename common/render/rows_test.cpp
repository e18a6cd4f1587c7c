// SPDX-License-Identifier: Apache-2.0
#include "common/render/rows.h"

#include <gtest/gtest.h>

namespace tracebook {
namespace {

const QueryResult kRows{.columns = {"run", "first_step_us"},
                        .rows = {{std::string("(plain)"), 1.5}, {std::string("b"), 12.25}}};

TEST(RowsTextTest, AlignsNumbersToTheRight) {
  EXPECT_EQ(rows_text(kRows),
            "run      first_step_us\n"
            "(plain)            1.5\n"
            "b                12.25\n");
}

TEST(RowsTextTest, BreaksHeadersOnlyWhereThereIsNoRoom) {
  EXPECT_EQ(rows_text(kRows, {.width = 22, .break_headers = true}), rows_text(kRows));
  EXPECT_EQ(rows_text(kRows, {.width = 21, .break_headers = true}),
            "         first\n"
            "          step\n"
            "run         us\n"
            "(plain)    1.5\n"
            "b        12.25\n");
}

TEST(RowsTextTest, CutsTextsBeforeNumbers) {
  const QueryResult result{
      .columns = {"kernel", "exact"},
      .rows = {{std::string("a kernel\nof a long name"), std::int64_t{1'234'567'890'123}}}};
  EXPECT_TRUE(rows_are_wider(result, 30));
  EXPECT_EQ(rows_text(result, {.width = 30}),
            "kernel                   exact\n"
            "a kernel of a …  1234567890123\n");
  EXPECT_EQ(rows_text(result, {.width = 18, .ascii = true}),
            "kernel       exact\n"
            "a kerne~  1234567~\n");
}

TEST(CellTextTest, KeepsWhatSmallNumbersHave) {
  EXPECT_EQ(cell_text(0.00232), "0.00232");
  EXPECT_EQ(cell_text(-0.0001234), "-0.000123");
  EXPECT_EQ(cell_text(0.5), "0.5");
  EXPECT_EQ(cell_text(2.0), "2");
  EXPECT_EQ(cell_text(0.0), "0");
  EXPECT_EQ(cell_text(Cell()), "-");
}

}  // namespace
}  // namespace tracebook
