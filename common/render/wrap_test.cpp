// SPDX-License-Identifier: Apache-2.0
#include "common/render/wrap.h"

#include <gtest/gtest.h>

#include <string>

#include "common/render/terminal.h"

namespace tracebook {
namespace {

TEST(Wrap, WhatFitsStaysAsItIs) {
  const std::string text = "a  b\n\n  c \nlast";
  EXPECT_EQ(wrapped_lines(text, 40), text);
  EXPECT_EQ(wrapped_lines("", 40), "");
  EXPECT_EQ(wrapped_lines("12345", 5), "12345");
}

TEST(Wrap, GoesOnBelowTheSecondColumn) {
  EXPECT_EQ(wrapped_lines("  --out DIR  where to put what is made\nnext\n", 30),
            "  --out DIR  where to put what\n"
            "             is made\n"
            "next\n");
}

TEST(Wrap, ASecondColumnFarToTheRightIsNoPlaceToGoOn) {
  EXPECT_EQ(wrapped_lines("  a long first column    words that follow", 30),
            "  a long first column    words\n"
            "    that follow");
}

TEST(Wrap, ListsAndParagraphs) {
  EXPECT_EQ(wrapped_lines("- one two three", 9), "- one two\n  three");
  EXPECT_EQ(wrapped_lines("    one two three", 12), "    one two\n    three");
}

TEST(Wrap, WordsAreNotCut) {
  EXPECT_EQ(wrapped_lines("see /a/very/long/path/to/it now", 12),
            "see\n/a/very/long/path/to/it\nnow");
  EXPECT_EQ(wrapped_lines("a_word_without_any_blank", 8), "a_word_without_any_blank");
  EXPECT_EQ(wrapped_lines("word          ", 8), "word          ");
}

TEST(Wrap, CountsColumnsNotBytes) {
  EXPECT_EQ(wrapped_lines("äöü äöü", 7), "äöü äöü");
  EXPECT_EQ(wrapped_lines("äöü äöü", 6), "äöü\näöü");
}

TEST(Wrap, NoLineOfShortWordsIsTooLong) {
  const std::string text = "  key   the quick brown fox jumps over the lazy dog, and once more";
  for (std::size_t width = 10; width < 70; ++width) {
    std::string rest = wrapped_lines(text, width);
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      EXPECT_LE(display_width(rest.substr(0, end)), width);
      rest = end == std::string::npos ? "" : rest.substr(end + 1);
    }
  }
}

TEST(Wrap, AnErrorHasNoControlCharacters) {
  EXPECT_EQ(fitted_to_stderr("no \033[2J\xFF here\n"), "no ?[2J\uFFFD here\n");
}

}  // namespace
}  // namespace tracebook
