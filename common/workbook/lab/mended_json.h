// SPDX-License-Identifier: Apache-2.0
//
// What a file of answers still says when it is no JSON: it was written by hand, one member a line,
// and a comma too few must not cost all answers. For .cpp files only: brings in nlohmann/json.
//
//   MendedJson mended = mended_json("{\n\"answers\": {\n\"a\": \"1\"\n\"b\": \"2\"\n}\n}");
//   mended.document["answers"]["b"];  // "2"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/workbook/json_file.h"

namespace tracebook {

struct MendedJson {
  /// The members that stand whole on a line of their own: at the top, or in an object whose name
  /// stands before a brace that ends its line.
  Json document = Json::object();
  /// Members that stand twice in their object, by path: "answers/kernels". The last one is kept.
  std::vector<std::string> doubled;
  /// The lines that are no member, as they are.
  std::vector<std::string> lost;
};

/// Takes `text` line by line, and minds no commas. Throws nothing.
MendedJson mended_json(std::string_view text);

}  // namespace tracebook
