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

/// Normally distributed numbers, the same for the same seed and shape on every GPU: element i
/// depends on seed and i alone. Not a range of the trace: make inputs before profiling.
Tensor randn(const Shape& shape, Dtype dtype, std::uint64_t seed);
/// Every element `value`, rounded to the dtype.
Tensor full(const Shape& shape, Dtype dtype, double value);

/// x · w under aten::matmul, whose only child is aten::mm, or aten::bmm for batches. Accumulated in
/// fp32, rounded once to the dtype; fp32 products do not use TF32 (as PyTorch's default).
Tensor matmul(const Tensor& x, const Tensor& w);

/// a + b, element by element, under aten::add: one kernel, 16 bytes a thread and access where
/// both start on 16 bytes (they do), the rest one by one.
Tensor add(const Tensor& a, const Tensor& b);

/// How a result was checked.
struct Verification {
  std::int64_t checked = 0;  ///< elements compared
  double worst = 0;          ///< largest error, as a share of its tolerance
  std::string text() const;  ///< "64 elements, worst error 0.41 of its tolerance"
};

/// Compares `samples` elements of result = x · w, spread over the whole of it and the same each
/// time, with products reckoned in double precision from the same inputs. InputError, naming the
/// element, beyond the tolerance: see matmul_tolerance.
Verification verify_matmul(const Tensor& x, const Tensor& w, const Tensor& result,
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
/// one more unit roundoff.
double matmul_tolerance(Dtype dtype, std::int64_t k, double magnitude, double exact);

/// "13.0.0": the cuBLAS that was loaded.
std::string cublas_version();

}  // namespace tracebook
