// SPDX-License-Identifier: Apache-2.0
#include "common/cli/opener.h"

#include <spawn.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/trace/error.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not declared everywhere

namespace tracebook {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_in_path(const std::string& program) {
  std::string folders = variable("PATH");
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    const fs::path file = fs::path(folders.substr(0, end)) / program;
    if (access(file.c_str(), X_OK) == 0) return true;
    folders.erase(0, end + 1);
  }
  return false;
}

/// The first variable that is set, as the reader's shell would run it, else the first program that
/// is there; none if neither is.
std::vector<std::string> chosen(const std::vector<const char*>& variables,
                                const std::vector<std::string>& programs, const fs::path& file) {
  for (const char* const name : variables) {
    const std::string words = variable(name);
    // It may have options, and quotes.
    if (!words.empty()) return {"sh", "-c", words + " \"$1\"", "sh", file.string()};
  }
  for (const std::string& program : programs) {
    if (is_in_path(program)) return {program, file.string()};
  }
  return {};
}

std::vector<std::string> words_of(const Offer& offer) {
  switch (offer.opens_in) {
    case OpensIn::kProgram:
      return offer.command;
    case OpensIn::kEditor: {
      std::vector<std::string> words =
          chosen({"VISUAL", "EDITOR"}, {"nano", "vim", "vi"}, offer.file);
      if (words.empty()) {
        throw InputError("no editor to open " + offer.shown() + " with; set EDITOR to yours");
      }
      return words;
    }
  }
  return {};
}

/// While another program has the terminal, Ctrl-C and Ctrl-\ are meant for it; and one that is left
/// before it has read all does not end us.
class KeysForTheChild {
 public:
  KeysForTheChild() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigemptyset(&ignore.sa_mask);
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &ignore, &before_[i]);
  }
  ~KeysForTheChild() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  KeysForTheChild(const KeysForTheChild&) = delete;
  KeysForTheChild& operator=(const KeysForTheChild&) = delete;

 private:
  static constexpr std::array kSignals{SIGINT, SIGQUIT, SIGPIPE};
  std::array<struct sigaction, kSignals.size()> before_{};
};

/// Runs it on our terminal, with `input` as its standard input if that is not -1.
/// InputError if it cannot be started.
pid_t started(std::vector<std::string> words, int input) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::cout.flush();
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGINT);
  sigaddset(&usual, SIGQUIT);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (input >= 0) posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    throw InputError(words.front() + ": cannot be started (" + std::strerror(failure) + ")");
  }
  return child;
}

void wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

/// $PAGER as the reader's shell would run it, else less or more; none if there is none.
std::vector<std::string> pager_words() {
  const std::string words = variable("PAGER");
  if (!words.empty()) return {"sh", "-c", words};
  for (const char* const program : {"less", "more"}) {
    if (is_in_path(program)) return {program};
  }
  return {};
}

}  // namespace

bool pager_shows_bold() {
  const std::string pager = variable("PAGER");
  if (!pager.empty() && pager.find("less") == std::string::npos) return false;
  const std::string options = variable("LESS");
  return options.empty() || options.find_first_of("rR") != std::string::npos;
}

void show_in_pager(const std::string& text) {
  const std::vector<std::string> words = pager_words();
  if (words.empty()) {
    std::cout << text;
    return;
  }
  // As git does: less shows bold where it is told to.
  setenv("LESS", "R", /*overwrite=*/0);
  int ends[2];
  if (pipe(ends) != 0) throw InputError(std::string("cannot make a pipe: ") + std::strerror(errno));
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  const KeysForTheChild keys;
  const pid_t child = [&] {
    try {
      return started(words, ends[0]);
    } catch (const InputError&) {
      close(ends[0]);
      close(ends[1]);
      throw;
    }
  }();
  close(ends[0]);
  // Whoever leaves the pager early has read enough.
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = write(ends[1], rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  close(ends[1]);
  wait_for(child);
}

void open_offer(const Offer& offer) {
  const std::vector<std::string> words = words_of(offer);
  const KeysForTheChild keys;
  wait_for(started(words, -1));
}

}  // namespace tracebook
