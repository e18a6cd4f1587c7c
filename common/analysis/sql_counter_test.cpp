// SPDX-License-Identifier: Apache-2.0
//
// The view `counter`, on traces as text: what matters is how other programs write them.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "common/analysis/sql_sample_trace.h"
#include "common/trace/reader.h"

namespace tracebook {
namespace {

std::string answer(std::string_view events, std::string_view sql) {
  const Trace trace =
      read_trace_text("{\"traceEvents\": [" + std::string(events) + "]}", "text").trace;
  const Structure structure = build_structure(trace);
  const Database database(trace, structure);
  return text_of(database.query(sql));
}

constexpr std::string_view kOp =
    R"({"ph": "X", "cat": "cpu_op", "name": "op", "pid": 9, "tid": 9, "ts": 100, "dur": 50})";

std::string behind_op(std::string_view events) {
  return std::string(kOp) + ", " + std::string(events);
}

TEST(CounterView, ShowsTheSamplesOfARecording) {
  const SampleTrace sample;
  EXPECT_EQ(sample.answer("SELECT * FROM counter"),
            "0|-1.0|-1000|SM clock|MHz|345.0|NULL|0\n"
            "1|50.0|50000|SM clock|MHz|1980.0|2|0\n"
            "2|50.5|50500|Power|W|312.4|2|0\n"
            "3|111.0|111000|SM clock|MHz|1755.0|3|0");
}

TEST(CounterView, GivesEachSeriesARow) {
  EXPECT_EQ(answer(behind_op(R"({"ph": "C", "name": "cpu", "pid": 9, "ts": 101,
                                 "args": {"user": 3, "sys" : -1.5e1 , "idle":0}},
                                {"ph": "C", "name": "cpu", "pid": 9, "ts": 102.5,
                                 "args": {"user": 4}})"),
                   "SELECT id, ts, series, value FROM counter"),
            "0|1.0|user|3.0\n0|1.0|sys|-15.0\n0|1.0|idle|0.0\n1|2.5|user|4.0");
}

TEST(CounterView, LeavesOutWhatIsNoNumber) {
  EXPECT_EQ(answer(behind_op(R"({"ph": "C", "name": "a", "pid": 9, "ts": 101,
                                 "args": {"text": "5", "null": null, "yes": true, "list": [1, 2],
                                          "object": {"x": 1}, "huge": 1e999, "left": 7}},
                                {"ph": "C", "name": "b", "pid": 9, "ts": 102},
                                {"ph": "C", "name": "c", "pid": 9, "ts": 103, "args": {}},
                                {"ph": "C", "name": "d", "pid": 9, "ts": 104, "args": 5},
                                {"ph": "i", "name": "e", "pid": 9, "ts": 105, "args": {"x": 1}},
                                {"ph": "C", "name": "f", "pid": 9, "ts": 106, "args": {"x": 8}})"),
                   "SELECT id, name, series, value FROM counter"),
            "0|a|left|7.0\n4|f|x|8.0");
}

TEST(CounterView, UnescapesTheSeries) {
  EXPECT_EQ(answer(behind_op(R"({"ph": "C", "name": "n", "pid": 9, "ts": 101,
                                 "args": {"a \"b\" {,}: \u00b0C": 1, "": 2}})"),
                   "SELECT series, value FROM counter"),
            "a \"b\" {,}: \xC2\xB0"
            "C|1.0\n|2.0");
}

TEST(CounterView, FindsTheStepByTime) {
  // Step 1 from 100 to 200, step 2 directly behind it to 300; step 7 of another thread from 50 to
  // 1000, within which the others lie.
  const std::string steps =
      R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 9, "tid": 9,
          "ts": 100, "dur": 100},
         {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "pid": 9, "tid": 9,
          "ts": 200, "dur": 100},
         {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7", "pid": 9, "tid": 8,
          "ts": 50, "dur": 950})";
  std::string counters;
  for (const char* ts :
       {"49.999", "50", "99", "100", "199.999", "200", "299", "300", "999.999", "1000", "2000"}) {
    counters += R"(, {"ph": "C", "name": "n", "pid": 9, "args": {"v": 1}, "ts": )";
    counters += ts;
    counters += "}";
  }
  EXPECT_EQ(answer(steps + counters, "SELECT step FROM counter"),
            "NULL\n7\n7\n1\n1\n2\n2\n7\n7\nNULL\nNULL");
  EXPECT_EQ(answer(steps + counters, "SELECT count(*) FROM counter WHERE step = 7"), "4");
}

TEST(CounterView, KnowsTheGpuByItsStreamsOrItsLabel) {
  EXPECT_EQ(
      answer(R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 1, "tid": 7, "ts": 100, "dur": 5,
                 "args": {"device": 1, "stream": 7}},
                {"ph": "M", "name": "process_labels", "pid": 3, "tid": 0, "ts": 0,
                 "args": {"labels": "GPU 3"}},
                {"ph": "M", "name": "process_labels", "pid": 9, "tid": 0, "ts": 0,
                 "args": {"labels": "CPU"}},
                {"ph": "C", "name": "n", "pid": 1, "ts": 101, "args": {"v": 1}},
                {"ph": "C", "name": "n", "pid": 1, "tid": 7, "ts": 101, "args": {"v": 1}},
                {"ph": "C", "name": "n", "pid": 3, "ts": 101, "args": {"v": 1}},
                {"ph": "C", "name": "n", "pid": 9, "ts": 101, "args": {"v": 1}},
                {"ph": "C", "name": "n", "pid": "x", "ts": 101, "args": {"v": 1}})",
             "SELECT device FROM counter"),
      "1\n1\n3\nNULL\nNULL");
}

TEST(CounterView, FindsRowsByNameSeriesStepAndTime) {
  std::string counters;
  for (int i = 0; i < 1'000; ++i) {
    counters += R"(, {"ph": "C", "name": "n)" + std::to_string(i % 3) +
                R"(", "pid": 9, "args": {"a": )" + std::to_string(i) + R"(, "b": 0.5}, "ts": )" +
                std::to_string(100 + i) + "}";
  }
  const std::string events = std::string(kOp) + counters;
  const auto count = [&](const std::string& where) {
    return answer(events, "SELECT count(*), sum(value) FROM counter WHERE " + where);
  };
  EXPECT_EQ(count("id >= 0"), "2000|500000.0");
  EXPECT_EQ(count("id = 7"), "2|7.5");
  EXPECT_EQ(count("name = 'n1' AND series = 'a'"), "333|166167.0");
  EXPECT_EQ(count("series = 'b'"), "1000|500.0");
  EXPECT_EQ(count("series = 'c'"), "0|NULL");
  EXPECT_EQ(count("name = 'op'"), "0|NULL");
  EXPECT_EQ(count("ts_ns >= 998000"), "4|1998.0");
  EXPECT_EQ(count("ts BETWEEN 10 AND 11 AND series = 'a'"), "2|21.0");
  EXPECT_EQ(count("device IS NULL"), "2000|500000.0");
  EXPECT_EQ(answer(events, "SELECT series, count(*) FROM counter GROUP BY series ORDER BY series"),
            "a|1000\nb|1000");
}

/// The last sample of n1 before each of some moments, and how it is found.
std::string last_samples(const std::string& events, const std::string& name) {
  const std::string moments = "(VALUES (0), (100500), (500000), (998000), (2000000))";
  return answer(events, "SELECT column1, (SELECT value FROM counter WHERE " + name +
                            " = 'n1' AND ts_ns <= column1 ORDER BY ts_ns DESC LIMIT 1) FROM " +
                            moments);
}

TEST(CounterView, FindsTheLastSampleBeforeAMomentByHalving) {
  std::string rising = std::string(kOp);
  std::string falling = std::string(kOp);
  for (int i = 0; i < 1'000; ++i) {
    const auto sample = [](int at) {
      return R"(, {"ph": "C", "name": "n)" + std::to_string(at % 3) +
             R"(", "pid": 9, "args": {"a": )" + std::to_string(at) + R"(}, "ts": )" +
             std::to_string(100 + at) + "}";
    };
    rising += sample(i);
    falling += sample(999 - i);
  }
  constexpr const char* kExpected =
      "0|NULL\n100500|100.0\n500000|499.0\n998000|997.0\n2000000|997.0";
  EXPECT_EQ(last_samples(rising, "name"), kExpected);
  EXPECT_EQ(last_samples(rising, "+name"), kExpected);
  EXPECT_EQ(last_samples(falling, "name"), kExpected);
  constexpr const char* kPlan =
      "EXPLAIN QUERY PLAN SELECT value FROM counter WHERE name = 'n1' AND ts_ns <= 5000 "
      "ORDER BY ts_ns DESC LIMIT 1";
  EXPECT_NE(answer(rising, kPlan).find("name= down, ts_ns range"), std::string::npos);
  EXPECT_EQ(answer(rising, kPlan).find("TEMP B-TREE"), std::string::npos);
  EXPECT_NE(answer(falling, kPlan).find("TEMP B-TREE"), std::string::npos);
}

TEST(CounterView, IsEmptyWithoutCounters) {
  EXPECT_EQ(answer(kOp, "SELECT count(*) FROM counter"), "0");
  EXPECT_EQ(answer(kOp, "SELECT * FROM counter WHERE name = 'SM clock'"), "");
  EXPECT_EQ(answer("", "SELECT * FROM counter ORDER BY series"), "");
}

}  // namespace
}  // namespace tracebook
