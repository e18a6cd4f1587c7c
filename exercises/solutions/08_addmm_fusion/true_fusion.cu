// SPDX-License-Identifier: Apache-2.0
//
// Exercise of chapter 08: write the true fusion.
//
// result = b + x · w for three matrices of 4096 x 4096. The lesson showed three ways: two kernels,
// a copy of b and one kernel, one kernel that reads b where it is. Write the last one with
// cublasLt's own call, which computes D = alpha · A · B + beta · C.
//
//   build/bin/tracebook exercise exercises/08_addmm_fusion/true_fusion.cu
//
// It is done when the trace shows one kernel a step, no copy, and a result that was rounded once.
#include <cublasLt.h>
#include <cuda_runtime.h>

#include <memory>
#include <optional>
#include <string>

#include "common/gpu/cublas.h"
#include "common/gpu/ops.h"
#include "common/gpu/status.h"
#include "common/gpu/stream.h"
#include "common/profiler/gpu_status.h"
#include "common/profiler/profiler.h"
#include "common/profiler/record_function.h"
#include "common/profiler/schedule.h"
#include "common/trace/error.h"
#include "common/workbook/run_exercise.h"

namespace tracebook {
namespace {

constexpr std::int64_t kSize = 4096;
constexpr int kWarmupRuns = 10;

struct Inputs {
  Tensor x = randn({kSize, kSize}, Dtype::kBf16, 1);
  Tensor w = randn({kSize, kSize}, Dtype::kBf16, 2);
  Tensor b = randn({kSize, kSize}, Dtype::kBf16, 3);
};

/// What cublasLt wants to know before a product: the types, one layout for all matrices here (they
/// have one shape), and an algorithm, the first that its heuristics offer.
struct Plan {
  Plan() {
    TB_CUBLAS(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    TB_CUBLAS(cublasLtMatrixLayoutCreate(&matrix, CUDA_R_16BF, kSize, kSize, kSize));
    TB_CUBLAS(cublasLtMatmulPreferenceCreate(&preference));
    TB_CUBLAS(cublasLtMatmulPreferenceSetAttribute(preference,
                                                   CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                   &workspace.bytes, sizeof workspace.bytes));
    int found = 0;
    TB_CUBLAS(cublasLtMatmulAlgoGetHeuristic(handle, product, matrix, matrix, matrix, matrix,
                                             preference, 1, &offered, &found));
    if (found == 0) throw InputError("cublasLt offers no algorithm");
  }
  ~Plan() {
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatrixLayoutDestroy(matrix);
    cublasLtMatmulDescDestroy(product);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  // A cuBLAS handle serves as a cublasLt one.
  cublasLtHandle_t handle = reinterpret_cast<cublasLtHandle_t>(cublas());
  CublasWorkspace workspace = cublas_workspace();
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t matrix = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  cublasLtMatmulHeuristicResult_t offered{};
};

/// b + x · w. Our matrices lie row by row, cublasLt's column by column: what we call x, it calls x
/// transposed, and (x · w) transposed is w transposed · x transposed. So its A is our w, its B is
/// our x, and nothing needs to be transposed.
Tensor addmm_fused(const Inputs& in, const Plan& plan) {
  // solution begin
  Tensor result(in.b.shape(), in.b.dtype());
  const float alpha = 1;
  const float beta = 1;
  // C is b, D is the result: two different matrices, so b need not be copied first.
  TB_CUBLAS(cublasLtMatmul(plan.handle, plan.product, &alpha, in.w.data(), plan.matrix, in.x.data(),
                           plan.matrix, &beta, in.b.data(), plan.matrix, result.data(), plan.matrix,
                           &plan.offered.algo, plan.workspace.data, plan.workspace.bytes,
                           current_stream()));
  return result;
  // solution end
  // instead begin
  // | // TODO: one cublasLtMatmul instead of these two ops. The plan has what it asks for.
  // | static_cast<void>(plan);
  // | return add(matmul(in.x, in.w), in.b);
  // instead end
  // wrong begin: b was copied
  // | // What torch.addmm does: b is copied into the result, which is then both C and D.
  // | Tensor result(in.b.shape(), in.b.dtype());
  // | TB_CUDA(cudaMemcpyAsync(result.data(), in.b.data(), in.b.bytes(), cudaMemcpyDeviceToDevice,
  // |                         current_stream()));
  // | const float alpha = 1;
  // | const float beta = 1;
  // | TB_CUBLAS(cublasLtMatmul(plan.handle, plan.product, &alpha, in.w.data(), plan.matrix,
  // |                          in.x.data(), plan.matrix, &beta, result.data(), plan.matrix,
  // |                          result.data(), plan.matrix, &plan.offered.algo,
  // |                          plan.workspace.data, plan.workspace.bytes, current_stream()));
  // | return result;
  // wrong end
}

void step(const Inputs& in, const Plan& plan) {
  RecordFunction range("matmul_add");
  const Tensor result = addmm_fused(in, plan);
}

Trace record() {
  const Inputs in;
  const Plan plan;
  for (int i = 0; i < kWarmupRuns; ++i) step(in, plan);

  Profiler profiler({.schedule = schedule({.wait = 1, .warmup = 1, .active = 3, .repeat = 1})});
  profiler.start();
  for (int i = 0; i < 5; ++i) {
    step(in, plan);
    profiler.step();
  }
  profiler.stop();

  Trace trace = profiler.take_trace();
  const Verification result =
      verify_addmm(in.b, in.x, in.w, addmm_fused(in, plan), /*samples=*/256);
  trace.add_counter("Relative error", "fused", result.relative_error(), trace.window_ns().second);
  return trace;
}

std::optional<std::string> why_no_gpu() {
  const GpuStatus& status = gpu_status();
  if (status.usable()) return std::nullopt;
  return status.says;
}

}  // namespace
}  // namespace tracebook

int main(int argc, char** argv) {
  return tracebook::run_exercise(
      {"08_addmm_fusion", "true_fusion"}, argc, argv,
      {.why_no_gpu = tracebook::why_no_gpu, .record = tracebook::record});
}
