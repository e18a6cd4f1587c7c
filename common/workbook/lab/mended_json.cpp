// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/mended_json.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/workbook/lab/words.h"

namespace tracebook {
namespace {

/// `{LINE}` as an object; null if it is none.
Json object_of(const std::string& line) {
  Json object = Json::parse("{" + line + "}", nullptr, false);
  return object.is_object() && !object.empty() ? object : Json();
}

/// Without the commas and blanks at its end.
std::string_view before_commas(std::string_view line) {
  return trimmed(line.substr(0, line.find_last_not_of(", \t\r") + 1));
}

class Mender {
 public:
  void take(std::string_view line) {
    line = before_commas(line);
    if (line.empty() || line == "{") return;
    if (taken(std::string(line))) return;
    // The object ends here, perhaps behind a member of it.
    const std::size_t rest = line.find_last_not_of("}, \t\r") + 1;
    const std::string member(before_commas(line.substr(0, rest)));
    const bool ends = rest < line.size();
    if (!member.empty() && (!ends || !taken(member))) out_.lost.emplace_back(line);
    if (ends) section_.clear();
  }
  MendedJson result() { return std::move(out_); }

 private:
  /// Members that stand whole on the line, or the beginning of an object.
  bool taken(const std::string& line) {
    if (const Json members = object_of(line); !members.is_null()) {
      add(members);
      return true;
    }
    const Json begun = object_of(line + "}");
    if (begun.is_null() || !begun.back().is_object()) return false;
    section_.clear();
    add(begun);
    section_ = std::prev(begun.end()).key();
    return true;
  }

  void add(const Json& members) {
    Json& object = section_.empty() ? out_.document : out_.document[section_];
    for (const auto& [name, value] : members.items()) {
      if (object.contains(name)) {
        out_.doubled.push_back(section_.empty() ? name : section_ + "/" + name);
      }
      object[name] = value;
    }
  }

  MendedJson out_;
  std::string section_;  // the object that the line is in; "" for the whole
};

}  // namespace

MendedJson mended_json(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Mender mender;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    mender.take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return mender.result();
}

}  // namespace tracebook
