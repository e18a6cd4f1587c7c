// SPDX-License-Identifier: Apache-2.0
//
// The table by step, by shape, and with the times of single calls.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/analysis/averages.h"
#include "common/trace/error.h"
#include "common/trace/hand_made.h"
#include "common/trace/reader.h"

namespace tracebook {
namespace {

Averages averages_of(const Trace& trace, const AveragesOptions& options) {
  return key_averages(trace, build_structure(trace), options);
}

/// "key step count" of each row, in order.
std::vector<std::string> by_step(const Averages& averages) {
  std::vector<std::string> out;
  for (const AverageRow& row : averages.rows) {
    out.push_back(row.key + " " + (row.step ? std::to_string(*row.step) : "-") + " " +
                  std::to_string(row.count));
  }
  return out;
}

HandMade two_steps() {
  HandMade made;
  made.op("aten::mm", 0, 10);
  made.annotation("ProfilerStep#7", 100, 200);
  made.op("aten::mm", 110, 130);
  made.call("cudaLaunchKernel", 112, 118, {.correlation = 1});
  made.op("aten::mm", 140, 150);
  made.annotation("ProfilerStep#9", 300, 400, {.external_id = 5});
  made.annotation("forward", 301, 399, {.external_id = 6});
  made.op("aten::mm", 310, 350);
  made.call("cudaLaunchKernel", 312, 318, {.correlation = 2});
  made.kernel("gemm", 330, 390, {.correlation = 1});  // of step 7, though it runs in step 9
  made.kernel("gemm", 390, 440, {.correlation = 2});
  made.gpu_span("ProfilerStep#9", 388, 442, {.external_id = 5});
  made.gpu_span("forward", 389, 441, {.external_id = 6});
  made.gpu_span("forward", 500, 501, {.external_id = 5});  // an id of another range
  return made;
}

TEST(AveragesByStep, ARowPerKeyAndStepOfTheLaunch) {
  const Averages averages = averages_of(two_steps().trace, {.by_step = true});
  EXPECT_EQ(by_step(averages),
            (std::vector<std::string>{
                "aten::mm - 1", "ProfilerStep* 7 1", "aten::mm 7 2", "cudaLaunchKernel 7 1",
                "ProfilerStep* 9 1", "forward 9 1", "aten::mm 9 1", "cudaLaunchKernel 9 1",
                "gemm 7 1", "ProfilerStep* 9 1", "forward 9 1", "gemm 9 1", "forward - 1"}));
  EXPECT_EQ(averages.rows[2].cpu_ns, 30);
  EXPECT_EQ(averages.rows[2].self_device_ns, 60);
  EXPECT_EQ(averages.rows[6].self_device_ns, 50);
}

TEST(AveragesByStep, TheTotalsAreThoseOfThePlainTable) {
  const HandMade made = two_steps();
  const Averages plain = averages_of(made.trace, {});
  const Averages grouped = averages_of(made.trace, {.by_step = true});
  EXPECT_EQ(grouped.self_cpu_total_ns, plain.self_cpu_total_ns);
  EXPECT_EQ(grouped.self_device_total_ns, plain.self_device_total_ns);
  EXPECT_EQ(plain.rows.size(), 7U);
}

TEST(AveragesStats, OfTheCallsOfEachRow) {
  HandMade made;
  for (const std::int64_t length : {10, 40, 20, 1'000}) {
    const std::int64_t start = 10'000 * length;
    made.op("odd", start, start + length);
    if (length != 40) made.op("three", start + length + 1, start + 2 * length + 1);
  }
  made.kernel("gemm", 5, 12);
  const Averages averages = averages_of(made.trace, {.stats = true});
  ASSERT_EQ(averages.rows.size(), 3U);
  const AverageRow& four = averages.rows[1];
  ASSERT_EQ(four.key, "odd");
  EXPECT_EQ(four.calls->min_ns, 10);
  EXPECT_EQ(four.calls->median_ns, 30);
  EXPECT_EQ(four.calls->max_ns, 1'000);
  EXPECT_EQ(four.calls->spread_ns, 22) << "1.4826 times 15, of the deviations 10, 10, 20, 970";
  const AverageRow& three = averages.rows[2];
  EXPECT_EQ(three.calls->median_ns, 20);
  EXPECT_EQ(three.calls->spread_ns, 15) << "1.4826 times 10";
  EXPECT_EQ(averages.rows[0].key, "gemm");
  EXPECT_EQ(averages.rows[0].calls->min_ns, 7);
  EXPECT_EQ(averages.rows[0].calls->spread_ns, 0);
}

TEST(AveragesStats, AreNotKeptUnasked) {
  EXPECT_FALSE(averages_of(two_steps().trace, {.by_step = true}).rows[0].calls);
}

Trace with_shapes() {
  return read_trace_text(R"({"traceEvents": [
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":10,
     "args":{"Input Dims":[[64,32],[]]}},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":21,"dur":12,
     "args":{"Input Dims": [ [64, 32], [] ]}},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":41,"dur":13,
     "args":{"Input Dims":[[128,32],[]]}},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":61,"dur":1}]})",
                         "shapes")
      .trace;
}

TEST(AveragesByShape, ARowPerKeyAndShapesHoweverTheyAreSpaced) {
  const Averages averages = averages_of(with_shapes(), {.by_shape = true});
  ASSERT_EQ(averages.rows.size(), 3U);
  EXPECT_EQ(averages.rows[0].shape, "[[64, 32], []]");
  EXPECT_EQ(averages.rows[0].count, 2);
  EXPECT_EQ(averages.rows[0].cpu_ns, 22'000);
  EXPECT_EQ(averages.rows[1].shape, "[[128, 32], []]");
  EXPECT_EQ(averages.rows[2].shape, "");
}

TEST(AveragesByShape, SaysWhatIsMissing) {
  try {
    averages_of(two_steps().trace, {.by_shape = true});
    FAIL() << "no shapes were recorded";
  } catch (const InputError& error) {
    const std::string says = error.what();
    EXPECT_NE(says.find("Input Dims"), std::string::npos);
    EXPECT_NE(says.find("record_shapes=True"), std::string::npos);
    EXPECT_EQ(says.find('\n'), std::string::npos);
  }
}

TEST(AveragesJson, SaysStepShapesAndCallTimes) {
  Trace trace = with_shapes();
  const auto rows = nlohmann::json::parse(
      averages_json(averages_of(trace, {.by_step = true, .by_shape = true, .stats = true})));
  EXPECT_TRUE(rows.at(0).at("step").is_null());
  EXPECT_EQ(rows.at(0).at("input_shapes"), "[[64, 32], []]");
  EXPECT_DOUBLE_EQ(rows.at(0).at("min").get<double>(), 10);
  EXPECT_DOUBLE_EQ(rows.at(0).at("median").get<double>(), 11);
  EXPECT_DOUBLE_EQ(rows.at(0).at("max").get<double>(), 12);
  EXPECT_DOUBLE_EQ(rows.at(0).at("spread").get<double>(), 1.483);
  const auto plain = nlohmann::json::parse(averages_json(averages_of(trace, {})));
  for (const char* key : {"step", "input_shapes", "min", "spread"}) {
    EXPECT_FALSE(plain.at(0).contains(key)) << key;
  }
}

}  // namespace
}  // namespace tracebook
