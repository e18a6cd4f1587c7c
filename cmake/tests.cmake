# SPDX-License-Identifier: Apache-2.0
#
# What all tests share.

add_library(tracebook_test_main STATIC "${PROJECT_SOURCE_DIR}/cmake/test_main.cpp")
target_link_libraries(tracebook_test_main PRIVATE tracebook_options PUBLIC GTest::gtest)
