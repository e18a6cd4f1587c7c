// SPDX-License-Identifier: Apache-2.0
//
// Chapter 02: warming up.
//
// Question: what does warming up change, and what not?
//
//   build/bin/02_warmup                       ten runs of the step before the profiler starts
//   build/bin/02_warmup --no-warmup           without them: chapter 01
//   build/bin/02_warmup --cold-parts          the cold start, taken apart
//   build/bin/02_warmup --first-steps         the first recorded steps, by what came before them
//
// Predict first. There are two kinds of warm-up here: --warmup (runs of ours before the profiler
// exists) and --profiler-warmup (steps that the profiler sees and throws away). Which of the two
// makes the first recorded step narrow? Is a cost that is not recorded a cost that is gone?
//
// Look for
//   - the first recorded step against the second, cold and warm;
//   - which part of cuBLAS the 100 ms of the cold first product belong to;
//   - what a pause, or 32 MiB written by somebody else, does to every step.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "chapters/02_warmup/knobs.h"
#include "common/gpu/cublas.h"
#include "common/gpu/lt_matmul.h"
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

struct Inputs {
  explicit Inputs(const Knobs& knobs)
      : x(randn({knobs.size, knobs.size}, dtype_of(knobs.dtype).value(), 1)),
        w(randn({knobs.size, knobs.size}, dtype_of(knobs.dtype).value(), 2)),
        b(randn({knobs.size, knobs.size}, dtype_of(knobs.dtype).value(), 3)) {}

  Tensor x;
  Tensor w;
  Tensor b;
};

/// The step of chapter 01. With a plan, its algorithm is fixed: nobody looks for one.
void step(const Inputs& in, const std::optional<LtMatmul>& plan) {
  RecordFunction range("matmul_add");
  const Tensor sum = add(plan ? matmul(in.x, in.w, *plan) : matmul(in.x, in.w), in.b);
}

/// --ready: makes that much of cuBLAS beforehand.
void make_ready(const std::string& ready, const Inputs& in, std::optional<LtMatmul>& plan) {
  if (ready == "nothing") return;
  make_cublas(CublasPart::kHandle);
  if (ready == "handle") return;
  make_cublas(CublasPart::kWorkspace);
  if (ready == "workspace") return;
  plan.emplace(LtProblem{.x = in.x.shape(), .w = in.w.shape(), .dtype = in.x.dtype()});
  if (ready == "algorithm") return;
  const Tensor product = matmul(in.x, in.w, *plan);
}

/// --between: what the CPU does before each step, as somebody else's code would.
class Between {
 public:
  explicit Between(const std::string& what) : what_(what) {
    if (what_ == "evict") memory_.resize(std::size_t{32} << 20);
  }
  void operator()() {
    if (what_ == "nothing") return;
    RecordFunction range(what_);
    if (what_ == "evict") {
      std::memset(memory_.data(), ++turn_, memory_.size());
    } else {
      using Clock = std::chrono::steady_clock;
      const auto end = Clock::now() + std::chrono::milliseconds(4);
      while (Clock::now() < end) {
      }
    }
  }

 private:
  std::string what_;
  std::vector<unsigned char> memory_;
  int turn_ = 0;
};

void verify(const Inputs& in, const std::optional<LtMatmul>& plan) {
  const Tensor product = plan ? matmul(in.x, in.w, *plan) : matmul(in.x, in.w);
  verify_matmul(in.x, in.w, product);
  verify_add(product, in.b, add(product, in.b));
}

// ------------------------------------------------------------------------------ the measurement

BufferMode mode_of(const std::string& buffers) {
  if (buffers == "fresh") return BufferMode::kFresh;
  return buffers == "touched" ? BufferMode::kTouched : BufferMode::kZeroed;
}

/// CUDA reads this variable once, when it starts.
void prepare(const Knobs& knobs) {
  const bool eager = knobs.extra.at("module-loading") == "eager";
  setenv("CUDA_MODULE_LOADING", eager ? "EAGER" : "LAZY", /*overwrite=*/1);
}

Trace record(const Knobs& knobs) {
  const Inputs in(knobs);
  std::optional<LtMatmul> plan;
  make_ready(knobs.extra.at("ready"), in, plan);
  Between between(knobs.extra.at("between"));
  if (knobs.warmup) {
    for (int i = 0; i < kWarmupRuns; ++i) step(in, plan);
  }

  Profiler profiler({.schedule = schedule({.wait = static_cast<int>(knobs.wait),
                                           .warmup = static_cast<int>(knobs.profiler_warmup),
                                           .active = static_cast<int>(knobs.active),
                                           .repeat = static_cast<int>(knobs.repeat)}),
                     .activities = {.cpu = knobs.record_cpu, .cuda = knobs.record_cuda},
                     .buffers = {.mode = mode_of(knobs.extra.at("buffers"))}});
  profiler.start();
  for (std::int64_t i = 0; i < knobs.step_count(); ++i) {
    between();
    step(in, plan);
    profiler.step();
  }
  profiler.stop();

  verify(in, plan);
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

// Prints the table, the timeline and the claims of expected/02_warmup/claims.json.
int main(int argc, char** argv) {
  return tracebook::run_chapter(tracebook::kChapter, argc, argv,
                                {.prepare = tracebook::prepare,
                                 .why_no_gpu = tracebook::why_no_gpu,
                                 .record = tracebook::record});
}
