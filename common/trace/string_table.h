// SPDX-License-Identifier: Apache-2.0
//
// Interned strings: each distinct text is stored once and named by a small number, so that a
// trace of millions of events holds its few hundred names once, and comparing names is comparing
// numbers.
//
//   StringTable strings;
//   StringId id = strings.intern("aten::mm");
//   strings.view(id);  // "aten::mm", valid as long as the table
//
// Id 0 is always the empty string. Views stay valid when the table grows or is moved. Not for
// concurrent writers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tracebook {

using StringId = std::uint32_t;

class StringTable {
 public:
  StringTable();
  StringTable(const StringTable& other);
  StringTable& operator=(const StringTable& other);
  StringTable(StringTable&&) noexcept = default;
  StringTable& operator=(StringTable&&) noexcept = default;
  ~StringTable() = default;

  /// The id of `text`, which is copied into the table if it is new.
  StringId intern(std::string_view text);
  /// The id of `text` if it is in the table.
  [[nodiscard]] std::optional<StringId> find(std::string_view text) const;
  [[nodiscard]] std::string_view view(StringId id) const { return views_[id]; }
  [[nodiscard]] std::size_t size() const { return views_.size(); }

 private:
  [[nodiscard]] std::size_t slot_of(std::string_view text, std::uint64_t hash) const;
  std::string_view store(std::string_view text);
  void grow();

  std::vector<std::string_view> views_;
  std::vector<std::uint64_t> hashes_;  // one per string
  std::vector<std::uint32_t> slots_;   // open addressing, id + 1, 0 where free
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_used_ = 0;
  std::size_t block_size_ = 0;
};

}  // namespace tracebook
