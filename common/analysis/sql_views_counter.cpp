// SPDX-License-Identifier: Apache-2.0
//
// The view `counter`: counter events ("ph": "C"), whose args hold one number a series.
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/analysis/sql_views.h"
#include "common/trace/args.h"
#include "common/trace/json_text.h"

namespace tracebook {

namespace {

using Item = SqlTable::Item;
using Integer = SqlModel::Integer;
using Lookup = SqlTable::Lookup;

struct CounterRow {
  std::uint32_t event = 0;   // place in Trace::others
  std::uint32_t number = 0;  // of the event, among the counters
  StringId series = 0;
  double value = 0;
};

std::optional<double> number_of(std::string_view text) {
  if (!is_json_number(text)) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;  // no double is as large
  return value;
}

/// Calls `each(key, value)` with every member of an object: the key between its quotes, the value
/// as written.
template <typename Each>
void each_member(std::string_view object, const Each& each) {
  std::size_t at = skip_json_space(object, 0);
  while (at < object.size() && object[at] != '}') {
    const std::size_t key = skip_json_space(object, at + 1);  // behind the brace or a comma
    if (key >= object.size() || object[key] != '"') return;
    const std::size_t key_end = skip_json_value(object, key);
    if (key_end >= object.size()) return;
    const std::size_t value = skip_json_space(object, skip_json_space(object, key_end) + 1);
    const std::size_t end = skip_json_value(object, value);
    if (end >= object.size()) return;
    each(object.substr(key + 1, key_end - key - 2), object.substr(value, end - value));
    at = skip_json_space(object, end);
  }
}

/// Which step a moment lies in. Steps of several processes may overlap: the latest to begin.
class StepsByTime {
 public:
  explicit StepsByTime(const SqlModel& model) {
    const Slices& slices = model.trace().slices;
    std::int64_t last_end_ns = std::numeric_limits<std::int64_t>::min();
    for (const Step& step : model.structure().steps) {
      if (has_impossible_time(model.trace(), step.slice)) continue;
      const std::int64_t end_ns = slices.end_ns(step.slice);
      last_end_ns = std::max(last_end_ns, end_ns);
      spans_.push_back({slices.ts_ns[step.slice], end_ns, last_end_ns, step.number});
    }
  }

  [[nodiscard]] Integer at(std::int64_t ns) const {
    auto span = std::ranges::upper_bound(spans_, ns, {}, &Span::start_ns);
    while (span != spans_.begin()) {
      --span;
      if (ns < span->end_ns) return span->number;
      if (ns >= span->last_end_ns) break;  // none of those before ends later
    }
    return std::nullopt;
  }

 private:
  struct Span {
    std::int64_t start_ns;
    std::int64_t end_ns;
    std::int64_t last_end_ns;  // of this and all before
    std::int64_t number;
  };
  std::vector<Span> spans_;  // by start
};

/// GPUs by the pid under which they stand: that of their streams, or one that is labelled "GPU 0".
class DevicesByPid {
 public:
  explicit DevicesByPid(const Trace& trace) {
    constexpr std::string_view kLabel = "GPU ";
    for (const ProcessName& process : trace.processes) {
      const std::string_view labels = process.labels;
      if (process.pid.is_text || !labels.starts_with(kLabel)) continue;
      if (const auto device = parse_integer(labels.substr(kLabel.size()))) {
        devices_[process.pid.number] = *device;
      }
    }
    for (const Track& track : trace.tracks) {
      if (track.device >= 0 && !track.pid.is_text) devices_[track.pid.number] = track.device;
    }
  }

  [[nodiscard]] Integer of(const Track& track) const {
    if (track.device >= 0) return track.device;
    const auto found = track.pid.is_text ? devices_.end() : devices_.find(track.pid.number);
    return found == devices_.end() ? Integer() : found->second;
  }

 private:
  std::map<std::int64_t, std::int64_t> devices_;
};

/// Made when a query first asks for the view's rows.
class Counters {
 public:
  explicit Counters(const SqlModel& model) : model_(model) {}

  SqlTable::Rows rows() {
    const Trace& trace = model_.trace();
    std::uint32_t number = 0;
    for (std::uint32_t event = 0; event < trace.others.size(); ++event) {
      if (trace.others[event].phase != 'C') continue;
      each_member(trace.args(trace.others[event].args),
                  [&](std::string_view key, std::string_view text) {
                    const std::optional<double> value = number_of(text);
                    if (!value) return;
                    rows_.push_back({event, number, series_.intern(unescape_json(key)), *value});
                  });
      ++number;
    }
    steps_.emplace(model_);
    devices_.emplace(trace);
    return {rows_.size(), {}};
  }

  [[nodiscard]] const CounterRow& row(Item item) const { return rows_[item]; }
  [[nodiscard]] const OtherEvent& event(Item item) const {
    return model_.trace().others[rows_[item].event];
  }
  [[nodiscard]] const StringTable& series() const { return series_; }
  [[nodiscard]] std::int64_t ts_ns(Item item) const {
    return event(item).ts_ns - model_.start_ns();
  }
  [[nodiscard]] Integer step(Item item) const { return steps_->at(event(item).ts_ns); }
  [[nodiscard]] Integer device(Item item) const {
    return devices_->of(model_.trace().tracks[event(item).track]);
  }

 private:
  const SqlModel& model_;
  std::vector<CounterRow> rows_;
  StringTable series_;
  std::optional<StepsByTime> steps_;
  std::optional<DevicesByPid> devices_;
};

}  // namespace

SqlView counter_view(SqlModel& model) {
  const auto counters = std::make_shared<Counters>(model);
  auto view = std::make_unique<SqlTable>("counter", [counters] { return counters->rows(); });
  view->integer(
      "id", [counters](Item item) { return Integer(counters->row(item).number); }, Lookup::kFew);
  view->time(
      "ts", [counters](Item item) { return Integer(counters->ts_ns(item)); }, Lookup::kRange);
  view->text("name", model.trace().strings,
             [counters](Item item) { return counters->event(item).name; });
  view->text("series", counters->series(),
             [counters](Item item) { return counters->row(item).series; });
  view->real("value", [counters](Item item) { return counters->row(item).value; });
  view->integer(
      "step", [counters](Item item) { return counters->step(item); }, Lookup::kMany);
  view->integer(
      "device", [counters](Item item) { return counters->device(item); }, Lookup::kMany);
  return view;
}

}  // namespace tracebook
