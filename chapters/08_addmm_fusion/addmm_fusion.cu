// SPDX-License-Identifier: Apache-2.0
//
// Chapter 08: addmm, and fusion.
//
// Question: did we fuse it?
//
//   build/bin/08_addmm_fusion                    product, then add: two kernels
//   build/bin/08_addmm_fusion --variant copy     what torch.addmm does
//   build/bin/08_addmm_fusion --variant fused    one kernel that reads b where it is
//   build/bin/08_addmm_fusion --variant bias     the same for a b of one row
//   build/bin/08_addmm_fusion --compare          all four in one run, side by side
//
// Predict first. b + x · w needs x, w and b read once and the result written once. The eager form
// writes the product and reads it again. torch.addmm is one op: how many launches, how many bytes?
// And which of the four is the fastest at 4096: by how much, given that the product alone takes
// about 170 us?
//
// Look for
//   - `Memcpy DtoD` before the product, which nobody wrote;
//   - what the product's name says: _bz_ (nothing added), _badd_ (added to the result), _bx_,
//   _bias_;
//   - launches, copied bytes, GPU and CPU time of each, and its error against double precision.
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "chapters/08_addmm_fusion/knobs.h"
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
        b(randn({knobs.size, knobs.size}, dtype_of(knobs.dtype).value(), 3)),
        row(randn({1, knobs.size}, dtype_of(knobs.dtype).value(), 4)) {}

  Tensor x;
  Tensor w;
  Tensor b;
  Tensor row;  ///< what a linear layer adds: the same to every row
};

/// The two plans of cublasLt, each with the fastest of the algorithms that its heuristics offer,
/// measured here and now.
struct Plans {
  explicit Plans(const Inputs& in)
      : fused({in.x.shape(), in.w.shape(), in.x.dtype(), Addend::kMatrix}),
        bias({in.x.shape(), in.w.shape(), in.x.dtype(), Addend::kVector}),
        fused_choice(fused.measure(in.x, in.w, &in.b)),
        bias_choice(bias.measure(in.x, in.w, &in.row)) {}

  LtMatmul fused;
  LtMatmul bias;
  LtChoice fused_choice;
  LtChoice bias_choice;
};

Tensor compute(const std::string& variant, const Inputs& in, const Plans& plans) {
  if (variant == "copy") return addmm(in.b, in.x, in.w);
  if (variant == "fused") return addmm(in.b, in.x, in.w, plans.fused);
  if (variant == "bias") return addmm(in.row, in.x, in.w, plans.bias);
  return add(matmul(in.x, in.w), in.b);
}

void step(const std::string& name, const std::string& variant, const Inputs& in,
          const Plans& plans) {
  RecordFunction range(name);
  const Tensor result = compute(variant, in, plans);
}

/// Against sums in double precision; the error goes into the trace.
void verify(const std::string& variant, const Inputs& in, const Plans& plans, Trace& trace) {
  const Tensor& addend = variant == "bias" ? in.row : in.b;
  const Verification result =
      verify_addmm(addend, in.x, in.w, compute(variant, in, plans), /*samples=*/256);
  trace.add_counter("Relative error", variant, result.relative_error(), trace.window_ns().second);
}

// ------------------------------------------------------------------------------ the measurement

Trace record(const Knobs& knobs) {
  const Inputs in(knobs);
  const Plans plans(in);
  // Measuring has heated the GPU; chapter 07 shows what that does to the clock.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const std::string& wish = knobs.extra.at("variant");
  const bool all = wish == "all";
  const std::vector<std::string> variants =
      all ? std::vector<std::string>{"eager", "copy", "fused", "bias"} : std::vector{wish};
  // Steps that take turns say whose turn it is.
  const auto name = [all](const std::string& variant) {
    return all ? "matmul_add: " + variant : std::string("matmul_add");
  };
  if (knobs.warmup) {
    for (int i = 0; i < kWarmupRuns; ++i) {
      for (const std::string& variant : variants) step(name(variant), variant, in, plans);
    }
  }

  Profiler profiler({.schedule = schedule({.wait = static_cast<int>(knobs.wait),
                                           .warmup = static_cast<int>(knobs.profiler_warmup),
                                           .active = static_cast<int>(knobs.active),
                                           .repeat = static_cast<int>(knobs.repeat)}),
                     .activities = {.cpu = knobs.record_cpu, .cuda = knobs.record_cuda}});
  profiler.start();
  for (std::int64_t i = 0; i < knobs.step_count(); ++i) {
    const std::string& variant = variants[static_cast<std::size_t>(i) % variants.size()];
    step(name(variant), variant, in, plans);
    profiler.step();
  }
  profiler.stop();

  Trace trace = profiler.take_trace();
  for (const std::string& variant : variants) verify(variant, in, plans, trace);
  trace.head.members.emplace_back("cublasLt fused", "\"" + plans.fused_choice.text() + "\"");
  trace.head.members.emplace_back("cublasLt bias", "\"" + plans.bias_choice.text() + "\"");
  return trace;
}

std::optional<std::string> why_no_gpu() {
  const GpuStatus& status = gpu_status();
  if (status.usable()) return std::nullopt;
  return status.says;
}

}  // namespace
}  // namespace tracebook

// ---------------------------------------------------------------------------------- the finding

// Prints the table, the timeline and the claims of expected/08_addmm_fusion/claims.json.
int main(int argc, char** argv) {
  return tracebook::run_chapter(tracebook::kChapter, argc, argv,
                                {.why_no_gpu = tracebook::why_no_gpu, .record = tracebook::record});
}
