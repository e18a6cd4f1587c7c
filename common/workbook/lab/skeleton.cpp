// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/skeleton.h"

#include <algorithm>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

/// `line` without the blanks that it begins with: marks may be indented as the code around them.
std::string_view unindented(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line;
}

}  // namespace

std::string skeleton_of(std::string_view solution, const fs::path& file) {
  const std::string comment = file.extension() == ".sql" ? "-- " : "// ";
  const std::string bare = comment + "|";
  const std::string quoted = bare + " ";
  std::string out;
  std::string_view inside;  // "solution" or "instead", or none
  int parts = 0;
  while (!solution.empty()) {
    const std::size_t end = std::min(solution.find('\n'), solution.size());
    const std::string_view line = solution.substr(0, end);
    const std::string_view text = unindented(line);
    solution.remove_prefix(std::min(end + 1, solution.size()));
    bool is_mark = false;
    for (const std::string_view part : {"solution", "instead"}) {
      const bool begins = text == comment + std::string(part) + " begin";
      const bool ends = text == comment + std::string(part) + " end";
      if (!begins && !ends) continue;
      if (begins ? !inside.empty() : inside != part) {
        throw InputError(file.string() + ": \"" + std::string(text) +
                         "\" stands where it does not fit");
      }
      inside = begins ? part : std::string_view();
      is_mark = true;
      ++parts;
    }
    if (is_mark || inside == "solution") continue;
    if (inside != "instead") {
      out += std::string(line) + "\n";
      continue;
    }
    // An empty line stands as "-- |".
    if (text != bare && text.substr(0, quoted.size()) != quoted) {
      throw InputError(file.string() + ": expected \"" + quoted + "\" before \"" +
                       std::string(text) + '"');
    }
    const std::string_view rest = text.substr(std::min(text.size(), quoted.size()));
    if (!rest.empty()) out += line.substr(0, line.size() - text.size());
    out += std::string(rest) + "\n";
  }
  if (!inside.empty() || parts == 0) {
    throw InputError(file.string() + ": expected marks \"" + comment + "solution begin\" and \"" +
                     comment + "solution end\"");
  }
  return out;
}

fs::path solution_path(const std::string& chapter, const std::string& file) {
  return workbook_root() / "exercises" / "solutions" / chapter / file;
}

fs::path kept_skeleton_path(const std::string& chapter, const std::string& file) {
  return workbook_root() / "exercises" / "skeletons" / chapter / file;
}

std::optional<std::string> original_skeleton(const std::string& chapter, const std::string& file) {
  std::error_code error;
  const fs::path solution = solution_path(chapter, file);
  if (fs::exists(solution, error)) return skeleton_of(read_file(solution), solution);
  const fs::path kept = kept_skeleton_path(chapter, file);
  if (fs::exists(kept, error)) return read_file(kept);
  return std::nullopt;
}

}  // namespace tracebook
