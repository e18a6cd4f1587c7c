// SPDX-License-Identifier: Apache-2.0
#include "common/render/terminal.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace tracebook {
namespace {

TEST(Terminal, WidthCountsColumnsNotBytes) {
  EXPECT_EQ(display_width("aten::mm"), 8U);
  EXPECT_EQ(display_width("µs…"), 3U);
  EXPECT_EQ(display_width("├─┤"), 3U);
  EXPECT_EQ(display_width("训练"), 4U);     // East Asian letters take two columns
  EXPECT_EQ(display_width("e\u0301"), 1U);  // e and a combining accent
  EXPECT_EQ(display_width("🚀"), 2U);
  EXPECT_EQ(display_width("\xFF\x80"), 2U);  // no UTF-8: a column each
}

TEST(Terminal, CharactersAreCodePoints) {
  EXPECT_EQ(character_count("训练 µ"), 4U);
  EXPECT_EQ(character_count("a\xC3"), 2U);         // cut sequence
  EXPECT_EQ(character_count("\xC0\xAF"), 2U);      // overlong form
  EXPECT_EQ(character_count("\xED\xA0\x80"), 3U);  // surrogate
  EXPECT_EQ(first_characters("训练 µ", 3), "训练 ");
  EXPECT_EQ(first_characters("ab", 9), "ab");
  EXPECT_EQ(first_characters("ab", 0), "");
}

TEST(Terminal, PrintableLeavesNoControls) {
  EXPECT_EQ(printable("a\033[31mb\n\x01\x7F"), "a?[31mb???");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "?31m");                          // C1 "control sequence introducer"
  EXPECT_EQ(printable("\u202Eabc"), "?abc");  // turns the direction of writing
  EXPECT_EQ(printable("µ\xFF"), "µ\uFFFD");
  EXPECT_EQ(printable("µs\xFF", true), "?s?");
}

TEST(Terminal, ShortenedNeverExceedsTheWidth) {
  const std::string text = "a训练e\u0301µ🚀\xFFzz";
  for (std::size_t width = 0; width <= 12; ++width) {
    const std::string cut = shortened(text, width);
    EXPECT_LE(display_width(cut), width) << cut;
    EXPECT_EQ(display_width(fitted(text, width)), width) << cut;
  }
  EXPECT_EQ(shortened("aten::matmul", 8), "aten::m…");
  EXPECT_EQ(shortened("aten::matmul", 8, true), "aten::m~");
  EXPECT_EQ(shortened("aten::matmul", 12), "aten::matmul");
  EXPECT_EQ(fitted("ab", 4), "ab  ");
}

TEST(Terminal, WidthComesFromColumnsWithinLimits) {
  if (stdout_terminal().is_terminal) GTEST_SKIP() << "standard output is a terminal";
  const char* const before = std::getenv("COLUMNS");
  const std::string kept = before == nullptr ? "" : before;
  const auto width_with = [](const char* columns) {
    setenv("COLUMNS", columns, 1);
    return stdout_terminal().width;
  };
  EXPECT_EQ(width_with("123"), 123);
  EXPECT_EQ(width_with("7"), 40);
  EXPECT_EQ(width_with("9999"), 400);
  EXPECT_EQ(width_with("wide"), 80);
  EXPECT_EQ(width_with("100x"), 80);
  EXPECT_EQ(width_with("-5"), 80);
  before == nullptr ? unsetenv("COLUMNS") : setenv("COLUMNS", kept.c_str(), 1);
  EXPECT_FALSE(stdout_terminal().color) << "colours are for terminals only";
  EXPECT_TRUE(stdout_terminal().utf8) << "a pipe takes UTF-8";
}

}  // namespace
}  // namespace tracebook
