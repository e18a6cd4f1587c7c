// SPDX-License-Identifier: Apache-2.0
//
// One word for what holds the work back.
//
//   const auto [verdict, arithmetic] = judge(context);
#pragma once

#include <string>
#include <utility>

#include "common/analysis/diagnose/rule.h"

namespace tracebook {

/// The window is split among six classes, idle time by its cause and busy time by the kind of work;
/// the class that holds most gives the verdict if it holds 40 % and leads clearly.
std::pair<std::string, std::string> judge(const RuleContext& context);

}  // namespace tracebook
