// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/sql_module.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <ranges>
#include <span>
#include <string>
#include <tuple>

#include "common/analysis/sql_plan.h"
#include "common/trace/error.h"

namespace tracebook {

namespace {

constexpr std::int64_t kLowest =
    std::numeric_limits<std::int64_t>::min() + 1;  // above SqlIndex::kNull
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

struct Module : sqlite3_vtab {
  SqlTable* table = nullptr;
};

struct Cursor : sqlite3_vtab_cursor {
  SqlTable* table = nullptr;
  std::span<const std::uint32_t> rows;  // the rows to read, in order; unused if `all`
  bool all = false;                     // the rows from `at` to `end` themselves
  bool backwards = false;               // from the last of them to the first
  std::size_t at = 0;
  std::size_t end = 0;
  std::size_t first = 0;  // where `at` began
  [[nodiscard]] std::size_t row() const {
    const std::size_t place = backwards ? first + (end - 1 - at) : at;
    return all ? place : rows[place];
  }
};

// Exceptions must not travel through SQLite's frames.
template <typename Body>
int guarded(sqlite3_vtab* module, Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& error) {
    sqlite3_free(module->zErrMsg);
    module->zErrMsg = sqlite3_mprintf("%s", error.what());
    return SQLITE_ERROR;
  }
}

int connect(sqlite3* connection, void* aux, int /*argc*/, const char* const* /*argv*/,
            sqlite3_vtab** result, char** /*error*/) {
  auto* table = static_cast<SqlTable*>(aux);
  std::string schema = "CREATE TABLE x(";
  const char* separator = "";
  for (const SqlTable::Column& column : table->columns()) {
    schema += separator;
    schema += '"' + column.name + "\" ";
    schema += column.type();
    separator = ", ";
  }
  schema += ')';
  const int status = sqlite3_declare_vtab(connection, schema.c_str());
  if (status != SQLITE_OK) return status;
  auto* module = new (std::nothrow) Module;
  if (module == nullptr) return SQLITE_NOMEM;
  module->table = table;
  *result = module;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* module) {
  delete static_cast<Module*>(module);
  return SQLITE_OK;
}

int best_index(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  return guarded(vtab, [&] {
    choose_plan(*static_cast<Module*>(vtab)->table, info);
    return SQLITE_OK;
  });
}

int open(sqlite3_vtab* vtab, sqlite3_vtab_cursor** result) {
  auto* cursor = new (std::nothrow) Cursor;
  if (cursor == nullptr) return SQLITE_NOMEM;
  cursor->table = static_cast<Module*>(vtab)->table;
  *result = cursor;
  return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* base) {
  delete static_cast<Cursor*>(base);
  return SQLITE_OK;
}

struct Keys {
  std::int64_t low = kLowest;
  std::int64_t high = kHighest;
  bool known = true;  // false: the value is of a kind that only SQLite can compare
};

std::int64_t to_key(double value) {
  if (value >= 9.2e18) return kHighest;
  if (!(value > -9.2e18)) return kLowest;
  return static_cast<std::int64_t>(value);
}

// Whether a double is a whole number that it holds exactly.
bool is_whole(double value) { return std::abs(value) < 9e15 && std::trunc(value) == value; }

// The keys that may equal `value`. SQLite compares each row once more, so that a key too many does
// no harm; one too few would.
Keys keys_of(SqlTable& table, std::size_t column, sqlite3_value* value) {
  const SqlTable::Column& wanted = table.columns()[column];
  Keys keys;
  if (sqlite3_value_type(value) == SQLITE_NULL) {
    keys.high = kLowest - 1;  // nothing equals NULL
  } else if (wanted.type() == "TEXT") {
    keys.known = sqlite3_value_type(value) == SQLITE_TEXT;
    if (!keys.known) return keys;
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
    if (text == nullptr) throw std::bad_alloc();
    const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
    const auto key = table.key_of_text(column, std::string_view(text, size));
    keys.low = key.value_or(0);
    keys.high = key.value_or(-1);
  } else {
    const int type = sqlite3_value_numeric_type(value);
    keys.known = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    if (!keys.known) return keys;
    const bool microseconds = wanted.type() == "REAL";
    // 7.0 is 7; SQLite does so where it can, and a unique column must answer with one row.
    const bool whole = type == SQLITE_INTEGER || is_whole(sqlite3_value_double(value));
    if (whole && !microseconds) {
      keys.low = keys.high = std::max(kLowest, std::int64_t{sqlite3_value_int64(value)});
    } else {
      const double number = sqlite3_value_double(value) * (microseconds ? 1000 : 1);
      // Doubles of large numbers lie further apart than one nanosecond.
      const double slack = 1 + std::abs(number) * 1e-15;
      keys.low = to_key(std::floor(number - slack));
      keys.high = to_key(std::ceil(number + slack));
    }
  }
  return keys;
}

void read_all(Cursor& cursor) {
  cursor.all = true;
  cursor.at = 0;
  cursor.end = cursor.table->row_count();
}

void read_range(Cursor& cursor, std::size_t column, std::int64_t low, std::int64_t high) {
  const SqlIndex& index = cursor.table->index(column);
  cursor.all = false;
  cursor.rows = index.rows();
  std::tie(cursor.at, cursor.end) = index.range(low, high);
}

void read_row(Cursor& cursor, sqlite3_value* number) {
  read_all(cursor);
  const int type = sqlite3_value_numeric_type(number);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
    cursor.end = 0;
    return;
  }
  const std::int64_t row = sqlite3_value_int64(number);
  if (row < 0 || row >= static_cast<std::int64_t>(cursor.end)) {
    cursor.end = 0;
  } else {
    cursor.at = static_cast<std::size_t>(row);
    cursor.end = cursor.at + 1;
  }
}

// The keys within the plan's bounds on the column.
Keys keys_within(SqlTable& table, const Plan& plan, std::size_t column, sqlite3_value** values) {
  Keys within;
  if (plan.has_low) {
    const Keys keys = keys_of(table, column, *values++);
    within.known = keys.known;
    within.low = keys.low;
    if (keys.high < keys.low) within.high = kLowest - 1;
  }
  if (plan.has_high) {
    const Keys keys = keys_of(table, column, *values);
    within.known = within.known && keys.known;
    within.high = std::min(within.high, keys.high);
  }
  return within;
}

void read_between(Cursor& cursor, const Plan& plan, sqlite3_value** values) {
  const Keys keys = keys_within(*cursor.table, plan, plan.column, values);
  if (!keys.known) return read_all(cursor);
  const bool any = keys.high >= keys.low;
  if (any && !cursor.table->range_pays(plan.column)) return read_all(cursor);
  read_range(cursor, plan.column, keys.low, keys.high);
}

// The first place from `at` to `end` whose row has a key of at least `key`.
std::size_t place_of(const Cursor& cursor, std::size_t column, std::int64_t key) {
  const auto places = std::views::iota(cursor.at, cursor.end);
  const auto found = std::ranges::lower_bound(places, key, {}, [&](std::size_t place) {
    return cursor.table->key_at(column, cursor.all ? place : cursor.rows[place]);
  });
  return cursor.at + static_cast<std::size_t>(found - places.begin());
}

void read_equal(Cursor& cursor, const Plan& plan, sqlite3_value** values) {
  const Keys keys = keys_of(*cursor.table, plan.column, values[0]);
  // Rows of several whole numbers would come number by number, not in the order that was promised.
  const bool one = keys.low >= keys.high || cursor.table->columns()[plan.column].type() == "REAL";
  if (keys.known && one) {
    read_range(cursor, plan.column, keys.low, keys.high);
  } else {
    read_all(cursor);
  }
  if (!plan.has_low && !plan.has_high) return;
  const Keys bounds = keys_within(*cursor.table, plan, plan.bounded, values + 1);
  if (!bounds.known) return;
  if (bounds.high < kHighest) cursor.end = place_of(cursor, plan.bounded, bounds.high + 1);
  cursor.at = place_of(cursor, plan.bounded, bounds.low);
}

int filter(sqlite3_vtab_cursor* base, int number, const char* /*text*/, int /*argc*/,
           sqlite3_value** values) {
  return guarded(base->pVtab, [&] {
    Cursor& cursor = *static_cast<Cursor*>(base);
    const Plan plan = Plan::of(number);
    cursor.backwards = plan.way == Plan::kOrderedDown || plan.way == Plan::kEqualDown;
    switch (plan.way) {
      case Plan::kScan:
        read_all(cursor);
        break;
      case Plan::kRow:
        read_row(cursor, values[0]);
        break;
      case Plan::kOrdered:
      case Plan::kOrderedDown: {
        cursor.all = false;
        cursor.rows = cursor.table->index(plan.column).rows();
        cursor.at = 0;
        cursor.end = cursor.rows.size();
        break;
      }
      case Plan::kEqual:
      case Plan::kEqualDown:
        read_equal(cursor, plan, values);
        break;
      case Plan::kRange:
        read_between(cursor, plan, values);
        break;
    }
    cursor.first = cursor.at;
    return SQLITE_OK;
  });
}

int next(sqlite3_vtab_cursor* base) {
  ++static_cast<Cursor*>(base)->at;
  return SQLITE_OK;
}

int eof(sqlite3_vtab_cursor* base) {
  const Cursor& cursor = *static_cast<Cursor*>(base);
  return cursor.at >= cursor.end ? 1 : 0;
}

int row_id(sqlite3_vtab_cursor* base, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(static_cast<Cursor*>(base)->row());
  return SQLITE_OK;
}

// What a cell is to SQLite; a cell that is left alone is NULL.
struct Answer {
  sqlite3_context* context;
  SqlTable::Item item;

  void still(std::string_view text) const {
    sqlite3_result_text64(context, text.data() == nullptr ? "" : text.data(), text.size(),
                          SQLITE_STATIC, SQLITE_UTF8);
  }
  void operator()(const SqlTable::IntegerOf& value) const {
    if (const auto cell = value(item)) sqlite3_result_int64(context, *cell);
  }
  void operator()(const SqlTable::Time& value) const {
    if (const auto cell = value.ns(item)) {
      sqlite3_result_double(context, static_cast<double>(*cell) / 1000);
    }
  }
  void operator()(const SqlTable::RealOf& value) const {
    if (const auto cell = value(item)) sqlite3_result_double(context, *cell);
  }
  void operator()(const SqlTable::Interned& value) const {
    if (const auto cell = value.id(item)) still(value.strings->view(*cell));
  }
  void operator()(const SqlTable::ViewOf& value) const {
    if (const auto cell = value(item)) still(*cell);
  }
  void operator()(const SqlTable::TextOf& value) const {
    if (const auto cell = value(item)) {
      sqlite3_result_text64(context, cell->data(), cell->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    }
  }
};

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int number) {
  return guarded(base->pVtab, [&] {
    const Cursor& cursor = *static_cast<Cursor*>(base);
    std::visit(Answer{context, cursor.table->item(cursor.row())},
               cursor.table->columns()[static_cast<std::size_t>(number)].cells);
    return SQLITE_OK;
  });
}

// Without xCreate the table is there by its module's name alone, and cannot be made anew.
constexpr sqlite3_module make_module() {
  sqlite3_module module{};
  module.xConnect = connect;
  module.xDisconnect = disconnect;
  module.xBestIndex = best_index;
  module.xOpen = open;
  module.xClose = close;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = eof;
  module.xColumn = column;
  module.xRowid = row_id;
  return module;
}
constexpr sqlite3_module kModule = make_module();

}  // namespace

void show_table(sqlite3* connection, SqlTable& table) {
  if (sqlite3_create_module_v2(connection, table.name().c_str(), &kModule, &table, nullptr) !=
      SQLITE_OK) {
    throw InputError(std::string("SQLite cannot take the view ") + table.name() + ": " +
                     sqlite3_errmsg(connection));
  }
}

}  // namespace tracebook
