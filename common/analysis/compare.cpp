// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/compare.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "common/analysis/compare_steps.h"
#include "common/analysis/compare_words.h"
#include "common/analysis/kernel_name.h"

namespace tracebook {
namespace {

/// Turns a median absolute deviation into the standard deviation of a bell curve.
constexpr double kSigmaPerDeviation = 1.4826;
/// Of the median: clocks and temperature differ by this much from one run to the next.
constexpr double kLeastSpread = 0.005;
constexpr double kGpuTick_ns = 32;

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

std::vector<double> as_doubles(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

double mean_of(const std::vector<std::int64_t>& values) {
  double sum = 0;
  for (const std::int64_t value : values) sum += static_cast<double>(value);
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// How many joint spreads two medians must lie apart. Of series drawn from one bell curve, 5 in 100
/// pairs of two or three steps exceed it, 2 in 100 of four, 1 in 100 of seven, none of twenty.
double factor_for(std::size_t steps) {
  if (steps <= 3) return 4;
  return steps < kManySteps ? 3 : 2;
}

/// In every step that is compared: only then does a median say what the row costs.
bool is_regular(const RowSums& row) {
  return row.present == static_cast<std::int64_t>(row.self_ns.size());
}

RowSide side_of(const RowSums& row) {
  const auto steps = static_cast<double>(row.self_ns.size());
  const auto per_step = [&row](const std::vector<std::int64_t>& values) {
    return is_regular(row) ? median_of(as_doubles(values)) : mean_of(values);
  };
  RowSide side;
  side.calls = static_cast<double>(row.calls) / steps;
  side.launches = static_cast<double>(row.launches) / steps;
  side.cpu_ns = per_step(row.cpu_ns);
  side.self_device_ns = per_step(row.self_device_ns);
  side.device_ns = per_step(row.device_ns);
  return side;
}

RowSide side_of(DeviceType device, const RowSums& row) {
  RowSide side = side_of(row);
  if (device == DeviceType::kCpu) {
    side.self_cpu_ns = is_regular(row) ? median_of(as_doubles(row.self_ns)) : mean_of(row.self_ns);
  }
  return side;
}

double self_ns(DeviceType device, const RowSide& side) {
  return device == DeviceType::kCpu ? side.self_cpu_ns : side.self_device_ns;
}

Outcome judge_rows(const RowSums& a, const RowSums& b) {
  if (a.self_ns == b.self_ns) return Outcome::kSame;
  if (!is_regular(a) || !is_regular(b)) return Outcome::kCannotTell;
  return judge(make_series(a.self_ns), make_series(b.self_ns)).outcome;
}

/// The op that has most of a kernel's time; "" if none is known.
std::string main_op(const RowSums& row) {
  const auto most = std::max_element(
      row.ops_ns.begin(), row.ops_ns.end(),
      [](const auto& left, const auto& right) { return left.second < right.second; });
  return most == row.ops_ns.end() ? "" : most->first;
}

/// A row that one side only has.
using Lone = std::pair<std::string, const RowSums*>;

/// How surely `now` does what `before` did; nothing where neither name nor op says so.
std::optional<int> likeness(const Lone& before, const Lone& now) {
  const DecodedKernel was = decode_kernel_name(before.first);
  const DecodedKernel is = decode_kernel_name(now.first);
  const std::string op = main_op(*before.second);
  const bool same_op = !op.empty() && op == main_op(*now.second);
  const bool known = was.kind != KernelKind::kUnknown;
  const bool same_kind = known && was.kind == is.kind;
  const bool one_family = same_kind && was.library == is.library && was.dtype == is.dtype;
  // Another op with a kernel of the same family: mm's product and addmm's. Elementwise kernels and
  // copies are too common for that.
  const bool is_product = was.kind == KernelKind::kGemm || was.kind == KernelKind::kConv ||
                          was.kind == KernelKind::kAttention;
  if (!same_op && !(one_family && is_product)) return std::nullopt;
  // One op's product and one op's copy are two different things.
  if (known && is.kind != KernelKind::kUnknown && !same_kind) return std::nullopt;
  return (same_op ? 4 : 0) + (one_family ? 2 : 0) + (same_kind && was.tile == is.tile ? 1 : 0);
}

struct Pair {
  int likeness;
  double apart;  ///< difference of calls per step
  std::size_t before;
  std::size_t now;
};

/// Which kernel stands in which one's place, most alike first, each once.
std::vector<Pair> replacements(const std::vector<Lone>& before, const std::vector<Lone>& now) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t j = 0; j < now.size(); ++j) {
      const auto alike = likeness(before[i], now[j]);
      if (!alike) continue;
      const double calls =
          std::abs(side_of(*before[i].second).calls - side_of(*now[j].second).calls);
      pairs.push_back({*alike, calls, i, j});
    }
  }
  std::sort(pairs.begin(), pairs.end(), [](const Pair& left, const Pair& right) {
    return std::tuple(-left.likeness, left.apart, left.before, left.now) <
           std::tuple(-right.likeness, right.apart, right.before, right.now);
  });
  std::vector<bool> used_before(before.size(), false);
  std::vector<bool> used_now(now.size(), false);
  std::vector<Pair> out;
  for (const Pair& pair : pairs) {
    if (used_before[pair.before] || used_now[pair.now]) continue;
    used_before[pair.before] = used_now[pair.now] = true;
    out.push_back(pair);
  }
  return out;
}

class Comparer {
 public:
  Comparer(const TraceView& a, const TraceView& b)
      : per_step_(usable_steps(a) > 0 && usable_steps(b) > 0),
        a_(sum_up(a, per_step_)),
        b_(sum_up(b, per_step_)) {}

  Comparison compare() {
    out_.per_step = per_step_;
    both_have_gpu_ = a_.side.has_gpu && b_.side.has_gpu;
    add_measures();
    add_rows();
    out_.a = a_.side;
    out_.b = b_.side;
    out_.identical = is_identical();
    out_.notes = comparison_notes(out_);
    out_.verdict = comparison_verdict(out_);
    return std::move(out_);
  }

 private:
  void add_measure(std::string id, std::string name, std::vector<std::int64_t> a,
                   std::vector<std::int64_t> b) {
    Measure measure{
        std::move(id), std::move(name), make_series(std::move(a)), make_series(std::move(b)), {}};
    measure.judgement = judge(measure.a, measure.b);
    out_.measures.push_back(std::move(measure));
  }

  /// A step takes what the slower of CPU and GPU takes for it.
  std::vector<std::int64_t> step_time(const SideSums& sums) const {
    std::vector<std::int64_t> out = sums.duration_ns;
    if (!both_have_gpu_) return out;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::max(out[i], sums.gpu_busy_ns[i]);
    return out;
  }

  void add_measures() {
    add_measure("step_time", per_step_ ? "step time" : "time", step_time(a_), step_time(b_));
    if (!a_.period_ns.empty() && !b_.period_ns.empty()) {
      add_measure("step_period", "step period", a_.period_ns, b_.period_ns);
    }
    if (both_have_gpu_) add_measure("gpu_busy", "GPU busy", a_.gpu_busy_ns, b_.gpu_busy_ns);
    add_measure("cpu_time", "CPU time", a_.cpu_ns, b_.cpu_ns);
    add_measure("step_duration", per_step_ ? "step duration" : "window", a_.duration_ns,
                b_.duration_ns);
  }

  ComparedRow row_of(const RowKey& key, const RowSums* a, const RowSums* b) {
    ComparedRow row;
    row.device_type = key.first;
    row.key = key.second;
    if (a != nullptr) row.a = side_of(key.first, *a);
    if (b != nullptr) row.b = side_of(key.first, *b);
    row.change_ns = self_ns(key.first, row.b) - self_ns(key.first, row.a);
    if (a != nullptr && b != nullptr) {
      row.outcome = judge_rows(*a, *b);
    } else {
      row.status = a == nullptr ? RowStatus::kAppeared : RowStatus::kVanished;
    }
    return row;
  }

  [[nodiscard]] bool is_compared(const RowKey& key) const {
    return key.first == DeviceType::kCpu || both_have_gpu_;
  }

  void add_rows() {
    std::vector<Lone> before;
    std::vector<Lone> now;
    for (const auto& [key, sums] : a_.rows) {
      if (!is_compared(key)) continue;
      const auto other = b_.rows.find(key);
      if (other != b_.rows.end()) {
        out_.rows.push_back(row_of(key, &sums, &other->second));
      } else if (key.first == DeviceType::kCuda) {
        before.emplace_back(key.second, &sums);
      } else {
        out_.rows.push_back(row_of(key, &sums, nullptr));
      }
    }
    for (const auto& [key, sums] : b_.rows) {
      if (!is_compared(key) || a_.rows.contains(key)) continue;
      if (key.first == DeviceType::kCuda) {
        now.emplace_back(key.second, &sums);
      } else {
        out_.rows.push_back(row_of(key, nullptr, &sums));
      }
    }
    add_lone_kernels(before, now);
    std::stable_sort(out_.rows.begin(), out_.rows.end(),
                     [](const ComparedRow& left, const ComparedRow& right) {
                       return std::abs(left.change_ns) > std::abs(right.change_ns);
                     });
  }

  void add_lone_kernels(std::vector<Lone>& before, std::vector<Lone>& now) {
    for (const Pair& pair : replacements(before, now)) {
      const Lone& was = before[pair.before];
      const Lone& is = now[pair.now];
      ComparedRow row = row_of({DeviceType::kCuda, is.first}, was.second, is.second);
      row.status = RowStatus::kReplaced;
      row.was = was.first;
      row.op = main_op(*is.second);
      row.op_was = main_op(*was.second);
      out_.rows.push_back(std::move(row));
      before[pair.before].second = nullptr;
      now[pair.now].second = nullptr;
    }
    for (const auto& [name, sums] : before) {
      if (sums != nullptr) out_.rows.push_back(row_of({DeviceType::kCuda, name}, sums, nullptr));
    }
    for (const auto& [name, sums] : now) {
      if (sums != nullptr) out_.rows.push_back(row_of({DeviceType::kCuda, name}, nullptr, sums));
    }
  }

  [[nodiscard]] bool is_identical() const {
    const auto same_rows = [](const auto& left, const auto& right) {
      return left.first == right.first && left.second.self_ns == right.second.self_ns &&
             left.second.device_ns == right.second.device_ns &&
             left.second.cpu_ns == right.second.cpu_ns && left.second.calls == right.second.calls &&
             left.second.launches == right.second.launches;
    };
    return a_.side.has_gpu == b_.side.has_gpu && a_.gpu_busy_ns == b_.gpu_busy_ns &&
           a_.cpu_ns == b_.cpu_ns && a_.duration_ns == b_.duration_ns &&
           a_.period_ns == b_.period_ns &&
           std::equal(a_.rows.begin(), a_.rows.end(), b_.rows.begin(), b_.rows.end(), same_rows);
  }

  bool per_step_;
  SideSums a_;
  SideSums b_;
  bool both_have_gpu_ = false;
  Comparison out_;
};

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSame:
      return "same";
    case Outcome::kSlower:
      return "slower";
    case Outcome::kFaster:
      return "faster";
    case Outcome::kCannotTell:
      break;
  }
  return "cannot_tell";
}

std::string_view status_name(RowStatus status) {
  switch (status) {
    case RowStatus::kAppeared:
      return "appeared";
    case RowStatus::kVanished:
      return "vanished";
    case RowStatus::kReplaced:
      return "replaced";
    case RowStatus::kBoth:
      break;
  }
  return "both";
}

Series make_series(std::vector<std::int64_t> values_ns) {
  Series series;
  std::vector<double> values = as_doubles(values_ns);
  series.values_ns = std::move(values_ns);
  series.median_ns = median_of(values);
  for (double& value : values) value = std::abs(value - series.median_ns);
  series.spread_ns = std::max({kSigmaPerDeviation * median_of(std::move(values)),
                               kLeastSpread * series.median_ns, kGpuTick_ns});
  return series;
}

Judgement judge(const Series& a, const Series& b) {
  const std::size_t steps = std::min(a.values_ns.size(), b.values_ns.size());
  const bool enough = steps >= kLeastSteps;
  Judgement out;
  if (enough) out.margin_ns = factor_for(steps) * std::hypot(a.spread_ns, b.spread_ns);
  const double apart_ns = b.median_ns - a.median_ns;
  if (a.values_ns == b.values_ns) {
    out.outcome = Outcome::kSame;
  } else if (!enough) {
    out.outcome = Outcome::kCannotTell;
  } else if (std::abs(apart_ns) <= out.margin_ns) {
    out.outcome = Outcome::kSame;
  } else {
    out.outcome = apart_ns > 0 ? Outcome::kSlower : Outcome::kFaster;
  }
  return out;
}

double Measure::change() const {
  return a.median_ns == 0 ? 0 : (b.median_ns - a.median_ns) / a.median_ns;
}

Comparison compare_traces(const TraceView& a, const TraceView& b) {
  return Comparer(a, b).compare();
}

const Measure& Comparison::decisive() const {
  const Measure& time = measures.front();
  const auto period = std::ranges::find(measures, "step_period", &Measure::id);
  if (period == measures.end()) return time;
  const Outcome inside = time.judgement.outcome;
  const Outcome overall = period->judgement.outcome;
  if (overall == Outcome::kSlower) {
    return inside == Outcome::kSlower && time.change() >= period->change() ? time : *period;
  }
  return overall == Outcome::kFaster && inside == Outcome::kSame ? *period : time;
}

bool is_slower_by(const Comparison& comparison, double percent) {
  if (comparison.measures.empty()) return false;
  // Of two that are slower this is the one with the larger change.
  const Measure& measure = comparison.decisive();
  if (measure.judgement.outcome != Outcome::kSlower) return false;
  // From 0 there is no percentage that it would not exceed.
  return measure.a.median_ns == 0 || measure.change() * 100 > percent;
}

}  // namespace tracebook
