// SPDX-License-Identifier: Apache-2.0
#include "common/trace/event_builder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "common/trace/args.h"
#include "common/trace/json_text.h"
#include "common/trace/time_text.h"

namespace tracebook {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

TrackKind kind_of(Category category) {
  if (is_device_work(category)) return TrackKind::kStream;
  switch (category) {
    case Category::kGpuUserAnnotation:
      return TrackKind::kGpuSpans;
    case Category::kOverhead:
      return TrackKind::kOverhead;
    case Category::kCpuOp:
    case Category::kUserAnnotation:
    case Category::kPythonFunction:
    case Category::kRuntime:
    case Category::kDriver:
      return TrackKind::kCpuThread;
    default:
      return TrackKind::kOther;
  }
}

/// Spreads a text over a small table by its length and ends: kernel names are long and share their
/// beginnings.
std::size_t quick_hash(std::string_view text) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (text.size() >= kWord) {
    std::memcpy(&first, text.data(), kWord);
    std::memcpy(&last, text.data() + text.size() - kWord, kWord);
  } else {
    for (const char c : text) first = first << 8U | static_cast<unsigned char>(c);
  }
  std::uint64_t hash = (first ^ (last * 0x9E3779B97F4A7C15U) ^ text.size()) * 0xD6E8FEB86659FD93U;
  return static_cast<std::size_t>(hash >> 40U);
}

/// Ids of flows: numbers, hexadecimal texts, or any text (then a number made of it).
std::int64_t flow_id(const RawText& value) {
  if (!value.given()) return 0;
  if (const auto number = parse_short_integer(value.text)) return *number;
  std::uint64_t id = 0;
  if (value.text.starts_with("0x") && value.text.size() <= 18) {
    bool all = value.text.size() > 2;
    for (const char c : value.text.substr(2)) {
      const char lower = static_cast<char>(c | 0x20);
      all = all && (is_digit(c) || (lower >= 'a' && lower <= 'f'));
      id = id * 16 + static_cast<unsigned>(is_digit(c) ? c - '0' : lower - 'a' + 10);
    }
    if (all) return static_cast<std::int64_t>(id);
  }
  id = 0xCBF29CE484222325U;
  // FNV-1a
  for (const char c : value.text) id = (id ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return static_cast<std::int64_t>(id);
}

/// Whether U+FFFD in an unescaped text came from the escape of something else.
bool has_lone_surrogate(std::string_view written, std::string_view unescaped) {
  return unescaped.find(kReplacementCharacter) != std::string_view::npos &&
         (written.find("\\ud") != std::string_view::npos ||
          written.find("\\uD") != std::string_view::npos);
}

}  // namespace

EventBuilder::EventBuilder(Trace& trace, const ReadOptions& options)
    : trace_(trace),
      keep_args_(options.keep_args),
      keep_flows_(options.keep_flows),
      texts_(kCachedTexts) {}

void EventBuilder::note(const IssueKind& kind, std::uint64_t offset, std::int64_t count) {
  trace_.note(kind.kind, kind.says, offset, count);
}

void EventBuilder::skip(std::uint64_t offset) {
  ++skipped_;
  note(issue::kNotAnEvent, offset);
}

void EventBuilder::reserve(std::uint64_t done, std::uint64_t total) {
  if (done == 0 || total <= done) return;
  // A little more than the first part promises; a file that gets denser costs one more growth.
  const double factor = 1.05 * static_cast<double>(total) / static_cast<double>(done);
  const auto scaled = [factor](std::size_t size) {
    return static_cast<std::size_t>(static_cast<double>(size) * factor);
  };
  trace_.slices.reserve(scaled(trace_.slices.size()));
  trace_.flows.reserve(scaled(trace_.flows.size()));
  trace_.args_text.reserve(scaled(trace_.args_text.size()));
}

void EventBuilder::add(const RawEvent& event) {
  if (event.empty) {
    note(issue::kEmptyEvent, event.offset);
    return;
  }
  if (event.phase.kind != RawText::Kind::kString || event.phase.text.size() != 1) {
    skip(event.offset);
    return;
  }
  const char phase = event.phase.text[0];
  const bool is_flow = phase == 's' || phase == 't' || phase == 'f';
  if (is_flow && !keep_flows_) {
    ++events_;
    return;
  }
  if (event.bad_args) note(issue::kArgsNoObject, event.offset);
  if (phase == 'M') {
    add_metadata(event);
    ++events_;
    return;
  }
  std::optional<std::int64_t> ts_ns;
  if (event.ts.given()) ts_ns = parse_microseconds(event.ts.text);
  const bool is_timed = is_flow || phase == 'X' || phase == 'B' || phase == 'E';
  if (!ts_ns && (is_timed || event.ts.given())) {
    skip(event.offset);
    return;
  }
  ++events_;
  if (phase == 'X') {
    add_slice(event, *ts_ns, duration_of(event));
  } else if (is_flow) {
    add_flow(event, phase, *ts_ns);
  } else if (phase == 'B') {
    add_mark(event, *ts_ns, false);
    add_slice(event, *ts_ns, 0);
  } else if (phase == 'E') {
    add_mark(event, *ts_ns, true);
  } else {
    add_other(event, phase, ts_ns.value_or(0));
  }
}

std::int64_t EventBuilder::duration_of(const RawEvent& event) {
  std::optional<std::int64_t> dur_ns;
  if (event.dur.given()) {
    dur_ns = parse_microseconds(event.dur.text);
    // A number that is none of int64's.
    if (!dur_ns && is_json_number(event.dur.text)) {
      dur_ns = event.dur.text[0] == '-' ? -kLargest : kLargest;
    }
  }
  if (!dur_ns) {
    note(issue::kNoDuration, event.offset);
    return 0;
  }
  check_duration(*dur_ns, event.offset);
  return *dur_ns;
}

void EventBuilder::check_duration(std::int64_t& dur_ns, std::uint64_t offset) {
  constexpr std::int64_t kDay_ns = 86'400'000'000'000;
  if (dur_ns < 0) {
    note(issue::kNegativeDuration, offset);
    dur_ns = 0;
  } else if (dur_ns > kDay_ns) {
    note(issue::kAbsurdDuration, offset);
  }
}

void EventBuilder::add_slice(const RawEvent& event, std::int64_t ts_ns, std::int64_t dur_ns) {
  const CachedText category = intern(event.category, event);
  const StringId name = intern(event.name, event).id;
  const TrackId track = track_of(kind_of(category.category), event);
  trace_.add_slice(category.category, category.id, name, track, ts_ns, dur_ns, event.correlation,
                   event.external_id, keep_args_ ? event.args : std::string_view{});
}

void EventBuilder::add_mark(const RawEvent& event, std::int64_t ts_ns, bool ends) {
  marks_.push_back({.lane = lane_of(event),
                    .ends = ends,
                    .name = intern(event.name, event).id,
                    .row = ends ? kNoSlice : trace_.slices.size(),
                    .args = ends ? keep_args(event) : ArgsRef{},
                    .correlation = event.correlation,
                    .external_id = event.external_id,
                    .device = event.device,
                    .ts_ns = ts_ns,
                    .offset = event.offset});
}

// Tracks of flows and instants are found at the end, when the slices' tracks are known; until then
// they hold a lane.
void EventBuilder::add_flow(const RawEvent& event, char phase, std::int64_t ts_ns) {
  trace_.flows.push_back({.phase = phase,
                          .bind_enclosing = event.binding.text == "e",
                          .name = intern(event.name, event).id,
                          .category_text = intern(event.category, event).id,
                          .track = lane_of(event),
                          .id = flow_id(event.id),
                          .ts_ns = ts_ns});
}

void EventBuilder::add_other(const RawEvent& event, char phase, std::int64_t ts_ns) {
  trace_.others.push_back({.phase = phase,
                           .scope = event.scope.text.size() == 1 ? event.scope.text[0] : '\0',
                           .name = intern(event.name, event).id,
                           .category_text = intern(event.category, event).id,
                           .track = lane_of(event),
                           .ts_ns = ts_ns,
                           .args = keep_args(event)});
}

void EventBuilder::add_metadata(const RawEvent& event) {
  const ArgsView args(event.args);
  const std::string_view what = event.name.text;
  const EventId pid = id_of(event.pid, event);
  const EventId tid = id_of(event.tid, event);
  if (what == "process_name" || what == "process_labels" || what == "process_sort_index") {
    const auto next = static_cast<std::uint32_t>(trace_.processes.size());
    const std::uint32_t number = processes_.find({.pid = pid, .tid = {}}, next);
    if (number == next)
      trace_.processes.push_back({.pid = pid, .name = {}, .labels = {}, .sort_index = {}});
    ProcessName& process = trace_.processes[number];
    if (what == "process_name") {
      process.name = args.text("name").value_or("");
    } else if (what == "process_labels") {
      process.labels = args.text("labels").value_or("");
    } else {
      process.sort_index = args.integer("sort_index");
    }
  } else if (what == "thread_name" || what == "thread_sort_index") {
    const auto next = static_cast<std::uint32_t>(trace_.threads.size());
    const std::uint32_t number = threads_.find({.pid = pid, .tid = tid}, next);
    if (number == next)
      trace_.threads.push_back({.pid = pid, .tid = tid, .name = {}, .sort_index = {}});
    ThreadName& thread = trace_.threads[number];
    if (what == "thread_name") {
      thread.name = args.text("name").value_or("");
    } else {
      thread.sort_index = args.integer("sort_index");
    }
  } else {
    add_other(event, 'M', 0);
  }
}

ArgsRef EventBuilder::keep_args(const RawEvent& event) {
  return keep_args_ && !event.args.empty() ? trace_.keep_args(event.args) : ArgsRef{};
}

const EventBuilder::CachedText& EventBuilder::intern(const RawText& value, const RawEvent& event) {
  static constexpr CachedText kNothing{};
  if (!value.given() || value.text.empty()) return kNothing;
  CachedText& entry = texts_[quick_hash(value.text) & (kCachedTexts - 1)];
  const bool escaped = event.escaped && value.text.find('\\') != std::string_view::npos;
  if (!escaped) {
    if (entry.text == value.text) return entry;
    entry.id = trace_.strings.intern(value.text);
  } else {
    const std::string unescaped = unescape_json(value.text);
    if (has_lone_surrogate(value.text, unescaped)) note(issue::kLoneSurrogate, event.offset);
    entry.id = trace_.strings.intern(unescaped);
  }
  entry.text = trace_.strings.view(entry.id);
  entry.category = category_of(entry.text);
  return entry;
}

EventId EventBuilder::id_of(const RawText& value, const RawEvent& event) {
  EventId id;
  if (!value.given()) return id;
  if (value.kind == RawText::Kind::kScalar) {
    if (const auto number = parse_short_integer(value.text)) {
      id.number = *number;
      return id;
    }
  }
  id.is_text = true;
  id.text = intern(value, event).id;
  return id;
}

TrackId EventBuilder::track_of(TrackKind kind, const RawEvent& event) {
  // Most events stand where the last one of their kind stood.
  LastTrack& last = last_tracks_[static_cast<std::size_t>(kind)];
  if (last.pid == event.pid && last.tid == event.tid && last.device == event.device) {
    return last.track;
  }
  const TrackId track =
      find_track(kind, id_of(event.pid, event), id_of(event.tid, event), event.device);
  last.pid.keep(event.pid);
  last.tid.keep(event.tid);
  last.device = event.device;
  last.track = track;
  return track;
}

TrackId EventBuilder::find_track(TrackKind kind, const EventId& pid, const EventId& tid,
                                 std::int64_t device) {
  if (kind != TrackKind::kStream && kind != TrackKind::kGpuSpans) {
    device = -1;
  } else if (device == kNoId) {
    device = pid.is_text ? -1 : pid.number;
  }
  if (device < 0 || device > std::numeric_limits<std::int32_t>::max()) device = -1;
  const LaneKey key{.pid = pid,
                    .tid = tid,
                    .kind = static_cast<std::int32_t>(kind),
                    .device = static_cast<std::int32_t>(device)};
  const auto next = static_cast<TrackId>(trace_.tracks.size());
  const TrackId track = tracks_.find(key, next);
  if (track == next) trace_.tracks.push_back({kind, pid, tid, key.device});
  return track;
}

std::uint32_t EventBuilder::lane_of(const RawEvent& event) {
  const EventId pid = id_of(event.pid, event);
  const EventId tid = id_of(event.tid, event);
  const auto next = static_cast<std::uint32_t>(lane_ids_.size());
  const std::uint32_t lane = lanes_.find({.pid = pid, .tid = tid}, next);
  if (lane == next) lane_ids_.emplace_back(pid, tid);
  return lane;
}

}  // namespace tracebook
