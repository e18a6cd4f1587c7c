// SPDX-License-Identifier: Apache-2.0
#include "common/trace/reader_context.h"

#include "common/trace/error.h"
#include "common/trace/json_text.h"

namespace tracebook {

char ReaderContext::next_character() {
  while (true) {
    const std::string_view text = window.text();
    const std::size_t at = skip_json_space(text, 0);
    window.consume(at);
    if (at < text.size()) return text[at];
    if (window.at_end()) return '\0';
    window.fill();  // only now: it moves the text
  }
}

void ReaderContext::skip_rest() {
  while (true) {
    window.consume(window.text().size());
    if (window.at_end()) return;
    window.fill();
  }
}

void ReaderContext::note(const std::vector<Repair>& repairs) {
  for (const Repair& repair : repairs) {
    builder.note(repair.kind, repair.first_offset, repair.count);
  }
}

void ReaderContext::note_broken(const IssueKind& kind) {
  ++broken;
  builder.note(kind, window.offset());
}

void ReaderContext::report_cut(const std::string& where) {
  fail_if_cut_gzip();
  const std::string end = "ends at byte " + std::to_string(end_of_text()) + " ";
  if (!options.salvage) {
    throw InputError(name + ": " + end + where + ", which begins at byte " +
                     std::to_string(window.offset()) +
                     "; expected the rest of it (--salvage reads all that is whole)");
  }
  if (!has_events) fail(end + "before its traceEvents: there is nothing to salvage");
  if (source.trouble() == nullptr) builder.note(issue::kCut, window.offset());
  window.consume(window.text().size());
}

void ReaderContext::fail_if_cut_gzip() const {
  const SourceTrouble* const trouble = source.trouble();
  if (trouble == nullptr || options.salvage) return;
  throw InputError(name + ": " + trouble->says + " at byte " + std::to_string(trouble->offset) +
                   ", byte " + std::to_string(end_of_text()) +
                   " of the text; expected the rest of it (--salvage reads all that is whole)");
}

void ReaderContext::fail(const std::string& what) const {
  throw InputError(name + ": " + what + "; " + std::string(kExpectedTrace));
}

}  // namespace tracebook
