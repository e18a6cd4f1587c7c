// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/analysis/compare.h"

namespace tracebook {
namespace {

using Json = nlohmann::ordered_json;

/// µs with three decimals: nanoseconds, also of a mean.
double microseconds(double ns) { return std::round(ns) / 1000.0; }

Json json_of(const ComparedSide& side) {
  Json out;
  out["file"] = side.label;
  out["gpus"] = side.gpus;
  out["has_gpu"] = side.has_gpu;
  out["steps"] = side.steps;
  out["compared"] = side.used;
  out["launches"] = side.launches;
  out["device_work"] = side.device_work;
  out["outside_steps"] = side.outside;
  return out;
}

Json json_of(const Series& series) {
  Json out;
  out["median_us"] = microseconds(series.median_ns);
  // One value has no spread.
  out["spread_us"] =
      series.values_ns.size() < 2 ? Json(nullptr) : Json(microseconds(series.spread_ns));
  out["values_us"] = Json::array();
  for (const std::int64_t value : series.values_ns) {
    out["values_us"].push_back(microseconds(static_cast<double>(value)));
  }
  return out;
}

Json percent_of(const Measure& measure) {
  return measure.a.median_ns == 0 ? Json(nullptr) : Json(measure.change() * 100);
}

Json json_of(const Measure& measure) {
  Json out;
  out["id"] = measure.id;
  out["outcome"] = outcome_name(measure.judgement.outcome);
  out["change_percent"] = percent_of(measure);
  out["margin_us"] = measure.judgement.margin_ns == 0
                         ? Json(nullptr)
                         : Json(microseconds(measure.judgement.margin_ns));
  out["a"] = json_of(measure.a);
  out["b"] = json_of(measure.b);
  return out;
}

Json json_of(const RowSide& side) {
  Json out;
  out["calls"] = side.calls;
  out["launches"] = side.launches;
  out["self_cpu_time"] = microseconds(side.self_cpu_ns);
  out["cpu_time"] = microseconds(side.cpu_ns);
  out["self_device_time"] = microseconds(side.self_device_ns);
  out["device_time"] = microseconds(side.device_ns);
  return out;
}

Json json_of(const ComparedRow& row) {
  const bool in_a = row.status != RowStatus::kAppeared;
  const bool in_b = row.status != RowStatus::kVanished;
  Json out;
  out["key"] = row.key;
  out["device_type"] = row.device_type == DeviceType::kCpu ? "CPU" : "CUDA";
  out["status"] = status_name(row.status);
  out["outcome"] = in_a && in_b ? Json(outcome_name(row.outcome)) : Json(nullptr);
  out["change_us"] = microseconds(row.change_ns);
  if (row.status == RowStatus::kReplaced) {
    out["was"] = row.was;
    out["op"] = row.op;
    out["op_was"] = row.op_was;
  }
  out["a"] = in_a ? json_of(row.a) : Json(nullptr);
  out["b"] = in_b ? json_of(row.b) : Json(nullptr);
  return out;
}

}  // namespace

std::string comparison_json(const Comparison& comparison, std::size_t row_limit) {
  const Measure& first = comparison.decisive();
  Json out;
  out["schema"] = 1;
  out["verdict"] = {{"outcome", outcome_name(first.judgement.outcome)},
                    {"measure", first.id},
                    {"identical", comparison.identical},
                    {"change_percent", percent_of(first)},
                    {"says", comparison.verdict}};
  out["per"] = comparison.per_step ? "step" : "trace";
  out["a"] = json_of(comparison.a);
  out["b"] = json_of(comparison.b);
  out["notes"] = comparison.notes;
  out["measures"] = Json::array();
  for (const Measure& measure : comparison.measures) out["measures"].push_back(json_of(measure));
  out["row_count"] = comparison.rows.size();
  out["rows"] = Json::array();
  for (std::size_t i = 0; i < std::min(row_limit, comparison.rows.size()); ++i) {
    out["rows"].push_back(json_of(comparison.rows[i]));
  }
  // A trace's names may hold bytes that are no UTF-8.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tracebook
