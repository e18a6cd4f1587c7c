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

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29U);
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
  id = value.text.size();
  for (const char c : value.text) id = mixed(id, static_cast<unsigned char>(c));
  return static_cast<std::int64_t>(id);
}

/// Flows from a launch to its kernel, as Kineto has called them over the years.
bool leads_to_device(std::string_view category) {
  return category == "ac2g" || category == "async_gpu" || category == "async";
}

/// Whether U+FFFD in an unescaped text came from the escape of something else.
bool has_lone_surrogate(std::string_view written, std::string_view unescaped) {
  return unescaped.find(kReplacementCharacter) != std::string_view::npos &&
         (written.find("\\ud") != std::string_view::npos ||
          written.find("\\uD") != std::string_view::npos);
}

}  // namespace

std::size_t EventBuilder::LaneHash::operator()(const LaneKey& key) const {
  const auto part = [](const EventId& id) {
    return id.is_text ? ~std::uint64_t{id.text} : static_cast<std::uint64_t>(id.number);
  };
  std::uint64_t hash = mixed(mixed(0, part(key.pid)), part(key.tid));
  hash = mixed(hash, static_cast<std::uint64_t>(key.kind));
  return mixed(hash, static_cast<std::uint64_t>(key.device));
}

std::uint32_t EventBuilder::LaneNumbers::find(const LaneKey& key, std::uint32_t next) {
  const std::size_t slot = LaneHash{}(key) & (kCached - 1);
  if (filled_[slot] && keys_[slot] == key) return cached_[slot];
  keys_[slot] = key;
  filled_[slot] = true;
  cached_[slot] = numbers_.try_emplace(key, next).first->second;
  return cached_[slot];
}

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
    marks_.push_back({.lane = lane_of(event),
                      .name = intern(event.name, event).id,
                      .row = trace_.slices.size(),
                      .args = {},
                      .ts_ns = *ts_ns,
                      .offset = event.offset});
    add_slice(event, *ts_ns, 0);
  } else if (phase == 'E') {
    add_end(event, *ts_ns);
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

void EventBuilder::add_end(const RawEvent& event, std::int64_t ts_ns) {
  marks_.push_back({.lane = lane_of(event),
                    .ends = true,
                    .name = intern(event.name, event).id,
                    .args = keep_args(event),
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
    if (number == next) trace_.processes.push_back({.pid = pid, .name = {}, .labels = {}, .sort_index = {}});
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
    if (number == next) trace_.threads.push_back({.pid = pid, .tid = tid, .name = {}, .sort_index = {}});
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
  const TrackId track = find_track(kind, event);
  last.pid = event.pid;
  last.tid = event.tid;
  last.device = event.device;
  last.track = track;
  return track;
}

TrackId EventBuilder::find_track(TrackKind kind, const RawEvent& event) {
  const EventId pid = id_of(event.pid, event);
  const EventId tid = id_of(event.tid, event);
  std::int64_t device = -1;
  if (kind == TrackKind::kStream || kind == TrackKind::kGpuSpans) {
    if (event.device != kNoId) {
      device = event.device;
    } else if (!pid.is_text) {
      device = pid.number;
    }
    if (device < 0 || device > std::numeric_limits<std::int32_t>::max()) device = -1;
  }
  const LaneKey key{.pid = pid,
                    .tid = tid,
                    .kind = static_cast<std::int32_t>(kind),
                    .device = static_cast<std::int32_t>(device)};
  const auto next = static_cast<TrackId>(trace_.tracks.size());
  const TrackId track = tracks_.find(key, next);
  if (track == next) trace_.tracks.push_back({kind, pid, tid, key.device});
  return track;
}

bool EventBuilder::SmallText::operator==(const RawText& other) const {
  return kind == other.kind && size == other.text.size() &&
         std::string_view(text.data(), size) == other.text;
}

EventBuilder::SmallText& EventBuilder::SmallText::operator=(const RawText& other) {
  kind = other.kind;
  size = other.text.size();
  if (size > text.size()) {
    size = kNoSize;  // equal to nothing
  } else {
    std::copy(other.text.begin(), other.text.end(), text.begin());
  }
  return *this;
}

std::uint32_t EventBuilder::lane_of(const RawEvent& event) {
  const EventId pid = id_of(event.pid, event);
  const EventId tid = id_of(event.tid, event);
  const auto next = static_cast<std::uint32_t>(lane_ids_.size());
  const std::uint32_t lane = lanes_.find({.pid = pid, .tid = tid}, next);
  if (lane == next) lane_ids_.emplace_back(pid, tid);
  return lane;
}

void EventBuilder::finish() {
  match_begins_and_ends();
  place_on_tracks();
}

void EventBuilder::match_begins_and_ends() {
  // Events need not come in order of time; what is equally old stays as it was written.
  std::stable_sort(marks_.begin(), marks_.end(), [](const Mark& left, const Mark& right) {
    return left.lane != right.lane ? left.lane < right.lane : left.ts_ns < right.ts_ns;
  });
  std::vector<const Mark*> open;
  const auto leave_open = [&] {
    for (const Mark* const begin : open) note(issue::kOpenRange, begin->offset);
    open.clear();
  };
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    const Mark& mark = marks_[i];
    if (i > 0 && mark.lane != marks_[i - 1].lane) leave_open();
    if (!mark.ends) {
      open.push_back(&mark);
      continue;
    }
    // The innermost range of that name; without a name, the innermost one. Ranges that it encloses
    // stay open: their own end may be late (crossing ranges) or lost.
    const auto begin = std::find_if(open.rbegin(), open.rend(), [&mark](const Mark* candidate) {
      return mark.name == 0 || candidate->name == mark.name;
    });
    if (begin == open.rend()) {
      note(issue::kSurplusEnd, mark.offset);
      continue;
    }
    close(**begin, mark);
    open.erase(std::next(begin).base());
  }
  leave_open();
}

void EventBuilder::close(const Mark& begin, const Mark& end) {
  Slices& slices = trace_.slices;
  const bool fits = begin.ts_ns >= 0 || end.ts_ns < kLargest + begin.ts_ns;
  std::int64_t dur_ns = fits ? end.ts_ns - begin.ts_ns : kLargest;
  check_duration(dur_ns, begin.offset);
  slices.dur_ns[begin.row] = dur_ns;
  if (end.args.size == 0) return;
  ArgsRef& args = slices.args[begin.row];
  if (args.size == 0) {
    args = end.args;
    return;
  }
  // Both say something: one object of both, where the begin's members come first.
  std::string both(trace_.args(args));
  const std::string_view more = trace_.args(end.args);
  const bool empty = skip_json_space(both, 1) == both.size() - 1;
  if (skip_json_space(more, 1) == more.size() - 1) return;
  both.pop_back();
  if (!empty) both += ", ";
  both += more.substr(1);
  args = trace_.keep_args(both);
}

void EventBuilder::place_on_tracks() {
  constexpr int kKinds = static_cast<int>(TrackKind::kOther) + 1;
  constexpr TrackId kNone = std::numeric_limits<TrackId>::max();
  std::vector<std::array<TrackId, kKinds>> of_lane(lane_ids_.size());
  for (auto& tracks : of_lane) tracks.fill(kNone);
  const auto slice_tracks = static_cast<TrackId>(trace_.tracks.size());
  for (TrackId id = 0; id < slice_tracks; ++id) {
    const Track& track = trace_.tracks[id];
    const auto next = static_cast<std::uint32_t>(lane_ids_.size());
    const std::uint32_t lane = lanes_.find({.pid = track.pid, .tid = track.tid}, next);
    if (lane == next) {
      lane_ids_.emplace_back(track.pid, track.tid);  // no flow or instant asks for it
    } else if (lane < of_lane.size()) {
      TrackId& first = of_lane[lane][static_cast<std::size_t>(track.kind)];
      first = std::min(first, id);
    }
  }
  const auto place = [&](std::uint32_t lane, bool on_device) {
    auto& tracks = of_lane[lane];
    using enum TrackKind;
    const auto device_first = {kStream, kGpuSpans, kCpuThread, kOverhead, kOther};
    const auto thread_first = {kCpuThread, kStream, kGpuSpans, kOverhead, kOther};
    for (const TrackKind kind : on_device ? device_first : thread_first) {
      const TrackId track = tracks[static_cast<std::size_t>(kind)];
      if (track != kNone) return track;
    }
    const auto& [pid, tid] = lane_ids_[lane];
    trace_.tracks.push_back({kOther, pid, tid, -1});
    const auto made = static_cast<TrackId>(trace_.tracks.size() - 1);
    tracks[static_cast<std::size_t>(kOther)] = made;
    return made;
  };
  for (Flow& flow : trace_.flows) {
    const bool on_device =
        flow.phase == 'f' && leads_to_device(trace_.strings.view(flow.category_text));
    flow.track = place(flow.track, on_device);
  }
  for (OtherEvent& other : trace_.others) other.track = place(other.track, false);
}

}  // namespace tracebook
