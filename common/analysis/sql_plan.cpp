// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/sql_plan.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

namespace tracebook {

namespace {

struct Choice {
  Plan plan;
  double rows = 0;
  double cost = 0;
  std::array<int, 3> constraints = {-1, -1, -1};  // whose values xFilter gets, in this order
};

bool is_low_bound(unsigned char op) {
  return op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE;
}
bool is_high_bound(unsigned char op) {
  return op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE;
}

// An index serves texts as bytes; NOCASE and the like are left to SQLite.
bool can_find_by(const SqlTable::Column& column, sqlite3_index_info* info, int constraint) {
  if (column.lookup == SqlTable::Lookup::kNone || !column.can_index()) return false;
  return column.type() != "TEXT" ||
         std::strcmp(sqlite3_vtab_collation(info, constraint), "BINARY") == 0;
}

// The constraints that bound the column from below and from above, -1 for none.
std::array<int, 2> bounds_on(std::size_t column, sqlite3_index_info* info) {
  std::array<int, 2> bounds = {-1, -1};
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.usable == 0 || constraint.iColumn != static_cast<int>(column)) continue;
    if (is_low_bound(constraint.op) && bounds[0] < 0) bounds[0] = i;
    if (is_high_bound(constraint.op) && bounds[1] < 0) bounds[1] = i;
  }
  return bounds;
}

/// Of how many rows one is within the bounds, roughly.
double share_within(const Plan& plan) { return plan.has_low && plan.has_high ? 64 : 4; }

/// Whether the rows of any one value of another column come in the order of this one.
bool rises(SqlTable& table, std::size_t column) {
  return table.columns()[column].lookup == SqlTable::Lookup::kRange && table.rises(column);
}

// The last sample of a counter before a moment: among the rows of one name, which come in time's
// order, it is found by halving.
void bound_equal(Choice& choice, SqlTable& table, sqlite3_index_info* info) {
  for (std::size_t column = 0; column < table.columns().size(); ++column) {
    if (table.columns()[column].lookup != SqlTable::Lookup::kRange) continue;
    const auto [low, high] = bounds_on(column, info);
    if ((low < 0 && high < 0) || !rises(table, column)) continue;
    choice.plan.has_low = low >= 0;
    choice.plan.has_high = high >= 0;
    choice.plan.bounded = column;
    choice.constraints[1] = low;
    choice.constraints[2] = high;
    choice.rows = std::max(1.0, choice.rows / share_within(choice.plan));
    return;
  }
}

void consider_equal(Choice& best, SqlTable& table, sqlite3_index_info* info, int constraint) {
  const int column = info->aConstraint[constraint].iColumn;
  Choice choice;
  choice.constraints[0] = constraint;
  if (column < 0) {
    choice.plan.way = Plan::kRow;
    choice.rows = 1;
  } else if (can_find_by(table.columns()[static_cast<std::size_t>(column)], info, constraint)) {
    choice.plan.way = Plan::kEqual;
    choice.plan.column = static_cast<std::size_t>(column);
    choice.rows = table.rows_per_key(choice.plan.column);
    bound_equal(choice, table, info);
  } else {
    return;
  }
  choice.cost = 2 + choice.rows;
  if (choice.cost < best.cost) best = choice;
}

void consider_range(Choice& best, SqlTable& table, sqlite3_index_info* info, std::size_t column) {
  const auto [low, high] = bounds_on(column, info);
  if (low < 0 && high < 0) return;
  Choice choice;
  choice.plan = {.way = Plan::kRange, .has_low = low >= 0, .has_high = high >= 0, .column = column};
  choice.constraints = {low, high, -1};
  choice.rows = static_cast<double>(table.row_count()) / share_within(choice.plan);
  choice.cost = 16 + choice.rows;
  if (choice.cost < best.cost) best = choice;
}

// ORDER BY or GROUP BY one column: the index gives the order, where a sort would copy each text.
// (sqlite3_vtab_distinct() cannot be asked whether any order will do: it says so of
// GROUP BY x ORDER BY x DESC, too. And of GROUP BY x ORDER BY count(*) DESC it wants groups from
// the highest x down.)
bool gives_order(const SqlTable& table, sqlite3_index_info* info) {
  if (info->nOrderBy != 1 || info->aOrderBy[0].iColumn < 0) return false;
  return table.columns()[static_cast<std::size_t>(info->aOrderBy[0].iColumn)].can_index();
}

// ORDER BY time of the rows of one value: they come so, and can be read from either end.
void order_equal(Plan& plan, SqlTable& table, sqlite3_index_info* info) {
  if (info->nOrderBy != 1 || info->aOrderBy[0].iColumn < 0) return;
  if (!rises(table, static_cast<std::size_t>(info->aOrderBy[0].iColumn))) return;
  if (info->aOrderBy[0].desc != 0) plan.way = Plan::kEqualDown;
  info->orderByConsumed = 1;
}

// For EXPLAIN QUERY PLAN.
void describe(const Plan& plan, const SqlTable& table, sqlite3_index_info* info) {
  static constexpr std::array<const char*, 7> kSigns = {
      "all rows", "row=", "=", " range", " order", " order down", "= down"};
  const bool by_column = plan.way != Plan::kScan && plan.way != Plan::kRow;
  const std::string column = by_column ? table.columns()[plan.column].name : "";
  const bool bounded = plan.way != Plan::kRange && (plan.has_low || plan.has_high);
  const std::string within = bounded ? ", " + table.columns()[plan.bounded].name + " range" : "";
  info->idxStr = sqlite3_mprintf("%s%s%s", column.c_str(), kSigns.at(plan.way), within.c_str());
  info->needToFreeIdxStr = 1;
}

}  // namespace

void choose_plan(SqlTable& table, sqlite3_index_info* info) {
  Choice best;
  best.rows = static_cast<double>(table.row_count());
  best.cost = 4 + best.rows;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.usable == 0) continue;
    if (constraint.op == SQLITE_INDEX_CONSTRAINT_EQ) consider_equal(best, table, info, i);
  }
  for (std::size_t column = 0; column < table.columns().size(); ++column) {
    if (table.columns()[column].lookup != SqlTable::Lookup::kRange) continue;
    consider_range(best, table, info, column);
  }
  if (best.plan.way == Plan::kScan && gives_order(table, info)) {
    best.plan.way = info->aOrderBy[0].desc == 0 ? Plan::kOrdered : Plan::kOrderedDown;
    best.plan.column = static_cast<std::size_t>(info->aOrderBy[0].iColumn);
    info->orderByConsumed = 1;
  }
  const bool unique = best.plan.way == Plan::kRow ||
                      (best.plan.way == Plan::kEqual &&
                       table.columns()[best.plan.column].lookup == SqlTable::Lookup::kUnique);
  if (best.plan.way == Plan::kEqual && !unique) order_equal(best.plan, table, info);
  int arguments = 0;
  for (const int constraint : best.constraints) {
    if (constraint >= 0) info->aConstraintUsage[constraint].argvIndex = ++arguments;
  }
  if (unique) info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  info->idxNum = best.plan.number();
  describe(best.plan, table, info);
  info->estimatedCost = best.cost;
  info->estimatedRows = std::max<sqlite3_int64>(1, std::llround(best.rows));
}

}  // namespace tracebook
