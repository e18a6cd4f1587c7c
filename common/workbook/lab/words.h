// SPDX-License-Identifier: Apache-2.0
//
// Small helpers on words that the lab's parts share.
//
//   listed({"ns", "us", "s"}, "or");   // "ns, us or s"
//   folded("  Two   Words ");          // "two words"
//
// Plain functions of values; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tracebook {

/// Without the blanks around it, no-break ones among them.
std::string_view trimmed(std::string_view text);

/// Lower case (of ASCII), without the blanks around it, runs of blanks as one: what answers are
/// compared by.
std::string folded(std::string_view text);

/// "8,8,1" for a grid or block in whatever way it is written: "8, 8, 1", "(8,8,1)", "[8 8 1]",
/// "8x8x1". Nothing if `text` is not three whole numbers.
std::optional<std::string> shape_of(std::string_view text);

/// `text` as a shell takes it for one word: quoted where that is needed.
std::string shell_word(const std::string& text);

/// `text` as a message quotes it: no control characters, and not more than fits on a line.
std::string short_text(std::string_view text);
/// The same between quotation marks.
std::string in_quotes(std::string_view text);

/// "a, b or c".
std::string listed(const std::vector<std::string>& items, std::string_view last);

/// "1 question", "3 questions".
std::string counted(std::size_t count, const std::string& noun);

}  // namespace tracebook
