// SPDX-License-Identifier: Apache-2.0
#include "common/profiler/profiler.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "common/gpu/live_test.h"
#include "common/gpu/ops.h"
#include "common/gpu/status.h"
#include "common/profiler/record_function.h"
#include "common/trace/args.h"
#include "common/trace/error.h"
#include "common/trace/reader.h"
#include "common/trace/structure.h"
#include "common/trace/writer.h"

namespace tracebook {
namespace {

class ProfilerTest : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const std::string& refused = gpu_status().cupti_refuses;
    if (!refused.empty()) GTEST_SKIP() << refused;
    x_ = std::make_unique<Tensor>(randn({64, 64}, Dtype::kBf16, 1));
    w_ = std::make_unique<Tensor>(randn({64, 64}, Dtype::kBf16, 2));
    b_ = std::make_unique<Tensor>(randn({64, 64}, Dtype::kBf16, 3));
    step();  // cuBLAS is loaded, and the memory of a step is there
    TB_CUDA(cudaDeviceSynchronize());
  }

  void step() {
    const RecordFunction range("matmul_add");
    const Tensor y = add(matmul(*x_, *w_), *b_);
  }

  Trace record(ProfilerOptions options, int steps) {
    Profiler profiler(std::move(options));
    profiler.start();
    for (int i = 0; i < steps; ++i) {
      step();
      profiler.step();
    }
    profiler.stop();
    return profiler.take_trace();
  }

  std::unique_ptr<Tensor> x_, w_, b_;
};

std::vector<SliceId> of(const Trace& trace, Category category, std::string_view part = "") {
  std::vector<SliceId> found;
  for (SliceId id = 0; id < trace.slices.size(); ++id) {
    if (trace.slices.category[id] == category &&
        trace.name(id).find(part) != std::string_view::npos) {
      found.push_back(id);
    }
  }
  return found;
}

std::string issues(const Trace& trace) {
  std::string text;
  for (const Issue& issue : trace.issues) {
    text += issue.kind + " x" + std::to_string(issue.count) + ": " + issue.says + "\n";
  }
  return text;
}

constexpr ScheduleOptions kUsual{.wait = 1, .warmup = 1, .active = 3, .repeat = 1};

TEST_F(ProfilerTest, RecordsStepsOpsLaunchesAndKernels) {
  const Trace trace = record({.schedule = schedule(kUsual)}, 5);
  EXPECT_EQ(issues(trace), "");
  const Structure structure = build_structure(trace);
  ASSERT_EQ(structure.steps.size(), 3);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(structure.steps[i].number, static_cast<std::int64_t>(i) + 2);
  }
  for (const char* op : {"aten::matmul", "aten::mm", "aten::add"}) {
    EXPECT_EQ(of(trace, Category::kCpuOp, op).size(), 3) << op;
  }
  EXPECT_EQ(of(trace, Category::kUserAnnotation, "matmul_add").size(), 3);
  EXPECT_EQ(of(trace, Category::kGpuUserAnnotation, "matmul_add").size(), 3);

  const std::vector<SliceId> kernels = of(trace, Category::kKernel);
  ASSERT_EQ(kernels.size(), 6);
  std::map<std::int32_t, int> per_step;
  for (const SliceId kernel : kernels) {
    const SliceId launch = structure.launch[kernel];
    ASSERT_NE(launch, kNoSlice) << trace.name(kernel);
    const SliceId op = structure.op[kernel];
    ASSERT_NE(op, kNoSlice) << trace.name(kernel);
    // One clock: the launch lies within its op, the kernel begins after its launch did.
    EXPECT_GE(trace.slices.ts_ns[launch], trace.slices.ts_ns[op]);
    EXPECT_LE(trace.slices.end_ns(launch), trace.slices.end_ns(op));
    EXPECT_GE(trace.slices.ts_ns[kernel], trace.slices.ts_ns[launch]);
    EXPECT_EQ(trace.slices.external_id[kernel], trace.slices.external_id[op]);
    EXPECT_EQ(trace.name(op), trace.name(kernel).find("add_kernel") == std::string_view::npos
                                  ? "aten::mm"
                                  : "aten::add");
    EXPECT_EQ(ArgsView(trace.args(kernel)).integer("stream"), 7);
    ++per_step[structure.step[kernel]];
  }
  EXPECT_EQ(per_step, (std::map<std::int32_t, int>{{0, 2}, {1, 2}, {2, 2}}));
}

TEST_F(ProfilerTest, EndsWithTheSynchronisation) {
  const Trace trace = record({.schedule = schedule(kUsual)}, 5);
  const std::vector<SliceId> syncs = of(trace, Category::kRuntime, "cudaDeviceSynchronize");
  ASSERT_EQ(syncs.size(), 1);
  EXPECT_EQ(trace.slices.external_id[syncs[0]], kNoId);
  for (const SliceId kernel : of(trace, Category::kKernel)) {
    EXPECT_LE(trace.slices.end_ns(kernel), trace.slices.end_ns(syncs[0]));
  }
}

TEST_F(ProfilerTest, DescribesTheMachine) {
  const Trace trace = record({.schedule = schedule(kUsual)}, 5);
  ASSERT_FALSE(trace.head.devices.empty());
  EXPECT_EQ(trace.head.devices[0].name, gpu_status().name);
  EXPECT_GT(trace.head.devices[0].num_sms, 0);
  EXPECT_EQ(trace.head.provenance.gpu, gpu_status().name);
  EXPECT_EQ(trace.head.provenance.cublas, cublas_version());
  EXPECT_NE(trace.head.provenance.driver, "unknown");
  EXPECT_NE(trace.head.provenance.cupti, "");
}

TEST_F(ProfilerTest, ReadsBackAsItWas) {
  const Trace trace = record({.schedule = schedule(kUsual), .cuda_sync = true}, 5);
  EXPECT_FALSE(of(trace, Category::kSync).empty());
  const ReadResult read = read_trace_text(write_trace_text(trace), "live.json");
  EXPECT_EQ(issues(read.trace), "");
  EXPECT_EQ(first_difference(trace, read.trace), "");
}

TEST_F(ProfilerTest, LinksByTimeAsCuptiWould) {
  const Trace trace = record({.schedule = schedule(kUsual), .op_links = OpLinks::kByCupti}, 5);
  EXPECT_EQ(issues(trace), "");
  const Structure structure = build_structure(trace);
  int launches = 0;
  for (const SliceId kernel : of(trace, Category::kKernel)) {
    // External id came from CUPTI, op from nesting.
    const SliceId op = structure.op[structure.launch[kernel]];
    ASSERT_NE(op, kNoSlice);
    EXPECT_EQ(trace.slices.external_id[kernel], trace.slices.external_id[op]);
    ++launches;
  }
  EXPECT_EQ(launches, 6);
  EXPECT_EQ(of(trace, Category::kGpuUserAnnotation, "matmul_add").size(), 3);
}

TEST_F(ProfilerTest, EveryBufferModeAndSizeRecordsTheSame) {
  for (const BufferMode mode : {BufferMode::kFresh, BufferMode::kTouched, BufferMode::kZeroed}) {
    for (const std::size_t bytes : {std::size_t{2048}, std::size_t{32768}, std::size_t{4} << 20}) {
      const Trace trace = record({.schedule = schedule({.active = 20, .repeat = 1}),
                                  .buffers = {.bytes = bytes, .mode = mode}},
                                 20);
      EXPECT_EQ(issues(trace), "") << bytes;
      EXPECT_EQ(of(trace, Category::kKernel).size(), 40) << bytes;
      EXPECT_EQ(of(trace, Category::kUserAnnotation, "ProfilerStep#").size(), 20) << bytes;
    }
  }
}

TEST_F(ProfilerTest, CountsBufferRequests) {
  Profiler profiler(
      {.schedule = schedule({.active = 20, .repeat = 1}), .buffers = {.bytes = 2048}});
  profiler.start();
  for (int i = 0; i < 20; ++i) {
    step();
    profiler.step();
  }
  profiler.stop();
  const BufferStats& stats = profiler.buffer_stats();
  EXPECT_GT(stats.requests, 5);
  EXPECT_EQ(stats.requests, stats.completed);
  EXPECT_EQ(stats.unprepared, 0);
  EXPECT_GT(stats.record_bytes, 20 * 2 * 200);
}

TEST_F(ProfilerTest, RepeatsAndHandsOutEachWindow) {
  std::vector<std::vector<std::int64_t>> steps;
  ProfilerOptions options{.schedule = schedule({.wait = 1, .warmup = 1, .active = 2, .repeat = 2})};
  options.on_trace_ready = [&](const Trace& trace) {
    std::vector<std::int64_t>& numbers = steps.emplace_back();
    for (const Step& step : build_structure(trace).steps) numbers.push_back(step.number);
    EXPECT_EQ(of(trace, Category::kKernel).size(), 4);
  };
  record(std::move(options), 10);
  EXPECT_EQ(steps, (std::vector<std::vector<std::int64_t>>{{2, 3}, {6, 7}}));
}

TEST_F(ProfilerTest, WithoutAScheduleRecordsFromStartToStop) {
  Profiler profiler;
  profiler.start();
  step();
  profiler.stop();
  const Trace trace = profiler.take_trace();
  EXPECT_EQ(of(trace, Category::kKernel).size(), 2);
  EXPECT_TRUE(of(trace, Category::kUserAnnotation, "ProfilerStep#").empty());
  EXPECT_THROW(profiler.take_trace(), UsageError);
}

TEST_F(ProfilerTest, StopEndsAWindow) {
  const Trace trace = record({.schedule = schedule({.wait = 1, .warmup = 1, .active = 100})}, 4);
  EXPECT_EQ(of(trace, Category::kKernel).size(), 4);
}

TEST_F(ProfilerTest, ActivitiesAreChosen) {
  const Trace cpu = record({.schedule = schedule(kUsual), .activities = {.cuda = false}}, 5);
  EXPECT_EQ(of(cpu, Category::kCpuOp).size(), 9);
  EXPECT_TRUE(of(cpu, Category::kKernel).empty());
  EXPECT_TRUE(of(cpu, Category::kRuntime).empty());
  const Trace cuda = record({.schedule = schedule(kUsual), .activities = {.cpu = false}}, 5);
  EXPECT_TRUE(of(cuda, Category::kCpuOp).empty());
  EXPECT_EQ(of(cuda, Category::kKernel).size(), 6);
}

TEST_F(ProfilerTest, KeepsOtherThreads) {
  Profiler profiler({.schedule = schedule({.active = 1, .repeat = 1})});
  profiler.start();
  std::thread other([&] { step(); });
  other.join();
  step();
  profiler.step();
  profiler.stop();
  const Trace trace = profiler.take_trace();
  const Structure structure = build_structure(trace);
  std::map<TrackId, int> kernels_of;
  for (const SliceId kernel : of(trace, Category::kKernel)) {
    ASSERT_NE(structure.op[kernel], kNoSlice);
    ++kernels_of[trace.slices.track[structure.op[kernel]]];
  }
  ASSERT_EQ(kernels_of.size(), 2);
  for (const auto& [track, kernels] : kernels_of) EXPECT_EQ(kernels, 2);
}

TEST_F(ProfilerTest, NothingOfTheWarmUpIsLeft) {
  const Tensor large = randn({4096, 4096}, Dtype::kBf16, 1);
  Profiler profiler({.schedule = schedule({.warmup = 1, .active = 1, .repeat = 1})});
  profiler.start();
  for (int i = 0; i < 20; ++i) matmul(large, large);  // still at work when recording begins
  profiler.step();
  step();
  profiler.step();
  profiler.stop();
  EXPECT_EQ(of(profiler.take_trace(), Category::kKernel).size(), 2);
}

TEST_F(ProfilerTest, ManyEventsAreAllThere) {
  constexpr int kSteps = 2'000;
  const Trace trace = record(
      {.schedule = schedule({.active = kSteps, .repeat = 1}), .buffers = {.bytes = 65536}}, kSteps);
  EXPECT_EQ(issues(trace), "");
  EXPECT_EQ(of(trace, Category::kKernel).size(), 2 * kSteps);
  EXPECT_EQ(of(trace, Category::kGpuUserAnnotation).size(), kSteps);
}

TEST_F(ProfilerTest, RefusesMisuse) {
  EXPECT_THROW(Profiler({.buffers = {.bytes = 100}}), UsageError);
  EXPECT_THROW(Profiler({.activities = {.cpu = false, .cuda = false}}), UsageError);
  Profiler profiler;
  EXPECT_THROW(profiler.step(), UsageError);
  EXPECT_THROW(profiler.stop(), UsageError);
  EXPECT_THROW(profiler.take_trace(), UsageError);
  profiler.start();
  EXPECT_THROW(profiler.start(), UsageError);
  Profiler second;
  EXPECT_THROW(second.start(), UsageError);
  profiler.stop();
  EXPECT_NO_THROW(second.start());  // and its destructor ends it
}

}  // namespace
}  // namespace tracebook
