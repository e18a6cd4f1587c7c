// SPDX-License-Identifier: Apache-2.0
//
// Recordings by student: of several real recordings of one run each student of a class reads one,
// so that numbers cannot be copied. A class is a seed; who has which recording follows from the
// seed, the student's name and the recording's label, here and in the teacher's copy alike.
//
//   const std::vector<fs::path> files = variant_files("03_schedule_tweak", "64_bf16_warm_eager",
//   ""); files[chosen_variant(class_seed(), "ada@uni.example", label, files.size())];
//
// Plain functions; docs/exercises.md describes the files and the choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tracebook {

/// exercises/class.json of the workbook.
std::filesystem::path class_file();

/// The class's seed; "" if there is no class.json: everyone reads the chapter's own recordings.
/// InputError if the file cannot be read or has no seed.
std::string class_seed();

/// InputError unless it is 1 to 64 of the characters A-Z a-z 0-9 . _ -; `where` names it.
void expect_seed(std::string_view seed, const std::string& where);

/// The student as the choice knows them: lower case (of ASCII), no blanks at all.
std::string student_key(std::string_view name);

/// "64_bf16_warm_eager" of ours is "h200/64_bf16_warm_eager"; a label stays as it is.
std::string recording_label(const std::string& recording);

/// The files that may stand for that recording: the chapter's own, then those of
/// exercises/NN_name/variants/, by folder. InputError naming `where` if there is no such recording.
std::vector<std::filesystem::path> variant_files(const std::string& chapter,
                                                 const std::string& recording,
                                                 const std::string& where);

/// Which of `count` files it is: from 0. The hash below, of "SEED\nSTUDENT\nLABEL" with the student
/// as student_key() gives them and the label as "03_schedule_tweak/h200/NAME", modulo `count`.
std::size_t chosen_variant(std::string_view seed, std::string_view student, std::string_view label,
                           std::size_t count);

/// 64-bit FNV-1a, its bits then mixed by the last steps of MurmurHash3: the same on every machine
/// and in every version.
std::uint64_t stable_hash(std::string_view bytes);

}  // namespace tracebook
