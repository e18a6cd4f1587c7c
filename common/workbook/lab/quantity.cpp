// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/quantity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

enum class UnitKind { kTime, kSize, kPercent, kTimes, kCount };

struct Unit {
  const char* name;
  UnitKind kind;
  double factor;  ///< of its kind's smallest
};

constexpr Unit kUnits[] = {
    {"ns", UnitKind::kTime, 1},
    {"us", UnitKind::kTime, 1e3},
    {"ms", UnitKind::kTime, 1e6},
    {"s", UnitKind::kTime, 1e9},
    {"bytes", UnitKind::kSize, 1},
    {"KB", UnitKind::kSize, 1e3},
    {"MB", UnitKind::kSize, 1e6},
    {"GB", UnitKind::kSize, 1e9},
    {"KiB", UnitKind::kSize, 1024.0},
    {"MiB", UnitKind::kSize, 1024.0 * 1024.0},
    {"GiB", UnitKind::kSize, 1024.0 * 1024.0 * 1024.0},
    {"%", UnitKind::kPercent, 1},
    {"x", UnitKind::kTimes, 1},
    {"", UnitKind::kCount, 1},
};

/// Other ways to write a unit, folded.
struct Alias {
  const char* written;
  const char* name;
};
constexpr Alias kAliases[] = {
    // The micro sign and the Greek letter.
    {"\u00B5s", "us"},
    {"\u03BCs", "us"},
    {"usec", "us"},
    {"usecs", "us"},
    {"\u00B5sec", "us"},
    {"\u03BCsec", "us"},
    {"microsecond", "us"},
    {"microseconds", "us"},
    {"msec", "ms"},
    {"msecs", "ms"},
    {"millisecond", "ms"},
    {"milliseconds", "ms"},
    {"nsec", "ns"},
    {"nsecs", "ns"},
    {"nanosecond", "ns"},
    {"nanoseconds", "ns"},
    {"sec", "s"},
    {"secs", "s"},
    {"second", "s"},
    {"seconds", "s"},
    {"b", "bytes"},
    {"byte", "bytes"},
    {"kilobyte", "KB"},
    {"kilobytes", "KB"},
    {"megabyte", "MB"},
    {"megabytes", "MB"},
    {"gigabyte", "GB"},
    {"gigabytes", "GB"},
    {"percent", "%"},
    {"per cent", "%"},
    {"×", "x"},
    {"times", "x"}};

const Unit* find_unit(std::string_view written) {
  std::string name = folded(written);
  for (const Alias& alias : kAliases) {
    if (name == alias.written) name = alias.name;
  }
  const auto* const found = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& u) {
    return folded(u.name) == folded(name);
  });
  return found == std::end(kUnits) ? nullptr : found;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The characters that the number at the start of `text` may be made of, commas among them.
std::size_t number_length(std::string_view text) {
  std::size_t i = 0;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  while (i < text.size() && (is_digit(text[i]) || text[i] == '.' || text[i] == ',')) ++i;
  const bool exponent = i > 0 && i < text.size() && (text[i] == 'e' || text[i] == 'E');
  if (exponent) {
    std::size_t end = i + 1;
    if (end < text.size() && (text[end] == '+' || text[end] == '-')) ++end;
    if (end < text.size() && is_digit(text[end])) {
      while (end < text.size() && is_digit(text[end])) ++end;
      i = end;
    }
  }
  return i;
}

/// What to say of a number with commas: how it may be meant.
std::string comma_fault(std::string_view number) {
  const std::size_t comma = number.find(',');
  std::string without;
  std::string point;
  for (const char c : number) {
    if (c != ',') without += c;
    point += c == ',' ? '.' : c;
  }
  const std::string start = in_quotes(number) + " has a comma; write ";
  const bool single = number.find(',', comma + 1) == std::string_view::npos &&
                      number.find('.') == std::string_view::npos;
  if (!single) return start + "it without commas, with a point before the decimals";
  const bool thousands = number.size() - comma - 1 == 3;
  return thousands
             ? start + short_text(without) + " or " + short_text(point) + ", whichever you mean"
             : start + short_text(point) + ", with a point";
}

/// `beyond`: it is a number, but too large or too small for a double.
std::optional<double> parsed(std::string_view number, bool& beyond) {
  if (!number.empty() && number.front() == '+') number.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  beyond = error == std::errc::result_out_of_range && end == number.data() + number.size();
  const bool whole = error == std::errc() && end == number.data() + number.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string asked_for(std::string_view unit) {
  if (unit == "x") return "expected a number, such as 1.5 x";
  return unit.empty() ? "expected a number without a unit"
                      : "expected a number in " + accepted_units(unit);
}

}  // namespace

std::optional<double> unit_factor(std::string_view from, std::string_view to) {
  const Unit* const a = find_unit(from);
  const Unit* const b = find_unit(to);
  if (a == nullptr || b == nullptr || a->kind != b->kind) return std::nullopt;
  return a->factor / b->factor;
}

bool is_known_unit(std::string_view unit) {
  return std::any_of(std::begin(kUnits), std::end(kUnits),
                     [unit](const Unit& known) { return unit == known.name; });
}

std::string accepted_units(std::string_view unit) {
  const Unit* const asked = find_unit(unit);
  if (asked == nullptr) return std::string(unit);
  std::vector<std::string> names;
  for (const Unit& other : kUnits) {
    if (other.kind == asked->kind) names.emplace_back(other.name);
  }
  return listed(names, "or");
}

ReadNumber read_number(std::string_view text, std::string_view unit) {
  const std::string_view given = trimmed(text);
  const std::string shown = in_quotes(given);
  const std::size_t length = number_length(given);
  const std::string_view number = given.substr(0, length);
  if (std::none_of(number.begin(), number.end(), is_digit)) {
    return {{}, shown + " is no number; " + asked_for(unit)};
  }
  if (number.find(',') != std::string_view::npos) return {{}, comma_fault(number)};
  bool beyond = false;
  const std::optional<double> value = parsed(number, beyond);
  if (!value) {
    const char* const why = beyond ? " is beyond what can be an answer; " : " is no number; ";
    return {{}, shown + why + asked_for(unit)};
  }
  const std::string_view written = trimmed(given.substr(length));
  if (written.empty()) return {value, ""};
  if (is_digit(written.front())) {
    return {{}, shown + " has a blank inside the number; write it without"};
  }
  const std::optional<double> factor = unit_factor(written, unit);
  if (!factor) {
    return {{}, in_quotes(written) + " is not the unit asked for; " + asked_for(unit)};
  }
  return {*value * *factor, ""};
}

std::string quantity_text(double value, std::string_view unit, int digits) {
  const double size = std::abs(value);
  const int before = size > 0 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 1;
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.*f", std::clamp(digits - before, 0, 9), value);
  std::string text = buffer;
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  if (text == "-0") text = "0";
  return unit.empty() ? text : text + " " + std::string(unit);
}

}  // namespace tracebook
