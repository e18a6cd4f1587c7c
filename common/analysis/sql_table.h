// SPDX-License-Identifier: Apache-2.0
//
// A table that SQL can read, made of functions over data that lies elsewhere: nothing is copied.
// sql_module.h shows it to SQLite.
//
//   SqlTable table("kernel", [&] { return SqlTable::Rows{ids.size(), ids}; });
//   table.integer("id", [](Item id) { return id; }, Lookup::kUnique);
//   table.time("dur", [&](Item id) { return trace.slices.dur_ns[id]; });   // "dur" and "dur_ns"
//
// Rows and indexes are made when a query first needs them. One thread at a time; what the
// functions refer to must outlive the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/analysis/sql_index.h"
#include "common/trace/string_table.h"

namespace tracebook {

class SqlTable {
 public:
  /// What a row stands for, such as a SliceId; the functions of the columns take it.
  using Item = std::uint32_t;
  struct Rows {
    std::size_t count = 0;
    std::vector<Item> items;  ///< one per row; empty where item and row number are the same
  };

  using IntegerOf = std::function<std::optional<std::int64_t>(Item)>;
  using RealOf = std::function<std::optional<double>(Item)>;
  using InternedOf = std::function<std::optional<StringId>(Item)>;
  using ViewOf = std::function<std::optional<std::string_view>(Item)>;
  using TextOf = std::function<std::optional<std::string>(Item)>;

  /// Nanoseconds, shown as microseconds.
  struct Time {
    IntegerOf ns;
  };
  /// A text of a string table.
  struct Interned {
    const StringTable* strings = nullptr;
    InternedOf id;
  };
  using Cells = std::variant<IntegerOf, Time, RealOf, Interned, ViewOf, TextOf>;

  /// How queries find rows by the column's value, so that the planner can weigh the ways.
  enum class Lookup : std::uint8_t {
    kNone,    ///< by reading all rows
    kUnique,  ///< one row has it
    kFew,     ///< a handful of rows share it
    kMany,    ///< a good part of the rows shares it
    kRange,   ///< few rows share it, and queries ask for values from … to …
  };

  struct Column {
    std::string name;
    Cells cells;
    Lookup lookup = Lookup::kNone;
    std::unique_ptr<SqlIndex> index;        // made when needed
    std::vector<std::uint32_t> text_order;  // for Interned: StringId → its place among the texts
    bool asked_for_range = false;
    std::optional<bool> rises;                    // asked and answered
    [[nodiscard]] std::string_view type() const;  ///< INTEGER, REAL or TEXT
    /// Whether the column has an order that an index can give.
    [[nodiscard]] bool can_index() const;
  };

  SqlTable(std::string name, std::function<Rows()> rows)
      : name_(std::move(name)), make_rows_(std::move(rows)) {}

  void integer(std::string name, IntegerOf value, Lookup lookup = Lookup::kNone) {
    add(std::move(name), std::move(value), lookup);
  }
  /// Two columns: `name`, REAL, in microseconds, and `name`_ns, INTEGER.
  void time(const std::string& name, const IntegerOf& ns, Lookup lookup = Lookup::kNone);
  void real(std::string name, RealOf value) {
    add(std::move(name), std::move(value), Lookup::kNone);
  }
  void text(std::string name, const StringTable& strings, InternedOf id) {
    add(std::move(name), Interned{&strings, std::move(id)}, Lookup::kMany);
  }
  /// A text that lies still as long as the table.
  void text_view(std::string name, ViewOf value) {
    add(std::move(name), std::move(value), Lookup::kNone);
  }
  /// A text made for each cell.
  void made_text(std::string name, TextOf value) {
    add(std::move(name), std::move(value), Lookup::kNone);
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] std::size_t row_count() { return rows().count; }
  [[nodiscard]] Item item(std::size_t row) const {
    return rows_->items.empty() ? static_cast<Item>(row) : rows_->items[row];
  }
  [[nodiscard]] const Rows& rows();

  /// The rows in the order of a column for which can_index(), made if it is not there yet.
  const SqlIndex& index(std::size_t column);
  /// Index key of a text, or nothing where no row has it.
  [[nodiscard]] std::optional<std::int64_t> key_of_text(std::size_t column, std::string_view text);
  /// True from the second time on: one range is found as fast by reading all rows.
  bool range_pays(std::size_t column);
  /// Whether no value of a column of whole numbers or times is smaller than that of the row before.
  /// NULL counts as the smallest.
  bool rises(std::size_t column);
  /// The value of such a column in a row, SqlIndex::kNull for NULL.
  [[nodiscard]] std::int64_t key_at(std::size_t column, std::size_t row) const;
  /// How many rows share one value of the column, roughly.
  [[nodiscard]] double rows_per_key(std::size_t column);

 private:
  void add(std::string name, Cells cells, Lookup lookup);
  [[nodiscard]] std::vector<std::int64_t> keys(Column& column);
  void order_texts(Column& column, const Interned& cells);

  std::string name_;
  std::function<Rows()> make_rows_;
  std::unique_ptr<Rows> rows_;
  std::vector<Column> columns_;
};

}  // namespace tracebook
