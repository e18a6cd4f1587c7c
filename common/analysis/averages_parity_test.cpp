// SPDX-License-Identifier: Apache-2.0
//
// Our profiler table against torch's own, on recordings whose key_averages() PyTorch wrote beside
// the trace in the same run. The two deliberate differences are worked out from the trace and must
// account for every nanosecond: no row and no column is exempt.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/analysis/averages.h"
#include "common/trace/file.h"
#include "common/trace/reader.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

/// All times of a row, in ns.
constexpr std::size_t kColumns = 4;
constexpr std::array<const char*, kColumns> kColumnNames = {"self_cpu", "cpu", "self_dev", "dev"};
using Times = std::array<double, kColumns>;

/// A row's key and "CPU" or "CUDA".
using RowName = std::pair<std::string, std::string>;

struct Row {
  RowName name;
  std::int64_t count = 0;
  Times times{};
};

struct Recording {
  fs::path trace;
  fs::path averages;
};

std::vector<Recording> recordings() {
  const fs::path expected = TRACEBOOK_SOURCE_DIR "/expected";
  std::vector<Recording> found;
  for (const char* folder :
       {"01_cold_trace/torch", "torch_parity/torch-h200", "torch_parity/planted-h200"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(expected / folder)) {
      const std::string file = entry.path().filename().string();
      constexpr std::string_view kSuffix = ".averages.json";
      if (!file.ends_with(kSuffix)) continue;
      const fs::path stem =
          entry.path().parent_path() / file.substr(0, file.size() - kSuffix.size());
      fs::path trace = stem.string() + ".json";
      if (!fs::exists(trace)) trace = stem.string() + ".json.gz";
      found.push_back({trace, entry.path()});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Recording& a, const Recording& b) { return a.trace < b.trace; });
  return found;
}

std::vector<Row> torch_rows(const fs::path& averages) {
  constexpr double kNsPerUs = 1000.0;
  std::vector<Row> rows;
  for (const nlohmann::json& row : nlohmann::json::parse(read_file(averages))) {
    const std::string device = row.at("device");  // "DeviceType.CPU"
    Row& out = rows.emplace_back();
    out.name = {row.at("key"), device.substr(device.find('.') + 1)};
    out.count = row.at("count");
    for (std::size_t i = 0; i < kColumns; ++i) {
      out.times[i] = row.at(kColumnNames[i]).get<double>() * kNsPerUs;
    }
  }
  return rows;
}

std::vector<Row> our_rows(const Averages& averages) {
  std::vector<Row> rows;
  for (const AverageRow& row : averages.rows) {
    rows.push_back({{row.key, row.device_type == DeviceType::kCuda ? "CUDA" : "CPU"},
                    row.count,
                    {static_cast<double>(row.self_cpu_ns), static_cast<double>(row.cpu_ns),
                     static_cast<double>(row.self_device_ns), static_cast<double>(row.device_ns)}});
  }
  return rows;
}

std::string row_key(std::string_view name) {
  return name.starts_with("ProfilerStep#") ? "ProfilerStep*" : std::string(name);
}

/// What torch's device columns have more (or less) than ours, by CPU row.
struct Excess {
  std::map<RowName, Times> rows;
  int overheads = 0;      ///< overhead records that carry kernels in torch's table
  int unattributed = 0;   ///< kernels that torch gives to nobody
  int misattributed = 0;  ///< kernels that torch gives to another op than we do: none expected

  static constexpr std::size_t kSelfDevice = 2;
  static constexpr std::size_t kDevice = 3;
};

class ExcessOf {
 public:
  ExcessOf(const Trace& trace, const Structure& structure)
      : trace_(trace), slices_(trace.slices), structure_(structure), children_(slices_.size(), 0) {
    for (SliceId id = 0; id < slices_.size(); ++id) {
      if (structure.parent[id] != kNoSlice) ++children_[structure.parent[id]];
      if (is_op(slices_.category[id]) && has_external_id(id)) op_of_[slices_.external_id[id]] = id;
    }
  }

  Excess reckon() {
    // torch gives device work to the op that its External id names …
    std::map<SliceId, double> work_of_op;
    for (SliceId id = 0; id < slices_.size(); ++id) {
      if (!is_device_work(slices_.category[id])) continue;
      const auto op = has_external_id(id) ? op_of_.find(slices_.external_id[id]) : op_of_.end();
      const SliceId theirs = op == op_of_.end() ? kNoSlice : op->second;
      const SliceId ours = structure_.op[id];
      const auto dur_ns = static_cast<double>(slices_.dur_ns[id]);
      if (theirs != kNoSlice) work_of_op[theirs] += dur_ns;
      if (theirs == ours) continue;
      if (theirs != kNoSlice) {
        ++excess_.misattributed;
        continue;
      }
      // … and where there is none, to nobody.
      ++excess_.unattributed;
      add(ours, -dur_ns);
    }
    // Every overhead record brings along, once more, the kernels of the op around it. Of several
    // records inside launches of one op, one does: seen in cold_conv, whose first convolution loads
    // three kernels lazily; why torch does so is not known.
    std::set<SliceId> carried_in_a_launch;
    for (SliceId id = 0; id < slices_.size(); ++id) {
      if (slices_.category[id] != Category::kOverhead) continue;
      const SliceId around = structure_.parent[id];
      SliceId op = around;
      while (op != kNoSlice && !is_op(slices_.category[op])) op = structure_.parent[op];
      if (op == kNoSlice || !work_of_op.contains(op)) continue;
      const bool in_a_launch = !structure_.launched_by(around).empty();
      if (in_a_launch && !carried_in_a_launch.insert(op).second) continue;
      ++excess_.overheads;
      add(id, work_of_op[op]);
    }
    return std::move(excess_);
  }

 private:
  [[nodiscard]] bool has_external_id(SliceId id) const {
    return slices_.external_id[id] != kNoId && slices_.external_id[id] != 0;
  }

  [[nodiscard]] RowName row_of(SliceId id) const { return {row_key(trace_.name(id)), "CPU"}; }

  /// Whether torch merges this range into its parent, so that it counts there once.
  [[nodiscard]] bool is_merged(SliceId id) const {
    const SliceId parent = structure_.parent[id];
    return parent != kNoSlice && row_of(parent) == row_of(id) && children_[parent] == 1;
  }

  void add(SliceId id, double ns) {
    while (is_merged(id)) id = structure_.parent[id];
    excess_.rows[row_of(id)][Excess::kSelfDevice] += ns;
    for (; id != kNoSlice; id = structure_.parent[id]) {
      if (!is_merged(id)) excess_.rows[row_of(id)][Excess::kDevice] += ns;
    }
  }

  const Trace& trace_;
  const Slices& slices_;
  const Structure& structure_;
  std::vector<int> children_;
  std::map<std::int64_t, SliceId> op_of_;
  Excess excess_;
};

/// Every way in which ours (with the excess added) is not torch's table.
std::vector<std::string> differences(std::vector<Row> ours, const std::vector<Row>& torch,
                                     const Excess& excess) {
  std::vector<std::string> says;
  const auto text = [](const RowName& name) { return name.first + " (" + name.second + ")"; };
  for (Row& row : ours) {
    const auto extra = excess.rows.find(row.name);
    if (extra == excess.rows.end()) continue;
    for (std::size_t i = 0; i < kColumns; ++i) row.times[i] += extra->second[i];
  }
  // Rows come in the same order, too: that of first appearance.
  for (std::size_t i = 0; i < std::max(ours.size(), torch.size()); ++i) {
    if (i >= ours.size()) {
      says.push_back("missing: " + text(torch[i].name));
      continue;
    }
    if (i >= torch.size()) {
      says.push_back("extra: " + text(ours[i].name));
      continue;
    }
    if (ours[i].name != torch[i].name) {
      says.push_back("row " + std::to_string(i) + " is " + text(ours[i].name) + ", torch's " +
                     text(torch[i].name));
      continue;
    }
    if (ours[i].count != torch[i].count) {
      says.push_back(text(ours[i].name) + " count " + std::to_string(ours[i].count) + ", torch's " +
                     std::to_string(torch[i].count));
    }
    // torch sums microseconds in doubles; 2 ns a call.
    constexpr double kTolerance_ns = 2.0;
    for (std::size_t column = 0; column < kColumns; ++column) {
      const double off = std::abs(ours[i].times[column] - torch[i].times[column]);
      if (off <= kTolerance_ns * static_cast<double>(torch[i].count)) continue;
      says.push_back(text(ours[i].name) + " " + kColumnNames[column] + " is off by " +
                     std::to_string(off) + " ns");
    }
  }
  return says;
}

struct Loaded {
  Trace trace;
  Structure structure;
  Averages averages;
  Excess excess;
  std::vector<Row> torch;
};

Loaded load(const Recording& recording) {
  Loaded loaded;
  loaded.trace = read_trace_file(recording.trace).trace;
  loaded.structure = build_structure(loaded.trace);
  loaded.averages = key_averages(loaded.trace, loaded.structure);
  loaded.excess = ExcessOf(loaded.trace, loaded.structure).reckon();
  loaded.torch = torch_rows(recording.averages);
  return loaded;
}

std::vector<std::string> differences(const Loaded& loaded) {
  return differences(our_rows(loaded.averages), loaded.torch, loaded.excess);
}

TEST(Parity, EveryRowAndColumnOfEveryRecordingIsTorchs) {
  const std::vector<Recording> all = recordings();
  EXPECT_GE(all.size(), 23U);
  int overheads = 0;
  int unattributed = 0;
  for (const Recording& recording : all) {
    SCOPED_TRACE(recording.trace);
    const Loaded loaded = load(recording);
    EXPECT_FALSE(loaded.torch.empty());
    EXPECT_EQ(loaded.excess.misattributed, 0);
    EXPECT_EQ(differences(loaded), std::vector<std::string>());
    overheads += loaded.excess.overheads;
    unattributed += loaded.excess.unattributed;
  }
  // Both deliberate differences were met, or the test proves less than it says.
  EXPECT_GT(overheads, 0);
  EXPECT_GT(unattributed, 0);
}

TEST(Parity, WithoutTheExcessTheDifferencesShow) {
  int with_excess = 0;
  for (const Recording& recording : recordings()) {
    SCOPED_TRACE(recording.trace);
    Loaded loaded = load(recording);
    const bool differs = loaded.excess.overheads + loaded.excess.unattributed > 0;
    loaded.excess = Excess();
    EXPECT_EQ(!differences(loaded).empty(), differs);
    with_excess += differs ? 1 : 0;
  }
  EXPECT_GT(with_excess, 0);
}

// What follows plants errors, each of which the comparison must find.

TEST(Planted, OneKernelThatIsNotCounted) {
  for (const Recording& recording : recordings()) {
    SCOPED_TRACE(recording.trace);
    Loaded loaded = load(recording);
    ASSERT_FALSE(loaded.structure.device_order.empty());
    const SliceId victim = loaded.structure.device_order[loaded.structure.device_order.size() / 2];
    loaded.trace.slices.category[victim] = Category::kOther;
    loaded.averages = key_averages(loaded.trace, build_structure(loaded.trace));
    EXPECT_FALSE(differences(loaded).empty());
  }
}

TEST(Planted, OneKernelOfAnotherOp) {
  int moved = 0;
  for (const Recording& recording : recordings()) {
    SCOPED_TRACE(recording.trace);
    Loaded loaded = load(recording);
    const std::vector<SliceId>& work = loaded.structure.device_order;
    const SliceId op = loaded.structure.op[work[0]];
    const auto is_other = [&](SliceId id) {
      const SliceId other_op = loaded.structure.op[id];
      return op != kNoSlice && other_op != kNoSlice &&
             row_key(loaded.trace.name(other_op)) != row_key(loaded.trace.name(op));
    };
    const auto other = std::find_if(work.begin(), work.end(), is_other);
    if (other == work.end()) continue;
    loaded.structure.op[work[0]] = loaded.structure.op[*other];
    loaded.averages = key_averages(loaded.trace, loaded.structure);
    EXPECT_FALSE(differences(loaded).empty());
    ++moved;
  }
  EXPECT_GT(moved, 0);
}

TEST(Planted, EveryColumnOfEveryRowCounts) {
  constexpr double kError_ns = 4.1;  // a call; twice the tolerance and a little
  for (const Recording& recording : recordings()) {
    SCOPED_TRACE(recording.trace);
    const Loaded loaded = load(recording);
    const std::vector<Row> ours = our_rows(loaded.averages);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      std::vector<Row> wrong = ours;
      ++wrong[i].count;
      EXPECT_FALSE(differences(wrong, loaded.torch, loaded.excess).empty());
      wrong = ours;
      wrong.erase(wrong.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_FALSE(differences(wrong, loaded.torch, loaded.excess).empty());
      wrong = ours;
      wrong.insert(wrong.begin() + static_cast<std::ptrdiff_t>(i), ours[i]);
      EXPECT_FALSE(differences(wrong, loaded.torch, loaded.excess).empty());
      for (std::size_t column = 0; column < kColumns; ++column) {
        wrong = ours;
        wrong[i].times[column] += kError_ns * static_cast<double>(ours[i].count);
        EXPECT_FALSE(differences(wrong, loaded.torch, loaded.excess).empty())
            << ours[i].name.first << " " << kColumnNames[column];
      }
    }
  }
}

/// As torch prints a time: us, from 1,000 us on ms, from 1,000 ms on s.
std::string torch_time(std::int64_t ns) {
  constexpr double kNsPerUs = 1e3;
  constexpr double kUsPerMs = 1e3;
  constexpr double kUsPerS = 1e6;
  const double us = static_cast<double>(ns) / kNsPerUs;
  std::array<char, 64> text{};
  if (us >= kUsPerS) {
    std::snprintf(text.data(), text.size(), "%.3fs", us / kUsPerS);
  } else if (us >= kUsPerMs) {
    std::snprintf(text.data(), text.size(), "%.3fms", us / kUsPerMs);
  } else {
    std::snprintf(text.data(), text.size(), "%.3fus", us);
  }
  return text.data();
}

TEST(Parity, FootersAreThoseOfThePrintedTables) {
  int tables = 0;
  for (const Recording& recording : recordings()) {
    SCOPED_TRACE(recording.trace);
    std::string stem = recording.averages.string();
    stem.resize(stem.size() - std::string_view(".averages.json").size());
    if (!fs::exists(stem + ".txt")) continue;
    ++tables;
    const std::string table = read_file(stem + ".txt");
    const Averages averages = load(recording).averages;
    const auto expect_line = [&](const std::string& line) {
      EXPECT_NE(table.find(line + "\n"), std::string::npos) << line;
    };
    expect_line("Self CPU time total: " + torch_time(averages.self_cpu_total_ns));
    expect_line("Self CUDA time total: " + torch_time(averages.self_device_total_ns));
  }
  EXPECT_GE(tables, 14);
}

}  // namespace
}  // namespace tracebook
