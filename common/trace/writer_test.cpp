// SPDX-License-Identifier: Apache-2.0
#include "common/trace/writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/trace/hand_made.h"
#include "common/trace/reader.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json written(const Trace& trace) { return Json::parse(write_trace_text(trace)); }
Json events_of(const Trace& trace) { return written(trace)["traceEvents"]; }

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

EventId text_id(Trace& trace, std::string_view text) {
  return {.is_text = true, .text = trace.strings.intern(text)};
}

using Keys = std::vector<std::string>;

TEST(WriterHead, HasKinetosMembersInKinetosOrder) {
  Trace trace;
  trace.head.base_time_ns = 1'790'857'026'000'000'000;
  trace.head.devices = {{.id = 0, .name = "NVIDIA H200", .num_sms = 132}};
  trace.head.members = {{"schemaVersion", "1"},
                        {"trace_id", "\"F8D3\""},
                        {"cupti_version", "130001"},
                        {"displayTimeUnit", "\"ms\""},
                        {"traceName", "\"a[x].json\""}};
  const Json json = written(trace);
  EXPECT_EQ(keys_of(json),
            (Keys{"schemaVersion", "deviceProperties", "trace_id", "cupti_version",
                  "displayTimeUnit", "baseTimeNanoseconds", "traceEvents", "traceName"}));
  EXPECT_EQ(json["schemaVersion"], 1);
  EXPECT_EQ(json["trace_id"], "F8D3");
  EXPECT_EQ(json["cupti_version"], 130001);
  EXPECT_EQ(json["baseTimeNanoseconds"], 1'790'857'026'000'000'000);
  EXPECT_EQ(json["traceName"], "a[x].json");
}

TEST(WriterHead, KeepsMembersAsWrittenAndInOrder) {
  Trace trace;
  trace.head.members = {{"traceName", "\"first\""},
                        {"quoted \"key\"", R"({"a" :  [1.50, 2e3]})"},
                        {"schemaVersion", "2"}};
  const std::string text = write_trace_text(trace);
  EXPECT_NE(text.find(R"("quoted \"key\"": {"a" :  [1.50, 2e3]})"), std::string::npos) << text;
  EXPECT_EQ(keys_of(Json::parse(text)),
            (Keys{"deviceProperties", "traceName", "quoted \"key\"", "schemaVersion",
                  "baseTimeNanoseconds", "traceEvents"}));
}

TEST(WriterHead, WritesNoMemberTwice) {
  Trace trace;
  trace.head.base_time_ns = 7;
  trace.head.members = {
      {"baseTimeNanoseconds", "\"seven\""}, {"deviceProperties", "null"}, {"traceEvents", "null"}};
  const std::string text = write_trace_text(trace);
  for (const char* key : {"baseTimeNanoseconds", "deviceProperties", "traceEvents"}) {
    EXPECT_NE(text.find(key), std::string::npos) << key;
    EXPECT_EQ(text.find(key), text.rfind(key)) << key;
  }
  EXPECT_EQ(Json::parse(text)["baseTimeNanoseconds"], 7);
  EXPECT_TRUE(Json::parse(text)["deviceProperties"].is_null()) << "nothing better is known";
  EXPECT_TRUE(Json::parse(text)["traceEvents"].is_array());
}

TEST(WriterHead, AnEmptyTraceIsOne) {
  const Json json = written(Trace());
  EXPECT_EQ(json, Json::parse(R"({"deviceProperties": [],
                                  "baseTimeNanoseconds": 0, "traceEvents": []})"));
}

TEST(WriterHead, HasTheDevices) {
  Trace trace;
  trace.head.devices = {{.id = 0,
                         .name = "NVIDIA \"H200\"",
                         .total_global_mem = 150'109'880'320,
                         .compute_major = 9,
                         .compute_minor = 0,
                         .max_threads_per_block = 1024,
                         .max_threads_per_multiprocessor = 2048,
                         .regs_per_block = 65536,
                         .warp_size = 32,
                         .shared_mem_per_block = 49152,
                         .num_sms = 132,
                         .regs_per_multiprocessor = 65537,
                         .shared_mem_per_block_optin = 232448,
                         .shared_mem_per_multiprocessor = 233472},
                        {.id = 1, .name = "unknown"}};
  EXPECT_EQ(written(trace)["deviceProperties"].dump(),
            Json::parse(R"([{"id": 0, "name": "NVIDIA \"H200\"", "totalGlobalMem": 150109880320,
                "computeMajor": 9, "computeMinor": 0, "maxThreadsPerBlock": 1024,
                "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65536, "warpSize": 32,
                "sharedMemPerBlock": 49152, "numSms": 132, "regsPerMultiprocessor": 65537,
                "sharedMemPerBlockOptin": 232448, "sharedMemPerMultiprocessor": 233472},
                {"id": 1, "name": "unknown"}])")
                .dump());
}

TEST(WriterHead, SaysWhereARecordingComesFrom) {
  Trace trace;
  trace.head.provenance = {.chapter = "01_cold_trace",
                           .recording = "64_bf16_cold_eager",
                           .command = "01_cold_trace --out \"a b\"",
                           .commit = "1a2b",
                           .recorded_at = "2026-10-01T12:00:00Z",
                           .gpu = "NVIDIA H200",
                           .driver = "580.159.04",
                           .cuda = "13.0",
                           .cublas = "13.1.0",
                           .cupti = "130001"};
  EXPECT_EQ(written(trace)["tracebook"].dump(),
            Json::parse(R"({"schema": 1, "chapter": "01_cold_trace",
                "recording": "64_bf16_cold_eager", "command": "01_cold_trace --out \"a b\"",
                "commit": "1a2b", "recorded_at": "2026-10-01T12:00:00Z", "gpu": "NVIDIA H200",
                "driver": "580.159.04", "cuda": "13.0", "cublas": "13.1.0", "cupti": "130001"})")
                .dump());
}

TEST(WriterHead, OtherWritersFilesGetNoProvenance) {
  EXPECT_FALSE(written(Trace()).contains("tracebook"));
}

TEST(WriterSlices, AreWrittenAsKinetoDoes) {
  HandMade made;
  made.trace.add_slice(
      Category::kKernel, made.trace.strings.intern("kernel"), made.trace.strings.intern("gemm"),
      made.trace.track_of(TrackKind::kStream, {.number = 0}, {.number = 7}, 0),
      5'105'701'811'148'709, 1'880, 41, 4, "{\n      \"External id\": 4,  \"correlation\": 41}");
  EXPECT_EQ(write_trace_text(made.trace), R"({
  "deviceProperties": [],
  "baseTimeNanoseconds": 0,
  "traceEvents": [
  {
    "ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7,
    "ts": 5105701811148.709, "dur": 1.88,
    "args": {
      "External id": 4,  "correlation": 41}
  }
  ]
}
)");
}

TEST(WriterSlices, TheProfilersSpanHasItsOwnOrder) {
  HandMade made;
  Trace& trace = made.trace;
  trace.add_slice(Category::kTraceSpan, trace.strings.intern("Trace"),
                  trace.strings.intern("PyTorch Profiler (0)"),
                  trace.track_of(TrackKind::kOther, text_id(trace, "Spans"),
                                 text_id(trace, "PyTorch \"Profiler\""), -1),
                  10, 20, kNoId, kNoId, "{\"Op count\": 0}");
  EXPECT_EQ(events_of(trace)[0].dump(),
            Json::parse(R"-({"ph": "X", "cat": "Trace", "ts": 0.01, "dur": 0.02, "pid": "Spans",
                "tid": "PyTorch \"Profiler\"", "name": "PyTorch Profiler (0)",
                "args": {"Op count": 0}})-")
                .dump());
}

TEST(WriterSlices, KeepIdsWhoseArgsWereNotKept) {
  HandMade made;
  made.kernel("both", 0, 1, {.correlation = 41, .external_id = 4});
  made.kernel("one", 0, 1, {.correlation = 42});
  made.kernel("other", 0, 1, {.external_id = 5});
  made.kernel("none", 0, 1);
  const Json events = events_of(made.trace);
  EXPECT_EQ(events[0]["args"], Json::parse(R"({"External id": 4, "correlation": 41})"));
  EXPECT_EQ(events[1]["args"], Json::parse(R"({"correlation": 42})"));
  EXPECT_EQ(events[2]["args"], Json::parse(R"({"External id": 5})"));
  EXPECT_FALSE(events[3].contains("args"));
}

TEST(WriterSlices, NamesMayHoldAnything) {
  HandMade made;
  made.op("q\" b\\ \n \x01 C:\\Users\\py ]}", 0, 1);
  made.op("caf\u00e9 \xff\xc3", 0, 1);
  made.op("", 0, 1);
  const Json events = events_of(made.trace);
  EXPECT_EQ(events[0]["name"], "q\" b\\ \n \x01 C:\\Users\\py ]}");
  EXPECT_EQ(events[1]["name"], "caf\u00e9 \ufffd\ufffd");
  EXPECT_EQ(events[2]["name"], "");
}

TEST(WriterSlices, WithoutCategoryHaveNoCat) {
  HandMade made;
  made.add(Category::kOther, TrackKind::kOther, "x", 0, 1, {});
  EXPECT_EQ(keys_of(events_of(made.trace)[0]), (Keys{"ph", "name", "pid", "tid", "ts", "dur"}));
}

TEST(WriterSlices, TimesAreExactHoweverFarOff) {
  HandMade made;
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  made.op("before", -1'500, -250);
  made.op("first", kMin, kMin + 1);
  made.op("last", kMax, kMax);
  const std::string text = write_trace_text(made.trace);
  EXPECT_NE(text.find("\"ts\": -1.5, \"dur\": 1.25\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\"ts\": -9223372036854775.808, \"dur\": 0.001\n"), std::string::npos);
  EXPECT_NE(text.find("\"ts\": 9223372036854775.807, \"dur\": 0\n"), std::string::npos);
}

TEST(WriterSlices, IdsMayBeTextNegativeOrLong) {
  Trace trace;
  const StringId name = trace.strings.intern("x");
  const auto add = [&](const EventId& pid, const EventId& tid) {
    trace.add_slice(Category::kOther, 0, name, trace.track_of(TrackKind::kOther, pid, tid, -1), 0,
                    0, kNoId, kNoId, "");
  };
  add({.number = -1}, {.number = 0x7FFF'FFFF'FFFF'FFFF});
  add(text_id(trace, ""), text_id(trace, "a\tb"));
  const Json events = events_of(trace);
  EXPECT_EQ(events[0]["pid"], -1);
  EXPECT_EQ(events[0]["tid"], 0x7FFF'FFFF'FFFF'FFFF);
  EXPECT_EQ(events[1]["pid"], "");
  EXPECT_EQ(events[1]["tid"], "a\tb");
}

TEST(WriterFlows, StandBehindTheSliceThatTheyTouch) {
  HandMade made;
  Trace& trace = made.trace;
  const SliceId call = made.call("cudaLaunchKernel", 1'000, 2'000);
  const SliceId kernel = made.kernel("gemm", 3'000, 4'000);
  const StringId ac2g = trace.strings.intern("ac2g");
  const TrackId thread = trace.slices.track[call];
  const TrackId stream = trace.slices.track[kernel];
  trace.flows = {{.phase = 's',
                  .name = ac2g,
                  .category_text = ac2g,
                  .track = thread,
                  .id = 41,
                  .ts_ns = 1'000},
                 {.phase = 'f',
                  .bind_enclosing = true,
                  .name = ac2g,
                  .category_text = ac2g,
                  .track = stream,
                  .id = 41,
                  .ts_ns = 3'000},
                 {.phase = 't', .track = thread, .id = -5, .ts_ns = 9'000}};
  const Json events = events_of(trace);
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[0]["name"], "cudaLaunchKernel");
  EXPECT_EQ(events[1].dump(), Json::parse(R"({"ph": "s", "id": 41, "pid": 100, "tid": 1, "ts": 1,
                                              "cat": "ac2g", "name": "ac2g"})")
                                  .dump());
  EXPECT_EQ(events[2]["name"], "gemm");
  EXPECT_EQ(events[3].dump(), Json::parse(R"({"ph": "f", "id": 41, "pid": 0, "tid": 7, "ts": 3,
                                              "cat": "ac2g", "name": "ac2g", "bp": "e"})")
                                  .dump());
  EXPECT_EQ(events[4].dump(), Json::parse(R"({"ph": "t", "id": -5, "pid": 100, "tid": 1, "ts": 9,
                                              "name": ""})")
                                  .dump());
}

TEST(WriterNames, ProcessesAndThreadsComeAsRows) {
  HandMade made;
  made.op("x", 2'000, 3'000);
  Trace& trace = made.trace;
  trace.processes = {{.pid = {.number = 100}, .name = "python3", .labels = "CPU", .sort_index = 5},
                     {.pid = text_id(trace, "Spans"), .name = "", .labels = "", .sort_index = 9},
                     {.pid = {.number = 7}, .name = "", .labels = "", .sort_index = {}}};
  trace.threads = {
      {.pid = {.number = 0}, .tid = {.number = 7}, .name = "stream 7 ", .sort_index = -7},
      {.pid = {.number = 1}, .tid = text_id(trace, "t"), .name = "", .sort_index = {}}};
  const Json rows = events_of(trace);
  ASSERT_EQ(rows.size(), 9U);
  const auto expected = [](const char* text) { return Json::parse(text).dump(); };
  EXPECT_EQ(rows[1].dump(), expected(R"({"name": "process_name", "ph": "M", "ts": 2, "pid": 100,
                                         "tid": 0, "args": {"name": "python3"}})"));
  EXPECT_EQ(rows[2].dump(), expected(R"({"name": "process_labels", "ph": "M", "ts": 2, "pid": 100,
                                         "tid": 0, "args": {"labels": "CPU"}})"));
  EXPECT_EQ(rows[3].dump(), expected(R"({"name": "process_sort_index", "ph": "M", "ts": 2,
                                         "pid": 100, "tid": 0, "args": {"sort_index": 5}})"));
  EXPECT_EQ(rows[4].dump(), expected(R"({"name": "process_sort_index", "ph": "M", "ts": 2,
                                         "pid": "Spans", "tid": 0, "args": {"sort_index": 9}})"));
  EXPECT_EQ(rows[5].dump(), expected(R"({"name": "process_name", "ph": "M", "ts": 2, "pid": 7,
                                         "tid": 0, "args": {"name": ""}})"));
  EXPECT_EQ(rows[6].dump(), expected(R"({"name": "thread_name", "ph": "M", "ts": 2, "pid": 0,
                                         "tid": 7, "args": {"name": "stream 7 "}})"));
  EXPECT_EQ(rows[7].dump(), expected(R"({"name": "thread_sort_index", "ph": "M", "ts": 2, "pid": 0,
                                         "tid": 7, "args": {"sort_index": -7}})"));
  EXPECT_EQ(rows[8].dump(), expected(R"({"name": "thread_name", "ph": "M", "ts": 2, "pid": 1,
                                         "tid": "t", "args": {"name": ""}})"));
}

TEST(WriterOthers, InstantsAndCountersComeLast) {
  HandMade made;
  Trace& trace = made.trace;
  const TrackId track = trace.track_of(TrackKind::kOther, text_id(trace, "Traces"),
                                       text_id(trace, "Trace PyTorch Profiler"), -1);
  OtherEvent instant;
  instant.scope = 'g';
  instant.name = trace.strings.intern("Record Window End");
  instant.track = track;
  instant.ts_ns = 758'519;
  OtherEvent counter;
  counter.phase = 'C';
  counter.category_text = trace.strings.intern("memory");
  counter.name = trace.strings.intern("GPU memory");
  counter.track = track;
  counter.args = trace.keep_args(R"({"bytes": 5})");
  OtherEvent odd;
  odd.phase = '"';
  odd.track = track;
  trace.others = {instant, counter, odd};
  made.op("x", 0, 1);
  const Json events = events_of(trace);
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[1].dump(),
            Json::parse(R"({"name": "Record Window End", "ph": "i", "s": "g", "pid": "Traces",
                "tid": "Trace PyTorch Profiler", "ts": 758.519})")
                .dump());
  EXPECT_EQ(events[2].dump(),
            Json::parse(R"({"name": "GPU memory", "ph": "C", "cat": "memory", "pid": "Traces",
                "tid": "Trace PyTorch Profiler", "ts": 0, "args": {"bytes": 5}})")
                .dump());
  EXPECT_EQ(events[3]["ph"], "\"");
}

/// A folder of its own for each test, and a trace whose text has many pieces.
class WriterFile : public ::testing::Test {
 protected:
  WriterFile() {
    std::string pattern = (fs::temp_directory_path() / "writer_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    for (std::int64_t i = 0; i < 20'000; ++i) {
      made_.kernel("kernel " + std::to_string(i * i % 1013), 10 * i, 10 * i + 7);
    }
  }
  ~WriterFile() override { fs::remove_all(folder_); }

  [[nodiscard]] std::size_t count_files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
  HandMade made_;
};

/// The text of a file, compressed or not.
std::string unzipped(const fs::path& path) {
  std::string text;
  const gzFile file = ::gzopen(path.c_str(), "rb");
  std::vector<char> buffer(1 << 16);
  for (int count = 0; (count = ::gzread(file, buffer.data(), 1 << 16)) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  int error = Z_OK;
  ::gzerror(file, &error);
  EXPECT_EQ(error, Z_OK);
  EXPECT_EQ(::gzclose(file), Z_OK);
  return text;
}

TEST_F(WriterFile, HoldsTheText) {
  const std::string text = write_trace_text(made_.trace);
  ASSERT_EQ(Json::parse(text)["traceEvents"].size(), 20'000U);
  write_trace_file(made_.trace, folder_ / "a/b.json");
  EXPECT_EQ(read_file(folder_ / "a/b.json"), text);
}

TEST_F(WriterFile, IsCompressedIfItsNameSaysSo) {
  const std::string text = write_trace_text(made_.trace);
  write_trace_file(made_.trace, folder_ / "a.json.gz");
  EXPECT_EQ(unzipped(folder_ / "a.json.gz"), text);
  EXPECT_EQ(read_file(folder_ / "a.json.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_LT(fs::file_size(folder_ / "a.json.gz"), text.size() / 5);
  write_trace_file(Trace(), folder_ / "empty.json.gz");
  EXPECT_EQ(unzipped(folder_ / "empty.json.gz"), write_trace_text(Trace()));
}

TEST_F(WriterFile, CompressedHoldsNoTimeOfItsOwn) {
  write_trace_file(made_.trace, folder_ / "a.gz");
  EXPECT_EQ(read_file(folder_ / "a.gz").substr(4, 4), std::string(4, '\0'));
}

TEST_F(WriterFile, AFolderIsNoPlaceForOne) {
  EXPECT_THROW(write_trace_file(made_.trace, folder_), InputError);
  EXPECT_EQ(count_files(), 0U);
}

TEST(WriterRoundTrip, WhatIsWrittenAndReadBackIsTheSame) {
  HandMade made;
  Trace& trace = made.trace;
  trace.head.base_time_ns = 1'790'857'026'000'000'000;
  trace.head.devices = {{.id = 0, .name = "NVIDIA \"H200\"", .compute_major = 9, .num_sms = 132},
                        {.id = 1, .name = "", .warp_size = 64}};
  trace.head.provenance = {.chapter = "01_cold_trace",
                           .recording = "64",
                           .command = "a \"b\" \\",
                           .commit = "1a2b",
                           .recorded_at = "2026-10-01T12:00:00Z",
                           .gpu = "NVIDIA H200",
                           .driver = "580.159.04",
                           .cuda = "13.0",
                           .cublas = "13.1.0",
                           .cupti = "130001"};
  trace.head.members = {{"schemaVersion", "1"},
                        {"quoted \"key\" \u00e9", R"({"a": [1.50, "x"]})"},
                        {"traceName", "\"[x].json\""}};
  const StringId cpu_op = trace.strings.intern("cpu_op");
  const EventId spans{.is_text = true, .text = trace.strings.intern("Spans")};
  const EventId odd{.is_text = true, .text = trace.strings.intern("process \"4\"\t\u20ac")};
  const TrackId thread = trace.track_of(TrackKind::kCpuThread, odd, {.number = -7}, -1);
  trace.add_slice(Category::kCpuOp, cpu_op, trace.strings.intern("C:\\Users \"q\"\n\x01 ]}"),
                  thread, -1'234, 1, kNoId, 12,
                  R"({"External id": 12, "Input \"Dims\"": [[4, 2], []]})");
  const SliceId call =
      made.call("cudaLaunchKernel", 1'000, 2'001, {.correlation = 41, .external_id = 4});
  const SliceId kernel = made.kernel("gemm", 3'000, 4'000, {.correlation = 41});
  made.gpu_span("span", 2'999, 4'001, {.external_id = 4});
  made.overhead("Lazy Function Loading", 500, 900);
  trace.add_slice(Category::kTraceSpan, trace.strings.intern("Trace"), spans.text,
                  trace.track_of(TrackKind::kOther, spans, spans, -1), 0, 5'000, kNoId, kNoId, "");
  for (SliceId id = call; id <= kernel; ++id) {
    trace.slices.args[id] = trace.keep_args(id == call ? R"({"External id": 4, "correlation": 41})"
                                                       : R"({"correlation": 41})");
  }
  const StringId ac2g = trace.strings.intern("ac2g");
  trace.flows = {{.phase = 'f',
                  .bind_enclosing = true,
                  .name = ac2g,
                  .category_text = ac2g,
                  .track = trace.slices.track[kernel],
                  .id = 41,
                  .ts_ns = 3'000},
                 {.phase = 's',
                  .name = ac2g,
                  .category_text = ac2g,
                  .track = trace.slices.track[call],
                  .id = 41,
                  .ts_ns = 1'000}};
  trace.processes = {{.pid = {.number = 100}, .name = "python3", .labels = "CPU", .sort_index = 5},
                     {.pid = spans, .name = "", .labels = "", .sort_index = 536'870'912},
                     {.pid = odd, .name = "", .labels = "", .sort_index = {}}};
  trace.threads = {
      {.pid = {.number = 0}, .tid = {.number = 7}, .name = "stream 7 ", .sort_index = 7},
      {.pid = odd, .tid = {.number = -7}, .name = "", .sort_index = {}}};
  OtherEvent instant;
  instant.scope = 'g';
  instant.name = trace.strings.intern("Record Window End");
  instant.track = trace.track_of(TrackKind::kOther, {.is_text = true}, {.is_text = true}, -1);
  instant.ts_ns = 758'519;
  OtherEvent counter;
  counter.phase = 'C';
  counter.category_text = trace.strings.intern("memory");
  counter.name = trace.strings.intern("GPU memory");
  counter.track = instant.track;
  counter.args = trace.keep_args(R"({"bytes": 5})");
  trace.others = {instant, counter};

  // Ids without args come back with args made of them.
  Trace expected = trace;
  expected.slices.args[3] = expected.keep_args(R"({"External id": 4})");
  const ReadResult read = read_trace_text(write_trace_text(trace), "text");
  EXPECT_EQ(first_difference(expected, read.trace), "");
  EXPECT_EQ(read.exit_code, 0);
  EXPECT_TRUE(read.trace.issues.empty());
  EXPECT_EQ(write_trace_text(read.trace), write_trace_text(trace));
}

TEST(WriterRoundTrip, AnEmptyTraceStaysEmpty) {
  const ReadResult read = read_trace_text(write_trace_text(Trace()), "text");
  EXPECT_EQ(first_difference(Trace(), read.trace), "");
}

/// Every trace of PyTorch's in the checkout.
std::vector<fs::path> torch_traces() {
  std::vector<fs::path> found;
  const fs::path expected = fs::path(TRACEBOOK_SOURCE_DIR) / "expected";
  for (const char* folder : {"01_cold_trace/torch", "torch_parity"}) {
    for (const auto& entry : fs::recursive_directory_iterator(expected / folder)) {
      const std::string name = entry.path().filename().string();
      const bool is_trace = name.ends_with(".json") || name.ends_with(".json.gz");
      const bool beside = name.find(".averages.") != std::string::npos ||
                          name.find(".origin.") != std::string::npos;
      if (is_trace && !beside) found.push_back(entry.path());
    }
  }
  return found;
}

/// The events in order, less the rows that Kineto repeats and whose times mean nothing.
Json comparable_events(const Json& trace) {
  Json events = Json::array();
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "M") events.push_back(event);
  }
  return events;
}

TEST_F(WriterFile, OfATorchTraceIsWhatKinetoWrote) {
  const std::vector<fs::path> traces = torch_traces();
  ASSERT_GE(traces.size(), 10U);
  for (const fs::path& path : traces) {
    const Trace trace = read_trace_file(path).trace;
    const fs::path copy = folder_ / "copy.json.gz";
    write_trace_file(trace, copy);
    EXPECT_EQ(first_difference(trace, read_trace_file(copy).trace), "") << path;
    // Not through our reader: the same members in the same order, the same values.
    const Json theirs = Json::parse(unzipped(path));
    const Json ours = Json::parse(unzipped(copy));
    EXPECT_EQ(keys_of(ours), keys_of(theirs)) << path;
    EXPECT_EQ(ours["deviceProperties"], theirs["deviceProperties"]) << path;
    EXPECT_EQ(ours["baseTimeNanoseconds"], theirs["baseTimeNanoseconds"]) << path;
    EXPECT_TRUE(comparable_events(ours) == comparable_events(theirs)) << path;
  }
}

using WriterFileDeathTest = WriterFile;

TEST_F(WriterFileDeathTest, AFullDiskLeavesWhatStoodThere) {
  for (const char* name : {"a.json", "a.json.gz"}) {
    const fs::path path = folder_ / name;
    write_file(path, "before");
    const auto write_with_room_for = [&](rlim_t bytes) {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{bytes, bytes};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      try {
        write_trace_file(made_.trace, path);
      } catch (const InputError& error) {
        std::cerr << error.what();
        ::_exit(error.exit_code());
      }
      ::_exit(0);
    };
    EXPECT_EXIT(write_with_room_for(20'000), ::testing::ExitedWithCode(3),
                std::string(name) + ": cannot be written: File too large");
    EXPECT_EQ(read_file(path), "before");
    EXPECT_EXIT(write_with_room_for(100'000'000), ::testing::ExitedWithCode(0), "");
    EXPECT_NE(read_file(path), "before");
  }
  EXPECT_EQ(count_files(), 2U);
}

}  // namespace
}  // namespace tracebook
