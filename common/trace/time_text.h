// SPDX-License-Identifier: Apache-2.0
//
// Microseconds as decimal text, both ways, exactly. Absolute times have 16 digits before the
// point; a double loses hundreds of nanoseconds there and makes ranges overlap that nest.
//
//   parse_microseconds("5105701810941.267")  // 5105701810941267 ns
//   append_microseconds(out, 290676);         // "290.676"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tracebook {

/// Nanoseconds of a decimal number of microseconds: sign, digits, fraction of any length (rounded
/// half away from zero to whole nanoseconds), exponent. Nothing if the text is no number or does
/// not fit int64.
std::optional<std::int64_t> parse_microseconds(std::string_view text);

/// Writes nanoseconds as microseconds with the fewest decimals that lose nothing (at most 3).
void append_microseconds(std::string& out, std::int64_t ns);

}  // namespace tracebook
