// SPDX-License-Identifier: Apache-2.0
#include "common/trace/trace.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "common/trace/hand_made.h"

namespace tracebook {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kDay = 86'400'000'000'000;

TEST(Category, NamesAreThoseThatKinetoWrites) {
  EXPECT_EQ(category_name(Category::kCpuOp), "cpu_op");
  EXPECT_EQ(category_name(Category::kRuntime), "cuda_runtime");
  EXPECT_EQ(category_name(Category::kMemset), "gpu_memset");
  EXPECT_EQ(category_name(Category::kTraceSpan), "Trace");
  EXPECT_EQ(category_name(Category::kOther), "");
  for (int i = 0; i < kCategoryCount; ++i) {
    const auto category = static_cast<Category>(i);
    EXPECT_EQ(category_of(category_name(category)), category) << i;
  }
}

TEST(Category, OlderNamesMeanTheSame) {
  EXPECT_EQ(category_of("Kernel"), Category::kKernel);
  EXPECT_EQ(category_of("Memcpy"), Category::kMemcpy);
  EXPECT_EQ(category_of("Memset"), Category::kMemset);
  EXPECT_EQ(category_of("Operator"), Category::kCpuOp);
  EXPECT_EQ(category_of("Runtime"), Category::kRuntime);
  EXPECT_EQ(category_of("hip_runtime"), Category::kRuntime);
  EXPECT_EQ(category_of("kernels"), Category::kOther);
  EXPECT_EQ(category_of(""), Category::kOther);
}

TEST(TraceTracks, AreOnePerKindProcessAndThread) {
  Trace trace;
  const EventId zero{.number = 0};
  const EventId seven{.number = 7};
  const TrackId stream = trace.track_of(TrackKind::kStream, zero, seven, 0);
  EXPECT_EQ(trace.track_of(TrackKind::kStream, zero, seven, 0), stream);
  // A CPU thread whose numbers collide with the stream's.
  EXPECT_NE(trace.track_of(TrackKind::kCpuThread, zero, seven, -1), stream);
  EXPECT_NE(trace.track_of(TrackKind::kGpuSpans, zero, seven, 0), stream);
  EXPECT_NE(trace.track_of(TrackKind::kStream, seven, seven, 1), stream);
  const EventId text{.is_text = true, .text = trace.strings.intern("0")};
  EXPECT_NE(trace.track_of(TrackKind::kStream, text, seven, 0), stream);
  EXPECT_EQ(trace.tracks.size(), 5U);
  EXPECT_EQ(trace.tracks[stream].device, 0);
  const TrackId cpu = trace.track_of(TrackKind::kCpuThread, seven, zero, 3);
  EXPECT_EQ(trace.tracks[cpu].device, -1) << "a CPU thread has no GPU";
}

TEST(TraceSlices, KeepWhatTheyAreGiven) {
  Trace trace;
  const TrackId track = trace.track_of(TrackKind::kStream, {}, {}, 0);
  const StringId text = trace.strings.intern("Kernel");
  trace.add_slice(Category::kOther, 0, 0, track, 0, 0, kNoId, kNoId, R"({"a": 1})");
  const SliceId id = trace.add_slice(Category::kKernel, text, trace.strings.intern("gemm"), track,
                                     -5, 30, 41, 4, R"({"b": 2})");
  EXPECT_EQ(id, 1U);
  EXPECT_EQ(trace.slices.size(), 2U);
  EXPECT_EQ(trace.name(id), "gemm");
  EXPECT_EQ(trace.args(id), R"({"b": 2})");
  EXPECT_EQ(trace.strings.view(trace.slices.category_text[id]), "Kernel");
  EXPECT_EQ(trace.slices.category[id], Category::kKernel);
  EXPECT_EQ(trace.slices.track[id], track);
  EXPECT_EQ(trace.slices.ts_ns[id], -5);
  EXPECT_EQ(trace.slices.dur_ns[id], 30);
  EXPECT_EQ(trace.slices.end_ns(id), 25);
  EXPECT_EQ(trace.slices.correlation[id], 41);
  EXPECT_EQ(trace.slices.external_id[id], 4);
}

TEST(TraceSlices, LastNoLessThanNothingAndNoLongerThanTime) {
  HandMade made;
  const SliceId negative = made.op("negative", 10, 5);
  EXPECT_EQ(made.trace.slices.dur_ns[negative], 0);
  const SliceId open = made.op("open", 0, kNever);
  made.trace.slices.ts_ns[open] = 10;
  EXPECT_EQ(made.trace.slices.end_ns(open), kNever);
}

TEST(TraceWindow, GoesFromTheFirstStartToTheLastEnd) {
  HandMade made;
  EXPECT_EQ(made.trace.window_ns(), std::pair(std::int64_t{0}, std::int64_t{0}));
  made.op("late", 500, 600);
  made.op("outer", -100, 2'000);
  made.kernel("kernel", 1'000, 1'500);
  made.add(Category::kTraceSpan, TrackKind::kOther, "PyTorch Profiler (0)", -9'000, 9'000, {});
  OtherEvent instant;
  instant.ts_ns = 50'000;
  made.trace.others.push_back(instant);
  EXPECT_EQ(made.trace.window_ns(), std::pair(std::int64_t{-100}, std::int64_t{2'000}));
}

TEST(TraceWindow, LeavesOutImpossibleTimes) {
  constexpr std::int64_t kEpoch = 1'672'924'880'617'000'000;
  HandMade made;
  made.op("op", kEpoch, kEpoch + 100);
  made.kernel("never timed", 0, 0);
  made.op("never closed", kEpoch + 10, kEpoch + 2 * kDay);
  EXPECT_EQ(made.trace.window_ns(), std::pair(kEpoch, kEpoch + 100));
}

TEST(TraceIssues, AreCountedByKind) {
  Trace trace;
  trace.note("bad_utf8", "strings with invalid UTF-8", 100);
  trace.note("bare_nan", "numbers that JSON does not know", 150, 3);
  trace.note("bad_utf8", "strings with invalid UTF-8", 200, 2);
  ASSERT_EQ(trace.issues.size(), 2U);
  EXPECT_EQ(trace.issues[0].kind, "bad_utf8");
  EXPECT_EQ(trace.issues[0].says, "strings with invalid UTF-8");
  EXPECT_EQ(trace.issues[0].count, 3);
  EXPECT_EQ(trace.issues[0].first_offset, 100U);
  EXPECT_EQ(trace.issues[1].count, 3);
}

TEST(TraceHead, FindsMembersAndDevices) {
  Trace trace;
  trace.head.members = {{"trace_id", "\"F8\""}, {"displayTimeUnit", "\"ms\""}};
  EXPECT_EQ(trace.head.member("displayTimeUnit"), "\"ms\"");
  EXPECT_EQ(trace.head.member("absent"), "");
  trace.head.devices = {{.id = 3, .name = "A"}, {.id = 1, .name = "B"}};
  ASSERT_NE(trace.device(1), nullptr);
  EXPECT_EQ(trace.device(1)->name, "B");
  EXPECT_EQ(trace.device(0), nullptr);
}

/// A trace with one of everything.
HandMade one_of_each() {
  HandMade made;
  Trace& trace = made.trace;
  const SliceId call = made.call("cudaLaunchKernel", 10, 20, {.correlation = 5, .external_id = 1});
  const SliceId kernel = made.kernel("gemm", 30, 90, {.correlation = 5, .external_id = 1});
  trace.slices.args[call] = trace.keep_args(R"({"correlation": 5})");
  const EventId spans{.is_text = true, .text = trace.strings.intern("Spans")};
  trace.flows = {{.phase = 's',
                  .bind_enclosing = true,
                  .track = trace.slices.track[kernel],
                  .id = 5,
                  .ts_ns = 30}};
  OtherEvent counter;
  counter.phase = 'C';
  counter.track = trace.track_of(TrackKind::kOther, spans, {.number = 0}, -1);
  counter.args = trace.keep_args(R"({"bytes": 5})");
  trace.others = {counter};
  trace.processes = {{.pid = spans, .name = "python3", .labels = "CPU", .sort_index = 1}};
  trace.threads = {{.pid = spans, .tid = spans, .name = "main", .sort_index = 2}};
  trace.head.devices = {{.id = 0, .name = "NVIDIA H200"}};
  trace.head.members = {{"displayTimeUnit", "\"ms\""}};
  return made;
}

TEST(FirstDifference, OfEqualTracesIsNone) {
  EXPECT_EQ(first_difference(Trace(), Trace()), "");
  const HandMade made = one_of_each();
  EXPECT_EQ(first_difference(made.trace, made.trace), "");
}

TEST(FirstDifference, NumbersOfStringsAndTracksAndPlacesOfArgsAreNone) {
  const HandMade left = one_of_each();
  Trace right;
  for (const char* text : {"other", "gemm", "Spans"}) right.strings.intern(text);
  right.keep_args("{}");
  right.track_of(TrackKind::kOther, {.number = 9}, {.number = 9}, -1);
  // The same again, by hand, on top of that.
  const auto same = [&](StringId id) { return right.strings.intern(left.trace.strings.view(id)); };
  const auto same_id = [&](EventId id) {
    if (id.is_text) id.text = same(id.text);
    return id;
  };
  const auto same_track = [&](TrackId id) {
    const Track& track = left.trace.tracks[id];
    return right.track_of(track.kind, same_id(track.pid), same_id(track.tid), track.device);
  };
  right.head = left.trace.head;
  for (const Flow& flow : left.trace.flows) {
    right.flows.push_back(flow);
    right.flows.back().track = same_track(flow.track);
  }
  const Slices& slices = left.trace.slices;
  for (SliceId id = slices.size(); id-- > 0;) same_track(slices.track[id]);
  for (SliceId id = 0; id < slices.size(); ++id) {
    right.add_slice(slices.category[id], same(slices.category_text[id]), same(slices.name[id]),
                    same_track(slices.track[id]), slices.ts_ns[id], slices.dur_ns[id],
                    slices.correlation[id], slices.external_id[id], left.trace.args(id));
  }
  for (OtherEvent event : left.trace.others) {
    event.track = same_track(event.track);
    event.args = right.keep_args(left.trace.args(event.args));
    right.others.push_back(event);
  }
  for (ProcessName process : left.trace.processes) {
    process.pid = same_id(process.pid);
    right.processes.push_back(process);
  }
  for (ThreadName thread : left.trace.threads) {
    thread.pid = same_id(thread.pid);
    thread.tid = same_id(thread.tid);
    right.threads.push_back(thread);
  }
  EXPECT_EQ(first_difference(left.trace, right), "");
}

TEST(FirstDifference, IsSeenInEveryField) {
  struct Change {
    const char* says;
    std::function<void(Trace&)> make;
  };
  const auto own_track = [](Trace& trace) {
    return trace.track_of(TrackKind::kOther, {.number = 1}, {.number = 2}, -1);
  };
  const Change changes[] = {
      {"base time", [](Trace& t) { t.head.base_time_ns = 1; }},
      {"device 0 name", [](Trace& t) { t.head.devices[0].name = "A100"; }},
      {"device 0 id", [](Trace& t) { t.head.devices[0].id = 1; }},
      {"device 0 num_sms", [](Trace& t) { t.head.devices[0].num_sms = 132; }},
      {"device 0 compute_minor", [](Trace& t) { t.head.devices[0].compute_minor = 9; }},
      {"number of devices", [](Trace& t) { t.head.devices.clear(); }},
      {"provenance chapter", [](Trace& t) { t.head.provenance.chapter = "x"; }},
      {"provenance cupti", [](Trace& t) { t.head.provenance.cupti = "x"; }},
      {"head member 0", [](Trace& t) { t.head.members[0].first = "x"; }},
      {"head member 0 displayTimeUnit", [](Trace& t) { t.head.members[0].second = "x"; }},
      {"number of head members", [](Trace& t) { t.head.members.emplace_back("x", "1"); }},
      {"process 0 pid", [](Trace& t) { t.processes[0].pid = {.number = 1}; }},
      {"process 0 name", [](Trace& t) { t.processes[0].name = "x"; }},
      {"process 0 labels", [](Trace& t) { t.processes[0].labels = "x"; }},
      {"process 0 sort index", [](Trace& t) { t.processes[0].sort_index.reset(); }},
      {"number of processes", [](Trace& t) { t.processes.clear(); }},
      {"thread 0 pid", [](Trace& t) { t.threads[0].pid = {.number = 1}; }},
      {"thread 0 tid", [](Trace& t) { t.threads[0].tid = {.number = 1}; }},
      {"thread 0 name", [](Trace& t) { t.threads[0].name = "x"; }},
      {"thread 0 sort index", [](Trace& t) { t.threads[0].sort_index = 3; }},
      {"number of threads", [](Trace& t) { t.threads.clear(); }},
      {"slice 1 name", [](Trace& t) { t.slices.name[1] = t.strings.intern("x"); }},
      {"slice 1 category text", [](Trace& t) { t.slices.category_text[1] = 0; }},
      {"slice 1 category", [](Trace& t) { t.slices.category[1] = Category::kMemset; }},
      {"slice 1 track", [&](Trace& t) { t.slices.track[1] = own_track(t); }},
      {"slice 1 start", [](Trace& t) { ++t.slices.ts_ns[1]; }},
      {"slice 1 duration", [](Trace& t) { ++t.slices.dur_ns[1]; }},
      {"slice 1 correlation", [](Trace& t) { t.slices.correlation[1] = kNoId; }},
      {"slice 1 external id", [](Trace& t) { t.slices.external_id[1] = kNoId; }},
      {"slice 0 args", [](Trace& t) { t.slices.args[0] = {}; }},
      {"number of slices", [](Trace& t) { t.add_slice({}, 0, 0, 0, 0, 0, 0, 0, ""); }},
      {"flow 0 phase", [](Trace& t) { t.flows[0].phase = 'f'; }},
      {"flow 0 bound", [](Trace& t) { t.flows[0].bind_enclosing = false; }},
      {"flow 0 name", [](Trace& t) { t.flows[0].name = t.strings.intern("x"); }},
      {"flow 0 category text", [](Trace& t) { t.flows[0].category_text = 1; }},
      {"flow 0 track", [&](Trace& t) { t.flows[0].track = own_track(t); }},
      {"flow 0 id", [](Trace& t) { t.flows[0].id = 6; }},
      {"flow 0 time", [](Trace& t) { ++t.flows[0].ts_ns; }},
      {"number of flows", [](Trace& t) { t.flows.clear(); }},
      {"other event 0 phase", [](Trace& t) { t.others[0].phase = 'i'; }},
      {"other event 0 scope", [](Trace& t) { t.others[0].scope = 'g'; }},
      {"other event 0 name", [](Trace& t) { t.others[0].name = t.strings.intern("x"); }},
      {"other event 0 category text", [](Trace& t) { t.others[0].category_text = 1; }},
      {"other event 0 track", [&](Trace& t) { t.others[0].track = own_track(t); }},
      {"other event 0 time", [](Trace& t) { ++t.others[0].ts_ns; }},
      {"other event 0 args", [](Trace& t) { t.others[0].args = {}; }},
      {"number of other events", [](Trace& t) { t.others.clear(); }},
  };
  const HandMade made = one_of_each();
  for (const Change& change : changes) {
    Trace changed = made.trace;
    change.make(changed);
    EXPECT_TRUE(first_difference(made.trace, changed).starts_with(change.says))
        << change.says << " <> " << first_difference(made.trace, changed);
    EXPECT_TRUE(first_difference(changed, made.trace).starts_with(change.says));
  }
}

TEST(FirstDifference, NamesWhatDiffers) {
  HandMade left;
  HandMade right;
  left.op("aten::mm", 0, 10);
  right.op("aten::bmm", 0, 12);
  EXPECT_EQ(first_difference(left.trace, right.trace),
            "slice 0 name differs: 'aten::mm' and 'aten::bmm'");
}

}  // namespace
}  // namespace tracebook
