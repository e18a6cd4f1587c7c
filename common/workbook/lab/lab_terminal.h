// SPDX-License-Identifier: Apache-2.0
//
// The terminal while a screen of ours is on it, and signals as something to wait for.
//
//   SignalPipe signals;             // descriptor() is readable when one has come
//   LabTerminal terminal;
//   terminal.enter();               // another screen, no cursor, keys at once
//   terminal.show(lines);
//   terminal.leave();               // everything as it was; the destructor does it too
//
// One of each at a time, on one thread.
#pragma once

#include <array>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include <termios.h>

namespace tracebook {

struct TerminalSize {
  int columns = 80;
  int rows = 24;
};

/// Of standard output; 80 by 24 where it does not say.
TerminalSize terminal_size();

class LabTerminal {
 public:
  LabTerminal() = default;
  ~LabTerminal() { leave(); }
  LabTerminal(const LabTerminal&) = delete;
  LabTerminal& operator=(const LabTerminal&) = delete;

  /// InputError if standard input is no terminal.
  void enter();
  void leave() noexcept;
  /// The signal that this byte stands for on the reader's keyboard (SIGINT, SIGQUIT, SIGTSTP), if
  /// it stands for one. While the screen is up such keys come as bytes, so that the terminal is as
  /// it was before anyone is signalled: a parent that stops first would take it from us.
  [[nodiscard]] std::optional<int> signal_of(char byte) const;
  /// Replaces what is shown: one line a row, from the top. False if the terminal is gone.
  bool show(const std::vector<std::string>& lines);

 private:
  bool entered_ = false;
  termios before_{};
  termios ours_{};
};

/// Catches what ends, stops, continues or resizes a program.
class SignalPipe {
 public:
  SignalPipe();
  ~SignalPipe();
  SignalPipe(const SignalPipe&) = delete;
  SignalPipe& operator=(const SignalPipe&) = delete;

  [[nodiscard]] int descriptor() const { return read_end_; }
  /// Those that came since the last call.
  std::vector<int> take();
  /// Lets the signal do what it does by itself, and goes on if that lets us.
  void let_through(int signal);
  /// The same for our whole process group, as the terminal does it for a key.
  void let_through_to_group(int signal);

 private:
  static constexpr std::array kCaught{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};

  int read_end_ = -1;
  int write_end_ = -1;
  std::array<struct sigaction, kCaught.size()> before_{};
};

}  // namespace tracebook
