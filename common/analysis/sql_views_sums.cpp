// SPDX-License-Identifier: Apache-2.0
//
// The views whose rows are sums: step, average, info.
#include <string>
#include <string_view>
#include <utility>

#include "common/analysis/sql_views.h"

namespace tracebook {

namespace {

using Item = SqlTable::Item;
using Integer = SqlModel::Integer;
using Text = std::optional<std::string>;
using Lookup = SqlTable::Lookup;

Text text_or_null(std::string_view text) { return text.empty() ? Text() : Text(text); }

// CUDA's way to write 13.0: 13000.
Text cuda_version(std::string_view number) {
  int version = 0;
  for (const char digit : number) {
    if (digit < '0' || digit > '9' || version > 99'999) return std::nullopt;
    version = version * 10 + (digit - '0');
  }
  if (version == 0) return std::nullopt;
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

bool is_profiler_span(const Trace& trace, SliceId id) {
  return trace.slices.category[id] == Category::kTraceSpan &&
         trace.name(id).starts_with("PyTorch Profiler");
}

std::string_view source(const Trace& trace) {
  if (!trace.head.provenance.empty()) return "tracebook";
  if (!trace.head.member("trace_id").empty()) return "torch.profiler";
  for (SliceId id = trace.slices.size(); id-- > 0;) {
    if (is_profiler_span(trace, id)) return "torch.profiler";
  }
  return "other";
}

std::string_view regime(const Structure& structure) {
  switch (structure.regime) {
    case ExternalIdRegime::kOp:
      return "op";
    case ExternalIdRegime::kCorrelation:
      return "correlation";
    case ExternalIdRegime::kUnknown:
      break;
  }
  return "unknown";
}

std::string health_text(SqlModel& model) {
  std::string text;
  for (const std::string& problem : health_problems(model.trace(), model.health())) {
    if (!text.empty()) text += "; ";
    text += problem;
  }
  return text.empty() ? "good" : text;
}

// Only a recorder of ours says so; a file of torch's lacks records without a word.
Integer lost_records(const Trace& trace) {
  std::int64_t lost = 0;
  for (const Issue& issue : trace.issues) {
    if (issue.kind == "lost_records") lost += issue.count;
  }
  if (lost == 0 && trace.head.provenance.empty()) return std::nullopt;
  return lost;
}

const DeviceProperties* first_device(const Trace& trace) {
  return trace.head.devices.empty() ? nullptr : &trace.head.devices.front();
}

void add_source(SqlTable& table, SqlModel& model) {
  const Head& head = model.trace().head;
  const Provenance& made = head.provenance;
  table.text_view("source", [&model](Item) { return source(model.trace()); });
  table.text_view("regime", [&model](Item) { return regime(model.structure()); });
  const auto provided = [&table](const char* name, const std::string& text) {
    table.made_text(name, [&text](Item) { return text_or_null(text); });
  };
  provided("chapter", made.chapter);
  provided("recording", made.recording);
  provided("command", made.command);
  provided("commit_id", made.commit);
  provided("recorded_at", made.recorded_at);
  table.made_text("gpu", [&model, &made](Item) {
    const DeviceProperties* const device = first_device(model.trace());
    return text_or_null(made.gpu.empty() && device != nullptr ? device->name : made.gpu);
  });
  table.made_text("compute_capability", [&model](Item) -> Text {
    const DeviceProperties* const device = first_device(model.trace());
    if (device == nullptr || device->compute_major == 0) return std::nullopt;
    return std::to_string(device->compute_major) + "." + std::to_string(device->compute_minor);
  });
  provided("driver", made.driver);
  table.made_text("cuda", [&head, &made](Item) {
    return made.cuda.empty() ? cuda_version(head.member("cuda_runtime_version")) : made.cuda;
  });
  table.made_text("cuda_driver",
                  [&head](Item) { return cuda_version(head.member("cuda_driver_version")); });
  provided("cublas", made.cublas);
  table.made_text("cupti", [&head, &made](Item) {
    return text_or_null(made.cupti.empty() ? head.member("cupti_version") : made.cupti);
  });
}

void add_totals(SqlTable& table, SqlModel& model) {
  const auto total = [&table](const char* name, SqlTable::IntegerOf value) {
    table.integer(name, std::move(value));
  };
  const auto count = [](std::size_t size) { return Integer(static_cast<std::int64_t>(size)); };
  total("events", [&model, count](Item) { return count(model.trace().slices.size()); });
  total("ops", [&model, count](Item) { return count(model.select(is_op).size()); });
  total("launches", [&model, count](Item) { return count(model.launches().size()); });
  total("kernels", [&model, count](Item) { return count(model.structure().device_order.size()); });
  total("unlaunched", [&model](Item) { return Integer(model.totals().unlaunched); });
  total("empty_launches", [&model](Item) { return Integer(model.totals().empty_launches); });
  total("steps", [&model, count](Item) { return count(model.structure().steps.size()); });
  total("devices", [&model](Item) { return Integer(model.totals().devices); });
  const auto checked = [&](const char* name, std::int64_t Health::*found) {
    total(name, [&model, found](Item) { return Integer(model.health().*found); });
  };
  checked("lost_launches", &Health::launches_without_work);
  checked("impossible_times", &Health::impossible_times);
  checked("starts_before_launch", &Health::starts_before_launch);
  checked("overlaps_on_stream", &Health::overlaps_on_stream);
  checked("overruns", &Health::overruns);
  checked("orphan_flows", &Health::orphan_flows);
  checked("uncategorised", &Health::uncategorised);
  checked("unplaced", &Health::unplaced);
}

}  // namespace

SqlView step_view(SqlModel& model) {
  auto view = std::make_unique<SqlTable>("step", [&model] {
    return SqlTable::Rows{model.structure().steps.size(), {}};
  });
  const auto slice = [&model](Item step) { return model.structure().steps[step].slice; };
  view->integer(
      "number", [&model](Item step) { return model.structure().steps[step].number; }, Lookup::kFew);
  view->integer(
      "id", [slice](Item step) { return Integer(slice(step)); }, Lookup::kUnique);
  view->time(
      "ts", [&model, slice](Item step) { return model.known_ts_ns(slice(step)); }, Lookup::kRange);
  view->time("dur", [&model, slice](Item step) { return model.known_dur_ns(slice(step)); });
  view->text("track", model.track_names(),
             [&model, slice](Item step) { return model.track(slice(step)); });
  view->integer("ops", [&model](Item step) { return model.step(step).ops; });
  view->integer("launches", [&model](Item step) { return model.step(step).launches; });
  view->integer("kernels", [&model](Item step) { return model.step(step).kernels; });
  const auto add_first = [&](const std::string& what, SliceId SqlModel::StepSums::*first) {
    view->integer("first_" + what, [&model, first](Item step) {
      const SliceId id = model.step(step).*first;
      return id == kNoSlice ? Integer() : Integer(id);
    });
    view->time("to_first_" + what, [&model, slice, first](Item step) {
      const SliceId id = model.step(step).*first;
      return id == kNoSlice ? Integer() : Integer(model.ts_ns(id) - model.ts_ns(slice(step)));
    });
  };
  add_first("launch", &SqlModel::StepSums::first_launch);
  add_first("kernel", &SqlModel::StepSums::first_kernel);
  view->time("device_time", [&model](Item step) { return model.step(step).device_time_ns; });
  view->time("device_busy", [&model](Item step) { return model.step(step).device_busy_ns; });
  return view;
}

SqlView average_view(SqlModel& model) {
  auto view = std::make_unique<SqlTable>("average", [&model] {
    return SqlTable::Rows{model.averages().rows.size(), {}};
  });
  const auto row = [&model](Item item) -> const AverageRow& { return model.averages().rows[item]; };
  view->text_view("key", [row](Item item) { return std::string_view(row(item).key); });
  view->text_view("device_type", [row](Item item) -> std::string_view {
    return row(item).device_type == DeviceType::kCuda ? "CUDA" : "CPU";
  });
  view->integer("is_span", [row](Item item) { return Integer(row(item).is_span ? 1 : 0); });
  view->integer("count", [row](Item item) { return row(item).count; });
  const auto add_time = [&](const char* name, std::int64_t AverageRow::*time) {
    view->time(name, [row, time](Item item) { return row(item).*time; });
  };
  add_time("self_cpu_time_total", &AverageRow::self_cpu_ns);
  add_time("cpu_time_total", &AverageRow::cpu_ns);
  add_time("self_device_time_total", &AverageRow::self_device_ns);
  add_time("device_time_total", &AverageRow::device_ns);
  return view;
}

SqlView info_view(SqlModel& model) {
  auto view = std::make_unique<SqlTable>("info", [] { return SqlTable::Rows{1, {}}; });
  add_source(*view, model);
  view->made_text("health", [&model](Item) { return health_text(model); });
  view->integer("issues", [&model](Item) {
    std::int64_t issues = 0;
    for (const Issue& issue : model.trace().issues) issues += issue.count;
    return Integer(issues);
  });
  view->integer("lost_records", [&model](Item) { return lost_records(model.trace()); });
  view->integer("start_ns", [&model](Item) {
    return Integer(model.trace().head.base_time_ns + model.start_ns());
  });
  view->time("dur", [&model](Item) { return Integer(model.end_ns() - model.start_ns()); });
  add_totals(*view, model);
  return view;
}

}  // namespace tracebook
