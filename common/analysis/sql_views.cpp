// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/sql_views.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tracebook {

namespace {

using Item = SqlTable::Item;
using Integer = SqlModel::Integer;
using Lookup = SqlTable::Lookup;

Integer id_or_null(SliceId id) { return id == kNoSlice ? Integer() : Integer(id); }

SqlTable::Rows rows_of(std::vector<SliceId> ids) {
  const std::size_t count = ids.size();
  return {count, std::move(ids)};
}

// The columns that every view of slices begins with.
void add_basics(SqlTable& table, SqlModel& model) {
  table.integer(
      "id", [](Item id) { return Integer(id); }, Lookup::kUnique);
  table.time(
      "ts", [&model](Item id) { return model.known_ts_ns(id); }, Lookup::kRange);
  table.time("dur", [&model](Item id) { return model.known_dur_ns(id); });
}

void add_name(SqlTable& table, SqlModel& model) {
  table.text("name", model.trace().strings,
             [&model](Item id) { return model.trace().slices.name[id]; });
}

void add_category(SqlTable& table, SqlModel& model) {
  table.text_view("cat", [&model](Item id) {
    const Slices& slices = model.trace().slices;
    const std::string_view name = category_name(slices.category[id]);
    return name.empty() ? model.trace().strings.view(slices.category_text[id]) : name;
  });
}

void add_track(SqlTable& table, SqlModel& model) {
  table.text("track", model.track_names(), [&model](Item id) { return model.track(id); });
}

void add_parent(SqlTable& table, SqlModel& model) {
  table.integer(
      "parent", [&model](Item id) { return id_or_null(model.structure().parent[id]); },
      Lookup::kFew);
}

void add_op(SqlTable& table, SqlModel& model) {
  table.integer(
      "op", [&model](Item id) { return id_or_null(model.structure().op[id]); }, Lookup::kFew);
}

void add_step(SqlTable& table, SqlModel& model) {
  table.integer(
      "step", [&model](Item id) { return model.step_number(id); }, Lookup::kMany);
}

void add_place(SqlTable& table, SqlModel& model) {
  table.integer(
      "depth", [&model](Item id) { return model.structure().depth[id]; }, Lookup::kMany);
  add_parent(table, model);
  table.made_text("path", [&model](Item id) { return model.path(id); });
  add_step(table, model);
}

void add_correlation(SqlTable& table, SqlModel& model) {
  table.integer(
      "correlation",
      [&model](Item id) {
        const std::int64_t correlation = model.trace().slices.correlation[id];
        return correlation == kNoId ? Integer() : Integer(correlation);
      },
      Lookup::kFew);
}

void add_args(SqlTable& table, SqlModel& model) {
  table.text_view("args", [&model](Item id) {
    const std::string_view args = model.trace().args(id);
    return args.empty() ? std::optional<std::string_view>() : args;
  });
}

SqlView new_view(std::string name, SqlModel& model, bool (*wanted)(Category)) {
  return std::make_unique<SqlTable>(std::move(name),
                                    [&model, wanted] { return rows_of(model.select(wanted)); });
}

}  // namespace

SqlView slice_view(SqlModel& model) {
  auto view = std::make_unique<SqlTable>("slice", [&model] {
    return SqlTable::Rows{model.trace().slices.size(), {}};
  });
  add_basics(*view, model);
  add_name(*view, model);
  add_category(*view, model);
  add_track(*view, model);
  add_place(*view, model);
  add_args(*view, model);
  return view;
}

SqlView op_view(SqlModel& model) {
  SqlView view = new_view("op", model, is_op);
  add_basics(*view, model);
  view->time("self", [&model](Item id) { return model.self_ns(id); });
  add_name(*view, model);
  add_category(*view, model);
  add_track(*view, model);
  add_place(*view, model);
  add_args(*view, model);
  return view;
}

SqlView launch_view(SqlModel& model) {
  auto view = std::make_unique<SqlTable>("launch", [&model] { return rows_of(model.launches()); });
  add_basics(*view, model);
  add_name(*view, model);
  view->text_view("api", [&model](Item id) -> std::string_view {
    return model.trace().slices.category[id] == Category::kDriver ? "driver" : "runtime";
  });
  add_track(*view, model);
  add_parent(*view, model);
  add_op(*view, model);
  add_step(*view, model);
  add_correlation(*view, model);
  view->integer("kernels", [&model](Item id) {
    return static_cast<std::int64_t>(model.structure().launched_by(id).size());
  });
  view->integer("first_kernel", [&model](Item id) { return id_or_null(model.first_work(id)); });
  view->time("delay", [&model](Item id) { return model.delay_ns(id); });
  add_args(*view, model);
  return view;
}

SqlView overhead_view(SqlModel& model) {
  SqlView view = new_view("overhead", model,
                          [](Category category) { return category == Category::kOverhead; });
  add_basics(*view, model);
  add_name(*view, model);
  add_parent(*view, model);
  add_op(*view, model);
  add_step(*view, model);
  add_args(*view, model);
  return view;
}

SqlView kernel_view(SqlModel& model) {
  SqlView view = new_view("kernel", model, is_device_work);
  add_basics(*view, model);
  add_name(*view, model);
  view->text_view("kind", [&model](Item id) -> std::string_view {
    switch (model.trace().slices.category[id]) {
      case Category::kMemcpy:
        return "memcpy";
      case Category::kMemset:
        return "memset";
      default:
        return "kernel";
    }
  });
  view->integer(
      "device", [&model](Item id) { return model.device(id); }, Lookup::kMany);
  view->integer(
      "stream", [&model](Item id) { return model.stream(id); }, Lookup::kMany);
  view->integer(
      "launch", [&model](Item id) { return id_or_null(model.structure().launch[id]); },
      Lookup::kFew);
  add_op(*view, model);
  add_step(*view, model);
  view->made_text("path", [&model](Item id) { return model.path(id); });
  add_correlation(*view, model);
  view->time("gap_before", [&model](Item id) { return model.gap_before_ns(id); });
  add_kernel_shape(*view, model);
  add_args(*view, model);
  return view;
}

std::vector<SqlView> make_views(SqlModel& model) {
  std::vector<SqlView> views;
  views.push_back(slice_view(model));
  views.push_back(op_view(model));
  views.push_back(launch_view(model));
  views.push_back(kernel_view(model));
  views.push_back(step_view(model));
  views.push_back(overhead_view(model));
  views.push_back(counter_view(model));
  views.push_back(average_view(model));
  views.push_back(info_view(model));
  return views;
}

}  // namespace tracebook
