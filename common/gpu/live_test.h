// SPDX-License-Identifier: Apache-2.0
//
// What tests on a GPU share: they skip where there is none, unless TRACEBOOK_REQUIRE_GPU=1 says
// that there must be one.
//
//   TEST_F(LiveTest, Adds) { … }
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "common/profiler/gpu_status.h"

namespace tracebook {

class LiveTest : public testing::Test {
 protected:
  void SetUp() override {
    const GpuStatus& status = gpu_status();
    if (status.usable()) return;
    const char* required = std::getenv("TRACEBOOK_REQUIRE_GPU");
    if (required != nullptr && std::string_view(required) == "1") FAIL() << status.says;
    GTEST_SKIP() << status.says;
  }
};

}  // namespace tracebook
