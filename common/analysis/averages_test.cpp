// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/averages.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/trace/error.h"
#include "common/trace/hand_made.h"

namespace tracebook {
namespace {

Averages averages_of(const HandMade& made) {
  return key_averages(made.trace, build_structure(made.trace));
}

AverageRow row_of(const Averages& averages, std::string_view key,
                  DeviceType device = DeviceType::kCpu) {
  AverageRow found;
  int count = 0;
  for (const AverageRow& row : averages.rows) {
    if (row.key != key || row.device_type != device) continue;
    found = row;
    ++count;
  }
  EXPECT_EQ(count, 1) << key;
  return found;
}

std::vector<std::string> keys_of(const Averages& averages) {
  std::vector<std::string> keys;
  for (const AverageRow& row : averages.rows) keys.push_back(row.key);
  return keys;
}

TEST(KeyAverages, SelfTimeIsWhatChildrenLeave) {
  HandMade made;
  made.op("aten::matmul", 0, 100);
  made.op("aten::mm", 10, 70);
  made.call("cudaLaunchKernel", 20, 50, {.correlation = 1});
  made.kernel("gemm", 200, 1'200, {.correlation = 1});
  const Averages averages = averages_of(made);
  const AverageRow matmul = row_of(averages, "aten::matmul");
  EXPECT_EQ(matmul.self_cpu_ns, 40);
  EXPECT_EQ(matmul.cpu_ns, 100);
  EXPECT_EQ(matmul.self_device_ns, 0) << "the kernel is the inner op's own";
  EXPECT_EQ(matmul.device_ns, 1'000);
  const AverageRow mm = row_of(averages, "aten::mm");
  EXPECT_EQ(mm.self_cpu_ns, 30);
  EXPECT_EQ(mm.self_device_ns, 1'000);
  const AverageRow launch = row_of(averages, "cudaLaunchKernel");
  EXPECT_EQ(launch.self_cpu_ns, 30);
  EXPECT_EQ(launch.device_ns, 0);
  const AverageRow gemm = row_of(averages, "gemm", DeviceType::kCuda);
  EXPECT_EQ(gemm.count, 1);
  EXPECT_EQ(gemm.cpu_ns, 0);
  EXPECT_EQ(gemm.self_device_ns, 1'000);
  EXPECT_EQ(averages.self_cpu_total_ns, 100);
  EXPECT_EQ(averages.self_device_total_ns, 1'000);
}

TEST(KeyAverages, StepsAreOneRowOnBothSides) {
  HandMade made;
  made.annotation("ProfilerStep#1", 0, 10);
  made.annotation("ProfilerStep#2", 20, 40);
  made.gpu_span("ProfilerStep#1", 100, 112);
  made.gpu_span("ProfilerStep#2", 200, 222);
  const Averages averages = averages_of(made);
  EXPECT_EQ(averages.rows.size(), 2U);
  const AverageRow steps = row_of(averages, "ProfilerStep*");
  EXPECT_EQ(steps.count, 2);
  EXPECT_EQ(steps.cpu_ns, 30);
  const AverageRow spans = row_of(averages, "ProfilerStep*", DeviceType::kCuda);
  EXPECT_TRUE(spans.is_span);
  EXPECT_EQ(spans.device_ns, 30) << "Kineto writes each span 2 ns longer than torch counts it";
}

TEST(KeyAverages, SpansAreNoWork) {
  HandMade made;
  made.gpu_span("matmul_add", 0, 12'002);
  made.kernel("gemm", 1'000, 11'000);
  EXPECT_EQ(averages_of(made).self_device_total_ns, 10'000);
}

TEST(KeyAverages, WorkWithoutALaunchStillHasItsRow) {
  HandMade made;
  made.op("aten::mm", 0, 100);
  made.kernel("lost", 10, 30, {.correlation = 77});
  made.memset("Memset (Device)", 40, 45);
  const Averages averages = averages_of(made);
  EXPECT_EQ(row_of(averages, "lost", DeviceType::kCuda).device_ns, 20);
  EXPECT_EQ(row_of(averages, "Memset (Device)", DeviceType::kCuda).device_ns, 5);
  EXPECT_EQ(row_of(averages, "aten::mm").device_ns, 0);
  EXPECT_EQ(averages.self_device_total_ns, 25);
}

TEST(KeyAverages, GraphKernelsBelongToTheRangeAroundTheLaunch) {
  HandMade made;
  made.annotation("replay", 0, 100);
  made.call("cudaGraphLaunch", 10, 20, {.correlation = 3});
  for (int i = 0; i < 500; ++i) made.kernel("node", 100 + i, 101 + i, {.correlation = 3});
  const Averages averages = averages_of(made);
  EXPECT_EQ(row_of(averages, "replay").self_device_ns, 500);
  EXPECT_EQ(row_of(averages, "node", DeviceType::kCuda).count, 500);
}

TEST(KeyAverages, OnlyChildOfTheSameNameMergesIntoItsParent) {
  HandMade made;
  made.op("aten::to", 0, 100);
  made.op("aten::to", 10, 90);
  made.op("aten::to", 20, 80);
  made.op("aten::copy_", 30, 70);
  made.call("cudaMemcpyAsync", 35, 65, {.correlation = 1});
  made.kernel("copy", 100, 150, {.correlation = 1});
  const Averages averages = averages_of(made);
  const AverageRow to = row_of(averages, "aten::to");
  EXPECT_EQ(to.count, 1);
  EXPECT_EQ(to.cpu_ns, 100);
  EXPECT_EQ(to.self_cpu_ns, 60);
  EXPECT_EQ(to.device_ns, 50);
  EXPECT_EQ(averages.self_cpu_total_ns, 100);
}

TEST(KeyAverages, KernelsOfAMergedChildAreItsParentsOwn) {
  HandMade made;
  made.op("aten::clone", 0, 100);
  made.op("aten::clone", 10, 90);
  made.call("cudaLaunchKernel", 20, 30, {.correlation = 1});
  made.kernel("k", 100, 150, {.correlation = 1});
  const AverageRow clone = row_of(averages_of(made), "aten::clone");
  EXPECT_EQ(clone.count, 1);
  EXPECT_EQ(clone.self_device_ns, 50);
}

TEST(KeyAverages, OneOfTwoChildrenDoesNotMerge) {
  HandMade made;
  made.op("aten::to", 0, 100);
  made.op("aten::to", 10, 20);
  made.op("aten::copy_", 30, 70);
  const AverageRow to = row_of(averages_of(made), "aten::to");
  EXPECT_EQ(to.count, 2);
  EXPECT_EQ(to.cpu_ns, 110);
  EXPECT_EQ(to.self_cpu_ns, 60);
}

TEST(KeyAverages, OverheadIsTakenFromTheCallThatItStalled) {
  HandMade made;
  made.op("aten::mm", 0, 1'000);
  made.call("cudaLaunchKernel", 100, 500, {.correlation = 1});
  made.overhead("Lazy Function Loading", 150, 450);
  made.kernel("gemm", 600, 700, {.correlation = 1});
  const Averages averages = averages_of(made);
  EXPECT_EQ(row_of(averages, "cudaLaunchKernel").self_cpu_ns, 100);
  const AverageRow loading = row_of(averages, "Lazy Function Loading");
  EXPECT_EQ(loading.self_cpu_ns, 300);
  EXPECT_EQ(loading.device_ns, 0) << "loading code is no GPU work";
  EXPECT_EQ(averages.self_cpu_total_ns, 1'000);
}

TEST(KeyAverages, PythonFramesAndUnknownCategoriesAreNoRows) {
  HandMade made;
  made.python("train.py(1): main", 0, 1'000);
  made.op("aten::linear", 10, 100);
  // The frame crosses the op's end, which must not part the op from its child.
  made.python("functional.py(1): linear", 20, 120);
  made.op("aten::addmm", 30, 90);
  made.add(Category::kTraceSpan, TrackKind::kOther, "PyTorch Profiler (0)", 0, 2'000, {});
  made.add(Category::kOther, TrackKind::kOther, "something", 0, 2'000, {});
  made.add(Category::kSync, TrackKind::kStream, "Stream Synchronize", 0, 2'000, {});
  const Averages averages = averages_of(made);
  EXPECT_EQ(keys_of(averages), (std::vector<std::string>{"aten::linear", "aten::addmm"}));
  EXPECT_EQ(row_of(averages, "aten::linear").self_cpu_ns, 30);
  EXPECT_EQ(averages.self_cpu_total_ns, 90);
}

TEST(KeyAverages, NamesThatTorchHidesAreNoRows) {
  HandMade made;
  made.op("aten::add", 0, 100);
  made.op("aten::_version", 10, 30);
  made.op("profiler::_record_function_enter_new", 200, 210);
  const Averages averages = averages_of(made);
  EXPECT_EQ(keys_of(averages), std::vector<std::string>{"aten::add"});
  EXPECT_EQ(row_of(averages, "aten::add").self_cpu_ns, 100);
}

TEST(KeyAverages, AnnotationsAndOpsOfOneNameAreTwoRows) {
  HandMade made;
  made.annotation("forward", 0, 10);
  made.op("forward", 20, 50);
  const Averages averages = averages_of(made);
  ASSERT_EQ(averages.rows.size(), 2U);
  EXPECT_EQ(averages.rows[0].cpu_ns, 10);
  EXPECT_EQ(averages.rows[1].cpu_ns, 30);
}

TEST(KeyAverages, RowsStandInOrderOfFirstAppearance) {
  HandMade made;
  made.op("last in time", 500, 600);
  made.kernel("kernel", 50, 60);
  made.op("inner", 0, 10);
  made.op("outer", 0, 20);
  EXPECT_EQ(keys_of(averages_of(made)),
            (std::vector<std::string>{"outer", "inner", "kernel", "last in time"}));
}

TEST(KeyAverages, OfAnEmptyTrace) {
  const Averages averages = averages_of(HandMade());
  EXPECT_TRUE(averages.rows.empty());
  EXPECT_EQ(averages.self_cpu_total_ns, 0);
  EXPECT_EQ(nlohmann::json::parse(averages_json(averages)), nlohmann::json::array());
}

Averages three_rows() {
  Averages averages;
  averages.rows = {
      {.key = "a",
       .count = 10,
       .self_cpu_ns = 5,
       .cpu_ns = 100,
       .self_device_ns = 1,
       .device_ns = 9},
      {.key = "b", .count = 1, .self_cpu_ns = 7, .cpu_ns = 50, .self_device_ns = 3, .device_ns = 9},
      {.key = "c", .count = 2, .self_cpu_ns = 5, .cpu_ns = 70, .self_device_ns = 2, .device_ns = 8},
  };
  return averages;
}

std::string sorted_keys(std::string_view sort_by) {
  Averages averages = three_rows();
  sort_averages(averages, sort_by);
  std::string keys;
  for (const AverageRow& row : averages.rows) keys += row.key;
  return keys;
}

TEST(SortAverages, LargestFirstAndTiesInOrderOfAppearance) {
  EXPECT_EQ(sorted_keys("cpu_time_total"), "acb");
  EXPECT_EQ(sorted_keys("self_cpu_time_total"), "bac");
  EXPECT_EQ(sorted_keys("cpu_time"), "bca");
  EXPECT_EQ(sorted_keys("cuda_time_total"), "abc");
  EXPECT_EQ(sorted_keys("device_time_total"), "abc");
  EXPECT_EQ(sorted_keys("self_cuda_time_total"), "bca");
  EXPECT_EQ(sorted_keys("self_device_time_total"), "bca");
  EXPECT_EQ(sorted_keys("cuda_time"), "bca");
  EXPECT_EQ(sorted_keys("device_time"), "bca");
  EXPECT_EQ(sorted_keys("count"), "acb");
}

TEST(SortAverages, UnknownKeyNamesThoseThereAre) {
  Averages averages = three_rows();
  try {
    sort_averages(averages, "cuda_tme");
    FAIL() << "no error";
  } catch (const UsageError& error) {
    const std::string says = error.what();
    EXPECT_EQ(error.exit_code(), 2);
    for (const char* part : {"cuda_tme", "self_cpu_time_total", "device_time_total", "count"}) {
      EXPECT_NE(says.find(part), std::string::npos) << says;
    }
    EXPECT_EQ(says.find('\n'), std::string::npos);
  }
}

TEST(AveragesJson, IsWhatATorchUserExpects) {
  HandMade made;
  made.op("say \"hi\"\\\n", 0, 1'234'567);
  made.kernel("k", 0, 5);
  const std::string text = averages_json(averages_of(made));
  const nlohmann::json json = nlohmann::json::parse(text);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["key"], "say \"hi\"\\\n");
  EXPECT_EQ(json[0]["device_type"], "CPU");
  EXPECT_EQ(json[0]["count"], 1);
  EXPECT_EQ(json[0]["self_cpu_time_total"], 1234.567);
  EXPECT_EQ(json[0]["cpu_time_total"], 1234.567);
  EXPECT_EQ(json[1]["device_type"], "CUDA");
  EXPECT_EQ(json[1]["self_device_time_total"], 0.005);
  EXPECT_EQ(json[1]["device_time_total"], 0.005);
  EXPECT_EQ(json[1].size(), 7U);
  EXPECT_NE(text.find("\"device_time_total\": 0.005}"), std::string::npos) << text;
  EXPECT_NE(text.find("\"self_cpu_time_total\": 0.000,"), std::string::npos) << text;
}

TEST(AveragesJson, NegativeTimesAreNumbersToo) {
  // Children that overlap each other may add up to more than their parent.
  Averages averages;
  averages.rows.push_back({.key = "a", .count = 1, .self_cpu_ns = -50});
  averages.rows.push_back({.key = "b", .count = 1, .self_cpu_ns = -12'003});
  const nlohmann::json json = nlohmann::json::parse(averages_json(averages));
  EXPECT_EQ(json[0]["self_cpu_time_total"], -0.05);
  EXPECT_EQ(json[1]["self_cpu_time_total"], -12.003);
}

}  // namespace
}  // namespace tracebook
