// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/sql_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace tracebook {
namespace {

using Keys = std::vector<std::int64_t>;
using Rows = std::vector<std::uint32_t>;
constexpr std::int64_t kNull = SqlIndex::kNull;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

Rows find(const SqlIndex& index, std::int64_t low, std::int64_t high) {
  const auto [begin, end] = index.range(low, high);
  const auto rows = index.rows().subspan(begin, end - begin);
  return {rows.begin(), rows.end()};
}

TEST(SqlIndex, FindsRowsOfCloseKeysInRowOrder) {
  const SqlIndex index(Keys{5, 3, kNull, 5, 4, kNull});
  EXPECT_EQ(find(index, 5, 5), (Rows{0, 3}));
  EXPECT_EQ(find(index, 3, 4), (Rows{1, 4}));
  EXPECT_EQ(find(index, 6, 6), Rows());
  EXPECT_EQ(find(index, 2, 2), Rows());
  EXPECT_EQ(find(index, 4, 3), Rows());
  EXPECT_EQ(find(index, kNull + 1, kMax), (Rows{1, 4, 0, 3}));
  EXPECT_EQ(index.distinct(), 3U);
}

TEST(SqlIndex, FindsRowsOfKeysFarApart) {
  const SqlIndex index(Keys{kMax, -kMax, kNull, 7'000'000'000'000, kMax});
  EXPECT_EQ(find(index, kMax, kMax), (Rows{0, 4}));
  EXPECT_EQ(find(index, -kMax, 0), (Rows{1}));
  EXPECT_EQ(find(index, 0, kMax - 1), (Rows{3}));
  EXPECT_EQ(find(index, kNull + 1, kMax), (Rows{1, 3, 0, 4}));
  EXPECT_EQ(index.distinct(), 3U);
}

TEST(SqlIndex, OrdersNullsFirst) {
  for (const std::int64_t far : {std::int64_t{9}, kMax}) {
    const SqlIndex index(Keys{far, kNull, 1, kNull});
    EXPECT_EQ(Rows(index.rows().begin(), index.rows().end()), (Rows{1, 3, 2, 0})) << far;
  }
}

TEST(SqlIndex, HoldsNothingButNulls) {
  EXPECT_EQ(find(SqlIndex(Keys{}), kNull + 1, kMax), Rows());
  const SqlIndex index(Keys{kNull, kNull});
  EXPECT_EQ(find(index, kNull + 1, kMax), Rows());
  EXPECT_EQ(index.rows().size(), 2U);
  EXPECT_EQ(index.distinct(), 0U);
}

TEST(SqlIndex, AgreesWithReadingAllRows) {
  std::mt19937_64 random(1);  // NOLINT: the same keys in every run
  for (const std::int64_t spread : {1, 10, 3'000, 1'000'000'000}) {
    std::uniform_int_distribution<std::int64_t> any(-spread, spread);
    Keys keys(500);
    for (auto& key : keys) key = random() % 8 == 0 ? kNull : any(random);
    const SqlIndex index(keys);
    for (int i = 0; i < 200; ++i) {
      const std::int64_t low = i % 2 == 0 ? any(random) : keys[random() % keys.size()];
      const std::int64_t high = i % 3 == 0 ? low : any(random);
      Rows expected;
      for (std::uint32_t row = 0; row < keys.size(); ++row) {
        if (keys[row] != kNull && keys[row] >= low && keys[row] <= high) expected.push_back(row);
      }
      Rows found = low == kNull ? Rows() : find(index, low, high);
      if (low == kNull) expected.clear();
      std::ranges::sort(found);
      EXPECT_EQ(found, expected) << "spread " << spread << " from " << low << " to " << high;
    }
  }
}

}  // namespace
}  // namespace tracebook
