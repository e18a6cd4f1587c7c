// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/progress_worker.h"

#include <algorithm>
#include <csignal>
#include <exception>

#include <fcntl.h>
#include <unistd.h>

#include "common/trace/error.h"
#include "common/workbook/catalogue.h"

namespace tracebook {
namespace {

/// `read` judges; what it throws is a fault of the chapter. (Errors it tells by itself.)
ChapterProgress judged_chapter(ProgressReader& reader, const ChapterInfo& info) {
  try {
    return reader.chapter(info);
  } catch (const std::exception& fault) {
    ChapterProgress progress;
    progress.chapter = info.stem;
    progress.number = info.number();
    progress.title = info.title;
    progress.faults.emplace_back(fault.what());
    return progress;
  }
}

}  // namespace

ProgressWorker::ProgressWorker(std::filesystem::path answers_folder)
    : reader_(std::move(answers_folder)) {
  int ends[2];
  if (pipe(ends) != 0) throw InputError("lab: cannot make a pipe: too many open files");
  read_end_ = ends[0];
  write_end_ = ends[1];
  for (const int end : ends) {
    fcntl(end, F_SETFL, O_NONBLOCK);
    fcntl(end, F_SETFD, FD_CLOEXEC);
  }
  thread_ = std::thread([this] { work(); });
}

ProgressWorker::~ProgressWorker() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
  close(read_end_);
  close(write_end_);
}

void ProgressWorker::ask(std::size_t chapter) {
  {
    const std::lock_guard lock(mutex_);
    if (std::find(asked_.begin(), asked_.end(), chapter) == asked_.end()) {
      asked_.push_back(chapter);
    }
  }
  wake_.notify_one();
}

bool ProgressWorker::judging() const {
  const std::lock_guard lock(mutex_);
  return judging_ || !asked_.empty();
}

bool ProgressWorker::busy() const {
  const std::lock_guard lock(mutex_);
  return judging_ || !asked_.empty() || !ready_.empty();
}

std::vector<std::pair<std::size_t, ChapterProgress>> ProgressWorker::take() {
  char bytes[64];
  while (read(read_end_, bytes, sizeof bytes) > 0) {
  }
  const std::lock_guard lock(mutex_);
  return std::exchange(ready_, {});
}

void ProgressWorker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || !asked_.empty(); });
    if (stop_) return;
    const std::size_t chapter = asked_.front();
    asked_.pop_front();
    judging_ = true;
    lock.unlock();
    ChapterProgress progress = judged_chapter(reader_, all_chapters()[chapter]);
    lock.lock();
    judging_ = false;
    ready_.emplace_back(chapter, std::move(progress));
    // A full pipe is readable already.
    [[maybe_unused]] const ssize_t written = write(write_end_, "", 1);
  }
}

}  // namespace tracebook
