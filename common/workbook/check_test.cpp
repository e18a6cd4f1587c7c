// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "common/trace/error.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/options.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

/// Both ways, for every chapter: claims hold on its recordings, and miss where they should.
TEST(ChaptersTest, ClaimsHoldAndMissWhereTheyShould) {
  ASSERT_FALSE(all_chapters().empty());
  for (const ChapterInfo& chapter : all_chapters()) {
    for (const CheckedTrace& trace : check_recordings(chapter)) {
      EXPECT_TRUE(trace.good()) << chapter.stem << " on " << trace.label << "\n"
                                << claims_text(trace.judged, 100)
                                << claims_text(trace.controls, 100);
    }
  }
}

TEST(ChaptersTest, EveryClaimIsTriedBothWays) {
  for (const ChapterInfo& chapter : all_chapters()) {
    const std::vector<CheckedTrace> traces = check_recordings(chapter);
    for (const Claim& claim : read_claims(claims_file(chapter))) {
      EXPECT_FALSE(claim.fails_on.empty())
          << chapter.stem << ": " << claim.id << " has no recording that it must miss on";
      const bool held = std::any_of(traces.begin(), traces.end(), [&claim](const auto& trace) {
        return std::any_of(trace.judged.begin(), trace.judged.end(), [&claim](const auto& judged) {
          return judged.first.id == claim.id && judged.second.verdict == Verdict::kHeld;
        });
      });
      EXPECT_TRUE(held) << chapter.stem << ": " << claim.id << " holds on no recording";
    }
  }
}

TEST(ChaptersTest, EveryVariantHasARecordingAndEveryRecordingAVariant) {
  for (const ChapterInfo& chapter : all_chapters()) {
    const Manifest manifest = read_manifest(workbook_root() / "expected" / chapter.stem);
    std::set<std::string> variants;
    for (const std::string& variant : chapter.variants) {
      variants.insert(recording_stem(chapter, parse_knobs(chapter, variant)));
    }
    std::set<std::string> ours;
    for (const Recording& recording : manifest.recordings) {
      if (recording.source == "tracebook") ours.insert(recording.name);
    }
    EXPECT_EQ(variants, ours) << chapter.stem;
  }
}

TEST(FindChapterTest, TakesNumbersAndNames) {
  EXPECT_EQ(find_chapter("01").stem, "01_cold_trace");
  EXPECT_EQ(find_chapter("1").stem, "01_cold_trace");
  EXPECT_EQ(find_chapter("01_cold_trace").stem, "01_cold_trace");
  for (const char* const name : {"", "0", "99", "1x", "cold_trace"}) {
    EXPECT_THROW(find_chapter(name), UsageError) << name;
  }
}

}  // namespace
}  // namespace tracebook
