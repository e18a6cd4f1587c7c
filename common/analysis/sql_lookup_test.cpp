// SPDX-License-Identifier: Apache-2.0
//
// Lookups through an index against reading all rows, for every column of every view, on traces from
// PyTorch. "(condition) + 0" keeps SQLite from using an index, and so does "+column".
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/analysis/sql_sample_trace.h"
#include "common/analysis/sql_views.h"
#include "common/trace/reader.h"

namespace tracebook {
namespace {

// A digest of rows that tells which they are.
constexpr std::string_view kDigest = "SELECT count(*), sum(rowid), sum(rowid * rowid % 1009) FROM ";

std::string literal(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&cell)) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", *real);
    const std::string text(digits);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  std::string text = "'";
  for (const char c : std::get<std::string>(cell)) {
    text += c;
    if (c == '\'') text += c;
  }
  return text + "'";
}

class LookupTest : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    const std::string path = std::string(TRACEBOOK_SOURCE_DIR) + "/" + std::string(GetParam());
    ASSERT_TRUE(std::filesystem::exists(path)) << path;
    trace_ = read_trace_file(path).trace;
    structure_ = build_structure(trace_);
    database_ = std::make_unique<Database>(trace_, structure_);
  }

  void expect_same(const std::string& view, const std::string& column,
                   const std::string& condition) {
    const std::string indexed = std::string(kDigest) + view + " WHERE " + column + condition;
    const std::string scanned =
        std::string(kDigest) + view + " WHERE (" + column + condition + ") + 0";
    EXPECT_EQ(text_of(database_->query(indexed)), text_of(database_->query(scanned))) << indexed;
  }

  // '$' in the query stands for the column, first as it is, then as SQLite cannot look it up.
  void expect_same_answer(const std::string& query, const std::string& column) {
    const std::size_t place = query.find('$');
    std::string indexed = query;
    indexed.replace(place, 1, column);
    std::string scanned = query;
    scanned.replace(place, 1, "+" + column);
    EXPECT_EQ(text_of(database_->query(indexed)), text_of(database_->query(scanned))) << indexed;
  }

  std::vector<std::string> some_values(const std::string& view, const std::string& column) {
    std::vector<std::string> values;
    const QueryResult result = database_->query("SELECT DISTINCT " + column + " FROM " + view +
                                                " WHERE " + column + " IS NOT NULL");
    const std::size_t stride = result.rows.size() / 12 + 1;
    for (std::size_t i = 0; i < result.rows.size(); i += stride) {
      values.push_back(literal(result.rows[i][0]));
    }
    return values;
  }

  Trace trace_;
  Structure structure_;
  std::unique_ptr<Database> database_;
};

TEST_P(LookupTest, EqualFindsWhatAScanFinds) {
  SqlModel model(trace_, structure_);
  for (const SqlView& view : make_views(model)) {
    for (const SqlTable::Column& column : view->columns()) {
      std::vector<std::string> values = some_values(view->name(), column.name);
      for (const auto* other : {"NULL", "-1", "0", "7", "7.0", "7.5", "'7'", "'x'", "''", "x'07'",
                                "9e99", "9223372036854775807", "-9223372036854775807 - 1"}) {
        values.emplace_back(other);
      }
      for (const std::string& value : values) expect_same(view->name(), column.name, " = " + value);
      expect_same(view->name(), column.name, " IN (" + values[0] + ", " + values.back() + ", 3)");
      expect_same(view->name(), column.name, " = " + values[0] + " COLLATE NOCASE");
    }
  }
}

TEST_P(LookupTest, BoundsFindWhatAScanFinds) {
  for (const auto* view : {"slice", "op", "launch", "kernel", "step", "overhead"}) {
    for (const auto* column : {"ts", "ts_ns"}) {
      std::vector<std::string> values = some_values(view, column);
      for (const auto* other : {"NULL", "0", "0.5", "'7'", "'x'", "1e300", "-1e300"}) {
        values.emplace_back(other);
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        for (const auto* sign : {" < ", " <= ", " > ", " >= "}) {
          expect_same(view, column, sign + values[i]);
        }
        const std::string& other = values[(i * 5 + 3) % values.size()];
        expect_same(view, column, " BETWEEN " + values[i] + " AND " + other);
      }
    }
  }
}

TEST_P(LookupTest, EqualWithinBoundsFindsWhatAScanFindsInItsOrder) {
  SqlModel model(trace_, structure_);
  for (const SqlView& view : make_views(model)) {
    const auto& columns = view->columns();
    if (std::ranges::none_of(columns, [](const auto& column) { return column.name == "ts"; })) {
      continue;
    }
    const std::vector<std::string> times = some_values(view->name(), "ts");
    if (times.empty()) continue;
    const std::string middle = times[times.size() / 2];
    for (const SqlTable::Column& column : columns) {
      std::vector<std::string> values = some_values(view->name(), column.name);
      for (const auto* other : {"NULL", "7.5", "9e15", "'x'"}) values.emplace_back(other);
      for (const std::string& value : values) {
        const std::string rows =
            "SELECT ts FROM " + view->name() + " WHERE $ = " + value + " AND ts ";
        for (const std::string& bounds :
             {"< " + middle, ">= " + middle, "BETWEEN " + times.front() + " AND " + middle,
              std::string("> NULL"), std::string("< 'x'"), std::string("> -1 AND ts < -2")}) {
          expect_same_answer(rows + bounds + " ORDER BY ts", column.name);
          expect_same_answer(rows + bounds + " ORDER BY ts DESC LIMIT 2", column.name);
        }
      }
    }
  }
}

TEST_P(LookupTest, JoinsFindWhatAScanFinds) {
  for (const auto& [join, column] : std::vector<std::pair<std::string, std::string>>{
           {"kernel AS a JOIN launch AS b ON a.launch = $", "b.id"},
           {"launch AS a JOIN kernel AS b ON a.id = $", "b.launch"},
           {"kernel AS a JOIN op AS b ON a.op = $", "b.id"},
           {"op AS a JOIN slice AS b ON a.id = $", "b.parent"},
           {"step AS a JOIN kernel AS b ON a.number = $", "b.step"},
           {"op AS a JOIN average AS b ON a.name = $", "b.key"},
           {"kernel AS a JOIN slice AS b ON a.name = $", "b.name"},
           {"step AS a JOIN slice AS b ON $ BETWEEN a.ts AND a.ts + a.dur", "b.ts"}}) {
    expect_same_answer("SELECT count(*), sum(a.rowid * 31 + b.rowid) FROM " + join, column);
  }
}

TEST_P(LookupTest, OrderIsThatOfASort) {
  SqlModel model(trace_, structure_);
  for (const SqlView& view : make_views(model)) {
    for (const SqlTable::Column& column : view->columns()) {
      const std::string from = column.name + " AS x FROM " + view->name();
      const std::string count = "SELECT count(*), " + from + " GROUP BY ";
      for (const std::string& query :
           {"SELECT " + from + " ORDER BY $", "SELECT " + from + " ORDER BY $ DESC",
            count + "$ ORDER BY 2", count + "$ ORDER BY 2 DESC",
            "SELECT * FROM (" + count + "$) ORDER BY 2",
            "SELECT DISTINCT " + from + " ORDER BY $ DESC",
            "SELECT count(*) FROM (SELECT DISTINCT $ FROM " + view->name() + ")"}) {
        expect_same_answer(query, column.name);
      }
    }
  }
}

TEST_P(LookupTest, SelfTimesAddUpToTheTable) {
  EXPECT_EQ(
      text_of(database_->query(
          "WITH mine AS (SELECT iif(name LIKE 'ProfilerStep#%', 'ProfilerStep*', name) AS key, "
          "cat, "
          "              sum(self_ns) AS self_ns FROM op GROUP BY 1, 2) "
          "SELECT key, mine.self_ns, self_cpu_time_total_ns FROM mine JOIN average USING (key) "
          "WHERE device_type = 'CPU' AND mine.self_ns <> self_cpu_time_total_ns")),
      "");
  EXPECT_EQ(text_of(database_->query("SELECT count(*) FROM op WHERE self_ns < 0")), "0");
}

TEST_P(LookupTest, ShapesAgreeWithKineto) {
  const QueryResult result = database_->query(
      R"(SELECT count(args ->> 'blocks per SM') > 0,
                sum(occupancy_kineto IS NOT args ->> '$."est. achieved occupancy %"'),
                sum(abs(blocks_per_sm - (args ->> 'blocks per SM')) > 2e-6 * blocks_per_sm),
                sum(abs(warps_per_sm - (args ->> 'warps per SM')) > 2e-6 * warps_per_sm)
         FROM kernel WHERE kind = 'kernel')");
  EXPECT_EQ(text_of(result), "1|0|0|0");
}

TEST_P(LookupTest, BandwidthsAgreeWithKineto) {
  EXPECT_EQ(
      text_of(database_->query("SELECT id, bandwidth, args FROM kernel WHERE kind <> 'kernel' AND "
                               "abs(bandwidth - (args ->> 'memory bandwidth (GB/s)')) > 1e-6")),
      "");
}

INSTANTIATE_TEST_SUITE_P(Recordings, LookupTest,
                         testing::Values("expected/torch_parity/torch-h200/08_addmm_64.json.gz",
                                         "expected/torch_parity/planted-h200/cuda_graph.json.gz",
                                         "expected/torch_parity/planted-h200/item_sync.json.gz"));

}  // namespace
}  // namespace tracebook
