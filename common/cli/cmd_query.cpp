// SPDX-License-Identifier: Apache-2.0
//
// tracebook query: SQL over a trace.
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include "common/analysis/database.h"
#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/cli/output.h"
#include "common/trace/error.h"
#include "common/trace/file.h"

namespace tracebook {
namespace {

struct QueryCommand {
  std::string file;
  std::string sql;
  std::string sql_file;
  bool salvage = false;
  Format format = Format::kText;
};

int run_query(const QueryCommand& wish) {
  if (wish.sql.empty() == wish.sql_file.empty()) {
    throw UsageError("query: expected a SQL statement, or --file with one");
  }
  const std::string sql = wish.sql_file.empty() ? wish.sql : read_file(wish.sql_file);
  const auto open = open_trace(wish.file, wish.salvage);
  const Database database(open->trace, open->structure);
  print_rows(std::cout, database.query(sql), wish.format);
  return open->exit_code;
}

}  // namespace

void add_query_command(CLI::App& app, Command& command) {
  Subcommand sub(
      app, "query",
      "ask a trace in SQL; the views (slice, op, launch, kernel, step, overhead, counter, "
      "average, info) are in docs/views.md");
  auto wish = std::make_shared<QueryCommand>();
  sub.add_option("trace", wish->file, "trace (.json, .json.gz, or - for standard input)")
      .required()
      .type_name("FILE");
  sub.add_option("sql", wish->sql, "one SELECT statement").type_name("SQL");
  sub.add_option("--file", wish->sql_file, "read the statement from a file").type_name("FILE.sql");
  sub.add_flag("--salvage", wish->salvage, "read what is whole of a file that is cut or broken");
  add_format_option(sub, wish->format);
  sub.callback([wish, &command] { command.run = [wish] { return run_query(*wish); }; });
}

}  // namespace tracebook
