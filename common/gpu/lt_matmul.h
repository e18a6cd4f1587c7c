// SPDX-License-Identifier: Apache-2.0
//
// One product through cublasLt, planned once and run many times: the same kernel each time, chosen
// before the profiler starts, and an addend that the kernel itself reads.
//
//   LtMatmul plan({.x = {64, 64}, .w = {64, 64}, .dtype = Dtype::kBf16, .addend =
//   Addend::kMatrix}); const LtChoice choice = plan.measure(x, w, &b);   // times what the
//   heuristics offer plan.run(x, w, &b, out);                          // out = b + x · w, one
//   kernel
//
// Row-major; two-dimensional; bf16, fp16 and fp32, accumulated in fp32. Runs on the current stream
// with cuBLAS's workspace. UsageError for shapes that do not fit, InputError for what cublasLt
// refuses. Use a plan from one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/gpu/tensor.h"

namespace tracebook {

/// What is added to the product, by the same kernel.
enum class Addend : std::uint8_t {
  kNone,
  kMatrix,  ///< a matrix of the result's shape: cublasLt's C, another one than D
  kVector,  ///< one row, added to every row: the bias epilogue
};

struct LtProblem {
  Shape x{1, 1};
  Shape w{1, 1};
  Dtype dtype = Dtype::kBf16;
  Addend addend = Addend::kNone;
};

/// How an algorithm was chosen.
struct LtChoice {
  int offered = 0;      ///< by cublasLt's heuristics
  int chosen = 0;       ///< place in their order, from 0
  double first_us = 0;  ///< GPU time of the one that they put first, median
  double best_us = 0;   ///< of the one chosen
  /// "algorithm 2 of 8 offered: 176.2 us, the first one 181.0 us".
  [[nodiscard]] std::string text() const;
};

class LtMatmul {
 public:
  /// Takes the algorithm that the heuristics put first.
  explicit LtMatmul(const LtProblem& problem);
  ~LtMatmul();
  LtMatmul(LtMatmul&&) noexcept;
  LtMatmul& operator=(LtMatmul&&) noexcept;
  LtMatmul(const LtMatmul&) = delete;
  LtMatmul& operator=(const LtMatmul&) = delete;

  [[nodiscard]] const LtProblem& problem() const;
  [[nodiscard]] Shape result_shape() const;

  /// Times every offered algorithm on these tensors, in turns, and keeps the fastest from now on.
  LtChoice measure(const Tensor& x, const Tensor& w, const Tensor* addend);

  /// out = x · w + addend. Asynchronous.
  void run(const Tensor& x, const Tensor& w, const Tensor* addend, Tensor& out) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tracebook
