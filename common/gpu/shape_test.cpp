// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "common/gpu/ops.h"
#include "common/gpu/status.h"
#include "common/gpu/tensor.h"
#include "common/trace/error.h"

namespace tracebook {
namespace {

TEST(Shape, TakesMatricesAndBatches) {
  const Shape matrix{64, 32};
  EXPECT_FALSE(matrix.batched());
  EXPECT_EQ(matrix.elements(), 2048);
  EXPECT_EQ(matrix.text(), "64x32");
  const Shape batch{8, 64, 32};
  EXPECT_TRUE(batch.batched());
  EXPECT_EQ(batch.batch(), 8);
  EXPECT_EQ(batch.text(), "8x64x32");
  EXPECT_NE(matrix, (Shape{1, 64, 32}));
}

TEST(Shape, RefusesWhatIsNoMatrix) {
  EXPECT_THROW((Shape{0, 4}), UsageError);
  EXPECT_THROW((Shape{4, -1}), UsageError);
  EXPECT_THROW((Shape{4}), UsageError);
  EXPECT_THROW((Shape{1, 2, 3, 4}), UsageError);
  EXPECT_THROW((Shape{3'000'000'000, 4}), UsageError);
  EXPECT_THROW((Shape{2'000'000'000, 2'000'000'000, 2'000'000'000}), UsageError);
}

TEST(Dtype, HasNames) {
  EXPECT_EQ(dtype_of("bf16"), Dtype::kBf16);
  EXPECT_EQ(dtype_of("fp32"), Dtype::kFp32);
  EXPECT_EQ(dtype_of("bf17"), std::nullopt);
  EXPECT_EQ(dtype_name(Dtype::kFp16), "fp16");
}

TEST(Tolerance, FollowsFromDtypeAndK) {
  // One product, rounded to bf16: half a unit in the last place, twice for a split sum.
  EXPECT_NEAR(matmul_tolerance(Dtype::kBf16, 1, 1, 1), 2 * 0x1p-8, 1e-9);
  // fp32 errs by what it sums, twice 4096 roundings, and by one rounding of the result.
  EXPECT_NEAR(matmul_tolerance(Dtype::kFp32, 4096, 1, 0), 4096 * 0x1p-23, 1e-6);
  // Grows with K and with the terms, not with what is left of them after cancelling.
  EXPECT_GT(matmul_tolerance(Dtype::kFp16, 4096, 10, 0), matmul_tolerance(Dtype::kFp16, 64, 10, 0));
  EXPECT_GT(matmul_tolerance(Dtype::kFp16, 64, 10, 0), matmul_tolerance(Dtype::kFp16, 64, 1, 0));
}

TEST(Status, NamesPlaceCallAndHint) {
  try {
    check_cuda(cudaErrorNoKernelImageForDevice, "cudaGetLastError()");
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("common/gpu/shape_test.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find("cudaGetLastError(): "), std::string::npos) << text;
    EXPECT_NE(text.find("cudaErrorNoKernelImageForDevice"), std::string::npos) << text;
    EXPECT_NE(text.find("CMAKE_CUDA_ARCHITECTURES"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_EQ(error.exit_code(), 3);
  }
  EXPECT_NO_THROW(check_cuda(cudaSuccess, "cudaFree(nullptr)"));
  EXPECT_THROW(check_cublas(CUBLAS_STATUS_ALLOC_FAILED, "cublasCreate"), InputError);
}

}  // namespace
}  // namespace tracebook
