// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/claims_report.h"
#include "common/render/rows.h"
#include "common/render/terminal.h"

#include <algorithm>
#include <string_view>

namespace tracebook {
namespace {

constexpr std::size_t kMaxEvidenceRows = 8;
constexpr int kIndent = 10;

const char* verdict_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHeld:
      return "held";
    case Verdict::kMissed:
      return "MISSED";
    case Verdict::kNotApplicable:
      return "n/a";
  }
  return "";
}

std::string evidence_text(const QueryResult& evidence) {
  std::string out;
  const std::string margin(kIndent, ' ');
  for (std::size_t i = 0; i < std::min(evidence.rows.size(), kMaxEvidenceRows); ++i) {
    std::string line;
    for (std::size_t c = 0; c < evidence.columns.size(); ++c) {
      line += (c == 0 ? "" : ", ") + evidence.columns[c] + " " + cell_text(evidence.rows[i][c]);
    }
    out += margin + printable(line) + "\n";
  }
  if (evidence.rows.size() > kMaxEvidenceRows) {
    out += margin + "… " + std::to_string(evidence.rows.size() - kMaxEvidenceRows) + " more rows\n";
  }
  return out;
}

std::string claim_text(const Claim& claim, const ClaimResult& result, int width) {
  std::string head = "  ";
  head += verdict_word(result.verdict);
  head.resize(kIndent, ' ');
  head += claim.id;
  std::string out;
  if (result.verdict == Verdict::kNotApplicable) {
    out = head + "\n" + wrapped(result.reason, kIndent, width);
  } else if (result.measured) {
    out = head + ": " + result.value + "  (expected " + claim.expect.text() + ")\n";
  } else {
    out = head + (result.reason.empty() ? "" : ": " + result.reason) + "\n";
  }
  out += wrapped(claim.says, kIndent, width);
  if (result.verdict == Verdict::kMissed) out += evidence_text(result.evidence);
  return out;
}

std::ptrdiff_t count(const JudgedClaims& judged, Verdict verdict) {
  return std::count_if(judged.begin(), judged.end(),
                       [verdict](const auto& claim) { return claim.second.verdict == verdict; });
}

}  // namespace

std::string wrapped(std::string_view text, int indent, int width) {
  const auto room = static_cast<std::size_t>(std::max(20, width - indent));
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string out;
  while (!text.empty()) {
    std::size_t cut = text.size();
    if (cut > room) {
      cut = text.rfind(' ', room);
      if (cut == std::string_view::npos || cut == 0) cut = std::min(text.size(), text.find(' '));
    }
    out += margin + std::string(text.substr(0, cut)) + "\n";
    text.remove_prefix(cut);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  return out;
}

JudgedClaims judge_all(const std::vector<Claim>& claims, const Database& database) {
  JudgedClaims judged;
  judged.reserve(claims.size());
  for (const Claim& claim : claims) judged.emplace_back(claim, judge(claim, database));
  return judged;
}

void set_other_runs_aside(JudgedClaims& judged) {
  constexpr std::size_t kMostNamed = 2;
  for (auto& [claim, result] : judged) {
    if (result.verdict != Verdict::kMissed || result.broken || claim.applies_to.empty()) continue;
    std::string runs;
    for (std::size_t i = 0; i < std::min(kMostNamed, claim.applies_to.size()); ++i) {
      runs += (i == 0 ? "" : ", ") + claim.applies_to[i];
    }
    if (claim.applies_to.size() > kMostNamed) runs += " and others";
    result.reason = "made for " + runs + "; here " +
                    (result.measured ? result.value + " (expected " + claim.expect.text() + ")"
                                     : "the trace has nothing to measure it by");
    result.verdict = Verdict::kNotApplicable;
    result.measured = false;
  }
}

std::string claims_text(const JudgedClaims& judged, int width) {
  std::string out;
  for (const auto& [claim, result] : judged) out += claim_text(claim, result, width);
  return out + "  " + claims_tally(judged) + "\n";
}

std::string claims_tally(const JudgedClaims& judged) {
  return std::to_string(count(judged, Verdict::kHeld)) + " held, " +
         std::to_string(count(judged, Verdict::kMissed)) + " missed, " +
         std::to_string(count(judged, Verdict::kNotApplicable)) + " not applicable";
}

bool any_missed(const JudgedClaims& judged) { return count(judged, Verdict::kMissed) > 0; }

std::string broken_claim(const JudgedClaims& judged, const std::string& file) {
  for (const auto& [claim, result] : judged) {
    if (result.broken) return file + ": claim " + claim.id + ": " + result.reason;
  }
  return "";
}

}  // namespace tracebook
