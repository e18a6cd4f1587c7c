// SPDX-License-Identifier: Apache-2.0
//
// tracebook redact: a trace without what its owner may not want to show.
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/analysis/kernel_name.h"
#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/cli/output.h"
#include "common/render/terminal.h"
#include "common/trace/error.h"
#include "common/trace/redact.h"
#include "common/trace/writer.h"

namespace tracebook {
namespace {

struct RedactCommand {
  std::string file;
  std::string out;
  RedactOptions options;
  bool list = false;
  bool salvage = false;
};

void refuse_input_as_output(const RedactCommand& wish) {
  if (wish.out.empty() || wish.out == "-") {
    throw UsageError("expected a file to write the redacted trace to (-o NAME.json or .json.gz)");
  }
  std::error_code none;
  if (wish.file != "-" && std::filesystem::equivalent(wish.file, wish.out, none)) {
    throw UsageError(wish.out + ": is the trace itself; expected another file to write to");
  }
  // What is meant to be handed on does not go where nobody looks: a folder is not made for it.
  const std::filesystem::path folder = std::filesystem::path(wish.out).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, none)) {
    throw InputError(wish.out + ": there is no folder " + folder.string() +
                     "; expected one to write to");
  }
}

/// Ops outside torch's own libraries: their names stay, and may be those of a project.
bool is_foreign_op(std::string_view name) {
  const auto colons = name.find("::");
  if (colons == name.npos) return false;
  static const std::set<std::string_view> kTorchs = {"aten",
                                                     "prim",
                                                     "prims",
                                                     "torch",
                                                     "c10",
                                                     "c10d",
                                                     "_c10d_functional",
                                                     "c10d_functional",
                                                     "profiler",
                                                     "quantized",
                                                     "autograd",
                                                     "torchvision",
                                                     "fbgemm",
                                                     "inductor",
                                                     "mkldnn",
                                                     "cuda",
                                                     "sparse",
                                                     "symm_mem",
                                                     "debugprims",
                                                     "rngprims",
                                                     "streams",
                                                     "higher_order",
                                                     "static"};
  return !kTorchs.contains(name.substr(0, colons));
}

/// Names that stay although nobody knows them.
std::set<std::string> strange_names(const Trace& trace) {
  std::set<std::string> out;
  std::set<StringId> seen;
  const Slices& slices = trace.slices;
  for (SliceId id = 0; id < slices.size(); ++id) {
    const bool kernel = slices.category[id] == Category::kKernel;
    if ((!kernel && !is_op(slices.category[id])) || !seen.insert(slices.name[id]).second) continue;
    const std::string_view name = trace.name(id);
    if (kernel ? decode_kernel_name(name).library == KernelLibrary::kUnknown
               : is_foreign_op(name)) {
      out.emplace(name);
    }
  }
  return out;
}

void print_kinds(const std::vector<TakenOut>& taken_out) {
  struct Sum {
    std::int64_t texts = 0;
    std::int64_t places = 0;
  };
  std::map<std::string, Sum> kinds;
  for (const TakenOut& each : taken_out) {
    ++kinds[each.what].texts;
    kinds[each.what].places += each.count;
  }
  QueryResult rows;
  rows.columns = {"taken out", "texts", "places"};
  for (const auto& [what, sum] : kinds) rows.rows.push_back({what, sum.texts, sum.places});
  print_rows(std::cout, rows, Format::kText);
}

void print_texts(const std::vector<TakenOut>& taken_out) {
  QueryResult rows;
  rows.columns = {"taken out", "places", "now", "text"};
  for (const TakenOut& each : taken_out) {
    rows.rows.push_back({each.what, each.count, printable(each.instead), printable(each.text)});
  }
  print_rows(std::cout, rows, Format::kText);
}

int redact_file(const RedactCommand& wish) {
  refuse_input_as_output(wish);
  const auto open = open_trace(wish.file, wish.salvage);
  const std::vector<TakenOut> taken_out = redact(open->trace, wish.options);
  write_trace_file(open->trace, wish.out);
  if (taken_out.empty()) {
    std::cout << "There was nothing to take out.\n";
  } else if (wish.list) {
    print_texts(taken_out);
  } else {
    print_kinds(taken_out);
  }
  const std::set<std::string> strange = strange_names(open->trace);
  if (!strange.empty()) {
    std::cout << "\nNames of " << strange.size()
              << (strange.size() == 1 ? " kernel or op" : " kernels or ops")
              << " of no known library stay: look them through"
              << (wish.list ? ":\n" : " (--list shows them).\n");
    if (wish.list) {
      for (const std::string& name : strange) std::cout << "  " << printable(name) << "\n";
    }
  }
  std::cout << "\nWrote " << wish.out << ".\n";
  return open->exit_code;
}

}  // namespace

void add_redact_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "redact",
                 "a copy of a trace without paths, names and free text, for a bug report");
  auto wish = std::make_shared<RedactCommand>();
  sub.add_option("file", wish->file, "trace (.json, .json.gz, or - for standard input)")
      .required()
      .type_name("FILE");
  sub.add_option("-o,--output", wish->out, "where to write it; gzip if the name ends in .gz")
      .required()
      .type_name("FILE");
  sub.add_flag("--keep-annotations", wish->options.keep_annotations,
               "leave the names of record_function ranges, but for paths in them");
  sub.add_flag("--renumber", wish->options.renumber, "give processes and threads other numbers");
  sub.add_flag("--hide-date", wish->options.hide_date, "count times from the first event");
  sub.add_flag("--list", wish->list,
               "print each text that was taken out (on standard output only)");
  sub.add_flag("--salvage", wish->salvage, "read what is whole of a file that is cut or broken");
  sub.callback([wish, &command] { command.run = [wish] { return redact_file(*wish); }; });
}

}  // namespace tracebook
