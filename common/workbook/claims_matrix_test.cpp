// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/claims_matrix.h"

#include <gtest/gtest.h>

#include "common/trace/file.h"

namespace tracebook {
namespace {

/// Approved by reading it: a change of it shows where a claim began or ceased to hold. Made anew by
/// `tracebook matrix --update`.
TEST(ClaimsMatrixTest, IsTheApprovedOneAndNoClaimHoldsEverywhere) {
  const std::vector<ClaimRow> rows = claims_matrix();
  EXPECT_EQ(matrix_text(rows), read_file(matrix_file()));
  for (const ClaimRow& row : rows) {
    EXPECT_FALSE(row.holds_everywhere()) << row.chapter << " " << row.id << " misses nowhere";
  }
}

TEST(ClaimRowTest, HoldsEverywhereWhereNothingWasMissed) {
  ClaimRow row{.chapter = "01", .id = "x", .chapters = {{.held = 2}, {.none = 3}}};
  EXPECT_TRUE(row.holds_everywhere());
  row.chapters[1].missed = 1;
  EXPECT_FALSE(row.holds_everywhere());
  row.chapters = {{.none = 1}, {.not_applicable = 2}};
  EXPECT_FALSE(row.holds_everywhere());
}

}  // namespace
}  // namespace tracebook
