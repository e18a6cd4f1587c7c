// SPDX-License-Identifier: Apache-2.0
//
// Files that end too early, and gzip in all its forms. How many events are whole is counted here by
// following brackets, which is right for sound text alone, and without any of the reader's code.
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "common/trace/file.h"
#include "common/trace/reader_test_support.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

std::string deflated(std::string_view text, int flush_every = 0) {
  z_stream stream{};
  constexpr int kGzip = 16;
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + kGzip, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out;
  std::array<char, 4096> buffer{};
  std::string copy(text);
  std::size_t at = 0;
  bool done = false;
  while (!done) {
    const std::size_t step =
        flush_every > 0 ? std::min<std::size_t>(flush_every, copy.size() - at) : copy.size() - at;
    stream.next_in = reinterpret_cast<Bytef*>(copy.data() + at);
    stream.avail_in = static_cast<uInt>(step);
    at += step;
    const int mode = at == copy.size() ? Z_FINISH : Z_FULL_FLUSH;
    do {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = static_cast<uInt>(buffer.size());
      done = deflate(&stream, mode) == Z_STREAM_END;
      out.append(buffer.data(), buffer.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  }
  deflateEnd(&stream);
  return out;
}

std::string inflated(const std::string& data) {
  z_stream stream{};
  constexpr int kGzip = 16;
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + kGzip), Z_OK);
  std::string copy = data;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  std::string out;
  std::array<char, 65536> buffer{};
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  EXPECT_EQ(status, Z_STREAM_END);
  inflateEnd(&stream);
  return out;
}

/// Where each event of a sound text ends, and where its list begins and ends.
struct Layout {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<std::size_t> event_ends;

  [[nodiscard]] std::int64_t whole_before(std::size_t cut) const {
    return std::count_if(event_ends.begin(), event_ends.end(),
                         [cut](std::size_t event_end) { return event_end <= cut; });
  }
};

Layout layout_of(const std::string& text) {
  Layout out;
  const std::string key = "\"traceEvents\": [";
  const std::size_t found = text.find(key);
  out.begin = found == std::string::npos ? text.find('[') + 1 : found + key.size();
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = out.begin; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) {
        out.end = i + 1;
        return out;
      }
      if (--depth == 0) out.event_ends.push_back(i + 1);
    }
  }
  return out;
}

struct Sample {
  std::string name;
  std::string text;
};

std::vector<Sample> samples() {
  std::vector<Sample> out;
  const fs::path folder = fs::path(TRACEBOOK_SOURCE_DIR) / "expected/torch_parity";
  for (const char* const name :
       {"torch-h200/01_cold_64.json", "torch-h200/08_addmm_4096.json",
        "planted-h200/misaligned_gemm.json.gz", "planted-h200/gpt_decode.json.gz"}) {
    const fs::path path = folder / name;
    if (!fs::exists(path)) continue;
    const std::string content = read_file(path);
    out.push_back({name, path.extension() == ".gz" ? inflated(content) : content});
  }
  std::string events;
  for (int i = 0; i < 40; ++i) {
    events += range(i % 2 == 0 ? "},{\\\"ph\\\":\\\"X\\\"" : "\xe2\x82\xac]}\\\\", i,
                    R"("args":{"a":[{"ph":"X"},{"name":1}],"b":true,"c":null,"d":-1.5e-3})") +
              (i == 39 ? "" : " ,\n");
  }
  out.push_back({"hand-made object", "{\"schemaVersion\": 1, \"traceEvents\": [" + events +
                                         "], \"traceName\": \"x\"}"});
  out.push_back({"hand-made list", "[" + events + "]"});
  return out;
}

/// Some 200 places, the interesting ones around the list's ends among them.
std::vector<std::size_t> cuts_of(const Sample& sample, const Layout& layout) {
  std::vector<std::size_t> out;
  constexpr std::size_t kCuts = 200;
  for (std::size_t i = 0; i < kCuts; ++i) {
    // A step that shares no factor with the text's layout.
    out.push_back((i * (sample.text.size() / kCuts * 2 + 37)) % sample.text.size());
  }
  for (std::size_t i = 0; i < 6; ++i) {
    out.push_back(layout.begin + i);
    out.push_back(layout.end - 1 - i);
    out.push_back(std::min(sample.text.size() - 2, layout.end + i));
  }
  return out;
}

TEST(CutText, SalvageReturnsEveryWholeEvent) {
  for (const Sample& sample : samples()) {
    const Layout layout = layout_of(sample.text);
    ASSERT_FALSE(layout.event_ends.empty()) << sample.name;
    ASSERT_EQ(read_text(sample.text).result.events,
              static_cast<std::int64_t>(layout.event_ends.size()));
    for (const std::size_t cut : cuts_of(sample, layout)) {
      const std::string text = sample.text.substr(0, cut);
      for (const std::size_t window : {std::size_t{1} << 20U, std::size_t{300}}) {
        const Read read = read_text(text, {.salvage = true, .window_bytes = window});
        SCOPED_TRACE(sample.name + " cut at byte " + std::to_string(cut));
        if (cut < layout.begin) {  // there is no list yet
          EXPECT_NE(read.error, "");
          continue;
        }
        ASSERT_EQ(read.error, "");
        EXPECT_EQ(read.result.events, layout.whole_before(cut));
        EXPECT_EQ(read.exit_code, 0);
        EXPECT_FALSE(read.trace().issues.empty());
        for (const Issue& issue : read.trace().issues) {
          const bool known = issue.kind == "cut" || issue.kind == "unclosed_array" ||
                             issue.kind == "unclosed_object" || issue.kind == "trailing_comma";
          EXPECT_TRUE(known) << issue.kind;
        }
      }
    }
  }
}

TEST(CutText, InsideAnEventIsAnErrorThatSaysWhere) {
  for (const Sample& sample : samples()) {
    const Layout layout = layout_of(sample.text);
    for (const std::size_t cut : cuts_of(sample, layout)) {
      SCOPED_TRACE(sample.name + " cut at byte " + std::to_string(cut));
      const Read read = read_text(std::string_view(sample.text).substr(0, cut));
      // Nothing but space and a comma since the last event: only brackets are missing.
      std::size_t since = layout.begin;
      for (const std::size_t end : layout.event_ends) {
        if (end <= cut) since = end;
      }
      const bool between_events =
          cut >= layout.begin && cut < layout.end &&
          std::all_of(sample.text.begin() + static_cast<std::ptrdiff_t>(since),
                      sample.text.begin() + static_cast<std::ptrdiff_t>(cut),
                      [](char c) { return c == ' ' || c == '\n' || c == ','; });
      if (between_events) {
        EXPECT_EQ(read.error, "");
        EXPECT_EQ(read.result.events, layout.whole_before(cut));
      } else if (cut < layout.end) {
        EXPECT_EQ(read.exit_code, 3);
        if (cut > 0) {
          EXPECT_NE(read.error.find("byte " + std::to_string(cut)), std::string::npos)
              << read.error;
        }
      }
    }
  }
}

// --- Gzip
// ------------------------------------------------------------------------------------------

std::string small_trace() { return in_object(range("a", 1) + ",\n" + range("b", 2)); }

TEST(Gzip, SeveralMembersFlushBlocksAndTrailingZeros) {  // kind 21
  const std::string text = small_trace();
  const std::string parts = deflated(text.substr(0, 40)) + deflated(text.substr(40, 1)) +
                            deflated("") + deflated(text.substr(41));
  for (const std::string& data :
       {deflated(text), deflated(text, 7), parts, parts + std::string(3, '\0'),
        deflated(text) + std::string(100'000, '\0')}) {
    const Read read = read_text(data);
    EXPECT_EQ(read.names(), "a,b") << read.error;
    EXPECT_EQ(read.issues(), "");
  }
  const Read garbage = read_text(deflated(text) + "garbage");
  EXPECT_EQ(garbage.names() + " " + garbage.issues(), "a,b trailing_bytes 1");
  EXPECT_NE(read_text(deflated("")).error.find("is empty"), std::string::npos);
}

TEST(Gzip, CutAnywhereIsAnErrorAndCanBeSalvaged) {  // kind 22
  std::string events;
  for (int i = 0; i < 2000; ++i) events += (i == 0 ? "" : ",\n") + range("event", i * 7919 % 1000);
  const std::string text = in_list(events);
  const std::string data =
      deflated(text.substr(0, text.size() / 2)) + deflated(text.substr(text.size() / 2));
  const Layout layout = layout_of(text);
  std::int64_t before = 0;
  for (std::size_t cut = 11; cut < data.size(); cut += cut < 40 ? 1 : 97) {
    SCOPED_TRACE(cut);
    const std::string part = data.substr(0, cut);
    const Read read = read_text(part);
    if (read.error.empty()) {
      ADD_FAILURE() << "read " << read.result.events << " events " << read.issues();
      continue;
    }
    EXPECT_NE(read.error.find("inside a member at byte " + std::to_string(cut)), std::string::npos)
        << read.error;
    const Read salvaged = salvage(part);
    if (!salvaged.error.empty()) {
      EXPECT_LT(cut, 200U) << salvaged.error;  // nothing decoded yet
      EXPECT_EQ(salvaged.error.find("is empty"), std::string::npos) << salvaged.error;
      EXPECT_NE(salvaged.error.find("before "), std::string::npos) << salvaged.error;
      continue;
    }
    EXPECT_EQ(salvaged.exit_code, 0);
    EXPECT_NE(salvaged.issues().find("cut_gzip 1"), std::string::npos) << salvaged.issues();
    EXPECT_GE(salvaged.result.events, before);
    EXPECT_LE(salvaged.result.events, 2000);
    before = salvaged.result.events;
  }
  EXPECT_GT(before, 1900);
  // Only the trailer is missing: every event is there, and yet it is a cut file.
  const std::string no_trailer = data.substr(0, data.size() - 8);
  EXPECT_NE(read_text(no_trailer).error, "");
  EXPECT_EQ(salvage(no_trailer).result.events, 2000);
}

TEST(Gzip, DamageIsNoticed) {
  std::string data = deflated(small_trace());
  data[data.size() - 6] ^= 1;  // of the checksum
  const Read read = read_text(data);
  EXPECT_NE(read.error.find("damaged"), std::string::npos) << read.error;
  EXPECT_EQ(salvage(data).names(), "a,b");
}

// --- Files
// -----------------------------------------------------------------------------------------

std::string error_of(const fs::path& path) {
  try {
    read_trace_file(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TraceFiles, ThatCannotBeRead) {
  const fs::path folder = fs::temp_directory_path();
  EXPECT_NE(error_of(folder / "no such file.json").find("cannot be read"), std::string::npos);
  EXPECT_NE(error_of(folder).find("is a folder"), std::string::npos);
  for (const std::string& message : {error_of(folder), error_of(folder / "no such file.json")}) {
    EXPECT_NE(message.find("expected"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(TraceFiles, GzipIsToldByItsBytesNotItsName) {
  const fs::path path = fs::temp_directory_path() / ("reader_cut_test." + std::to_string(getpid()));
  write_file(path, deflated(small_trace()));
  EXPECT_EQ(read_trace_file(path).events, 2);
  write_file(path, small_trace());
  EXPECT_EQ(read_trace_file(path).events, 2);
  std::uint64_t last = 0;
  read_trace_file(path, {.progress = [&last](std::uint64_t done, std::uint64_t total) {
                    EXPECT_LE(done, total);
                    last = done;
                  }});
  EXPECT_EQ(last, small_trace().size());
  fs::remove(path);
}

}  // namespace
}  // namespace tracebook
