// SPDX-License-Identifier: Apache-2.0
#include "common/render/kernel_names.h"

#include <cctype>
#include <cstddef>
#include <vector>

namespace tracebook {
namespace {

bool is_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether text[i] closes a "<"; the ">" of "->" does not.
bool closes_angle(std::string_view text, std::size_t i) {
  return text[i] == '>' && (i == 0 || text[i - 1] != '-');
}

/// A C++ function's name with its template arguments: without parameters and the return type before
/// it. The parameters begin at the first "(" outside brackets that follows a letter, digit or ">",
/// which "(anonymous namespace)" and "Memcpy DtoD (Device -> Device)" do not have.
std::string_view function_name(std::string_view text) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool follows_name = i > 0 && (is_identifier(text[i - 1]) || text[i - 1] == '>');
    if (c == '(' && depth == 0 && follows_name) return text.substr(begin, i - begin);
    if (c == '<' || c == '(') ++depth;
    if (c == ')' || closes_angle(text, i)) --depth;
    if (c == ' ' && depth == 0) begin = i + 1;
  }
  constexpr std::string_view kVoid = "void ";
  return text.starts_with(kVoid) ? text.substr(kVoid.size()) : text;
}

/// Where the parameters begin if `scope` is a function: what is local to it (a lambda, mostly) is
/// best known by the function's name. Else npos.
std::size_t local_scope(std::string_view scope) {
  if (!scope.ends_with(')') || scope.starts_with('(')) return std::string_view::npos;
  return scope.find('(');
}

/// Where the template argument ends in which text[at] lies.
std::size_t end_of_argument(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const bool closes = c == ')' || c == '}' || closes_angle(text, at);
    if (depth == 0 && (closes || c == ',')) return at;
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (closes) --depth;
  }
  return at;
}

}  // namespace

std::string short_kernel_name(std::string_view name) {
  const std::string_view function = function_name(name);
  std::string out;
  std::vector<std::size_t> words{0};  // per open bracket: where the present word of `out` starts
  for (std::size_t i = 0; i < function.size(); ++i) {
    const char c = function[i];
    if (function.substr(i).starts_with("::")) {
      const std::size_t scope = local_scope(std::string_view(out).substr(words.back()));
      if (scope == std::string_view::npos) {
        out.resize(words.back());
        ++i;
      } else {
        out.resize(words.back() + scope);
        i = end_of_argument(function, i) - 1;
      }
      continue;
    }
    const bool closes = c == ')' || closes_angle(function, i);
    if (c == '>' && closes && out.ends_with("> "))
      out.pop_back();  // "> >", as older demanglers write
    out += c;
    if (c == '<' || c == '(') {
      words.push_back(out.size());
    } else if (closes) {
      if (words.size() > 1) words.pop_back();
    } else if (c == ',' || c == ' ') {
      words.back() = out.size();
    }
  }
  return out.empty() ? std::string(name) : out;
}

std::string_view without_namespace(std::string_view name) {
  const std::size_t at = name.rfind("::");
  return at == std::string_view::npos || at + 2 == name.size() ? name : name.substr(at + 2);
}

}  // namespace tracebook
