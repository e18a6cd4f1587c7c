// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/json_file.h"

#include <algorithm>

#include "common/trace/error.h"
#include "common/trace/file.h"

namespace tracebook {
namespace {

std::string line_and_column(const std::string& text, std::size_t byte) {
  const std::string_view before = std::string_view(text).substr(0, std::min(byte, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column =
      newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
  return "line " + std::to_string(line) + ", column " +
         std::to_string(std::max<std::size_t>(column, 1));
}

}  // namespace

Json parse_json_file(const std::filesystem::path& path, int schema) {
  const std::string text = read_file(path);
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw InputError(path.string() + ": not JSON at " + line_and_column(text, error.byte));
  } catch (const Json::out_of_range& error) {
    // A number beyond what a double holds is no parse error to the library, and has no place.
    const std::string_view what = error.what();
    const std::size_t quote = std::min(what.find('\''), what.size());
    throw InputError(path.string() +
                     ": a number is too large: " + std::string(what.substr(quote).substr(0, 40)));
  }
  if (!document.is_object()) throw InputError(path.string() + ": expected a JSON object");
  const auto found = document.find("schema");
  if (found == document.end() || !found->is_number_integer() || found->get<int>() != schema) {
    throw InputError(path.string() + ": expected \"schema\": " + std::to_string(schema));
  }
  return document;
}

std::string text_member(const Json& object, const char* key, const std::string& where) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (found == object.end() || !found->is_string() ||
      found->get_ref<const std::string&>().empty()) {
    throw InputError(where + ": expected a text \"" + key + "\"");
  }
  return found->get<std::string>();
}

std::string optional_text(const Json& object, const char* key, const std::string& where) {
  if (!object.is_object() || !object.contains(key)) return "";
  if (!object.at(key).is_string()) throw InputError(where + ": \"" + key + "\" must be a text");
  return object.at(key).get<std::string>();
}

}  // namespace tracebook
