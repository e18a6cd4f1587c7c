// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/keys.h"

#include <gtest/gtest.h>

namespace tracebook {
namespace {

using Keys = std::vector<LabKey>;

TEST(KeysTest, LettersAndArrows) {
  KeyReader reader;
  EXPECT_EQ(reader.read("hnrq"),
            (Keys{LabKey::kHint, LabKey::kNextOpen, LabKey::kCheck, LabKey::kQuit}));
  EXPECT_EQ(reader.read("\033[C\033[D\033OA\033OB"),
            (Keys{LabKey::kNextChapter, LabKey::kPreviousChapter, LabKey::kUp, LabKey::kDown}));
  EXPECT_EQ(reader.read("[]\033[5~\033[6~"), (Keys{LabKey::kPreviousChapter, LabKey::kNextChapter,
                                                   LabKey::kPageUp, LabKey::kPageDown}));
  EXPECT_EQ(reader.read("\r\n "), (Keys{LabKey::kOpen, LabKey::kOpen, LabKey::kOpen}));
}

TEST(KeysTest, ASequenceMayComeInPieces) {
  KeyReader reader;
  EXPECT_EQ(reader.read("\033"), Keys{});
  EXPECT_EQ(reader.read("["), Keys{});
  EXPECT_EQ(reader.read("C"), Keys{LabKey::kNextChapter});
}

TEST(KeysTest, EscapeAloneDoesNotSwallowTheNextKey) {
  KeyReader reader;
  EXPECT_EQ(reader.read("\033"), Keys{});
  EXPECT_TRUE(reader.waits());
  EXPECT_EQ(reader.read("q"), (Keys{LabKey::kBack, LabKey::kQuit}));
  EXPECT_EQ(reader.read("\033\033"), Keys{LabKey::kBack});
  EXPECT_EQ(reader.finish(), Keys{LabKey::kBack});
  EXPECT_FALSE(reader.waits());
  EXPECT_EQ(reader.read("\033["), Keys{});
  EXPECT_EQ(reader.finish(), Keys{});
}

TEST(KeysTest, OtherKeysAreNone) {
  KeyReader reader;
  EXPECT_EQ(reader.read("xyz\t\033[15~\033[1;5P\xC3\xA4"), Keys{});
  EXPECT_EQ(reader.read("\033[" + std::string(40, '1') + "q"), Keys{LabKey::kQuit});
  EXPECT_EQ(reader.read("q"), Keys{LabKey::kQuit});
}

}  // namespace
}  // namespace tracebook
