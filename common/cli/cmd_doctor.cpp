// SPDX-License-Identifier: Apache-2.0
//
// tracebook doctor: what this machine has, and what to do about each "no".
#include <iostream>
#include <memory>

#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/cli/doctor.h"
#include "common/cli/output.h"
#include "common/render/wrap.h"

namespace tracebook {
namespace {

int print_findings(Format format) {
  const std::vector<MachineFinding> findings = examine_machine();
  QueryResult rows;
  rows.columns = {"what", "good", "found", "advice"};
  for (const MachineFinding& finding : findings) {
    rows.rows.push_back({finding.what, std::int64_t{finding.good}, finding.found, finding.advice});
  }
  if (format != Format::kText) {
    print_document(std::cout, {{"findings", rows}}, format);
    return 0;
  }
  for (const MachineFinding& finding : findings) {
    std::string what = finding.what;
    what.resize(std::max<std::size_t>(what.size(), 14), ' ');
    std::cout << fitted_to_stdout((finding.good ? "yes  " : "no   ") + what + "  " + finding.found +
                                  "\n");
    if (!finding.advice.empty()) std::cout << fitted_to_stdout("       " + finding.advice + "\n");
  }
  return 0;
}

}  // namespace

void add_doctor_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "doctor",
                 "what this machine has, which chapters run live, and what to do about each no");
  auto format = std::make_shared<Format>(Format::kText);
  add_format_option(sub, *format);
  sub.callback([format, &command] { command.run = [format] { return print_findings(*format); }; });
}

}  // namespace tracebook
