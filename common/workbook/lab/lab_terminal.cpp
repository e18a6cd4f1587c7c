// SPDX-License-Identifier: Apache-2.0
#include "common/workbook/lab/lab_terminal.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/trace/error.h"

namespace tracebook {
namespace {

// Another screen, so that what stood there comes back; no cursor.
constexpr std::string_view kEnter = "\033[?1049h\033[?25l";
constexpr std::string_view kLeave = "\033[?25h\033[0m\033[?1049l";

bool write_all(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && errno == EAGAIN) {
      pollfd waiting{STDOUT_FILENO, POLLOUT, 0};
      poll(&waiting, 1, 100);
    } else if (written == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

std::atomic<int> signal_pipe{-1};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void tracebook_note_signal(int signal) {
  const int error = errno;
  const auto number = static_cast<unsigned char>(signal);
  // A full pipe has enough to say.
  [[maybe_unused]] const ssize_t written = write(signal_pipe.load(), &number, 1);
  errno = error;
}

void catch_signal(int signal, struct sigaction* before) {
  struct sigaction action {};
  action.sa_handler = tracebook_note_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, before);
}

/// The default for the signal, and ours again when it is over.
class ByDefault {
 public:
  explicit ByDefault(int signal) : signal_(signal) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
  ~ByDefault() { catch_signal(signal_, nullptr); }
  ByDefault(const ByDefault&) = delete;
  ByDefault& operator=(const ByDefault&) = delete;

 private:
  int signal_;
};

/// While it lives, a terminal that is another group's lets us set its modes and does not stop us.
class InBackgroundToo {
 public:
  InBackgroundToo() {
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~InBackgroundToo() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  InBackgroundToo(const InBackgroundToo&) = delete;
  InBackgroundToo& operator=(const InBackgroundToo&) = delete;

 private:
  sigset_t before_{};
};

bool same_modes(const termios& one, const termios& other) {
  return one.c_iflag == other.c_iflag && one.c_oflag == other.c_oflag &&
         one.c_cflag == other.c_cflag && one.c_lflag == other.c_lflag &&
         std::equal(std::begin(one.c_cc), std::end(one.c_cc), std::begin(other.c_cc));
}

/// What has been typed stays: a Ctrl-C among it is a byte to us, which must not be lost.
void set_modes(const termios& modes) {
  while (tcsetattr(STDIN_FILENO, TCSADRAIN, &modes) != 0 && errno == EINTR) {
  }
}

}  // namespace

TerminalSize terminal_size() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    return {size.ws_col, size.ws_row};
  }
  return {};
}

void LabTerminal::enter() {
  if (entered_) return;
  if (tcgetattr(STDIN_FILENO, &before_) != 0) {
    throw InputError("lab: standard input is no terminal");
  }
  ours_ = before_;
  // Keys at once and unseen, Ctrl-C and Ctrl-Z too: see signal_of.
  ours_.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
  ours_.c_cc[VMIN] = 1;
  ours_.c_cc[VTIME] = 0;
  set_modes(ours_);
  // What the terminal made of it, to know it again.
  tcgetattr(STDIN_FILENO, &ours_);
  entered_ = true;
  write_all(kEnter);
}

void LabTerminal::leave() noexcept {
  if (!entered_) return;
  entered_ = false;
  const InBackgroundToo guard;
  write_all(kLeave);
  termios now{};
  // A shell that has the terminal already has set it as it likes.
  if (tcgetattr(STDIN_FILENO, &now) == 0 && same_modes(now, ours_)) set_modes(before_);
}

std::optional<int> LabTerminal::signal_of(char byte) const {
  if (!entered_ || (before_.c_lflag & ISIG) == 0) return std::nullopt;
  constexpr std::array<std::pair<std::size_t, int>, 3> kKeys{
      {{VINTR, SIGINT}, {VQUIT, SIGQUIT}, {VSUSP, SIGTSTP}}};
  const auto code = static_cast<cc_t>(byte);
  for (const auto& [key, signal] : kKeys) {
    if (code == before_.c_cc[key] && code != _POSIX_VDISABLE) return signal;
  }
  return std::nullopt;
}

bool LabTerminal::show(const std::vector<std::string>& lines) {
  std::string out;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    // Cleared first: behind a full line, clearing would take its last character.
    out += "\033[" + std::to_string(row + 1) + ";1H\033[2K" + lines[row];
  }
  // What a taller screen has left below.
  if (static_cast<int>(lines.size()) < terminal_size().rows) {
    out += "\033[" + std::to_string(lines.size() + 1) + ";1H\033[J";
  }
  return write_all(out);
}

SignalPipe::SignalPipe() {
  int ends[2];
  if (pipe(ends) != 0) throw InputError(std::string("cannot make a pipe: ") + std::strerror(errno));
  read_end_ = ends[0];
  write_end_ = ends[1];
  for (const int end : ends) {
    fcntl(end, F_SETFL, O_NONBLOCK);
    fcntl(end, F_SETFD, FD_CLOEXEC);
  }
  signal_pipe = write_end_;
  for (std::size_t i = 0; i < kCaught.size(); ++i) catch_signal(kCaught[i], &before_[i]);
}

SignalPipe::~SignalPipe() {
  for (std::size_t i = 0; i < kCaught.size(); ++i) sigaction(kCaught[i], &before_[i], nullptr);
  signal_pipe = -1;
  close(read_end_);
  close(write_end_);
}

std::vector<int> SignalPipe::take() {
  std::vector<int> out;
  unsigned char number = 0;
  while (read(read_end_, &number, 1) == 1) out.push_back(number);
  return out;
}

void SignalPipe::let_through(int signal) {
  const ByDefault act(signal);
  raise(signal);
}

void SignalPipe::let_through_to_group(int signal) {
  // All at once: whoever continues the group then continues us too.
  const ByDefault act(signal);
  kill(0, signal);
}

}  // namespace tracebook
