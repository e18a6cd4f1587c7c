// SPDX-License-Identifier: Apache-2.0
#include "common/trace/time_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "common/trace/json_text.h"

namespace tracebook {
namespace {

constexpr int kDecimalsOfNs = 3;  // in microseconds
constexpr std::uint64_t kNsPerMicrosecond = 1000;
constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();

/// The usual spelling, quickly: up to 15 digits, and 1 to 3 decimals or none. Nothing for others.
std::optional<std::int64_t> parse_usual(std::string_view text) {
  constexpr std::size_t kDigits = 15;
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::size_t at = 0;
  std::uint64_t size = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    size = size * 10 + static_cast<unsigned>(text[at] - '0');
  }
  if (at == 0 || at > kDigits) return std::nullopt;
  int decimals = 0;
  if (at < text.size()) {
    if (text[at++] != '.' || at == text.size()) return std::nullopt;
    for (; at < text.size(); ++at, ++decimals) {
      if (!is_digit(text[at]) || decimals == kDecimalsOfNs) return std::nullopt;
      size = size * 10 + static_cast<unsigned>(text[at] - '0');
    }
  }
  for (; decimals < kDecimalsOfNs; ++decimals) size *= 10;
  const auto ns = static_cast<std::int64_t>(size);
  return negative ? -ns : ns;
}

/// A decimal number as its significant digits and a power of ten: 12.5e3 is 125 and 2.
struct Decimal {
  std::uint64_t digits = 0;
  std::int64_t power = 0;
  /// The first that did not fit: 19 do, which is as many as int64 nanoseconds can have.
  int first_lost = -1;
};

/// Reads digits and point from `at` on; false if there is no digit.
bool read_digits(std::string_view text, std::size_t& at, Decimal& out) {
  constexpr int kDigitsKept = 19;
  bool any = false;
  bool fraction = false;
  int kept = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!is_digit(c)) break;
    any = true;
    if (kept < kDigitsKept) {
      out.digits = out.digits * 10 + static_cast<unsigned>(c - '0');
      if (out.digits != 0) ++kept;  // leading zeros are free
      if (fraction) --out.power;
    } else {
      if (out.first_lost < 0) out.first_lost = c - '0';
      if (!fraction) ++out.power;
    }
  }
  return any;
}

/// Reads "e+12" if it is there; false if it begins but is no exponent.
bool read_exponent(std::string_view text, std::size_t& at, Decimal& out) {
  if (at == text.size() || (text[at] != 'e' && text[at] != 'E')) return true;
  ++at;
  bool negative = false;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) negative = text[at++] == '-';
  if (at == text.size() || !is_digit(text[at])) return false;
  constexpr std::int64_t kFar = 1'000'000'000;  // beyond it only "too large" or 0 is left to say
  std::int64_t exponent = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    exponent = std::min<std::int64_t>(exponent * 10 + (text[at] - '0'), kFar);
  }
  out.power += negative ? -exponent : exponent;
  return true;
}

/// The decimal as a whole number, rounded half away from zero; nothing far beyond int64.
std::optional<std::uint64_t> whole(Decimal decimal) {
  for (; decimal.power > 0 && decimal.digits != 0; --decimal.power) {
    if (decimal.digits > kLargest / 10) return std::nullopt;
    decimal.digits *= 10;
  }
  // Only the first digit cut off decides.
  int cut = decimal.power < 0 ? 0 : decimal.first_lost;
  for (; decimal.power < 0 && (decimal.digits != 0 || cut != 0); ++decimal.power) {
    cut = static_cast<int>(decimal.digits % 10);
    decimal.digits /= 10;
  }
  if (cut >= 5) ++decimal.digits;
  return decimal.digits;
}

}  // namespace

std::optional<std::int64_t> parse_microseconds(std::string_view text) {
  if (const auto ns = parse_usual(text)) return ns;
  std::size_t at = 0;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) ++at;
  Decimal decimal;
  if (!read_digits(text, at, decimal) || !read_exponent(text, at, decimal) || at != text.size()) {
    return std::nullopt;
  }
  decimal.power += kDecimalsOfNs;
  const std::optional<std::uint64_t> size = whole(decimal);
  // The smallest int64 is one further from 0 than the largest.
  if (!size || *size > kLargest + (negative ? 1 : 0)) return std::nullopt;
  // Through the unsigned, since the smallest has no positive counterpart.
  return static_cast<std::int64_t>(negative ? std::uint64_t{0} - *size : *size);
}

void append_microseconds(std::string& out, std::int64_t ns) {
  const auto bits = static_cast<std::uint64_t>(ns);
  const std::uint64_t size = ns < 0 ? std::uint64_t{0} - bits : bits;
  std::array<char, 24> buffer;
  char* end = buffer.data();
  if (ns < 0) *end++ = '-';
  end = std::to_chars(end, buffer.data() + buffer.size(), size / kNsPerMicrosecond).ptr;
  if (auto rest = static_cast<unsigned>(size % kNsPerMicrosecond); rest != 0) {
    *end++ = '.';
    for (unsigned unit = kNsPerMicrosecond / 10; rest != 0; unit /= 10) {
      *end++ = static_cast<char>('0' + rest / unit);
      rest %= unit;
    }
  }
  out.append(buffer.data(), end);
}

}  // namespace tracebook
