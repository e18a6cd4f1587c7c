// SPDX-License-Identifier: Apache-2.0
#include "common/trace/redact_args.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/trace/args.h"
#include "common/trace/json_text.h"

namespace tracebook {
namespace {

class Rewriter {
 public:
  Rewriter(std::string_view json, ArgRule rule, StandIns& labels, UnknownNumbers unknown)
      : json_(json), labels_(labels), unknown_(unknown), rule_(rule) {}

  std::string rewrite() {
    // A stack of our own: a trace may nest deeper than the machine's would bear.
    while (at_ < json_.size()) {
      const char c = json_[at_];
      if (c == '"') {
        string();
      } else if (c == '{' || c == '[') {
        open_.push_back({.is_object = c == '{', .rule = rule_});
        at_key_ = c == '{';
        out_ += json_[at_++];
      } else if (c == '}' || c == ']') {
        if (!open_.empty()) open_.pop_back();
        at_key_ = false;
        out_ += json_[at_++];
      } else if (c == ',') {
        at_key_ = !open_.empty() && open_.back().is_object;
        if (!open_.empty()) rule_ = open_.back().rule;
        out_ += json_[at_++];
      } else if (c == ':' || is_json_space(c)) {
        out_ += json_[at_++];
      } else {
        literal();
      }
    }
    return std::move(out_);
  }

 private:
  struct Bracket {
    bool is_object = false;
    ArgRule rule = ArgRule::kNothing;  ///< of the elements of a list
  };

  void string() {
    const std::size_t end = std::min(skip_json_value(json_, at_), json_.size());
    const std::string_view quoted = json_.substr(at_, end - at_);
    at_ = end;
    const std::string text =
        quoted.size() < 2 ? "" : unescape_json(quoted.substr(1, quoted.size() - 2));
    if (at_key_) {
      rule_ = arg_rule(text);
      at_key_ = false;
      append_json_quoted(out_, rule_ == ArgRule::kUnknown ? labels_.instead_of("arg", text) : text);
    } else if (rule_ == ArgRule::kKernel) {
      append_json_quoted(out_, labels_.without_files(text));
    } else {
      append_json_quoted(out_,
                         is_known_text(rule_, text) ? text : labels_.instead_of("text", text));
    }
  }

  void literal() {
    std::size_t end = at_;
    while (end < json_.size() && !is_json_space(json_[end]) &&
           std::string_view(",:{}[]\"").find(json_[end]) == std::string_view::npos) {
      ++end;
    }
    const std::string_view token = json_.substr(at_, end - at_);
    at_ = end;
    const bool number = is_json_number(token);
    if (number && rule_ == ArgRule::kUnknown && unknown_ == UnknownNumbers::kZero) {
      out_ += '0';
      labels_.note("number", token, "0");
    } else if (number || token == "true" || token == "false") {
      out_ += token;
    } else {
      out_ += "null";
    }
  }

  std::string_view json_;
  StandIns& labels_;
  UnknownNumbers unknown_;
  ArgRule rule_;
  std::size_t at_ = 0;
  bool at_key_ = false;
  std::vector<Bracket> open_;
  std::string out_;
};

}  // namespace

std::string redact_json(std::string_view json, ArgRule rule, StandIns& labels,
                        UnknownNumbers unknown) {
  return Rewriter(json, rule, labels, unknown).rewrite();
}

}  // namespace tracebook
