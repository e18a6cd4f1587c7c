// SPDX-License-Identifier: Apache-2.0
//
// Kernel names taken apart at their underscores.
//
//   for (const std::string_view token : split("ampere_sgemm_128x64_tn")) if (is_size(token)) …
//
// For the kernel_name_*.cpp only.
#pragma once

#include <string_view>
#include <vector>

namespace tracebook::detail {

using Tokens = std::vector<std::string_view>;

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline Tokens split(std::string_view text) {
  Tokens out;
  while (!text.empty()) {
    const auto at = text.find('_');
    if (at != 0) out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) break;
    text.remove_prefix(at + 1);
  }
  return out;
}

/// "128x64", "128x64x32": digits with x between.
inline bool is_size(std::string_view token) {
  if (token.empty() || !is_digit(token.front()) || !is_digit(token.back())) return false;
  bool has_x = false;
  for (const char c : token) {
    if (c == 'x')
      has_x = true;
    else if (!is_digit(c))
      return false;
  }
  return has_x;
}

}  // namespace tracebook::detail
