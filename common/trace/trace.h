// SPDX-License-Identifier: Apache-2.0
//
// The trace model: what a live run, a recording of ours and a file from torch.profiler all become.
// Everything that analyses or draws takes a `const Trace&` and cannot tell the three apart, save
// for the provenance it prints.
//
//   Trace trace = read_trace("64_bf16_cold_eager.json").trace;   // reader.h
//   for (SliceId id = 0; id < trace.slices.size(); ++id) trace.name(id);
//   Structure structure = build_structure(trace);                 // structure.h
//
// Times are int64 nanoseconds relative to `head.base_time_ns`; microseconds exist only in the JSON
// reader and writer. Slices are columns in the order in which the source gave them; a SliceId is a
// row number. A Trace is a value: copy and move freely; read it from many threads, write from one.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/trace/string_table.h"

namespace tracebook {

using SliceId = std::uint32_t;
using TrackId = std::uint32_t;
inline constexpr SliceId kNoSlice = std::numeric_limits<SliceId>::max();
/// A correlation or external id that the source did not give.
inline constexpr std::int64_t kNoId = std::numeric_limits<std::int64_t>::min();

/// What an event is. Named as Kineto names its categories; older and other writers' names for the
/// same things ("Kernel", "Runtime", "Operator", "hip_runtime" …) map onto these, and the text as
/// written is kept beside it.
enum class Category : std::uint8_t {
  kCpuOp,              // cpu_op
  kUserAnnotation,     // user_annotation: record_function ranges, ProfilerStep#N
  kPythonFunction,     // python_function
  kRuntime,            // cuda_runtime: calls of the CUDA runtime API
  kDriver,             // cuda_driver: calls of the CUDA driver API
  kOverhead,           // overhead: what the profiler and lazy loading cost
  kKernel,             // kernel
  kMemcpy,             // gpu_memcpy
  kMemset,             // gpu_memset
  kGpuUserAnnotation,  // gpu_user_annotation: a span on the GPU's lane, never work
  kSync,               // cuda_sync: what a stream or the device waited for
  kTraceSpan,          // Trace: the profiler's own window
  kOther,
};
inline constexpr int kCategoryCount = static_cast<int>(Category::kOther) + 1;

/// Kineto's name of a category; "" for kOther.
std::string_view category_name(Category category);
/// The category of a Kineto category text of any era.
Category category_of(std::string_view text);

/// kernel, gpu_memcpy, gpu_memset: the GPU works.
constexpr bool is_device_work(Category category) {
  return category == Category::kKernel || category == Category::kMemcpy ||
         category == Category::kMemset;
}
/// cuda_runtime, cuda_driver: calls that the CPU makes into CUDA.
constexpr bool is_api_call(Category category) {
  return category == Category::kRuntime || category == Category::kDriver;
}
/// cpu_op, user_annotation: ranges that torch's profiler table takes for ops.
constexpr bool is_op(Category category) {
  return category == Category::kCpuOp || category == Category::kUserAnnotation;
}

/// A pid or tid as the source wrote it: a number, or a text ("Spans").
struct EventId {
  bool is_text = false;
  std::int64_t number = 0;
  StringId text = 0;
  bool operator==(const EventId&) const = default;
};

enum class TrackKind : std::uint8_t {
  kCpuThread,
  kStream,    // device work of one GPU stream
  kGpuSpans,  // gpu_user_annotation of one GPU stream
  kOverhead,
  kOther,
};

/// One lane: the events of one kind with the same pid and tid. A CPU thread and a GPU stream whose
/// numbers collide are two tracks.
struct Track {
  TrackKind kind = TrackKind::kOther;
  EventId pid;
  EventId tid;
  std::int32_t device = -1;  ///< GPU index for kStream and kGpuSpans
  bool operator==(const Track&) const = default;
};

/// What a metadata event says of a process or a thread.
struct ProcessName {
  EventId pid;
  std::string name;
  std::string labels;
  std::optional<std::int64_t> sort_index;
  bool operator==(const ProcessName&) const = default;
};
struct ThreadName {
  EventId pid;
  EventId tid;
  std::string name;
  std::optional<std::int64_t> sort_index;
  bool operator==(const ThreadName&) const = default;
};

/// Where an event's `args` object stands in `Trace::args_text`. Size 0: it has none.
struct ArgsRef {
  std::uint64_t offset = 0;
  std::uint32_t size = 0;
};

/// Complete events (Chrome's "X", and matched "B"/"E" pairs), one column per field.
struct Slices {
  std::vector<std::int64_t> ts_ns;
  std::vector<std::int64_t> dur_ns;  ///< never negative; what the source wrote below 0 is 0
  std::vector<StringId> name;
  std::vector<StringId> category_text;
  std::vector<Category> category;
  std::vector<TrackId> track;
  std::vector<std::int64_t> correlation;  ///< kNoId where absent
  std::vector<std::int64_t> external_id;  ///< kNoId where absent
  std::vector<ArgsRef> args;

  [[nodiscard]] SliceId size() const { return static_cast<SliceId>(ts_ns.size()); }
  /// Ranges left open when recording stopped may carry an end beyond int64: that is its maximum.
  [[nodiscard]] std::int64_t end_ns(SliceId id) const {
    constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
    return ts_ns[id] > 0 && dur_ns[id] > kLast - ts_ns[id] ? kLast : ts_ns[id] + dur_ns[id];
  }
  void reserve(std::size_t count);
};

/// An arrow's end (Chrome's "s", "t", "f"), as written.
struct Flow {
  char phase = 's';
  bool bind_enclosing = false;  ///< "bp": "e"
  StringId name = 0;
  StringId category_text = 0;
  TrackId track = 0;
  std::int64_t id = 0;
  std::int64_t ts_ns = 0;
  bool operator==(const Flow&) const = default;
};

/// Instants ("i", "I", "R"), counters ("C") and whatever else is neither slice nor flow.
struct OtherEvent {
  char phase = 'i';
  char scope = 0;  ///< "s" of an instant: 'g', 'p', 't', or 0
  StringId name = 0;
  StringId category_text = 0;
  TrackId track = 0;
  std::int64_t ts_ns = 0;
  ArgsRef args;
};

/// One entry of `deviceProperties`. Zero where the source does not say.
struct DeviceProperties {
  std::int64_t id = 0;
  std::string name;
  std::int64_t total_global_mem = 0;  ///< bytes
  std::int64_t compute_major = 0;
  std::int64_t compute_minor = 0;
  std::int64_t max_threads_per_block = 0;
  std::int64_t max_threads_per_multiprocessor = 0;
  std::int64_t regs_per_block = 0;
  std::int64_t warp_size = 0;
  std::int64_t shared_mem_per_block = 0;  ///< bytes, without opting in
  std::int64_t num_sms = 0;
  std::int64_t regs_per_multiprocessor = 0;
  std::int64_t shared_mem_per_block_optin = 0;  ///< bytes
  std::int64_t shared_mem_per_multiprocessor = 0;
  bool operator==(const DeviceProperties&) const = default;
};

/// How a recording of ours came about; empty for other writers' files.
struct Provenance {
  std::string chapter;    ///< "01_cold_trace"
  std::string recording;  ///< stem of the artefact, "64_bf16_cold_eager"
  std::string command;    ///< the command line that made it
  std::string commit;
  std::string recorded_at;  ///< UTC, ISO 8601
  std::string gpu;
  std::string driver;  ///< "580.159.04"
  std::string cuda;    ///< runtime, "13.0"
  std::string cublas;
  std::string cupti;
  bool operator==(const Provenance&) const = default;
  [[nodiscard]] bool empty() const { return chapter.empty() && recorded_at.empty(); }
};

/// The members of the top-level object beside `traceEvents`.
struct Head {
  std::int64_t base_time_ns = 0;  ///< baseTimeNanoseconds
  std::vector<DeviceProperties> devices;
  Provenance provenance;  ///< member "tracebook"
  /// Every other member, in order: key and JSON text as written.
  std::vector<std::pair<std::string, std::string>> members;

  /// JSON text of a member of `members`, or "".
  [[nodiscard]] std::string_view member(std::string_view key) const;
};

/// Something that the reader repaired, skipped or noticed, by kind.
struct Issue {
  std::string kind;  ///< e.g. "bad_utf8", "bare_nan", "unclosed_array"
  std::string says;  ///< one sentence
  std::int64_t count = 0;
  std::uint64_t first_offset = 0;  ///< byte offset in the (uncompressed) text
};

class Trace {
 public:
  Head head;
  StringTable strings;
  std::vector<Track> tracks;
  std::vector<ProcessName> processes;
  std::vector<ThreadName> threads;
  Slices slices;
  std::vector<Flow> flows;
  std::vector<OtherEvent> others;
  std::vector<Issue> issues;
  /// All `args` objects as JSON text, back to back; ArgsRef points into it.
  std::string args_text;

  [[nodiscard]] std::string_view name(SliceId id) const { return strings.view(slices.name[id]); }
  [[nodiscard]] std::string_view args(SliceId id) const { return args(slices.args[id]); }
  [[nodiscard]] std::string_view args(ArgsRef ref) const {
    return std::string_view(args_text).substr(ref.offset, ref.size);
  }

  /// The track of these events, made if it is new. Device tracks take their GPU from `device`.
  TrackId track_of(TrackKind kind, const EventId& pid, const EventId& tid, std::int32_t device);

  /// A new slice; `args` is the JSON text of its args object, or "".
  SliceId add_slice(Category category, StringId category_text, StringId name, TrackId track,
                    std::int64_t ts_ns, std::int64_t dur_ns, std::int64_t correlation,
                    std::int64_t external_id, std::string_view args);

  /// A counter's value at a time (Chrome's "C"), as its args {"<series>": <value>}. `pid`: whose it
  /// is; a GPU's is its number.
  void add_counter(std::string_view counter, std::string_view series, double value,
                   std::int64_t ts_ns, const EventId& pid = {});

  /// Appends `args` to args_text.
  ArgsRef keep_args(std::string_view args);

  /// Start of the first and end of the last timed slice, or {0, 0}. Metadata, instants, the
  /// profiler's own "Trace" span and impossible times (see structure.h) do not count.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> window_ns() const;

  /// Adds to the count of an issue of this kind.
  void note(std::string_view kind, std::string_view says, std::uint64_t offset,
            std::int64_t count = 1);

  /// The properties of a GPU, or null.
  [[nodiscard]] const DeviceProperties* device(std::int64_t id) const;
};

/// Equal event for event and field by field: names and categories by text, args as JSON values are
/// NOT compared but as text. Returns what differs first, or "".
std::string first_difference(const Trace& left, const Trace& right);

}  // namespace tracebook
