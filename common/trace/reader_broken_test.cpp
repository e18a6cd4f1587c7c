// SPDX-License-Identifier: Apache-2.0
//
// Broken text: what is repaired, what is skipped, where the reader gives up. Each input is the
// smallest of a kind that users have met.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "common/trace/reader_test_support.h"

namespace tracebook {
namespace {

using Json = nlohmann::json;

/// Skipped between its neighbours, however the file is read: exit code 3, or 0 when salvaging.
void expect_skipped(const std::string& event, const std::string& kind = "not_understood") {
  const std::string once = kind + " 1";
  for (const std::string& text : {in_object(between(event)), in_list(between(event))}) {
    const Read read = read_text(text);
    EXPECT_EQ(read.error, "") << text;
    EXPECT_EQ(read.names(), "first,last") << text;
    EXPECT_EQ(read.issues(), once) << text;
    EXPECT_EQ(read.exit_code, 3) << text;
    EXPECT_EQ(read.trace().issues.at(0).first_offset, text.find(event)) << text;
    const Read salvaged = salvage(text);
    EXPECT_EQ(salvaged.names(), "first,last") << text;
    EXPECT_EQ(salvaged.issues(), once) << text;
    EXPECT_EQ(salvaged.exit_code, 0) << text;
  }
  // As the first, the last and the only one.
  const Read first = read_text(in_object(event + "," + range("b", 2)));
  EXPECT_EQ(first.names() + first.issues(), "b" + once) << event;
  const Read last = read_text(R"({"traceEvents": [)" + range("b", 2) + ",\n" + event +
                              "\n], \"traceName\": \"x[1].json\"}");
  EXPECT_EQ(last.names() + last.issues(), "b" + once) << event;
  EXPECT_EQ(last.trace().head.member("traceName"), "\"x[1].json\"") << event;
  const Read only = read_text(in_object(event));
  EXPECT_EQ(only.names() + only.issues(), once) << only.error << event;
  EXPECT_EQ(only.exit_code, 3);
  EXPECT_EQ(salvage(in_object(event)).exit_code, 0);
}

/// Read, with one issue, exit code 0.
Read expect_repaired(const std::string& event, const std::string& issues) {
  Read read = read_text(in_object(between(event)));
  EXPECT_EQ(read.error, "") << event;
  EXPECT_EQ(read.exit_code, 0) << event;
  EXPECT_EQ(read.issues(), issues) << event;
  EXPECT_EQ(read.trace().slices.size(), 3) << event;
  return read;
}

TEST(BrokenText, UnescapedBackslashesSkipTheEvent) {  // kinds 1 and 12
  expect_skipped(range(R"(C:\Users\python\lib.py)", 20));
  expect_skipped(range(R"(C:\Users\)", 20));
  expect_skipped(range("f", 20, R"("args":{"path":"C:\projects\x"})"));
  expect_skipped(range("f", 20, R"("args":{"path":"C:\projects\"})"));
  expect_skipped(range(R"(\u12)", 20));
  expect_skipped(range(R"(\u12g4)", 20));
}

TEST(BrokenText, UnescapedQuotesSkipTheEvent) {  // kinds 4, 5, 12
  expect_skipped(range(R"(<dict {"a": "b"}>)", 20));
  expect_skipped(range(R"(say "hi")", 20));
  expect_skipped(range(R"(")", 20));
  expect_skipped(range(R"("")", 20));
  expect_skipped(range(R"(a", "b)", 20));
  expect_skipped(
      R"({"name":"thread_name","ph":"M","pid":1,"tid":2,"args":{"name":"the "main" one"}})");
  expect_skipped(range("f", 20, R"("args":{"a":"x "},{"ph" y"})"));
}

TEST(BrokenText, LegalEscapesAreKept) {  // kind 5
  const Read read = read_text(
      in_object(range(R"(a\nb\t\"q\" \\ \/ \u00e9 \ud83d\ude00)", 20, R"("args":{"k":"x\ny"})")));
  EXPECT_EQ(read.names(), "a\nb\t\"q\" \\ / \xC3\xA9 \xF0\x9F\x98\x80");
  EXPECT_EQ(read.trace().args(SliceId{0}), R"({"k":"x\ny"})");
  EXPECT_EQ(read.issues() + read.error, "");
}

TEST(BrokenText, HalfASurrogatePairIsReplaced) {
  const Read read = expect_repaired(range(R"(a\ud83dz)", 20), "lone_surrogate 1");
  EXPECT_EQ(read.names(), "first,a\xEF\xBF\xBDz,last");
}

TEST(BrokenText, BareNumbersThatJsonDoesNotKnow) {  // kinds 2, 3, 14
  for (const std::string word : {"inf", "-inf", "nan", "-nan", "NaN", "Infinity", "-Infinity",
                                 "N/A", "nan(ind)", "-nan(ind)", "1.#INF", "-1.#IND", "NAN"}) {
    const std::string event =
        R"({"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":0,"tid":7,"ts":5,"dur":0,)"
        R"("args":{"bytes":4,"correlation":9,"bandwidth":)" +
        word + "}}";
    const Read read = expect_repaired(event, "bare_nan 1");
    EXPECT_EQ(Json::parse(read.trace().args(SliceId{1})),
              Json::parse(R"({"bytes":4,"correlation":9,"bandwidth":null})"));
    EXPECT_EQ(read.trace().slices.correlation[1], 9);
    const std::string text = in_object(between(event));
    EXPECT_EQ(read.trace().issues[0].first_offset, text.find(":" + word + "}") + 1);
  }
  // In a list, in an object in it, and twice.
  const Read nested =
      expect_repaired(range("x", 1, R"("args":{"a":[1,nan,{"b":inf}]})"), "bare_nan 2");
  EXPECT_EQ(nested.trace().args(SliceId{1}), R"({"a":[1,null,{"b":null}]})");
  // The rest of the text stays as it was written.
  const Read spaced =
      expect_repaired(range("x", 1, "\"args\": {\n  \"a\" : [ nan , 1 , ] ,\n  \"b\":2\n }"),
                      "bare_nan 1,trailing_comma 1");
  EXPECT_EQ(spaced.trace().args(SliceId{1}), "{\n  \"a\" : [ null , 1  ] ,\n  \"b\":2\n }");
  // A counter, whose time is a string.
  const Read counter = read_text(in_object(
      R"({"ph":"C","name":"cpu","pid":1,"tid":0,"ts":"12.5","args":{"user":nan,"sys":1}})"));
  ASSERT_EQ(counter.trace().others.size(), 1);
  EXPECT_EQ(counter.trace().others[0].ts_ns, 12'500);
  EXPECT_EQ(counter.trace().args(counter.trace().others[0].args), R"({"user":null,"sys":1})");
  EXPECT_EQ(counter.issues(), "bare_nan 1");
}

TEST(BrokenText, OtherBareWordsAreNotGuessed) {
  for (const std::string word : {"undefined", "None", "True", "nul", "nullx", "'x'", "0x10", "01",
                                 "+1", ".5", "5.", "1e", "--1", "1 2", "tru", "//", "nane"}) {
    expect_skipped(range("f", 20, R"("args":{"a":)" + word + "}"));
  }
}

TEST(BrokenText, ArgsAreExaminedEvenIfTheyAreNotKept) {
  const Read read =
      read_text(in_object(between(range("f", 20, R"("args":{"a":tru})"))), {.keep_args = false});
  EXPECT_EQ(read.names() + read.issues(), "first,lastnot_understood 1");
}

TEST(BrokenText, ControlBytesAreKept) {  // kinds 6, 7, 12
  const Read read = expect_repaired(range("a\x01\x08 b\nc", 20), "control_bytes 1");
  EXPECT_EQ(read.names(), "first,a\x01\x08 b\nc,last");
  const Read args =
      expect_repaired(range("f", 20, "\"args\":{\"k\":\"a\x1f\tb\"}"), "control_bytes 1");
  EXPECT_EQ(args.trace().args(SliceId{1}), R"({"k":"a\u001f\tb"})");
}

TEST(BrokenText, InvalidUtf8IsReplaced) {  // kinds 7, 8, 9
  const std::string bad = "\xEF\xBF\xBD";
  for (const auto& [bytes, meaning] : {std::pair<std::string, std::string>{"\xff", bad},
                                       {"\x80", bad},
                                       {"\xc3", bad},
                                       {"\xe2\x82", bad + bad},
                                       {"\xed\xa0\x80", bad + bad + bad},
                                       {"\xc0\xaf", bad + bad},
                                       {"\xf5\x80", bad + bad}}) {
    const Read read = expect_repaired(range("a" + bytes + "z", 20), "bad_utf8 1");
    EXPECT_EQ(read.names(), "first,a" + meaning + "z,last");
    const Read last = expect_repaired(range("a" + bytes, 20), "bad_utf8 1");
    EXPECT_EQ(last.names(), "first,a" + meaning + ",last");
  }
  const Read args = expect_repaired(range("f", 20, "\"args\":{\"k\":\"\xff\"}"), "bad_utf8 1");
  EXPECT_EQ(args.trace().args(SliceId{1}), "{\"k\":\"" + bad + "\"}");
  // With a stray quote behind the bytes nothing can be known.
  expect_skipped(range("a\xff\"z", 20));
  // Sound UTF-8 is left alone.
  EXPECT_EQ(read_text(in_object(range("\xe2\x82\xac \xf0\x9f\x98\x80", 1))).issues(), "");
}

TEST(BrokenText, BracketsInNamesCutNothing) {  // kind 11
  const Read read =
      read_text(R"({"traceEvents":[)" + range("a]}", 1) + "," + range(R"(},{\"ph\":\"X\")", 2) +
                "," + range("[{", 3) + R"(],"traceName":"a[x].json","more":[{"ph":"X"}]})");
  EXPECT_EQ(read.names(), R"(a]},},{"ph":"X",[{)");
  EXPECT_EQ(read.issues() + read.error, "");
  EXPECT_EQ(read.trace().head.member("traceName"), R"("a[x].json")");
  EXPECT_EQ(read.trace().head.member("more"), R"([{"ph":"X"}])");
}

TEST(BrokenText, TrailingCommas) {  // kinds 15, 17
  for (const std::string& text : {in_object(range("a", 1) + ","), in_list(range("a", 1) + " ,\n"),
                                  R"({"traceEvents":[)" + range("a", 1) + "],}"}) {
    const Read read = read_text(text);
    EXPECT_EQ(read.names() + read.issues() + read.error, "atrailing_comma 1") << text;
    EXPECT_EQ(read.exit_code, 0);
  }
  EXPECT_EQ(read_text(in_list(range("a", 1) + ",," + range("b", 2))).issues(), "trailing_comma 1");
  const Read args =
      expect_repaired(range("f", 20, R"("args":{"a":[1,2,],"b":1,})"), "trailing_comma 2");
  EXPECT_EQ(args.trace().args(SliceId{1}), R"({"a":[1,2],"b":1})");
}

TEST(BrokenText, MissingClosingBrackets) {  // kinds 17, 18
  const std::string events = range("a", 1) + "," + range("b", 2);
  struct Case {
    std::string text;
    std::string issues;
  };
  for (const Case& each :
       {Case{"[" + events, "unclosed_array 1"}, Case{"[" + events + "\n", "unclosed_array 1"},
        Case{"[" + events + ",", "trailing_comma 1,unclosed_array 1"},
        Case{R"({"traceEvents":[)" + events, "unclosed_array 1"},
        Case{R"({"traceEvents":[)" + events + "]", "unclosed_object 1"},
        Case{R"({"traceEvents":[)" + events + "}", "unclosed_array 1"},
        Case{R"({"traceEvents":[)" + events + "],\"a\":1", "cut"}}) {
    const Read read = read_text(each.text);
    if (each.issues == "cut") {  // a number may go on
      EXPECT_NE(read.error, "");
      EXPECT_EQ(salvage(each.text).names() + salvage(each.text).issues(), "a,bcut 1");
      continue;
    }
    EXPECT_EQ(read.names() + read.error, "a,b") << each.text;
    EXPECT_EQ(read.issues(), each.issues) << each.text;
    EXPECT_EQ(read.exit_code, 0);
  }
  for (const std::string text : {"[", R"({"traceEvents":[)"}) {
    EXPECT_EQ(read_text(text).issues(), "unclosed_array 1");
  }
}

TEST(BrokenText, MissingCommaBetweenEvents) {
  const Read read = read_text(in_list(range("a", 1) + "\n" + range("b", 2)));
  EXPECT_EQ(read.names() + " " + read.issues(), "a,b missing_comma 1");
  EXPECT_EQ(read.exit_code, 0);
}

TEST(BrokenText, IntegersBeyond64Bits) {  // kind 23
  const std::string args = R"({"communicator":10159970886766084423,"x":-1e400})";
  const Read read = read_text(in_object(range("nccl", 1, "\"args\":" + args)));
  EXPECT_EQ(read.trace().args(SliceId{0}), args);
  EXPECT_EQ(read.issues() + read.error, "");
}

TEST(BrokenText, ManyFaultsAreCountedOneByOne) {
  std::string events;
  constexpr int kRounds = 3000;  // several windows
  for (int i = 0; i < kRounds; ++i) {
    events += range("good", i) + "," + range("nan", i, R"("args":{"a":nan})") + "," +
              range(R"(bad "quote")", i) + "," + range("\xff", i) + ",\n";
  }
  events += range("end", kRounds);
  for (const std::size_t window : {std::size_t{1} << 20U, std::size_t{1000}}) {
    const Read read = read_text(in_object(events), {.window_bytes = window});
    EXPECT_EQ(read.issues(), "bare_nan 3000,not_understood 3000,bad_utf8 3000");
    EXPECT_EQ(read.trace().slices.size(), 3 * kRounds + 1);
    EXPECT_EQ(read.exit_code, 3);
  }
}

TEST(BrokenText, ElementsThatAreNoEvents) {
  const Read read = read_text(in_object(between(R"(null,7,"x",[1],{"name":"no phase","ts":1})")));
  EXPECT_EQ(read.names() + " " + read.issues(), "first,last not_an_event 5");
  EXPECT_EQ(read.exit_code, 3);
  EXPECT_EQ(salvage(in_object(between("null"))).exit_code, 0);
  // Chrome's own habit against the trailing comma.
  const Read empty = read_text(in_list(range("a", 1) + ",{}"));
  EXPECT_EQ(empty.names() + " " + empty.issues(), "a empty_event 1");
  EXPECT_EQ(empty.exit_code, 0);
}

TEST(BrokenText, EventsWithoutATime) {
  for (const std::string ts :
       {"", R"("ts":nan,)", R"("ts":"soon",)", R"("ts":null,)", R"("ts":1e99,)"}) {
    const Read read =
        read_text(in_object(between(R"({"ph":"X","name":"x",)" + ts + R"("dur":1})")));
    EXPECT_EQ(read.names(), "first,last") << ts;
    EXPECT_NE(read.issues().find("not_an_event 1"), std::string::npos) << ts;
    EXPECT_EQ(read.exit_code, 3) << ts;
  }
}

TEST(BrokenText, DeepNesting) {
  const auto nested = [](std::size_t depth) {
    return range(
        "deep", 20,
        "\"args\":{\"a\":" + std::string(depth, '[') + "1" + std::string(depth, ']') + "}");
  };
  EXPECT_EQ(read_text(in_object(nested(900))).issues(), "");
  EXPECT_EQ(read_text(in_object(nested(1'000))).issues(), "");
  expect_skipped(nested(1'001), "too_deep");
  expect_skipped(nested(100'000), "too_deep");
}

TEST(BrokenText, NoTrace) {
  const std::string expected = "expected a trace in Chrome's JSON format";
  struct Case {
    std::string text;
    std::string says;
  };
  for (const Case& each :
       {Case{"", "is empty"}, Case{" \n\t", "is empty"}, Case{"\xEF\xBB\xBF", "is empty"},
        Case{"{}", "holds no traceEvents"}, Case{R"({"a":[1],"b":{}})", "holds no traceEvents"},
        Case{R"({"traceEvents":{}})", "traceEvents is no list"},
        Case{R"({"traceEvents":null})", "traceEvents is no list"},
        Case{R"({"a":1)", "ends at byte 6 inside a member"}, Case{"{", "without traceEvents"},
        Case{R"({"traceEvents")", "ends at byte 14"}, Case{R"({"traceEvents":)", "ends at byte 15"},
        Case{"hello", "begins with 'h'"}, Case{std::string(4, '\0'), "begins with byte 0"},
        Case{"<html>", "begins with '<'"}, Case{"[1,2,3]", "holds no events"},
        Case{R"([{"key":"aten::mm","count":3}])", "holds no events"},
        Case{"\x28\xB5\x2F\xFD....", "compressed with zstd"},
        Case{R"({"a":b,"c":1})", "is no JSON at byte 5"}}) {
    const Read read = read_text(each.text);
    EXPECT_NE(read.error.find(each.says), std::string::npos) << each.text << ": " << read.error;
    EXPECT_NE(read.error.find("expected"), std::string::npos) << read.error;
    EXPECT_EQ(read.error.find('\n'), std::string::npos) << read.error;
    EXPECT_EQ(read.exit_code, 3);
    EXPECT_EQ(salvage(each.text).exit_code, 3) << each.text;
  }
}

TEST(BrokenText, AnEmptyListIsATrace) {  // kind 31
  for (const std::string text :
       {"[]", R"({"traceEvents":[]})", "[ \n ]", R"({"traceEvents":[{}]})"}) {
    const Read read = read_text(text);
    EXPECT_EQ(read.error, "") << text;
    EXPECT_EQ(read.exit_code, 0);
    EXPECT_EQ(read.trace().slices.size(), 0);
    EXPECT_EQ(read.trace().window_ns(), (std::pair<std::int64_t, std::int64_t>{0, 0}));
  }
}

TEST(BrokenText, BadMembersBesideTheEvents) {
  const Read before = read_text(R"({"a":"C:\Users","traceEvents":[)" + range("a", 1) + "]}");
  EXPECT_EQ(before.names() + " " + before.issues(), "a bad_member 1");
  EXPECT_EQ(before.exit_code, 3);
  const Read behind =
      read_text(R"({"traceEvents":[)" + range("a", 1) + R"(],"traceName":"C:\Users"})");
  EXPECT_EQ(behind.names() + " " + behind.issues(), "a bad_member 1");
  EXPECT_EQ(behind.exit_code, 3);
  EXPECT_EQ(salvage(R"({"traceEvents":[],"traceName":"C:\Users"})").exit_code, 0);
  const Read nan = read_text(R"({"x":nan,"traceEvents":[)" + range("a", 1) + "]}");
  EXPECT_EQ(nan.names() + " " + nan.issues(), "a bare_nan 1");
  EXPECT_EQ(nan.trace().head.member("x"), "null");
}

TEST(BrokenText, BytesBehindTheEnd) {
  EXPECT_EQ(read_text(in_object(range("a", 1)) + "\n\n").issues(), "");
  EXPECT_EQ(read_text(in_object(range("a", 1)) + std::string(100, '\0')).issues(), "");
  const Read twice = read_text(in_object(range("a", 1)) + in_object(range("b", 1)));
  EXPECT_EQ(twice.names() + " " + twice.issues(), "a trailing_bytes 1");
  EXPECT_EQ(twice.exit_code, 0);
}

}  // namespace
}  // namespace tracebook
