// SPDX-License-Identifier: Apache-2.0
//
// Progress judged on a thread of its own, so that keys are answered while a query runs.
//
//   ProgressWorker worker(answers_folder);
//   worker.ask(2);                            // all_chapters()[2]
//   poll({{worker.descriptor(), POLLIN, 0}}, -1);
//   for (auto& [chapter, progress] : worker.take()) …
//
// All functions are for one thread, the one that made it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "common/workbook/lab/progress.h"

namespace tracebook {

class ProgressWorker {
 public:
  explicit ProgressWorker(std::filesystem::path answers_folder);
  /// Waits for what is being judged.
  ~ProgressWorker();
  ProgressWorker(const ProgressWorker&) = delete;
  ProgressWorker& operator=(const ProgressWorker&) = delete;

  /// Judges the chapter, by its place in the catalogue, after those asked for before. What is asked
  /// for twice and not begun is judged once.
  void ask(std::size_t chapter);
  /// Is anything asked for and not taken yet?
  [[nodiscard]] bool busy() const;
  /// Is a chapter being judged or waiting for it?
  [[nodiscard]] bool judging() const;
  /// Readable when there is something to take.
  [[nodiscard]] int descriptor() const { return read_end_; }
  std::vector<std::pair<std::size_t, ChapterProgress>> take();

 private:
  void work();

  ProgressReader reader_;
  int read_end_ = -1;
  int write_end_ = -1;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::size_t> asked_;
  std::vector<std::pair<std::size_t, ChapterProgress>> ready_;
  bool judging_ = false;
  bool stop_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace tracebook
