// SPDX-License-Identifier: Apache-2.0
//
// Where things lie in what a student handed in, and what is said of a folder in which they do not.
//
//   fs::path answers = answers_in("class/ada", "03_schedule_tweak");   // answers/NN_name.json
//   if (nothing_counts) fault = nothing_handed_in("class", {});        // "did you mean class/*?"
//
// Nothing is read through a link that leads out of the folder. Plain functions; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/workbook/lab/code_exercise.h"

namespace tracebook {

/// Reading larger traces would take the others' time.
inline constexpr std::uintmax_t kMostTraceBytes = std::uintmax_t{256} << 20;

/// InputError if a link lies on the way from `folder` to `relative`; `what` names what lies there.
void expect_unlinked(const std::filesystem::path& folder, const std::filesystem::path& relative,
                     const std::string& what);

/// answers/NN_name.json, else NN_name.json, be they there or not.
std::filesystem::path answers_in(const std::filesystem::path& folder, const std::string& chapter);

/// The attempt at an exercise: exercises/NN_name/FILE, NN_name/FILE or FILE; "" if there is none.
std::filesystem::path attempt_in(const std::filesystem::path& folder, const std::string& chapter,
                                 const std::string& file);

/// The trace that the answers name; "" for none. InputError unless it is a plain file below the
/// folder.
std::filesystem::path own_trace_in(const std::filesystem::path& folder, const std::string& name);

/// The trace of a code exercise, traces/exercises/NN_NAME.json or NN_NAME.json, also gzipped; ""
/// if there is none.
std::filesystem::path code_trace_in(const std::filesystem::path& folder,
                                    const CodeExercise& exercise);

/// "true_fusion.cu without its trace 08_true_fusion.json", with a trace of another name if one is
/// there.
std::string lacks_trace(const std::filesystem::path& folder, const CodeExercise& exercise);

/// Why nothing in the folder counts, and what to do: it holds other chapters' work, an archive, or
/// the folders of students. `chapters`: stems of those that count; none: all.
std::string nothing_handed_in(const std::filesystem::path& folder,
                              const std::vector<std::string>& chapters);

/// What is said of a path that is no folder: an archive is to be unpacked first.
std::string no_folder(const std::filesystem::path& path);

/// Whether it is a folder of several students' folders, in place of one of these.
bool holds_submissions(const std::filesystem::path& folder);

}  // namespace tracebook
