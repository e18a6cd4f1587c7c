#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""start_page.py BIN [--update]

Replays docs/start.md: every command of its ```console blocks, in order, in a copy of the checkout,
on a terminal of 80 columns, and compares what is printed with what the page shows. Run in the
checkout. With --update it writes what was printed into the page instead.

A block is made of commands ("$ …", over several lines where a quote, a backslash or a here-document
goes on) and what they print. A line "…" stands for any lines. Lines that begin with "> " are typed
at a prompt; all of them must be shown. --update keeps what is left out: it writes the lines from the
first to the last of each piece that it finds again, with other numbers in them. A command with
nothing below it but typed lines gets all that it prints.

Two things are stood in for: `git clone`, by copying the checkout's files, and CMake's configuring
and building, by a link to BIN, where the programs are built already. Everything else runs as it
stands, make included. GPUs are hidden, so that every machine replays the recordings.
Exit 0 good, 1 the page differs, 2 usage, 77 this copy has no solutions to judge attempts by.
"""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing of a test stays in the checkout
from terminal import LIMIT_S, Terminal, seen_lines

PAGE = pathlib.Path("docs/start.md")
ELISION = "…"
COLUMNS = 80

CMAKE = """#!/bin/sh
# Stands in for configuring and building: the programs are built already.
case $1 in
  --preset) mkdir -p build && : >build/CMakeCache.txt ;;
  --build) [ -e build/bin ] || ln -s "$START_PAGE_BIN" build/bin ;;
  *) exec "$START_PAGE_CMAKE" "$@" ;;
esac
"""


class Step:
    """A command, and what the page shows of its output."""

    def __init__(self, line, command):
        self.line = line  # of the page, from 1
        self.command = command
        self.shown = []
        self.printed = []

    def typed(self):
        return [line[2:] for line in self.shown if line == ">" or line.startswith("> ")]


def goes_on(command):
    """Does the shell wait for another line of this command?"""
    here = re.search(r"<<'?(\w+)'?", command)
    if here:
        return command.split("\n")[-1] != here.group(1)
    return command.endswith("\\") or command.count('"') % 2 == 1 or command.count("'") % 2 == 1


def read_page():
    """The page's lines outside console blocks as they are, and a Step for each command."""
    out = []
    fence = ""
    lines = iter(enumerate(PAGE.read_text(encoding="utf-8").split("\n"), 1))
    for number, line in lines:
        if line.startswith("```"):
            fence = "" if fence else line
            out.append(line)
        elif fence != "```console":
            out.append(line)
        elif line.startswith("$ "):
            step = Step(number, line[2:])
            while goes_on(step.command):
                step.command += "\n" + next(lines)[1]
            out.append(step)
        elif isinstance(out[-1], Step):
            out[-1].shown.append(line.rstrip())
        else:
            sys.exit(f'{PAGE}:{number}: expected a command, "$ …", at the start of the block')
    return out


class Session:
    """A terminal in which one command after the other is typed."""

    def __init__(self, work, binaries):
        self.folder = work
        self.bin = work / "stand-in"
        self.bin.mkdir()
        (self.bin / "cmake").write_text(CMAKE)
        (self.bin / "cmake").chmod(0o755)
        # What the caller's own `make test` hands down is not the newcomer's.
        dropped = {"PRESET", "BUILD", "CUDA", "BIN", "N", "ARGS", "WERROR", "JOBS", "SECONDS", "HUGE",
                   "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "COLUMNS"}
        self.env = {name: value for name, value in os.environ.items()
                    if name not in dropped and not name.startswith("TRACEBOOK_")}
        self.env.update({
            "START_PAGE_CMAKE": shutil.which("cmake") or "cmake",
            "START_PAGE_BIN": str(binaries),
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "TRACEBOOK_ROOT": str(work / "tracebook"),  # the programs lie elsewhere
            "CUDA_VISIBLE_DEVICES": "",                 # replay, GPU or not
            "TERM": "xterm", "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
        })

    def run(self, step):
        """Fills in what the command prints. A sentence on what went wrong, or ""."""
        words = step.command.split()
        if words[:2] == ["git", "clone"]:
            copy_checkout(self.folder / words[-1])
            step.printed = step.shown
            return ""
        if words[0] == "cd":
            self.folder = self.folder / words[1]
            return "" if self.folder.is_dir() else "no such folder"
        variable = re.fullmatch(r'(\w+)="?([^"]*)"?', step.command)
        if variable:
            self.env[variable.group(1)] = variable.group(2)
            return ""
        terminal = Terminal(step.command, self.folder, self.env, COLUMNS)
        typed = step.typed()
        fault = ""
        while terminal.waits_for_input("> "):
            if not typed:
                fault = "asks for more than the page types"
                terminal.kill()
                break
            terminal.type(typed.pop(0) + "\n")
        step.printed = seen_lines(terminal.text)
        if terminal.timed_out:
            return f"not done after {LIMIT_S} s"
        if typed:
            return f'ended before "{typed[0]}" could be typed'
        return fault


def stripped(lines):
    lines = list(lines)
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def copy_checkout(to):
    """The files that a clone would have, changes that are not committed included."""
    listed = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard"], capture_output=True,
                            check=False)
    names = [n for n in listed.stdout.decode().split("\0") if n and os.path.isfile(n)]
    if listed.returncode != 0 or not names:  # an archive, no checkout
        ignored = shutil.ignore_patterns("build*", "answers", "traces", ".git")
        shutil.copytree(".", to, ignore=ignored)
    for name in names:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(name, to / name)
    # The exercises as they were handed out, whatever their reader has done since.
    subprocess.run(["sh", "common/cli/untouched_exercises.sh", os.environ["START_PAGE_TOOL"], to],
                   check=True)


def pieces_of(shown):
    """The runs of lines between elisions."""
    pieces = [[]]
    for line in shown:
        if line == ELISION:
            pieces.append([])
        else:
            pieces[-1].append(line)
    return pieces


def difference(step):
    """Where the output is not what the page shows, or ""."""
    pieces = pieces_of(stripped(step.shown))
    printed = step.printed
    if len(pieces) == 1:
        return "" if pieces[0] == printed else explained(pieces[0], printed)
    at = 0
    for i, piece in enumerate(pieces):
        places = range(at, len(printed) - len(piece) + 1)
        if i == 0:
            places = places[:1]  # the first piece begins the output
        elif i == len(pieces) - 1 and piece:
            places = places[-1:]  # and the last one ends it
        found = [p for p in places if printed[p:p + len(piece)] == piece]
        if not found:
            return explained(piece, printed[at:])
        at = found[0] + len(piece)
    return ""


def explained(piece, printed):
    """What of `piece` is not printed, with what is most like it."""
    out = []
    for line in piece:
        if line in printed:
            continue
        out.append(f"  shown:   {line}")
        near = difflib.get_close_matches(line, printed, n=1, cutoff=0.6)
        out.append(f"  printed: {near[0]}" if near else "  nothing like it is printed there")
    if out:
        return "\n".join(out[:12])
    begin = piece[0] if piece else ""
    return f"  more or other lines are printed around: {begin}"


def key(line):
    """What a line is found again by when its numbers have changed."""
    return re.sub(r"[\d.,]+", "#", re.sub(r"[─ ]+", " ", line))


def updated(step):
    """The lines to show: all, or what is printed between the ends of each piece. None if a piece is
    not found again."""
    shown = stripped(step.shown)
    printed = step.printed
    if ELISION not in shown:
        return printed
    out = []
    at = 0
    pieces = pieces_of(shown)
    for i, piece in enumerate(pieces):
        if i > 0:
            out.append(ELISION)
        if not piece:
            continue
        first = [n for n in range(at, len(printed)) if key(printed[n]) == key(piece[0])]
        if not first:
            return None
        begin = 0 if i == 0 else first[0]
        match = difflib.SequenceMatcher(None, [key(p) for p in piece],
                                        [key(p) for p in printed[begin:]], autojunk=False)
        ends = [begin + b.b + b.size for b in match.get_matching_blocks() if b.size]
        end = len(printed) if i == len(pieces) - 1 else max(ends)
        out += printed[begin:end]
        at = end
    return out


def write_page(page):
    lines = []
    for item in page:
        if isinstance(item, Step):
            lines += ("$ " + item.command).split("\n") + item.shown
        else:
            lines.append(item)
    PAGE.write_text("\n".join(lines), encoding="utf-8")


def main():
    arguments = sys.argv[1:]
    update = "--update" in arguments
    folders = [a for a in arguments if a != "--update"]
    if len(folders) != 1 or not pathlib.Path(folders[0], "tracebook").exists():
        print("usage: start_page.py BIN [--update], with the folder of the built programs",
              file=sys.stderr)
        return 2
    if not pathlib.Path("exercises/solutions").is_dir():
        print("this copy has no solutions, so attempts cannot be judged here")
        return 77
    binaries = pathlib.Path(folders[0]).resolve()
    os.environ["START_PAGE_TOOL"] = str(binaries / "tracebook")
    page = read_page()
    steps = [item for item in page if isinstance(item, Step)]
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        session = Session(pathlib.Path(work), binaries)
        for step in steps:
            fault = session.run(step)
            if not fault and update:
                lines = updated(step)
                fault = "a piece of its output is not found again" if lines is None else ""
                step.shown = step.shown if lines is None else lines
            elif not fault:
                fault = difference(step)
            if fault:
                failures += 1
                print(f"{PAGE}:{step.line}: $ {step.command.splitlines()[0]}\n{fault}\n")
                if fault.startswith(("asks", "ended", "not done")):
                    print("\n".join(step.printed[-12:]))
    if update:
        write_page(page)
    print(f"{len(steps)} commands of {PAGE}, {failures} differ" +
          ("" if update or not failures else "; rewrite it: "
           f"python3 common/cli/start_page.py {folders[0]} --update"))
    return 1 if failures or not steps else 0


if __name__ == "__main__":
    sys.exit(main())
