// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/json_file.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <set>

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

/// Follows the parser and notes the members that stand twice in their object.
class DoubledMembers {
 public:
  bool operator()(int /*depth*/, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) {
      open_.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open_.pop_back();
    } else if (event == Json::parse_event_t::key) {
      Members& members = open_.back();
      members.last = parsed.get<std::string>();
      if (!members.seen.insert(members.last).second) found_.push_back(path());
    }
    return true;
  }
  [[nodiscard]] const std::vector<std::string>& found() const { return found_; }

 private:
  struct Members {
    std::set<std::string> seen;
    std::string last;
  };
  [[nodiscard]] std::string path() const {
    std::string out;
    for (const Members& members : open_) out += (out.empty() ? "" : "/") + members.last;
    return out;
  }

  std::vector<Members> open_;
  std::vector<std::string> found_;
};

/// `text` with quotes around each number that is too large for a double.
std::string with_large_numbers_quoted(const std::string& text) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\' && i + 1 < text.size()) {
      out += c;
      out += text[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    const bool number = !in_string && (c == '-' || (c >= '0' && c <= '9'));
    if (!number) {
      out += c;
      continue;
    }
    const std::size_t end = std::min(text.find_first_not_of("0123456789+-.eE", i), text.size());
    const std::string token = text.substr(i, end - i);
    const bool large = std::isinf(std::strtod(token.c_str(), nullptr));
    out += large ? '"' + token + '"' : token;
    i = end - 1;
  }
  return out;
}

void check_schema(const std::filesystem::path& path, const Json& document, int schema) {
  if (!document.is_object()) throw InputError(path.string() + ": expected a JSON object");
  const auto found = document.find("schema");
  if (found == document.end() || !found->is_number_integer() || found->get<int>() != schema) {
    throw InputError(path.string() + ": expected \"schema\": " + std::to_string(schema));
  }
}

/// `text` is the file's, or has been changed.
Json parse_text(const std::filesystem::path& path, const std::string& text,
                const Json::parser_callback_t& follow = nullptr) {
  if (const std::string fault = encoding_fault(text); !fault.empty()) {
    throw InputError(path.string() + ": " + fault);
  }
  try {
    return Json::parse(text, follow);
  } catch (const Json::parse_error& error) {
    throw InputError(path.string() + ": not JSON at " + line_and_column(text, error.byte));
  } catch (const Json::out_of_range& error) {
    // A number beyond what a double holds is no parse error to the library, and has no place.
    const std::string_view what = error.what();
    const std::size_t quote = std::min(what.find('\''), what.size());
    throw InputError(path.string() +
                     ": a number is too large: " + std::string(what.substr(quote).substr(0, 40)));
  }
}

}  // namespace

Json parse_json_file(const std::filesystem::path& path, int schema) {
  Json document = parse_text(path, read_file(path));
  check_schema(path, document, schema);
  return document;
}

HandWritten parse_hand_written(const std::filesystem::path& path, int schema) {
  DoubledMembers doubled;
  HandWritten out;
  out.document = parse_text(path, with_large_numbers_quoted(read_file(path)), std::ref(doubled));
  check_schema(path, out.document, schema);
  out.doubled = doubled.found();
  return out;
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

std::vector<std::string> text_list(const Json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  const bool fits =
      found != object.end() && found->is_array() && !found->empty() &&
      std::all_of(found->begin(), found->end(), [](const Json& item) { return item.is_string(); });
  if (!fits) throw InputError(where + ": expected an array of texts \"" + key + '"');
  return found->get<std::vector<std::string>>();
}

std::vector<std::string> optional_text_list(const Json& object, const char* key,
                                            const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  const bool fits =
      found->is_array() &&
      std::all_of(found->begin(), found->end(), [](const Json& item) { return item.is_string(); });
  if (!fits) throw InputError(where + ": \"" + key + "\" must be an array of texts");
  return found->get<std::vector<std::string>>();
}

}  // namespace tracebook
