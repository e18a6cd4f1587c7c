// SPDX-License-Identifier: Apache-2.0
#include "common/trace/string_table.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace tracebook {
namespace {

constexpr std::size_t kFirstSlots = 1024;
constexpr std::size_t kBlockBytes = 64 * 1024;

std::uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>{}(text); }

}  // namespace

StringTable::StringTable() : slots_(kFirstSlots, 0) { intern(""); }

StringTable::StringTable(const StringTable& other) : StringTable() {
  for (const std::string_view text : other.views_) intern(text);
}

StringTable& StringTable::operator=(const StringTable& other) {
  if (this != &other) *this = StringTable(other);
  return *this;
}

std::size_t StringTable::slot_of(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != 0) {
    const std::uint32_t id = slots_[slot] - 1;
    if (hashes_[id] == hash && views_[id] == text) return slot;
    slot = (slot + 1) & mask;
  }
  return slot;
}

std::optional<StringId> StringTable::find(std::string_view text) const {
  const std::size_t slot = slot_of(text, hash_of(text));
  if (slots_[slot] == 0) return std::nullopt;
  return slots_[slot] - 1;
}

StringId StringTable::intern(std::string_view text) {
  const std::uint64_t hash = hash_of(text);
  const std::size_t slot = slot_of(text, hash);
  if (slots_[slot] != 0) return slots_[slot] - 1;
  const auto id = static_cast<StringId>(views_.size());
  views_.push_back(store(text));
  hashes_.push_back(hash);
  slots_[slot] = id + 1;
  if (views_.size() * 2 > slots_.size()) grow();
  return id;
}

std::string_view StringTable::store(std::string_view text) {
  if (text.empty()) return {};
  if (block_size_ - block_used_ < text.size()) {
    block_size_ = std::max(kBlockBytes, text.size());
    blocks_.push_back(std::make_unique<char[]>(block_size_));
    block_used_ = 0;
  }
  char* const place = blocks_.back().get() + block_used_;
  std::memcpy(place, text.data(), text.size());
  block_used_ += text.size();
  return {place, text.size()};
}

void StringTable::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t id = 0; id < views_.size(); ++id) {
    std::size_t slot = hashes_[id] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = id + 1;
  }
}

}  // namespace tracebook
