// SPDX-License-Identifier: Apache-2.0
#include "common/trace/args.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace tracebook {
namespace {

using Dim3 = std::array<std::int64_t, 3>;

/// As Kineto writes them, its irregular spaces included.
constexpr std::string_view kKernelArgs = R"({
      "External id": 4,      "queued": 0, "device": 0, "context": 1,      "stream": 7,
      "registers per thread": 168,      "blocks per SM": 0.060606, "grid": [4, 2, 1],
      "block": [384,1 , 1 ], "est. achieved occupancy %": 0
    })";

TEST(ArgsView, ReadsWhatKinetoWrites) {
  const ArgsView args(kKernelArgs);
  EXPECT_EQ(args.integer("External id"), 4);
  EXPECT_EQ(args.integer("registers per thread"), 168);
  EXPECT_EQ(args.integer("est. achieved occupancy %"), 0);
  EXPECT_DOUBLE_EQ(args.number("blocks per SM").value_or(-1), 0.060606);
  EXPECT_EQ(args.dim3("grid"), (Dim3{4, 2, 1}));
  EXPECT_EQ(args.dim3("block"), (Dim3{384, 1, 1}));
  EXPECT_EQ(args.raw("grid"), "[4, 2, 1]");
  EXPECT_EQ(args.raw("stream"), "7");
}

TEST(ArgsView, ReadsTheTopLevelOnly) {
  const ArgsView args(R"({"a": {"x": 1, "b": "}"}, "c": ["\"]", {"x": 2}], "x": 3, "last": "x"})");
  EXPECT_EQ(args.integer("x"), 3);
  EXPECT_EQ(args.raw("b"), std::nullopt);
  EXPECT_EQ(args.raw("a"), R"({"x": 1, "b": "}"})");
  EXPECT_EQ(args.raw("c"), R"(["\"]", {"x": 2}])");
  EXPECT_EQ(args.raw("absent"), std::nullopt);
  EXPECT_EQ(args.text("last"), "x");
}

TEST(ArgsView, FindsKeysHoweverTheyAreEscaped) {
  const ArgsView args(R"({"Input \"Dims\"": 1, "\u0041": 2, "a\\": 3})");
  EXPECT_EQ(args.integer("Input \"Dims\""), 1);
  EXPECT_EQ(args.integer("A"), 2);
  EXPECT_EQ(args.integer("a\\"), 3);
}

TEST(ArgsView, IntegersAreWholeNumbersOrTheirDigits) {
  const ArgsView args(R"({"a": -12, "b": "34", "c": 1.5, "d": "5x", "e": 10159970886766084423,
                          "f": true, "g": "", "h": 9223372036854775807, "i": [1], "j": 1e3})");
  EXPECT_EQ(args.integer("a"), -12);
  EXPECT_EQ(args.integer("b"), 34);
  EXPECT_EQ(args.integer("h"), 9'223'372'036'854'775'807);
  for (const char* key : {"c", "d", "e", "f", "g", "i", "j"}) {
    EXPECT_EQ(args.integer(key), std::nullopt) << key;
  }
}

TEST(ArgsView, NumbersAreJsonNumbers) {
  const ArgsView args(R"({"a": -1.5e3, "b": 7, "c": nan, "d": inf, "e": "1.5", "f": -inf, "g": -,
                          "h": 1.5.2, "i": 10159970886766084423})");
  EXPECT_EQ(args.number("a"), -1500.0);
  EXPECT_EQ(args.number("b"), 7.0);
  EXPECT_DOUBLE_EQ(args.number("i").value_or(0), 1.0159970886766084e19);
  for (const char* key : {"c", "d", "e", "f", "g", "h"}) {
    EXPECT_EQ(args.number(key), std::nullopt) << key;
  }
}

TEST(ArgsView, UnescapesTexts) {
  const ArgsView args(
      R"({"a": "q\" b\\ s\/ \n\t\r\b\f", "b": "\u0041\u00e9\u20ac\ud83d\ude00", "c": 5,)"
      R"( "d": "\ud83d!", "e": "\ud83d\u0041", "f": "\ude00", "g": "\u12", "h": ""})");
  EXPECT_EQ(args.text("a"), "q\" b\\ s/ \n\t\r\b\f");
  EXPECT_EQ(args.text("b"), "A\u00e9\u20ac\U0001f600");
  EXPECT_EQ(args.text("c"), std::nullopt);
  EXPECT_EQ(args.text("d"), "\ufffd!");
  EXPECT_EQ(args.text("e"), "\ufffdA");
  EXPECT_EQ(args.text("f"), "\ufffd");
  EXPECT_EQ(args.text("g"), "\ufffd12");
  EXPECT_EQ(args.text("h"), "");
}

TEST(ArgsView, Dim3HasThreeWholeNumbers) {
  const ArgsView args(R"({"a": [1, 2], "b": [1, 2, 3, 4], "c": [1, 2, 3.5], "d": [], "e": 5,
                          "f": [1, , 2], "g": "[1, 2, 3]", "h": ["1", "2", "3"]})");
  for (const char* key : {"a", "b", "c", "d", "e", "f", "g"}) {
    EXPECT_EQ(args.dim3(key), std::nullopt) << key;
  }
  EXPECT_EQ(args.dim3("h"), (Dim3{1, 2, 3}));
}

TEST(ArgsView, WhatIsNoObjectHasNothing) {
  for (const char* text : {"", " ", "[]", "{}", "{", "null", R"({"x")", R"({"x":)", R"({"x": )",
                           R"({"x": "a)", R"({"x": [1)", R"({"y": 1; "x": 1})", R"({"x": })",
                           R"({"y": ,"x": 1})", R"({"x\)", R"({y: 1, "x": 1})"}) {
    EXPECT_EQ(ArgsView(text).raw("x"), std::nullopt) << text;
  }
}

TEST(ArgsView, ReadsNothingBeyondItsText) {
  // Each cut of the object in a buffer of its own, for the address sanitizer.
  for (std::size_t size = 0; size < kKernelArgs.size(); ++size) {
    const std::vector<char> cut(kKernelArgs.begin(), kKernelArgs.begin() + size);
    const ArgsView args(std::string_view(cut.data(), cut.size()));
    EXPECT_EQ(args.dim3("absent"), std::nullopt);
    EXPECT_EQ(args.text("block"), std::nullopt);
  }
}

TEST(JsonQuote, EscapesWhatJsonForbids) {
  EXPECT_EQ(json_quote(""), R"("")");
  EXPECT_EQ(json_quote("aten::mm"), R"("aten::mm")");
  EXPECT_EQ(json_quote("a\"b\\c/\n\t\r\b\f"), R"("a\"b\\c/\n\t\r\b\f")");
  EXPECT_EQ(json_quote(std::string_view("\0\x01\x1f\x7f", 4)), "\"\\u0000\\u0001\\u001f\x7f\"");
  EXPECT_EQ(json_quote("C:\\Users\\py"), R"("C:\\Users\\py")");
}

TEST(JsonQuote, KeepsUtf8) {
  // First and last of each length, and the neighbours of the surrogates.
  for (const char* text : {"\u0080", "\u07ff", "\u0800", "\xed\x9f\xbf", "\ue000", "\uffff",
                           "\U00010000", "\U0010ffff", "a\u00e9\u20ac\U0001f600b"}) {
    EXPECT_EQ(json_quote(text), "\"" + std::string(text) + "\"");
  }
}

TEST(JsonQuote, ReplacesWhatIsNoUtf8) {
  const std::string bad = "\ufffd";
  const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
  EXPECT_EQ(json_quote("\xff"), quoted(bad));
  EXPECT_EQ(json_quote("a\x80z"), quoted("a" + bad + "z"));
  EXPECT_EQ(json_quote("\xc3"), quoted(bad));
  EXPECT_EQ(json_quote("\xc3\""), quoted(bad + "\\\""));
  EXPECT_EQ(json_quote("\xe2\x82"), quoted(bad));
  EXPECT_EQ(json_quote("\xe2\x82z"), quoted(bad + "z"));
  EXPECT_EQ(json_quote("\xf0\x9f\x98z"), quoted(bad + "z"));
  EXPECT_EQ(json_quote("\xc0\xaf"), quoted(bad + bad));                      // longer than needed
  EXPECT_EQ(json_quote("\xe0\x80\x80"), quoted(bad + bad + bad));            // the same
  EXPECT_EQ(json_quote("\xed\xa0\x80"), quoted(bad + bad + bad));            // a surrogate
  EXPECT_EQ(json_quote("\xf4\x90\x80\x80"), quoted(bad + bad + bad + bad));  // beyond U+10FFFF
  EXPECT_EQ(json_quote("\xe2\x82\xe2\x82\xac"), quoted(bad + "\u20ac"));
}

TEST(JsonQuote, AnyBytesBecomeWhatAnotherReaderTakes) {
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes;
    for (std::size_t size = random() % 12; bytes.size() < size;) {
      // Mostly the bytes that matter.
      constexpr std::string_view kHard = "\x1f\"\\a\x7f\x80\xbf\xc2\xe0\xed\xef\xf0\xf4\xf5";
      bytes += random() % 2 == 0 ? kHard[random() % kHard.size()] : static_cast<char>(random());
    }
    const auto parsed = nlohmann::json::parse(json_quote(bytes), nullptr, false);
    ASSERT_TRUE(parsed.is_string());
    // nlohmann replaces likewise, on its way out.
    const std::string theirs =
        nlohmann::json(bytes).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    ASSERT_EQ(parsed, nlohmann::json::parse(theirs));
    // What was quoted reads back.
    const std::string object = "{\"k\": " + json_quote(bytes) + "}";
    ASSERT_EQ(ArgsView(object).text("k"), parsed.get<std::string>());
  }
}

TEST(JsonQuote, AppendsBehindWhatIsThere) {
  std::string out = "x";
  append_json_quoted(out, "y");
  EXPECT_EQ(out, R"(x"y")");
}

}  // namespace
}  // namespace tracebook
