// SPDX-License-Identifier: Apache-2.0
#include "common/trace/head_members.h"

#include <array>
#include <optional>
#include <utility>

#include "common/trace/args.h"
#include "common/trace/json_text.h"
#include "common/trace/structure.h"
#include "common/trace/time_text.h"

namespace tracebook {
namespace {

constexpr int kProvenanceSchema = 1;

struct DeviceField {
  const char* key;
  std::int64_t DeviceProperties::*field;
};
/// In Kineto's order, which has the name behind the id.
constexpr std::array kDeviceFields{
    DeviceField{"id", &DeviceProperties::id},
    DeviceField{"totalGlobalMem", &DeviceProperties::total_global_mem},
    DeviceField{"computeMajor", &DeviceProperties::compute_major},
    DeviceField{"computeMinor", &DeviceProperties::compute_minor},
    DeviceField{"maxThreadsPerBlock", &DeviceProperties::max_threads_per_block},
    DeviceField{"maxThreadsPerMultiprocessor", &DeviceProperties::max_threads_per_multiprocessor},
    DeviceField{"regsPerBlock", &DeviceProperties::regs_per_block},
    DeviceField{"warpSize", &DeviceProperties::warp_size},
    DeviceField{"sharedMemPerBlock", &DeviceProperties::shared_mem_per_block},
    DeviceField{"numSms", &DeviceProperties::num_sms},
    DeviceField{"regsPerMultiprocessor", &DeviceProperties::regs_per_multiprocessor},
    DeviceField{"sharedMemPerBlockOptin", &DeviceProperties::shared_mem_per_block_optin},
    DeviceField{"sharedMemPerMultiprocessor", &DeviceProperties::shared_mem_per_multiprocessor},
};

struct ProvenanceField {
  const char* key;
  std::string Provenance::*field;
};
constexpr std::array kProvenanceFields{
    ProvenanceField{"chapter", &Provenance::chapter},
    ProvenanceField{"recording", &Provenance::recording},
    ProvenanceField{"command", &Provenance::command},
    ProvenanceField{"commit", &Provenance::commit},
    ProvenanceField{"recorded_at", &Provenance::recorded_at},
    ProvenanceField{"gpu", &Provenance::gpu},
    ProvenanceField{"driver", &Provenance::driver},
    ProvenanceField{"cuda", &Provenance::cuda},
    ProvenanceField{"cublas", &Provenance::cublas},
    ProvenanceField{"cupti", &Provenance::cupti},
};

/// What a recorder says of its own recording, as opposed to what a reader finds wrong in a file.
constexpr std::array kRecorderIssues{
    std::string_view{"lost_records"}, std::string_view{"cut_buffers"},
    std::string_view{"unknown_records"}, std::string_view{"untimed_work"},
    std::string_view{"cut_ranges"}};

bool is_recorder_issue(std::string_view kind) {
  for (const std::string_view known : kRecorderIssues) {
    if (kind == known) return true;
  }
  return false;
}

/// The elements of an array, as texts; nothing if one is no object.
std::optional<std::vector<std::string_view>> objects_of(std::string_view array) {
  std::vector<std::string_view> out;
  std::size_t at = skip_json_space(array, 0);
  if (at >= array.size() || array[at] != '[') return std::nullopt;
  at = skip_json_space(array, at + 1);
  while (at < array.size() && array[at] == '{') {
    const std::size_t end = skip_json_value(array, at);
    if (end == std::string_view::npos) return std::nullopt;
    out.push_back(array.substr(at, end - at));
    at = skip_json_space(array, end);
    if (at < array.size() && array[at] == ',') at = skip_json_space(array, at + 1);
  }
  if (at >= array.size() || array[at] != ']') return std::nullopt;
  return out;
}

bool read_devices(Head& head, std::string_view value) {
  const auto objects = objects_of(value);
  if (!objects) return false;
  for (const std::string_view object : *objects) {
    const ArgsView members(object);
    DeviceProperties device;
    for (const DeviceField& entry : kDeviceFields) {
      device.*entry.field = members.integer(entry.key).value_or(0);
    }
    device.name = members.text("name").value_or("");
    head.devices.push_back(std::move(device));
  }
  return true;
}

bool read_provenance(Trace& trace, std::string_view value) {
  const ArgsView members(value);
  Provenance provenance;
  for (const ProvenanceField& entry : kProvenanceFields) {
    provenance.*entry.field = members.text(entry.key).value_or("");
  }
  if (provenance.empty()) return false;
  trace.head.provenance = std::move(provenance);
  const auto issues = objects_of(members.raw("issues").value_or(""));
  if (!issues) return true;
  for (const std::string_view object : *issues) {
    const ArgsView issue(object);
    const std::string kind = issue.text("kind").value_or("");
    if (!is_recorder_issue(kind)) continue;
    trace.note(kind, issue.text("says").value_or(""), 0, issue.integer("count").value_or(0));
  }
  return true;
}

/// A whole number of nanoseconds, however it is spelt.
std::optional<std::int64_t> read_nanoseconds(std::string_view value) {
  if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
  if (const auto whole = parse_integer(value)) return whole;
  if (!is_json_number(value) || value.find_first_of("eE") != std::string_view::npos) {
    return std::nullopt;
  }
  return parse_microseconds(std::string(value) + "e-3");
}

}  // namespace

void read_head_member(Trace& trace, std::string_view key, std::string_view value) {
  bool taken = false;
  if (key == "baseTimeNanoseconds") {
    const auto base = read_nanoseconds(value);
    // Beyond it, no clock's time can be added.
    taken = base && *base <= kFarthestTime_ns && *base >= -kFarthestTime_ns;
    if (taken) trace.head.base_time_ns = *base;
  } else if (key == "deviceProperties" || key == "computeProperties") {
    taken = read_devices(trace.head, value);
  } else if (key == "tracebook") {
    taken = read_provenance(trace, value);
  }
  if (!taken) trace.head.members.emplace_back(key, value);
}

void drop_superseded_members(Head& head) {
  std::erase_if(head.members, [&head](const auto& member) {
    const std::string& key = member.first;
    return (key == "baseTimeNanoseconds" && head.base_time_ns != 0) ||
           (key == "deviceProperties" && !head.devices.empty()) ||
           (key == "tracebook" && !head.provenance.empty());
  });
}

void append_devices(std::string& out, const std::vector<DeviceProperties>& devices) {
  out += '[';
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceProperties& device = devices[i];
    out += i == 0 ? "\n    {" : ",\n    {";
    bool first = true;
    for (const DeviceField& entry : kDeviceFields) {
      const std::int64_t value = device.*entry.field;
      // A GPU's number is worth saying even if it is 0, and so is the 0 of 9.0; elsewhere 0 means
      // unknown.
      const bool is_minor = entry.field == &DeviceProperties::compute_minor;
      if (value == 0 && !first && !(is_minor && device.compute_major != 0)) continue;
      if (!first) out += ", ";
      out += '"';
      out += entry.key;
      out += "\": " + std::to_string(value);
      if (first && !device.name.empty()) out += ", \"name\": " + json_quote(device.name);
      first = false;
    }
    out += '}';
  }
  out += devices.empty() ? "]" : "\n  ]";
}

void append_provenance(std::string& out, const Trace& trace) {
  out += "{\n    \"schema\": " + std::to_string(kProvenanceSchema);
  for (const ProvenanceField& entry : kProvenanceFields) {
    const std::string& value = trace.head.provenance.*entry.field;
    if (value.empty()) continue;
    out += ",\n    \"";
    out += entry.key;
    out += "\": " + json_quote(value);
  }
  bool any = false;
  for (const Issue& issue : trace.issues) {
    if (!is_recorder_issue(issue.kind)) continue;
    out += any ? ", " : ",\n    \"issues\": [";
    out += "{\"kind\": " + json_quote(issue.kind) + ", \"says\": " + json_quote(issue.says) +
           ", \"count\": " + std::to_string(issue.count) + "}";
    any = true;
  }
  out += any ? "]\n  }" : "\n  }";
}

}  // namespace tracebook
