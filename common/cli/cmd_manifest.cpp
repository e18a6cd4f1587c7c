// SPDX-License-Identifier: Apache-2.0
//
// tracebook manifest: makes a chapter's manifest.json from its recordings (part of `make record`).
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/trace/file.h"
#include "common/workbook/recordings.h"

namespace tracebook {
namespace {

int write_manifest(const std::string& folder) {
  const std::string sums{std::istreambuf_iterator<char>(std::cin), {}};
  const std::filesystem::path path = std::filesystem::path(folder) / "manifest.json";
  write_file(path, make_manifest(std::filesystem::canonical(folder), sums));
  std::cout << path.string() << "\n";
  return 0;
}

}  // namespace

void add_manifest_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "manifest",
                 "write FOLDER/manifest.json; standard input: what sha256sum prints there");
  auto folder = std::make_shared<std::string>();
  sub.add_option("folder", *folder,
                 "a chapter's folder under expected/, or exercises/NN_name/variants")
      .required()
      .check_folder()
      .type_name("FOLDER");
  sub.group("");  // not in --help: only `make record` needs it
  sub.callback([folder, &command] { command.run = [folder] { return write_manifest(*folder); }; });
}

}  // namespace tracebook
