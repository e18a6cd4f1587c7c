// SPDX-License-Identifier: Apache-2.0
//
// Which names of a trace the profiler, CUDA or torch wrote, as opposed to people: what redaction
// may leave as it is. A list of what is known, since what is secret cannot be listed. Part of
// redact().
//
//   is_known_name(NameRole::kAnnotation, "ProfilerStep#3");   // true
//   is_known_name(NameRole::kAnnotation, "eval on acme");     // false
//
// Plain functions of texts; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/trace/trace.h"

namespace tracebook {

/// What a text stands for, since the same text may be harmless as one thing and not as another.
enum class NameRole : std::uint8_t {
  kOp,
  kAnnotation,  ///< record_function, on the CPU's or the GPU's side
  kPython,
  kCall,
  kOverhead,
  kWork,  ///< kernels, copies, fills
  kSync,
  kSpan,   ///< the profiler's own window
  kEvent,  ///< slices of no known category
  kMark,   ///< instants, counters, flows
  kCategory,
  kLane,     ///< a pid or tid that is a text
  kProcess,  ///< a process name
  kThread,
  kLabel,   ///< of a process
  kDevice,  ///< a GPU's name
};

NameRole role_of(Category category);
/// "annotation": what stands in a name's stead begins with it.
std::string_view noun_of(NameRole role);

bool is_known_name(NameRole role, std::string_view text);
/// What of an unknown name is torch's own and stays: "Optimizer.step#" of a class that is not
/// torch's, for example. "" mostly.
std::string_view known_beginning(NameRole role, std::string_view text);

/// The word of an unknown name by which a reader tells what it names where events say no category:
/// "GPU" of a lane, "cudaCall" for any call of the runtime. It stays, before the stand-in. ""
/// mostly.
std::string_view kind_hint(NameRole role, std::string_view text);

/// Whether `text` is of the form: "%d" stands for digits, "%w" for letters, digits and underscores,
/// "%q" for these and ".<>", "%o" for these and ":".
bool is_of_form(std::string_view form, std::string_view text);

/// all_reduce, broadcast and so on, as c10d and NCCL name them.
bool is_collective(std::string_view text);

}  // namespace tracebook
