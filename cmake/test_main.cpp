// SPDX-License-Identifier: Apache-2.0
//
// main() of every GoogleTest program: exit 0 if all tests passed, 77 if all of them were skipped
// (CTest then counts the program as skipped), 1 if one failed or if there was none to run. The
// reason of the first skipped test ends the output: run_tests.sh gathers these.
#include <gtest/gtest.h>

#include <iostream>
#include <string>

namespace {

class FirstSkip : public testing::EmptyTestEventListener {
 public:
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.skipped() && reason_.empty()) reason_ = result.message();
  }

  std::string reason_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  auto* const first_skip = new FirstSkip;
  tests.listeners().Append(first_skip);  // which owns it from here on

  const int status = RUN_ALL_TESTS();
  if (testing::GTEST_FLAG(list_tests)) return status;

  if (tests.test_to_run_count() == 0) {
    std::cerr << "there is no test to run: that counts as a failure\n";
    return 1;
  }
  if (tests.skipped_test_count() == 0) return status;
  std::cout << "skipped: " << first_skip->reason() << '\n';
  const bool none_ran = tests.skipped_test_count() == tests.test_to_run_count();
  return status == 0 && none_ran ? 77 : status;
}
