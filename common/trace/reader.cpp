// SPDX-License-Identifier: Apache-2.0
#include "common/trace/reader.h"

#include <string>
#include <utility>

#include "common/trace/args.h"
#include "common/trace/byte_source.h"
#include "common/trace/error.h"
#include "common/trace/event_builder.h"
#include "common/trace/head_members.h"
#include "common/trace/json_text.h"
#include "common/trace/text_window.h"
#include "common/trace/tolerant_scanner.h"
#include "common/trace/window_parser.h"

namespace tracebook {
namespace {

constexpr std::string_view kExpected =
    "expected a trace in Chrome's JSON format: an object with traceEvents, or a list of events";

/// Walks through the file once: head members, the list of events (window by window), more members.
class TraceReader {
 public:
  TraceReader(ByteSource& source, std::string_view name, const ReadOptions& options)
      : source_(source),
        name_(name),
        options_(options),
        window_(source, options.window_bytes),
        builder_(result_.trace, options) {}

  ReadResult read() {
    fill();
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (window_.text().starts_with(kByteOrderMark)) window_.consume(kByteOrderMark.size());
    const char first = next_character();
    if (first == '\0' && window_.text().empty()) {
      fail_if_cut_gzip();
      throw InputError(name_ + ": is empty; " + std::string(kExpected));
    }
    if (first == '[') {
      window_.consume(1);
      read_events();
    } else if (first == '{') {
      window_.consume(1);
      read_object();
    } else {
      throw InputError(name_ + ": is no JSON: it begins with " + shown(first) + "; " +
                       std::string(kExpected));
    }
    read_to_end();
    if (builder_.events() == 0 && builder_.skipped() > 0 && broken_ == 0) {
      throw InputError(name_ + ": holds no events of a trace, only other JSON; " +
                       std::string(kExpected));
    }
    builder_.finish();
    result_.events = builder_.events();
    const bool skipped = builder_.skipped() > 0 || broken_ > 0;
    if (skipped && !options_.salvage) result_.exit_code = static_cast<int>(ExitCode::kBadInput);
    return std::move(result_);
  }

 private:
  enum class Progress : std::uint8_t { kGoOn, kArrayEnded, kObjectEnded, kFileEnded };

  static std::string shown(char c) {
    if (c > ' ' && c < '\x7f') return std::string("'") + c + "'";
    return "byte " + std::to_string(static_cast<unsigned char>(c));
  }

  void fill() { window_.fill(); }

  /// Steps over white space, filling as needed; '\0' at the end of the file.
  char next_character() {
    while (true) {
      fill();
      const std::string_view text = window_.text();
      const std::size_t at = skip_json_space(text, 0);
      window_.consume(at);
      if (at < text.size()) return text[at];
      if (window_.at_end()) return '\0';
    }
  }
  /// Whether nothing but the end of the file is left; call after next_character().
  [[nodiscard]] bool ended() const { return window_.text().empty(); }

  // --- The members of the object -----------------------------------------------------------------

  void read_object() {
    in_object_ = true;
    bool comma = true;  // or the opening brace
    bool any = false;
    while (true) {
      const char c = next_character();
      if (c == '\0' && ended()) {
        end_of_file_in_object();
        return;
      }
      if (c == '}') {
        if (comma && any) builder_.note(issue::kTrailingComma, window_.offset());
        window_.consume(1);
        break;
      }
      if (c == ',' && !comma) {
        window_.consume(1);
        comma = true;
        continue;
      }
      if (c != '"' || !comma) {
        if (!step_over_bad_member()) return;
      } else if (!read_member()) {
        if (object_done_) return;
        if (!bad_member_) continue;
        bad_member_ = false;
        if (!step_over_bad_member()) return;
      }
      comma = false;
      any = true;
    }
    if (!has_events_) {
      throw InputError(name_ + ": holds no traceEvents; " + std::string(kExpected));
    }
  }

  /// One `"key": value`. False if it is none (bad_member_) or ends the object (object_done_).
  bool read_member() {
    std::string key;
    if (!take_value(&key)) return false;
    key = unescape_json(std::string_view(key).substr(1, key.size() - 2));
    if (next_character() != ':') {
      if (ended()) return cut_in_member();
      bad_member_ = true;
      return false;
    }
    window_.consume(1);
    const char first = next_character();
    if (key == "traceEvents") {
      if (first != '[') {
        if (ended()) return cut_in_member();
        throw InputError(name_ + ": its traceEvents is no list; " + std::string(kExpected));
      }
      has_events_ = true;
      window_.consume(1);
      object_done_ = read_events() != Progress::kArrayEnded;
      return !object_done_;
    }
    std::string value;
    if (!take_value(&value)) return false;
    read_head_member(result_.trace, key, value);
    return true;
  }

  /// The value that begins here, as strict JSON; consumed.
  bool take_value(std::string* value) {
    while (true) {
      TolerantScanner scanner(window_.text(), window_.offset());
      const Scan scan = scanner.scan(0);
      if (scan.status == ScanStatus::kCut && !window_.at_end()) {
        grow();
        continue;
      }
      if (scan.status == ScanStatus::kCut) return cut_in_member();
      if (scan.status == ScanStatus::kBad) {
        bad_member_ = true;
        return false;
      }
      const std::string_view written = window_.text().substr(0, scan.end);
      *value = scanner.repairs().empty() ? std::string(written) : scanner.clean();
      note(scanner.repairs());
      window_.consume(scan.end);
      return true;
    }
  }

  bool cut_in_member() {
    object_done_ = true;
    report_cut("inside a member beside the events");
    return false;
  }

  /// A member that is no JSON hides what follows it, but for the events, which are looked for. False
  /// if there is no more to read.
  bool step_over_bad_member() {
    builder_.note(issue::kBadMember, window_.offset());
    ++broken_;
    constexpr std::string_view kEvents = "\"traceEvents\"";
    while (!has_events_) {
      const std::size_t at = window_.text().find(kEvents);
      if (at != std::string_view::npos) {
        window_.consume(at);
        return read_member();
      }
      if (window_.at_end()) {
        throw InputError(name_ + ": is no JSON at byte " + std::to_string(window_.offset()) +
                         ", and holds no traceEvents behind it; " + std::string(kExpected));
      }
      const std::size_t size = window_.text().size();
      window_.consume(size - std::min(size, kEvents.size() - 1));
      fill();
    }
    skip_rest();
    return false;
  }

  void end_of_file_in_object() {
    if (!has_events_) {
      fail_if_cut_gzip();
      throw InputError(name_ + ": ends at byte " + std::to_string(window_.offset()) +
                       " without traceEvents; " + std::string(kExpected));
    }
    builder_.note(issue::kUnclosedObject, window_.offset());
  }

  // --- The list of events ------------------------------------------------------------------------

  /// Everything behind the opening bracket, to the closing one.
  Progress read_events() {
    after_event_ = false;
    bool first_window = true;
    while (true) {
      fill();
      const Progress progress = read_window();
      if (first_window) reserve();
      first_window = false;
      if (options_.progress) options_.progress(source_.done(), source_.total());
      if (progress != Progress::kGoOn) return progress;
    }
  }

  Progress read_window() {
    const std::string_view text = window_.text();
    std::size_t end = window_.at_end() ? text.size() : last_cut(text);
    WindowResult parsed = parse(end);
    // A cut inside a string: there are few such places, so one further forward will do.
    for (int tries = 0; tries < 3 && parsed.end == WindowEnd::kOpenString && !window_.at_end();
         ++tries) {
      end = last_cut(text.substr(0, end - std::min<std::size_t>(end, 1)));
      parsed = parse(end);
    }
    window_.consume(parsed.consumed);
    after_event_ = parsed.after_event;
    if (parsed.end == WindowEnd::kArrayEnd) return Progress::kArrayEnded;
    if (parsed.end == WindowEnd::kMore && !window_.at_end()) {
      if (parsed.consumed == 0) grow();
      return Progress::kGoOn;
    }
    return read_tolerantly(end - parsed.consumed);
  }

  WindowResult parse(std::size_t size) {
    return parser_.parse(window_.text().substr(0, size), window_.offset(), after_event_, builder_);
  }

  /// Behind the last brace that seems to close an event; strings may hold such places, too.
  static std::size_t last_cut(std::string_view text) {
    std::size_t at = text.rfind('}');
    while (at != std::string_view::npos && at > 0) {
      const std::size_t comma = skip_json_space(text, at + 1);
      if (comma < text.size() && text[comma] == ',') {
        const std::size_t brace = skip_json_space(text, comma + 1);
        if (brace < text.size() && text[brace] == '{') return at + 1;
      }
      at = text.rfind('}', at - 1);
    }
    return 0;
  }

  /// Event by event, until `size` bytes are behind us or the list ends.
  Progress read_tolerantly(std::size_t size) {
    const std::uint64_t until = window_.offset() + size;
    while (window_.offset() < until || window_.at_end()) {
      const char c = next_character();
      const std::uint64_t offset = window_.offset();
      if (c == '\0' && ended()) {
        fail_if_cut_gzip();
        if (trailing_comma_) builder_.note(issue::kTrailingComma, comma_offset_);
        builder_.note(issue::kUnclosedArray, offset);
        return Progress::kFileEnded;
      }
      if (c == ',') {
        if (trailing_comma_) builder_.note(issue::kTrailingComma, comma_offset_);
        if (!after_event_ && !trailing_comma_) builder_.note(issue::kTrailingComma, offset);
        trailing_comma_ = after_event_;
        comma_offset_ = offset;
        after_event_ = false;
        window_.consume(1);
        continue;
      }
      if (c == ']' || (c == '}' && in_object_)) {
        if (trailing_comma_) builder_.note(issue::kTrailingComma, comma_offset_);
        trailing_comma_ = false;
        if (c == '}') builder_.note(issue::kUnclosedArray, offset);  // left to read_object()
        if (c == ']') window_.consume(1);
        return Progress::kArrayEnded;
      }
      if (after_event_) builder_.note(issue::kMissingComma, offset);
      trailing_comma_ = false;
      const Progress progress = read_element();
      if (progress != Progress::kGoOn) return progress;
    }
    return Progress::kGoOn;
  }

  Progress read_element() {
    while (true) {
      const std::string_view text = window_.text();
      TolerantScanner scanner(text, window_.offset());
      const Scan scan = scanner.scan(0);
      if (scan.status == ScanStatus::kCut) {
        if (!window_.at_end()) {
          grow();
          continue;
        }
        report_cut("inside an event");
        return Progress::kFileEnded;
      }
      if (scan.status == ScanStatus::kBad) return resume_behind_broken();
      if (text[0] != '{') {
        builder_.skip(window_.offset());
      } else if (!add_clean(scanner.clean())) {
        note_broken();
      } else {
        note(scanner.repairs());
      }
      window_.consume(scan.end);
      after_event_ = true;
      return Progress::kGoOn;
    }
  }

  /// An event that the scanner has made strict JSON.
  bool add_clean(const std::string& clean) {
    padded_ = clean;
    padded_.append(TextWindow::kPadding, '\0');
    const std::string_view text(padded_.data(), clean.size());
    const WindowResult parsed = parser_.parse(text, window_.offset(), false, builder_);
    return parsed.consumed == clean.size();
  }

  Progress resume_behind_broken() {
    note_broken();
    while (true) {
      const std::string_view text = window_.text();
      Resume resume = find_next_event(text, 0);
      if (resume.where == Resume::Where::kNowhere) {
        if (!window_.at_end()) {
          grow();
          continue;
        }
        resume = find_array_end(text, 0, in_object_);
      }
      if (resume.where == Resume::Where::kNowhere) {
        window_.consume(text.size());
        fail_if_cut_gzip();
        builder_.note(issue::kUnclosedArray, window_.offset());
        return Progress::kFileEnded;
      }
      window_.consume(resume.at);
      // The comma before the next event went with what was skipped.
      after_event_ = resume.where == Resume::Where::kArrayEnd;
      return Progress::kGoOn;
    }
  }

  void note_broken() {
    ++broken_;
    builder_.note(issue::kNotUnderstood, window_.offset());
  }
  void note(const std::vector<Repair>& repairs) {
    for (const Repair& repair : repairs) {
      builder_.note(repair.kind, repair.first_offset, repair.count);
    }
  }

  // --- The end -----------------------------------------------------------------------------------

  void grow() { window_.grow(); }

  void reserve() {
    // Counted on disk: the size of compressed text is not known before its end.
    if (source_.total() > 0) builder_.reserve(source_.done(), source_.total());
  }

  /// The file ends where it should not: what begins at the window's start was cut.
  void report_cut(const std::string& where) {
    fail_if_cut_gzip();
    const std::uint64_t end = window_.offset() + window_.text().size();
    if (!options_.salvage) {
      throw InputError(name_ + ": ends at byte " + std::to_string(end) + " " + where +
                       ", which begins at byte " + std::to_string(window_.offset()) +
                       "; expected the rest of it (--salvage reads all that is whole)");
    }
    if (in_object_ && !has_events_) {
      throw InputError(name_ + ": ends at byte " + std::to_string(end) +
                       " before its traceEvents: there is nothing to salvage");
    }
    if (source_.trouble() == nullptr) builder_.note(issue::kCut, window_.offset());
    window_.consume(window_.text().size());
  }

  void fail_if_cut_gzip() {
    const SourceTrouble* const trouble = source_.trouble();
    if (trouble == nullptr || options_.salvage) return;
    throw InputError(name_ + ": " + trouble->says + " at byte " + std::to_string(trouble->offset) +
                     ", byte " + std::to_string(window_.offset() + window_.text().size()) +
                     " of the text; expected the rest of it (--salvage reads all that is whole)");
  }

  void skip_rest() {
    while (true) {
      window_.consume(window_.text().size());
      if (window_.at_end()) return;
      fill();
    }
  }

  /// What stands behind the trace; and the gzip member's end, which holds its checksum.
  void read_to_end() {
    const char c = next_character();
    const bool zeros = c == '\0' && !ended();
    if (!ended() && !zeros) builder_.note(issue::kTrailingBytes, window_.offset());
    skip_rest();
    if (source_.has_trailing_bytes()) builder_.note(issue::kTrailingBytes, window_.offset());
    fail_if_cut_gzip();
    if (const SourceTrouble* const trouble = source_.trouble(); trouble != nullptr) {
      builder_.note(issue::kCutGzip, window_.offset());
    }
  }

  ByteSource& source_;
  std::string name_;
  const ReadOptions& options_;
  ReadResult result_;
  TextWindow window_;
  WindowParser parser_;
  EventBuilder builder_;
  std::string padded_;
  bool in_object_ = false;
  bool has_events_ = false;
  bool bad_member_ = false;
  bool object_done_ = false;
  bool after_event_ = false;
  bool trailing_comma_ = false;
  std::uint64_t comma_offset_ = 0;
  std::int64_t broken_ = 0;
};

}  // namespace

ReadResult read_trace_file(const std::filesystem::path& path, const ReadOptions& options) {
  const auto source = open_byte_source(path);
  const std::string name = path == "-" ? "standard input" : path.string();
  return TraceReader(*source, name, options).read();
}

ReadResult read_trace_text(std::string_view text, std::string_view name,
                           const ReadOptions& options) {
  const auto source = text_byte_source(text);
  return TraceReader(*source, name, options).read();
}

}  // namespace tracebook
