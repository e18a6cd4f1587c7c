// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/skeleton.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

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

/// A stretch of a marked solution, without its marks and quotes.
struct Part {
  enum Kind : std::uint8_t { kCommon, kSolution, kInstead, kWrong } kind = kCommon;
  std::string text;
  std::string words;  ///< of kWrong
};

/// Takes a marked solution apart, line by line.
class Parts {
 public:
  explicit Parts(const fs::path& file)
      : file_(file.string()), comment_(file.extension() == ".sql" ? "-- " : "// ") {}

  std::vector<Part> take_apart(std::string_view solution) {
    parts_.emplace_back();
    while (!solution.empty()) {
      const std::size_t end = std::min(solution.find('\n'), solution.size());
      const std::string_view line = solution.substr(0, end);
      solution.remove_prefix(std::min(end + 1, solution.size()));
      if (!is_mark(unindented(line))) add(line);
    }
    if (parts_.back().kind != Part::kCommon || parts_.size() == 1) {
      throw InputError(file_ + ": expected marks \"" + comment_ + "solution begin\" and \"" +
                       comment_ + "solution end\"");
    }
    return std::move(parts_);
  }

 private:
  bool is_mark(std::string_view text) {
    constexpr std::pair<std::string_view, Part::Kind> kNames[] = {
        {"solution", Part::kSolution}, {"instead", Part::kInstead}, {"wrong", Part::kWrong}};
    for (const auto& [name, kind] : kNames) {
      const std::string begin = comment_ + std::string(name) + " begin";
      const bool has_words = kind == Part::kWrong && text.starts_with(begin + ": ");
      const bool begins = has_words || text == begin;
      const bool ends = text == comment_ + std::string(name) + " end";
      if (!begins && !ends) continue;
      const Part::Kind now = parts_.back().kind;
      if (begins ? now != Part::kCommon : now != kind) {
        throw InputError(file_ + ": \"" + std::string(text) + "\" stands where it does not fit");
      }
      parts_.push_back({.kind = begins ? kind : Part::kCommon,
                        .text = {},
                        .words = std::string(has_words ? text.substr(begin.size() + 2) : "")});
      return true;
    }
    return false;
  }

  void add(std::string_view line) {
    Part& part = parts_.back();
    if (part.kind == Part::kCommon || part.kind == Part::kSolution) {
      part.text += std::string(line) + "\n";
      return;
    }
    const std::string_view text = unindented(line);
    const std::string bare = comment_ + "|";
    const std::string quoted = bare + " ";
    // An empty line stands as "-- |".
    if (text != bare && !text.starts_with(quoted)) {
      throw InputError(file_ + ": expected \"" + quoted + "\" before \"" + std::string(text) + '"');
    }
    const std::string_view rest = text.substr(std::min(text.size(), quoted.size()));
    if (!rest.empty()) part.text += line.substr(0, line.size() - text.size());
    part.text += std::string(rest) + "\n";
  }

  std::string file_;
  std::string comment_;
  std::vector<Part> parts_;
};

}  // namespace

std::string skeleton_of(std::string_view solution, const fs::path& file) {
  std::string out;
  for (const Part& part : Parts(file).take_apart(solution)) {
    if (part.kind == Part::kCommon || part.kind == Part::kInstead) out += part.text;
  }
  return out;
}

WrongSolution wrong_solution(std::string_view solution, const fs::path& file) {
  WrongSolution out;
  std::string pending;  // a solution that may have a wrong one behind it
  for (const Part& part : Parts(file).take_apart(solution)) {
    if (part.kind == Part::kInstead) continue;
    if (part.kind == Part::kWrong) {
      pending = part.text;
      if (!part.words.empty()) out.words = part.words;
    } else if (part.kind == Part::kSolution || !part.text.empty()) {
      out.text += pending;
      pending = part.kind == Part::kSolution ? part.text : "";
      if (part.kind == Part::kCommon) out.text += part.text;
    }
  }
  out.text += pending;
  if (out.words.empty()) {
    throw InputError(file.string() + ": expected a mark \"wrong begin: WORDS\"");
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
