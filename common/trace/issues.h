// SPDX-License-Identifier: Apache-2.0
//
// What the reader repairs, skips or notices: one entry a kind, each with its sentence. Part of the
// reader; users meet them as Trace::issues.
#pragma once

#include <cstdint>
#include <string_view>

namespace tracebook {

struct IssueKind {
  std::string_view kind;
  std::string_view says;
};

namespace issue {

// Repaired text.
inline constexpr IssueKind kBareNan{
    "bare_nan", "numbers that JSON does not know (nan, inf, N/A), read as null"};
inline constexpr IssueKind kBadUtf8{
    "bad_utf8", "strings with invalid UTF-8, whose bytes were replaced by U+FFFD"};
inline constexpr IssueKind kControlBytes{
    "control_bytes", "strings with control bytes that should have been escaped, kept"};
inline constexpr IssueKind kTrailingComma{"trailing_comma",
                                          "commas with nothing behind them, ignored"};
inline constexpr IssueKind kMissingComma{"missing_comma",
                                         "events without a comma between them, read"};
inline constexpr IssueKind kLoneSurrogate{
    "lone_surrogate", "names with half of a surrogate pair, replaced by U+FFFD"};
inline constexpr IssueKind kUnclosedArray{
    "unclosed_array", "the list of events is never closed; all events before its end were read"};
inline constexpr IssueKind kUnclosedObject{"unclosed_object",
                                           "the closing brace at the end of the file is missing"};
inline constexpr IssueKind kTrailingBytes{"trailing_bytes",
                                          "bytes after the end of the trace, ignored"};

// Skipped text: exit code 3 unless salvaging.
inline constexpr IssueKind kNotUnderstood{
    "not_understood",
    "events that are not JSON (an unescaped quote or backslash, for example), skipped"};
inline constexpr IssueKind kTooDeep{
    "too_deep", "events with lists or objects more than 1,000 deep in one another, skipped"};
inline constexpr IssueKind kNotAnEvent{
    "not_an_event", "elements of the list of events without a phase (ph) or a time, skipped"};
inline constexpr IssueKind kBadMember{"bad_member",
                                      "members beside the events that are not JSON, skipped"};

// Cut files, read with salvage.
inline constexpr IssueKind kCut{
    "cut", "the file ends inside an event or another value; what was whole before it was read"};
inline constexpr IssueKind kCutGzip{
    "cut_gzip", "the compressed data is cut or damaged; what was whole before that was read"};

// Values that say something impossible.
inline constexpr IssueKind kNegativeDuration{
    "negative_duration", "ranges that end before they start, read as of no length"};
inline constexpr IssueKind kNoDuration{"no_duration",
                                       "ranges without a length, read as of no length"};
inline constexpr IssueKind kAbsurdDuration{
    "absurd_duration", "ranges of more than a day, as one left open when recording stopped"};
inline constexpr IssueKind kOpenRange{
    "open_range", "ranges that begin (B) and never end (E), read as of no length"};
inline constexpr IssueKind kSurplusEnd{"surplus_end",
                                       "ends of ranges (E) that never began (B), skipped"};
inline constexpr IssueKind kEmptyEvent{"empty_event", "empty events ({}), skipped"};
inline constexpr IssueKind kArgsNoObject{"args_no_object", "args that are not an object, left out"};

/// Whether something of the file is missing for it: exit code 3 unless salvaging.
constexpr bool skips(std::string_view kind) {
  return kind == kNotUnderstood.kind || kind == kTooDeep.kind || kind == kNotAnEvent.kind ||
         kind == kBadMember.kind;
}

}  // namespace issue
}  // namespace tracebook
