// SPDX-License-Identifier: Apache-2.0
//
// tracebook info: what a trace is, before anything is read out of it.
#include <iostream>
#include <memory>
#include <string>

#include "common/analysis/database.h"
#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/cli/output.h"

namespace tracebook {
namespace {

/// The one row of a view, turned on its side: a line a column.
QueryResult on_its_side(const QueryResult& row) {
  QueryResult out;
  out.columns = {"what", "value"};
  for (std::size_t c = 0; c < row.columns.size(); ++c) {
    if (!std::holds_alternative<std::monostate>(row.rows.at(0)[c])) {
      out.rows.push_back({row.columns[c], row.rows.at(0)[c]});
    }
  }
  return out;
}

QueryResult issues_of(const Trace& trace) {
  QueryResult out;
  out.columns = {"issue", "count", "first_at_byte", "says"};
  for (const Issue& issue : trace.issues) {
    out.rows.push_back(
        {issue.kind, issue.count, static_cast<std::int64_t>(issue.first_offset), issue.says});
  }
  return out;
}

int print_info(const std::string& file, bool salvage, Format format) {
  const auto open = open_trace(file, salvage);
  const Database database(open->trace, open->structure);
  const QueryResult info = database.query("SELECT * FROM info");
  const QueryResult categories = database.query(
      "SELECT cat AS category, count(*) AS events, sum(dur) AS total_us "
      "FROM slice GROUP BY cat UNION ALL "
      "SELECT 'counter', count(DISTINCT id), NULL FROM counter "
      "HAVING count(*) > 0 ORDER BY 2 DESC");
  if (format != Format::kText) {
    print_document(std::cout,
                   {{"info", info, /*is_object=*/true},
                    {"categories", categories},
                    {"issues", issues_of(open->trace)}},
                   format);
    return open->exit_code;
  }
  print_rows(std::cout, on_its_side(info), format);
  std::cout << "\n";
  print_rows(std::cout, categories, format);
  if (!open->trace.issues.empty()) {
    std::cout << "\n";
    print_rows(std::cout, issues_of(open->trace), format);
  }
  return open->exit_code;
}

}  // namespace

void add_info_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "info", "where a trace comes from and what is in it");
  struct Wish {
    std::string file;
    bool salvage = false;
    Format format = Format::kText;
  };
  auto wish = std::make_shared<Wish>();
  sub.add_option("file", wish->file, "trace (.json, .json.gz, or - for standard input)")
      .required()
      .type_name("FILE");
  sub.add_flag("--salvage", wish->salvage, "read what is whole of a file that is cut or broken");
  add_format_option(sub, wish->format);
  sub.callback([wish, &command] {
    command.run = [wish] { return print_info(wish->file, wish->salvage, wish->format); };
  });
}

}  // namespace tracebook
