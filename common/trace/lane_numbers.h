// SPDX-License-Identifier: Apache-2.0
//
// Small numbers for what events say of their place: pid and tid, and for tracks kind and GPU. Part
// of the reader.
//
//   LaneNumbers lanes;
//   const std::uint32_t lane = lanes.find({.pid = pid, .tid = tid}, next);  // next, if it is new
//
// One thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "common/trace/raw_event.h"
#include "common/trace/trace.h"

namespace tracebook {

struct LaneKey {
  EventId pid;
  EventId tid;
  std::int32_t kind = -1;
  std::int32_t device = -1;
  bool operator==(const LaneKey&) const = default;
};

/// A map with a small cache in front.
class LaneNumbers {
 public:
  /// The number of `key`; `next` if it is new.
  std::uint32_t find(const LaneKey& key, std::uint32_t next);

 private:
  struct Hash {
    std::size_t operator()(const LaneKey& key) const;
  };
  static constexpr std::size_t kCached = 256;  // a power of two

  std::unordered_map<LaneKey, std::uint32_t, Hash> numbers_;
  std::array<LaneKey, kCached> keys_{};
  std::array<std::uint32_t, kCached> cached_{};
  std::array<bool, kCached> filled_{};
};

/// A pid or tid as it was written, kept beyond its window to be compared with the next one.
struct SmallText {
  static constexpr std::size_t kNoSize = ~std::size_t{0};

  std::array<char, 24> text{};
  std::size_t size = kNoSize;  ///< kNoSize is equal to nothing
  RawText::Kind kind = RawText::Kind::kAbsent;

  bool operator==(const RawText& other) const {
    return kind == other.kind && size == other.text.size() &&
           std::string_view(text.data(), size) == other.text;
  }
  void keep(const RawText& other) {
    kind = other.kind;
    size = other.text.size() <= text.size() ? other.text.size() : kNoSize;
    if (size != kNoSize) std::copy(other.text.begin(), other.text.end(), text.begin());
  }
};

}  // namespace tracebook
