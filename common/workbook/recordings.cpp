// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/recordings.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <system_error>

#include "common/trace/args.h"
#include "common/trace/error.h"
#include "common/trace/reader.h"
#include "common/workbook/json_file.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

constexpr int kManifestSchema = 1;

/// The text members of a recording in manifest.json, in the order in which they are written.
struct Member {
  const char* key;
  std::string Recording::*field;
  bool required;
};
constexpr Member kMembers[] = {
    {"name", &Recording::name, true},
    {"file", &Recording::file, true},
    {"source", &Recording::source, true},
    {"command", &Recording::command, true},
    {"gpu", &Recording::gpu, true},
    {"driver", &Recording::driver, false},
    {"cuda", &Recording::cuda, true},
    {"cublas", &Recording::cublas, false},
    {"pytorch", &Recording::pytorch, false},
    {"commit", &Recording::commit, false},
    {"recorded_at", &Recording::recorded_at, true},
    {"sha256", &Recording::sha256, true},
};

/// A member of the trace's top-level object as plain text, without quotes.
std::string head_text(const Trace& trace, std::string_view key) {
  std::string text(trace.head.member(key));
  if (text.size() >= 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
  return text;
}

/// 13000 → "13.0".
std::string cuda_version(const std::string& number) {
  if (number.empty()) return "";
  const int version = std::stoi(number);
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Recording describe(const fs::path& folder, const std::string& file, const std::string& sum) {
  const Trace trace =
      read_trace_file(folder / file, {.keep_args = false, .keep_flows = false}).trace;
  Recording recording;
  recording.name = trace_stem(file);
  recording.file = file;
  recording.sha256 = sum;
  const Provenance& made = trace.head.provenance;
  if (!made.empty()) {
    recording.source = "tracebook";
    recording.command = made.command;
    recording.gpu = made.gpu;
    recording.driver = made.driver;
    recording.cuda = made.cuda;
    recording.cublas = made.cublas;
    recording.commit = made.commit;
    recording.recorded_at = made.recorded_at;
    return recording;
  }
  // PyTorch's: what its trace says, and what record_torch.py wrote beside it.
  recording.source = "torch.profiler";
  const fs::path origin = folder / fs::path(file).parent_path() / (recording.name + ".origin.json");
  const Json document = parse_json_file(origin, kManifestSchema);
  if (trace.head.devices.empty()) {  // recorded without CUDA activity
    recording.gpu = text_member(document, "gpu", origin.string());
    recording.cuda = text_member(document, "cuda", origin.string());
  } else {
    recording.gpu = trace.head.devices.front().name;
    recording.cuda = cuda_version(head_text(trace, "cuda_runtime_version"));
  }
  recording.command = text_member(document, "command", origin.string());
  recording.pytorch = text_member(document, "pytorch", origin.string());
  recording.driver = optional_text(document, "driver", origin.string());
  recording.recorded_at = text_member(document, "recorded_at", origin.string());
  return recording;
}

}  // namespace

std::string trace_stem(const fs::path& file) {
  std::string name = file.filename().string();
  for (const std::string_view ending : {".gz", ".json"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      name.resize(name.size() - ending.size());
    }
  }
  return name;
}

std::string Recording::label() const { return fs::path(file).parent_path().string() + "/" + name; }

const Recording* Manifest::find(std::string_view name) const {
  const auto found = std::find_if(recordings.begin(), recordings.end(), [name](const Recording& r) {
    return r.name == name && r.source == "tracebook";
  });
  return found == recordings.end() ? nullptr : &*found;
}

Manifest read_manifest(const fs::path& chapter_folder) {
  Manifest manifest;
  manifest.folder = chapter_folder;
  const fs::path path = chapter_folder / "manifest.json";
  std::error_code error;
  if (!fs::exists(path, error)) return manifest;
  const Json document = parse_json_file(path, kManifestSchema);
  const auto list = document.find("recordings");
  if (list == document.end() || !list->is_array()) {
    throw InputError(path.string() + ": expected an array \"recordings\"");
  }
  for (const Json& entry : *list) {
    const std::string where =
        path.string() + ": recording " + std::to_string(manifest.recordings.size() + 1);
    Recording recording;
    for (const Member& member : kMembers) {
      recording.*member.field = member.required ? text_member(entry, member.key, where)
                                                : optional_text(entry, member.key, where);
    }
    recording.path = chapter_folder / recording.file;
    manifest.recordings.push_back(std::move(recording));
  }
  return manifest;
}

std::string describe_origin(const Recording& recording) {
  std::string text = recording.gpu;
  if (!recording.driver.empty()) text += ", driver " + recording.driver;
  text += ", CUDA " + recording.cuda;
  if (!recording.pytorch.empty()) text += ", PyTorch " + recording.pytorch;
  text += ", " + recording.recorded_at.substr(0, 10);
  return text;
}

std::string make_manifest(const fs::path& chapter_folder, std::string_view sums) {
  Json document;
  document["schema"] = kManifestSchema;
  // exercises/NN_name/variants/ has the chapter's name above it.
  const bool variants = chapter_folder.filename() == "variants";
  document["chapter"] =
      (variants ? chapter_folder.parent_path() : chapter_folder).filename().string();
  document["recordings"] = Json::array();
  std::istringstream lines{std::string(sums)};
  std::string sum;
  std::string file;
  while (lines >> sum >> file) {
    if (!file.empty() && file.front() == '*') file.erase(0, 1);  // sha256sum's binary mark
    if (sum.size() != 64) throw InputError("expected lines of `sha256sum`, got \"" + sum + "\"");
    const Recording recording = describe(chapter_folder, file, sum);
    Json entry;
    for (const Member& member : kMembers) {
      if (member.required || !(recording.*member.field).empty()) {
        entry[member.key] = recording.*member.field;
      }
    }
    document["recordings"].push_back(std::move(entry));
  }
  return document.dump(2) + "\n";
}

}  // namespace tracebook
