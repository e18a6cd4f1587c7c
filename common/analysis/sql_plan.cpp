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
  std::array<int, 2> constraints = {-1, -1};  // whose values xFilter gets, in this order
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
  } else {
    return;
  }
  choice.cost = 2 + choice.rows;
  if (choice.cost < best.cost) best = choice;
}

void consider_range(Choice& best, SqlTable& table, sqlite3_index_info* info, std::size_t column) {
  Choice choice;
  choice.plan = {Plan::kRange, false, false, column};
  std::array<int, 2> bounds = {-1, -1};
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.usable == 0 || constraint.iColumn != static_cast<int>(column)) continue;
    if (is_low_bound(constraint.op) && bounds[0] < 0) bounds[0] = i;
    if (is_high_bound(constraint.op) && bounds[1] < 0) bounds[1] = i;
  }
  choice.plan.has_low = bounds[0] >= 0;
  choice.plan.has_high = bounds[1] >= 0;
  if (!choice.plan.has_low && !choice.plan.has_high) return;
  if (bounds[0] < 0) std::swap(bounds[0], bounds[1]);
  choice.constraints = bounds;
  const bool both = choice.plan.has_low && choice.plan.has_high;
  choice.rows = static_cast<double>(table.row_count()) / (both ? 64 : 4);
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

// For EXPLAIN QUERY PLAN.
void describe(const Plan& plan, const SqlTable& table, sqlite3_index_info* info) {
  static constexpr std::array<const char*, 6> kSigns = {"all rows", "row=",   "=",
                                                        " range",   " order", " order down"};
  const bool by_column = plan.way != Plan::kScan && plan.way != Plan::kRow;
  const std::string column = by_column ? table.columns()[plan.column].name : "";
  info->idxStr = sqlite3_mprintf("%s%s", column.c_str(), kSigns.at(plan.way));
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
  int arguments = 0;
  for (const int constraint : best.constraints) {
    if (constraint >= 0) info->aConstraintUsage[constraint].argvIndex = ++arguments;
  }
  const bool unique = best.plan.way == Plan::kRow ||
                      (best.plan.way == Plan::kEqual &&
                       table.columns()[best.plan.column].lookup == SqlTable::Lookup::kUnique);
  if (unique) info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  info->idxNum = best.plan.number();
  describe(best.plan, table, info);
  info->estimatedCost = best.cost;
  info->estimatedRows = std::max<sqlite3_int64>(1, std::llround(best.rows));
}

}  // namespace tracebook
