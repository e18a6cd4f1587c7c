// SPDX-License-Identifier: Apache-2.0
//
// first_difference(): what distinguishes two traces, told so that a failing test says where.
#include <cstddef>
#include <string>
#include <string_view>

#include "common/trace/trace.h"

namespace tracebook {
namespace {

/// Compares one item after the other; only the first difference is kept.
class Comparison {
 public:
  Comparison(const Trace& left, const Trace& right) : left_(left), right_(right) {}

  std::string run() {
    heads();
    processes_and_threads();
    numbers("number of slices", left_.slices.size(), right_.slices.size());
    for (SliceId id = 0; id < left_.slices.size() && first_.empty(); ++id) slice(id);
    lists("flows", "flow", left_.flows, right_.flows, &Comparison::flow);
    lists("other events", "other event", left_.others, right_.others, &Comparison::other);
    return first_;
  }

 private:
  void differ(const std::string& what, std::string_view left, std::string_view right) {
    if (!first_.empty()) return;
    first_ = what + " differs: '";
    first_ += left;
    first_ += "' and '";
    first_ += right;
    first_ += '\'';
  }
  void texts(const std::string& what, std::string_view left, std::string_view right) {
    if (left != right) differ(what, left, right);
  }
  template <typename Number>
  void numbers(const std::string& what, Number left, Number right) {
    if (left != right) differ(what, std::to_string(left), std::to_string(right));
  }
  void interned(const std::string& what, StringId left, StringId right) {
    texts(what, left_.strings.view(left), right_.strings.view(right));
  }
  template <typename List>
  void lists(const std::string& items, const std::string& item, const List& left, const List& right,
             void (Comparison::*compare)(const std::string&, const typename List::value_type&,
                                         const typename List::value_type&)) {
    numbers("number of " + items, left.size(), right.size());
    for (std::size_t i = 0; i < left.size() && first_.empty(); ++i) {
      (this->*compare)(item + " " + std::to_string(i), left[i], right[i]);
    }
  }

  static std::string id_text(const Trace& trace, const EventId& id) {
    if (!id.is_text) return std::to_string(id.number);
    return '"' + std::string(trace.strings.view(id.text)) + '"';
  }
  static std::string track_text(const Trace& trace, TrackId id) {
    const Track& track = trace.tracks[id];
    return "kind " + std::to_string(static_cast<int>(track.kind)) + " pid " +
           id_text(trace, track.pid) + " tid " + id_text(trace, track.tid) + " device " +
           std::to_string(track.device);
  }
  void tracks(const std::string& what, TrackId left, TrackId right) {
    const Track& one = left_.tracks[left];
    const Track& two = right_.tracks[right];
    // Numbers are equal as they stand; texts have their own ids in each trace.
    if (one == two && !one.pid.is_text && !one.tid.is_text) return;
    texts(what, track_text(left_, left), track_text(right_, right));
  }

  void heads() {
    const Head& left = left_.head;
    const Head& right = right_.head;
    numbers("base time", left.base_time_ns, right.base_time_ns);
    lists("devices", "device", left.devices, right.devices, &Comparison::device);
    provenance(left.provenance, right.provenance);
    lists("head members", "head member", left.members, right.members, &Comparison::member);
  }
  void provenance(const Provenance& left, const Provenance& right) {
    texts("provenance chapter", left.chapter, right.chapter);
    texts("provenance recording", left.recording, right.recording);
    texts("provenance command", left.command, right.command);
    texts("provenance commit", left.commit, right.commit);
    texts("provenance recorded_at", left.recorded_at, right.recorded_at);
    texts("provenance gpu", left.gpu, right.gpu);
    texts("provenance driver", left.driver, right.driver);
    texts("provenance cuda", left.cuda, right.cuda);
    texts("provenance cublas", left.cublas, right.cublas);
    texts("provenance cupti", left.cupti, right.cupti);
  }
  void device(const std::string& what, const DeviceProperties& left,
              const DeviceProperties& right) {
    texts(what + " name", left.name, right.name);
    const auto field = [&](const char* name, std::int64_t DeviceProperties::*member) {
      numbers(what + " " + name, left.*member, right.*member);
    };
    field("id", &DeviceProperties::id);
    field("total_global_mem", &DeviceProperties::total_global_mem);
    field("compute_major", &DeviceProperties::compute_major);
    field("compute_minor", &DeviceProperties::compute_minor);
    field("max_threads_per_block", &DeviceProperties::max_threads_per_block);
    field("max_threads_per_multiprocessor", &DeviceProperties::max_threads_per_multiprocessor);
    field("regs_per_block", &DeviceProperties::regs_per_block);
    field("warp_size", &DeviceProperties::warp_size);
    field("shared_mem_per_block", &DeviceProperties::shared_mem_per_block);
    field("num_sms", &DeviceProperties::num_sms);
    field("regs_per_multiprocessor", &DeviceProperties::regs_per_multiprocessor);
    field("shared_mem_per_block_optin", &DeviceProperties::shared_mem_per_block_optin);
    field("shared_mem_per_multiprocessor", &DeviceProperties::shared_mem_per_multiprocessor);
  }
  void member(const std::string& what, const std::pair<std::string, std::string>& left,
              const std::pair<std::string, std::string>& right) {
    texts(what, left.first, right.first);
    texts(what + " " + left.first, left.second, right.second);
  }

  void processes_and_threads() {
    lists("processes", "process", left_.processes, right_.processes, &Comparison::process);
    lists("threads", "thread", left_.threads, right_.threads, &Comparison::thread);
  }
  void sort_index(const std::string& what, const std::optional<std::int64_t>& left,
                  const std::optional<std::int64_t>& right) {
    const auto text = [](const auto& value) { return value ? std::to_string(*value) : "none"; };
    texts(what + " sort index", text(left), text(right));
  }
  void process(const std::string& what, const ProcessName& left, const ProcessName& right) {
    texts(what + " pid", id_text(left_, left.pid), id_text(right_, right.pid));
    texts(what + " name", left.name, right.name);
    texts(what + " labels", left.labels, right.labels);
    sort_index(what, left.sort_index, right.sort_index);
  }
  void thread(const std::string& what, const ThreadName& left, const ThreadName& right) {
    texts(what + " pid", id_text(left_, left.pid), id_text(right_, right.pid));
    texts(what + " tid", id_text(left_, left.tid), id_text(right_, right.tid));
    texts(what + " name", left.name, right.name);
    sort_index(what, left.sort_index, right.sort_index);
  }

  void slice(SliceId id) {
    const Slices& left = left_.slices;
    const Slices& right = right_.slices;
    const std::string what = "slice " + std::to_string(id) + " ";
    interned(what + "name", left.name[id], right.name[id]);
    interned(what + "category text", left.category_text[id], right.category_text[id]);
    numbers(what + "category", static_cast<int>(left.category[id]),
            static_cast<int>(right.category[id]));
    tracks(what + "track", left.track[id], right.track[id]);
    numbers(what + "start", left.ts_ns[id], right.ts_ns[id]);
    numbers(what + "duration", left.dur_ns[id], right.dur_ns[id]);
    numbers(what + "correlation", left.correlation[id], right.correlation[id]);
    numbers(what + "external id", left.external_id[id], right.external_id[id]);
    texts(what + "args", left_.args(id), right_.args(id));
  }
  void flow(const std::string& what, const Flow& left, const Flow& right) {
    texts(what + " phase", {&left.phase, 1}, {&right.phase, 1});
    numbers(what + " bound to what encloses it", int{left.bind_enclosing},
            int{right.bind_enclosing});
    interned(what + " name", left.name, right.name);
    interned(what + " category text", left.category_text, right.category_text);
    tracks(what + " track", left.track, right.track);
    numbers(what + " id", left.id, right.id);
    numbers(what + " time", left.ts_ns, right.ts_ns);
  }
  void other(const std::string& what, const OtherEvent& left, const OtherEvent& right) {
    texts(what + " phase", {&left.phase, 1}, {&right.phase, 1});
    numbers(what + " scope", int{left.scope}, int{right.scope});
    interned(what + " name", left.name, right.name);
    interned(what + " category text", left.category_text, right.category_text);
    tracks(what + " track", left.track, right.track);
    numbers(what + " time", left.ts_ns, right.ts_ns);
    texts(what + " args", left_.args(left.args), right_.args(right.args));
  }

  const Trace& left_;
  const Trace& right_;
  std::string first_;
};

}  // namespace

std::string first_difference(const Trace& left, const Trace& right) {
  return Comparison(left, right).run();
}

}  // namespace tracebook
