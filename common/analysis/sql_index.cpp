// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/sql_index.h"

#include <algorithm>
#include <numeric>

namespace tracebook {

SqlIndex::SqlIndex(std::vector<std::int64_t> keys) {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = kNull;
  for (const std::int64_t key : keys) {
    if (key == kNull) {
      ++nulls_;
    } else {
      low = std::min(low, key);
      high = std::max(high, key);
    }
  }
  low_ = low;
  const auto spread = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (nulls_ == keys.size() || spread <= 4 * keys.size() + 1024) {
    count_keys(keys, high);
  } else {
    sort_keys(std::move(keys));
  }
}

void SqlIndex::count_keys(const std::vector<std::int64_t>& keys, std::int64_t high) {
  const bool has_keys = nulls_ < keys.size();
  if (!has_keys) low_ = 0;
  const std::size_t slots = has_keys ? static_cast<std::size_t>(high - low_) + 1 : 0;
  begin_.assign(slots + 1, 0);
  for (const std::int64_t key : keys) {
    if (key != kNull) ++begin_[static_cast<std::size_t>(key - low_)];
  }
  auto position = static_cast<std::uint32_t>(nulls_);
  for (std::uint32_t& slot : begin_) {
    if (slot != 0) ++distinct_;
    position += std::exchange(slot, position);
  }
  rows_.resize(keys.size());
  std::vector<std::uint32_t> next = begin_;
  std::uint32_t next_null = 0;
  for (std::uint32_t row = 0; row < keys.size(); ++row) {
    const std::int64_t key = keys[row];
    std::uint32_t& place = key == kNull ? next_null : next[static_cast<std::size_t>(key - low_)];
    rows_[place++] = row;
  }
}

void SqlIndex::sort_keys(std::vector<std::int64_t> keys) {
  rows_.resize(keys.size());
  std::iota(rows_.begin(), rows_.end(), 0U);
  if (!std::is_sorted(keys.begin(), keys.end())) {
    std::vector<std::pair<std::int64_t, std::uint32_t>> order(keys.size());
    for (std::uint32_t row = 0; row < keys.size(); ++row) order[row] = {keys[row], row};
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
      keys[i] = order[i].first;
      rows_[i] = order[i].second;
    }
  }
  keys_ = std::move(keys);
  for (std::size_t i = nulls_; i < keys_.size(); ++i) {
    if (i == nulls_ || keys_[i] != keys_[i - 1]) ++distinct_;
  }
}

std::pair<std::size_t, std::size_t> SqlIndex::range(std::int64_t low, std::int64_t high) const {
  if (low > high) return {0, 0};
  if (!keys_.empty()) {
    const auto keyed = keys_.begin() + static_cast<std::ptrdiff_t>(nulls_);
    const auto first = std::lower_bound(keyed, keys_.end(), low);
    const auto last = low == high
                          ? std::find_if(first, keys_.end(), [low](auto k) { return k != low; })
                          : std::upper_bound(first, keys_.end(), high);
    return {static_cast<std::size_t>(first - keys_.begin()),
            static_cast<std::size_t>(last - keys_.begin())};
  }
  const std::size_t slots = begin_.size() - 1;
  const auto place = [this, slots](std::int64_t key) -> std::size_t {
    if (key <= low_) return 0;
    const auto offset = static_cast<std::uint64_t>(key) - static_cast<std::uint64_t>(low_);
    return static_cast<std::size_t>(std::min<std::uint64_t>(offset, slots));
  };
  const bool to_the_end = high == std::numeric_limits<std::int64_t>::max();
  return {begin_[place(low)], begin_[to_the_end ? slots : place(high + 1)]};
}

}  // namespace tracebook
