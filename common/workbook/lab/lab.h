// SPDX-License-Identifier: Apache-2.0
//
// The lab: one screen that shows where a student stands in a chapter and checks again whenever a
// file is saved.
//
//   Lab lab({.answers_folder = workbook_root() / "answers", .chapter = "03_schedule_tweak"});
//   return lab.run();       // until q
//
// Needs a terminal; one at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/workbook/lab/file_watcher.h"
#include "common/workbook/lab/keys.h"
#include "common/workbook/lab/lab_screen.h"
#include "common/workbook/lab/lab_terminal.h"
#include "common/workbook/lab/progress.h"
#include "common/workbook/lab/progress_worker.h"

namespace tracebook {

struct LabWish {
  std::filesystem::path answers_folder;
  std::string chapter;  ///< "03_schedule_tweak"; "": the first with anything open
  WatchBy watch_by = WatchBy::kEvents;
  bool ascii = false;
  bool color = false;
};

/// The next hint for the item (questions first, then exercises), or for the first thing that is not
/// right yet, counted in the answers as `tracebook
/// hint` counts it (the file is made if need be). InputError if the answers cannot be read.
std::string take_next_hint(const ChapterProgress& chapter, std::optional<std::size_t> item = {});

class Lab {
 public:
  explicit Lab(LabWish wish);

  /// 0 after q. A signal that ends the program ends it, with the terminal as it was.
  int run();

 private:
  void look_at(std::size_t chapter);
  void look_at_next_open();
  void scroll(int lines);
  void press(LabKey key);
  void select(int step);
  void open_or_close();
  void take_hint();
  void read_keys();
  void handle(std::vector<int> signals);
  void check_changed();
  void take_results();
  bool draw();
  void wait();
  [[nodiscard]] ScreenSize screen_size() const;
  [[nodiscard]] LabView view() const;

  LabWish wish_;
  std::vector<ChapterProgress> chapters_;
  std::vector<bool> read_;  // by chapter: has it been judged?
  std::size_t at_ = 0;
  std::string message_;
  std::optional<std::size_t> first_;
  std::optional<std::size_t> selected_;
  bool opened_ = false;
  bool chosen_ = false;  // the chapter was asked for, or is found
  bool going_ = true;
  bool changed_view_ = true;
  std::chrono::steady_clock::time_point looked_;
  KeyReader keys_;
  FileWatcher watcher_;
  ProgressWorker worker_;
  SignalPipe signals_;
  LabTerminal terminal_;
};

}  // namespace tracebook
