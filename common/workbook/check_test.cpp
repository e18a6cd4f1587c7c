// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "common/trace/error.h"
#include "common/trace/reader.h"
#include "common/trace/structure.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/options.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

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

/// A trace that is no run of the chapter can hold its claims, but not miss those of its runs.
TEST(CheckTraceTest, OtherTracesDoNotMissWhatWasMadeForRuns) {
  const ChapterInfo& chapter = find_chapter("08");
  const fs::path folder = workbook_root() / "expected";
  const auto check = [&chapter](const fs::path& file, const std::string& name) {
    const Trace trace = read_trace_file(file).trace;
    return check_trace(chapter, name, trace, build_structure(trace));
  };
  const fs::path torch = folder / "08_addmm_fusion/torch/08_addmm_4096.json";
  const CheckedTrace known = check(torch, torch.string());
  const CheckedTrace renamed = check(torch, "my_trace.json");
  EXPECT_NE(known.note.find("taken for torch/08_addmm_4096"), std::string::npos) << known.note;
  EXPECT_NE(renamed.note.find("no run of this chapter"), std::string::npos) << renamed.note;
  EXPECT_GT(renamed.judged.size(), known.judged.size());
  EXPECT_TRUE(renamed.good());
  const auto count = [](const CheckedTrace& checked, Verdict verdict) {
    return std::ranges::count_if(
        checked.judged, [verdict](const auto& claim) { return claim.second.verdict == verdict; });
  };
  EXPECT_GE(count(renamed, Verdict::kHeld), 3);
  EXPECT_GE(count(renamed, Verdict::kNotApplicable), 3);

  // A recording of another chapter says so itself, whatever it is called.
  const fs::path other = folder / "02_warmup/h200/64_bf16_warm_eager.json";
  EXPECT_NE(check(other, other.string()).note.find("no run of this chapter"), std::string::npos);
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
