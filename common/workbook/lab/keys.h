// SPDX-License-Identifier: Apache-2.0
//
// Keys of the lab's screen, from the bytes that a terminal sends.
//
//   KeyReader reader;
//   for (const LabKey key : reader.read("\033[C")) …   // LabKey::kNextChapter
//
// One thread a reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tracebook {

enum class LabKey : std::uint8_t {
  kNextChapter,      ///< right, ]
  kPreviousChapter,  ///< left, [
  kNextOpen,         ///< n
  kDown,             ///< down, j
  kUp,               ///< up, k
  kPageDown,         ///< Page Down
  kPageUp,           ///< Page Up
  kOpen,             ///< Enter, the space bar
  kBack,             ///< Escape
  kHint,             ///< h, ?
  kCheck,            ///< r
  kQuit,             ///< q
  kRedraw,           ///< Ctrl-L
};

class KeyReader {
 public:
  /// The keys in `bytes`, together with what an earlier call left unfinished. Other keys are no
  /// keys.
  std::vector<LabKey> read(std::string_view bytes);

  /// Is there an Escape of which nobody knows yet whether a sequence begins with it?
  [[nodiscard]] bool waits() const { return !pending_.empty(); }
  /// Nothing has come behind it for a moment: the keys that it was.
  std::vector<LabKey> finish();

 private:
  std::string pending_;  // the beginning of an escape sequence
};

}  // namespace tracebook
