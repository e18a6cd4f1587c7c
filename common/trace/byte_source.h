// SPDX-License-Identifier: Apache-2.0
//
// Where the reader's bytes come from: a file, standard input or a text in memory, plain or gzip
// (told apart by the first two bytes, whatever the name). Part of the reader.
//
//   const auto source = open_byte_source("trace.json.gz");
//   while (const std::size_t count = source->read(buffer, sizeof buffer)) …
//
// Gzip is decoded as it is read: several members in a row, flush blocks and zero bytes behind the
// last member are all right. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace tracebook {

/// Why the text ends before it should have.
struct SourceTrouble {
  std::string says;          ///< "the gzip data ends inside a member"
  std::uint64_t offset = 0;  ///< byte of the file as it lies on disk
};

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Fills `into` as far as there is text; 0 only at its end. InputError where the system refuses.
  virtual std::size_t read(char* into, std::size_t size) = 0;
  /// Bytes of the file behind us, and its size (0 if unknown), both as on disk.
  [[nodiscard]] virtual std::uint64_t done() const = 0;
  [[nodiscard]] virtual std::uint64_t total() const = 0;
  /// Set at the end of a text that is cut or damaged.
  [[nodiscard]] virtual const SourceTrouble* trouble() const { return nullptr; }
  /// Bytes behind compressed data that are neither zero nor another member.
  [[nodiscard]] virtual bool has_trailing_bytes() const { return false; }
};

/// `path` may be "-" for standard input. InputError: no such file, is a folder, cannot be read.
std::unique_ptr<ByteSource> open_byte_source(const std::filesystem::path& path);
/// Reads `text`, which must outlive it; `name` stands for it in messages.
std::unique_ptr<ByteSource> text_byte_source(std::string_view text, std::string_view name);

}  // namespace tracebook
