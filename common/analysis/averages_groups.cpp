// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/averages_groups.h"

#include <algorithm>
#include <cmath>

#include "common/trace/args.h"
#include "common/trace/error.h"
#include "common/trace/json_text.h"

namespace tracebook {
namespace {

constexpr std::int64_t kOutsideSteps = -1;  // step numbers are not negative

/// A JSON text without white space but for one space behind each comma, as Python prints lists.
std::string in_one_form(std::string_view json) {
  std::string out;
  for (const char c : json) {
    if (is_json_space(c)) continue;
    out += c;
    if (c == ',') out += ' ';
  }
  return out;
}

/// Of two middle ones their mean. Moves the elements.
std::int64_t median_of(std::vector<std::int64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const std::int64_t below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

}  // namespace

AverageGroups::AverageGroups(const Trace& trace, const Structure& structure,
                             const AveragesOptions& options)
    : trace_(trace), structure_(structure), options_(options) {
  if (options_.by_shape) find_shapes();
  if (!options_.by_step) return;
  for (SliceId id = 0; id < trace_.slices.size(); ++id) {
    if (trace_.slices.category[id] == Category::kUserAnnotation &&
        trace_.slices.external_id[id] != kNoId) {
      range_of_id_.try_emplace(trace_.slices.external_id[id], id);
    }
  }
}

void AverageGroups::find_shapes() {
  shapes_.emplace_back();
  shape_.assign(trace_.slices.size(), 0);
  std::unordered_map<std::string_view, std::uint32_t> as_written;
  std::unordered_map<std::string, std::uint32_t> in_form;
  for (SliceId id = 0; id < trace_.slices.size(); ++id) {
    if (!is_op(trace_.slices.category[id])) continue;
    const ArgsView args(trace_.args(id));
    auto raw = args.raw("Input Dims");
    if (!raw) raw = args.raw("Input dims");  // until 2022
    if (!raw) continue;
    const auto [known, fresh] = as_written.try_emplace(*raw, 0);
    if (fresh) {
      const auto next = static_cast<std::uint32_t>(shapes_.size());
      const auto [form, new_form] = in_form.try_emplace(in_one_form(*raw), next);
      if (new_form) shapes_.push_back(form->first);
      known->second = form->second;
    }
    shape_[id] = known->second;
  }
  if (as_written.empty()) {
    throw InputError(
        "no event of the trace has input shapes (expected \"Input Dims\" among their args): record "
        "with torch.profiler.profile(record_shapes=True)");
  }
}

std::int64_t AverageGroups::step_number(SliceId id) const {
  if (trace_.slices.category[id] == Category::kGpuUserAnnotation) {
    // Nothing launches a span on the GPU, but its External id is that of the range on the CPU.
    const auto range = range_of_id_.find(trace_.slices.external_id[id]);
    if (range == range_of_id_.end() ||
        trace_.slices.name[range->second] != trace_.slices.name[id]) {
      return kOutsideSteps;
    }
    id = range->second;
  }
  const std::int32_t step = structure_.step[id];
  return step == kNoStep ? kOutsideSteps : structure_.steps[static_cast<std::size_t>(step)].number;
}

std::size_t AverageGroups::PlaceHash::operator()(const Place& place) const {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;  // spreads neighbours over all bits
  std::uint64_t hash = place.key * kGolden;
  hash = (hash ^ (hash >> 32) ^ static_cast<std::uint64_t>(place.step)) * kGolden;
  hash = (hash ^ (hash >> 32) ^ place.shape) * kGolden;
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

std::uint32_t& AverageGroups::row_at(std::size_t key, SliceId id) {
  const Place place{.key = key,
                    .step = options_.by_step ? step_number(id) : kOutsideSteps,
                    .shape = options_.by_shape ? shape_[id] : 0};
  return rows_.try_emplace(place, kNoIndex).first->second;
}

void AverageGroups::describe(SliceId id, AverageRow& row) const {
  if (options_.by_step && step_number(id) != kOutsideSteps) row.step = step_number(id);
  if (options_.by_shape) row.shape = shapes_[shape_[id]];
}

void AverageGroups::add_call(std::uint32_t row, std::int64_t call_ns) {
  if (row >= calls_.size()) calls_.resize(row + 1);
  calls_[row].push_back(call_ns);
}

CallTimes AverageGroups::call_times(std::uint32_t row) {
  constexpr double kSigmaPerDeviation = 1.4826;  // of a normal distribution
  std::vector<std::int64_t>& values = calls_[row];
  CallTimes times;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  times.min_ns = *least;
  times.max_ns = *most;
  times.median_ns = median_of(values);
  for (std::int64_t& value : values) value = std::abs(value - times.median_ns);
  times.spread_ns = std::llround(kSigmaPerDeviation * static_cast<double>(median_of(values)));
  return times;
}

}  // namespace tracebook
