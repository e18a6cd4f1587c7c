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
    case OpensIn::kPager: {
      std::vector<std::string> words = chosen({"PAGER"}, {"less", "more", "cat"}, offer.file);
      if (words.empty()) {
        throw InputError("no program to show " + offer.shown() + " with; set PAGER to yours");
      }
      return words;
    }
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

/// While another program has the terminal, Ctrl-C and Ctrl-\ are meant for it.
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
  static constexpr std::array kSignals{SIGINT, SIGQUIT};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace

void open_offer(const Offer& offer) {
  std::vector<std::string> words = words_of(offer);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::cout.flush();
  const KeysForTheChild keys;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGINT);
  sigaddset(&usual, SIGQUIT);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, argv[0], nullptr, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    throw InputError(words.front() + ": cannot be started (" + std::strerror(failure) + ")");
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace tracebook
