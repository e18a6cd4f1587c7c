// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/check.h"

#include <algorithm>
#include <set>
#include <utility>

#include "common/analysis/database.h"
#include "common/trace/error.h"
#include "common/trace/reader.h"
#include "common/workbook/paths.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

std::vector<Claim> controls_on(const std::vector<Claim>& claims, const std::string& label) {
  std::vector<Claim> out;
  for (const Claim& claim : claims) {
    const auto& labels = claim.fails_on;
    if (std::find(labels.begin(), labels.end(), label) != labels.end()) out.push_back(claim);
  }
  return out;
}

/// Labels in `fails_on` lists that name another chapter's recording: "NN_name/folder/NAME".
std::set<std::string> foreign_labels(const std::vector<Claim>& claims) {
  std::set<std::string> out;
  for (const Claim& claim : claims) {
    for (const std::string& label : claim.fails_on) {
      if (std::count(label.begin(), label.end(), '/') == 2) out.insert(label);
    }
  }
  return out;
}

const Recording& find_recording(const std::string& label, const Manifest& manifest,
                                const std::string& inner) {
  for (const Recording& recording : manifest.recordings) {
    if (recording.label() == inner) return recording;
  }
  throw InputError("claims name a recording that is not there: " + label);
}

CheckedTrace check_recording(const std::vector<Claim>& judged, const std::vector<Claim>& controls,
                             const std::string& label, const fs::path& path) {
  const Trace trace = read_trace_file(path).trace;
  const Structure structure = build_structure(trace);
  const Database database(trace, structure);
  return {label, judge_all(judged, database), judge_all(controls, database)};
}

}  // namespace

bool CheckedTrace::good() const {
  const bool controls_miss = std::all_of(controls.begin(), controls.end(), [](const auto& control) {
    return control.second.verdict == Verdict::kMissed && control.second.measured;
  });
  return !any_missed(judged) && controls_miss;
}

fs::path claims_file(const ChapterInfo& chapter) {
  return workbook_root() / "expected" / chapter.stem / "claims.json";
}

std::vector<CheckedTrace> check_recordings(const ChapterInfo& chapter) {
  const std::vector<Claim> claims = read_claims(claims_file(chapter));
  const fs::path expected = workbook_root() / "expected";
  const Manifest manifest = read_manifest(expected / chapter.stem);
  if (manifest.recordings.empty()) throw CannotJudge(chapter.stem + " has no recordings yet");
  std::vector<CheckedTrace> out;
  for (const Recording& recording : manifest.recordings) {
    const std::string label = recording.label();
    out.push_back(check_recording(claims_for(claims, label, /*known=*/true),
                                  controls_on(claims, label), label, recording.path));
  }
  for (const Claim& claim : claims) {
    for (const std::string& label : claim.fails_on) {
      if (std::count(label.begin(), label.end(), '/') == 1) find_recording(label, manifest, label);
    }
  }
  for (const std::string& label : foreign_labels(claims)) {
    const std::size_t slash = label.find('/');
    const Manifest other = read_manifest(expected / label.substr(0, slash));
    const Recording& recording = find_recording(label, other, label.substr(slash + 1));
    out.push_back(check_recording({}, controls_on(claims, label), label, recording.path));
  }
  return out;
}

TraceName name_of_trace(const ChapterInfo& chapter, const std::string& file, const Trace& trace,
                        const Manifest& manifest) {
  const Provenance& made = trace.head.provenance;
  const bool ours = made.chapter == chapter.stem && !made.recording.empty();
  const std::string name = ours ? made.recording : trace_stem(file);
  // What our own programs recorded says itself what it is; PyTorch's files have their name alone.
  const bool other_chapter = !made.empty() && !ours;
  for (const Recording& recording : manifest.recordings) {
    const bool source_fits = (recording.source == "tracebook") == ours;
    if (recording.name == name && source_fits && !other_chapter) return {recording.label(), true};
  }
  return {name, ours};
}

CheckedTrace check_trace(const ChapterInfo& chapter, const std::string& file, const Trace& trace,
                         const Structure& structure) {
  const Manifest manifest = read_manifest(workbook_root() / "expected" / chapter.stem);
  const TraceName name = name_of_trace(chapter, file, trace, manifest);
  const Database database(trace, structure);
  const std::vector<Claim> claims = read_claims(claims_file(chapter));
  const std::string note =
      name.known ? "taken for " + name.label + ", by its provenance or its name"
                 : "no run of this chapter: all its claims are tried; those made for particular "
                   "runs are not missed where they do not hold";
  JudgedClaims judged = judge_all(claims_for(claims, name.label, name.known), database);
  if (!name.known) set_other_runs_aside(judged);
  return {file, std::move(judged), {}, note};
}

}  // namespace tracebook
