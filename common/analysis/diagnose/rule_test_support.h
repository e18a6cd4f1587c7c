// SPDX-License-Identifier: Apache-2.0
//
// Scenes for the rules' tests: a few events with times in us, and what diagnose says of them.
//
//   Scene scene;
//   scene.step(1, 0, 100);
//   scene.run("aten::mm", 10, {.kernel = kGemm, .start = 20, .dur = 70});
//   EXPECT_TRUE(scene.find("T2"));
//
// For tests only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/analysis/diagnose/diagnose.h"
#include "common/trace/hand_made.h"

namespace tracebook {

inline constexpr std::string_view kGoodGemm = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT";
inline constexpr std::string_view kAddKernel =
    "void at::native::vectorized_elementwise_kernel<8, "
    "at::native::CUDAFunctor_add<c10::BFloat16>>(int)";

/// One kernel and how it comes to be; times in us.
struct Launched {
  std::string_view kernel = kGoodGemm;
  std::int64_t start = 0;
  std::int64_t dur = 1;
  std::int64_t stream = 7;
  std::string_view call = "cudaLaunchKernel";
  std::string_view args = {};
  Category category = Category::kKernel;
};

class Scene {
 public:
  HandMade made;

  Scene() {
    DeviceProperties gpu;
    gpu.name = "NVIDIA H200";
    gpu.compute_major = 9;
    gpu.num_sms = 132;
    made.trace.head.devices.push_back(gpu);
  }

  SliceId step(std::int64_t number, std::int64_t start, std::int64_t end) {
    return made.annotation("ProfilerStep#" + std::to_string(number), us(start), us(end));
  }
  SliceId op(std::string_view name, std::int64_t start, std::int64_t end) {
    return made.op(name, us(start), us(end));
  }
  SliceId range(std::string_view name, std::int64_t start, std::int64_t end) {
    return made.annotation(name, us(start), us(end));
  }
  SliceId call(std::string_view name, std::int64_t start, std::int64_t end) {
    return made.call(name, us(start), us(end));
  }
  SliceId overhead(std::string_view name, std::int64_t start, std::int64_t end) {
    return made.overhead(name, us(start), us(end));
  }
  /// A launch call of 2 us at `at`, and its kernel. An op of 4 us around the call if `name` is
  /// given.
  SliceId run(std::string_view name, std::int64_t at, const Launched& what) {
    if (!name.empty()) op(name, at, at + 4);
    ++correlation_;
    made.call(what.call, us(at + 1), us(at + 3), {.correlation = correlation_});
    const SliceId id = work(what);
    return id;
  }
  /// Device work of the launch made last (a replay's further kernels).
  SliceId work(const Launched& what) {
    const SliceId id =
        made.add(what.category, TrackKind::kStream, what.kernel, us(what.start),
                 us(what.start + what.dur), {.stream = what.stream, .correlation = correlation_});
    made.trace.slices.args[id] = made.trace.keep_args(what.args);
    return id;
  }

  [[nodiscard]] Diagnosis diagnosis() const {
    return diagnose(made.trace, build_structure(made.trace));
  }
  [[nodiscard]] std::optional<Finding> find(std::string_view id) const {
    for (Finding& finding : diagnosis().findings) {
      if (finding.id == id) return finding;
    }
    return std::nullopt;
  }
  [[nodiscard]] double share(std::string_view id) const {
    const auto found = find(id);
    return found ? found->share : -1;
  }

 private:
  static std::int64_t us(std::int64_t value) { return value * 1000; }
  std::int64_t correlation_ = 0;
};

/// Three steps of 1 ms, the GPU busy throughout with one product each, launched ahead.
inline Scene healthy_scene() {
  Scene scene;
  for (int i = 0; i < 3; ++i) {
    scene.step(i + 1, i * 1000, i * 1000 + 1000);
    scene.run("aten::mm", i * 1000 + 1, {.kernel = kGoodGemm, .start = i * 1000 + 5, .dur = 994});
  }
  return scene;
}

/// Three steps of 1 ms whose only product is this.
inline Scene scene_with(std::string_view kernel, std::string_view args = {}) {
  Scene scene;
  for (int i = 0; i < 3; ++i) {
    scene.step(i + 1, i * 1000, i * 1000 + 1000);
    scene.run("aten::mm", i * 1000 + 1,
              {.kernel = kernel, .start = i * 1000 + 5, .dur = 994, .args = args});
  }
  return scene;
}

}  // namespace tracebook
