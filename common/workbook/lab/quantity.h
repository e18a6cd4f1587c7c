// SPDX-License-Identifier: Apache-2.0
//
// Numbers with units as a student writes them: "2154 us", "2.15 ms", "47 %", "1024". Times convert
// into each other, sizes too; everything else must be written in the unit asked for.
//
//   ReadNumber read = read_number("2.15 ms", "us");   // value 2150
//   if (!read.value) std::cout << read.fault;         // one sentence: what was expected
//
// Nothing is guessed: a comma is a fault, because "2,154" may be two numbers. Plain functions of
// values; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tracebook {

struct ReadNumber {
  std::optional<double> value;  ///< in the unit asked for
  std::string fault;            ///< why there is none
};

/// `text` in `unit`; a number without a unit is taken to be in it.
ReadNumber read_number(std::string_view text, std::string_view unit);

/// What one `from` is in `to`: 1000 from ms to us. Nothing if they do not convert.
std::optional<double> unit_factor(std::string_view from, std::string_view to);

/// "ns, us, ms or s" for "us": what an answer asked for in `unit` may be written in.
std::string accepted_units(std::string_view unit);

/// Is it one of the units that questions may ask for: a time, a size, "%", "x", or "" for a count?
bool is_known_unit(std::string_view unit);

/// "2154.3 us", "12" for a count; at most `digits` significant digits, none of them an exponent.
std::string quantity_text(double value, std::string_view unit, int digits = 6);

}  // namespace tracebook
