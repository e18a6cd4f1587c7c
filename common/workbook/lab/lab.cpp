// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/lab.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <thread>

#include <poll.h>
#include <unistd.h>

#include "common/trace/error.h"
#include "common/workbook/catalogue.h"
#include "common/workbook/lab/answers.h"
#include "common/workbook/lab/hints.h"
#include "common/workbook/lab/lab_body.h"
#include "common/workbook/lab/questions.h"

namespace tracebook {
namespace {

namespace fs = std::filesystem;

/// An editor saves in several steps; this long after the first they are over.
constexpr std::chrono::milliseconds kSettle{40};

/// What a key sends after its Escape is there by then, from far away too.
constexpr std::chrono::milliseconds kWholeSequence{100};

std::vector<ChapterProgress> unread_chapters(const fs::path& folder) {
  std::vector<ChapterProgress> out;
  for (const ChapterInfo& info : all_chapters()) {
    ChapterProgress& chapter = out.emplace_back();
    chapter.chapter = info.stem;
    chapter.number = info.number();
    chapter.title = info.title;
    chapter.answers = folder / (info.stem + ".json");
    chapter.files.push_back(chapter.answers);
    try {
      for (const WorkItem& item : chapter_work(info.stem)) chapter.files.push_back(item.file);
    } catch (const Error&) {
      // Reading the chapter tells it.
    }
  }
  return out;
}

Question question_of(const WorkItem& item) {
  Question question;
  question.id = item.name;
  question.prompt = item.title;
  question.hints = item.hints;
  return question;
}

}  // namespace

std::string take_next_hint(const ChapterProgress& chapter, std::optional<std::size_t> item) {
  Question wanted;
  const QuestionSheet sheet = chapter_questions(chapter.chapter);
  for (std::size_t i = 0; i < item_count(chapter) && wanted.id.empty(); ++i) {
    if (item && i != *item) continue;
    if (const QuestionProgress* const one = question_at(chapter, i)) {
      const Question* const question = sheet.find(one->judged.id);
      if (!is_done(one->judged.outcome) && question != nullptr) wanted = *question;
    } else if (const WorkProgress& work = *work_at(chapter, i);
               work.judged.outcome != WorkOutcome::kPassed) {
      if (item || is_open_work(work.judged.outcome)) wanted = question_of(work.item);
    }
  }
  if (item && wanted.id.empty()) return "This is done already; no hint is counted.";
  if (wanted.id.empty()) return "Nothing is open in this chapter.";
  start_answers(sheet, chapter.answers);
  const int used = read_answers(chapter.answers, sheet).hints_used(wanted.id);
  const GivenHint hint = next_hint(wanted, used);
  if (hint.used != used) save_hints(chapter.answers, wanted.id, hint.used);
  return wanted.id + ": " + wanted.prompt + "\n" + hint.text;
}

Lab::Lab(LabWish wish)
    : wish_(std::move(wish)),
      chapters_(unread_chapters(wish_.answers_folder)),
      read_(chapters_.size(), false),
      watcher_(wish_.watch_by),
      worker_(wish_.answers_folder) {
  for (std::size_t i = 0; i < chapters_.size(); ++i) {
    if (chapters_[i].chapter != wish_.chapter) continue;
    at_ = i;
    chosen_ = true;
    worker_.ask(i);
  }
  // Watched before they are read, so that no change falls between.
  for (const ChapterProgress& chapter : chapters_) watcher_.watch(chapter.files);
  for (std::size_t i = 0; i < chapters_.size(); ++i) worker_.ask(i);
}

ScreenSize Lab::screen_size() const {
  const TerminalSize size = terminal_size();
  return {size.columns, size.rows, wish_.ascii, wish_.color};
}

LabView Lab::view() const {
  LabView out;
  out.chapters = &chapters_;
  out.at = at_;
  out.reading = !chosen_ || !read_[at_];
  out.checking = worker_.judging();
  out.message = message_;
  out.first = first_;
  out.selected = selected_;
  out.opened = opened_;
  return out;
}

void Lab::look_at(std::size_t chapter) {
  at_ = chapter;
  chosen_ = true;
  message_.clear();
  first_.reset();
  selected_.reset();
  opened_ = false;
}

void Lab::look_at_next_open() {
  for (std::size_t step = 1; step <= chapters_.size(); ++step) {
    const std::size_t chapter = (at_ + step) % chapters_.size();
    if (!read_[chapter]) {
      message_ = "The workbook is still being read. Press n again in a moment.";
      return;
    }
    if (!chapters_[chapter].is_open()) continue;
    const bool same = chapter == at_;
    look_at(chapter);
    if (same) message_ = "No other chapter has anything open.";
    return;
  }
  message_ = "All chapters are done.";
}

void Lab::scroll(int lines) { first_ = lab_scrolled(view(), screen_size(), lines); }

void Lab::select(int step) {
  const auto last = static_cast<int>(item_count(chapters_[at_])) - 1;
  if (!read_[at_] || last < 0) return;
  const int now = static_cast<int>(lab_selected(view()));
  selected_ = static_cast<std::size_t>(std::clamp(now + step, 0, last));
  first_.reset();
  message_.clear();
}

void Lab::open_or_close() {
  if (!read_[at_] || item_count(chapters_[at_]) == 0) return;
  selected_ = lab_selected(view());
  opened_ = !opened_;
  first_.reset();
  message_.clear();
}

void Lab::take_hint() {
  first_.reset();
  if (!read_[at_]) return;
  try {
    // In the list, what is chosen by nobody is what is open first.
    message_ = take_next_hint(chapters_[at_],
                              selected_ ? std::optional(lab_selected(view())) : std::nullopt);
  } catch (const Error& fault) {
    message_ = fault.what();
  }
}

void Lab::press(LabKey key) {
  changed_view_ = true;
  const std::size_t last = chapters_.size() - 1;
  switch (key) {
    case LabKey::kNextChapter:
      look_at(at_ == last ? 0 : at_ + 1);
      break;
    case LabKey::kPreviousChapter:
      look_at(at_ == 0 ? last : at_ - 1);
      break;
    case LabKey::kNextOpen:
      look_at_next_open();
      break;
    case LabKey::kDown:
      opened_ ? scroll(1) : select(1);
      break;
    case LabKey::kUp:
      opened_ ? scroll(-1) : select(-1);
      break;
    case LabKey::kPageDown:
      scroll(screen_size().rows / 2);
      break;
    case LabKey::kPageUp:
      scroll(-screen_size().rows / 2);
      break;
    case LabKey::kOpen:
      open_or_close();
      break;
    case LabKey::kBack:
      if (opened_) open_or_close();
      break;
    case LabKey::kHint:
      take_hint();
      break;
    case LabKey::kCheck:
      message_.clear();
      worker_.ask(at_);
      break;
    case LabKey::kQuit:
      going_ = false;
      break;
    case LabKey::kRedraw:
      break;
  }
}

void Lab::read_keys() {
  char bytes[256];
  const ssize_t size = read(STDIN_FILENO, bytes, sizeof bytes);
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (size <= 0) {
    going_ = false;  // the terminal is gone
    return;
  }
  for (const char byte : std::string_view(bytes, static_cast<std::size_t>(size))) {
    if (const std::optional<int> signal = terminal_.signal_of(byte)) {
      terminal_.leave();
      signals_.let_through_to_group(*signal);  // it ends us, or stops us until we are continued
      terminal_.enter();
      changed_view_ = true;
      continue;
    }
    for (const LabKey key : keys_.read({&byte, 1})) press(key);
  }
}

void Lab::handle(std::vector<int> signals) {
  changed_view_ = true;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    const int signal = signals[i];
    if (signal == SIGWINCH) continue;
    terminal_.leave();
    const std::vector<int> later = signals_.take();
    signals.insert(signals.end(), later.begin(), later.end());
    // One that was continued already must not be stopped: nobody would continue it again.
    const auto from = signals.begin() + static_cast<std::ptrdiff_t>(i);
    const bool continued = std::find(from, signals.end(), SIGCONT) != signals.end();
    if (signal != SIGCONT && !(signal == SIGTSTP && continued)) signals_.let_through(signal);
    terminal_.enter();
  }
}

void Lab::check_changed() {
  const std::vector<fs::path> files = watcher_.changed();
  for (std::size_t i = 0; i < chapters_.size(); ++i) {
    const bool touched = std::any_of(
        chapters_[i].files.begin(), chapters_[i].files.end(), [&](const fs::path& file) {
          return std::find(files.begin(), files.end(), file.lexically_normal()) != files.end();
        });
    if (!touched) continue;
    worker_.ask(i);
    changed_view_ = true;
  }
}

void Lab::take_results() {
  for (auto& [chapter, progress] : worker_.take()) {
    watcher_.watch(progress.files);
    chapters_[chapter] = std::move(progress);
    read_[chapter] = true;
  }
  changed_view_ = true;
  if (chosen_ || worker_.busy()) return;
  chosen_ = true;
  const auto open = std::find_if(chapters_.begin(), chapters_.end(),
                                 [](const ChapterProgress& one) { return one.is_open(); });
  if (open != chapters_.end()) at_ = static_cast<std::size_t>(open - chapters_.begin());
}

bool Lab::draw() {
  changed_view_ = false;
  return terminal_.show(lab_screen(view(), screen_size()));
}

void Lab::wait() {
  pollfd waiting[] = {{STDIN_FILENO, POLLIN, 0},
                      {signals_.descriptor(), POLLIN, 0},
                      {worker_.descriptor(), POLLIN, 0},
                      {watcher_.descriptor(), POLLIN, 0}};
  const auto patience = keys_.waits() ? kWholeSequence : kLookInterval;
  const int ready = poll(waiting, 4, static_cast<int>(patience.count()));
  if (ready < 0) return;  // a signal: the pipe has it
  if (keys_.waits() && waiting[0].revents == 0) {
    for (const LabKey key : keys_.finish()) press(key);
  }
  if (waiting[1].revents != 0) handle(signals_.take());
  if (waiting[0].revents != 0) read_keys();
  if (waiting[2].revents != 0) take_results();
  if (waiting[3].revents != 0) std::this_thread::sleep_for(kSettle);
  const auto now = std::chrono::steady_clock::now();
  if (waiting[3].revents == 0 && now - looked_ < kLookInterval) return;
  looked_ = now;
  check_changed();
}

int Lab::run() {
  terminal_.enter();
  while (going_) {
    if (changed_view_ && !draw()) break;
    wait();
  }
  terminal_.leave();
  // A query may take its time; nobody waits for its rows any more.
  if (worker_.judging()) std::_Exit(static_cast<int>(ExitCode::kGood));
  return static_cast<int>(ExitCode::kGood);
}

}  // namespace tracebook
