// SPDX-License-Identifier: Apache-2.0
//
// Sound files: what each member of an event becomes. The recordings are compared with what
// nlohmann/json reads in them.
#include "common/trace/reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/trace/file.h"
#include "common/trace/reader_test_support.h"
#include "common/trace/writer.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string text_of(const fs::path& path) {
  gzFile file = gzopen(path.c_str(), "rb");  // reads plain files, too
  std::string out;
  std::vector<char> buffer(std::size_t{1} << 20U);
  int count = 0;
  while ((count = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0) {
    out.append(buffer.data(), static_cast<std::size_t>(count));
  }
  gzclose(file);
  return out;
}

/// All files of the checkout that hold events.
std::vector<fs::path> recordings() {
  std::vector<fs::path> out;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(TRACEBOOK_SOURCE_DIR) / "expected")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json") && !name.ends_with(".json.gz")) continue;
    if (text_of(entry.path()).find("\"traceEvents\":") != std::string::npos) {
      out.push_back(entry.path());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string id_text(const Trace& trace, const EventId& id) {
  return id.is_text ? Json(trace.strings.view(id.text)).dump() : std::to_string(id.number);
}

/// Microseconds of the JSON number as nanoseconds: to 1 ns for what a double can hold exactly.
void expect_time(std::int64_t ns, const Json& us, const std::string& what) {
  // 13 digits before the point leave a double about 1 ns.
  EXPECT_NEAR(static_cast<double>(ns) / 1000.0, us.get<double>(), 0.0011) << what;
}

/// All events of a file against the trace that was read of it.
void compare(const Json& json, const Trace& trace) {
  SliceId slice = 0;
  std::size_t flow = 0;
  std::size_t other = 0;
  for (const Json& event : json["traceEvents"]) {
    const std::string phase = event["ph"];
    if (phase == "X") {
      ASSERT_LT(slice, trace.slices.size());
      EXPECT_EQ(trace.name(slice), event["name"].get<std::string>());
      EXPECT_EQ(trace.strings.view(trace.slices.category_text[slice]),
                event["cat"].get<std::string>());
      expect_time(trace.slices.ts_ns[slice], event["ts"], "ts");
      expect_time(trace.slices.dur_ns[slice], event["dur"], "dur");
      const Track& track = trace.tracks[trace.slices.track[slice]];
      EXPECT_EQ(id_text(trace, track.pid), event["pid"].dump());
      EXPECT_EQ(id_text(trace, track.tid), event["tid"].dump());
      const Json args = event.value("args", Json::object());
      if (event.contains("args")) {
        EXPECT_EQ(Json::parse(trace.args(slice)), args);
      } else {
        EXPECT_EQ(trace.args(slice), "");
      }
      EXPECT_EQ(trace.slices.correlation[slice], args.value("correlation", kNoId));
      EXPECT_EQ(trace.slices.external_id[slice], args.value("External id", kNoId));
      ++slice;
    } else if (phase == "s" || phase == "f" || phase == "t") {
      ASSERT_LT(flow, trace.flows.size());
      EXPECT_EQ(trace.flows[flow].phase, phase[0]);
      EXPECT_EQ(trace.flows[flow].id, event["id"].get<std::int64_t>());
      EXPECT_EQ(trace.flows[flow].bind_enclosing, event.value("bp", "") == "e");
      expect_time(trace.flows[flow].ts_ns, event["ts"], "flow");
      ++flow;
    } else if (phase != "M") {
      ASSERT_LT(other, trace.others.size());
      EXPECT_EQ(trace.others[other].phase, phase[0]);
      EXPECT_EQ(trace.strings.view(trace.others[other].name), event["name"].get<std::string>());
      expect_time(trace.others[other].ts_ns, event["ts"], "instant");
      ++other;
    }
  }
  EXPECT_EQ(slice, trace.slices.size());
  EXPECT_EQ(flow, trace.flows.size());
  EXPECT_EQ(other, trace.others.size());
}

TEST(Recordings, AreReadAsTheyAre) {
  const std::vector<fs::path> files = recordings();
  ASSERT_GE(files.size(), 2U);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    const ReadResult read = read_trace_file(file);
    EXPECT_EQ(read.exit_code, 0);
    EXPECT_EQ(read.trace.head.members.empty(), false);
    const Json json = Json::parse(text_of(file));
    EXPECT_EQ(read.events, static_cast<std::int64_t>(json["traceEvents"].size()));
    EXPECT_EQ(read.trace.head.base_time_ns, json["baseTimeNanoseconds"].get<std::int64_t>());
    ASSERT_EQ(read.trace.head.devices.size(), json["deviceProperties"].size());
    EXPECT_EQ(read.trace.head.devices.at(0).name,
              json["deviceProperties"][0]["name"].get<std::string>());
    EXPECT_EQ(read.trace.head.devices.at(0).num_sms, json["deviceProperties"][0]["numSms"]);
    for (const auto& [key, value] : read.trace.head.members) {
      EXPECT_EQ(Json::parse(value), json[key]) << key;
    }
    compare(json, read.trace);
  }
}

TEST(Recordings, WrittenAndReadBackAreTheSame) {
  for (const fs::path& file : recordings()) {
    SCOPED_TRACE(file);
    const Trace trace = read_trace_file(file).trace;
    const ReadResult back = read_trace_text(write_trace_text(trace), "back.json");
    EXPECT_EQ(first_difference(trace, back.trace), "");
    EXPECT_TRUE(back.trace.issues.empty() || !trace.issues.empty());
  }
}

TEST(Recordings, DoNotDependOnTheWindow) {
  for (const fs::path& file : recordings()) {
    if (fs::file_size(file) > 100'000) continue;
    const Trace whole = read_trace_file(file).trace;
    for (const std::size_t window : {1, 500, 3001, 40'000}) {
      const ReadResult read = read_trace_file(file, {.window_bytes = window});
      EXPECT_EQ(first_difference(whole, read.trace), "") << file << " " << window;
      EXPECT_EQ(read.trace.issues.size(), whole.issues.size());
    }
  }
}

TEST(Recordings, LeanReadingKeepsTheIds) {
  for (const fs::path& file : recordings()) {
    const Trace whole = read_trace_file(file).trace;
    const ReadResult lean = read_trace_file(file, {.keep_args = false, .keep_flows = false});
    EXPECT_TRUE(lean.trace.args_text.empty());
    EXPECT_TRUE(lean.trace.flows.empty());
    EXPECT_EQ(lean.trace.slices.correlation, whole.slices.correlation);
    EXPECT_EQ(lean.trace.slices.external_id, whole.slices.external_id);
    EXPECT_EQ(lean.trace.slices.ts_ns, whole.slices.ts_ns);
  }
}

// --- Time
// ------------------------------------------------------------------------------------------

std::string timed(const std::string& ts, const std::string& dur) {
  return R"({"ph":"X","name":"x","pid":1,"tid":1,"ts":)" + ts + R"(,"dur":)" + dur + "}";
}

TEST(Times, AreDecimalTextNeverDoubles) {  // kinds 37, 38
  const Read read = read_text(
      in_object(timed("1672924880617000.001", "690000.002") + "," +
                timed("1672924881307000.003", "0.4") + "," + timed("5.7", "5.007") + "," +
                timed("\"1672924880617000.001\"", "\"1.5\"") + "," + timed("1.5e3", "2E-1") + "," +
                timed("-1600000000000000", "1e0") + "," + timed("-0.5", "0.0004")));
  ASSERT_EQ(read.trace().slices.size(), 7) << read.error;
  const Slices& slices = read.trace().slices;
  EXPECT_EQ(slices.ts_ns, (std::vector<std::int64_t>{1672924880617000001, 1672924881307000003, 5700,
                                                     1672924880617000001, 1'500'000,
                                                     -1'600'000'000'000'000'000, -500}));
  EXPECT_EQ(slices.dur_ns, (std::vector<std::int64_t>{690'000'002, 400, 5007, 1500, 200, 1000, 0}));
  EXPECT_EQ(read.issues(), "");
}

TEST(Times, DisplayTimeUnitChangesNothing) {  // kind 39
  for (const std::string unit : {R"("displayTimeUnit":"ns",)", R"("displayTimeUnit":"ms",)", ""}) {
    const Read read = read_text("{" + unit + R"("traceEvents":[)" + range("a", 3) + "]}");
    EXPECT_EQ(read.trace().slices.ts_ns.at(0), 3000);
    EXPECT_EQ(read.trace().slices.dur_ns.at(0), 2000);
  }
}

TEST(Times, ThatCannotBe) {  // kinds 40, 41, 42
  const std::string kernel =
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":0,"dur":0})";
  const Read untimed = read_text(in_object(kernel + "," + range("a", 1672924880617000)));
  EXPECT_EQ(untimed.trace().window_ns(),
            (std::pair<std::int64_t, std::int64_t>{1672924880617000000, 1672924880617002000}));
  const Read open = read_text(in_object(
      range("a", 5) + "," + timed("7", "9.2e15") + "," + timed("8", "99999999999999999999") + "," +
      timed("9", "-1600000000000000") + "," + timed("6", "-0.001") + "," + timed("6", "null")));
  const Slices& slices = open.trace().slices;
  ASSERT_EQ(slices.size(), 6);
  EXPECT_EQ(slices.dur_ns[1], 9'200'000'000'000'000'000);
  EXPECT_EQ(slices.dur_ns[2], std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(slices.end_ns(2), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(slices.dur_ns[3], 0);
  EXPECT_EQ(slices.dur_ns[4], 0);
  EXPECT_EQ(open.issues(), "absurd_duration 2,negative_duration 2,no_duration 1");
  EXPECT_EQ(open.exit_code, 0);
  EXPECT_EQ(open.trace().window_ns(), (std::pair<std::int64_t, std::int64_t>{5000, 9000}));
}

TEST(Times, OfMetadataAndInstantsDoNotStretchTheWindow) {  // kind 3 and the M rows
  const Read read = read_text(in_object(
      R"({"ph":"M","name":"process_name","pid":1,"tid":0,"ts":0,"args":{"name":"p"}},)" +
      range("a", 1000) +
      R"(,{"ph":"i","s":"g","name":"Record Window End","pid":"","tid":"","ts":99999999999999},)"
      R"({"ph":"X","cat":"Trace","name":"PyTorch Profiler","pid":"Spans","tid":"x","ts":1,"dur":9})"));
  EXPECT_EQ(read.trace().window_ns(),
            (std::pair<std::int64_t, std::int64_t>{1'000'000, 1'002'000}));
}

// --- Identity
// --------------------------------------------------------------------------------------

TEST(Identity, CpuProcess0AndGpu0AreDifferentTracks) {  // kinds 66, 67, 69
  const Read read = read_text(
      in_object(on("kernel", "0", "7", R"({"device":0,"stream":7})") + "," +
                on("python_function", "0", "7") + "," + on("gpu_user_annotation", "0", "7") + "," +
                on("gpu_memcpy", "0", "7", R"({"device":0})") + "," + on("overhead", "0", "7") +
                "," + on("cuda_runtime", "0", "7") + "," + on("mystery", "0", "7")));
  const Trace& trace = read.trace();
  std::vector<TrackKind> kinds;
  std::vector<int> devices;
  for (SliceId id = 0; id < trace.slices.size(); ++id) {
    kinds.push_back(trace.tracks[trace.slices.track[id]].kind);
    devices.push_back(trace.tracks[trace.slices.track[id]].device);
  }
  using enum TrackKind;
  EXPECT_EQ(kinds, (std::vector<TrackKind>{kStream, kCpuThread, kGpuSpans, kStream, kOverhead,
                                           kCpuThread, kOther}));
  EXPECT_EQ(devices, (std::vector<int>{0, -1, 0, 0, -1, -1, -1}));
  EXPECT_EQ(trace.tracks.size(), 5);
  EXPECT_EQ(trace.slices.track[0], trace.slices.track[3]);
}

TEST(Identity, TheDeviceComesFromTheArgsWhereTheyHaveIt) {
  const Read read =
      read_text(in_object(on("kernel", "4711", "7", R"({"device":3})") + "," +
                          on("kernel", "4711", "7", R"({"device":4})") + "," +
                          on("kernel", "2", "7") + "," + on("kernel", "\"GPU\"", "7")));
  const Trace& trace = read.trace();
  ASSERT_EQ(trace.tracks.size(), 4);
  EXPECT_EQ(trace.tracks[0].device, 3);
  EXPECT_EQ(trace.tracks[1].device, 4);
  EXPECT_EQ(trace.tracks[2].device, 2);
  EXPECT_EQ(trace.tracks[3].device, -1);
}

TEST(Identity, PidsAndTidsAreNumbersOrTexts) {  // kinds 56, 68
  const Read read = read_text(in_object(on("cpu_op", "-1", "2147483648") + "," +
                                        on("cpu_op", "\"CPU functions\"", "\"a \\\"b\\\"\"") + "," +
                                        on("cpu_op", "1", "18446744073709551615") + "," +
                                        on("cpu_op", "\"1\"", "\"\"")));
  const Trace& trace = read.trace();
  ASSERT_EQ(trace.tracks.size(), 4);
  EXPECT_EQ(trace.tracks[0].tid.number, 2147483648);
  EXPECT_EQ(trace.tracks[0].pid.number, -1);
  EXPECT_EQ(id_text(trace, trace.tracks[1].pid), "\"CPU functions\"");
  EXPECT_EQ(id_text(trace, trace.tracks[1].tid), R"("a \"b\"")");
  EXPECT_EQ(id_text(trace, trace.tracks[2].tid), "\"18446744073709551615\"");
  EXPECT_EQ(id_text(trace, trace.tracks[3].pid), "\"1\"");
  EXPECT_EQ(first_difference(trace, read_text(write_trace_text(trace)).trace()), "");
}

TEST(Identity, IdsOfAllEras) {
  const Read read = read_text(in_object(
      on("Runtime", "1", "1", R"({"external id": 5, "correlation": "17"})") + "," +
      on("Kernel", "0", "7", R"({"External id": 0, "correlation": 10159970886766084423})") + "," +
      on("Operator", "1", "1", R"({"nested": {"correlation": 3}, "name": "correlation"})")));
  const Slices& slices = read.trace().slices;
  EXPECT_EQ(slices.external_id, (std::vector<std::int64_t>{5, 0, kNoId}));
  EXPECT_EQ(slices.correlation, (std::vector<std::int64_t>{17, kNoId, kNoId}));
  EXPECT_EQ(slices.category,
            (std::vector<Category>{Category::kRuntime, Category::kKernel, Category::kCpuOp}));
  EXPECT_EQ(read.trace().strings.view(slices.category_text[1]), "Kernel");
}

TEST(Identity, TheLastArgsCount) {
  const Read read = read_text(in_object(
      R"({"args":{"device":3,"correlation":5},"args":{"External id":7},"ph":"X","cat":"kernel",)"
      R"("name":"k","pid":0,"tid":7,"ts":1,"dur":1})"));
  const Trace& trace = read.trace();
  EXPECT_EQ(trace.args(SliceId{0}), R"({"External id":7})");
  EXPECT_EQ(trace.slices.correlation[0], kNoId);
  EXPECT_EQ(trace.slices.external_id[0], 7);
  EXPECT_EQ(trace.tracks[trace.slices.track[0]].device, 0);
}

TEST(Identity, ManyThreads) {
  std::string events;
  for (int i = 0; i < 5000; ++i) {
    events += (i == 0 ? "" : ",") + on("cpu_op", "1", std::to_string(i * 257));
  }
  const Read read = read_text(in_object(events + "," + events));
  EXPECT_EQ(read.trace().tracks.size(), 5000);
  EXPECT_EQ(read.trace().slices.track[4999], read.trace().slices.track[9999]);
}

// --- Other forms
// -----------------------------------------------------------------------------------

TEST(Forms, HeadMembersStandBeforeOrBehind) {
  const std::string events = range("a", 1);
  const std::string head =
      R"("schemaVersion": 1, "computeProperties": [{"id": 0, "name": "Tesla \"P100\"", "numSms": 56}],)"
      R"( "distributedInfo": {"rank": 0, "x": [1, {"y": "]}"}]}, "baseTimeNanoseconds": 1700000000000000000)";
  for (const std::string& text :
       {"{" + head + R"(,"traceEvents":[)" + events + "]}",
        R"({"traceEvents":[)" + events + "]," + head + "}",
        "\xEF\xBB\xBF {\n" + head + R"(, "traceEvents" : [)" + events + " ] }\n"}) {
    const Read read = read_text(text);
    EXPECT_EQ(read.names() + read.issues() + read.error, "a") << text;
    const Head& traced = read.trace().head;
    EXPECT_EQ(traced.base_time_ns, 1700000000000000000);
    ASSERT_EQ(traced.devices.size(), 1);
    EXPECT_EQ(traced.devices[0].name, "Tesla \"P100\"");
    EXPECT_EQ(traced.devices[0].num_sms, 56);
    ASSERT_EQ(traced.members.size(), 2);
    EXPECT_EQ(traced.members[0], (std::pair<std::string, std::string>{"schemaVersion", "1"}));
    EXPECT_EQ(traced.member("distributedInfo"), R"({"rank": 0, "x": [1, {"y": "]}"}]})");
  }
}

TEST(Forms, ListOfEventsWithoutCategories) {  // kind 20
  const Read read = read_text(
      R"([{"name":"aten::add","ph":"X","ts":1.5,"dur":2,"tid":1,"pid":"CPU functions","args":{}}])");
  EXPECT_EQ(read.names() + read.issues() + read.error, "aten::add");
  EXPECT_EQ(read.trace().slices.category[0], Category::kCpuOp);
  EXPECT_EQ(read.trace().window_ns(), (std::pair<std::int64_t, std::int64_t>{1500, 3500}));
}

TEST(Forms, ProvenanceOfOurRecordings) {
  const Read read = read_text(
      R"({"traceEvents":[],"tracebook":{"schema":1,"chapter":"01_cold_trace","recording":"64",)"
      R"("command":"a \"b\"","recorded_at":"2026-11-29T10:00:00Z","gpu":"NVIDIA H200",)"
      R"("issues":[{"kind":"lost_records","says":"gone","count":12}]}})");
  const Provenance& provenance = read.trace().head.provenance;
  EXPECT_EQ(provenance.chapter, "01_cold_trace");
  EXPECT_EQ(provenance.command, "a \"b\"");
  EXPECT_EQ(provenance.gpu, "NVIDIA H200");
  EXPECT_EQ(provenance.cupti, "");
  EXPECT_EQ(read.issues(), "lost_records 12");
  EXPECT_TRUE(read.trace().head.members.empty());
  const Read back = read_text(write_trace_text(read.trace()));
  EXPECT_EQ(first_difference(read.trace(), back.trace()), "");
  EXPECT_EQ(back.issues(), "lost_records 12");
  // Somebody else's member of this name stays what it is.
  EXPECT_EQ(read_text(R"({"traceEvents":[],"tracebook":"x"})").trace().head.member("tracebook"),
            "\"x\"");
}

TEST(Forms, MembersThatMakeNoSenseStayAsText) {
  const std::string odd =
      R"("baseTimeNanoseconds":"soon","deviceProperties":{"id":0},"traceEvents":[])";
  const Read read = read_text("{" + odd + "}");
  EXPECT_EQ(read.trace().head.member("baseTimeNanoseconds"), "\"soon\"");
  EXPECT_EQ(read.trace().head.member("deviceProperties"), R"({"id":0})");
  EXPECT_EQ(first_difference(read.trace(), read_text(write_trace_text(read.trace())).trace()), "");
  // Given twice, once with sense.
  const Read twice =
      read_text("{" + odd + R"(,"baseTimeNanoseconds":5,"computeProperties":[{"id":1}]})");
  EXPECT_TRUE(twice.trace().head.members.empty());
  EXPECT_EQ(twice.trace().head.base_time_ns, 5);
}

TEST(Forms, ABaseTimeThatNoClockReachesStaysAsText) {
  for (const char* const base : {"9223372036854775807", "-9223372036854775808"}) {
    const Read read = read_text("{\"baseTimeNanoseconds\":" + std::string(base) +
                                R"(,"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":1}]})");
    EXPECT_EQ(read.trace().head.base_time_ns, 0);
    EXPECT_EQ(read.trace().head.member("baseTimeNanoseconds"), base);
    EXPECT_EQ(first_difference(read.trace(), read_text(write_trace_text(read.trace())).trace()),
              "");
  }
}

TEST(Forms, WindowsLargerThanFourKilobytesOfHeadAndEvents) {
  const std::string big(300'000, 'x');
  const Read read = read_text(R"({"stackFrames":{"a":")" + big + R"("},"traceEvents":[)" +
                                  range(big, 1) + "," + range("b", 2) + "]}",
                              {.window_bytes = 1000});
  EXPECT_EQ(read.names(), big + ",b");
  EXPECT_EQ(read.trace().head.member("stackFrames").size(), big.size() + 8);
}

// --- Phases
// ----------------------------------------------------------------------------------------

}  // namespace
}  // namespace tracebook
