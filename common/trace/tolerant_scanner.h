// SPDX-License-Identifier: Apache-2.0
//
// The slow way through text that is not strictly JSON: reads one value, character by character, and
// writes it out clean, with the few faults repaired whose meaning is certain (bare nan, inf and
// N/A; control bytes and invalid UTF-8 in strings; commas before a closing bracket). Anything else
// is bad text, and the end of text inside a value is a cut. Part of the reader.
//
//   TolerantScanner scanner(text, offset);
//   const Scan scan = scanner.scan(at);
//   if (scan.status == ScanStatus::kWhole) use(scanner.clean());
//
// The text must outlive the scanner. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/trace/issues.h"

namespace tracebook {

enum class ScanStatus : std::uint8_t { kWhole, kCut, kBad };

struct Scan {
  ScanStatus status = ScanStatus::kCut;
  std::size_t end = 0;  ///< behind the value, or where it went wrong
};

struct Repair {
  IssueKind kind;
  std::int64_t count = 0;
  std::uint64_t first_offset = 0;
};

class TolerantScanner {
 public:
  /// `offset` is where the text begins in the file.
  TolerantScanner(std::string_view text, std::uint64_t offset) : text_(text), offset_(offset) {}

  /// The value that begins at `at`.
  Scan scan(std::size_t at);
  /// The last value as strict JSON: as written, but for the repairs.
  [[nodiscard]] const std::string& clean() const { return clean_; }
  /// How many brackets and braces were open at once in it.
  [[nodiscard]] std::size_t depth() const { return depth_; }
  /// What was repaired in it.
  [[nodiscard]] const std::vector<Repair>& repairs() const { return repairs_; }

 private:
  Scan whole(std::size_t end) const { return {ScanStatus::kWhole, end}; }
  Scan cut() const { return {ScanStatus::kCut, text_.size()}; }
  static Scan bad(std::size_t at) { return {ScanStatus::kBad, at}; }
  std::size_t copy_space(std::size_t at);
  Scan scan_string(std::size_t at);
  Scan scan_escape(std::size_t at);
  Scan scan_scalar(std::size_t at);
  void note(const IssueKind& kind, std::size_t at);

  std::string_view text_;
  std::uint64_t offset_;
  std::string clean_;
  std::vector<Repair> repairs_;
  std::vector<char> closers_;
  std::size_t depth_ = 0;
};

/// Where reading can go on behind an event that could not be understood.
struct Resume {
  enum class Where : std::uint8_t {
    kEvent,     ///< at the brace of the next event
    kArrayEnd,  ///< at the bracket that closes the list of events
    kNowhere,   ///< not in this text
  };
  Where where = Where::kNowhere;
  std::size_t at = 0;
};

/// Looks for the next event behind `from`: a brace after a closing brace and a comma, before a key
/// that events have. Names can hold nearly anything, but hardly that.
Resume find_next_event(std::string_view text, std::size_t from);
/// Looks for the end of the list of events in a text that reaches to the end of the file and holds
/// no further event: a bracket with a whole tail of an object, or nothing, behind it.
Resume find_array_end(std::string_view text, std::size_t from, bool in_object);

}  // namespace tracebook
