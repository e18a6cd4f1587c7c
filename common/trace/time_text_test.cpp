// SPDX-License-Identifier: Apache-2.0
#include "common/trace/time_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

namespace tracebook {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

std::string as_microseconds(std::int64_t ns) {
  std::string out = "before ";
  append_microseconds(out, ns);
  return out.substr(7);
}

TEST(ParseMicroseconds, ReadsDecimals) {
  EXPECT_EQ(parse_microseconds("0"), 0);
  EXPECT_EQ(parse_microseconds("-0"), 0);
  EXPECT_EQ(parse_microseconds("290.676"), 290'676);
  EXPECT_EQ(parse_microseconds("10.610"), 10'610);
  EXPECT_EQ(parse_microseconds("5.007"), 5'007);
  EXPECT_EQ(parse_microseconds("5.7"), 5'700);
  EXPECT_EQ(parse_microseconds("-1.25"), -1'250);
  EXPECT_EQ(parse_microseconds("+3"), 3'000);
  EXPECT_EQ(parse_microseconds("007.5"), 7'500);
}

TEST(ParseMicroseconds, KeepsWhatADoubleLoses) {
  EXPECT_EQ(parse_microseconds("5105701810941.267"), 5'105'701'810'941'267);
  EXPECT_EQ(parse_microseconds("1672924880617000.001"), 1'672'924'880'617'000'001);
  EXPECT_EQ(parse_microseconds("1672924880617690.0000000000000000000000000"),
            1'672'924'880'617'690'000);
}

TEST(ParseMicroseconds, RoundsHalfAwayFromZero) {
  EXPECT_EQ(parse_microseconds("0.0004999999999999999999999"), 0);
  EXPECT_EQ(parse_microseconds("0.0005"), 1);
  EXPECT_EQ(parse_microseconds("-0.0005"), -1);
  EXPECT_EQ(parse_microseconds("1.2344999"), 1'234);
  EXPECT_EQ(parse_microseconds("1.2345"), 1'235);
  EXPECT_EQ(parse_microseconds("1.9999"), 2'000);
  // 19 digits of nanoseconds, and the rounding digit beyond them.
  EXPECT_EQ(parse_microseconds("1672924880617000.0014"), 1'672'924'880'617'000'001);
  EXPECT_EQ(parse_microseconds("1672924880617000.0015"), 1'672'924'880'617'000'002);
}

TEST(ParseMicroseconds, ReadsExponents) {
  EXPECT_EQ(parse_microseconds("1e3"), 1'000'000);
  EXPECT_EQ(parse_microseconds("1.5E+2"), 150'000);
  EXPECT_EQ(parse_microseconds("1672924880617000001e-3"), 1'672'924'880'617'000'001);
  EXPECT_EQ(parse_microseconds("5e-4"), 1);
  EXPECT_EQ(parse_microseconds("5e-5"), 0);
  EXPECT_EQ(parse_microseconds("1e-999999999999999999999"), 0);
  EXPECT_EQ(parse_microseconds("0e999999999999999999999"), 0);
  EXPECT_EQ(parse_microseconds("0." + std::string(500, '0') + "12e502"), 12'000);
}

TEST(ParseMicroseconds, EndsWhereInt64Ends) {
  EXPECT_EQ(parse_microseconds("9223372036854775.807"), kMax);
  EXPECT_EQ(parse_microseconds("9223372036854775.8074"), kMax);
  EXPECT_EQ(parse_microseconds("9223372036854775.8075"), std::nullopt);
  EXPECT_EQ(parse_microseconds("9223372036854775.808"), std::nullopt);
  EXPECT_EQ(parse_microseconds("-9223372036854775.808"), kMin);
  EXPECT_EQ(parse_microseconds("-9223372036854775.809"), std::nullopt);
  EXPECT_EQ(parse_microseconds("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_microseconds("99999999999999999999999999999999"), std::nullopt);
  EXPECT_EQ(parse_microseconds("1e400"), std::nullopt);
  EXPECT_EQ(parse_microseconds("1e999999999999999999999"), std::nullopt);
}

TEST(ParseMicroseconds, RefusesWhatIsNoNumber) {
  for (const char* text :
       {"",   "-",   "+",  ".",     "-.",   "1.2.3", "1,5", " 1",  "1 ",  "abc",
        "1e", "1e+", "e5", "1e5.0", "0x10", "nan",   "inf", "--1", "+-1", "1-"}) {
    EXPECT_EQ(parse_microseconds(text), std::nullopt) << text;
  }
}

TEST(AppendMicroseconds, UsesTheFewestDecimals) {
  EXPECT_EQ(as_microseconds(0), "0");
  EXPECT_EQ(as_microseconds(290'676), "290.676");
  EXPECT_EQ(as_microseconds(10'610), "10.61");
  EXPECT_EQ(as_microseconds(5'007), "5.007");
  EXPECT_EQ(as_microseconds(700), "0.7");
  EXPECT_EQ(as_microseconds(1), "0.001");
  EXPECT_EQ(as_microseconds(-1), "-0.001");
  EXPECT_EQ(as_microseconds(-2'000), "-2");
  EXPECT_EQ(as_microseconds(kMax), "9223372036854775.807");
  EXPECT_EQ(as_microseconds(kMin), "-9223372036854775.808");
}

TEST(Microseconds, WhatIsWrittenIsRead) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100'000; ++i) {
    // Of all lengths: uniform numbers are nearly all long.
    const auto ns = static_cast<std::int64_t>(random()) >> (random() % 64);
    ASSERT_EQ(parse_microseconds(as_microseconds(ns)), ns) << as_microseconds(ns);
  }
}

}  // namespace
}  // namespace tracebook
