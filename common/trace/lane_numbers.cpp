// SPDX-License-Identifier: Apache-2.0
#include "common/trace/lane_numbers.h"

namespace tracebook {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29U);
}

}  // namespace

std::size_t LaneNumbers::Hash::operator()(const LaneKey& key) const {
  const auto part = [](const EventId& id) {
    return id.is_text ? ~std::uint64_t{id.text} : static_cast<std::uint64_t>(id.number);
  };
  std::uint64_t hash = mixed(mixed(0, part(key.pid)), part(key.tid));
  hash = mixed(hash, static_cast<std::uint64_t>(key.kind));
  return mixed(hash, static_cast<std::uint64_t>(key.device));
}

std::uint32_t LaneNumbers::find(const LaneKey& key, std::uint32_t next) {
  const std::size_t slot = Hash{}(key) & (kCached - 1);
  if (filled_[slot] && keys_[slot] == key) return cached_[slot];
  keys_[slot] = key;
  filled_[slot] = true;
  cached_[slot] = numbers_.try_emplace(key, next).first->second;
  return cached_[slot];
}

}  // namespace tracebook
