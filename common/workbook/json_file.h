// SPDX-License-Identifier: Apache-2.0
//
// Our own JSON files (claims, manifests, questions), read with messages that name the file, the
// place in it and what was expected there. For .cpp files only: brings in nlohmann/json.
//
//   const Json document = parse_json_file(path, 1);   // checks "schema": 1
//   std::string id = text_member(claim, "id", "claim 3 of " + path.string());
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tracebook {

using Json = nlohmann::ordered_json;

/// The document, whose "schema" member must be `schema`. InputError with line and column.
Json parse_json_file(const std::filesystem::path& path, int schema);

/// A document that a person wrote by hand, with what a parser would pass over in silence.
struct HandWritten {
  Json document;
  /// Members that stand twice in their object, by path: "answers/kernels". The last one is kept.
  std::vector<std::string> doubled;
};

/// As parse_json_file; but a number beyond what a double holds becomes a text of its digits instead
/// of costing the whole file.
HandWritten parse_hand_written(const std::filesystem::path& path, int schema);

/// A required text member; `where` names the object in the InputError.
std::string text_member(const Json& object, const char* key, const std::string& where);
/// The text member, or "".
std::string optional_text(const Json& object, const char* key, const std::string& where);

/// A required array of texts, with at least one.
std::vector<std::string> text_list(const Json& object, const char* key, const std::string& where);
/// The array of texts, or none.
std::vector<std::string> optional_text_list(const Json& object, const char* key,
                                            const std::string& where);

}  // namespace tracebook
