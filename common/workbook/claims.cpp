// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/claims.h"

#include <algorithm>

#include "common/render/rows.h"
#include "common/trace/error.h"
#include "common/workbook/json_file.h"

namespace tracebook {
namespace {

constexpr int kClaimsSchema = 1;

std::optional<double> as_number(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

Bound parse_bound(const Json& object, const std::string& where) {
  Bound bound;
  if (!object.is_object()) throw InputError(where + ": expected an object \"expect\"");
  for (const auto& [key, value] : object.items()) {
    if (key == "min" && value.is_number()) {
      bound.min = value.get<double>();
    } else if (key == "max" && value.is_number()) {
      bound.max = value.get<double>();
    } else if (key == "equals" && value.is_number()) {
      bound.equals = value.get<double>();
    } else if (key == "equals" && value.is_string()) {
      bound.equals = value.get<std::string>();
    } else if (key == "unit" && value.is_string()) {
      bound.unit = value.get<std::string>();
    } else {
      throw InputError(where +
                       ": \"expect\" takes min, max (numbers), equals (number or text) and " +
                       "unit (text), not \"" + key + "\": " + value.dump());
    }
  }
  if (!bound.min && !bound.max && std::holds_alternative<std::monostate>(bound.equals)) {
    throw InputError(where + ": \"expect\" needs min, max or equals, or the claim could not fail");
  }
  return bound;
}

Claim parse_claim(const Json& object, const std::string& where) {
  for (const auto& [key, value] : object.items()) {
    constexpr const char* kKeys[] = {"id",       "says",      "sql",      "expect",
                                     "when",     "when_says", "evidence", "applies_to",
                                     "fails_on", "otherwise"};
    if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys)) {
      throw InputError(where + ": unknown member \"" + key + "\"");
    }
  }
  Claim claim;
  claim.id = text_member(object, "id", where);
  const std::string named = where + " (" + claim.id + ")";
  claim.says = text_member(object, "says", named);
  claim.sql = text_member(object, "sql", named);
  claim.expect = parse_bound(object.contains("expect") ? object.at("expect") : Json(), named);
  claim.when = optional_text(object, "when", named);
  claim.when_says = optional_text(object, "when_says", named);
  claim.evidence = optional_text(object, "evidence", named);
  claim.applies_to = optional_text_list(object, "applies_to", named);
  claim.fails_on = optional_text_list(object, "fails_on", named);
  claim.otherwise = optional_text(object, "otherwise", named);
  if (!claim.when.empty() && claim.when_says.empty()) {
    throw InputError(named + ": a \"when\" needs a \"when_says\", the reason to print");
  }
  return claim;
}

bool satisfies(const Bound& bound, const Cell& cell) {
  const std::optional<double> number = as_number(cell);
  if (bound.min && (!number || !(*number >= *bound.min))) return false;
  if (bound.max && (!number || !(*number <= *bound.max))) return false;
  if (const auto* expected = std::get_if<double>(&bound.equals)) {
    return number && *number == *expected;
  }
  if (const auto* expected = std::get_if<std::string>(&bound.equals)) {
    const auto* text = std::get_if<std::string>(&cell);
    return text != nullptr && *text == *expected;
  }
  return true;
}

/// Whether a `when` holds; a `when` that does not run is an error of the claim, not a "no".
bool condition_holds(const Claim& claim, const Database& database,
                     std::chrono::milliseconds limit) {
  const QueryResult result = database.query(claim.when, limit);
  if (result.rows.empty() || result.rows.front().empty()) return false;
  const std::optional<double> number = as_number(result.rows.front().front());
  return number && *number != 0;
}

ClaimResult measure(const Claim& claim, const Database& database, std::chrono::milliseconds limit) {
  ClaimResult result;
  if (!claim.when.empty() && !condition_holds(claim, database, limit)) {
    result.verdict = Verdict::kNotApplicable;
    result.reason = claim.when_says;
    return result;
  }
  const QueryResult answer = database.query(claim.sql, limit);
  if (answer.rows.size() != 1 || answer.rows.front().empty()) {
    result.reason = answer.rows.empty()
                        ? "the query answered nothing"
                        : "the query answered " + std::to_string(answer.rows.size()) +
                              " rows; a claim needs one";
    return result;
  }
  const Cell& cell = answer.rows.front().front();
  if (std::holds_alternative<std::monostate>(cell)) {
    result.reason = "the query answered NULL";
    return result;
  }
  result.measured = true;
  result.cell = cell;
  result.value = cell_text(cell);
  if (!claim.expect.unit.empty()) result.value += " " + claim.expect.unit;
  result.verdict = satisfies(claim.expect, cell) ? Verdict::kHeld : Verdict::kMissed;
  if (!claim.evidence.empty()) result.evidence = database.query(claim.evidence, limit);
  return result;
}

}  // namespace

std::string Bound::text() const {
  std::string out;
  const auto add = [&out](const std::string& part) { out += (out.empty() ? "" : " and ") + part; };
  if (min) add(">= " + rounded_text(*min));
  if (max) add("<= " + rounded_text(*max));
  if (const auto* number = std::get_if<double>(&equals)) add("= " + rounded_text(*number));
  if (const auto* text = std::get_if<std::string>(&equals)) add("= " + *text);
  return out;
}

std::vector<Claim> read_claims(const std::filesystem::path& file) {
  const Json document = parse_json_file(file, kClaimsSchema);
  const auto list = document.find("claims");
  if (list == document.end() || !list->is_array() || list->empty()) {
    throw InputError(file.string() + ": expected an array \"claims\" with at least one claim");
  }
  std::vector<Claim> claims;
  for (const Json& object : *list) {
    const std::string where = file.string() + ": claim " + std::to_string(claims.size() + 1);
    Claim claim = parse_claim(object, where);
    const auto same = [&claim](const Claim& other) { return other.id == claim.id; };
    if (std::any_of(claims.begin(), claims.end(), same)) {
      throw InputError(where + ": a second claim with the id " + claim.id);
    }
    claims.push_back(std::move(claim));
  }
  return claims;
}

ClaimResult judge(const Claim& claim, const Database& database, std::chrono::milliseconds limit) {
  try {
    return measure(claim, database, limit);
  } catch (const SqlError& error) {
    ClaimResult result;
    result.broken = true;
    result.reason = error.what();
    return result;
  }
}

bool applies_to(const Claim& claim, std::string_view label) {
  if (claim.applies_to.empty()) return true;
  const std::string_view name = label.substr(label.rfind('/') + 1);
  return std::any_of(claim.applies_to.begin(), claim.applies_to.end(),
                     [label, name](const std::string& pattern) {
                       return glob_matches(pattern, label) || glob_matches(pattern, name);
                     });
}

std::vector<Claim> claims_for(const std::vector<Claim>& claims, std::string_view label,
                              bool known) {
  if (!known) return claims;
  std::vector<Claim> out;
  std::copy_if(claims.begin(), claims.end(), std::back_inserter(out),
               [label](const Claim& claim) { return applies_to(claim, label); });
  return out;
}

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace tracebook
