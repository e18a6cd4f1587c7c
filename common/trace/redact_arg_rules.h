// SPDX-License-Identifier: Apache-2.0
//
// Which keys of args are known, and which of their texts are harmless. Part of redact().
//
//   is_known_text(arg_rule("Input type"), "c10::BFloat16");   // true
//   is_known_text(arg_rule("Call stack"), "train.py(3)");     // false
//
// Plain functions of texts; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace tracebook {

/// How an argument's texts may be known.
enum class ArgRule : std::uint8_t {
  kUnknown,  ///< the key itself is not known
  kNothing,  ///< no text is
  kNumbers,  ///< numbers and lists of them that stand as text, None, True
  kTypes,    ///< these, and types of elements
  kWords,    ///< these, and words of collectives, copies and the like
  kVersion,  ///< "2.21.5"
  kKernel,   ///< a kernel's name
  kObject,   ///< an object with keys of its own
};

ArgRule arg_rule(std::string_view key);
bool is_known_text(ArgRule rule, std::string_view text);

}  // namespace tracebook
