// SPDX-License-Identifier: Apache-2.0
#include "common/gpu/lt_matmul.h"

#include <cublasLt.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/gpu/cublas.h"
#include "common/gpu/status.h"
#include "common/gpu/stream.h"
#include "common/trace/error.h"

namespace tracebook {
namespace {

/// The heuristics' list gets slower towards its end; nothing beyond these has won.
constexpr int kMostAlgorithms = 12;
/// Timed turns of each, one after the other, so that a change of clock meets them all.
constexpr int kRounds = 25;
/// A turn is as many runs as take this long, at most 16: the GPU must not wait for the CPU's
/// launches in between, and not grow hot.
constexpr float kTurnMilliseconds = 0.1F;
constexpr int kMostRunsInATurn = 16;

cudaDataType_t matmul_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::kBf16:
      return CUDA_R_16BF;
    case Dtype::kFp16:
      return CUDA_R_16F;
    case Dtype::kFp32:
      return CUDA_R_32F;
    default:
      throw UsageError("LtMatmul of " + std::string(dtype_name(dtype)) +
                       ", expected bf16, fp16 or fp32");
  }
}

struct DestroyDesc {
  void operator()(cublasLtMatmulDescOpaque_t* desc) const { cublasLtMatmulDescDestroy(desc); }
};
struct DestroyLayout {
  void operator()(cublasLtMatrixLayoutOpaque_t* layout) const {
    cublasLtMatrixLayoutDestroy(layout);
  }
};
struct DestroyPreference {
  void operator()(cublasLtMatmulPreferenceOpaque_t* preference) const {
    cublasLtMatmulPreferenceDestroy(preference);
  }
};
using Desc = std::unique_ptr<cublasLtMatmulDescOpaque_t, DestroyDesc>;
using Layout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, DestroyLayout>;
using Preference = std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, DestroyPreference>;

/// A row-major rows × columns matrix is, to cublasLt, a column-major columns × rows one.
Layout layout_of(cudaDataType_t type, const Shape& shape) {
  cublasLtMatrixLayout_t layout = nullptr;
  TB_CUBLAS(cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(shape.columns()),
                                       static_cast<std::uint64_t>(shape.rows()), shape.columns()));
  return Layout(layout);
}

void check(const LtProblem& problem) {
  if (problem.x.batched() || problem.w.batched() || problem.x.columns() != problem.w.rows()) {
    throw UsageError("LtMatmul of " + problem.x.text() + " and " + problem.w.text() +
                     ", expected two matrices, the second with as many rows as the first has "
                     "columns");
  }
}

cublasLtMatmulDesc_t make_desc() {
  cublasLtMatmulDesc_t desc = nullptr;
  TB_CUBLAS(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  return desc;
}

}  // namespace

std::string LtChoice::text() const {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(),
                "algorithm %d of %d offered: %.1f us, the one offered first %.1f us", chosen + 1,
                offered, best_us, first_us);
  return text.data();
}

class LtMatmul::Impl {
 public:
  explicit Impl(const LtProblem& problem)
      : problem_(problem),
        shape_{problem.x.rows(), problem.w.columns()},
        desc_((check(problem), make_desc())),
        x_(layout_of(matmul_type(problem.dtype), problem.x)),
        w_(layout_of(matmul_type(problem.dtype), problem.w)),
        out_(layout_of(matmul_type(problem.dtype), shape_)) {
    if (problem.addend == Addend::kVector) {
      const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
      const cudaDataType_t type = matmul_type(problem.dtype);
      TB_CUBLAS(cublasLtMatmulDescSetAttribute(desc_.get(), CUBLASLT_MATMUL_DESC_EPILOGUE,
                                               &epilogue, sizeof(epilogue)));
      TB_CUBLAS(cublasLtMatmulDescSetAttribute(desc_.get(), CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE,
                                               &type, sizeof(type)));
    }
    ask_heuristics();
  }

  [[nodiscard]] const LtProblem& problem() const { return problem_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }

  void run(const Tensor& x, const Tensor& w, const Tensor* addend, Tensor& out) const {
    run_with(offered_[static_cast<std::size_t>(chosen_)].algo, x, w, addend, out);
  }

  LtChoice measure(const Tensor& x, const Tensor& w, const Tensor* addend) {
    Tensor out(shape_, problem_.dtype);
    const auto turn = [&](const cublasLtMatmulAlgo_t& algorithm, int runs) {
      Event before;
      Event after;
      before.record();
      for (int run = 0; run < runs; ++run) run_with(algorithm, x, w, addend, out);
      after.record();
      return after.milliseconds_since(before) / static_cast<float>(runs);
    };
    // The first turns load the kernels; the second ones tell how long a run is.
    float longest = 0;
    for (const auto& each : offered_) turn(each.algo, 1);
    for (const auto& each : offered_) longest = std::max(longest, turn(each.algo, 4));
    const int runs = std::clamp(static_cast<int>(kTurnMilliseconds / longest), 1, kMostRunsInATurn);
    std::vector<std::vector<float>> times(offered_.size());
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < offered_.size(); ++i) {
        times[i].push_back(turn(offered_[i].algo, runs));
      }
    }
    std::vector<double> medians;
    for (std::vector<float>& each : times) {
      std::nth_element(each.begin(), each.begin() + kRounds / 2, each.end());
      medians.push_back(1e3 * static_cast<double>(each[kRounds / 2]));
    }
    const auto best = std::min_element(medians.begin(), medians.end());
    chosen_ = static_cast<int>(best - medians.begin());
    return {.offered = static_cast<int>(medians.size()),
            .chosen = chosen_,
            .first_us = medians.front(),
            .best_us = *best};
  }

 private:
  void ask_heuristics() {
    cublasLtMatmulPreference_t raw = nullptr;
    TB_CUBLAS(cublasLtMatmulPreferenceCreate(&raw));
    const Preference preference(raw);
    const std::size_t bytes = cublas_workspace().bytes;
    TB_CUBLAS(cublasLtMatmulPreferenceSetAttribute(raw, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                   &bytes, sizeof(bytes)));
    offered_.resize(kMostAlgorithms);
    int count = 0;
    TB_CUBLAS(cublasLtMatmulAlgoGetHeuristic(handle(), desc_.get(), w_.get(), x_.get(), out_.get(),
                                             out_.get(), raw, kMostAlgorithms, offered_.data(),
                                             &count));
    offered_.resize(static_cast<std::size_t>(count));
    if (offered_.empty()) {
      throw InputError("cublasLt offers no algorithm for " + problem_.x.text() + " times " +
                       problem_.w.text() + " in " + std::string(dtype_name(problem_.dtype)));
    }
  }

  void run_with(const cublasLtMatmulAlgo_t& algorithm, const Tensor& x, const Tensor& w,
                const Tensor* addend, Tensor& out) const {
    const bool fits = x.shape() == problem_.x && w.shape() == problem_.w && out.shape() == shape_ &&
                      x.dtype() == problem_.dtype && w.dtype() == problem_.dtype &&
                      out.dtype() == problem_.dtype &&
                      (addend != nullptr) == (problem_.addend != Addend::kNone);
    if (!fits) throw UsageError("LtMatmul run with other tensors than it was planned for");
    const void* c = out.data();
    float beta = 0;
    if (problem_.addend == Addend::kMatrix) {
      if (addend->shape() != shape_) throw UsageError("LtMatmul: the addend has another shape");
      c = addend->data();
      beta = 1;
    } else if (problem_.addend == Addend::kVector) {
      if (addend->shape() != Shape{1, shape_.columns()}) {
        throw UsageError("LtMatmul: the addend is " + addend->shape().text() + ", expected 1x" +
                         std::to_string(shape_.columns()));
      }
      const void* const bias = addend->data();
      TB_CUBLAS(cublasLtMatmulDescSetAttribute(desc_.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                               &bias, sizeof(bias)));
    }
    const float alpha = 1;
    const CublasWorkspace workspace = cublas_workspace();
    // Transposed in cublasLt's eyes, our x · w is its w · x.
    TB_CUBLAS(cublasLtMatmul(handle(), desc_.get(), &alpha, w.data(), w_.get(), x.data(), x_.get(),
                             &beta, c, out_.get(), out.data(), out_.get(), &algorithm,
                             workspace.data, workspace.bytes, current_stream()));
  }

  /// A cuBLAS handle serves as a cublasLt one, as its documentation says.
  static cublasLtHandle_t handle() { return reinterpret_cast<cublasLtHandle_t>(cublas()); }

  LtProblem problem_;
  Shape shape_;
  Desc desc_;
  Layout x_;
  Layout w_;
  Layout out_;
  std::vector<cublasLtMatmulHeuristicResult_t> offered_;
  int chosen_ = 0;
};

LtMatmul::LtMatmul(const LtProblem& problem) : impl_(std::make_unique<Impl>(problem)) {}
LtMatmul::~LtMatmul() = default;
LtMatmul::LtMatmul(LtMatmul&&) noexcept = default;
LtMatmul& LtMatmul::operator=(LtMatmul&&) noexcept = default;

const LtProblem& LtMatmul::problem() const { return impl_->problem(); }
Shape LtMatmul::result_shape() const { return impl_->shape(); }
LtChoice LtMatmul::measure(const Tensor& x, const Tensor& w, const Tensor* addend) {
  return impl_->measure(x, w, addend);
}
void LtMatmul::run(const Tensor& x, const Tensor& w, const Tensor* addend, Tensor& out) const {
  impl_->run(x, w, addend, out);
}

}  // namespace tracebook
