// SPDX-License-Identifier: Apache-2.0
//
// The texts of events' args, with Kineto's keys in Kineto's order. `external_id` is kNoId where the
// event belongs to no op.
//
//   kernel_args(work, external_id, device);  // {"External id": 4, "queued": 0, … }
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/profiler/activity.h"
#include "common/trace/trace.h"

namespace tracebook {

std::string range_args(std::int64_t external_id);
std::string call_args(const ApiCall& call, std::int64_t external_id);
/// `device` may be null: then nothing is known of the GPU, and the ratios are 0.
std::string kernel_args(const DeviceWork& work, std::int64_t external_id,
                        const DeviceProperties* device);
/// Copies and fills. "memory bandwidth (GB/s)" is "N/A" for work that took no time.
std::string memory_args(const DeviceWork& work, std::int64_t external_id);
/// `kind` is the event's name; `device` is the context's, which the record does not say itself.
std::string sync_args(const SyncRecord& sync, std::string_view kind, std::int64_t external_id,
                      std::int32_t device);

}  // namespace tracebook
