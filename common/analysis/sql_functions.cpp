// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/sql_functions.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "common/trace/error.h"

namespace tracebook {

namespace {

// The numbers that one aggregate has seen, oldest first, and which percentile it is asked for.
struct Numbers {
  std::vector<double> values;
  std::size_t left = 0;  // how many of the oldest have left the window frame
  double percent = std::numeric_limits<double>::quiet_NaN();
  [[nodiscard]] std::vector<double> current() const {
    return {values.begin() + static_cast<std::ptrdiff_t>(left), values.end()};
  }
};

Numbers* numbers_of(sqlite3_context* context, bool make) {
  auto** slot = static_cast<Numbers**>(
      sqlite3_aggregate_context(context, make ? static_cast<int>(sizeof(Numbers*)) : 0));
  if (slot == nullptr) return nullptr;
  if (*slot == nullptr && make) *slot = new (std::nothrow) Numbers;
  return *slot;
}

void fail(sqlite3_context* context, const std::string& function, const char* wants) {
  sqlite3_result_error(context, (function + wants).c_str(), -1);
}

const char* name_of(sqlite3_context* context) {
  return static_cast<const char*>(sqlite3_user_data(context));
}

bool is_number(sqlite3_value* value) {
  const int type = sqlite3_value_numeric_type(value);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

void add_number(sqlite3_context* context, int argc, sqlite3_value** argv) {
  Numbers* numbers = numbers_of(context, true);
  if (numbers == nullptr) return sqlite3_result_error_nomem(context);
  if (argc == 2) {
    const double percent = is_number(argv[1]) ? sqlite3_value_double(argv[1]) : -1;
    if (!(percent >= 0 && percent <= 100)) {
      return fail(context, name_of(context), "(x, p) expects a p from 0 to 100");
    }
    if (!std::isnan(numbers->percent) && numbers->percent != percent) {
      return fail(context, name_of(context), "(x, p) expects the same p in every row");
    }
    numbers->percent = percent;
  }
  if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
  if (!is_number(argv[0])) return fail(context, name_of(context), " expects numbers");
  try {
    numbers->values.push_back(sqlite3_value_double(argv[0]));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

// Rows leave a window frame in the order in which they came.
void drop_number(sqlite3_context* context, int /*argc*/, sqlite3_value** argv) {
  Numbers* numbers = numbers_of(context, true);
  if (numbers == nullptr || sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
  ++numbers->left;
  if (numbers->left > 64 && numbers->left > numbers->values.size() / 2) {
    numbers->values.erase(numbers->values.begin(),
                          numbers->values.begin() + static_cast<std::ptrdiff_t>(numbers->left));
    numbers->left = 0;
  }
}

// Linear interpolation between the two nearest ranks, as numpy.percentile does.
double percentile(std::vector<double> values, double percent) {
  const double rank = percent / 100 * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), middle, values.end());
  const double fraction = rank - static_cast<double>(below);
  if (fraction == 0) return *middle;
  const double above = *std::min_element(middle + 1, values.end());
  return *middle + fraction * (above - *middle);
}

// Of a sample: divided by n - 1.
double deviation(const std::vector<double>& values) {
  double mean = 0;
  double squares = 0;
  double count = 0;
  for (const double value : values) {
    ++count;
    const double before = value - mean;
    mean += before / count;
    squares += before * (value - mean);
  }
  return std::sqrt(squares / (count - 1));
}

void percentile_value(sqlite3_context* context) {
  const Numbers* numbers = numbers_of(context, false);
  if (numbers == nullptr || numbers->values.size() == numbers->left) {
    return sqlite3_result_null(context);
  }
  try {
    const double percent = std::isnan(numbers->percent) ? 50 : numbers->percent;
    sqlite3_result_double(context, percentile(numbers->current(), percent));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

void deviation_value(sqlite3_context* context) {
  const Numbers* numbers = numbers_of(context, false);
  if (numbers == nullptr || numbers->values.size() < numbers->left + 2) {
    return sqlite3_result_null(context);
  }
  try {
    sqlite3_result_double(context, deviation(numbers->current()));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

template <void (*Value)(sqlite3_context*)>
void finish(sqlite3_context* context) {
  Value(context);
  delete numbers_of(context, false);
}

template <void (*Value)(sqlite3_context*)>
void add_function(sqlite3* connection, const char* name, int arguments) {
  const int status = sqlite3_create_window_function(
      connection, name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
      const_cast<char*>(name), add_number, finish<Value>, Value, drop_number, nullptr);
  if (status != SQLITE_OK) {
    throw InputError(std::string("SQLite cannot take the function ") + name + ": " +
                     sqlite3_errmsg(connection));
  }
}

}  // namespace

void add_functions(sqlite3* connection) {
  add_function<percentile_value>(connection, "median", 1);
  add_function<percentile_value>(connection, "percentile", 2);
  add_function<deviation_value>(connection, "stddev", 1);
}

}  // namespace tracebook
