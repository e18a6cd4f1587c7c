// SPDX-License-Identifier: Apache-2.0
#include "common/trace/reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/trace/args.h"
#include "common/trace/byte_source.h"
#include "common/trace/error.h"
#include "common/trace/event_list.h"
#include "common/trace/head_members.h"
#include "common/trace/json_text.h"
#include "common/trace/reader_context.h"
#include "common/trace/tolerant_scanner.h"

namespace tracebook {
namespace {

std::string shown(char c) {
  if (c > ' ' && c < '\x7f') return std::string("'") + c + "'";
  return "byte " + std::to_string(static_cast<unsigned char>(c));
}

/// Walks through the file once: head members, the list of events, more members.
class TraceReader {
 public:
  TraceReader(ByteSource& source, std::string_view name, const ReadOptions& options)
      : context_(source, name, options, result_.trace), window_(context_.window) {}

  ReadResult read() {
    window_.fill();
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (window_.text().starts_with(kByteOrderMark)) window_.consume(kByteOrderMark.size());
    const char first = context_.next_character();
    if (context_.ended()) {
      context_.fail_if_cut_gzip();
      if (const SourceTrouble* const trouble = context_.source.trouble()) {
        context_.fail(trouble->says + " at byte " + std::to_string(trouble->offset) +
                      ", before any text: there is nothing to salvage");
      }
      context_.fail("is empty");
    }
    if (first == '[') {
      context_.has_events = true;
      window_.consume(1);
      EventList(context_).read();
    } else if (first == '{') {
      context_.in_object = true;
      window_.consume(1);
      read_object();
    } else {
      context_.fail("is no JSON: it begins with " + shown(first));
    }
    read_to_end();
    return finish();
  }

 private:
  /// How a step through the object ended.
  enum class Step : std::uint8_t {
    kDone,
    kBad,  ///< what begins here is not JSON
    kEnd,  ///< there is nothing more to read in the object
  };

  // Members up to the closing brace, with commas between them.
  void read_object() {
    bool comma = true;  // or the opening brace
    bool any = false;
    while (true) {
      const char c = context_.next_character();
      if (context_.ended()) {
        end_of_file_in_object();
        return;
      }
      if (c == '}') {
        if (comma && any) context_.builder.note(issue::kTrailingComma, window_.offset());
        window_.consume(1);
        break;
      }
      if (c == ',' && !comma) {
        window_.consume(1);
        comma = true;
        continue;
      }
      Step step = c == '"' && comma ? read_member() : Step::kBad;
      if (step == Step::kBad) step = step_over_bad_member();
      if (step == Step::kEnd) return;
      comma = false;
      any = true;
    }
    if (!context_.has_events) context_.fail("holds no traceEvents");
  }

  void end_of_file_in_object() {
    context_.fail_if_cut_gzip();
    if (!context_.has_events) {
      context_.fail("ends at byte " + std::to_string(window_.offset()) + " without traceEvents");
    }
    context_.builder.note(issue::kUnclosedObject, window_.offset());
  }

  /// One `"key": value`.
  Step read_member() {
    std::string key;
    if (const Step step = take_value(key); step != Step::kDone) return step;
    key = unescape_json(std::string_view(key).substr(1, key.size() - 2));
    if (context_.next_character() != ':') return context_.ended() ? cut() : Step::kBad;
    window_.consume(1);
    const char first = context_.next_character();
    if (context_.ended()) return cut();
    if (key == "traceEvents") {
      if (first != '[') context_.fail("its traceEvents is no list");
      context_.has_events = true;
      window_.consume(1);
      return EventList(context_).read() == ListEnd::kClosed ? Step::kDone : Step::kEnd;
    }
    std::string value;
    const Step step = take_value(value);
    if (step == Step::kDone) read_head_member(result_.trace, key, value);
    return step;
  }

  /// The value that begins here, consumed: as it was written, but for repairs.
  Step take_value(std::string& value) {
    while (true) {
      TolerantScanner scanner(window_.text(), window_.offset());
      const Scan scan = scanner.scan(0);
      if (scan.status == ScanStatus::kBad) return Step::kBad;
      if (scan.status == ScanStatus::kWhole) {
        value = scanner.clean();
        context_.note(scanner.repairs());
        window_.consume(scan.end);
        return Step::kDone;
      }
      if (window_.at_end()) return cut();
      window_.grow();
    }
  }

  Step cut() {
    context_.report_cut("inside a member beside the events");
    return Step::kEnd;
  }

  /// A member that is not JSON hides what follows it, but for the events, which are looked for.
  Step step_over_bad_member() {
    const std::string offset = std::to_string(window_.offset());
    context_.note_broken(issue::kBadMember);
    constexpr std::string_view kEvents = "\"traceEvents\"";
    while (!context_.has_events) {
      const std::size_t at = window_.text().find(kEvents);
      if (at != std::string_view::npos) {
        window_.consume(at);
        const Step step = read_member();
        if (step != Step::kBad) return step;
        window_.consume(1);
      } else if (window_.at_end()) {
        context_.fail_if_cut_gzip();
        context_.fail("is no JSON at byte " + offset + ", and holds no traceEvents behind it");
      } else {
        const std::size_t size = window_.text().size();
        window_.consume(size - std::min(size, kEvents.size() - 1));
        window_.fill();
      }
    }
    context_.skip_rest();
    return Step::kEnd;
  }

  /// What stands behind the trace; and the gzip member's end, which holds its checksum.
  void read_to_end() {
    const char c = context_.next_character();
    // Some writers fill the last block with zeros.
    if (!context_.ended() && c != '\0') {
      context_.builder.note(issue::kTrailingBytes, window_.offset());
    }
    context_.skip_rest();
    if (context_.source.has_trailing_bytes()) {
      context_.builder.note(issue::kTrailingBytes, window_.offset());
    }
    context_.fail_if_cut_gzip();
    if (context_.source.trouble() != nullptr) {
      context_.builder.note(issue::kCutGzip, window_.offset());
    }
  }

  ReadResult finish() {
    EventBuilder& builder = context_.builder;
    if (builder.events() == 0 && builder.skipped() > 0 && context_.broken == 0) {
      context_.fail("holds no events of a trace, only other JSON");
    }
    builder.finish();
    drop_superseded_members(result_.trace.head);
    result_.events = builder.events();
    const bool skipped = builder.skipped() > 0 || context_.broken > 0;
    if (skipped && !context_.options.salvage) {
      result_.exit_code = static_cast<int>(ExitCode::kBadInput);
    }
    return std::move(result_);
  }

  ReadResult result_;
  ReaderContext context_;
  TextWindow& window_;
};

}  // namespace

ReadResult read_trace_file(const std::filesystem::path& path, const ReadOptions& options) {
  const auto source = open_byte_source(path);
  const std::string name = path == "-" ? "standard input" : path.string();
  return TraceReader(*source, name, options).read();
}

ReadResult read_trace_text(std::string_view text, std::string_view name,
                           const ReadOptions& options) {
  const auto source = text_byte_source(text, name);
  return TraceReader(*source, name, options).read();
}

}  // namespace tracebook
