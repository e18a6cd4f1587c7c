# SPDX-License-Identifier: Apache-2.0
"""lab_terminal_test.py BIN: the commands that lead a reader, driven as a person at a terminal would.

Each program runs in the foreground of a pseudo-terminal, below a small shell of our own (so that it
can be stopped and continued), in a workbook of its own. Run in the checkout.
"""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

BIN = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path.cwd()
TOOL = str(BIN / "tracebook")
PATIENCE = 60  # seconds, for a busy machine
failures = []
checks = 0


def check(good, words, shown=""):
    global checks
    checks += 1
    if not good:
        failures.append(words)
        print(f"FAIL: {words}\n{shown[-3000:]!r}")


class Session:
    """A program at a terminal: what it has written since `mark` is `text()`."""

    def __init__(self, *command, columns=80, rows=24, **variables):
        self.master, self.slave = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(self.slave)
        told, tell = os.pipe()
        go, self.say_go = os.pipe()
        env = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **variables}
        if "NO_COLOR" not in variables:
            env.pop("NO_COLOR", None)
        self.shell = os.fork()
        if self.shell == 0:
            os.close(self.master)
            self.be_shell(command, env, tell, go)
        os.close(tell)
        self.told = told
        self.told_bytes = b""
        self.output = b""
        self.program = int(self.told_line(PATIENCE))

    def told_line(self, seconds):
        """The next line that the shell has told, "" if none comes: several may come at once."""
        end = time.monotonic() + seconds
        while b"\n" not in self.told_bytes and time.monotonic() < end:
            self.drain(0.05)
            if select.select([self.told], [], [], 0.05)[0]:
                self.told_bytes += os.read(self.told, 4096)
        line, _, rest = self.told_bytes.partition(b"\n")
        self.told_bytes = rest
        return line.decode()

    def be_shell(self, command, env, tell, go):
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        for descriptor in range(3):
            os.dup2(self.slave, descriptor)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            os.tcsetpgrp(0, os.getpid())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            os.execve(command[0], list(command), env)
        os.write(tell, b"%d\n" % child)
        while True:
            _, status = os.waitpid(child, os.WUNTRACED)
            if os.WIFSTOPPED(status):
                os.tcsetpgrp(0, os.getpid())
                os.write(tell, b"stopped\n")
                os.read(go, 1)
                os.tcsetpgrp(0, child)
                os.killpg(child, signal.SIGCONT)
                continue
            ended = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
            os.write(tell, ended.encode() + b"\n")
            os._exit(0)

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def drain(self, seconds):
        """All that is there; where nothing is, what comes next within `seconds`."""
        while select.select([self.master], [], [], seconds)[0]:
            self.output += os.read(self.master, 65536)
            seconds = 0

    def text(self):
        return self.output.decode(errors="replace")

    def mark(self):
        self.drain(0.05)
        self.output = b""

    def wait_for(self, words, seconds=PATIENCE):
        end = time.monotonic() + seconds
        # With or without the mark of what is chosen.
        while words not in self.text() and words not in self.text().replace(" >", "  "):
            if time.monotonic() > end:
                check(False, f"the terminal does not show: {words}", self.text())
                return False
            self.drain(0.1)
        check(True, words)
        return True

    def type(self, keys):
        os.write(self.master, keys.encode())

    def state(self, seconds=PATIENCE):
        """What the shell saw of the program: "stopped", "exit 0", "signal 2"."""
        line = self.told_line(seconds)
        self.drain(0.2)  # what it wrote before
        return line or "still running"

    def is_restored(self):
        return termios.tcgetattr(self.slave) == self.before

    def ends(self, how, screen=True):
        got = self.state()
        check(got == how, f"expected {how}, got {got}", self.text())
        check(self.is_restored(), f"the terminal is not as it was after {how}")
        if screen:
            left = self.text().rfind("\033[?1049l")
            check(left > self.text().rfind("\033[?1049h"), f"the screen is left after {how}", self.text())
            check("\033[?25h" in self.text()[left - 20:], f"the cursor is back after {how}", self.text())
        if got == "still running":
            os.kill(self.shell, signal.SIGKILL)
        os.waitpid(self.shell, 0)
        for descriptor in (self.master, self.slave, self.told, self.say_go):
            os.close(descriptor)


def right_answer(chapter, question_id):
    sheet = json.loads((ROOT / "exercises" / chapter / "questions.json").read_text())
    question = next(one for one in sheet["questions"] if one["id"] == question_id)
    recording = ROOT / "expected" / chapter / "h200" / (question.get("recording", sheet["recording"]) + ".json")
    out = subprocess.run([TOOL, "query", recording, question["sql"], "--format", "csv"],
                         capture_output=True, text=True, check=True).stdout
    return out.splitlines()[1]


def save_by_rename(file, document):
    file.parent.mkdir(exist_ok=True)
    beside = file.with_suffix(".tmp")
    beside.write_text(json.dumps(document))
    beside.rename(file)


def test_lab(book):
    chapter = "03_schedule_tweak"
    answers = book / "answers" / f"{chapter}.json"
    document = {"schema": 1, "chapter": chapter, "answers": {"call_alone": "1"}}

    lab = Session(TOOL, "lab", "03")
    lab.wait_for("unanswered   call_alone")
    lab.wait_for("Watching: ")
    lab.mark()
    save_by_rename(answers, document)  # its folder is new too
    lab.wait_for("wrong        call_alone")
    lab.mark()
    document["answers"]["call_alone"] = right_answer(chapter, "call_alone") + " us"
    answers.write_text(json.dumps(document))
    lab.wait_for("right        call_alone")
    lab.wait_for("] 1 of ")
    lab.mark()
    exercise = book / "exercises" / chapter / "covered_offset.sql"
    skeleton = exercise.read_text()
    exercise.write_text("SELECT 1 AS step\n")
    lab.wait_for("failed       covered_offset")
    lab.mark()
    lab.type("h")
    lab.wait_for("Hint 1 of 3")
    check(json.loads(answers.read_text())["hints"] != {}, "a hint is counted")
    lab.mark()
    lab.resize(40, 10)
    lab.wait_for("Enter read  r check  q quit")  # the words of a narrow screen
    # The last screen that is whole: another may be on its way.
    screens = [one for one in lab.text().split("\033[1;1H") if "r check  q quit" in one] or [""]
    last = "\033[1;1H" + screens[-1]
    rows = {int(row) for row in re.findall(r"\033\[(\d+);1H", last)}
    check(rows == set(range(1, 11)), f"a screen of ten rows is drawn, not rows {sorted(rows)}", lab.text())
    lab.resize(39, 10)
    lab.wait_for("Too small, needs 40x10.  q quit")
    lab.resize(80, 24)
    lab.mark()
    lab.type("\r")  # the first that is open, in full
    lab.wait_for("  2  between the first step and the second")
    lab.wait_for("tracebook quiz 03")
    lab.mark()
    lab.type("\033")
    lab.wait_for(">widest_gap")
    lab.type("\033[B")
    lab.wait_for(">overhead_share")
    lab.mark()
    lab.type("\033[C")
    lab.wait_for("Chapter 04 of ")
    lab.type("n")
    lab.wait_for("Chapter 05 of ")
    lab.type("q")
    lab.ends("exit 0")

    exercise.write_text(skeleton)
    answers.unlink()
    lab = Session(TOOL, "lab", "--poll", NO_COLOR="1", LC_ALL="C")
    lab.wait_for("Chapter 01 of ")
    lab.wait_for("Watching: ")
    colours = re.findall(r"\033\[\d*m", lab.text())
    check(not colours, f"NO_COLOR is honoured, not {colours}", lab.text())
    check(lab.text().isascii(), "a terminal without UTF-8 gets ASCII", lab.text())
    lab.type("]]")
    lab.wait_for("Chapter 03 of ")
    lab.mark()
    save_by_rename(answers, document)
    lab.wait_for("right        call_alone")
    lab.type("\003")
    lab.ends(f"signal {int(signal.SIGINT)}")

    lab = Session(TOOL, "lab", "3")
    lab.wait_for("Watching: ")
    lab.type("\032")
    check(lab.state() == "stopped", "Ctrl-Z stops it", lab.text())
    check(lab.is_restored(), "a stopped lab leaves the terminal as it was")
    lab.wait_for("\033[?1049l")
    lab.mark()
    document["answers"]["call_alone"] = "2"
    answers.write_text(json.dumps(document))
    os.write(lab.say_go, b"g")
    lab.wait_for("\033[?1049h")
    lab.wait_for("wrong        call_alone")
    # While a query runs without end, keys are still answered.
    endless = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS step FROM n\n"
    exercise.write_text(endless)
    lab.wait_for("Checking ...")
    begin = time.monotonic()
    lab.type("q")
    lab.ends("exit 0")
    check(time.monotonic() - begin < 6, "q waits for no query")
    exercise.write_text(skeleton)

    # Below a program that stops too, as make does, and is continued with it.
    for _ in range(3):
        lab = Session("/bin/sh", "-c", f"'{TOOL}' lab 03; exit $?")
        lab.wait_for("Watching: ")
        lab.type("\032")
        check(lab.state() == "stopped", "Ctrl-Z stops it below a shell", lab.text())
        check(lab.is_restored(), "stopped below a shell it leaves the terminal as it was")
        lab.mark()
        os.write(lab.say_go, b"g")
        lab.wait_for("Watching: ")
        lab.type("q")
        lab.ends("exit 0")
    lab = Session("/bin/sh", "-c", f"'{TOOL}' lab 03; exit $?")
    lab.wait_for("Watching: ")
    os.killpg(lab.program, signal.SIGTSTP)  # by somebody else: the shell may stop first
    check(lab.state() == "stopped", "a signal stops it below a shell", lab.text())
    lab.wait_for("\033[?1049l")
    lab.mark()
    os.write(lab.say_go, b"g")
    lab.wait_for("Watching: ")
    lab.type("\003")
    lab.ends(f"signal {int(signal.SIGINT)}")

    lab = Session(TOOL, "lab")
    lab.wait_for("Watching: ")
    os.kill(lab.program, signal.SIGTERM)
    lab.ends(f"signal {int(signal.SIGTERM)}")

    dumb = Session(TOOL, "lab", "03", TERM="dumb")
    dumb.wait_for("Chapter 03: ")
    check("\033[?" not in dumb.text(), "a dumb terminal gets plain lines", dumb.text())
    dumb.ends("exit 1", screen=False)


def test_next(book):
    lead = Session(TOOL, "next", PAGER="cat")
    lead.wait_for("> 01 ")
    judged = lead.text().partition("> 01 ")[0]
    check("\rjudging " in judged.replace("\033[K", "") and judged.endswith("\r\033[K"),
          "next says what it judges, and takes it back", lead.text())
    lead.wait_for("q: leave > ")
    lead.type("\n")
    lesson = (ROOT / "chapters/01_cold_trace/README.md").read_text().splitlines()[0].lstrip("# ")
    lead.wait_for(lesson)
    lead.wait_for("Enter: run the program")
    check("<!--" not in lead.text(), "a lesson has no comments on the terminal", lead.text())
    lead.mark()
    lead.type("\n")
    lead.wait_for("Source: ")
    lead.wait_for("Enter: answer its questions")
    lead.mark()
    lead.type("7\n")
    lead.wait_for("Enter: answer its questions")
    lead.type("3\n")
    lead.wait_for("Enter skips, ? is a hint, q leaves.")
    lead.mark()
    lead.type("5\n")
    lead.type("q\n")
    lead.wait_for("Go on with chapter 01")
    lead.wait_for("q: leave > ")
    lead.type("q\n")
    lead.ends("exit 0", screen=False)

    answers = book / "answers" / "01_cold_trace.json"
    answers.write_text("{")
    lead = Session(TOOL, "next", VISUAL="echo edited")
    lead.wait_for("cannot be read")
    lead.type("\n")
    lead.wait_for(f"edited {answers}")
    lead.type("\004")
    lead.ends("exit 0", screen=False)
    lead = Session(TOOL, "next", VISUAL="", EDITOR="", PATH="/nowhere")
    lead.wait_for("q: leave > ")
    lead.type("\n")
    lead.wait_for("set EDITOR to yours")
    lead.type("q\n")
    lead.ends("exit 0", screen=False)


def test_reset(book):
    answers = book / "answers" / "01_cold_trace.json"
    answers.write_text("{")
    ask = Session(TOOL, "reset", "1")
    ask.wait_for("Go on? [y/N] ")
    ask.type("\n")
    ask.wait_for("Nothing was changed.")
    ask.ends("exit 0", screen=False)
    check(answers.read_text() == "{", "Enter changes nothing")
    ask = Session(TOOL, "reset", "1")
    ask.wait_for("answers/01_cold_trace.json")
    ask.wait_for("Go on? [y/N] ")
    ask.type("y\n")
    ask.wait_for("Kept in ")
    ask.ends("exit 0", screen=False)
    kept = list((book / "answers" / "kept").glob("01_cold_trace.*/01_cold_trace.json"))
    check(len(kept) == 1 and kept[0].read_text() == "{", f"a copy is kept: {kept}")
    check("\"answers\"" in answers.read_text(), "the answers are empty")


def main():
    with tempfile.TemporaryDirectory() as folder:
        book = pathlib.Path(folder).resolve() / "book"
        book.mkdir()
        for name in ("chapters", "expected", "docs"):
            (book / name).symlink_to(ROOT / name)
        shutil.copytree(ROOT / "exercises", book / "exercises")
        subprocess.run(["sh", ROOT / "common/cli/untouched_exercises.sh", TOOL, book], check=True)
        os.environ["TRACEBOOK_ROOT"] = str(book)
        os.chdir(book)
        test_lab(book)
        shutil.rmtree(book / "answers")
        test_next(book)
        test_reset(book)
    print(f"{checks} checks, {len(failures)} failed")
    return 1 if failures or checks < 60 else 0


sys.exit(main())
