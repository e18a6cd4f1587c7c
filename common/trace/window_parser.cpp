// SPDX-License-Identifier: Apache-2.0
#include "common/trace/window_parser.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <new>

#include "common/trace/event_builder.h"
#include "common/trace/json_text.h"
#include "common/trace/raw_event.h"

namespace tracebook {
namespace {

/// Up to four characters as one number, for comparing keys.
constexpr std::uint32_t packed(std::string_view text) {
  std::array<char, 4> bytes{};
  std::copy(text.begin(), text.end(), bytes.begin());
  return std::bit_cast<std::uint32_t>(bytes);
}

RawText* member_of(RawEvent& event, std::string_view key) {
  if (key.empty() || key.size() > 4) return nullptr;
  std::array<char, 4> bytes{};
  std::memcpy(bytes.data(), key.data(), key.size());
  switch (std::bit_cast<std::uint32_t>(bytes)) {
    case packed("ph"):
      return &event.phase;
    case packed("name"):
      return &event.name;
    case packed("cat"):
      return &event.category;
    case packed("pid"):
      return &event.pid;
    case packed("tid"):
      return &event.tid;
    case packed("ts"):
      return &event.ts;
    case packed("dur"):
      return &event.dur;
    case packed("id"):
      return &event.id;
    case packed("s"):
      return &event.scope;
    case packed("bp"):
      return &event.binding;
    default:
      return nullptr;
  }
}

/// Members of args that become columns. Kineto of 2021 wrote "external id" on calls and kernels.
std::int64_t* argument_of(RawEvent& event, std::string_view key) {
  if (key.size() == 11) {
    if (key == "correlation") return &event.correlation;
    if (key == "External id" || key == "external id") return &event.external_id;
  }
  if (key == "device") return &event.device;
  return nullptr;
}

/// Walks over what simdjson found. `tokens` are the places of { } [ ] : , of opening quotes and of
/// the first characters of numbers and literals; two more that point behind the text end the list.
/// What stands there is a space, a comma or a zero, never two tokens of an event: so no step needs
/// to ask whether there is another token. A walk that fails returns kFailed; it ran out of text if
/// that was at one of those two.
class Walk {
 public:
  static constexpr std::size_t kFailed = 0;

  Walk(std::string_view text, const std::uint32_t* tokens, std::size_t count)
      : text_(text.data()), tokens_(tokens), count_(count), end_(text.data() + text.size()) {
    find_backslash(text_);
  }

  [[nodiscard]] char at(std::size_t token) const { return text_[tokens_[token]]; }
  [[nodiscard]] std::size_t place(std::size_t token) const { return tokens_[token]; }
  [[nodiscard]] bool ran_out() const { return failed_at_ >= count_; }

  /// The event that begins at the brace `token`: returns the token behind it.
  std::size_t event(std::size_t token, RawEvent& out) {
    const std::size_t begin = tokens_[token];
    ++token;
    if (at(token) == '}') {
      out.empty = true;
      return token + 1;
    }
    while (true) {
      std::string_view key;
      if (!read_key(token, key)) return kFailed;
      token += 2;
      if (key == "args" && at(token) == '{') {
        const std::size_t first = tokens_[token];
        // A second args replaces the first, and what was found in it.
        out.correlation = out.external_id = out.device = kNoId;
        token = arguments(token, out);
        if (token == kFailed) return kFailed;
        out.args = {text_ + first, tokens_[token - 1] + 1 - first};
      } else {
        RawText value;
        token = member(token, value);
        if (token == kFailed) return kFailed;
        if (RawText* const place = member_of(out, key); place != nullptr) *place = value;
        if (key == "args") out.bad_args = value.text != "null" && !value.text.empty();
      }
      const char separator = at(token);
      if (separator == '}') break;
      if (separator != ',') return fail(token);
      ++token;
    }
    const char* const end = text_ + tokens_[token] + 1;
    if (backslash_ < text_ + begin) find_backslash(text_ + begin);
    out.escaped = backslash_ < end;
    if (out.escaped && !has_valid_escapes({backslash_, end})) return fail(0);
    return token + 1;
  }

  std::size_t fail(std::size_t token) {
    failed_at_ = token;
    return kFailed;
  }

 private:
  void find_backslash(const char* from) {
    const void* const found = std::memchr(from, '\\', static_cast<std::size_t>(end_ - from));
    backslash_ = found == nullptr ? end_ : static_cast<const char*>(found);
  }

  /// The key at `token`, with its colon behind it.
  bool read_key(std::size_t token, std::string_view& key) {
    if (at(token) != '"' || at(token + 1) != ':') {
      fail(at(token) == '"' ? token + 1 : token);
      return false;
    }
    return read_string(token, key);
  }

  /// The string at `token`, without its quotes. The closing one is the last character before the
  /// next token that is no space.
  bool read_string(std::size_t token, std::string_view& out) {
    const char* const begin = text_ + tokens_[token] + 1;
    const char* end = text_ + tokens_[token + 1] - 1;
    while (end > begin && is_json_space(*end)) --end;
    if (end < begin || *end != '"') {
      fail(token);
      return false;
    }
    out = {begin, static_cast<std::size_t>(end - begin)};
    return true;
  }

  /// The number or literal at `token`, if it is one of JSON's.
  bool read_scalar(std::size_t token, std::string_view& out) {
    const char* const begin = text_ + tokens_[token];
    const char* const next = text_ + tokens_[token + 1];
    const char* end = nullptr;
    switch (*begin) {
      case 't':
        end = literal(begin, "true");
        break;
      case 'f':
        end = literal(begin, "false");
        break;
      case 'n':
        end = literal(begin, "null");
        break;
      default:
        end = skip_json_number(begin);
    }
    if (end == nullptr || !only_space(end, next)) {
      fail(token);
      return false;
    }
    out = {begin, static_cast<std::size_t>(end - begin)};
    return true;
  }
  static const char* literal(const char* begin, std::string_view word) {
    return std::memcmp(begin, word.data(), word.size()) == 0 ? begin + word.size() : nullptr;
  }
  static bool only_space(const char* begin, const char* end) {
    while (begin < end && is_json_space(*begin)) ++begin;
    return begin == end;
  }

  /// A member's value; returns the token behind it.
  std::size_t member(std::size_t token, RawText& out) {
    switch (at(token)) {
      case '"':
        out.kind = RawText::Kind::kString;
        return read_string(token, out.text) ? token + 1 : kFailed;
      case '{':
      case '[': {
        out.kind = RawText::Kind::kBrackets;
        const std::size_t behind = skip_brackets(token);
        if (behind != kFailed) {
          out.text = {text_ + tokens_[token], tokens_[behind - 1] + 1 - tokens_[token]};
        }
        return behind;
      }
      default:
        out.kind = RawText::Kind::kScalar;
        return read_scalar(token, out.text) ? token + 1 : kFailed;
    }
  }

  /// The args object at `token`: looks at its members' values, keeps three.
  std::size_t arguments(std::size_t token, RawEvent& out) {
    ++token;
    if (at(token) == '}') return token + 1;
    while (true) {
      std::string_view key;
      if (!read_key(token, key)) return kFailed;
      token += 2;
      RawText value;
      token = member(token, value);
      if (token == kFailed) return kFailed;
      // Of keys given twice the first counts, as in ArgsView.
      std::int64_t* const column = argument_of(out, key);
      if (column != nullptr && *column == kNoId) {
        *column = parse_short_integer(value.text).value_or(kNoId);
      }
      const char separator = at(token);
      ++token;
      if (separator == '}') return token;
      if (separator != ',') return fail(token - 1);
    }
  }

  /// Behind the bracket that closes the one at `token`, all values between examined.
  std::size_t skip_brackets(std::size_t token) {
    std::array<char, kDeepestMember> closers;  // NOLINT: filled as far as it is used
    std::size_t depth = 0;
    bool value_follows = true;
    while (true) {
      if (value_follows) {
        const char c = at(token);
        if (c == '{' || c == '[') {
          if (depth == kDeepestMember) return fail(0);
          closers[depth++] = c == '{' ? '}' : ']';
          ++token;
          if (at(token) != closers[depth - 1]) {
            if (c == '{' && !step_over_key(token)) return kFailed;
            continue;
          }
        } else {
          std::string_view ignored;
          if (c != '"' && !read_scalar(token, ignored)) return kFailed;
          ++token;
        }
        value_follows = false;
      }
      const char c = at(token);
      if (c == closers[depth - 1]) {
        ++token;
        if (--depth == 0) return token;
      } else if (c == ',') {
        ++token;
        if (closers[depth - 1] == '}' && !step_over_key(token)) return kFailed;
        value_follows = true;
      } else {
        return fail(token);
      }
    }
  }
  bool step_over_key(std::size_t& token) {
    std::string_view ignored;
    if (!read_key(token, ignored)) return false;
    token += 2;
    return true;
  }

  const char* text_;
  const std::uint32_t* tokens_;
  std::size_t count_;
  const char* end_;
  const char* backslash_ = nullptr;  // the first one not before the event at hand, or end_
  std::size_t failed_at_ = 0;
};

}  // namespace

/// simdjson's first stage: where in a text the tokens are.
class WindowParser::Tokens {
 public:
  simdjson::error_code find(std::string_view text) {
    if (stage_ == nullptr || text.size() > capacity_) {
      capacity_ = std::max(text.size(), kLeastCapacity);
      stage_.reset();
      const simdjson::error_code error =
          simdjson::get_active_implementation()->create_dom_parser_implementation(capacity_, 1,
                                                                                  stage_);
      if (error == simdjson::MEMALLOC) throw std::bad_alloc();
      if (error != simdjson::SUCCESS) return error;
    }
    return stage_->stage1(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                          simdjson::stage1_mode::regular);
  }
  [[nodiscard]] Walk walk(std::string_view text) const {
    return {text, stage_->structural_indexes.get(), stage_->n_structural_indexes};
  }

 private:
  static constexpr std::size_t kLeastCapacity = 4096;
  std::unique_ptr<simdjson::internal::dom_parser_implementation> stage_;
  std::size_t capacity_ = 0;
};

WindowParser::WindowParser() : tokens_(std::make_unique<Tokens>()) {}
WindowParser::~WindowParser() = default;

WindowResult WindowParser::parse(std::string_view text, std::uint64_t offset, bool after_event,
                                 EventBuilder& builder) {
  WindowResult result{.consumed = 0, .end = WindowEnd::kMore, .after_event = after_event};
  const simdjson::error_code error = tokens_->find(text);
  if (error == simdjson::EMPTY) return result;
  if (error != simdjson::SUCCESS) {
    result.end = error == simdjson::UNCLOSED_STRING ? WindowEnd::kOpenString : WindowEnd::kRefused;
    return result;
  }
  Walk walk = tokens_->walk(text);
  RawEvent event;
  std::size_t token = 0;
  while (true) {
    std::size_t brace = token;
    if (result.after_event) {
      if (walk.at(token) == ']') {
        result.consumed = walk.place(token) + 1;
        result.end = WindowEnd::kArrayEnd;
        return result;
      }
      if (walk.at(token) == ',') {
        ++brace;
      } else {
        walk.fail(token);
        break;
      }
    }
    if (walk.at(brace) != '{') {
      walk.fail(brace);
      break;
    }
    event = RawEvent{};
    event.offset = offset + walk.place(brace);
    token = walk.event(brace, event);
    if (token == Walk::kFailed) break;
    builder.add(event);
    result.consumed = walk.place(token - 1) + 1;
    result.after_event = true;
  }
  if (!walk.ran_out()) result.end = WindowEnd::kRefused;
  return result;
}

}  // namespace tracebook
