// SPDX-License-Identifier: Apache-2.0
//
// tracebook table: the profiler table of a trace.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "common/analysis/averages.h"
#include "common/analysis/health.h"
#include "common/cli/arguments.h"
#include "common/cli/commands.h"
#include "common/cli/output.h"
#include "common/render/compact_table.h"
#include "common/render/table.h"
#include "common/render/terminal.h"

namespace tracebook {
namespace {

struct TableCommand {
  std::string file;
  std::string sort_by = "cuda_time_total";
  int row_limit = 0;  ///< 0: not given
  bool salvage = false;
  bool wide = false;
  AveragesOptions rows;
  Format format = Format::kText;
};

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000.0; }

QueryResult as_rows(const Averages& averages, std::size_t limit) {
  const AveragesOptions& options = averages.options;
  QueryResult rows;
  rows.columns = {"key",
                  "device_type",
                  "count",
                  "self_cpu_time_total",
                  "cpu_time_total",
                  "self_device_time_total",
                  "device_time_total"};
  if (options.by_step) rows.columns.emplace_back("step");
  if (options.by_shape) rows.columns.emplace_back("input_shapes");
  if (options.stats) rows.columns.insert(rows.columns.end(), {"min", "median", "max", "spread"});
  for (const AverageRow& row : averages.rows) {
    if (rows.rows.size() == limit) break;
    std::vector<Cell>& cells = rows.rows.emplace_back();
    cells = {row.key,
             row.device_type == DeviceType::kCpu ? "CPU" : "CUDA",
             row.count,
             microseconds(row.self_cpu_ns),
             microseconds(row.cpu_ns),
             microseconds(row.self_device_ns),
             microseconds(row.device_ns)};
    if (options.by_step) {
      Cell& step = cells.emplace_back();
      if (row.step) step = *row.step;
    }
    if (options.by_shape) cells.emplace_back(row.shape);
    if (row.calls) {
      cells.insert(cells.end(),
                   {microseconds(row.calls->min_ns), microseconds(row.calls->median_ns),
                    microseconds(row.calls->max_ns), microseconds(row.calls->spread_ns)});
    }
  }
  return rows;
}

int print_table(const TableCommand& wish) {
  const auto open = open_trace(wish.file, wish.salvage, /*keep_args=*/wish.rows.by_shape);
  warn_of_health(wish.file, *open);
  Averages averages = key_averages(open->trace, open->structure, wish.rows);
  sort_averages(averages, wish.sort_by);
  const std::size_t rows = averages.rows.size();
  const bool limited = wish.row_limit > 0 && static_cast<std::size_t>(wish.row_limit) < rows;
  const std::size_t limit = limited ? static_cast<std::size_t>(wish.row_limit) : rows;
  switch (wish.format) {
    case Format::kText: {
      const TableOptions options{.row_limit = wish.row_limit == 0 ? 100 : wish.row_limit};
      Terminal terminal = stdout_terminal();
      if (wish.wide) terminal.is_terminal = false;
      if (averages.rows.empty()) std::cout << why_nothing_to_show(open->trace) << "\n";
      std::cout << render_table_for(averages, options, terminal);
      break;
    }
    case Format::kJson:
      averages.rows.resize(limit);
      std::cout << averages_json(averages);
      break;
    case Format::kCsv:
      print_rows(std::cout, as_rows(averages, limit), Format::kCsv);
      break;
  }
  return open->exit_code;
}

}  // namespace

void add_table_command(CLI::App& app, Command& command) {
  Subcommand sub(app, "table", "the profiler table, counted as torch's key_averages() counts");
  auto wish = std::make_shared<TableCommand>();
  sub.add_option("file", wish->file, "trace (.json, .json.gz, or - for standard input)")
      .required()
      .type_name("FILE");
  sub.add_option("--sort-by", wish->sort_by, "order, by torch's names")
      .capture_default_str()
      .type_name("KEY");
  add_row_limit_option(sub, wish->row_limit, "rows (-1: all; default: 100, or all in json)");
  sub.add_flag("--group-by-step", wish->rows.by_step, "a row per key and ProfilerStep");
  sub.add_flag("--group-by-shape", wish->rows.by_shape,
               "a row per key and input shapes, where those were recorded");
  sub.add_flag("--stats", wish->rows.stats,
               "shortest, median and longest call of each row, and their spread");
  sub.add_flag("--salvage", wish->salvage, "read what is whole of a file that is cut or broken");
  sub.add_flag("--wide", wish->wide, "all of torch's columns, also on a narrow terminal");
  add_format_option(sub, wish->format);
  sub.callback([wish, &command] { command.run = [wish] { return print_table(*wish); }; });
}

}  // namespace tracebook
