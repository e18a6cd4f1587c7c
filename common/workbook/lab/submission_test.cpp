// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/submission.h"

#include <gtest/gtest.h>

#include <string>

#include "common/trace/file.h"
#include "common/workbook/lab/lab_test_support.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

class SubmissionTest : public testing::Test {
 protected:
  void put(const std::string& file) { write_file(class_ / file, "x"); }
  /// Beginning behind the words that all have in common.
  [[nodiscard]] std::string nothing(const std::string& folder,
                                    const std::vector<std::string>& chapters = {}) const {
    const std::string said = nothing_handed_in(class_ / folder, chapters);
    const std::string common = "nothing handed in";
    EXPECT_EQ(said.find(common), 0) << said;
    return said.substr(common.size());
  }

  ScratchFolder scratch_;
  fs::path class_ = scratch_ / "class";
};

TEST_F(SubmissionTest, AFolderOfFoldersIsTakenForAClass) {
  put("ada/answers/03_schedule_tweak.json");
  const std::string pattern = "; did you mean " + (class_ / "*").string() + "?";
  EXPECT_EQ(nothing(""), pattern);
  EXPECT_FALSE(holds_submissions(class_)) << "one more folder around one student's files";
  put("bob/gpu_share.sql");
  EXPECT_EQ(nothing(""), pattern);
  EXPECT_TRUE(holds_submissions(class_));
  EXPECT_FALSE(holds_submissions(class_ / "ada"));
  EXPECT_TRUE(holds_submissions(scratch_.path()));
  EXPECT_EQ(nothing(".."), "; did you mean " + (class_ / ".." / "*" / "*").string() + "?");
}

TEST_F(SubmissionTest, WhatIsThereIsNamed) {
  put("ada/true_fusion.cu");
  put("ada/answers/03_schedule_tweak.json");
  EXPECT_EQ(nothing("ada", {"08_addmm_fusion"}),
            " for 08; there is answers/03_schedule_tweak.json and true_fusion.cu, untouched or of "
            "what does not count here");
  put("bob/notes.txt");
  EXPECT_NE(nothing("bob").find("; expected answers/NN_name.json or NN_name.json in "),
            std::string::npos);
  EXPECT_NE(nothing("gone").find("; expected answers/"), std::string::npos);
}

TEST_F(SubmissionTest, AnArchiveIsToBeUnpacked) {
  put("ada/hand_in.tar.gz");
  const fs::path archive = class_ / "ada" / "hand_in.tar.gz";
  EXPECT_EQ(nothing("ada"), "; unpack " + archive.string() + " first");
  EXPECT_EQ(no_folder(archive), archive.string() + " is no folder; unpack it first");
  put("bob.ZIP");
  EXPECT_NE(no_folder(class_ / "bob.ZIP").find("unpack it first"), std::string::npos);
  put("notes.txt");
  for (const char* const other : {"notes.txt", "gone.zip"}) {
    EXPECT_NE(no_folder(class_ / other).find("is no folder; expected one with answers/"),
              std::string::npos)
        << other;
  }
}

TEST_F(SubmissionTest, AProgramWithoutItsTraceSaysWhatIsThereInstead) {
  const CodeExercise exercise{
      .chapter = "08_addmm_fusion", .file = "true_fusion.cu", .title = "", .hints = {}, .like = {}};
  put("ada/true_fusion.cu");
  EXPECT_EQ(lacks_trace(class_ / "ada", exercise),
            "true_fusion.cu without its trace 08_true_fusion.json");
  put("ada/true_fusion.solution.json");
  EXPECT_EQ(code_trace_in(class_ / "ada", exercise), "");
  EXPECT_EQ(lacks_trace(class_ / "ada", exercise),
            "true_fusion.cu without its trace 08_true_fusion.json; there is "
            "true_fusion.solution.json");
  put("ada/traces/exercises/08_true_fusion.json.gz");
  EXPECT_EQ(code_trace_in(class_ / "ada", exercise).filename(), "08_true_fusion.json.gz");
}

}  // namespace
}  // namespace tracebook
