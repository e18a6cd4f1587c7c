// SPDX-License-Identifier: Apache-2.0
//
// Chapter 05: a batch dimension.
//
// Question: what changes with a batch dimension?
//
//   build/bin/05_batched_bmm                       eight products, asked for together
//   build/bin/05_batched_bmm --launches single     the same eight, one after the other
//   build/bin/05_batched_bmm --batch 64            sixty-four together
//   build/bin/05_batched_bmm --grids               the grid and the time, batch by batch
//
// Predict first. Eight products of 64 x 64: how many launches, how many kernels, and how much
// longer than one product does the GPU work?
//
// Look for
//   - what aten::matmul turns into now;
//   - the grid of the product's kernel: which of its three numbers grows with the batch?
//   - launches and CPU time of a step, together against one by one.
#include <optional>
#include <string>
#include <vector>

#include "chapters/05_batched_bmm/knobs.h"
#include "common/gpu/ops.h"
#include "common/profiler/gpu_status.h"
#include "common/profiler/profiler.h"
#include "common/profiler/record_function.h"
#include "common/profiler/schedule.h"
#include "common/workbook/run_chapter.h"

namespace tracebook {
namespace {

// ------------------------------------------------------------------------------------- the work

constexpr int kWarmupRuns = 10;

/// Three tensors of `batch` matrices; or, with --launches single, that many times three matrices.
struct Inputs {
  explicit Inputs(const Knobs& knobs) {
    const Dtype dtype = dtype_of(knobs.dtype).value();
    const bool single = knobs.extra.at("launches") == "single";
    const std::int64_t tensors = single ? knobs.batch : 1;
    const Shape shape =
        single ? Shape{knobs.size, knobs.size} : Shape{knobs.batch, knobs.size, knobs.size};
    for (std::int64_t i = 0; i < tensors; ++i) {
      const auto seed = static_cast<std::uint64_t>(3 * i);
      x.push_back(randn(shape, dtype, seed + 1));
      w.push_back(randn(shape, dtype, seed + 2));
      b.push_back(randn(shape, dtype, seed + 3));
    }
  }

  std::vector<Tensor> x;
  std::vector<Tensor> w;
  std::vector<Tensor> b;
};

/// The step of chapter 01, for each tensor.
void step(const Inputs& in) {
  RecordFunction range("matmul_add");
  for (std::size_t i = 0; i < in.x.size(); ++i) {
    const Tensor sum = add(matmul(in.x[i], in.w[i]), in.b[i]);
  }
}

void verify(const Inputs& in) {
  for (std::size_t i = 0; i < in.x.size(); ++i) {
    const Tensor product = matmul(in.x[i], in.w[i]);
    verify_matmul(in.x[i], in.w[i], product);
    verify_add(product, in.b[i], add(product, in.b[i]));
  }
}

// ------------------------------------------------------------------------------ the measurement

Trace record(const Knobs& knobs) {
  const Inputs in(knobs);
  if (knobs.warmup) {
    for (int i = 0; i < kWarmupRuns; ++i) step(in);
  }

  Profiler profiler({.schedule = schedule({.wait = static_cast<int>(knobs.wait),
                                           .warmup = static_cast<int>(knobs.profiler_warmup),
                                           .active = static_cast<int>(knobs.active),
                                           .repeat = static_cast<int>(knobs.repeat)}),
                     .activities = {.cpu = knobs.record_cpu, .cuda = knobs.record_cuda}});
  profiler.start();
  for (std::int64_t i = 0; i < knobs.step_count(); ++i) {
    step(in);
    profiler.step();
  }
  profiler.stop();

  verify(in);
  return profiler.take_trace();
}

std::optional<std::string> why_no_gpu() {
  const GpuStatus& status = gpu_status();
  if (status.usable()) return std::nullopt;
  return status.says;
}

}  // namespace
}  // namespace tracebook

// ---------------------------------------------------------------------------------- the finding

// Prints the table, the timeline and the claims of expected/05_batched_bmm/claims.json.
int main(int argc, char** argv) {
  return tracebook::run_chapter(tracebook::kChapter, argc, argv,
                                {.why_no_gpu = tracebook::why_no_gpu, .record = tracebook::record});
}
