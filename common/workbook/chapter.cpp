// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/chapter.h"

#include <utility>

namespace tracebook {
namespace {

/// The numeric knobs that the fixed part of a recording's name does not carry.
std::vector<std::pair<std::string, std::int64_t Knobs::*>> schedule_knobs() {
  return {{"wait", &Knobs::wait},
          {"profiler-warmup", &Knobs::profiler_warmup},
          {"active", &Knobs::active},
          {"repeat", &Knobs::repeat},
          {"steps", &Knobs::steps}};
}

std::string activities_of(const Knobs& knobs) {
  if (knobs.record_cpu && knobs.record_cuda) return "cpu,cuda";
  return knobs.record_cpu ? "cpu" : "cuda";
}

}  // namespace

std::string recording_stem(const ChapterInfo& chapter, const Knobs& knobs) {
  const Knobs& defaults = chapter.defaults;
  std::string stem = std::to_string(knobs.size) + "_" + knobs.dtype;
  if (knobs.batch > 0) stem += "_batch" + std::to_string(knobs.batch);
  stem += knobs.warmup ? "_warm" : "_cold";
  stem += "_eager";
  for (const auto& [name, member] : schedule_knobs()) {
    if (knobs.*member != defaults.*member) stem += "_" + name + std::to_string(knobs.*member);
  }
  if (activities_of(knobs) != activities_of(defaults)) {
    stem += knobs.record_cpu ? "_cpu" : "_cuda";
  }
  for (const ExtraKnob& knob : chapter.extra_knobs) {
    const auto value = knobs.extra.find(knob.flag);
    if (value != knobs.extra.end() && value->second != knob.default_value) {
      stem += "_" + knob.flag + "-" + value->second;
    }
  }
  return stem;
}

std::string knob_arguments(const ChapterInfo& chapter, const Knobs& knobs) {
  const Knobs& defaults = chapter.defaults;
  std::string out;
  const auto add = [&out](const std::string& text) {
    if (!out.empty()) out += " ";
    out += text;
  };
  if (knobs.size != defaults.size) add("--size " + std::to_string(knobs.size));
  if (knobs.dtype != defaults.dtype) add("--dtype " + knobs.dtype);
  if (knobs.batch != defaults.batch) add("--batch " + std::to_string(knobs.batch));
  if (knobs.warmup != defaults.warmup) add(knobs.warmup ? "--warmup" : "--no-warmup");
  for (const auto& [name, member] : schedule_knobs()) {
    if (knobs.*member != defaults.*member) add("--" + name + " " + std::to_string(knobs.*member));
  }
  if (activities_of(knobs) != activities_of(defaults)) add("--activities " + activities_of(knobs));
  for (const ExtraKnob& knob : chapter.extra_knobs) {
    const auto value = knobs.extra.find(knob.flag);
    if (value != knobs.extra.end() && value->second != knob.default_value) {
      add("--" + knob.flag + " " + value->second);
    }
  }
  return out;
}

}  // namespace tracebook
