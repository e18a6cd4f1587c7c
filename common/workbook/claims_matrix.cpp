// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/claims_matrix.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "common/analysis/database.h"
#include "common/trace/reader.h"
#include "common/trace/structure.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/check.h"
#include "common/workbook/claims.h"
#include "common/workbook/paths.h"
#include "common/workbook/recordings.h"

namespace tracebook {
namespace {

constexpr std::size_t kNameWidth = 36;
constexpr std::size_t kCellWidth = 9;

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

void count(ClaimTally& tally, const ClaimResult& result) {
  if (result.verdict == Verdict::kHeld) {
    ++tally.held;
  } else if (result.verdict == Verdict::kNotApplicable) {
    ++tally.not_applicable;
  } else {
    ++(result.measured ? tally.missed : tally.none);
  }
}

std::string cell(const ClaimTally& tally) {
  std::string text;
  if (tally.held > 0) text += std::to_string(tally.held) + "+";
  if (tally.missed > 0) text += (text.empty() ? "" : " ") + std::to_string(tally.missed) + "-";
  return text.empty() ? "." : text;
}

}  // namespace

bool ClaimRow::holds_everywhere() const {
  const bool held = std::ranges::any_of(chapters, [](const auto& tally) { return tally.held > 0; });
  return held && std::ranges::none_of(chapters, [](const auto& tally) { return tally.missed > 0; });
}

std::vector<ClaimRow> claims_matrix() {
  const std::vector<ChapterInfo>& chapters = all_chapters();
  std::vector<ClaimRow> rows;
  std::vector<Claim> claims;
  for (const ChapterInfo& chapter : chapters) {
    for (Claim& claim : read_claims(claims_file(chapter))) {
      rows.push_back({.chapter = chapter.number(),
                      .id = claim.id,
                      .chapters = std::vector<ClaimTally>(chapters.size())});
      claim.evidence.clear();
      claims.push_back(std::move(claim));
    }
  }
  for (std::size_t c = 0; c < chapters.size(); ++c) {
    const Manifest manifest = read_manifest(workbook_root() / "expected" / chapters[c].stem);
    for (const Recording& recording : manifest.recordings) {
      const Trace trace = read_trace_file(recording.path).trace;
      const Structure structure = build_structure(trace);
      const Database database(trace, structure);
      for (std::size_t i = 0; i < claims.size(); ++i) {
        count(rows[i].chapters[c], judge(claims[i], database));
      }
    }
  }
  return rows;
}

std::string matrix_text(const std::vector<ClaimRow>& rows) {
  std::string text = padded("claim", kNameWidth);
  for (const ChapterInfo& chapter : all_chapters()) text += padded(chapter.number(), kCellWidth);
  const auto end_line = [&text] {
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  end_line();
  for (const ClaimRow& row : rows) {
    text += padded(row.chapter + " " + row.id, kNameWidth);
    for (const ClaimTally& tally : row.chapters) text += padded(cell(tally), kCellWidth);
    end_line();
  }
  return text;
}

std::string matrix_file() { return (workbook_root() / "expected" / "claims_matrix.txt").string(); }

}  // namespace tracebook
