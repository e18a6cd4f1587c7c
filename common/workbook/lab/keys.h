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
  kDown,             ///< down, j, Page Down
  kUp,               ///< up, k, Page Up
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

 private:
  std::string pending_;  // the beginning of an escape sequence
};

}  // namespace tracebook
