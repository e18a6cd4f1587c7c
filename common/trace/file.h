// SPDX-License-Identifier: Apache-2.0
//
// Whole files in and out. A written file appears whole or not at all: it is written beside its
// place and renamed, so a full disk or a read-only folder leaves what stood there as it was.
//
//   write_file("traces/01_cold_trace/64_bf16_cold_eager.txt", table);
//   NewFile file("big.json");  file.write(piece);  …  file.commit();   // in bounded memory
//
// A NewFile belongs to one thread; many threads may write files at once, even of the same name.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tracebook {

/// Folders on the way are made. On any error nothing is left beside `path`, what stood there stays,
/// and an InputError says why in one line.
void write_file(const std::filesystem::path& path, std::string_view content);

/// The whole file; InputError for "no such file", "is a folder", "cannot be read".
std::string read_file(const std::filesystem::path& path);

/// "the file is UTF-16; save it as UTF-8" for what some editors write, with or without a byte order
/// mark; "" for any other content.
std::string encoding_fault(std::string_view content);

/// A file written piece by piece with the same promise. Without `commit` it never appears. What
/// cannot be replaced (/dev/null, a pipe) is written as it comes, and a link's target is replaced,
/// not the link.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view piece);
  /// Puts the file in its place. Nothing may be written afterwards.
  void commit();

 private:
  void open();
  [[noreturn]] void fail(int error) const;
  void make_folders();

  std::filesystem::path path_;    // as the caller calls it
  std::filesystem::path target_;  // where links lead
  std::filesystem::path beside_;  // empty when written directly
  std::vector<std::filesystem::path> made_folders_;
  int descriptor_ = -1;
};

}  // namespace tracebook
