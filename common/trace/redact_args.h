// SPDX-License-Identifier: Apache-2.0
//
// Takes the texts out of a JSON value of a trace (an event's args, a member beside the events) that
// are not known to be harmless; numbers, lists and objects stay as they are. Part of redact().
//
//   redact_json(R"({"Input Dims": [[2, 3]], "owner": "me"})", ArgRule::kObject, labels);
//   // {"Input Dims": [[2, 3]], "arg 1": "text 1"}
//
// One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/trace/redact_arg_rules.h"
#include "common/trace/redact_labels.h"

namespace tracebook {

enum class UnknownNumbers : std::uint8_t {
  kStay,
  kZero,  ///< numbers of keys that are not known become 0
};

/// `rule`: for a value that is no object.
std::string redact_json(std::string_view json, ArgRule rule, StandIns& labels,
                        UnknownNumbers unknown = UnknownNumbers::kStay);

}  // namespace tracebook
