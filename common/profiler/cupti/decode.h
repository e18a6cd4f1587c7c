// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's activity buffers, decoded: bytes in, plain structures out.
//
//   ActivityDecoder decoder;
//   decoder.decode(buffer, records);    // for each completed buffer, in order
//
// Needs libcupti to walk the buffer, but no GPU and no driver: tests hand it records of their own.
// Not for concurrent use.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

#include "common/profiler/activity.h"
#include "common/profiler/cupti/api_table.h"

namespace tracebook {

class ActivityDecoder {
 public:
  /// Appends what `buffer` (aligned to 8 bytes, filled by CUPTI) holds. A record of an unknown kind
  /// is counted, and ends the buffer if CUPTI cannot step over it; a record that is cut off ends
  /// the buffer and counts as cut.
  void decode(std::span<const std::uint8_t> buffer, ActivityRecords& records);

 private:
  StringId kernel_name(const char* mangled, ActivityRecords& records);

  ApiTable table_;
  std::unordered_map<std::string, std::string> demangled_;
};

}  // namespace tracebook
