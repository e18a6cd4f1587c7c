// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/averages.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

#include "common/analysis/averages_groups.h"

namespace tracebook {
namespace {

/// Kineto writes a gpu_user_annotation 1 ns early and 2 ns longer than torch's table counts it.
constexpr std::int64_t kSpanExcess_ns = 2;

/// Records of the profiler's own and bookkeeping ops that torch leaves out of its table.
constexpr std::array<std::string_view, 8> kHiddenNames = {
    "[memory]",
    "[OutOfMemory]",
    "profiler::_record_function_enter",
    "profiler::_record_function_enter_new",
    "profiler::_record_function_exit",
    "aten::is_leaf",
    "aten::output_nr",
    "aten::_version",
};

/// torch keeps rows of the same name apart by these.
enum RowKind : std::uint8_t { kCpuRow, kCpuAnnotationRow, kWorkRow, kSpanRow, kRowKinds };

constexpr RowKind kNoRow = kRowKinds;

RowKind row_kind(Category category) {
  if (is_device_work(category)) return kWorkRow;
  switch (category) {
    case Category::kCpuOp:
    case Category::kRuntime:
    case Category::kDriver:
    case Category::kOverhead:
      return kCpuRow;
    case Category::kUserAnnotation:
      return kCpuAnnotationRow;
    case Category::kGpuUserAnnotation:
      return kSpanRow;
    default:
      return kNoRow;
  }
}

/// A sum that ends at the largest number there is, since a trace may hold any times.
void add_to(std::int64_t& sum, std::int64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) {
    sum = value < 0 ? std::numeric_limits<std::int64_t>::min()
                    : std::numeric_limits<std::int64_t>::max();
  }
}

class Counter {
 public:
  Counter(const Trace& trace, const Structure& structure, const AveragesOptions& options)
      : trace_(trace),
        slices_(trace.slices),
        structure_(structure),
        options_(options),
        groups_(trace, structure, options) {
    name_keys();
    find_kinds();
    row_at_.assign(keys_.size() * kRowKinds, kNoIndex);
  }

  Averages count() {
    nest();
    sum_device_time();
    add_cpu_rows();
    add_device_rows();
    return in_order_of_appearance();
  }

 private:
  static constexpr std::uint32_t kNoIndex = UINT32_MAX;
  static constexpr std::uint32_t kHidden = UINT32_MAX;

  /// Where a row appears first: torch lists events by start, then longest first.
  struct First {
    std::int64_t start_ns;
    std::int64_t dur_ns;
    SliceId id;
  };

  /// A key for every name: all `ProfilerStep#N` have one.
  void name_keys() {
    constexpr std::string_view kStepPrefix = "ProfilerStep#";
    constexpr std::string_view kStepKey = "ProfilerStep*";
    key_of_name_.resize(trace_.strings.size());
    std::uint32_t step_key = kNoIndex;
    const auto new_key = [this](std::string_view text) {
      keys_.push_back(text);
      return static_cast<std::uint32_t>(keys_.size() - 1);
    };
    if (const auto id = trace_.strings.find(kStepKey))
      step_key = key_of_name_[*id] = new_key(kStepKey);
    for (StringId name = 0; name < key_of_name_.size(); ++name) {
      const std::string_view text = trace_.strings.view(name);
      if (text.starts_with(kStepPrefix)) {
        if (step_key == kNoIndex) step_key = new_key(kStepKey);
        key_of_name_[name] = step_key;
      } else if (std::find(kHiddenNames.begin(), kHiddenNames.end(), text) != kHiddenNames.end()) {
        key_of_name_[name] = kHidden;
      } else if (text != kStepKey) {
        key_of_name_[name] = new_key(text);
      }
    }
  }

  void find_kinds() {
    kind_.resize(slices_.size());
    for (SliceId id = 0; id < slices_.size(); ++id) {
      const bool counts =
          key_of_name_[slices_.name[id]] != kHidden && !has_impossible_time(trace_, id);
      kind_[id] = counts ? row_kind(slices_.category[id]) : kNoRow;
    }
  }

  [[nodiscard]] RowKind kind_of(SliceId id) const { return kind_[id]; }

  /// Parents among the rows of the table, which Python frames and hidden ops are not, and whose
  /// nesting they must not break; an only child of its parent's name merges into the parent.
  void nest() {
    const std::vector<SliceId>& order = structure_.cpu_order;
    parent_.assign(slices_.size(), kNoSlice);
    node_.assign(slices_.size(), kNoSlice);
    std::vector<std::uint32_t> children(slices_.size(), 0);
    std::vector<SliceId> open;
    for (std::size_t thread = 0; thread + 1 < structure_.thread_begin.size(); ++thread) {
      open.clear();
      for (std::uint32_t i = structure_.thread_begin[thread];
           i < structure_.thread_begin[thread + 1]; ++i) {
        const SliceId id = order[i];
        if (kind_of(id) == kNoRow) continue;
        const std::int64_t end_ns = slices_.end_ns(id);
        while (!open.empty() && (slices_.ts_ns[id] >= slices_.end_ns(open.back()) ||
                                 end_ns > slices_.end_ns(open.back()))) {
          open.pop_back();
        }
        node_[id] = id;
        if (!open.empty()) {
          parent_[id] = open.back();
          ++children[open.back()];
        }
        open.push_back(id);
      }
    }
    for (const SliceId id : order) {
      if (parent_[id] == kNoSlice) continue;
      const SliceId parent = parent_[id] = node_[parent_[id]];
      const bool same_name = key_of_name_[slices_.name[id]] == key_of_name_[slices_.name[parent]];
      if (!same_name || children[parent] != 1) continue;
      node_[id] = parent;
      children[parent] = children[id];
    }
  }

  void sum_device_time() {
    self_device_ns_.assign(slices_.size(), 0);
    for (const SliceId work : structure_.device_order) {
      if (kind_of(work) == kNoRow) continue;
      // An op that is no row (a hidden one) passes its work on to the op around it.
      SliceId op = structure_.op[work];
      while (op != kNoSlice && node_[op] == kNoSlice) op = structure_.parent[op];
      if (op != kNoSlice) add_to(self_device_ns_[node_[op]], slices_.dur_ns[work]);
    }
    device_ns_ = self_device_ns_;
    child_ns_.assign(slices_.size(), 0);
    // Children stand after their parents.
    for (std::size_t i = structure_.cpu_order.size(); i-- > 0;) {
      const SliceId id = structure_.cpu_order[i];
      if (node_[id] != id || parent_[id] == kNoSlice) continue;
      add_to(device_ns_[parent_[id]], device_ns_[id]);
      add_to(child_ns_[parent_[id]], slices_.dur_ns[id]);
    }
  }

  AverageRow& row_of(SliceId id, RowKind kind, std::int64_t call_ns) {
    const std::uint32_t key = key_of_name_[slices_.name[id]];
    std::uint32_t& ungrouped = row_at_[std::size_t{key} * kRowKinds + kind];
    std::uint32_t& at =
        groups_.any() ? groups_.row_at(std::size_t{key} * kRowKinds + kind, id) : ungrouped;
    const First first{slices_.ts_ns[id], slices_.dur_ns[id], id};
    if (at == kNoIndex) {
      at = static_cast<std::uint32_t>(rows_.size());
      AverageRow row;
      row.key = keys_[key];
      row.device_type = kind == kWorkRow || kind == kSpanRow ? DeviceType::kCuda : DeviceType::kCpu;
      row.is_span = kind == kSpanRow;
      groups_.describe(id, row);
      rows_.emplace_back(std::move(row), first);
    } else if (is_before(first, rows_[at].second)) {
      rows_[at].second = first;
    }
    if (options_.stats) groups_.add_call(at, call_ns);
    ++rows_[at].first.count;
    return rows_[at].first;
  }

  static bool is_before(const First& left, const First& right) {
    return std::tuple(left.start_ns, -left.dur_ns, left.id) <
           std::tuple(right.start_ns, -right.dur_ns, right.id);
  }

  void add_cpu_rows() {
    for (const SliceId id : structure_.cpu_order) {
      if (node_[id] != id) continue;
      AverageRow& row = row_of(id, kind_of(id), slices_.dur_ns[id]);
      add_to(row.self_cpu_ns, slices_.dur_ns[id] - child_ns_[id]);
      add_to(row.cpu_ns, slices_.dur_ns[id]);
      add_to(row.self_device_ns, self_device_ns_[id]);
      add_to(row.device_ns, device_ns_[id]);
    }
  }

  void add_device_rows() {
    for (SliceId id = 0; id < slices_.size(); ++id) {
      const RowKind kind = kind_of(id);
      if (kind != kWorkRow && kind != kSpanRow) continue;
      std::int64_t dur_ns = slices_.dur_ns[id];
      if (kind == kSpanRow) dur_ns = std::max<std::int64_t>(0, dur_ns - kSpanExcess_ns);
      AverageRow& row = row_of(id, kind, dur_ns);
      add_to(row.self_device_ns, dur_ns);
      add_to(row.device_ns, dur_ns);
    }
  }

  Averages in_order_of_appearance() {
    if (options_.stats) {
      for (std::uint32_t at = 0; at < rows_.size(); ++at) {
        rows_[at].first.calls = groups_.call_times(at);
      }
    }
    std::sort(rows_.begin(), rows_.end(), [](const auto& left, const auto& right) {
      return is_before(left.second, right.second);
    });
    Averages averages;
    averages.options = options_;
    averages.rows.reserve(rows_.size());
    for (auto& [row, first] : rows_) {
      add_to(averages.self_cpu_total_ns, row.self_cpu_ns);
      if (row.device_type == DeviceType::kCuda && !row.is_span) {
        add_to(averages.self_device_total_ns, row.self_device_ns);
      }
      averages.rows.push_back(std::move(row));
    }
    return averages;
  }

  const Trace& trace_;
  const Slices& slices_;
  const Structure& structure_;
  AveragesOptions options_;
  AverageGroups groups_;
  std::vector<RowKind> kind_;  // per slice
  std::vector<std::string_view> keys_;
  std::vector<std::uint32_t> key_of_name_;
  std::vector<std::uint32_t> row_at_;  // of key * kRowKinds + kind
  std::vector<std::pair<AverageRow, First>> rows_;
  std::vector<SliceId> parent_;  // per slice, after merging
  std::vector<SliceId> node_;    // per slice: itself, what it merged into, kNoSlice if no CPU row
  std::vector<std::int64_t> self_device_ns_;
  std::vector<std::int64_t> device_ns_;
  std::vector<std::int64_t> child_ns_;
};

}  // namespace

Averages key_averages(const Trace& trace, const Structure& structure,
                      const AveragesOptions& options) {
  return Counter(trace, structure, options).count();
}

}  // namespace tracebook
