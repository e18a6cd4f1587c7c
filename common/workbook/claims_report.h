// SPDX-License-Identifier: Apache-2.0
//
// Claims judged on one trace, as text: what a chapter prints at its end and `tracebook check`
// prints for each recording.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/workbook/claims.h"

namespace tracebook {

using JudgedClaims = std::vector<std::pair<Claim, ClaimResult>>;

JudgedClaims judge_all(const std::vector<Claim>& claims, const Database& database);

/// For a trace that is no run of the chapter: a claim made for particular runs can hold on it, but
/// cannot be missed. It does not apply then, with the reason and what was measured.
void set_other_runs_aside(JudgedClaims& judged);

/// Words of `text`, indented, no line longer than `width`; "" for no text.
std::string wrapped(std::string_view text, int indent, int width);

/// Two lines a claim (verdict, id, value and bound; the sentence), evidence rows below a miss, and
/// a closing line of counts. Lines are broken at `width`.
std::string claims_text(const JudgedClaims& judged, int width);

/// "7 held, 1 missed, 2 not applicable".
std::string claims_tally(const JudgedClaims& judged);

bool any_missed(const JudgedClaims& judged);

/// The first claim whose SQL does not run, as a one-line error naming `file`; "" if all run.
std::string broken_claim(const JudgedClaims& judged, const std::string& file);

}  // namespace tracebook
