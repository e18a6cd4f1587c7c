// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/schedule.h"

#include <string>

#include "common/trace/error.h"

namespace tracebook {
namespace {

void require(std::int64_t value, std::int64_t least, const char* name) {
  if (value >= least) return;
  throw UsageError(std::string("schedule: ") + name + " is " + std::to_string(value) +
                   ", expected " + std::to_string(least) + " or more");
}

ProfilerAction action_of(const ScheduleOptions& options, std::int64_t step) {
  if (step < 0) {
    throw UsageError("schedule: step " + std::to_string(step) + ", expected 0 or more");
  }
  if (step < options.skip_first) return ProfilerAction::kNone;
  step -= options.skip_first;
  // As torch does it: the cycles move to the left by one wait, and the count of cycles with them.
  if (options.skip_first_wait) step += options.wait;

  const std::int64_t cycle = options.wait + options.warmup + options.active;
  if (options.repeat > 0 && step / cycle >= options.repeat) return ProfilerAction::kNone;
  const std::int64_t within = step % cycle;
  if (within < options.wait) return ProfilerAction::kNone;
  if (within < options.wait + options.warmup) return ProfilerAction::kWarmup;
  return within < cycle - 1 ? ProfilerAction::kRecord : ProfilerAction::kRecordAndSave;
}

}  // namespace

Schedule schedule(const ScheduleOptions& options) {
  require(options.skip_first, 0, "skip_first");
  require(options.wait, 0, "wait");
  require(options.warmup, 0, "warmup");
  require(options.active, 1, "active");
  require(options.repeat, 0, "repeat");
  return [options](std::int64_t step) { return action_of(options, step); };
}

}  // namespace tracebook
