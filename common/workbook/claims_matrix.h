// SPDX-License-Identifier: Apache-2.0
//
// Every chapter's claims on every chapter's recordings: how far a claim tells its own recordings
// from others. A claim that holds everywhere says nothing.
//
//   const std::vector<ClaimRow> rows = claims_matrix();
//   std::cout << matrix_text(rows);     // what expected/claims_matrix.txt holds
//
// Reads all recordings; some seconds.
#pragma once

#include <string>
#include <vector>

namespace tracebook {

/// A claim on the recordings of one chapter.
struct ClaimTally {
  int held = 0;
  int missed = 0;  ///< by a measured value
  int none = 0;    ///< without a value: the query answers nothing there
  int not_applicable = 0;

  bool operator==(const ClaimTally&) const = default;
};

/// A claim on the recordings of all chapters, in the order of the catalogue. `applies_to` is set
/// aside; `when` is not.
struct ClaimRow {
  std::string chapter;  ///< "01"
  std::string id;
  std::vector<ClaimTally> chapters;

  /// Held on every recording that gave a value.
  [[nodiscard]] bool holds_everywhere() const;
};

std::vector<ClaimRow> claims_matrix();

/// One line a claim, one column a chapter: "3+ 2-" is held on three and missed on two of its
/// recordings; what gave no value or does not apply is left out, "." is neither.
std::string matrix_text(const std::vector<ClaimRow>& rows);

/// expected/claims_matrix.txt.
std::string matrix_file();

}  // namespace tracebook
