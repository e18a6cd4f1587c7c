// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/tool_name.h"

#include "common/workbook/lab/quiz.h"

namespace tracebook {
namespace {

std::string& stored_name() {
  static std::string name = "tracebook";
  return name;
}

}  // namespace

const std::string& tool_name() { return stored_name(); }

void set_tool_name(std::string_view as_typed) {
  const bool is_path = as_typed.find('/') != std::string_view::npos;
  if (!as_typed.empty()) stored_name() = is_path ? shown_path(as_typed) : std::string(as_typed);
}

}  // namespace tracebook
