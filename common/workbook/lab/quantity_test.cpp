// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/quantity.h"

#include <gtest/gtest.h>

#include <string>

namespace tracebook {
namespace {

double value(const std::string& text, const std::string& unit) {
  const ReadNumber read = read_number(text, unit);
  EXPECT_TRUE(read.value) << text << ": " << read.fault;
  return read.value.value_or(-1);
}

std::string fault(const std::string& text, const std::string& unit) {
  const ReadNumber read = read_number(text, unit);
  EXPECT_FALSE(read.value) << text;
  return read.fault;
}

TEST(QuantityTest, TimesAndSizesConvert) {
  EXPECT_DOUBLE_EQ(value("2154", "us"), 2154);
  EXPECT_DOUBLE_EQ(value("2154 us", "us"), 2154);
  EXPECT_DOUBLE_EQ(value("  2.15 ms ", "us"), 2150);
  EXPECT_DOUBLE_EQ(value("2154000ns", "us"), 2154);
  EXPECT_DOUBLE_EQ(value("0.5 s", "ms"), 500);
  EXPECT_DOUBLE_EQ(value("3 µs", "ns"), 3000);
  EXPECT_DOUBLE_EQ(value("3 US", "us"), 3);
  EXPECT_DOUBLE_EQ(value("2 MiB", "KiB"), 2048);
  EXPECT_DOUBLE_EQ(value("2 MB", "bytes"), 2e6);
  EXPECT_DOUBLE_EQ(value("1e3 B", "bytes"), 1000);
  EXPECT_DOUBLE_EQ(value("47%", "%"), 47);
  EXPECT_DOUBLE_EQ(value("3 times", "x"), 3);
  EXPECT_DOUBLE_EQ(value("-1.5e-3", ""), -0.0015);
  EXPECT_DOUBLE_EQ(value("+7", ""), 7);
  EXPECT_DOUBLE_EQ(value(".5", "us"), 0.5);
}

TEST(QuantityTest, UnitsHaveSeveralSpellings) {
  for (const char* const unit :
       {"us", "µs", "μs", "µsec", "usec", "usecs", "microsecond", "Microseconds"}) {
    EXPECT_DOUBLE_EQ(value(std::string("3 ") + unit, "ns"), 3000) << unit;
  }
  for (const char* const unit : {"ms", "msec", "msecs", "millisecond", "milliseconds"}) {
    EXPECT_DOUBLE_EQ(value(std::string("3") + unit, "us"), 3000) << unit;
  }
  for (const char* const unit : {"ns", "nsec", "nsecs", "nanosecond", "nanoseconds"}) {
    EXPECT_DOUBLE_EQ(value(std::string("3 ") + unit, "ns"), 3) << unit;
  }
  for (const char* const unit : {"s", "sec", "secs", "second", "seconds"}) {
    EXPECT_DOUBLE_EQ(value(std::string("3 ") + unit, "ms"), 3000) << unit;
  }
  for (const char* const unit : {"%", "percent", "per cent", "Per\u00A0cent"}) {
    EXPECT_DOUBLE_EQ(value(std::string("47 ") + unit, "%"), 47) << unit;
  }
  for (const char* const unit : {"kb", "kilobyte", "kilobytes"}) {
    EXPECT_DOUBLE_EQ(value(std::string("3 ") + unit, "bytes"), 3000) << unit;
  }
}

TEST(QuantityTest, NoBreakSpacesAreBlanks) {
  for (const std::string blank : {"\u00A0", "\u202F", "\u2009", " \u00A0 "}) {
    EXPECT_DOUBLE_EQ(value("45.078" + blank + "us", "us"), 45.078);
    EXPECT_DOUBLE_EQ(value(blank + "45.078 us" + blank, "us"), 45.078);
    EXPECT_NE(fault("45" + blank + "078", "us").find("a blank inside the number"),
              std::string::npos);
  }
}

TEST(QuantityTest, WrongUnitsSayWhatWasExpected) {
  EXPECT_EQ(fault("5 KiB", "us"),
            "\"KiB\" is not the unit asked for; expected a number in ns, us, ms or s");
  EXPECT_EQ(fault("5 us", ""),
            "\"us\" is not the unit asked for; expected a number without a unit");
  EXPECT_EQ(fault("5 x", "%"), "\"x\" is not the unit asked for; expected a number in %");
  EXPECT_EQ(fault("5 %", "x"), "\"%\" is not the unit asked for; expected a number, such as 1.5 x");
  EXPECT_NE(fault("5 furlongs", "bytes").find("bytes, KB, MB, GB, KiB, MiB or GiB"),
            std::string::npos);
}

TEST(QuantityTest, TextForANumberIsNamed) {
  EXPECT_EQ(fault("about two", "us"),
            "\"about two\" is no number; expected a number in ns, us, ms or s");
  for (const char* const text : {"", "-", "nan", "inf", "1.2.3", "0x10", "1e999", "us", "."}) {
    EXPECT_FALSE(read_number(text, "us").value) << text;
    EXPECT_FALSE(fault(text, "us").empty());
  }
}

TEST(QuantityTest, WhatNoDoubleHoldsIsNamed) {
  EXPECT_EQ(fault("1e400", "us"),
            "\"1e400\" is beyond what can be an answer; expected a number in ns, us, ms or s");
  EXPECT_NE(fault("-1e400 ms", "us").find("beyond"), std::string::npos);
  EXPECT_NE(fault("1e-400", "").find("beyond"), std::string::npos);
}

TEST(QuantityTest, CommasAreNeverGuessed) {
  EXPECT_EQ(fault("2,15 ms", "us"), "\"2,15\" has a comma; write 2.15, with a point");
  EXPECT_EQ(fault("2,154", "us"), "\"2,154\" has a comma; write 2154 or 2.154, whichever you mean");
  EXPECT_EQ(fault("1,234.5", "us"),
            "\"1,234.5\" has a comma; write it without commas, with a point before the decimals");
  EXPECT_NE(fault("1,234,567", "us").find("without commas"), std::string::npos);
  EXPECT_NE(fault("2 154", "us").find("a blank inside the number"), std::string::npos);
}

TEST(QuantityTest, WhatIsQuotedIsShortAndPrintable) {
  const std::string digits(10'000, '1');
  for (const std::string& text : {std::string(10'000, 'a'), digits + "," + digits, "1," + digits,
                                  "1 " + std::string(10'000, 'b'), digits + "." + digits + ".1"}) {
    EXPECT_LT(fault(text, "us").size(), 300U) << text.substr(0, 10);
    EXPECT_NE(fault(text, "us").find("…\""), std::string::npos) << text.substr(0, 10);
  }
  EXPECT_EQ(fault("5 \033[2J\xFF", ""),
            "\"?[2J\uFFFD\" is not the unit asked for; "
            "expected a number without a unit");
}

TEST(QuantityTest, TextForReaders) {
  EXPECT_EQ(quantity_text(2154.32, "us"), "2154.32 us");
  EXPECT_EQ(quantity_text(0.000125, "s"), "0.000125 s");
  EXPECT_EQ(quantity_text(12, ""), "12");
  EXPECT_EQ(quantity_text(-0.0, "x"), "0 x");
  EXPECT_EQ(quantity_text(1234567.8, "ns"), "1234568 ns");
}

}  // namespace
}  // namespace tracebook
