// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/sql_table.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tracebook {

namespace {

constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

const SqlTable::IntegerOf& whole_value(const SqlTable::Column& column) {
  const auto* time = std::get_if<SqlTable::Time>(&column.cells);
  return time != nullptr ? time->ns : std::get<SqlTable::IntegerOf>(column.cells);
}

}  // namespace

std::string_view SqlTable::Column::type() const {
  if (std::holds_alternative<IntegerOf>(cells)) return "INTEGER";
  if (std::holds_alternative<Time>(cells) || std::holds_alternative<RealOf>(cells)) return "REAL";
  return "TEXT";
}

bool SqlTable::Column::can_index() const {
  return std::holds_alternative<IntegerOf>(cells) || std::holds_alternative<Time>(cells) ||
         std::holds_alternative<Interned>(cells);
}

void SqlTable::add(std::string name, Cells cells, Lookup lookup) {
  Column column;
  column.name = std::move(name);
  column.cells = std::move(cells);
  column.lookup = lookup;
  columns_.push_back(std::move(column));
}

void SqlTable::time(const std::string& name, const IntegerOf& ns, Lookup lookup) {
  add(name, Time{ns}, lookup);
  add(name + "_ns", ns, lookup);
}

const SqlTable::Rows& SqlTable::rows() {
  if (rows_ == nullptr) rows_ = std::make_unique<Rows>(make_rows_());
  return *rows_;
}

const SqlIndex& SqlTable::index(std::size_t column) {
  Column& wanted = columns_[column];
  if (wanted.index == nullptr) wanted.index = std::make_unique<SqlIndex>(keys(wanted));
  return *wanted.index;
}

std::vector<std::int64_t> SqlTable::keys(Column& column) {
  std::vector<std::int64_t> keys(row_count());
  if (const auto* interned = std::get_if<Interned>(&column.cells)) {
    order_texts(column, *interned);
    for (std::size_t row = 0; row < keys.size(); ++row) {
      const std::optional<StringId> id = interned->id(item(row));
      keys[row] = id ? column.text_order[*id] : SqlIndex::kNull;
    }
    return keys;
  }
  const IntegerOf& value = whole_value(column);
  for (std::size_t row = 0; row < keys.size(); ++row) {
    keys[row] = value(item(row)).value_or(SqlIndex::kNull);
  }
  return keys;
}

// Keys in the order of the texts, so that an index serves ORDER BY as well.
void SqlTable::order_texts(Column& column, const Interned& cells) {
  std::vector<std::uint32_t>& place = column.text_order;
  place.assign(cells.strings->size(), kNoPlace);
  std::vector<StringId> used;
  for (std::size_t row = 0; row < row_count(); ++row) {
    const std::optional<StringId> id = cells.id(item(row));
    if (id && std::exchange(place[*id], 0) == kNoPlace) used.push_back(*id);
  }
  std::ranges::sort(used, {}, [&](StringId id) { return cells.strings->view(id); });
  for (std::uint32_t i = 0; i < used.size(); ++i) place[used[i]] = i;
}

std::optional<std::int64_t> SqlTable::key_of_text(std::size_t column, std::string_view text) {
  index(column);
  const Column& wanted = columns_[column];
  const std::optional<StringId> id = std::get<Interned>(wanted.cells).strings->find(text);
  if (!id || *id >= wanted.text_order.size()) return std::nullopt;
  const std::uint32_t place = wanted.text_order[*id];
  if (place == kNoPlace) return std::nullopt;
  return place;
}

bool SqlTable::range_pays(std::size_t column) {
  return columns_[column].index != nullptr || std::exchange(columns_[column].asked_for_range, true);
}

std::int64_t SqlTable::key_at(std::size_t column, std::size_t row) const {
  return whole_value(columns_[column])(item(row)).value_or(SqlIndex::kNull);
}

bool SqlTable::rises(std::size_t column) {
  std::optional<bool>& known = columns_[column].rises;
  if (known) return *known;
  std::int64_t before = SqlIndex::kNull;
  known = true;
  for (std::size_t row = 0; row < row_count() && *known; ++row) {
    const std::int64_t key = key_at(column, row);
    known = key >= before;
    before = key;
  }
  return *known;
}

double SqlTable::rows_per_key(std::size_t column) {
  const auto rows = static_cast<double>(row_count());
  const Column& wanted = columns_[column];
  if (wanted.index != nullptr) {
    return std::max(1.0,
                    rows / static_cast<double>(std::max<std::size_t>(1, wanted.index->distinct())));
  }
  switch (wanted.lookup) {
    case Lookup::kUnique:
      return 1;
    case Lookup::kRange:
    case Lookup::kFew:
      return 4;
    default:
      return std::max(8.0, rows / 20);
  }
}

}  // namespace tracebook
