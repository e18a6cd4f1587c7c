// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/build_trace.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "common/profiler/kineto_args.h"
#include "common/trace/args.h"

namespace tracebook {
namespace {

constexpr std::string_view kProfilerName = "Tracebook Profiler";
/// Kineto's sort index of a GPU's process is this plus its number, that of "Spans" the second.
constexpr std::int64_t kFirstGpuSortIndex = 5'000'000;
constexpr std::int64_t kSpansSortIndex = 536'870'912;
constexpr std::size_t kNoRange = std::numeric_limits<std::size_t>::max();

/// The innermost op and annotation that a call was made in: places in RangeLog::ranges.
struct Owner {
  std::size_t op = kNoRange;
  std::size_t annotation = kNoRange;
};

/// Finds owners by nesting: one sweep over calls and ranges of each thread, both by start.
std::unordered_map<std::int64_t, Owner> owners_by_time(const RangeLog& ranges,
                                                       const std::vector<ApiCall>& calls) {
  std::unordered_map<std::int64_t, std::vector<std::size_t>> ranges_of;
  for (std::size_t i = 0; i < ranges.ranges.size(); ++i) {
    ranges_of[ranges.ranges[i].thread].push_back(i);
  }
  std::vector<std::size_t> order(calls.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(calls[a].thread, calls[a].start_ns) <
           std::tie(calls[b].thread, calls[b].start_ns);
  });

  std::unordered_map<std::int64_t, Owner> owners;
  owners.reserve(calls.size());
  const std::vector<std::size_t>* mine = nullptr;
  std::size_t next = 0;
  std::vector<std::size_t> open;
  std::int64_t thread = 0;
  for (const std::size_t index : order) {
    const ApiCall& call = calls[index];
    if (mine == nullptr || call.thread != thread) {
      thread = call.thread;
      mine = &ranges_of[thread];
      next = 0;
      open.clear();
    }
    for (; next < mine->size() && ranges.ranges[(*mine)[next]].start_ns <= call.start_ns; ++next) {
      const std::size_t range = (*mine)[next];
      while (!open.empty() && ranges.ranges[open.back()].end_ns <= ranges.ranges[range].start_ns) {
        open.pop_back();
      }
      open.push_back(range);
    }
    Owner owner;
    for (auto it = open.rbegin(); it != open.rend(); ++it) {
      const RangeRecord& range = ranges.ranges[*it];
      if (range.end_ns < call.start_ns) continue;
      std::size_t& place = range.kind == RangeKind::kCpuOp ? owner.op : owner.annotation;
      if (place == kNoRange) place = *it;
    }
    owners[call.correlation] = owner;
  }
  return owners;
}

std::unordered_map<std::int64_t, Owner> owners_by_cupti(const RangeLog& ranges,
                                                        const std::vector<ExternalLink>& links) {
  std::unordered_map<std::uint64_t, std::size_t> range_of;
  range_of.reserve(ranges.ranges.size());
  for (std::size_t i = 0; i < ranges.ranges.size(); ++i) range_of[ranges.ranges[i].push_id] = i;
  std::unordered_map<std::int64_t, Owner> owners;
  owners.reserve(links.size());
  for (const ExternalLink& link : links) {
    const auto range = range_of.find(link.push_id);
    if (range == range_of.end()) continue;
    Owner& owner = owners[link.correlation];
    (link.annotation ? owner.annotation : owner.op) = range->second;
  }
  return owners;
}

class Builder {
 public:
  Builder(const RecordedWindow& window, const RangeLog& ranges, const ActivityRecords& records,
          const TraceEnvironment& environment)
      : window_(window), ranges_(ranges), records_(records), environment_(environment) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    trace_.head.base_time_ns = window.start_ns / kSecond * kSecond;
    flow_name_ = trace_.strings.intern("ac2g");
  }

  Trace build(bool links_from_cupti) {
    owners_ = links_from_cupti ? owners_by_cupti(ranges_, records_.links)
                               : owners_by_time(ranges_, records_.calls);
    add_head();
    add_ranges();
    add_overheads();
    add_calls();
    add_device_work();
    add_syncs();
    add_gpu_annotations();
    add_names();
    add_window();
    add_issues();
    return std::move(trace_);
  }

 private:
  using StreamKey = std::pair<std::int32_t, std::int64_t>;  // device, stream
  struct Span {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
  };

  [[nodiscard]] std::int64_t relative(std::int64_t ns) const {
    return ns - trace_.head.base_time_ns;
  }
  [[nodiscard]] bool in_window(std::int64_t start_ns, std::int64_t end_ns) const {
    return start_ns >= window_.start_ns && end_ns <= window_.end_ns;
  }
  static EventId number(std::int64_t value) { return {.number = value}; }
  EventId text(std::string_view value) {
    return {.is_text = true, .text = trace_.strings.intern(value)};
  }
  StringId own(StringId theirs) { return trace_.strings.intern(records_.strings.view(theirs)); }

  /// "External id" of a range: its place by start, from 1.
  static std::int64_t external_id(std::size_t range) {
    return range == kNoRange ? kNoId : static_cast<std::int64_t>(range) + 1;
  }
  [[nodiscard]] Owner owner_of(std::int64_t correlation) const {
    const auto found = owners_.find(correlation);
    return found == owners_.end() ? Owner{} : found->second;
  }
  TrackId cpu_track(std::int64_t thread) {
    threads_seen_.insert(thread);
    return trace_.track_of(TrackKind::kCpuThread, number(environment_.pid), number(thread), -1);
  }
  TrackId stream_track(TrackKind kind, const StreamKey& stream) {
    return trace_.track_of(kind, number(stream.first), number(stream.second), stream.first);
  }
  SliceId add(Category category, StringId name, TrackId track, std::int64_t start_ns,
              std::int64_t end_ns, std::int64_t correlation, std::int64_t external_id,
              std::string_view args) {
    return trace_.add_slice(category, trace_.strings.intern(category_name(category)), name, track,
                            relative(start_ns), std::max<std::int64_t>(end_ns - start_ns, 0),
                            correlation, external_id, args);
  }
  void add_flow(char phase, TrackId track, std::int64_t id, std::int64_t ns) {
    trace_.flows.push_back({.phase = phase,
                            .bind_enclosing = phase == 'f',
                            .name = flow_name_,
                            .category_text = flow_name_,
                            .track = track,
                            .id = id,
                            .ts_ns = relative(ns)});
  }

  void add_head() {
    auto& members = trace_.head.members;
    members.emplace_back("schemaVersion", "1");
    if (!environment_.trace_id.empty()) {
      members.emplace_back("trace_id", json_quote(environment_.trace_id));
    }
    const auto version = [&](const char* key, std::int64_t value) {
      if (value != 0) members.emplace_back(key, std::to_string(value));
    };
    version("cuda_driver_version", environment_.driver_version);
    version("cuda_runtime_version", environment_.runtime_version);
    version("cupti_version", environment_.cupti_version);
    members.emplace_back("displayTimeUnit", "\"ms\"");
    trace_.head.devices = environment_.devices;
    trace_.head.provenance = environment_.provenance;
  }

  void add_ranges() {
    trace_.slices.reserve(ranges_.ranges.size() + records_.calls.size() + records_.work.size());
    for (std::size_t i = 0; i < ranges_.ranges.size(); ++i) {
      const RangeRecord& range = ranges_.ranges[i];
      const Category category =
          range.kind == RangeKind::kCpuOp ? Category::kCpuOp : Category::kUserAnnotation;
      add(category, trace_.strings.intern(range.name), cpu_track(range.thread), range.start_ns,
          range.end_ns, kNoId, external_id(i), range_args(external_id(i)));
    }
  }

  void add_overheads() {
    for (const Overhead& overhead : records_.overheads) {
      if (!in_window(overhead.start_ns, overhead.end_ns)) continue;
      const TrackId track = trace_.track_of(TrackKind::kOverhead, number(-1), number(0), -1);
      add(Category::kOverhead, own(overhead.name), track, overhead.start_ns, overhead.end_ns, kNoId,
          kNoId, {});
    }
  }

  void add_calls() {
    // The driver call that a runtime call makes has its correlation id: the outer one is kept.
    std::unordered_set<std::int64_t> of_runtime;
    for (const ApiCall& call : records_.calls) {
      if (!call.driver) of_runtime.insert(call.correlation);
    }
    for (const ApiCall& call : records_.calls) {
      if (call.start_ns < window_.start_ns) called_before_.insert(call.correlation);
      if (!in_window(call.start_ns, call.end_ns)) continue;
      if (call.driver && of_runtime.contains(call.correlation)) continue;
      const std::int64_t op = external_id(owner_of(call.correlation).op);
      const TrackId track = cpu_track(call.thread);
      add(call.driver ? Category::kDriver : Category::kRuntime, own(call.name), track,
          call.start_ns, call.end_ns, call.correlation, op, call_args(call, op));
      if (call.starts_flow) add_flow('s', track, call.correlation, call.start_ns);
    }
  }

  void add_device_work() {
    for (const DeviceWork& work : records_.work) {
      if (!in_window(work.start_ns, work.end_ns) || called_before_.contains(work.correlation)) {
        continue;
      }
      const Owner owner = owner_of(work.correlation);
      const std::int64_t op = external_id(owner.op);
      const StreamKey stream{work.device, work.stream};
      const TrackId track = stream_track(TrackKind::kStream, stream);
      streams_seen_.insert(stream);
      const std::string args = work.category == Category::kKernel
                                   ? kernel_args(work, op, device(work.device))
                                   : memory_args(work, op);
      add(work.category, own(work.name), track, work.start_ns, work.end_ns, work.correlation, op,
          args);
      add_flow('f', track, work.correlation, work.start_ns);
      if (owner.annotation != kNoRange) extend_annotation(stream, owner.annotation, work);
    }
  }

  void extend_annotation(const StreamKey& stream, std::size_t annotation, const DeviceWork& work) {
    const auto [place, is_new] =
        annotations_.try_emplace({stream, annotation}, Span{work.start_ns, work.end_ns});
    if (is_new) return;
    place->second.start_ns = std::min(place->second.start_ns, work.start_ns);
    place->second.end_ns = std::max(place->second.end_ns, work.end_ns);
  }

  void add_syncs() {
    for (const SyncRecord& sync : records_.syncs) {
      if (!in_window(sync.start_ns, sync.end_ns)) continue;
      const std::int64_t op = external_id(owner_of(sync.correlation).op);
      const std::int32_t where = device_of_context(sync.context);
      const TrackId track =
          trace_.track_of(TrackKind::kOther, number(where), number(sync.stream), -1);
      add(Category::kSync, own(sync.name), track, sync.start_ns, sync.end_ns, sync.correlation, op,
          sync_args(sync, records_.strings.view(sync.name), op, where));
    }
  }

  void add_gpu_annotations() {
    for (const auto& [key, span] : annotations_) {
      const auto& [stream, annotation] = key;
      // Kineto widens the span so that it encloses its first and last kernel in a viewer.
      add(Category::kGpuUserAnnotation, trace_.strings.intern(ranges_.ranges[annotation].name),
          stream_track(TrackKind::kGpuSpans, stream), span.start_ns - 1, span.end_ns + 1, kNoId,
          external_id(annotation),
          "{\"External id\": " + std::to_string(external_id(annotation)) + "}");
    }
  }

  void add_names() {
    const std::string& process = environment_.process_name;
    trace_.processes.push_back({.pid = number(environment_.pid),
                                .name = process,
                                .labels = "CPU",
                                .sort_index = environment_.pid});
    for (const DeviceProperties& gpu : environment_.devices) {
      trace_.processes.push_back({.pid = number(gpu.id),
                                  .name = process,
                                  .labels = "GPU " + std::to_string(gpu.id),
                                  .sort_index = kFirstGpuSortIndex + gpu.id});
    }
    for (const StreamKey& stream : streams_seen_) {
      trace_.threads.push_back({.pid = number(stream.first),
                                .tid = number(stream.second),
                                .name = "stream " + std::to_string(stream.second) + " ",
                                .sort_index = stream.second});
    }
    std::vector<std::int64_t> threads(threads_seen_.begin(), threads_seen_.end());
    std::ranges::sort(threads);
    for (const std::int64_t thread : threads) {
      trace_.threads.push_back({.pid = number(environment_.pid),
                                .tid = number(thread),
                                .name = "thread " + std::to_string(thread) + " (" + process + ")",
                                .sort_index = thread});
    }
  }

  void add_window() {
    const std::string profiler(kProfilerName);
    const EventId spans = text("Spans");
    add(Category::kTraceSpan, trace_.strings.intern(profiler + " (0)"),
        trace_.track_of(TrackKind::kOther, spans, text(profiler), -1), window_.start_ns,
        window_.end_ns, kNoId, kNoId, "{\"Op count\": 0}");
    trace_.processes.push_back(
        {.pid = spans, .name = {}, .labels = {}, .sort_index = kSpansSortIndex});
    add_instant("Iteration Start: " + profiler, text("Traces"), text("Trace " + profiler),
                window_.start_ns);
    add_instant("Record Window End", text(""), text(""), window_.disabled_ns);
  }

  void add_instant(std::string_view name, const EventId& pid, const EventId& tid, std::int64_t ns) {
    OtherEvent event;
    event.phase = 'i';
    event.scope = 'g';
    event.name = trace_.strings.intern(name);
    event.track = trace_.track_of(TrackKind::kOther, pid, tid, -1);
    event.ts_ns = relative(ns);
    trace_.others.push_back(event);
  }

  void add_issues() {
    const auto note = [&](const char* kind, const char* says, std::int64_t count) {
      if (count > 0) trace_.note(kind, says, 0, count);
    };
    note("lost_records", "CUPTI ran out of room and dropped records: events are missing",
         records_.dropped);
    note("unknown_records", "CUPTI gave records of a kind that was not asked for",
         records_.unknown);
    note("cut_buffers", "a buffer of CUPTI's ends inside a record: events are missing",
         records_.cut_buffers);
    note("untimed_work", "CUPTI could not time this device work, which is left out",
         records_.without_time);
    note("cut_ranges", "ranges were still open when recording ended, and end there", ranges_.cut);
  }

  [[nodiscard]] const DeviceProperties* device(std::int64_t id) const { return trace_.device(id); }

  /// A context's GPU, by the work that was seen in it.
  [[nodiscard]] std::int32_t device_of_context(std::int64_t context) const {
    for (const DeviceWork& work : records_.work) {
      if (work.context == context) return work.device;
    }
    return 0;
  }

  const RecordedWindow& window_;
  const RangeLog& ranges_;
  const ActivityRecords& records_;
  const TraceEnvironment& environment_;
  Trace trace_;
  StringId flow_name_ = 0;
  std::unordered_map<std::int64_t, Owner> owners_;
  std::unordered_set<std::int64_t> called_before_;
  std::unordered_set<std::int64_t> threads_seen_;
  std::set<StreamKey> streams_seen_;
  std::map<std::pair<StreamKey, std::size_t>, Span> annotations_;
};

}  // namespace

Trace build_trace(const RecordedWindow& window, const RangeLog& ranges,
                  const ActivityRecords& records, const TraceEnvironment& environment,
                  bool links_from_cupti) {
  return Builder(window, ranges, records, environment).build(links_from_cupti);
}

}  // namespace tracebook
