// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/variants.h"

#include <algorithm>

#include "common/trace/error.h"
#include "common/workbook/json_file.h"
#include "common/workbook/lab/questions.h"
#include "common/workbook/lab/words.h"
#include "common/workbook/paths.h"
#include "common/workbook/recordings.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

constexpr int kClassSchema = 1;
constexpr std::size_t kLongestSeed = 64;

bool is_seed_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

}  // namespace

fs::path class_file() { return workbook_root() / "exercises" / "class.json"; }

void expect_seed(std::string_view seed, const std::string& where) {
  const bool fits = !seed.empty() && seed.size() <= kLongestSeed &&
                    std::all_of(seed.begin(), seed.end(), is_seed_character);
  if (!fits) {
    throw InputError(where + ": expected 1 to 64 letters, digits, '.', '_' or '-', not \"" +
                     std::string(seed) + '"');
  }
}

std::string class_seed() {
  const fs::path file = class_file();
  std::error_code error;
  if (!fs::exists(file, error)) return "";
  std::string seed = text_member(parse_json_file(file, kClassSchema), "seed", file.string());
  expect_seed(seed, file.string() + ": \"seed\"");
  return seed;
}

std::string student_key(std::string_view name) {
  std::string out = folded(name);
  out.erase(std::remove(out.begin(), out.end(), ' '), out.end());
  return out;
}

std::string recording_label(const std::string& recording) {
  return recording.find('/') == std::string::npos ? "h200/" + recording : recording;
}

std::vector<fs::path> variant_files(const std::string& chapter, const std::string& recording,
                                    const std::string& where) {
  std::vector<fs::path> out{recording_file(chapter, recording, where)};
  const std::string label = recording_label(recording);
  const std::size_t slash = label.find('/');
  const std::string folder = label.substr(0, slash) + "_";  // of "h200_b", "h200_c"
  std::vector<fs::path> others;
  const Manifest manifest = read_manifest(workbook_root() / "exercises" / chapter / "variants");
  for (const Recording& there : manifest.recordings) {
    const bool same_place = there.label().compare(0, folder.size(), folder) == 0;
    if (same_place && there.name == label.substr(slash + 1)) others.push_back(there.path);
  }
  // The choice must not hang on the order in which a manifest was written.
  std::sort(others.begin(), others.end());
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

std::uint64_t stable_hash(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  // FNV's low bits see little of the first characters, and the modulus looks at the low bits.
  hash ^= hash >> 33U;
  hash *= 0xff51afd7ed558ccdU;
  hash ^= hash >> 33U;
  hash *= 0xc4ceb9fe1a85ec53U;
  hash ^= hash >> 33U;
  return hash;
}

std::size_t chosen_variant(std::string_view seed, std::string_view student, std::string_view label,
                           std::size_t count) {
  if (count < 2) return 0;
  const std::string text =
      std::string(seed) + "\n" + student_key(student) + "\n" + std::string(label);
  return static_cast<std::size_t>(stable_hash(text) % count);
}

}  // namespace tracebook
