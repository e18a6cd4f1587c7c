// SPDX-License-Identifier: Apache-2.0
#include "common/render/markdown.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "common/render/markdown_inline.h"
#include "common/render/terminal.h"
#include "common/trace/file.h"

namespace tracebook {
namespace {

constexpr MarkdownStyle kNarrow{.width = 30, .color = false, .ascii = true};

TEST(MarkdownTest, ParagraphsAndListsAreBrokenAtTheWidth) {
  EXPECT_EQ(markdown_text("One two three four five\nsix seven eight nine ten eleven.\n", kNarrow),
            "One two three four five six\nseven eight nine ten eleven.\n");
  EXPECT_EQ(markdown_text("- an item that is longer than\n  one line\n- another\n", kNarrow),
            "- an item that is longer than\n  one line\n- another\n");
  EXPECT_EQ(markdown_text("10. an item that is longer than a line\n", kNarrow),
            "10. an item that is longer\n    than a line\n");
  EXPECT_EQ(markdown_text("The others take 52 and\n20. On a lane\n- item\n", kNarrow),
            "The others take 52 and 20. On\na lane\n- item\n");
  EXPECT_EQ(markdown_text("1. one\n2. two\n   20 of it\n", kNarrow), "1. one\n2. two 20 of it\n");
  EXPECT_EQ(markdown_text("> quoted words that go on and on\n> here\n", kNarrow),
            "| quoted words that go on and\n| on here\n");
}

TEST(MarkdownTest, WordsOfALineWithoutItsSigns) {
  EXPECT_EQ(inline_text("[a *b*](x.md#y) `c*d*` e * f \\* ![p](q.png)"), "a b `c*d*` e * f * p");
  EXPECT_EQ(inline_text("2 [not a link] (x)"), "2 [not a link] (x)");
  EXPECT_EQ(inline_text("`an open one"), "`an open one");
  EXPECT_EQ(markdown_text("## A **b**\n", kNarrow), "A b\n");
  EXPECT_EQ(markdown_text("#no heading\n", kNarrow), "#no heading\n");
}

TEST(MarkdownTest, BoldIsBoldWhereColourIsAllowedOnEachLine) {
  const MarkdownStyle style{.width = 10, .color = true, .ascii = true};
  EXPECT_EQ(markdown_text("# Title\n\n**bold and longer**\n", style),
            "\033[1mTitle\033[0m\n\n\033[1mbold and\033[0m\n\033[1mlonger\033[0m\n");
  EXPECT_EQ(markdown_text("**open\n\nplain\n", style), "\033[1mopen\033[0m\n\nplain\n");
}

TEST(MarkdownTest, CommentsAreGoneAndCodeIsLeftAlone) {
  EXPECT_EQ(markdown_text("1.5<!--= a: SELECT\n1 -->ms\n<!-- x -->\n\nend\n", kNarrow),
            "1.5ms\n\nend\n");
  EXPECT_EQ(markdown_text("```\na   <!-- b -->  *c* and a line that is far longer\n```\n", kNarrow),
            "  a   <!-- b -->  *c* and a line that is far longer\n");
  EXPECT_EQ(markdown_text("a <!-- never closed\nb\n", kNarrow), "a\n");
  EXPECT_EQ(markdown_text("```\nnever closed\n", kNarrow), "  never closed\n");
}

TEST(MarkdownTest, TablesAreAlignedAfterTheirCommentsAreGone) {
  EXPECT_EQ(markdown_text("| | ours |\n|---|---|\n| a **b** | 1.5<!--= x: SELECT 1 --> |\n"
                          "| c | 12.5 |\n",
                          kNarrow),
            "     ours\n---  ----\na b   1.5\nc    12.5\n");
  EXPECT_EQ(
      markdown_text("| name | what it does at length |\n|---|---|\n| one | \\| words that go on "
                    "|\n",
                    kNarrow),
      "name  what it does at length\n----  ----------------------\none   | words that go on\n");
  EXPECT_EQ(
      markdown_text("| name | x |\n|---|---|\n| one | words that go on and on and on |\n", kNarrow),
      "name  x\n----  ------------------------\none   words that go on and on\n      and on\n");
}

TEST(MarkdownTest, NothingThatATerminalObeysComesThrough) {
  EXPECT_EQ(markdown_text("a\033[2J\x01 b\n", kNarrow), "a?[2J? b\n");
  EXPECT_EQ(markdown_text("", kNarrow), "");
}

/// A line of a table that could not be narrower: each of its columns is one word wide, or blank.
bool is_narrowest(const std::string& line) {
  std::size_t at = line.find("  ");
  return at != std::string::npos;
}

TEST(MarkdownTest, AllLessonsFit) {
  std::size_t lessons = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TRACEBOOK_SOURCE_DIR "/chapters")) {
    const std::filesystem::path lesson = entry.path() / "README.md";
    if (!std::filesystem::exists(lesson)) continue;
    ++lessons;
    const std::string markdown = read_file(lesson);
    for (const std::size_t width : {40, 80, 120}) {
      std::istringstream lines(markdown_text(markdown, {.width = width, .color = false}));
      for (std::string line; std::getline(lines, line);) {
        const std::string where = lesson.string() + " at " + std::to_string(width) + ": " + line;
        EXPECT_EQ(line.find("<!--"), std::string::npos) << where;
        EXPECT_EQ(line.find("](../"), std::string::npos) << where;
        EXPECT_EQ(line.find("**"), std::string::npos) << where;
        if (display_width(line) <= width) continue;
        const bool is_code = line.starts_with("  ");
        const bool is_word = line.find(' ') == std::string::npos;
        const bool is_table = width < 80 && is_narrowest(line);
        EXPECT_TRUE(is_code || is_word || is_table) << where;
      }
    }
  }
  EXPECT_GE(lessons, 8U);
}

}  // namespace
}  // namespace tracebook
