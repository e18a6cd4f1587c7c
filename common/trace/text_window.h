// SPDX-License-Identifier: Apache-2.0
//
// The stretch of a file's text that is in memory: consumed from the front, filled at the back, so
// that a file of any size passes through a buffer of the window's. Part of the reader. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "common/trace/byte_source.h"

namespace tracebook {

class TextWindow {
 public:
  /// Readable bytes behind the text, for code that looks at several at once.
  static constexpr std::size_t kPadding = 64;

  TextWindow(ByteSource& source, std::size_t window_bytes)
      : source_(source), wanted_(std::max(window_bytes, kLeast)), usual_(wanted_) {
    make_room();
    std::memset(buffer_.get(), 0, kPadding);
  }

  [[nodiscard]] std::string_view text() const { return {buffer_.get() + begin_, end_ - begin_}; }
  /// Byte of the file where text() begins.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  /// Whether text() goes to the end of the file.
  [[nodiscard]] bool at_end() const { return at_end_; }

  /// Reads on until the window is full or the file ends.
  void fill() {
    if (at_end_ || end_ - begin_ >= wanted_) return;
    make_room();
    const std::size_t count = source_.read(buffer_.get() + end_, wanted_ - end_);
    at_end_ = count < wanted_ - end_;
    end_ += count;
    std::memset(buffer_.get() + end_, 0, kPadding);
  }
  /// For something that goes beyond the text: a full window, or twice as much if it is full.
  void grow() {
    if (end_ - begin_ >= wanted_) wanted_ *= 2;
    fill();
  }
  void consume(std::size_t count) {
    begin_ += count;
    offset_ += count;
    if (count > 0) wanted_ = usual_;
  }

 private:
  static constexpr std::size_t kLeast = 64;

  /// Moves the text to the front of a buffer that has room for what is wanted.
  void make_room() {
    const std::size_t size = end_ - begin_;
    if (wanted_ > capacity_) {
      auto larger = std::make_unique_for_overwrite<char[]>(wanted_ + kPadding);
      if (size > 0) std::memcpy(larger.get(), buffer_.get() + begin_, size);
      buffer_ = std::move(larger);
      capacity_ = wanted_;
    } else if (size > 0) {
      std::memmove(buffer_.get(), buffer_.get() + begin_, size);
    }
    begin_ = 0;
    end_ = size;
  }

  ByteSource& source_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t wanted_;
  std::size_t usual_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
  bool at_end_ = false;
};

}  // namespace tracebook
