// SPDX-License-Identifier: Apache-2.0
//
// What a query may be and what becomes of it: statements, errors, functions, plans.
#include "common/analysis/database.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/analysis/sql_sample_trace.h"

namespace tracebook {
namespace {

std::string error_of(const SampleTrace& sample, std::string_view sql) {
  try {
    const std::string answer = sample.answer(sql);
    ADD_FAILURE() << sql << " gave " << answer;
  } catch (const SqlError& error) {
    EXPECT_EQ(error.exit_code(), 2);
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
    return error.what();
  }
  return "";
}

TEST(Database, GivesColumnsAndCells) {
  const SampleTrace sample;
  const QueryResult result =
      sample.database.query("SELECT id, dur AS µs, name, parent, x'0aff' FROM slice WHERE id = 15");
  EXPECT_EQ(result.columns, (std::vector<std::string>{"id", "µs", "name", "parent", "x'0aff'"}));
  ASSERT_EQ(result.rows.size(), 1U);
  const std::vector<Cell> row = {std::int64_t{15}, 900.0, "PyTorch Profiler (0)", std::monostate(),
                                 "x'0aff'"};
  EXPECT_EQ(result.rows[0], row);
}

TEST(Database, TakesOneStatement) {
  const SampleTrace sample;
  for (const auto* sql : {"SELECT 1", "SELECT 1;", " \n SELECT 1 ;; ",
                          "-- why\nSELECT 1; -- because", "/* a; b */ SELECT 1; /* c */",
                          ";SELECT 1", "VALUES (1)", "WITH x AS (SELECT 1) SELECT * FROM x"}) {
    EXPECT_EQ(sample.answer(sql), "1") << sql;
  }
  for (const auto* sql : {"SELECT 1; SELECT 2", "SELECT 1;; SELECT 2;", "SELECT 1; nonsense",
                          "SELECT 1; DROP TABLE slice"}) {
    EXPECT_EQ(error_of(sample, sql), "SQL: expected one statement, found more behind its ';'")
        << sql;
  }
  for (const auto* sql : {"", "  ", ";", "-- nothing", "/* nothing */"}) {
    EXPECT_EQ(error_of(sample, sql), "SQL: expected a statement, found none") << sql;
  }
  EXPECT_EQ(error_of(sample, std::string_view("SELECT 1\0, 2", 12)),
            "SQL: expected text, found a zero byte");
}

TEST(Database, SaysWhatIsWrong) {
  const SampleTrace sample;
  EXPECT_EQ(error_of(sample, "SELEC 1"), "SQL: near \"SELEC\": syntax error");
  EXPECT_EQ(error_of(sample, "SELECT 1 +"), "SQL: incomplete input");
  EXPECT_EQ(error_of(sample, "SELECT durr FROM kernel"),
            "SQL: no such column: durr; PRAGMA table_info(VIEW) lists a view's columns");
  EXPECT_EQ(error_of(sample, "SELECT 1 FROM kernels"),
            "SQL: no such table: kernels; the views are slice, op, launch, kernel, step, overhead, "
            "counter, average, info");
  EXPECT_EQ(error_of(sample, "SELECT mode(dur) FROM kernel"), "SQL: no such function: mode");
  EXPECT_EQ(error_of(sample, "SELECT 'a\nb"), "SQL: unrecognized token: \"'a b\"");
  EXPECT_EQ(error_of(sample, "SELECT abs(-9223372036854775807 - 1)"), "SQL: integer overflow");
}

TEST(Database, QuotesLittleOfAQuery) {
  const SampleTrace sample;
  const std::string name(10'000, 'x');
  for (const std::string& sql : {"SELECT " + name, "SELECT * FROM " + name, "SELECT 1 AS 2" + name,
                                 "SELECT é" + name + "é"}) {
    const std::string says = error_of(sample, sql);
    EXPECT_LT(says.size(), 400U) << says;
    EXPECT_NE(says.find("xx…"), std::string::npos) << says;
  }
}

TEST(Database, OnlyReads) {
  const SampleTrace sample;
  for (const auto* sql : {"INSERT INTO slice(id) VALUES (1)",
                          "UPDATE kernel SET dur = 0",
                          "DELETE FROM op",
                          "EXPLAIN DELETE FROM op",
                          "CREATE TABLE t(x)",
                          "CREATE TEMP TABLE t(x)",
                          "CREATE VIEW v AS SELECT 1",
                          "CREATE VIRTUAL TABLE t USING kernel",
                          "DROP TABLE slice",
                          "ALTER TABLE slice ADD COLUMN x",
                          "ATTACH 'other.db' AS other",
                          "DETACH main",
                          "PRAGMA journal_mode = WAL",
                          "PRAGMA writable_schema = 1",
                          "PRAGMA temp_store_directory = 'x'",
                          "VACUUM",
                          "VACUUM INTO 'copy.db'",
                          "BEGIN",
                          "COMMIT",
                          "SAVEPOINT s",
                          "ANALYZE"}) {
    EXPECT_EQ(error_of(sample, sql),
              "SQL: a trace can only be read (SELECT, WITH, VALUES, EXPLAIN)")
        << sql;
  }
  EXPECT_NE(error_of(sample, "SELECT load_extension('x')"), "");
  EXPECT_EQ(sample.answer("SELECT count(*) FROM slice"), "16");
}

TEST(Database, ListsColumns) {
  const SampleTrace sample;
  EXPECT_EQ(sample.answer("SELECT name, type FROM pragma_table_info('overhead') LIMIT 3"),
            "id|INTEGER\nts|REAL\nts_ns|INTEGER");
  EXPECT_EQ(sample.database.query("PRAGMA table_info(overhead)").rows.size(), 10U);
  EXPECT_FALSE(sample.answer("EXPLAIN SELECT * FROM op").empty());
}

TEST(Database, ReadsArgumentsAsJson) {
  const SampleTrace sample;
  EXPECT_EQ(sample.answer("SELECT args ->> 'Ev Idx' FROM op WHERE args IS NOT NULL"), "4");
  EXPECT_EQ(sample.answer("SELECT grid.value FROM slice, json_each(args, '$.grid') AS grid "
                          "WHERE slice.id = 8"),
            "4\n2\n1");
}

TEST(Database, AnswersAgainAfterAnError) {
  const SampleTrace sample;
  EXPECT_NE(error_of(sample, "SELECT percentile(dur, 200) FROM slice"), "");
  EXPECT_EQ(sample.answer("SELECT count(*) FROM slice"), "16");
}

// ---- Functions -----------------------------------------------------------------------------

std::string of_values(const SampleTrace& sample, const std::string& function,
                      const std::string& values) {
  return sample.answer("WITH t(x) AS (VALUES " + values + ") SELECT " + function + " FROM t");
}

TEST(Functions, Median) {
  const SampleTrace sample;
  EXPECT_EQ(of_values(sample, "median(x)", "(9), (1), (4)"), "4.0");
  EXPECT_EQ(of_values(sample, "median(x)", "(9), (1), (4), (5)"), "4.5");
  EXPECT_EQ(of_values(sample, "median(x)", "(NULL), (2.5), (NULL)"), "2.5");
  EXPECT_EQ(of_values(sample, "median(x)", "(NULL), (NULL)"), "NULL");
  EXPECT_EQ(sample.answer("SELECT median(dur) FROM kernel WHERE id < 0"), "NULL");
  EXPECT_EQ(of_values(sample, "median(DISTINCT x)", "(1), (1), (1), (3), (8)"), "3.0");
  EXPECT_EQ(error_of(sample, "SELECT median(name) FROM kernel"), "SQL: median expects numbers");
}

TEST(Functions, Percentile) {
  const SampleTrace sample;
  const std::string values = "(40), (10), (20), (30), (50)";
  EXPECT_EQ(of_values(sample, "percentile(x, 0)", values), "10.0");
  EXPECT_EQ(of_values(sample, "percentile(x, 100)", values), "50.0");
  EXPECT_EQ(of_values(sample, "percentile(x, 50)", values), "30.0");
  EXPECT_EQ(of_values(sample, "percentile(x, 90)", values), "46.0");
  EXPECT_EQ(of_values(sample, "percentile(x, 12.5)", values), "15.0");
  EXPECT_EQ(of_values(sample, "percentile(x, 99)", "(7)"), "7.0");
  for (const auto* p : {"101", "-1", "NULL", "'x'"}) {
    EXPECT_EQ(error_of(sample, "SELECT percentile(dur, " + std::string(p) + ") FROM slice"),
              "SQL: percentile(x, p) expects a p from 0 to 100")
        << p;
  }
  EXPECT_EQ(error_of(sample, "SELECT percentile(dur, id) FROM slice"),
            "SQL: percentile(x, p) expects the same p in every row");
}

TEST(Functions, Deviation) {
  const SampleTrace sample;
  EXPECT_EQ(of_values(sample, "stddev(x)", "(2), (4), (4), (4), (5), (5), (7), (9), (NULL)"),
            "2.138089935");
  EXPECT_EQ(of_values(sample, "stddev(x)", "(1000000000001), (1000000000003)"), "1.414213562");
  EXPECT_EQ(of_values(sample, "stddev(x)", "(5)"), "NULL");
}

TEST(Functions, SlideOverWindows) {
  const SampleTrace sample;
  const auto sliding = [&](const std::string& function) {
    return of_values(sample, function + " OVER (ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
                     "(8), (NULL), (2), (6), (NULL), (NULL), (NULL), (3)");
  };
  EXPECT_EQ(sliding("median(x)"), "8.0\n8.0\n5.0\n4.0\n4.0\n6.0\nNULL\n3.0");
  EXPECT_EQ(sliding("percentile(x, 100)"), "8.0\n8.0\n8.0\n6.0\n6.0\n6.0\nNULL\n3.0");
  // Long enough for the frame's tail to be thrown away on the way.
  EXPECT_EQ(
      sample.answer("WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t WHERE x < 500),"
                    " m AS (SELECT x, median(x) OVER (ORDER BY x ROWS 4 PRECEDING) AS y FROM t)"
                    " SELECT count(*), min(x - y), max(x - y) FROM m WHERE x > 4"),
      "496|2.0|2.0");
}

TEST(Queries, AreStoppedAtTheirLimitAndTheNextOneRuns) {
  const SampleTrace sample;
  const std::string endless =
      "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n";
  try {
    (void)sample.database.query(endless, std::chrono::milliseconds(20));
    ADD_FAILURE() << "an endless query ended";
  } catch (const SqlError& error) {
    EXPECT_NE(std::string(error.what()).find("stopped after 20 ms"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(sample.database.query("SELECT 1").rows.size(), 1U);
}

TEST(Queries, OfStrangersTakeLittleMemory) {
  const SampleTrace sample;
  const Database& database = sample.database;
  const auto says = [&](const std::string& sql) -> std::string {
    try {
      return std::to_string(
          database.query(sql, std::chrono::seconds{60}, /*most_rows=*/100'000).rows.size());
    } catch (const SqlError& error) {
      return error.what();
    }
  };
  const std::string numbers =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) ";
  EXPECT_EQ(says("SELECT zeroblob(900000000)"), "SQL: string or blob too big");
  EXPECT_EQ(says(numbers + "SELECT zeroblob(1000000) FROM n"),
            "SQL: stopped, since its rows hold more than 64 MiB");
  EXPECT_EQ(says(numbers + "SELECT printf('%.*c', 1000000, 'x') FROM n"),
            "SQL: stopped, since its rows hold more than 64 MiB");
  EXPECT_EQ(says(numbers + "SELECT count(*) FROM (SELECT randomblob(4000000) AS b FROM n ORDER BY "
                           "b LIMIT 900)"),
            "SQL: out of memory");
  // The next ones run, and one's own are not limited.
  EXPECT_EQ(says(numbers + "SELECT i FROM n"), "1000");
  EXPECT_EQ(database.query("SELECT length(zeroblob(90000000))").rows.size(), 1U);
}

// ---- Plans ---------------------------------------------------------------------------------

std::string plan(const SampleTrace& sample, const std::string& sql) {
  std::string text;
  for (const auto& row : sample.database.query("EXPLAIN QUERY PLAN " + sql).rows) {
    text += std::get<std::string>(row[3]) + "\n";
  }
  return text;
}

TEST(Plans, JoinsFindRowsById) {
  const SampleTrace sample;
  for (const auto* sql : {"SELECT 1 FROM kernel JOIN launch ON kernel.launch = launch.id",
                          "SELECT 1 FROM launch JOIN kernel ON kernel.launch = launch.id",
                          "SELECT op.name FROM kernel LEFT JOIN op ON op.id = kernel.op",
                          "SELECT 1 FROM slice JOIN slice AS inner ON inner.parent = slice.id"}) {
    const std::string text = plan(sample, sql);
    EXPECT_NE(text.find("="), std::string::npos) << sql << "\n" << text;
  }
}

TEST(Plans, GroupsByNameWithoutSorting) {
  const SampleTrace sample;
  const std::string grouped = plan(sample, "SELECT name, median(dur) FROM kernel GROUP BY name");
  EXPECT_EQ(grouped.find("B-TREE"), std::string::npos) << grouped;
  const std::string down = plan(sample, "SELECT name FROM kernel ORDER BY name DESC");
  EXPECT_EQ(down.find("B-TREE"), std::string::npos) << down;
  // Here SQLite wants the groups from the highest name down.
  const std::string largest = plan(sample,
                                   "SELECT name, median(dur) FROM kernel GROUP BY name "
                                   "ORDER BY median(dur) DESC");
  EXPECT_EQ(largest.find("FOR GROUP BY"), std::string::npos) << largest;
  const std::string sorted = plan(sample, "SELECT name FROM kernel ORDER BY lower(name)");
  EXPECT_NE(sorted.find("B-TREE"), std::string::npos) << sorted;
}

}  // namespace
}  // namespace tracebook
