// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/database.h"

#include <sqlite3.h>

#include <limits>

#include "common/analysis/sql_functions.h"
#include "common/analysis/sql_model.h"
#include "common/analysis/sql_module.h"
#include "common/analysis/sql_views.h"

namespace tracebook {

namespace {

constexpr std::string_view kOnlyReads =
    "SQL: a trace can only be read (SELECT, WITH, VALUES, EXPLAIN)";

struct CloseConnection {
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

// What may be done: to read. PRAGMA only to see what columns there are.
int authorize(void* /*user*/, int action, const char* first, const char* second,
              const char* /*database*/, const char* /*trigger*/) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return std::string_view(second) == "load_extension" ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA: {
      const std::string_view pragma = first;
      const bool reads = pragma == "table_info" || pragma == "function_list";
      return reads ? SQLITE_OK : SQLITE_DENY;
    }
    default:
      return SQLITE_DENY;
  }
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text;
}

/// While it lives, SQLite gives up the statement that it runs once the time is over.
class TimeLimit {
 public:
  TimeLimit(sqlite3* connection, std::chrono::milliseconds limit)
      : connection_(connection), limit_(limit) {
    constexpr int kInstructions = 10'000;  // well below a millisecond
    if (limit.count() > 0) sqlite3_progress_handler(connection, kInstructions, is_over, this);
  }
  ~TimeLimit() { sqlite3_progress_handler(connection_, 0, nullptr, nullptr); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  static int is_over(void* self) {
    const TimeLimit& limit = *static_cast<const TimeLimit*>(self);
    return std::chrono::steady_clock::now() - limit.began_ > limit.limit_ ? 1 : 0;
  }

  sqlite3* connection_;
  std::chrono::milliseconds limit_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

// SQLite's message, and what was expected instead.
/// SQLite quotes a name or a text of the query whole, however long it is.
std::string without_long_tail(std::string message) {
  constexpr std::size_t kMostBytes = 100;
  if (message.size() <= kMostBytes) return message;
  std::size_t end = kMostBytes;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80) --end;
  return message.substr(0, end) + "…";
}

std::string explain(sqlite3* connection, const std::vector<SqlView>& views) {
  std::string message = one_line(sqlite3_errmsg(connection));
  if (sqlite3_errcode(connection) == SQLITE_AUTH || message.ends_with("may not be modified") ||
      message.ends_with("may not be altered")) {
    return std::string(kOnlyReads);
  }
  message = without_long_tail(message);
  if (message.starts_with("no such table")) {
    message += "; the views are ";
    for (const SqlView& view : views) {
      if (&view != views.data()) message += ", ";
      message += view->name();
    }
  } else if (message.starts_with("no such column")) {
    message += "; PRAGMA table_info(VIEW) lists a view's columns";
  }
  return "SQL: " + message;
}

std::string blob_text(sqlite3_stmt* statement, int column) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement, column));
  const int size = sqlite3_column_bytes(statement, column);
  std::string text = "x'";
  for (int i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4U];
    text += kDigits[bytes[i] & 15U];
  }
  return text + "'";
}

constexpr int kMostValueBytes = 16 << 20;
constexpr std::size_t kMostResultBytes = std::size_t{64} << 20;
constexpr sqlite3_int64 kMostHeapBytes = sqlite3_int64{1} << 30;

/// While it lives, no value and no sort of a query takes much memory.
class MemoryLimit {
 public:
  MemoryLimit(sqlite3* connection, bool limited) : connection_(limited ? connection : nullptr) {
    if (!limited) return;
    value_bytes_ = sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, kMostValueBytes);
    heap_bytes_ = sqlite3_hard_heap_limit64(kMostHeapBytes);
  }
  ~MemoryLimit() {
    if (connection_ == nullptr) return;
    sqlite3_limit(connection_, SQLITE_LIMIT_LENGTH, value_bytes_);
    sqlite3_hard_heap_limit64(heap_bytes_);
  }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

  /// Adds the row's values to what the result holds.
  void add_row(sqlite3_stmt* statement, int columns) {
    if (connection_ == nullptr) return;
    for (int i = 0; i < columns; ++i) {
      const int type = sqlite3_column_type(statement, i);
      if (type != SQLITE_TEXT && type != SQLITE_BLOB) continue;
      const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
      result_bytes_ += type == SQLITE_BLOB ? 2 * bytes : bytes;  // written as digits
    }
    if (result_bytes_ > kMostResultBytes) {
      throw SqlError("SQL: stopped, since its rows hold more than " +
                     std::to_string(kMostResultBytes >> 20U) + " MiB");
    }
  }

 private:
  sqlite3* connection_;
  int value_bytes_ = 0;
  sqlite3_int64 heap_bytes_ = 0;
  std::size_t result_bytes_ = 0;
};

Cell cell_of(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
    }
    case SQLITE_BLOB:
      return blob_text(statement, column);
    default:
      return std::monostate();
  }
}

}  // namespace

struct Database::Impl {
  Impl(const Trace& trace, const Structure& structure)
      : model(trace, structure), views(make_views(model)) {
    sqlite3* opened = nullptr;
    const int status =
        sqlite3_open_v2(":memory:", &opened,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, nullptr);
    connection.reset(opened);
    if (status != SQLITE_OK) throw InputError("SQLite cannot open a database in memory");
    // Sorting must not depend on room in a folder for temporary files.
    sqlite3_exec(opened, "PRAGMA temp_store = MEMORY", nullptr, nullptr, nullptr);
    for (const SqlView& view : views) show_table(opened, *view);
    add_functions(opened);
    // SQLite makes tables of this kind when a statement first names them, which takes rights that
    // a query must not have.
    for (const SqlView& view : views) introduce(view->name());
    for (const char* table :
         {"json_each", "json_tree", "pragma_table_info", "pragma_function_list"}) {
      introduce(table);
    }
    sqlite3_set_authorizer(opened, authorize, nullptr);
  }

  void introduce(const std::string& table) const {
    const std::string sql = "PRAGMA table_info(" + table + ")";  // plans nothing, counts no rows
    std::string_view rest = sql;
    prepare(rest);
  }

  [[noreturn]] void fail() const { throw SqlError(explain(connection.get(), views)); }

  // The first statement of `sql`, which is cut down to what follows it; null if there is none.
  Statement prepare(std::string_view& sql) const {
    while (!sql.empty()) {
      sqlite3_stmt* prepared = nullptr;
      const char* rest = nullptr;
      const int status = sqlite3_prepare_v2(connection.get(), sql.data(),
                                            static_cast<int>(sql.size()), &prepared, &rest);
      Statement statement(prepared);
      if (status != SQLITE_OK) fail();
      sql.remove_prefix(static_cast<std::size_t>(rest - sql.data()));
      if (statement != nullptr) return statement;
    }
    return nullptr;
  }

  // Declared so that the connection closes first.
  SqlModel model;
  std::vector<SqlView> views;
  Connection connection;
};

Database::Database(const Trace& trace, const Structure& structure)
    : impl_(std::make_unique<Impl>(trace, structure)) {}

Database::~Database() = default;

QueryResult Database::query(std::string_view sql, std::chrono::milliseconds limit,
                            std::size_t most_rows) const {
  if (sql.find('\0') != std::string_view::npos) {
    throw SqlError("SQL: expected text, found a zero byte");
  }
  if (sql.size() > std::numeric_limits<int>::max())
    throw SqlError("SQL: query string is too large");
  std::string_view rest = sql;
  const Statement statement = impl_->prepare(rest);
  if (statement == nullptr) throw SqlError("SQL: expected a statement, found none");
  bool is_alone = false;
  try {
    is_alone = impl_->prepare(rest) == nullptr;
  } catch (const SqlError&) {
    // Whatever stands there, it is not nothing.
  }
  if (!is_alone) throw SqlError("SQL: expected one statement, found more behind its ';'");
  if (sqlite3_stmt_readonly(statement.get()) == 0) {
    throw SqlError(std::string(kOnlyReads));
  }
  QueryResult result;
  const int columns = sqlite3_column_count(statement.get());
  for (int i = 0; i < columns; ++i) {
    result.columns.emplace_back(sqlite3_column_name(statement.get(), i));
  }
  const TimeLimit time_limit(impl_->connection.get(), limit);
  MemoryLimit memory(impl_->connection.get(), most_rows > 0);
  int status = SQLITE_ROW;
  while ((status = sqlite3_step(statement.get())) == SQLITE_ROW) {
    if (most_rows > 0 && result.rows.size() == most_rows) {
      throw SqlError("SQL: stopped after " + std::to_string(most_rows) +
                     " rows; expected fewer (does a join lack its condition?)");
    }
    memory.add_row(statement.get(), columns);
    std::vector<Cell>& row = result.rows.emplace_back();
    row.reserve(static_cast<std::size_t>(columns));
    for (int i = 0; i < columns; ++i) row.push_back(cell_of(statement.get(), i));
  }
  if (status == SQLITE_INTERRUPT) {
    const bool whole = limit.count() % 1000 == 0;
    const std::string time =
        whole ? std::to_string(limit.count() / 1000) + " s" : std::to_string(limit.count()) + " ms";
    throw SqlError("SQL: stopped after " + time +
                   " without an answer; expected one sooner (does a recursion never end, or does a "
                   "join lack its condition?)");
  }
  if (status != SQLITE_DONE) impl_->fail();
  return result;
}

}  // namespace tracebook
