// SPDX-License-Identifier: Apache-2.0
//
// Stand-ins for what redaction takes out: the same for the same text, and a list of all. Part of
// redact(). One thread.
//
//   StandIns labels;
//   labels.instead_of("annotation", "eval on acme");   // "annotation 1"
//   labels.without_paths("f</data/x.py>");           // "f<path 1>"
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/trace/redact.h"

namespace tracebook {

class StandIns {
 public:
  /// `group`: whose texts share one numbering; texts of one group are told apart by their text
  /// only.
  std::string instead_of(std::string_view noun, std::string_view text, std::string_view group);
  std::string instead_of(std::string_view noun, std::string_view text) {
    return instead_of(noun, text, noun);
  }
  /// Notes what goes without a stand-in.
  void note(std::string_view what, std::string_view text, std::string_view instead);

  /// `text` with stand-ins for the paths and mail addresses in it.
  std::string without_paths(std::string_view text);
  /// The same for a kernel, whose name may also tell the source file of an anonymous namespace.
  std::string without_files(std::string_view kernel);

  /// How many times what is asked for next stands in the trace.
  void set_times(std::int64_t times) { times_ = times; }

  [[nodiscard]] std::vector<TakenOut> take() { return std::move(entries_); }

 private:
  std::int64_t times_ = 1;
  std::vector<TakenOut> entries_;
  std::map<std::pair<std::string, std::string>, std::size_t> entry_of_;  // by group and text
  std::map<std::string, std::int64_t, std::less<>> used_;                // numbers by noun
};

}  // namespace tracebook
