// SPDX-License-Identifier: Apache-2.0
//
// Our table against what PyTorch printed, to the byte: from PyTorch's own averages for every
// recording, and from the trace wherever our averages equal PyTorch's.
#include "common/render/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/trace/file.h"
#include "common/trace/reader.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

/// How the .txt files were printed.
constexpr const char* kSortedBy = "cuda_time_total";
constexpr TableOptions kPrinted{.row_limit = -1, .max_name_column_width = 200};

/// Stems of the recordings beside which PyTorch's printed table lies.
std::vector<fs::path> printed_recordings() {
  const fs::path expected = TRACEBOOK_SOURCE_DIR "/expected";
  std::vector<fs::path> stems;
  for (const char* folder : {"01_cold_trace/torch", "torch_parity/torch-h200"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(expected / folder)) {
      if (entry.path().extension() != ".txt") continue;
      stems.push_back(entry.path().parent_path() / entry.path().stem());
    }
  }
  std::sort(stems.begin(), stems.end());
  return stems;
}

std::string text_of(const fs::path& stem) { return read_file(stem.string() + ".txt"); }

/// PyTorch's averages. Its file does not say which CUDA rows are spans: those that a CPU range of
/// the same name has.
Averages torch_averages(const fs::path& stem) {
  Averages averages;
  const auto nanoseconds = [](const nlohmann::json& us) {
    return static_cast<std::int64_t>(std::llround(us.get<double>() * 1000.0));
  };
  std::set<std::string> cpu_keys;
  const auto json = nlohmann::json::parse(read_file(stem.string() + ".averages.json"));
  for (const nlohmann::json& row : json) {
    if (row.at("device") == "DeviceType.CPU") cpu_keys.insert(row.at("key").get<std::string>());
  }
  for (const nlohmann::json& row : json) {
    AverageRow out;
    out.key = row.at("key");
    out.device_type = row.at("device") == "DeviceType.CPU" ? DeviceType::kCpu : DeviceType::kCuda;
    out.is_span = out.device_type == DeviceType::kCuda && cpu_keys.contains(out.key);
    out.count = row.at("count");
    out.self_cpu_ns = nanoseconds(row.at("self_cpu"));
    out.cpu_ns = nanoseconds(row.at("cpu"));
    out.self_device_ns = nanoseconds(row.at("self_dev"));
    out.device_ns = nanoseconds(row.at("dev"));
    averages.self_cpu_total_ns += out.self_cpu_ns;
    if (out.device_type == DeviceType::kCuda && !out.is_span) {
      averages.self_device_total_ns += out.self_device_ns;
    }
    averages.rows.push_back(std::move(out));
  }
  return averages;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Whether a mean of whole nanoseconds lies halfway between two that can be printed. Which of them
/// torch prints then depends on the noise of its sums in floating point.
bool is_tie(std::int64_t total_ns, std::int64_t count) {
  return count > 0 && 2 * total_ns % count == 0 && 2 * total_ns / count % 2 != 0;
}

/// `line` without the cells of the row's means that are ties.
std::string without_ties(std::string line, const AverageRow& row) {
  constexpr std::size_t kCell = 14;           // with its spacing
  constexpr std::size_t kCpuMeanFromEnd = 6;  // columns from the end of the line
  constexpr std::size_t kDeviceMeanFromEnd = 2;
  if (is_tie(row.cpu_ns, row.count))
    line.replace(line.size() - kCpuMeanFromEnd * kCell, kCell, "?");
  if (is_tie(row.device_ns, row.count)) {
    line.replace(line.size() - kDeviceMeanFromEnd * kCell, kCell, "?");
  }
  return line;
}

constexpr std::size_t kHeadLines = 3;

/// Compares two tables, each line whole, but for the ties.
void expect_same_table(const std::string& ours, const std::string& theirs,
                       const Averages& averages) {
  EXPECT_EQ(ours.size(), theirs.size());
  const std::vector<std::string> our_lines = lines_of(ours);
  const std::vector<std::string> their_lines = lines_of(theirs);
  ASSERT_EQ(our_lines.size(), their_lines.size());
  for (std::size_t i = 0; i < our_lines.size(); ++i) {
    if (i < kHeadLines || i >= kHeadLines + averages.rows.size()) {
      EXPECT_EQ(our_lines[i], their_lines[i]);
      continue;
    }
    const AverageRow& row = averages.rows[i - kHeadLines];
    EXPECT_EQ(without_ties(our_lines[i], row), without_ties(their_lines[i], row));
  }
}

TEST(Table, FromTorchsAveragesEveryByteIsTorchs) {
  const std::vector<fs::path> stems = printed_recordings();
  ASSERT_GE(stems.size(), 14U);
  int identical = 0;
  for (const fs::path& stem : stems) {
    SCOPED_TRACE(stem.filename().string());
    Averages averages = torch_averages(stem);
    sort_averages(averages, kSortedBy);
    const std::string rendered = render_table(averages, kPrinted);
    expect_same_table(rendered, text_of(stem), averages);
    if (rendered == text_of(stem)) ++identical;
  }
  EXPECT_GE(identical, 12) << "ties are rare";
}

TEST(Table, FromTheTraceEveryLineOfAnEqualRowIsTorchs) {
  using Row = std::tuple<std::string, DeviceType, bool>;
  int wholly_equal = 0;
  for (const fs::path& stem : printed_recordings()) {
    SCOPED_TRACE(stem.filename().string());
    fs::path file = stem.string() + ".json";
    if (!fs::exists(file)) file += ".gz";
    const Trace trace = read_trace_file(file).trace;
    Averages ours = key_averages(trace, build_structure(trace));
    sort_averages(ours, kSortedBy);
    Averages theirs = torch_averages(stem);
    sort_averages(theirs, kSortedBy);
    const std::string rendered = render_table(ours, kPrinted);
    const std::string printed = text_of(stem);
    const std::vector<std::string> our_lines = lines_of(rendered);
    const std::vector<std::string> their_lines = lines_of(printed);
    ASSERT_EQ(our_lines.size(), their_lines.size());
    ASSERT_EQ(ours.rows.size(), theirs.rows.size());

    std::map<Row, std::size_t> their_place;
    for (std::size_t i = 0; i < theirs.rows.size(); ++i) {
      const AverageRow& row = theirs.rows[i];
      their_place[{row.key, row.device_type, row.is_span}] = i;
    }
    bool all_equal = true;
    for (std::size_t i = 0; i < ours.rows.size(); ++i) {
      const AverageRow& row = ours.rows[i];
      const auto place = their_place.find({row.key, row.device_type, row.is_span});
      ASSERT_NE(place, their_place.end()) << row.key;
      const AverageRow& torch = theirs.rows[place->second];
      // Only the deliberate differences, which are in device time, excuse a line.
      if (row.self_device_ns != torch.self_device_ns || row.device_ns != torch.device_ns) {
        all_equal = false;
        continue;
      }
      EXPECT_EQ(without_ties(our_lines[kHeadLines + i], row),
                without_ties(their_lines[kHeadLines + place->second], row));
    }
    EXPECT_EQ(our_lines[our_lines.size() - 2], their_lines[their_lines.size() - 2]);
    EXPECT_EQ(our_lines.back(), their_lines.back());
    if (!all_equal) continue;
    ++wholly_equal;
    expect_same_table(rendered, printed, ours);
  }
  EXPECT_GE(wholly_equal, 8) << "too few recordings are compared as a whole";
}

/// A row as short as may be.
AverageRow row_of(std::string key, DeviceType device, std::int64_t ns) {
  AverageRow row;
  row.key = std::move(key);
  row.device_type = device;
  row.count = 1;
  (device == DeviceType::kCpu ? row.self_cpu_ns : row.self_device_ns) = ns;
  (device == DeviceType::kCpu ? row.cpu_ns : row.device_ns) = ns;
  return row;
}

TEST(Table, CpuOnlyTracesHaveNoCudaColumns) {
  Averages averages;
  averages.rows = {row_of("aten::mm", DeviceType::kCpu, 1'500)};
  averages.self_cpu_total_ns = 1'500;
  EXPECT_EQ(render_table(averages),
            "------------  ------------  ------------  ------------  ------------  ------------  "
            "------------  \n"
            "        Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg  "
            "  # of Calls  \n"
            "------------  ------------  ------------  ------------  ------------  ------------  "
            "------------  \n"
            "    aten::mm       100.00%       1.500us       100.00%       1.500us       1.500us  "
            "           1  \n"
            "------------  ------------  ------------  ------------  ------------  ------------  "
            "------------  \n"
            "Self CPU time total: 1.500us\n");
}

TEST(Table, DeviceColumnsGoOnRequest) {
  Averages averages;
  averages.rows = {row_of("k", DeviceType::kCuda, 10)};
  averages.self_device_total_ns = 10;
  EXPECT_NE(render_table(averages).find("Self CUDA"), std::string::npos);
  EXPECT_EQ(render_table(averages, {.has_device_time = false}).find("CUDA"), std::string::npos);
}

TEST(Table, LongNamesAreCutAsTorchCutsThem) {
  Averages averages;
  // torch cuts a name of limit - 3 characters already, and counts characters, not bytes.
  averages.rows = {row_of(std::string(51, 'a'), DeviceType::kCpu, 1),
                   row_of(std::string(52, 'b'), DeviceType::kCpu, 1),
                   row_of(std::string(80, 'c'), DeviceType::kCpu, 1)};
  for (int i = 0; i < 60; ++i) averages.rows[2].key += "µ";
  const std::vector<std::string> lines = lines_of(render_table(averages));
  EXPECT_EQ(lines[3].substr(0, 57), std::string(4, ' ') + std::string(51, 'a') + "  ");
  EXPECT_EQ(lines[4].substr(0, 57), std::string(52, 'b') + "...  ");
  EXPECT_EQ(lines[5].substr(0, 57), std::string(52, 'c') + "...  ");
  averages.rows = {row_of("µµµµµµµµµ", DeviceType::kCpu, 1)};
  const std::string text = lines_of(render_table(averages, {.max_name_column_width = 10}))[3];
  EXPECT_EQ(text.substr(0, text.find("...") + 3), "µµµµµµµ...");
}

TEST(Table, RowLimitLeavesTheTotals) {
  Averages averages;
  for (int i = 0; i < 5; ++i) averages.rows.push_back(row_of("op", DeviceType::kCpu, 1'000));
  averages.self_cpu_total_ns = 5'000;
  constexpr std::size_t kOtherLines = 5;
  EXPECT_EQ(lines_of(render_table(averages, {.row_limit = 2})).size(), kOtherLines + 2);
  EXPECT_EQ(lines_of(render_table(averages, {.row_limit = 0})).size(), kOtherLines);
  EXPECT_EQ(lines_of(render_table(averages, {.row_limit = -1})).size(), kOtherLines + 5);
  EXPECT_EQ(lines_of(render_table(averages, {.row_limit = 2})).back(),
            "Self CPU time total: 5.000us");
}

TEST(Table, WithoutRowsOrTotals) {
  EXPECT_EQ(render_table({}), "");
  Averages averages;
  averages.rows = {row_of("op", DeviceType::kCpu, 0)};
  EXPECT_NE(render_table(averages).find(" NaN "), std::string::npos);
}

TEST(Table, NamesCannotSpeakToTheTerminal) {
  Averages averages;
  averages.rows = {row_of("\033]0;title\a", DeviceType::kCpu, 1)};
  EXPECT_EQ(render_table(averages).find('\033'), std::string::npos);
}

TEST(Table, SpanNoteNamesTheSpans) {
  Averages averages;
  averages.rows = {row_of("matmul_add", DeviceType::kCuda, 90'000),
                   row_of("gemm", DeviceType::kCuda, 8'000)};
  averages.rows[0].is_span = true;
  averages.self_device_total_ns = 8'000;
  EXPECT_EQ(render_table(averages).find("Spans"), std::string::npos);
  const std::string last = lines_of(render_table(averages, {.span_note = true})).back();
  EXPECT_TRUE(last.starts_with("Spans, not work")) << last;
  EXPECT_TRUE(last.ends_with(": matmul_add")) << last;
}

TEST(Table, TimesAsTorchFormatsThem) {
  EXPECT_EQ(format_time(0), "0.000us");
  EXPECT_EQ(format_time(999'999), "999.999us");
  EXPECT_EQ(format_time(1'000'000), "1.000ms");
  EXPECT_EQ(format_time(3'706'499), "3.706ms");
  EXPECT_EQ(format_time(999'999'999), "1000.000ms");
  EXPECT_EQ(format_time(1'234'000'000), "1.234s");
  EXPECT_EQ(format_time(3'600'000'000'000), "3600.000s");
  EXPECT_EQ(format_time(-1'500), "-1.500us");
}

TEST(Table, ColumnsOfStepsShapesAndCallsFollowTorchs) {
  Averages averages;
  averages.options = {.by_step = true, .by_shape = true, .stats = true};
  AverageRow row;
  row.key = "aten::mm";
  row.count = 3;
  row.step = 7;
  row.shape = "[[64, 64]]" + std::string(200, 'x');
  row.calls = CallTimes{.min_ns = 1'000, .median_ns = 2'000, .max_ns = 9'000, .spread_ns = 500};
  averages.rows = {row, row};
  averages.rows[1].step.reset();
  averages.rows[1].shape.clear();
  const std::string text = render_table(averages);
  const auto at = [&text](std::string_view part) { return text.find(part); };
  EXPECT_LT(at("# of Calls"), at("Step"));
  EXPECT_LT(at("Step"), at("Call min"));
  EXPECT_LT(at("Call spread"), at("Input Shapes"));
  EXPECT_NE(at("2.000us       9.000us"), std::string::npos) << text;
  EXPECT_NE(at("[[64, 64]]" + std::string(70, 'x') + "  \n"), std::string::npos)
      << "cut at torch's 80 characters\n"
      << text;
  const std::size_t length = text.find('\n');
  for (std::size_t line = 0; line + length < text.find("Self CPU time total"); line += length + 1) {
    EXPECT_EQ(text.find('\n', line), line + length) << "lines of one length";
  }
}

}  // namespace
}  // namespace tracebook
