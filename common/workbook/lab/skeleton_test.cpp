// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/skeleton.h"

#include <gtest/gtest.h>

#include <string>

#include "common/trace/error.h"

namespace tracebook {
namespace {

constexpr const char* kSolution =
    "-- Story.\n"
    "-- solution begin\n"
    "SELECT 1 AS one\n"
    "-- solution end\n"
    "-- instead begin\n"
    "-- | -- TODO: select\n"
    "-- |\n"
    "-- | SELECT NULL AS one\n"
    "-- instead end\n"
    "ORDER BY 1\n";

TEST(SkeletonTest, TheSolutionIsReplaced) {
  EXPECT_EQ(skeleton_of(kSolution, "s.sql"),
            "-- Story.\n-- TODO: select\n\nSELECT NULL AS one\nORDER BY 1\n");
}

TEST(SkeletonTest, MarksMustFitTogether) {
  for (const char* const text :
       {"SELECT 1\n", "-- solution begin\n", "-- solution end\n", "-- instead end\n",
        "-- solution begin\n-- instead begin\n", "-- instead begin\nSELECT\n-- instead end\n"}) {
    EXPECT_THROW(skeleton_of(text, "s.sql"), InputError) << text;
  }
}

TEST(SkeletonTest, InCodeTheMarksAreIndentedAsTheCode) {
  EXPECT_EQ(skeleton_of("int f() {\n"
                        "  // solution begin\n"
                        "  return 1;\n"
                        "  // solution end\n"
                        "  // instead begin\n"
                        "  // | // TODO: count\n"
                        "  // |\n"
                        "  // | if (true) {\n"
                        "  // |   return 0;\n"
                        "  // | }\n"
                        "  // instead end\n"
                        "}\n",
                        "f.cu"),
            "int f() {\n  // TODO: count\n\n  if (true) {\n    return 0;\n  }\n}\n");
}

TEST(SkeletonTest, AWrongPartStandsInPlaceOfTheSolutionBeforeIt) {
  constexpr const char* kTwoParts =
      "int f() {\n"
      "  // solution begin\n"
      "  return 1;\n"
      "  // solution end\n"
      "  // instead begin\n"
      "  // | return 0;\n"
      "  // instead end\n"
      "  // wrong begin: that is too many\n"
      "  // | return 2;\n"
      "  // wrong end\n"
      "}\n"
      "int g() {\n"
      "  // solution begin\n"
      "  return 3;\n"
      "  // solution end\n"
      "  // instead begin\n"
      "  // | return 4;\n"
      "  // instead end\n"
      "}\n";
  const WrongSolution wrong = wrong_solution(kTwoParts, "f.cu");
  EXPECT_EQ(wrong.words, "that is too many");
  EXPECT_EQ(wrong.text, "int f() {\n  return 2;\n}\nint g() {\n  return 3;\n}\n");
  EXPECT_EQ(skeleton_of(kTwoParts, "f.cu"),
            "int f() {\n  return 0;\n}\nint g() {\n  return 4;\n}\n");
  EXPECT_THROW(wrong_solution(kSolution, "s.sql"), InputError) << "it has no wrong part";
}

TEST(SkeletonTest, ALanguageHasItsOwnMarks) {
  EXPECT_THROW(skeleton_of(kSolution, "s.cu"), InputError);
}

}  // namespace
}  // namespace tracebook
