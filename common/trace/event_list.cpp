// SPDX-License-Identifier: Apache-2.0
#include "common/trace/event_list.h"

#include <algorithm>

#include "common/trace/json_text.h"
#include "common/trace/tolerant_scanner.h"

namespace tracebook {
namespace {

/// Behind the last brace that seems to close an event; strings may hold such places, too.
std::size_t last_cut(std::string_view text) {
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

}  // namespace

ListEnd EventList::read() {
  const ByteSource& source = context_.source;
  bool first_window = true;
  while (true) {
    window_.fill();
    const Progress progress = read_window();
    // Counted on disk: how long compressed text is shows only at its end.
    if (first_window) context_.builder.reserve(source.done(), source.total());
    first_window = false;
    if (context_.options.progress) context_.options.progress(source.done(), source.total());
    if (progress == Progress::kClosed) return ListEnd::kClosed;
    if (progress == Progress::kEndOfFile) return ListEnd::kEndOfFile;
  }
}

EventList::Progress EventList::read_window() {
  const std::string_view text = window_.text();
  std::size_t end = window_.at_end() ? text.size() : last_cut(text);
  WindowResult parsed = parse(end);
  // A cut inside a string: such places are rare, so one further forward will do.
  constexpr int kTries = 3;
  for (int tries = 0; tries < kTries && parsed.end == WindowEnd::kOpenString && !window_.at_end();
       ++tries) {
    end = last_cut(text.substr(0, end - 1));
    parsed = parse(end);
  }
  window_.consume(parsed.consumed);
  after_event_ = parsed.after_event;
  if (parsed.end == WindowEnd::kArrayEnd) return Progress::kClosed;
  if (parsed.end == WindowEnd::kMore && !window_.at_end()) {
    if (parsed.consumed == 0) window_.grow();
    return Progress::kGoOn;
  }
  return read_tolerantly(end - parsed.consumed);
}

WindowResult EventList::parse(std::size_t size) {
  return parser_.parse(window_.text().substr(0, size), window_.offset(), after_event_,
                       context_.builder);
}

/// Event by event, until `size` bytes are behind us or the list ends.
EventList::Progress EventList::read_tolerantly(std::size_t size) {
  const std::uint64_t until = window_.offset() + size;
  while (window_.offset() < until || window_.at_end()) {
    const char c = context_.next_character();
    if (c == '\0' && context_.ended()) return end_of_file();
    if (c == ',') {
      read_comma();
      continue;
    }
    if (c == ']' || (c == '}' && context_.in_object)) {
      note_unused_comma();
      if (c == ']') {
        window_.consume(1);
      } else {  // the brace of the object around the list, which is left to its reader
        context_.builder.note(issue::kUnclosedArray, window_.offset());
      }
      return Progress::kClosed;
    }
    if (after_event_) context_.builder.note(issue::kMissingComma, window_.offset());
    comma_waits_ = false;
    const Progress progress = read_element();
    if (progress != Progress::kGoOn) return progress;
  }
  return Progress::kGoOn;
}

EventList::Progress EventList::end_of_file() {
  context_.fail_if_cut_gzip();
  note_unused_comma();
  context_.builder.note(issue::kUnclosedArray, window_.offset());
  return Progress::kEndOfFile;
}

void EventList::read_comma() {
  const bool is_second = comma_waits_;
  note_unused_comma();
  if (after_event_ || is_second) {
    comma_waits_ = true;
    comma_offset_ = window_.offset();
  } else {
    context_.builder.note(issue::kTrailingComma, window_.offset());
  }
  after_event_ = false;
  window_.consume(1);
}

void EventList::note_unused_comma() {
  if (comma_waits_) context_.builder.note(issue::kTrailingComma, comma_offset_);
  comma_waits_ = false;
}

EventList::Progress EventList::read_element() {
  while (true) {
    const std::string_view text = window_.text();
    TolerantScanner scanner(text, window_.offset());
    const Scan scan = scanner.scan(0);
    if (scan.status == ScanStatus::kCut) {
      if (!window_.at_end()) {
        window_.grow();
        continue;
      }
      context_.report_cut("inside an event");
      return Progress::kEndOfFile;
    }
    if (scan.status == ScanStatus::kBad) return resume_behind_broken();
    if (text[0] != '{') {
      context_.builder.skip(window_.offset());
    } else if (!add_clean(scanner.clean())) {
      const bool too_deep = scanner.depth() > kDeepestMember + 1;  // and the event's brace
      context_.note_broken(too_deep ? issue::kTooDeep : issue::kNotUnderstood);
    } else {
      context_.note(scanner.repairs());
    }
    window_.consume(scan.end);
    after_event_ = true;
    return Progress::kGoOn;
  }
}

/// An event that the scanner has made strict JSON.
bool EventList::add_clean(std::string_view clean) {
  padded_ = clean;
  padded_.append(TextWindow::kPadding, '\0');
  const std::string_view text = std::string_view(padded_).substr(0, clean.size());
  return parser_.parse(text, window_.offset(), false, context_.builder).consumed == clean.size();
}

EventList::Progress EventList::resume_behind_broken() {
  context_.note_broken(issue::kNotUnderstood);
  Resume resume = find_next_event(window_.text(), 0);
  while (resume.where == Resume::Where::kNowhere && !window_.at_end()) {
    window_.grow();
    resume = find_next_event(window_.text(), 0);
  }
  if (resume.where == Resume::Where::kNowhere) {
    resume = find_array_end(window_.text(), 0, context_.in_object);
  }
  if (resume.where == Resume::Where::kNowhere) {
    window_.consume(window_.text().size());
    return end_of_file();
  }
  window_.consume(resume.at);
  // The comma before the next event went with what was skipped.
  after_event_ = resume.where == Resume::Where::kArrayEnd;
  return Progress::kGoOn;
}

}  // namespace tracebook
