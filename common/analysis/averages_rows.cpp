// SPDX-License-Identifier: Apache-2.0
//
// What is done with the rows of the table once they are counted: their order, and JSON.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "common/analysis/averages.h"
#include "common/trace/args.h"
#include "common/trace/error.h"

namespace tracebook {
namespace {

enum class SortColumn : std::uint8_t {
  kCpu,
  kSelfCpu,
  kCpuMean,
  kDevice,
  kSelfDevice,
  kDeviceMean,
  kCount
};

struct SortKey {
  std::string_view name;
  SortColumn column;
};

constexpr std::array<SortKey, 10> kSortKeys = {{
    {"cpu_time_total", SortColumn::kCpu},
    {"self_cpu_time_total", SortColumn::kSelfCpu},
    {"cpu_time", SortColumn::kCpuMean},
    {"cuda_time_total", SortColumn::kDevice},
    {"device_time_total", SortColumn::kDevice},
    {"self_cuda_time_total", SortColumn::kSelfDevice},
    {"self_device_time_total", SortColumn::kSelfDevice},
    {"cuda_time", SortColumn::kDeviceMean},
    {"device_time", SortColumn::kDeviceMean},
    {"count", SortColumn::kCount},
}};

double sort_value(const AverageRow& row, SortColumn column) {
  const auto mean = [&row](std::int64_t total_ns) {
    return row.count == 0 ? 0.0 : static_cast<double>(total_ns) / static_cast<double>(row.count);
  };
  switch (column) {
    case SortColumn::kCpu:
      return static_cast<double>(row.cpu_ns);
    case SortColumn::kSelfCpu:
      return static_cast<double>(row.self_cpu_ns);
    case SortColumn::kCpuMean:
      return mean(row.cpu_ns);
    case SortColumn::kDevice:
      return static_cast<double>(row.device_ns);
    case SortColumn::kSelfDevice:
      return static_cast<double>(row.self_device_ns);
    case SortColumn::kDeviceMean:
      return mean(row.device_ns);
    case SortColumn::kCount:
      break;
  }
  return static_cast<double>(row.count);
}

/// A JSON number: microseconds with three decimals.
void append_json_us(std::string& out, std::int64_t ns) {
  constexpr std::uint64_t kNsPerUs = 1000;
  const auto bits = static_cast<std::uint64_t>(ns);
  const std::uint64_t magnitude = ns < 0 ? 0 - bits : bits;
  if (ns < 0) out += '-';
  out += std::to_string(magnitude / kNsPerUs);
  const std::string decimals = std::to_string(kNsPerUs + magnitude % kNsPerUs);
  out += '.';
  out.append(decimals, 1);
}

void append_groups(std::string& out, const AverageRow& row, const AveragesOptions& options) {
  if (options.by_step) {
    out += ", \"step\": " + (row.step ? std::to_string(*row.step) : "null");
  }
  if (options.by_shape) out += ", \"input_shapes\": " + json_quote(row.shape);
  if (!row.calls) return;
  const auto time = [&out](const char* key, std::int64_t ns) {
    out += key;
    append_json_us(out, ns);
  };
  time(", \"min\": ", row.calls->min_ns);
  time(", \"median\": ", row.calls->median_ns);
  time(", \"max\": ", row.calls->max_ns);
  time(", \"spread\": ", row.calls->spread_ns);
}

}  // namespace

void sort_averages(Averages& averages, std::string_view sort_by) {
  const auto key = std::find_if(kSortKeys.begin(), kSortKeys.end(),
                                [&](const SortKey& known) { return known.name == sort_by; });
  if (key == kSortKeys.end()) {
    std::string message = "expected one of these sort keys: ";
    for (const SortKey& known : kSortKeys) {
      if (&known != kSortKeys.data()) message += ", ";
      message += known.name;
    }
    message += "; got \"";
    message += sort_by;
    throw UsageError(message + "\"");
  }
  std::stable_sort(averages.rows.begin(), averages.rows.end(),
                   [column = key->column](const AverageRow& left, const AverageRow& right) {
                     return sort_value(left, column) > sort_value(right, column);
                   });
}

std::string averages_json(const Averages& averages) {
  std::string out = "[";
  for (const AverageRow& row : averages.rows) {
    out += out.size() == 1 ? "\n" : ",\n";
    out += "  {\"key\": " + json_quote(row.key);
    out += row.device_type == DeviceType::kCuda ? R"(, "device_type": "CUDA")"
                                                : R"(, "device_type": "CPU")";
    out += ", \"count\": " + std::to_string(row.count);
    out += ", \"self_cpu_time_total\": ";
    append_json_us(out, row.self_cpu_ns);
    out += ", \"cpu_time_total\": ";
    append_json_us(out, row.cpu_ns);
    out += ", \"self_device_time_total\": ";
    append_json_us(out, row.self_device_ns);
    out += ", \"device_time_total\": ";
    append_json_us(out, row.device_ns);
    append_groups(out, row, averages.options);
    out += '}';
  }
  out += averages.rows.empty() ? "]\n" : "\n]\n";
  return out;
}

}  // namespace tracebook
