// SPDX-License-Identifier: Apache-2.0
#include "common/trace/writer.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <new>
#include <utility>
#include <vector>

#include "common/trace/args.h"
#include "common/trace/file.h"
#include "common/trace/head_members.h"
#include "common/trace/time_text.h"

namespace tracebook {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;  // what is in memory of the text

using Sink = std::function<void(std::string_view)>;

/// Builds the text piece by piece and hands each piece on.
class TraceText {
 public:
  TraceText(const Trace& trace, Sink sink)
      : trace_(trace), sink_(std::move(sink)), start_ns_(trace.window_ns().first) {
    out_.reserve(2 * kPieceBytes);
  }

  void write() {
    const bool name_last = name_comes_last();
    begin_head(name_last);
    slices_and_flows();
    for (const ProcessName& process : trace_.processes) process_rows(process);
    for (const ThreadName& thread : trace_.threads) thread_rows(thread);
    for (const OtherEvent& event : trace_.others) other(event);
    out_ += events_ == 0 ? "]" : "\n  ]";
    if (name_last) {
      out_ += ",\n  \"traceName\": ";
      out_ += trace_.head.members.back().second;
    }
    out_ += "\n}\n";
    sink_(out_);
  }

 private:
  // ---- pieces of JSON ----
  void number(std::int64_t value) {
    std::array<char, 24> digits;
    out_.append(digits.data(),
                std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  }
  void key_number(std::string_view key, std::int64_t value) {
    out_ += key;
    number(value);
  }
  void key_text(std::string_view key, std::string_view text) {
    out_ += key;
    append_json_quoted(out_, text);
  }
  void key_time(std::string_view key, std::int64_t ns) {
    out_ += key;
    append_microseconds(out_, ns);
  }
  void event_id(std::string_view key, const EventId& id) {
    if (id.is_text) {
      key_text(key, trace_.strings.view(id.text));
    } else {
      key_number(key, id.number);
    }
  }
  void place(std::string_view before, const EventId& pid, const EventId& tid) {
    out_ += before;
    event_id("\"pid\": ", pid);
    event_id(", \"tid\": ", tid);
  }
  void place(std::string_view before, TrackId track) {
    place(before, trace_.tracks[track].pid, trace_.tracks[track].tid);
  }
  void category(StringId text) {
    if (text != 0) key_text(", \"cat\": ", trace_.strings.view(text));
  }
  void phase(std::string_view key, char phase) { key_text(key, {&phase, 1}); }

  // ---- the head ----
  void member(std::string_view key, std::string_view text) {
    append_json_quoted(out_, key);
    out_ += ": ";
    out_ += text;
    out_ += ",\n  ";
  }

  /// Kineto writes `traceName` behind the events. Elsewhere in the list it keeps its place there,
  /// since the order of the members is part of the trace.
  [[nodiscard]] bool name_comes_last() const {
    const auto& members = trace_.head.members;
    return !members.empty() && members.back().first == "traceName";
  }

  void begin_head(bool name_last) {
    const Head& head = trace_.head;
    auto next = head.members.begin();
    const auto end = head.members.end() - (name_last ? 1 : 0);
    std::string own;
    out_ += "{\n  ";
    if (next != end && next->first == "schemaVersion") {
      member(next->first, next->second);
      ++next;
    }
    if (!head.devices.empty() || head.member("deviceProperties").empty()) {
      append_devices(own, head.devices);
      member("deviceProperties", own);
    }
    for (; next != end; ++next) {
      if (!is_written_apart(next->first)) member(next->first, next->second);
    }
    if (!head.provenance.empty()) {
      own.clear();
      append_provenance(own, trace_);
      member("tracebook", own);
    }
    if (head.base_time_ns != 0 || head.member("baseTimeNanoseconds").empty()) {
      member("baseTimeNanoseconds", std::to_string(head.base_time_ns));
    }
    out_ += "\"traceEvents\": [";
  }

  /// Whether a member has a field in Head that is written in its stead. The reader keeps members of
  /// these names as text only where they made no sense: the field is then unset.
  [[nodiscard]] bool is_written_apart(std::string_view key) const {
    const Head& head = trace_.head;
    return key == "traceEvents" || (key == "deviceProperties" && !head.devices.empty()) ||
           (key == "baseTimeNanoseconds" && head.base_time_ns != 0) ||
           (key == "tracebook" && !head.provenance.empty());
  }

  // ---- events ----
  void begin_event() { out_ += events_++ == 0 ? "\n  {\n    " : ",\n  {\n    "; }
  void end_event() {
    out_ += "\n  }";
    if (out_.size() < kPieceBytes) return;
    sink_(out_);
    out_.clear();
  }

  /// As Kineto does, an arrow's end directly behind the slice that it touches, as far as the order
  /// of the arrows allows; the others behind all slices.
  void slices_and_flows() {
    std::size_t next_flow = 0;
    const auto& flows = trace_.flows;
    for (SliceId id = 0; id < trace_.slices.size(); ++id) {
      slice(id);
      for (; next_flow < flows.size() && touches(flows[next_flow], id); ++next_flow) {
        flow(flows[next_flow]);
      }
    }
    for (; next_flow < flows.size(); ++next_flow) flow(flows[next_flow]);
  }
  [[nodiscard]] bool touches(const Flow& flow, SliceId id) const {
    return flow.ts_ns == trace_.slices.ts_ns[id] && flow.track == trace_.slices.track[id];
  }

  void slice(SliceId id) {
    const Slices& slices = trace_.slices;
    begin_event();
    out_ += R"("ph": "X")";
    category(slices.category_text[id]);
    if (slices.category[id] == Category::kTraceSpan) {  // the one that Kineto orders otherwise
      slice_times(", ", id);
      place(",\n    ", slices.track[id]);
      key_text(",\n    \"name\": ", trace_.name(id));
    } else {
      key_text(", \"name\": ", trace_.name(id));
      place(", ", slices.track[id]);
      slice_times(",\n    ", id);
    }
    if (const std::string_view args = trace_.args(id); !args.empty()) {
      out_ += ",\n    \"args\": ";
      out_ += args;
    } else {
      ids_as_args(slices.external_id[id], slices.correlation[id]);
    }
    end_event();
  }
  void slice_times(std::string_view before, SliceId id) {
    out_ += before;
    key_time("\"ts\": ", trace_.slices.ts_ns[id]);
    key_time(", \"dur\": ", trace_.slices.dur_ns[id]);
  }
  /// The ids are part of the args; where those were not kept, the ids are all that is left of them.
  void ids_as_args(std::int64_t external_id, std::int64_t correlation) {
    if (external_id == kNoId && correlation == kNoId) return;
    out_ += ",\n    \"args\": {";
    if (external_id != kNoId) key_number("\"External id\": ", external_id);
    if (external_id != kNoId && correlation != kNoId) out_ += ", ";
    if (correlation != kNoId) key_number("\"correlation\": ", correlation);
    out_ += '}';
  }

  void flow(const Flow& flow) {
    begin_event();
    phase("\"ph\": ", flow.phase);
    key_number(", \"id\": ", flow.id);
    place(", ", flow.track);
    key_time(", \"ts\": ", flow.ts_ns);
    if (flow.category_text != 0) {
      key_text(",\n    \"cat\": ", trace_.strings.view(flow.category_text));
    }
    key_text(", \"name\": ", trace_.strings.view(flow.name));
    if (flow.bind_enclosing) out_ += R"(, "bp": "e")";
    end_event();
  }

  /// What says something of a process or thread: `"args": {"name": "python3"}`.
  void row(std::string_view name, const EventId& pid, const EventId& tid, std::string_view key,
           const std::function<void()>& value) {
    begin_event();
    key_text("\"name\": ", name);
    out_ += R"(, "ph": "M")";
    key_time(", \"ts\": ", start_ns_);
    place(", ", pid, tid);
    out_ += ",\n    \"args\": {\n      \"";
    out_ += key;
    out_ += "\": ";
    value();
    out_ += "\n    }";
    end_event();
  }
  void process_rows(const ProcessName& process) {
    const EventId none;
    // One row at least, that says nothing but that there is the process.
    if (!process.name.empty() || (process.labels.empty() && !process.sort_index)) {
      row("process_name", process.pid, none, "name", [&] { key_text("", process.name); });
    }
    if (!process.labels.empty()) {
      row("process_labels", process.pid, none, "labels", [&] { key_text("", process.labels); });
    }
    if (process.sort_index) {
      row("process_sort_index", process.pid, none, "sort_index",
          [&] { number(*process.sort_index); });
    }
  }
  void thread_rows(const ThreadName& thread) {
    if (!thread.name.empty() || !thread.sort_index) {
      row("thread_name", thread.pid, thread.tid, "name", [&] { key_text("", thread.name); });
    }
    if (thread.sort_index) {
      row("thread_sort_index", thread.pid, thread.tid, "sort_index",
          [&] { number(*thread.sort_index); });
    }
  }

  void other(const OtherEvent& event) {
    begin_event();
    key_text("\"name\": ", trace_.strings.view(event.name));
    phase(", \"ph\": ", event.phase);
    category(event.category_text);
    if (event.scope != 0) phase(", \"s\": ", event.scope);
    place(",\n    ", event.track);
    key_time(", \"ts\": ", event.ts_ns);
    if (const std::string_view args = trace_.args(event.args); !args.empty()) {
      out_ += ",\n    \"args\": ";
      out_ += args;
    }
    end_event();
  }

  const Trace& trace_;
  Sink sink_;
  std::int64_t start_ns_;
  std::string out_;
  std::uint64_t events_ = 0;
};

/// Compresses on the way to a file.
class Gzip {
 public:
  explicit Gzip(NewFile& file) : file_(file), buffer_(kPieceBytes) {
    constexpr int kWindowBits = 15 + 16;  // the largest window; gzip's frame, not zlib's
    constexpr int kMemory = 8;            // zlib's default
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWindowBits, kMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();  // all else that could fail is constant
    }
  }
  ~Gzip() { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void write(std::string_view piece) {
    // In parts that zlib's 32-bit counts hold. It never writes to its input, though it does not
    // say.
    for (; !piece.empty(); piece.remove_prefix(std::min(piece.size(), kPieceBytes))) {
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      stream_.avail_in = static_cast<uInt>(std::min(piece.size(), kPieceBytes));
      run(Z_NO_FLUSH);
    }
  }
  void finish() { run(Z_FINISH); }

 private:
  void run(int flush) {
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      deflate(&stream_, flush);
      file_.write({buffer_.data(), buffer_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  NewFile& file_;
  std::vector<char> buffer_;
  z_stream stream_{};
};

}  // namespace

std::string write_trace_text(const Trace& trace) {
  std::string text;
  TraceText(trace, [&](std::string_view piece) { text += piece; }).write();
  return text;
}

void write_trace_file(const Trace& trace, const std::filesystem::path& path) {
  NewFile file(path);
  if (path.extension() == ".gz") {
    Gzip gzip(file);
    TraceText(trace, [&](std::string_view piece) { gzip.write(piece); }).write();
    gzip.finish();
  } else {
    TraceText(trace, [&](std::string_view piece) { file.write(piece); }).write();
  }
  file.commit();
}

}  // namespace tracebook
