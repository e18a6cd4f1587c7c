// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/keys.h"

#include <optional>

namespace tracebook {
namespace {

constexpr char kEscape = '\033';

std::optional<LabKey> plain_key(char c) {
  switch (c) {
    case ']':
      return LabKey::kNextChapter;
    case '[':
      return LabKey::kPreviousChapter;
    case 'n':
    case 'N':
      return LabKey::kNextOpen;
    case 'j':
      return LabKey::kDown;
    case 'k':
      return LabKey::kUp;
    case 'h':
    case 'H':
    case '?':
      return LabKey::kHint;
    case 'r':
    case 'R':
      return LabKey::kCheck;
    case 'q':
    case 'Q':
      return LabKey::kQuit;
    case '\r':
    case '\n':
    case ' ':
      return LabKey::kOpen;
    case '\f':
      return LabKey::kRedraw;
    default:
      return std::nullopt;
  }
}

/// The key of a whole sequence: "\033[C", "\033OC", "\033[5~".
std::optional<LabKey> sequence_key(std::string_view sequence) {
  const std::string_view tail = sequence.substr(2);
  if (tail == "C") return LabKey::kNextChapter;
  if (tail == "D") return LabKey::kPreviousChapter;
  if (tail == "A") return LabKey::kUp;
  if (tail == "B") return LabKey::kDown;
  if (tail == "5~") return LabKey::kPageUp;
  if (tail == "6~") return LabKey::kPageDown;
  return std::nullopt;
}

bool ends_sequence(char c) { return c >= '@' && c <= '~'; }

}  // namespace

std::vector<LabKey> KeyReader::read(std::string_view bytes) {
  std::vector<LabKey> keys;
  const auto add = [&keys](std::optional<LabKey> key) {
    if (key) keys.push_back(*key);
  };
  constexpr std::size_t kLongest = 16;  // no key's sequence is longer
  for (const char c : bytes) {
    if (c == kEscape || pending_.size() > kLongest) {
      if (pending_.size() == 1) add(LabKey::kBack);
      pending_.clear();
      if (c == kEscape) pending_ = c;
    } else if (pending_.empty()) {
      add(plain_key(c));
    } else if (pending_.size() == 1) {
      // Escape alone, and then some key.
      if (c == '[' || c == 'O') {
        pending_ += c;
      } else {
        pending_.clear();
        add(LabKey::kBack);
        add(plain_key(c));
      }
    } else {
      pending_ += c;
      if (ends_sequence(c)) {
        add(sequence_key(pending_));
        pending_.clear();
      }
    }
  }
  return keys;
}

std::vector<LabKey> KeyReader::finish() {
  std::vector<LabKey> keys;
  if (pending_.size() == 1) keys.push_back(LabKey::kBack);
  pending_.clear();
  return keys;
}

}  // namespace tracebook
