// SPDX-License-Identifier: Apache-2.0
#include "common/gpu/ops.h"

#include <cmath>
#include <string>
#include <vector>

#include "common/gpu/live_test.h"
#include "common/gpu/lt_matmul.h"
#include "common/gpu/stream.h"
#include "common/trace/error.h"

namespace tracebook {
namespace {

constexpr std::int64_t kSamples = 64;

struct Sizes {
  std::int64_t batch, rows, inner, columns;  // batch 0: two-dimensional
};

class OpsOfEveryDtype : public LiveTest, public testing::WithParamInterface<Dtype> {};

Tensor random(const Sizes& s, bool left, Dtype dtype, std::uint64_t seed) {
  const std::int64_t rows = left ? s.rows : s.inner;
  const std::int64_t columns = left ? s.inner : s.columns;
  if (s.batch == 0) return randn({rows, columns}, dtype, seed);
  return randn({s.batch, rows, columns}, dtype, seed);
}

TEST_P(OpsOfEveryDtype, MatmulIsRight) {
  const std::vector<Sizes> all = {{0, 64, 64, 64},    {0, 66, 66, 66},   {0, 63, 63, 63},
                                  {0, 1, 1, 1},       {0, 1, 257, 3},    {0, 300, 17, 129},
                                  {0, 1024, 1024, 8}, {0, 2048, 64, 17}, {8, 64, 64, 64},
                                  {3, 5, 7, 11},      {1, 64, 64, 64},   {0, 1024, 4096, 1024}};
  for (const Sizes& sizes : all) {
    const Tensor x = random(sizes, true, GetParam(), 1);
    const Tensor w = random(sizes, false, GetParam(), 2);
    const Tensor product = matmul(x, w);
    ASSERT_EQ(product.shape().batched(), sizes.batch != 0);
    const Verification result = verify_matmul(x, w, product, kSamples);
    EXPECT_EQ(result.checked, kSamples);
    EXPECT_LE(result.worst, 1);
  }
}

TEST_P(OpsOfEveryDtype, AddIsRightToTheLastElement) {
  for (const std::int64_t columns : {1, 3, 7, 8, 9, 64, 127, 1000, 1023, 4097}) {
    const Tensor a = randn({3, columns}, GetParam(), 3);
    const Tensor b = randn({3, columns}, GetParam(), 4);
    const Tensor c = add(a, b);
    const std::vector<double> x = a.to_host();
    const std::vector<double> y = b.to_host();
    const std::vector<double> sum = c.to_host();
    const double rounding = dtype_rounding(GetParam());
    for (std::size_t i = 0; i < sum.size(); ++i) {
      ASSERT_NEAR(sum[i], x[i] + y[i], 1.001 * rounding * std::abs(x[i] + y[i]) + 1e-7)
          << columns << " columns, element " << i;
    }
    EXPECT_LE(verify_add(a, b, c, kSamples).worst, 1);
  }
}

TEST_P(OpsOfEveryDtype, VerifyingFindsAWrongElement) {
  const Tensor x = randn({64, 64}, GetParam(), 1);
  const Tensor w = randn({64, 64}, GetParam(), 2);
  EXPECT_THROW(verify_matmul(x, w, matmul(w, x)), InputError);
  EXPECT_THROW(verify_matmul(x, w, full({64, 64}, GetParam(), std::nan(""))), InputError);
  EXPECT_THROW(verify_add(x, w, add(x, x)), InputError);
}

TEST_P(OpsOfEveryDtype, RandomNumbersAreNormalAndTheSameEachTime) {
  const Tensor first = randn({256, 256}, GetParam(), 5);
  const std::vector<double> values = first.to_host();
  EXPECT_EQ(values, randn({256, 256}, GetParam(), 5).to_host());
  EXPECT_NE(values, randn({256, 256}, GetParam(), 6).to_host());
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(values.size());
  // Four standard deviations of the mean and of the variance of 65,536 numbers.
  EXPECT_NEAR(sum / count, 0, 4 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 4 * std::sqrt(2 / count));
}

TEST_P(OpsOfEveryDtype, RowsAndColumnsAreWhereTheyBelong) {
  const Tensor tensor = randn({2, 5, 7}, GetParam(), 8);
  const std::vector<double> all = tensor.to_host();
  const std::vector<double> row = tensor.row(1, 3);
  const std::vector<double> column = tensor.column(1, 6);
  ASSERT_EQ(row.size(), 7);
  ASSERT_EQ(column.size(), 5);
  for (std::size_t c = 0; c < 7; ++c) EXPECT_EQ(row[c], all[35 + 3 * 7 + c]);
  for (std::size_t r = 0; r < 5; ++r) EXPECT_EQ(column[r], all[35 + r * 7 + 6]);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, OpsOfEveryDtype,
                         testing::Values(Dtype::kBf16, Dtype::kFp16, Dtype::kFp32),
                         [](const auto& it) { return std::string(dtype_name(it.param)); });

TEST_P(OpsOfEveryDtype, EveryWayToAddmmIsRight) {
  for (const std::int64_t size : {64, 136, 1024}) {
    const Tensor x = randn({size, size}, GetParam(), 1);
    const Tensor w = randn({size, size}, GetParam(), 2);
    const Tensor b = randn({size, size}, GetParam(), 3);
    const Tensor row = randn({1, size}, GetParam(), 4);
    EXPECT_LE(verify_addmm(b, x, w, add(matmul(x, w), b)).worst, 1);
    EXPECT_LE(verify_addmm(b, x, w, addmm(b, x, w)).worst, 1);
    LtMatmul plain({.x = x.shape(), .w = w.shape(), .dtype = GetParam()});
    LtMatmul matrix(
        {.x = x.shape(), .w = w.shape(), .dtype = GetParam(), .addend = Addend::kMatrix});
    LtMatmul vector(
        {.x = x.shape(), .w = w.shape(), .dtype = GetParam(), .addend = Addend::kVector});
    const LtChoice choice = matrix.measure(x, w, &b);
    EXPECT_GE(choice.offered, 1);
    EXPECT_LE(choice.best_us, choice.first_us);
    EXPECT_LE(verify_matmul(x, w, matmul(x, w, plain)).worst, 1);
    EXPECT_LE(verify_addmm(b, x, w, addmm(b, x, w, matrix)).worst, 1);
    EXPECT_LE(verify_addmm(row, x, w, addmm(row, x, w, vector)).worst, 1);
    if (size == 64) {  // the tolerance of long sums in bf16 is wider than one addend
      EXPECT_THROW(verify_addmm(b, x, w, matmul(x, w)), InputError) << "b was left out";
      EXPECT_THROW(verify_addmm(b, x, w, add(addmm(b, x, w), b)), InputError) << "b twice";
    }
    EXPECT_THROW(addmm(row, x, w, matrix), UsageError);
    EXPECT_THROW(addmm(b, x, w, vector), UsageError);
  }
}

class OpsTest : public LiveTest {};

TEST_F(OpsTest, WholeNumbersAreExact) {
  for (const std::int64_t size : {64, 260, 1024}) {
    const Tensor x = randn({size, size}, Dtype::kInt8, 1);
    const Tensor w = randn({size, size}, Dtype::kInt8, 2);
    const Tensor product = matmul(x, w);
    ASSERT_EQ(product.dtype(), Dtype::kInt32);
    EXPECT_EQ(verify_matmul(x, w, product).worst, 0);
    EXPECT_GT(verify_matmul(x, w, product).exact_squares, 0);
    EXPECT_EQ(verify_add(product, product, add(product, product)).worst, 0);
    EXPECT_THROW(verify_matmul(x, w, add(product, product)), InputError);
  }
  const Tensor odd = randn({63, 63}, Dtype::kInt8, 1);
  EXPECT_THROW(matmul(odd, odd), UsageError);
}

TEST_F(OpsTest, RefusesWhatDoesNotFitTogether) {
  const Tensor x = randn({4, 8}, Dtype::kBf16, 1);
  EXPECT_THROW(matmul(x, x), UsageError);
  EXPECT_THROW(matmul(x, randn({8, 4}, Dtype::kFp16, 1)), UsageError);
  EXPECT_THROW(matmul(x, randn({2, 8, 4}, Dtype::kBf16, 1)), UsageError);
  EXPECT_THROW(add(x, randn({8, 4}, Dtype::kBf16, 1)), UsageError);
}

TEST_F(OpsTest, AllocatesNothingInSteadyState) {
  const Tensor x = randn({96, 96}, Dtype::kBf16, 1);
  const Tensor b = randn({96, 96}, Dtype::kBf16, 2);
  for (int i = 0; i < 2; ++i) const Tensor y = add(matmul(x, x), b);
  const std::int64_t before = memory_stats().allocations;
  for (int i = 0; i < 20; ++i) const Tensor y = add(matmul(x, x), b);
  EXPECT_EQ(memory_stats().allocations, before);
}

TEST_F(OpsTest, SaysWhatDoesNotFitTheGpu) {
  const std::int64_t cached = memory_stats().in_use;
  try {
    const Tensor tensor({2'000'000, 2'000'000}, Dtype::kFp32);
    FAIL() << "a tensor of 16 TB fitted";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("14901.2 GiB"), std::string::npos) << text;
    EXPECT_NE(text.find("are free"), std::string::npos) << text;
  }
  EXPECT_EQ(memory_stats().in_use, cached);
  // The failure leaves nothing behind that the next call would report.
  const Tensor x = randn({8, 8}, Dtype::kFp32, 1);
  EXPECT_LE(verify_add(x, x, add(x, x)).worst, 1);
}

TEST_F(OpsTest, WorksOnAStreamOfItsOwn) {
  const Stream stream;
  const StreamGuard guard(stream);
  const Tensor x = randn({128, 128}, Dtype::kBf16, 1);
  const Tensor w = randn({128, 128}, Dtype::kBf16, 2);
  Event before;
  Event after;
  before.record();
  const Tensor product = matmul(x, w);
  after.record();
  EXPECT_GT(after.milliseconds_since(before), 0);
  EXPECT_LE(verify_matmul(x, w, product).worst, 1);
}

}  // namespace
}  // namespace tracebook
