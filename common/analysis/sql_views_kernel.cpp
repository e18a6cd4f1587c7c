// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <string>

#include "common/analysis/occupancy.h"
#include "common/analysis/sql_views.h"
#include "common/trace/args.h"

namespace tracebook {

namespace {

using Item = SqlTable::Item;
using Integer = SqlModel::Integer;
using Dim3 = std::array<std::int64_t, 3>;

std::string dim3_text(const Dim3& dim) {
  return std::to_string(dim[0]) + ',' + std::to_string(dim[1]) + ',' + std::to_string(dim[2]);
}

void add_dim3(SqlTable& table, SqlModel& model, const std::string& name,
              Dim3 LaunchShape::*member) {
  table.made_text(name, [&model, member](Item id) -> std::optional<std::string> {
    const auto shape = model.shape(id);
    if (!shape) return std::nullopt;
    return dim3_text((*shape).*member);
  });
  const std::array<std::string, 3> axes = {"_x", "_y", "_z"};
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    table.integer(name + axes.at(axis), [&model, member, axis](Item id) -> Integer {
      const auto shape = model.shape(id);
      if (!shape) return std::nullopt;
      return ((*shape).*member).at(axis);
    });
  }
}

void add_argument(SqlTable& table, SqlModel& model, const std::string& name, const char* key) {
  table.integer(name,
                [&model, key](Item id) { return ArgsView(model.trace().args(id)).integer(key); });
}

// The GPU that the kernel ran on, where the trace says its properties.
const DeviceProperties* properties(SqlModel& model, Item id) {
  const Integer device = model.device(id);
  return device ? model.trace().device(*device) : nullptr;
}

std::optional<Occupancy> theoretical(SqlModel& model, Item id) {
  const DeviceProperties* const device = properties(model, id);
  const auto shape = launch_shape_of(model.trace(), id);
  if (device == nullptr || !shape) return std::nullopt;
  return theoretical_occupancy(*shape, *device);
}

using Ratio = float (*)(const LaunchShape&, const DeviceProperties&);

void add_ratio(SqlTable& table, SqlModel& model, const std::string& name, Ratio ratio) {
  table.real(name, [&model, ratio](Item id) -> std::optional<double> {
    const DeviceProperties* const device = properties(model, id);
    const auto shape = model.shape(id);
    if (device == nullptr || device->num_sms == 0 || !shape) return std::nullopt;
    // Six decimals, as Kineto writes it: a float has no more.
    return std::round(static_cast<double>(ratio(*shape, *device)) * 1e6) / 1e6;
  });
}

}  // namespace

void add_kernel_shape(SqlTable& table, SqlModel& model) {
  add_dim3(table, model, "grid", &LaunchShape::grid);
  add_dim3(table, model, "block", &LaunchShape::block);
  add_argument(table, model, "registers", "registers per thread");
  add_argument(table, model, "shared_memory", "shared memory");
  add_ratio(table, model, "blocks_per_sm", blocks_per_sm);
  add_ratio(table, model, "warps_per_sm", warps_per_sm);
  table.integer("occupancy", [&model](Item id) -> Integer {
    const DeviceProperties* const device = properties(model, id);
    const auto shape = launch_shape_of(model.trace(), id);
    if (device == nullptr || !shape || !theoretical_occupancy(*shape, *device)) return std::nullopt;
    return achieved_occupancy_percent(*shape, *device);
  });
  table.real("occupancy_theoretical", [&model](Item id) -> std::optional<double> {
    const auto occupancy = theoretical(model, id);
    return occupancy ? std::optional(occupancy->percent) : std::nullopt;
  });
  table.integer("active_blocks", [&model](Item id) -> Integer {
    const auto occupancy = theoretical(model, id);
    return occupancy ? std::optional(occupancy->blocks_per_sm) : std::nullopt;
  });
  table.text_view("occupancy_limit", [&model](Item id) -> std::optional<std::string_view> {
    const auto occupancy = theoretical(model, id);
    if (!occupancy) return std::nullopt;
    return occupancy_limit_name(occupancy->limit);
  });
  table.integer("occupancy_kineto", [&model](Item id) -> Integer {
    const DeviceProperties* const device = properties(model, id);
    const auto shape = launch_shape_of(model.trace(), id);
    if (device != nullptr && shape && theoretical_occupancy(*shape, *device)) {
      return kineto_occupancy_percent(*shape, *device);
    }
    return ArgsView(model.trace().args(id)).integer("est. achieved occupancy %");
  });
  add_argument(table, model, "bytes", "bytes");
  table.real("bandwidth", [&model](Item id) -> std::optional<double> {
    const Integer bytes = ArgsView(model.trace().args(id)).integer("bytes");
    const std::int64_t dur_ns = model.dur_ns(id);
    if (!bytes || dur_ns <= 0) return std::nullopt;
    return static_cast<double>(*bytes) / static_cast<double>(dur_ns);
  });
}

}  // namespace tracebook
