# SPDX-License-Identifier: Apache-2.0
"""A terminal for tests: a command on a pseudo-terminal, typed into at its prompts.

    terminal = Terminal("build/bin/tracebook quiz 01", cwd=folder, env=env, columns=80)
    while terminal.waits_for_input("> "):
        terminal.type("17.4\\n")
    print(terminal.text, terminal.code)

One user at a time. The command is killed if it is not done in LIMIT_S seconds.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

LIMIT_S = 300  # under a sanitizer on a busy machine


class Terminal:
    """Runs `command` in a shell. `text`: what came out so far. `code`: its exit code, once it is
    done."""

    def __init__(self, command, cwd, env, columns=80):
        self.code = None
        self.timed_out = False
        self.data = b""
        self.answered = 0  # bytes that were there when something was typed last
        self.until = time.monotonic() + LIMIT_S
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
            os.chdir(cwd)
            os.execvpe("sh", ["sh", "-c", command], env)

    @property
    def text(self):
        return self.data.decode("utf-8", "replace").replace("\r\n", "\n")

    def waits_for_input(self, prompt):
        """True once a new prompt stands at the start of the last line; False once the command is
        done."""
        while self.code is None:
            new = len(self.data) > self.answered
            if new and (self.data == prompt.encode() or self.text.endswith("\n" + prompt)):
                return True
            self._read()
        return False

    def type(self, text):
        self.answered = len(self.data)
        os.write(self.terminal, text.encode())

    def finish(self):
        while self.code is None:
            self._read()

    def kill(self):
        if self.code is None:
            os.kill(self.child, signal.SIGKILL)
            self.finish()

    def _read(self):
        readable, _, _ = select.select([self.terminal], [], [], 1)
        if time.monotonic() > self.until and not self.timed_out:
            self.timed_out = True
            os.kill(self.child, signal.SIGKILL)
        if not readable:
            return
        try:
            piece = os.read(self.terminal, 65536)
        except OSError:  # how Linux says that the other end is closed
            piece = b""
        self.data += piece
        if not piece:
            _, status = os.waitpid(self.child, 0)
            self.code = os.waitstatus_to_exitcode(status)
            os.close(self.terminal)


def seen_lines(text):
    """The lines that are left on the terminal, without blank ones around them."""
    lines = []
    for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).split("\n"):
        # A carriage return starts the line anew: progress, which ends with nothing.
        lines.append(line.rstrip("\r").split("\r")[-1].rstrip())
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines
