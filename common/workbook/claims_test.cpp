// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/claims.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "common/trace/error.h"
#include "common/trace/file.h"
#include "common/trace/structure.h"
#include "common/workbook/claims_report.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

/// One step of 100 us on one thread: enough for the claims below.
Trace one_step() {
  Trace trace;
  const EventId thread{.number = 7};
  const TrackId track = trace.track_of(TrackKind::kCpuThread, thread, thread, -1);
  trace.add_slice(Category::kUserAnnotation, trace.strings.intern("user_annotation"),
                  trace.strings.intern("ProfilerStep#2"), track, 1'000, 100'000, kNoId, 1, "");
  return trace;
}

class ClaimsTest : public testing::Test {
 protected:
  ClaimResult judged(const std::string& sql, const Bound& bound, const std::string& when = "") {
    Claim claim;
    claim.id = "probe";
    claim.sql = sql;
    claim.expect = bound;
    claim.when = when;
    claim.when_says = "not this kind of trace";
    return judge(claim, database_);
  }

  Trace trace_ = one_step();
  Structure structure_ = build_structure(trace_);
  Database database_{trace_, structure_};
};

TEST_F(ClaimsTest, BoundsHoldAtTheirEdgeAndMissBeyond) {
  EXPECT_EQ(judged("SELECT dur FROM step", {.min = 100, .equals = {}}).verdict, Verdict::kHeld);
  EXPECT_EQ(judged("SELECT dur FROM step", {.min = 100.001, .equals = {}}).verdict,
            Verdict::kMissed);
  EXPECT_EQ(judged("SELECT dur FROM step", {.max = 100, .equals = {}}).verdict, Verdict::kHeld);
  EXPECT_EQ(judged("SELECT dur FROM step", {.max = 99.999, .equals = {}}).verdict,
            Verdict::kMissed);
  EXPECT_EQ(judged("SELECT number FROM step", {.equals = 2.0}).verdict, Verdict::kHeld);
  EXPECT_EQ(judged("SELECT number FROM step", {.equals = 3.0}).verdict, Verdict::kMissed);
  EXPECT_EQ(judged("SELECT 'aten::mm'", {.equals = "aten::mm"}).verdict, Verdict::kHeld);
  EXPECT_EQ(judged("SELECT 'aten::bmm'", {.equals = "aten::mm"}).verdict, Verdict::kMissed);
}

TEST_F(ClaimsTest, AQueryThatNeverEndsIsStopped) {
  Claim claim;
  claim.sql = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n";
  claim.expect.min = 0;
  const ClaimResult result = judge(claim, database_, std::chrono::milliseconds(20));
  EXPECT_EQ(result.verdict, Verdict::kMissed);
  EXPECT_TRUE(result.broken);
  EXPECT_NE(result.reason.find("stopped"), std::string::npos) << result.reason;
}

TEST_F(ClaimsTest, TheValueIsThereAsTextAndAsItIs) {
  const ClaimResult result = judged("SELECT dur FROM step", {.min = 1, .equals = {}, .unit = "us"});
  EXPECT_EQ(result.value, "100 us");
  EXPECT_EQ(std::get<double>(result.cell), 100.0);
}

TEST_F(ClaimsTest, ATextIsNoNumber) {
  EXPECT_EQ(judged("SELECT '100'", {.min = 0, .equals = {}}).verdict, Verdict::kMissed);
  EXPECT_EQ(judged("SELECT 5", {.equals = "5"}).verdict, Verdict::kMissed);
}

TEST_F(ClaimsTest, NoAnswerIsMissedAndNotMeasured) {
  for (const char* const sql :
       {"SELECT dur FROM step WHERE number = 99", "SELECT max(dur) FROM kernel",
        "SELECT dur FROM step UNION ALL SELECT 1"}) {
    const ClaimResult result = judged(sql, {.min = 0, .equals = {}});
    EXPECT_EQ(result.verdict, Verdict::kMissed) << sql;
    EXPECT_FALSE(result.measured) << sql;
    EXPECT_FALSE(result.broken) << sql;
    EXPECT_NE(result.reason, "") << sql;
  }
}

TEST_F(ClaimsTest, AQueryThatDoesNotRunIsMissedAndBroken) {
  const ClaimResult result = judged("SELECT dur FROM nowhere", {.min = 0, .equals = {}});
  EXPECT_EQ(result.verdict, Verdict::kMissed);
  EXPECT_TRUE(result.broken);
  EXPECT_NE(result.reason.find("nowhere"), std::string::npos);
}

TEST_F(ClaimsTest, WhenDecidesWhetherAClaimApplies) {
  EXPECT_EQ(judged("SELECT 1", {.equals = 1.0}, "SELECT 1").verdict, Verdict::kHeld);
  const ClaimResult result = judged("SELECT 1", {.equals = 1.0}, "SELECT 0");
  EXPECT_EQ(result.verdict, Verdict::kNotApplicable);
  EXPECT_EQ(result.reason, "not this kind of trace");
  EXPECT_TRUE(judged("SELECT 1", {.equals = 1.0}, "SELECT oops").broken);
}

TEST_F(ClaimsTest, ReportShowsValueBoundAndEvidenceOfAMiss) {
  Claim claim;
  claim.id = "long_step";
  claim.says = "The step takes at least a millisecond.";
  claim.sql = "SELECT dur FROM step";
  claim.expect.min = 1000;
  claim.expect.unit = "us";
  claim.evidence = "SELECT number AS step, dur AS us FROM step";
  const std::string text = claims_text(judge_all({claim}, database_), 80);
  EXPECT_NE(text.find("MISSED"), std::string::npos) << text;
  EXPECT_NE(text.find("100 us  (expected >= 1000)"), std::string::npos) << text;
  EXPECT_NE(text.find("step 2, us 100"), std::string::npos) << text;
  EXPECT_NE(text.find("0 held, 1 missed, 0 not applicable"), std::string::npos) << text;
}

TEST(GlobTest, MatchesAsAShellDoes) {
  EXPECT_TRUE(glob_matches("64_*", "64_bf16_cold_eager"));
  EXPECT_TRUE(glob_matches("*eager", "64_bf16_cold_eager"));
  EXPECT_TRUE(glob_matches("*_cold_*", "64_bf16_cold_eager"));
  EXPECT_TRUE(glob_matches("6?_*", "64_bf16_cold_eager"));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_FALSE(glob_matches("64_*", "4096_bf16_cold_eager"));
  EXPECT_FALSE(glob_matches("64", "64_bf16"));
  EXPECT_FALSE(glob_matches("", "x"));
  EXPECT_FALSE(glob_matches("*_warm_*", "64_bf16_cold_eager"));
}

TEST(AppliesToTest, PatternsMatchTheLabelOrItsName) {
  Claim claim;
  claim.applies_to = {"64_*", "torch/01_*"};
  EXPECT_TRUE(applies_to(claim, "h200/64_bf16_cold_eager"));
  EXPECT_TRUE(applies_to(claim, "live/64_bf16_cold_eager"));
  EXPECT_TRUE(applies_to(claim, "torch/01_cold_64"));
  EXPECT_FALSE(applies_to(claim, "h200/4096_bf16_cold_eager"));
  EXPECT_FALSE(applies_to(claim, "h200/01_cold_64"));
  EXPECT_TRUE(claims_for({claim}, "somebody's trace", /*known=*/false).size() == 1);
  EXPECT_TRUE(claims_for({claim}, "somebody's trace", /*known=*/true).empty());
}

/// Files that read_claims must refuse, each with the words that its message must hold.
class BrokenClaims : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(BrokenClaims, AreNamedWithWhatWasExpected) {
  const fs::path file = fs::path(testing::TempDir()) / "claims_test_broken.json";
  write_file(file, GetParam().first);
  try {
    (void)read_claims(file);
    FAIL() << GetParam().first;
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(GetParam().second), std::string::npos) << message;
    EXPECT_NE(message.find(file.string()), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  fs::remove(file);
}

constexpr const char* kClaim =
    R"({"schema": 1, "claims": [{"id": "a", "says": "b", "sql": "SELECT 1", )";

INSTANTIATE_TEST_SUITE_P(
    Files, BrokenClaims,
    testing::Values(
        std::pair("", "line 1, column 1"),
        std::pair("{\"schema\": 1,\n  oops}", "line 2, column 3"),
        std::pair("[]", "expected a JSON object"), std::pair("{}", "\"schema\": 1"),
        std::pair(R"({"schema": 2, "claims": []})", "\"schema\": 1"),
        std::pair(R"({"schema": 1})", "\"claims\""),
        std::pair(R"({"schema": 1, "claims": []})", "at least one"),
        std::pair(R"({"schema": 1, "claims": [{"says": "b"}]})", "\"id\""),
        std::pair(R"({"schema": 1, "claims": [{"id": "a", "says": "b", "sql": "SELECT 1"}]})",
                  "\"expect\""),
        std::pair(
            R"({"schema": 1, "claims": [{"id": "a", "says": "b", "sql": "SELECT 1", "expect": {}}]})",
            "could not fail"),
        std::pair(
            R"({"schema": 1, "claims": [{"id": "a", "says": "b", "sql": "SELECT 1", "expect": {"mim": 1}}]})",
            "\"mim\""),
        std::pair(
            R"({"schema": 1, "claims": [{"id": "a", "says": "b", "sql": "SELECT 1", "expect": {"min": "1"}}]})",
            "\"min\""),
        std::pair(
            R"({"schema": 1, "claims": [{"id": "a", "says": "b", "sql": "SELECT 1", "expect": {"min": 1}, "wen": ""}]})",
            "\"wen\""),
        std::pair(
            R"({"schema": 1, "claims": [{"id": "a", "says": "b", "sql": "SELECT 1", "expect": {"min": 1}, "when": "SELECT 1"}]})",
            "when_says"),
        std::pair(
            R"({"schema": 1, "claims": [{"id": "a", "says": "b", "sql": "SELECT 1", "expect": {"min": 1}, "fails_on": "x"}]})",
            "array of texts")));

TEST(ReadClaimsTest, TakesAllMembers) {
  const fs::path file = fs::path(testing::TempDir()) / "claims_test_whole.json";
  write_file(file, std::string(kClaim) +
                       R"("expect": {"min": 1, "max": 2, "unit": "us"}, "when": "SELECT 1",
                          "when_says": "why", "evidence": "SELECT 2", "applies_to": ["64_*"],
                          "fails_on": ["h200/x"]}]})");
  const std::vector<Claim> claims = read_claims(file);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].expect.text(), ">= 1 and <= 2");
  EXPECT_EQ(claims[0].when_says, "why");
  EXPECT_EQ(claims[0].applies_to, std::vector<std::string>{"64_*"});
  EXPECT_EQ(claims[0].fails_on, std::vector<std::string>{"h200/x"});
  fs::remove(file);
}

}  // namespace
}  // namespace tracebook
