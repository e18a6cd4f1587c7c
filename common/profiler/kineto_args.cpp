// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/kineto_args.h"

#include <array>
#include <charconv>
#include <cstdio>

#include "common/trace/args.h"
#include "common/trace/launch_shape.h"

namespace tracebook {
namespace {

/// Builds `{"key": value, …}`.
class ArgsWriter {
 public:
  explicit ArgsWriter(std::int64_t external_id) {
    if (external_id != kNoId) number("External id", external_id);
  }
  ArgsWriter& number(std::string_view key, std::int64_t value) {
    return raw(key, std::to_string(value));
  }
  ArgsWriter& raw(std::string_view key, std::string_view value) {
    text_ += text_.size() > 1 ? ", \"" : "\"";
    text_ += key;
    text_ += "\": ";
    text_ += value;
    return *this;
  }
  ArgsWriter& dim3(std::string_view key, const std::array<std::int64_t, 3>& value) {
    return raw(key, "[" + std::to_string(value[0]) + ", " + std::to_string(value[1]) + ", " +
                        std::to_string(value[2]) + "]");
  }
  std::string text() { return std::move(text_) + "}"; }

 private:
  std::string text_ = "{";
};

/// Six decimals without trailing zeros, one at least: 0.060606, 12.0.
std::string ratio_text(float value) {
  std::array<char, 64> buffer{};
  const int size = std::snprintf(buffer.data(), buffer.size(), "%.6f", static_cast<double>(value));
  std::string text(buffer.data(), static_cast<std::size_t>(size));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text += '0';
  return text;
}

/// Bytes per nanosecond, which are GB/s; the shortest digits that read back the same.
std::string bandwidth_text(std::int64_t bytes, std::int64_t duration_ns) {
  if (duration_ns <= 0) return "\"N/A\"";
  std::array<char, 32> buffer{};
  const double bandwidth = static_cast<double>(bytes) / static_cast<double>(duration_ns);
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), bandwidth);
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::string range_args(std::int64_t external_id) {
  return ArgsWriter(external_id)
      .number("Record function id", 0)
      .number("Ev Idx", external_id - 1)
      .text();
}

std::string call_args(const ApiCall& call, std::int64_t external_id) {
  return ArgsWriter(external_id)
      .number("cbid", call.cbid)
      .number("correlation", call.correlation)
      .text();
}

std::string kernel_args(const DeviceWork& work, std::int64_t external_id,
                        const DeviceProperties* device) {
  const DeviceProperties unknown;
  const DeviceProperties& properties = device == nullptr ? unknown : *device;
  const LaunchShape shape{.grid = work.grid,
                          .block = work.block,
                          .registers = work.registers,
                          .shared_bytes = work.static_shared_bytes + work.dynamic_shared_bytes};
  return ArgsWriter(external_id)
      .number("queued", 0)
      .number("device", work.device)
      .number("context", work.context)
      .number("stream", work.stream)
      .number("correlation", work.correlation)
      .number("registers per thread", work.registers)
      .number("shared memory", shape.shared_bytes)
      .raw("blocks per SM", ratio_text(blocks_per_sm(shape, properties)))
      .raw("warps per SM", ratio_text(warps_per_sm(shape, properties)))
      .dim3("grid", work.grid)
      .dim3("block", work.block)
      .number("est. achieved occupancy %", achieved_occupancy_percent(shape, properties))
      .text();
}

std::string memory_args(const DeviceWork& work, std::int64_t external_id) {
  ArgsWriter args(external_id);
  if (work.from_device >= 0) {
    args.number("fromDevice", work.from_device)
        .number("inDevice", work.device)
        .number("toDevice", work.to_device)
        .number("fromContext", work.from_context)
        .number("inContext", work.context)
        .number("toContext", work.to_context);
  } else {
    args.number("device", work.device).number("context", work.context);
  }
  return args.number("stream", work.stream)
      .number("correlation", work.correlation)
      .number("bytes", work.bytes)
      .raw("memory bandwidth (GB/s)", bandwidth_text(work.bytes, work.end_ns - work.start_ns))
      .text();
}

std::string sync_args(const SyncRecord& sync, std::string_view kind, std::int64_t external_id,
                      std::int32_t device) {
  ArgsWriter args(external_id);
  args.raw("cuda_sync_kind", json_quote(kind));
  if (sync.of_event) {
    args.number("wait_on_stream", sync.stream).number("wait_on_cuda_event_id", sync.event);
  }
  return args.number("stream", sync.stream)
      .number("correlation", sync.correlation)
      .number("device", device)
      .number("context", sync.context)
      .text();
}

}  // namespace tracebook
