// SPDX-License-Identifier: Apache-2.0
#include "common/trace/redact_ids.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "common/trace/redact_names.h"
#include "common/trace/structure.h"

namespace tracebook {
namespace {

bool is_on_device(const Track& track) {
  return track.kind == TrackKind::kStream || track.kind == TrackKind::kGpuSpans;
}

class Numbers {
 public:
  void keep(std::int64_t number) { kept_.insert(number); }

  std::int64_t instead_of(std::int64_t number) {
    constexpr std::int64_t kSaysNothing = 64;
    if ((number > -kSaysNothing && number < kSaysNothing) || kept_.contains(number)) return number;
    const auto [at, fresh] = new_.try_emplace(number, 0);
    if (fresh) {
      while (kept_.contains(next_)) ++next_;
      at->second = next_++;
    }
    return at->second;
  }

 private:
  std::set<std::int64_t> kept_;
  std::map<std::int64_t, std::int64_t> new_;
  std::int64_t next_ = 1000;
};

/// The later moment less the earlier, or the last there is.
std::int64_t moved(std::int64_t ts_ns, std::int64_t by_ns) {
  std::int64_t out = 0;
  if (!__builtin_sub_overflow(ts_ns, by_ns, &out)) return out;
  return by_ns < 0 ? std::numeric_limits<std::int64_t>::max()
                   : std::numeric_limits<std::int64_t>::min();
}

}  // namespace

void renumber(Trace& trace) {
  Numbers pids;
  Numbers tids;
  std::set<std::pair<std::int64_t, std::int64_t>> streams;
  for (const Track& track : trace.tracks) {
    if (!is_on_device(track)) continue;
    pids.keep(track.pid.number);
    tids.keep(track.tid.number);  // a thread of this number stays as well, so as not to meet it
    streams.emplace(track.pid.number, track.tid.number);
  }
  const auto change = [&trace](EventId& id, Numbers& numbers) {
    if (!id.is_text) {
      id.number = numbers.instead_of(id.number);
      return;
    }
    // "process 4770": the digits are a pid.
    const std::string text(trace.strings.view(id.text));
    if (text.find_first_of("0123456789") == std::string::npos) return;
    id.text = trace.strings.intern(text + " renumbered");  // unknown, so it gets a stand-in
  };
  for (Track& track : trace.tracks) {
    if (is_on_device(track)) continue;
    change(track.pid, pids);
    change(track.tid, tids);
  }
  for (ProcessName& process : trace.processes) {
    const std::int64_t before = process.pid.number;
    change(process.pid, pids);
    if (process.sort_index == before) process.sort_index = process.pid.number;
  }
  for (ThreadName& thread : trace.threads) {
    const std::int64_t pid = thread.pid.number;
    const std::int64_t tid = thread.tid.number;
    if (!thread.pid.is_text && !thread.tid.is_text && streams.contains({pid, tid})) continue;
    change(thread.pid, pids);
    change(thread.tid, tids);
    if (thread.sort_index == tid) thread.sort_index = thread.tid.number;
    // "thread 474 (python3)": its tid again, or another's.
    if (is_of_form("thread %d", thread.name.substr(0, thread.name.find(" ("))) &&
        !thread.tid.is_text) {
      thread.name = "thread " + std::to_string(thread.tid.number);
    }
  }
}

void hide_date(Trace& trace) {
  constexpr std::int64_t kLead_ns = 1'000'000;
  constexpr std::int64_t kDay_ns = 86'400'000'000'000;
  const std::int64_t by_ns = moved(trace.window_ns().first, kLead_ns);
  // What lies long before the first event, an unset time mostly, would tell how long.
  const auto move = [by_ns](std::int64_t& ts_ns) {
    ts_ns = moved(ts_ns, by_ns);
    if (ts_ns < -kDay_ns) ts_ns = 0;
  };
  Slices& slices = trace.slices;
  for (SliceId id = 0; id < slices.size(); ++id) {
    std::int64_t& ts_ns = slices.ts_ns[id];
    const bool unset = slices.dur_ns[id] == 0 && has_impossible_time(trace, id);
    if (unset) {
      ts_ns = 0;  // unset without a base time as well
    } else if (ts_ns > kFarthestTime_ns || ts_ns < -kFarthestTime_ns) {
      ts_ns = ts_ns > 0 ? kFarthestTime_ns + 1 : -kFarthestTime_ns - 1;  // still no clock's
    } else {
      move(ts_ns);
      ts_ns = std::min(ts_ns, kFarthestTime_ns);  // still a clock's
    }
  }
  for (Flow& flow : trace.flows) move(flow.ts_ns);
  for (OtherEvent& event : trace.others) {
    if (event.phase != 'M') move(event.ts_ns);
  }
  trace.head.base_time_ns = 0;
}

}  // namespace tracebook
