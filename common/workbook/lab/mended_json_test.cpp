// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/mended_json.h"

#include <gtest/gtest.h>

namespace tracebook {
namespace {

using Lines = std::vector<std::string>;

TEST(MendedJson, AWholeFileIsReadAsItIs) {
  const Json document{{"schema", 1},
                      {"chapter", "03_schedule_tweak"},
                      {"answers", {{"lane", "a {brace}, and a comma,"}, {"call", 4.5}}},
                      {"predictions", Json::object()},
                      {"hints", {{"lane", 0}}}};
  const MendedJson mended = mended_json(document.dump(2));
  EXPECT_EQ(mended.document, document);
  EXPECT_EQ(mended.lost, Lines());
  EXPECT_EQ(mended.doubled, Lines());
}

TEST(MendedJson, CommasAreNotMinded) {
  const MendedJson mended = mended_json(
      "{\n\"schema\": 1\n\"answers\": {,\r\n  \"a\": \"1\"\r\n"
      "  \"b\": \"2\",,\n  }\n\"hints\": {\"a\": 1},\n}\n");
  EXPECT_EQ(mended.document.dump(), R"({"schema":1,"answers":{"a":"1","b":"2"},"hints":{"a":1}})");
  EXPECT_EQ(mended.lost, Lines());
}

TEST(MendedJson, ABrokenLineIsLostAlone) {
  const MendedJson mended = mended_json(
      "{\n\"answers\": {\n\"a\": 4,5\n\"b\": \"2\",\n\"c\": \"open,\n\"d\": us 3\n\"e\": \"5\" }\n"
      "\"hints\": {\n\"a\": 1\n");
  EXPECT_EQ(mended.document.dump(), R"({"answers":{"b":"2","e":"5"},"hints":{"a":1}})");
  EXPECT_EQ(mended.lost, (Lines{"\"a\": 4,5", "\"c\": \"open", "\"d\": us 3"}));
}

TEST(MendedJson, AnObjectThatIsNotClosedEndsWhereTheNextBegins) {
  const MendedJson mended =
      mended_json("{\n\"answers\": {\"a\": \"1\",\n\"b\": \"2\",\n\"hints\": {\n\"a\": 1\n}\n}\n");
  EXPECT_EQ(mended.document.dump(), R"({"answers":{"a":"1","b":"2"},"hints":{"a":1}})");
}

TEST(MendedJson, WhatStandsTwiceIsNamed) {
  const MendedJson mended = mended_json(
      "{\n\"answers\": {\n\"a\": \"1\"\n\"a\": \"2\"\n},\n\"answers\": {\n\"b\": \"3\"\n}\n");
  EXPECT_EQ(mended.doubled, (Lines{"answers/a", "answers"}));
}

TEST(MendedJson, NothingInItIsNothing) {
  for (const std::string text :
       {"", "\xEF\xBB\xBF", "}", "{{{{", "[1, 2]", "\"a\"", "}}},,}}\n,\n"}) {
    EXPECT_EQ(mended_json(text).document, Json::object()) << text;
  }
  EXPECT_EQ(mended_json(std::string(1 << 20, '}')).lost.size(), 0);
  EXPECT_EQ(mended_json(std::string(1 << 20, '[')).lost.size(), 1);
}

}  // namespace
}  // namespace tracebook
