// SPDX-License-Identifier: Apache-2.0
//
// The members of the top-level object beside `traceEvents`, between text and Head. One table names
// the fields of deviceProperties and of our own member "tracebook"; reader and writer share it.
//
//   read_head_member(trace, "baseTimeNanoseconds", "1790857026000000000");
//   append_devices(out, trace.head.devices);
//
// Plain functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/trace/trace.h"

namespace tracebook {

/// Takes over one member; `value` is its JSON text. What has no field of its own is kept as text.
void read_head_member(Trace& trace, std::string_view key, std::string_view value);
/// Drops texts that made no sense where another member of the file gave the same field.
void drop_superseded_members(Head& head);

/// The text of the member `deviceProperties`.
void append_devices(std::string& out, const std::vector<DeviceProperties>& devices);

/// The text of the member "tracebook": where a recording of ours comes from, and what its recorder
/// had to report.
void append_provenance(std::string& out, const Trace& trace);

}  // namespace tracebook
