// SPDX-License-Identifier: Apache-2.0
//
// Claims: expected trace patterns that can fail. A claim is a sentence, a query whose answer is one
// number or text, and a bound on it.
//
//   for (const Claim& claim : read_claims(folder / "claims.json"))
//     ClaimResult result = judge(claim, database);
//
// A query that errors or answers nothing is missed, never held.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/analysis/database.h"

namespace tracebook {

/// What a claim's value must satisfy; at least one member is set.
struct Bound {
  std::optional<double> min;
  std::optional<double> max;
  std::variant<std::monostate, double, std::string> equals;
  std::string unit;  ///< printed behind the value: "us", "x", "%"

  [[nodiscard]] std::string text() const;  ///< ">= 0.9", "= aten::mm"
};

struct Claim {
  std::string id;
  std::string says;
  std::string sql;
  Bound expect;
  std::string when;                     ///< SQL with a 0/1 answer; 0: the claim does not apply
  std::string when_says;                ///< the reason to print then
  std::string evidence;                 ///< SQL whose rows are shown
  std::vector<std::string> applies_to;  ///< globs on Recording::label(); empty: every trace
  std::vector<std::string> fails_on;    ///< labels of recordings on which it must miss
  std::string otherwise;                ///< of an exercise: what to say when it is missed
};

enum class Verdict { kHeld, kMissed, kNotApplicable };

struct ClaimResult {
  Verdict verdict = Verdict::kMissed;
  std::string value;      ///< as measured, with its unit; "" if there is none
  Cell cell;              ///< the same as the query answered it
  bool measured = false;  ///< the query gave a value: what a `fails_on` miss must have
  bool broken = false;    ///< its SQL does not run: an error of claims.json, beside being missed
  std::string reason;     ///< why it does not apply, or why there is no value
  QueryResult evidence;
};

/// The claims of a claims.json. InputError naming the file, the claim and what was expected.
std::vector<Claim> read_claims(const std::filesystem::path& file);

/// How long a claim's statements may take, each: some seconds are much.
inline constexpr std::chrono::milliseconds kClaimTimeLimit{60'000};

/// A statement that takes longer than `limit` is stopped, and the claim is broken.
ClaimResult judge(const Claim& claim, const Database& database,
                  std::chrono::milliseconds limit = kClaimTimeLimit);

/// Does `applies_to` name the trace called `label`? A trace from elsewhere (its label matches no
/// claim of the chapter) is judged by all of them: see claims_for.
bool applies_to(const Claim& claim, std::string_view label);

/// The claims to judge a trace called `label` by. `known`: it is one of the chapter's recordings or
/// runs, so claims made for others are left out; otherwise all, each with its `when`.
std::vector<Claim> claims_for(const std::vector<Claim>& claims, std::string_view label, bool known);

/// Shell-like pattern: `*` any run of characters, `?` one.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace tracebook
