// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>

#include "common/trace/error.h"

extern char** environ;

namespace tracebook {
namespace {

using Clock = std::chrono::steady_clock;

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  FileActions(FileActions&&) = delete;
  FileActions& operator=(FileActions&&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// Both ends, closed at the latest when it goes.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw InputError(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  Pipe(Pipe&&) = delete;
  Pipe& operator=(Pipe&&) = delete;

  [[nodiscard]] int write_end() const { return ends_[1]; }

  /// Until all who could write have closed it, or until `deadline`: false then.
  bool read_all(std::string& out, std::optional<Clock::time_point> deadline) {
    close_end(1);
    std::array<char, 4096> chunk{};
    for (;;) {
      int wait_ms = -1;
      if (deadline) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - Clock::now());
        wait_ms = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000));
      }
      pollfd readable{.fd = ends_[0], .events = POLLIN, .revents = 0};
      const int ready = poll(&readable, 1, wait_ms);
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0 && deadline && Clock::now() >= *deadline) return false;
      if (ready == 0) continue;
      const ssize_t got = read(ends_[0], chunk.data(), chunk.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return true;
      out.append(chunk.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) close(ends_[end]);
    ends_[end] = -1;
  }

  std::array<int, 2> ends_{-1, -1};
};

}  // namespace

ProcessEnd run_process(std::vector<std::string> words, Output output,
                       std::chrono::milliseconds limit) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  Pipe pipe;
  FileActions actions;
  if (output == Output::kKept) {
    posix_spawn_file_actions_adddup2(actions.get(), pipe.write_end(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(actions.get(), pipe.write_end(), STDERR_FILENO);
  } else {
    posix_spawn_file_actions_addopen(actions.get(), STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = 0;
  const int failure =
      posix_spawnp(&child, words.front().c_str(), actions.get(), nullptr, argv.data(), environ);
  if (failure != 0) {
    throw InputError("cannot start " + words.front() + ": " + std::strerror(failure));
  }
  ProcessEnd end;
  if (output == Output::kKept) {
    std::optional<Clock::time_point> deadline;
    if (limit.count() > 0) deadline = Clock::now() + limit;
    end.timed_out = !pipe.read_all(end.output, deadline);
    if (end.timed_out) kill(child, SIGKILL);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw InputError("cannot wait for " + words.front());
  }
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

}  // namespace tracebook
