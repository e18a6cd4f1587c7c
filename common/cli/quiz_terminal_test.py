#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""quiz_terminal_test.py BIN: `tracebook quiz 03` as a person meets it, at a terminal.

Prompts, a wrong answer asked again, a hint, Enter, q, Ctrl-D, a narrow terminal; and that the same
answers through a pipe, on a pseudo-terminal and in tmux (where it is installed) give the same file.
Run in the checkout.
"""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing of a test stays in the checkout
from terminal import LIMIT_S, Terminal, seen_lines

# Two guesses, a hint, an answer, one skipped, one more, and away.
LINES = ["100", "2", "?", "45.1", "", "3.41", "q"]
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)
        print(f"FAIL: {what}")


class Quiz:
    """Answers files in a folder of their own, on this checkout's questions."""

    def __init__(self, binaries, folder):
        self.tool = str(binaries / "tracebook")
        self.folder = folder
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("TRACEBOOK_")}
        self.env.pop("COLUMNS", None)
        self.env.update({"TRACEBOOK_ROOT": os.getcwd(), "TERM": "xterm", "LC_ALL": "C.UTF-8"})

    def command(self, name):
        return f"{shlex.quote(self.tool)} quiz 03 --answers {name}"

    def saved(self, name):
        return json.loads((self.folder / name).read_text())

    def at_terminal(self, name, lines, columns=80):
        """Types one line at each prompt; what is on the terminal then."""
        terminal = Terminal(self.command(name), self.folder, self.env, columns)
        lines = list(lines)
        while terminal.waits_for_input("> "):
            if not lines:
                terminal.kill()
                expect(False, f"{name}: asks for more than {columns} columns' script types")
                break
            terminal.type(lines.pop(0))
        expect(not lines, f"{name}: ends before {lines} are typed")
        expect(not terminal.timed_out, f"{name}: does not end")
        return terminal


def typed(lines):
    return [line + "\n" for line in lines]


def test_conversation(quiz):
    wrong = ["soon", "100", "", "2198.6", "2 KiB", "45,1", "?", "?", "45.1", "9", "2", "", "q"]
    terminal = quiz.at_terminal("talk.json", typed(wrong))
    text = terminal.text
    for words in ["Predict: How long would", '"soon" is no number',
                  "Predict: PyTorch, warm: where is", "That is the call with the request in it.",
                  "Try again; ? is a hint, Enter goes on.", '"KiB" is not the unit asked for',
                  "write 45.1, with a point", "Hint 1 of 3:", "Hint 2 of 3:", "Right: it is 45.",
                  "none of the choices", "Right: it is between the first step and the second",
                  "2 of 7 questions right"]:
        expect(words in " ".join(text.split()), f"at a terminal it does not say: {words}")
    expect(terminal.code == 77, f"with questions open it exits with {terminal.code}, not 77")
    saved = quiz.saved("talk.json")
    expect(saved["answers"]["call_alone"] == "45.1", "the last answer is not the one saved")
    expect(saved["answers"]["overhead_share"] == "", "Enter does not skip")
    expect(saved["predictions"]["call_alone"] == "100", "the guess is not saved")
    expect(saved["predictions"]["widest_gap"] == "", "Enter does not skip a guess")
    expect(saved["hints"]["call_alone"] == 2, "the hints are not counted")

    # The next time it goes on with what is open.
    again = quiz.at_terminal("talk.json", ["q\n"])
    expect("call_alone: How long" not in again.text, "what is right is asked again")


def test_end_of_input(quiz):
    terminal = quiz.at_terminal("eof.json", ["100\n", "2\n", "45.1\n", "\x04"])
    expect(terminal.code == 77, f"after Ctrl-D it exits with {terminal.code}, not 77")
    expect("1 of 7 questions right" in terminal.text, "Ctrl-D does not end with the closing line")
    expect(quiz.saved("eof.json")["answers"]["call_alone"] == "45.1", "Ctrl-D loses an answer")


def test_narrow(quiz):
    terminal = quiz.at_terminal("narrow.json", typed(["100", "3", "?", "45.1", "1", "2", "q"]), 40)
    for line in terminal.text.split("\n"):
        # What cannot be broken is a path, or a command that is to be copied.
        words = line.strip()
        if len(line) > 40 and " " in words and not words.startswith((quiz.tool, "on ")):
            expect(False, f"wider than a terminal of 40 columns: {line}")
    expect("2 of 7 questions right" in " ".join(terminal.text.split()), "the narrow one goes wrong")


def test_checks_in_60_columns(quiz):
    """Lists, and the line on stderr at their end, of what is judged without a question asked."""
    (quiz.folder / "covered_offset.sql").write_text("SELEC 1\n")
    long = {"schema": 1, "chapter": "03_schedule_tweak", "answers": {"lane": "long " * 2000}}
    (quiz.folder / "long.json").write_text(json.dumps(long))
    tool = shlex.quote(quiz.tool)
    for command, code, words in [
            (f"{quiz.command('new.json')} --start; {quiz.command('new.json')} --check", 77,
             "tracebook: 0 of 7 questions right, 7 unanswered; go on with"),
            (f"{quiz.command('long.json')} --check", 1, "long long…"),
            (f"{tool} exercise covered_offset.sql", 1, "the query does not run"),
            (f"{tool} exercise nothing.sql", 2, "tracebook: exercise: nothing.sql is no exercise")]:
        terminal = Terminal(command, quiz.folder, quiz.env, columns=60)
        terminal.finish()
        text = " ".join(terminal.text.split())
        expect(terminal.code == code and words in text, f"{command}: {terminal.code}, {text}")
        for line in seen_lines(terminal.text):
            if len(line) > 60 and quiz.tool not in line:
                expect(False, f"{command}: wider than a terminal of 60 columns: {line}")


def test_same_everywhere(quiz):
    quiz.at_terminal("terminal.json", typed(LINES))
    piped = subprocess.run(quiz.command("pipe.json"), shell=True, cwd=quiz.folder, env=quiz.env,
                           input="\n".join(LINES) + "\n", capture_output=True, text=True,
                           check=False)
    expect(piped.returncode == 77, f"through a pipe it exits with {piped.returncode}, not 77")
    want = (quiz.folder / "terminal.json").read_bytes()
    expect((quiz.folder / "pipe.json").read_bytes() == want, "a pipe gives other answers")
    expect(quiz.saved("pipe.json")["answers"]["overhead_share"] == "3.41", "an answer is missing")
    if shutil.which("tmux") is None:
        print("tmux is not installed: not tried in it")
        return
    in_tmux(quiz, "tmux.json", LINES)
    expect((quiz.folder / "tmux.json").read_bytes() == want, "tmux gives other answers")


def in_tmux(quiz, name, lines):
    """A server of its own, so that no other session is touched."""
    tmux = ["tmux", "-f", "/dev/null", "-S", str(quiz.folder / "socket")]

    def run(*arguments):
        return subprocess.run(tmux + list(arguments), cwd=quiz.folder, env=quiz.env,
                              capture_output=True, text=True, check=False)

    def screen():
        return run("capture-pane", "-p", "-S", "-", "-t", "0").stdout.rstrip()

    def wait_for(ends, what):
        until = time.monotonic() + LIMIT_S
        while not ends(screen()):
            if time.monotonic() > until:
                expect(False, f"in tmux: {what}\n{screen()}")
                return False
            time.sleep(0.05)
        return True

    started = run("new-session", "-d", "-x", "60", "-y", "50",
                  quiz.command(name) + "; echo; echo exit $?; cat")
    expect(started.returncode == 0, f"tmux does not start: {started.stderr}")
    prompts = 0
    for line in lines:
        prompts += 1

        def prompted(text, number=prompts):
            shown = [s for s in text.split("\n") if s == ">" or s.startswith("> ")]
            return len(shown) == number and text.split("\n")[-1] == ">"

        if not wait_for(prompted, f"no prompt for {line!r}"):
            break
        if line:
            run("send-keys", "-t", "0", "-l", line)
        run("send-keys", "-t", "0", "Enter")
    wait_for(lambda text: "questions right" in " ".join(text.split()) and "exit" in text,
             "the quiz does not end")
    run("kill-server")


def main():
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1], "tracebook").exists():
        print("usage: quiz_terminal_test.py BIN, the folder of the programs", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        quiz = Quiz(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder))
        for test in (test_conversation, test_end_of_input, test_narrow, test_checks_in_60_columns,
                     test_same_everywhere):
            test(quiz)
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
