// SPDX-License-Identifier: Apache-2.0
#include "common/trace/trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "common/trace/args.h"
#include "common/trace/structure.h"

namespace tracebook {
namespace {

struct CategoryText {
  std::string_view text;
  Category category;
};

/// Kineto's names of today, in the order of the enumeration.
constexpr std::array<std::string_view, kCategoryCount> kNames{"cpu_op",
                                                              "user_annotation",
                                                              "python_function",
                                                              "cuda_runtime",
                                                              "cuda_driver",
                                                              "overhead",
                                                              "kernel",
                                                              "gpu_memcpy",
                                                              "gpu_memset",
                                                              "gpu_user_annotation",
                                                              "cuda_sync",
                                                              "Trace",
                                                              ""};

/// Names for the same things: Kineto before 2022, ROCm, other accelerators.
constexpr std::array kOtherNames{
    CategoryText{"Operator", Category::kCpuOp},
    CategoryText{"operator", Category::kCpuOp},
    CategoryText{"cpu_instant_event", Category::kCpuOp},
    CategoryText{"User_Annotation", Category::kUserAnnotation},
    CategoryText{"User Annotation", Category::kUserAnnotation},
    CategoryText{"Python_Function", Category::kPythonFunction},
    CategoryText{"Python function", Category::kPythonFunction},
    CategoryText{"python_func", Category::kPythonFunction},
    CategoryText{"Runtime", Category::kRuntime},
    CategoryText{"runtime", Category::kRuntime},
    CategoryText{"hip_runtime", Category::kRuntime},
    CategoryText{"xpu_runtime", Category::kRuntime},
    CategoryText{"mtia_runtime", Category::kRuntime},
    CategoryText{"privateuse1_runtime", Category::kRuntime},
    CategoryText{"Driver", Category::kDriver},
    CategoryText{"hip_driver", Category::kDriver},
    CategoryText{"xpu_driver", Category::kDriver},
    CategoryText{"privateuse1_driver", Category::kDriver},
    CategoryText{"Overhead", Category::kOverhead},
    CategoryText{"Kernel", Category::kKernel},
    CategoryText{"Memcpy", Category::kMemcpy},
    CategoryText{"memcpy", Category::kMemcpy},
    CategoryText{"gpu_mem_cpy", Category::kMemcpy},
    CategoryText{"Memset", Category::kMemset},
    CategoryText{"memset", Category::kMemset},
    CategoryText{"Gpu_User_Annotation", Category::kGpuUserAnnotation},
    CategoryText{"Trace_Span", Category::kTraceSpan},
};

}  // namespace

std::string_view category_name(Category category) {
  return kNames[static_cast<std::size_t>(category)];
}

Category category_of(std::string_view text) {
  for (std::size_t i = 0; i + 1 < kNames.size(); ++i) {  // the last one is kOther's ""
    if (kNames[i] == text) return static_cast<Category>(i);
  }
  for (const CategoryText& entry : kOtherNames) {
    if (entry.text == text) return entry.category;
  }
  return Category::kOther;
}

void Slices::reserve(std::size_t count) {
  ts_ns.reserve(count);
  dur_ns.reserve(count);
  name.reserve(count);
  category_text.reserve(count);
  category.reserve(count);
  track.reserve(count);
  correlation.reserve(count);
  external_id.reserve(count);
  args.reserve(count);
}

std::string_view Head::member(std::string_view key) const {
  for (const auto& [name, text] : members) {
    if (name == key) return text;
  }
  return {};
}

TrackId Trace::track_of(TrackKind kind, const EventId& pid, const EventId& tid,
                        std::int32_t device) {
  const bool on_device = kind == TrackKind::kStream || kind == TrackKind::kGpuSpans;
  const Track wanted{kind, pid, tid, on_device ? device : -1};
  // The newest tracks are asked for again and again: look from the back.
  for (std::size_t i = tracks.size(); i-- > 0;) {
    if (tracks[i] == wanted) return static_cast<TrackId>(i);
  }
  tracks.push_back(wanted);
  return static_cast<TrackId>(tracks.size() - 1);
}

ArgsRef Trace::keep_args(std::string_view args) {
  const ArgsRef ref{args_text.size(), static_cast<std::uint32_t>(args.size())};
  args_text += args;
  return ref;
}

namespace {

/// The track on which the reader places what is no slice: one of the slices' of the same pid and
/// tid if there is any, by kind and then by age.
TrackId track_for_others(Trace& trace, const EventId& pid, const EventId& tid) {
  using enum TrackKind;
  for (const TrackKind kind : {kCpuThread, kStream, kGpuSpans, kOverhead}) {
    const auto found = std::ranges::find_if(trace.tracks, [&](const Track& track) {
      return track.kind == kind && track.pid == pid && track.tid == tid;
    });
    if (found != trace.tracks.end()) return static_cast<TrackId>(found - trace.tracks.begin());
  }
  return trace.track_of(kOther, pid, tid, -1);
}

}  // namespace

void Trace::add_counter(std::string_view counter, std::string_view series, double value,
                        std::int64_t ts_ns, const EventId& pid) {
  std::array<char, 32> number{};
  const auto end = std::to_chars(number.data(), number.data() + number.size(), value).ptr;
  OtherEvent event;
  event.phase = 'C';
  event.name = strings.intern(counter);
  event.track = track_for_others(*this, pid, EventId{});
  event.ts_ns = ts_ns;
  event.args = keep_args("{" + json_quote(series) + ": " + std::string(number.data(), end) + "}");
  others.push_back(event);
}

SliceId Trace::add_slice(Category category, StringId category_text, StringId name, TrackId track,
                         std::int64_t ts_ns, std::int64_t dur_ns, std::int64_t correlation,
                         std::int64_t external_id, std::string_view args) {
  slices.ts_ns.push_back(ts_ns);
  slices.dur_ns.push_back(std::max<std::int64_t>(dur_ns, 0));
  slices.name.push_back(name);
  slices.category_text.push_back(category_text);
  slices.category.push_back(category);
  slices.track.push_back(track);
  slices.correlation.push_back(correlation);
  slices.external_id.push_back(external_id);
  slices.args.push_back(args.empty() ? ArgsRef{} : keep_args(args));
  return slices.size() - 1;
}

std::pair<std::int64_t, std::int64_t> Trace::window_ns() const {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (SliceId id = 0; id < slices.size(); ++id) {
    if (slices.category[id] == Category::kTraceSpan || has_impossible_time(*this, id)) continue;
    begin = std::min(begin, slices.ts_ns[id]);
    end = std::max(end, slices.end_ns(id));
  }
  if (begin > end) return {0, 0};
  return {begin, end};
}

void Trace::note(std::string_view kind, std::string_view says, std::uint64_t offset,
                 std::int64_t count) {
  for (Issue& issue : issues) {
    if (issue.kind == kind) {
      issue.count += count;
      return;
    }
  }
  issues.push_back({std::string(kind), std::string(says), count, offset});
}

const DeviceProperties* Trace::device(std::int64_t id) const {
  for (const DeviceProperties& properties : head.devices) {
    if (properties.id == id) return &properties;
  }
  return nullptr;
}

}  // namespace tracebook
