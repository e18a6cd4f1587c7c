// SPDX-License-Identifier: Apache-2.0
//
// The ops that the chapters run, named in the trace as PyTorch names them, each under its aten::
// range, on the current stream (stream.h; by default the legacy default stream, which CUPTI calls
// stream 7, so that traces look like PyTorch's).
//
//   Tensor x = randn({4096, 4096}, Dtype::kBf16, 1);
//   Tensor y = add(matmul(x, w), b);
//   verify_matmul(x, w, product);
//
// matmul goes to cuBLAS the way PyTorch goes there: same function, workspace, math mode and
// algorithm, so that cuBLAS picks the same kernel. Results are asynchronous. Ops throw UsageError
// for shapes and dtypes that do not fit each other, InputError for what CUDA or cuBLAS refuses.
#pragma once

#include <cstdint>
#include <string>

#include "common/gpu/tensor.h"

namespace tracebook {

class LtMatmul;

/// Normally distributed numbers, the same for the same seed and shape on every GPU: element i
/// depends on seed and i alone. Whole numbers: eight times as large, rounded, at most 127. Not a
/// range of the trace: make inputs before profiling.
Tensor randn(const Shape& shape, Dtype dtype, std::uint64_t seed);
/// Every element `value`, rounded to the dtype.
Tensor full(const Shape& shape, Dtype dtype, double value);

/// x · w under aten::matmul, whose only child is aten::mm, or aten::bmm for batches. Accumulated in
/// fp32, rounded once to the dtype; fp32 products do not use TF32 (as PyTorch's default). int8
/// matrices give an int32 one, under aten::_int_mm alone; their columns are multiples of 4.
Tensor matmul(const Tensor& x, const Tensor& w);
/// The same of two matrices, by the algorithm that a plan without addend has chosen beforehand.
Tensor matmul(const Tensor& x, const Tensor& w, const LtMatmul& plan);

/// b + x · w under aten::addmm, as PyTorch does it for a matrix b: copies b into the result
/// (Memcpy DtoD), and has cuBLAS add the product to that (beta = 1). Two device records.
Tensor addmm(const Tensor& b, const Tensor& x, const Tensor& w);
/// The same in one kernel, which reads b where it is: a plan with Addend::kMatrix, or with
/// Addend::kVector for a b of one row.
Tensor addmm(const Tensor& b, const Tensor& x, const Tensor& w, const LtMatmul& plan);

/// a + b, element by element, under aten::add: one kernel, 16 bytes a thread and access where
/// both start on 16 bytes (they do), the rest one by one.
Tensor add(const Tensor& a, const Tensor& b);

/// How many blocks of add's kernel fit on one multiprocessor of this GPU at a time, as the driver
/// answers (cudaOccupancyMaxActiveBlocksPerMultiprocessor).
int add_blocks_per_sm(Dtype dtype);

/// How a result was checked.
struct Verification {
  std::int64_t checked = 0;  ///< elements compared
  double worst = 0;          ///< largest error, as a share of its tolerance
  double error_squares = 0;  ///< Σ (found - exact)²
  double exact_squares = 0;  ///< Σ exact²
  /// Root of the mean square error over that of the exact values.
  [[nodiscard]] double relative_error() const;
  std::string text() const;  ///< "64 elements, worst error 0.41 of its tolerance"
};

/// Compares `samples` elements of result = x · w, spread over the whole of it and the same each
/// time, with products reckoned in double precision from the same inputs. InputError, naming the
/// element, beyond the tolerance: see matmul_tolerance.
Verification verify_matmul(const Tensor& x, const Tensor& w, const Tensor& result,
                           std::int64_t samples = 64);
/// The same for result = b + x · w, where b is a matrix or one row. A product that was rounded to
/// the dtype before the addition (matmul and add, one after the other) is within the tolerance.
Verification verify_addmm(const Tensor& b, const Tensor& x, const Tensor& w, const Tensor& result,
                          std::int64_t samples = 64);
/// The same for result = a + b.
Verification verify_add(const Tensor& a, const Tensor& b, const Tensor& result,
                        std::int64_t samples = 64);

/// Largest error that a correct product of `k` terms may have. `magnitude` is Σ|x_i w_i|,
/// `exact` the product itself. Any order of summing k terms in fp32 errs by at most
/// (k - 1) u / (1 - (k - 1) u) · Σ|x_i w_i|, u = 2^-24 (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd ed., §4.2); the products of bf16 and fp16 numbers are exact in fp32, those of
/// fp32 add one more u. Tensor cores may truncate where fp32 rounds: u is taken twice. Then one
/// rounding to the dtype, at most its unit roundoff of the result. Split-K kernels may round
/// partial sums to the dtype, too (PyTorch's default allows it): for bf16 and fp16 `magnitude` adds
/// one more unit roundoff. Whole numbers are exact.
double matmul_tolerance(Dtype dtype, std::int64_t k, double magnitude, double exact);

/// "13.0.0": the cuBLAS that was loaded.
std::string cublas_version();

}  // namespace tracebook
