// SPDX-License-Identifier: Apache-2.0
//
// Turns events as text into the columns of a Trace: names into numbers, microseconds into
// nanoseconds, begins and ends (B, E) into slices, metadata into process and thread names. Part of
// the reader.
//
//   EventBuilder builder(trace, options);
//   builder.add(event);   // for each
//   builder.finish();
//
// The trace must outlive the builder. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/trace/issues.h"
#include "common/trace/lane_numbers.h"
#include "common/trace/raw_event.h"
#include "common/trace/reader.h"
#include "common/trace/trace.h"

namespace tracebook {

class EventBuilder {
 public:
  EventBuilder(Trace& trace, const ReadOptions& options);

  void add(const RawEvent& event);
  /// Matches begins with ends, decides what ranges without a category are, and gives flows and
  /// instants their tracks.
  void finish();
  /// Makes room for what `total` bytes of text will hold, going by the first `done`.
  void reserve(std::uint64_t done, std::uint64_t total);
  void note(const IssueKind& kind, std::uint64_t offset, std::int64_t count = 1);
  /// Something in the list of events that is none.
  void skip(std::uint64_t offset);

  /// Events that were understood.
  [[nodiscard]] std::int64_t events() const { return events_; }
  /// Elements that are sound JSON but no events.
  [[nodiscard]] std::int64_t skipped() const { return skipped_; }

 private:
  /// Texts met lately, so that most need no hashing of their whole.
  struct CachedText {
    std::string_view text;
    StringId id = 0;
    Category category = Category::kOther;
  };
  struct LastTrack {
    SmallText pid;
    SmallText tid;
    std::int64_t device = kNoId;
    TrackId track = 0;
  };
  /// A begin (of slice `row`) or an end.
  struct Mark {
    std::uint32_t lane = 0;
    bool ends = false;
    StringId name = 0;
    SliceId row = kNoSlice;
    ArgsRef args;  // of an end
    std::int64_t correlation = kNoId;
    std::int64_t external_id = kNoId;
    std::int64_t device = kNoId;
    std::int64_t ts_ns = 0;
    std::uint64_t offset = 0;
  };

  void add_slice(const RawEvent& event, std::int64_t ts_ns, std::int64_t dur_ns);
  void add_mark(const RawEvent& event, std::int64_t ts_ns, bool ends);
  void add_flow(const RawEvent& event, char phase, std::int64_t ts_ns);
  void add_other(const RawEvent& event, char phase, std::int64_t ts_ns);
  void add_metadata(const RawEvent& event);
  std::int64_t duration_of(const RawEvent& event);
  void check_duration(std::int64_t& dur_ns, std::uint64_t offset);
  ArgsRef keep_args(const RawEvent& event);
  const CachedText& intern(const RawText& value, const RawEvent& event);
  EventId id_of(const RawText& value, const RawEvent& event);
  TrackId track_of(TrackKind kind, const RawEvent& event);
  TrackId find_track(TrackKind kind, const EventId& pid, const EventId& tid, std::int64_t device);
  std::uint32_t lane_of(const RawEvent& event);
  void match_begins_and_ends();
  void close(const Mark& begin, const Mark& end);
  void join_ids(const Mark& begin, const Mark& end);
  void join_args(SliceId row, ArgsRef more);
  void categorise();
  void move_to(SliceId id, Category category);
  void place_on_tracks();

  Trace& trace_;
  bool keep_args_;
  bool keep_flows_;
  std::int64_t events_ = 0;
  std::int64_t skipped_ = 0;
  static constexpr std::size_t kCachedTexts = 4096;  // a power of two
  std::vector<CachedText> texts_;
  std::array<LastTrack, static_cast<std::size_t>(TrackKind::kOther) + 1> last_tracks_;
  LaneNumbers tracks_;
  LaneNumbers lanes_;
  std::vector<std::pair<EventId, EventId>> lane_ids_;
  LaneNumbers processes_;
  LaneNumbers threads_;
  std::vector<Mark> marks_;
};

}  // namespace tracebook
