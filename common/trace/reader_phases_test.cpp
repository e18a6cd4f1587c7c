// SPDX-License-Identifier: Apache-2.0
//
// Reading what is no complete range ("X"): begins and ends, flows, instants, metadata. Kinds are
// those of the list of broken traces.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/trace/reader.h"
#include "common/trace/reader_test_support.h"
#include "common/trace/writer.h"

namespace tracebook {
namespace {

using Json = nlohmann::json;

std::string mark(char phase, const std::string& name, int ts, const std::string& more = "") {
  return std::string(R"({"ph":")") + phase + R"(","pid":1,"tid":"t")" +
         (name.empty() ? "" : R"(,"name":")" + name + "\"") + R"(,"ts":)" + std::to_string(ts) +
         more + "}";
}
/// "name start-end" of all slices in microseconds.
std::string spans(const Trace& trace) {
  std::string out;
  for (SliceId id = 0; id < trace.slices.size(); ++id) {
    out += (id > 0 ? " " : "") + std::string(trace.name(id)) + ' ' +
           std::to_string(trace.slices.ts_ns[id] / 1000) + '-' +
           std::to_string(trace.slices.end_ns(id) / 1000);
  }
  return out;
}

TEST(BeginsAndEnds, BecomeSlices) {  // kinds 49, 54, 55
  struct Case {
    std::string events;
    std::string spans;
    std::string issues;
  };
  const auto b = [](const std::string& name, int ts) { return mark('B', name, ts) + ","; };
  const auto e = [](const std::string& name, int ts) { return mark('E', name, ts) + ","; };
  for (const Case& each :
       {Case{b("A", 1) + b("B", 2) + e("B", 3) + e("A", 4), "A 1-4 B 2-3", ""},
        Case{b("A", 1) + b("B", 2) + e("", 3) + e("", 4), "A 1-4 B 2-3", ""},
        Case{b("A", 1) + b("B", 2) + b("C", 3) + e("B", 4) + e("A", 5), "A 1-5 B 2-4 C 3-3",
             "open_range 1"},
        Case{b("A", 1) + b("B", 2) + e("A", 3) + e("B", 4), "A 1-3 B 2-4", ""},
        Case{b("A", 1) + b("A", 2) + e("A", 3) + e("A", 4), "A 1-4 A 2-3", ""},
        Case{e("A", 1) + b("A", 2) + e("A", 3) + e("A", 4), "A 2-3", "surplus_end 2"},
        Case{b("A", 1) + e("X", 2) + e("A", 3), "A 1-3", "surplus_end 1"},
        Case{e("A", 9) + b("B", 5) + e("B", 6) + b("A", 1), "B 5-6 A 1-9", ""},
        Case{b("A", 1), "A 1-1", "open_range 1"}}) {
    const Read read = read_text(in_list(each.events.substr(0, each.events.size() - 1)));
    EXPECT_EQ(spans(read.trace()), each.spans) << each.events;
    EXPECT_EQ(read.issues() + read.error, each.issues) << each.events;
    EXPECT_EQ(read.exit_code, 0);
    EXPECT_EQ(first_difference(read.trace(), read_text(write_trace_text(read.trace())).trace()),
              "");
  }
}

TEST(BeginsAndEnds, ShareTheirArgs) {
  const Read read = read_text(
      in_list(mark('B', "A", 1, R"(,"args":{"a":1,"correlation":4})") + "," +
              mark('E', "A", 2, R"(,"args":{"b":2,"correlation":5,"External id":6})") + "," +
              mark('B', "B", 3) + "," + mark('E', "B", 4, R"(,"args":{"correlation":3})") + "," +
              mark('B', "C", 5, R"(,"args":{"c":3})") + "," + mark('E', "C", 6, R"(,"args":{ })") +
              "," + mark('B', "D", 7, R"(,"cat":"kernel","args":{ })") + "," +
              mark('E', "D", 8, R"(,"args":{"device":2})")));
  const Trace& trace = read.trace();
  const Json both = Json::parse(trace.args(SliceId{0}));
  EXPECT_EQ(both["a"], 1);
  EXPECT_EQ(both["b"], 2);
  EXPECT_EQ(trace.args(SliceId{1}), R"({"correlation":3})");
  EXPECT_EQ(trace.args(SliceId{2}), R"({"c":3})");
  EXPECT_EQ(Json::parse(trace.args(SliceId{3})), Json::parse(R"({"device":2})"));
  EXPECT_EQ(trace.slices.correlation, (std::vector<std::int64_t>{4, 3, kNoId, kNoId}));
  EXPECT_EQ(trace.slices.external_id, (std::vector<std::int64_t>{6, kNoId, kNoId, kNoId}));
  EXPECT_EQ(trace.tracks[trace.slices.track[3]].device, 2);
  EXPECT_EQ(first_difference(trace, read_text(write_trace_text(trace)).trace()), "");
}

TEST(Phases, FlowsAndInstantsAndTheRest) {
  const std::string events =
      on("cuda_runtime", "9", "9") + "," + on("kernel", "0", "7") +
      R"(,{"ph":"s","id":5,"pid":9,"tid":9,"ts":1,"cat":"ac2g","name":"ac2g"},)"
      R"({"ph":"f","id":"0x1F","pid":0,"tid":7,"ts":2.5,"cat":"ac2g","name":"ac2g","bp":"e"},)"
      R"({"ph":"t","id":"text","pid":3,"tid":3,"ts":3,"cat":"fwdbwd","name":"fwdbwd"},)"
      R"({"ph":"i","s":"g","name":"Iteration Start","pid":"Traces","tid":"Trace x","ts":4},)"
      R"({"ph":"I","s":"t","name":"old","pid":9,"tid":9,"ts":4},)"
      R"({"ph":"R","name":"mark","pid":9,"tid":9,"ts":5},)"
      R"({"ph":"C","name":"power","pid":9,"tid":0,"ts":6,"args":{"W":400.5}},)"
      R"({"ph":"b","cat":"async","name":"a","id":"1","pid":9,"tid":9,"ts":7},)"
      R"({"ph":"N","name":"object","id":"1","pid":9,"tid":9,"ts":8},)"
      R"({"ph":"M","name":"num_cpus","pid":9,"tid":0,"args":{"number":8}})";
  const Read read = read_text(in_object(events));
  const Trace& trace = read.trace();
  EXPECT_EQ(read.issues() + read.error, "");
  ASSERT_EQ(trace.flows.size(), 3);
  EXPECT_EQ(trace.flows[0].track, trace.slices.track[0]);
  EXPECT_EQ(trace.flows[1].track, trace.slices.track[1]);
  EXPECT_EQ(trace.flows[1].id, 31);
  EXPECT_TRUE(trace.flows[1].bind_enclosing);
  EXPECT_FALSE(trace.flows[0].bind_enclosing);
  EXPECT_EQ(trace.flows[1].ts_ns, 2500);
  EXPECT_EQ(trace.tracks[trace.flows[2].track].kind, TrackKind::kOther);
  std::string phases;
  for (const OtherEvent& other : trace.others) phases += other.phase;
  EXPECT_EQ(phases, "iIRCbNM");
  EXPECT_EQ(trace.others[0].scope, 'g');
  EXPECT_EQ(trace.args(trace.others[3].args), R"({"W":400.5})");
  EXPECT_EQ(trace.others[1].track, trace.slices.track[0]);
  EXPECT_EQ(first_difference(trace, read_text(write_trace_text(trace)).trace()), "");
}

TEST(Phases, FlowsOnCollidingLanes) {
  // CPU process 0, thread 7 beside GPU 0, stream 7: the arrow starts on the one, ends on the other.
  const Read read = read_text(
      in_object(on("cuda_runtime", "0", "7") + "," + on("kernel", "0", "7") +
                R"(,{"ph":"s","id":5,"pid":0,"tid":7,"ts":1,"cat":"ac2g","name":"ac2g"},)"
                R"({"ph":"f","id":5,"pid":0,"tid":7,"ts":2,"cat":"ac2g","name":"ac2g"})"));
  EXPECT_EQ(read.trace().flows[0].track, read.trace().slices.track[0]);
  EXPECT_EQ(read.trace().flows[1].track, read.trace().slices.track[1]);
}

/// Which track an instant stands on must not depend on tracks that slices have left since, nor on
/// the order in which tracks were found: both are other ones when the trace is read again.
TEST(Phases, AnInstantsTrackIsTheSameWhenReadAgain) {
  for (const char* const text :
       {R"([{"ph":"B","pid":1,"tid":"t","name":"D","ts":7,"cat":"kernel","args":{}},
            {"ph":"E","pid":1,"tid":"t","name":"D","ts":8,"args":{"device":2}},
            {"ph":"i","pid":1,"tid":"t","name":"mark","ts":9}])",
        R"([{"ph":"B","pid":1,"tid":"t","name":"A","ts":1,"args":{"correlation":4}},
            {"ph":"E","pid":1,"tid":"t","name":"A","ts":2},
            {"ph":"B","pid":1,"tid":"t","name":"D","ts":7,"cat":"kernel","args":{}},
            {"ph":"E","pid":1,"tid":"t","name":"D","ts":8,"args":{"device":2}},
            {"ph":"i","pid":1,"tid":"t","name":"mark","ts":9}])"}) {
    const Trace trace = read_text(text).trace();
    const Trace again = read_text(write_trace_text(trace)).trace();
    EXPECT_EQ(first_difference(trace, again), "") << text;
  }
}

TEST(Phases, MetadataRepeatedThousandsOfTimes) {
  std::string events;
  for (int i = 0; i < 3000; ++i) {
    events += R"({"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"p\u00e9"}},)"
              R"({"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}},)"
              R"({"ph":"M","name":"thread_sort_index","pid":1,"tid":2,"args":{"sort_index":-3}},)";
  }
  events += R"({"ph":"M","name":"process_labels","pid":"Spans","tid":0,"args":{"labels":"GPU 0"}},)"
            R"({"ph":"M","name":"process_sort_index","pid":1,"tid":0,"args":{"sort_index":"7"}},)"
            R"({"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":""}})";
  const Trace trace = read_text(in_object(events)).result.trace;
  ASSERT_EQ(trace.processes.size(), 2);
  EXPECT_EQ(trace.processes[0].name, "p\xC3\xA9");
  EXPECT_EQ(trace.processes[0].sort_index, 7);
  EXPECT_EQ(trace.processes[1].labels, "GPU 0");
  ASSERT_EQ(trace.threads.size(), 2);
  EXPECT_EQ(trace.threads[0].name, "main");
  EXPECT_EQ(trace.threads[0].sort_index, -3);
  EXPECT_EQ(first_difference(trace, read_text(write_trace_text(trace)).trace()), "");
}

TEST(Phases, ArgsThatAreNoObject) {
  const Read read = read_text(
      in_object(range("a", 1, R"("args":null)") + "," + range("b", 2, R"("args":[1])") + "," +
                range("c", 3, R"("args":{})") + "," + range("d", 4, R"("args":"")")));
  EXPECT_EQ(read.names(), "a,b,c,d");
  EXPECT_EQ(read.issues(), "args_no_object 1");
  EXPECT_EQ(read.trace().args(SliceId{2}), "{}");
}

TEST(Reader, ManyCrossingRangesDoNotGoQuadratic) {
  constexpr int kRanges = 100'000;
  std::string events;
  for (const char phase : {'B', 'E'}) {
    for (int i = 0; i < kRanges; ++i) {
      events += std::string(events.empty() ? "" : ",") + R"({"pid":1,"tid":1,"ph":")" + phase +
                R"(","name":"n)" + std::to_string(i) + R"(","ts":)" +
                std::to_string(phase == 'B' ? i : kRanges + i) + "}";
    }
  }
  const Read read = read_text("[" + events + "]");
  ASSERT_EQ(read.trace().slices.size(), static_cast<std::size_t>(kRanges));
  EXPECT_EQ(read.trace().slices.dur_ns[0], std::int64_t{kRanges} * 1000);
  EXPECT_EQ(read.issues(), "");
}

}  // namespace
}  // namespace tracebook
