// SPDX-License-Identifier: Apache-2.0
#include "common/trace/redact_labels.h"

#include <charconv>

#include "common/trace/json_text.h"

namespace tracebook {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

/// What a path or an address may be made of. No colon, which C++ names are full of. Bytes beyond
/// ASCII are parts of folders' names, never of a C++ name.
bool is_path_character(char c) {
  return is_word(c) || c == '.' || c == '~' || c == '/' || c == '\\' || c == '-' || c == '@' ||
         c == '+' || c == '%' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_path(std::string_view run) {
  if (run.find_first_of("\\@") != run.npos) return true;
  const auto slash = run.find('/');
  if (slash == run.npos || run == "/") return false;
  return !run.ends_with("operator/");
}

}  // namespace

std::string StandIns::instead_of(std::string_view noun, std::string_view text,
                                 std::string_view group) {
  const auto [at, fresh] =
      entry_of_.try_emplace({std::string(group), std::string(text)}, entries_.size());
  if (fresh) {
    std::int64_t& number = used_[std::string(noun)];
    entries_.push_back({.what = std::string(noun),
                        .text = std::string(text),
                        .instead = std::string(noun) + " " + std::to_string(++number),
                        .count = 0});
  }
  entries_[at->second].count += times_;
  return entries_[at->second].instead;
}

void StandIns::note(std::string_view what, std::string_view text, std::string_view instead) {
  const auto [at, fresh] =
      entry_of_.try_emplace({std::string(what), std::string(text)}, entries_.size());
  if (fresh) {
    entries_.push_back({.what = std::string(what),
                        .text = std::string(text),
                        .instead = std::string(instead),
                        .count = 0});
  }
  entries_[at->second].count += times_;
}

std::string StandIns::without_paths(std::string_view text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && is_path_character(text[end])) ++end;
    if (end == at) {
      out += text[at++];
      continue;
    }
    const std::string_view run = text.substr(at, end - at);
    if (is_path(run)) {
      out += instead_of("path", run);
    } else {
      out += run;
    }
    at = end;
  }
  return out;
}

std::string StandIns::without_files(std::string_view kernel) {
  // An anonymous namespace's mangled name holds the file's, behind the length of the whole, which
  // must stay true for the name to be readable.
  constexpr std::string_view kMarks[] = {"_GLOBAL__N__", "__nv_static_"};
  std::string out;
  while (!kernel.empty()) {
    std::size_t at = kernel.npos;
    std::string_view mark;
    for (const std::string_view each : kMarks) {
      const auto found = kernel.find(each);
      if (found < at) {
        at = found;
        mark = each;
      }
    }
    if (at == kernel.npos) break;
    std::size_t digits = at;
    while (digits > 0 && is_digit(kernel[digits - 1])) --digits;
    std::size_t end = at;
    while (end < kernel.size() && is_word(kernel[end])) ++end;
    std::size_t length = 0;
    std::from_chars(kernel.data() + digits, kernel.data() + at, length);
    const bool mangled = length >= mark.size() && length <= end - at;
    if (mangled) end = at + length;
    const std::string_view whole = kernel.substr(at, end - at);
    if (whole == mark) {
      out += kernel.substr(0, end);
    } else {
      std::string label = instead_of("file", whole);
      label[label.find(' ')] = '_';
      label = std::string(mark) + label;
      out += kernel.substr(0, mangled ? digits : at);
      if (mangled) out += std::to_string(label.size());
      out += label;
    }
    kernel.remove_prefix(end);
  }
  out += kernel;
  return without_paths(out);
}

}  // namespace tracebook
