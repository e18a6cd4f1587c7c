#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over all .cpp files that a build compiles.

usage: tidy.py BUILD [JOBS]

Most of clang-tidy's time goes into the headers of the standard library and of packages, once more for
each file. Files of a folder that are compiled alike are therefore read several at a time, one text
after the other. Where that finds something, or does not compile (two files may have a helper of the
same name), each of them is read alone, and only what is found then counts.

Exit code 1 if anything was found.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

TIDY = os.environ.get("CLANG_TIDY", "clang-tidy-16")
AT_A_TIME = 10


def config_of(file):
    return "cmake/tests.clang-tidy" if file.endswith("_test.cpp") else ".clang-tidy"


def tidy(folder, file, config, *options):
    # The options are for GCC; what clang does not know among them is no finding.
    return subprocess.run(
        [TIDY, "-p", folder, "--quiet", f"--config-file={config}", "--extra-arg=-Wno-unknown-warning-option",
         *options, file], capture_output=True, text=True, check=False)


def options_of(entry):
    """How it is compiled, without its own names."""
    words = shlex.split(entry["command"])
    at = words.index("-o")
    return [word for word in words[:at] + words[at + 2:] if word not in ("-c", entry["file"])]


def groups_of(entries):
    """Lists of entries that are compiled alike, the files of a folder in order."""
    alike = {}
    for file, entry in entries:
        key = (os.path.dirname(file), config_of(file), shlex.join(options_of(entry)))
        alike.setdefault(key, []).append((file, entry))
    groups = []
    for same in alike.values():
        count = -(-len(same) // AT_A_TIME)
        groups += [same[i * len(same) // count:(i + 1) * len(same) // count] for i in range(count)]
    return sorted(groups, key=len, reverse=True)


def write_together(group, source):
    with open(source, "w", encoding="utf-8") as out:
        for number, (file, _) in enumerate(group):
            with open(file, encoding="utf-8") as text:
                # A macro between them: what one includes, the next may include again.
                out.write(f'#define TRACEBOOK_TIDY_{number}\n#line 1 "{file}"\n{text.read()}\n')


def read_group(build, group, source):
    """The findings, and why the files had to be read alone, if they had to."""
    config = config_of(group[0][0])
    why = ""
    if len(group) > 1:
        # A name of one file may be a local variable of another; GCC reports the files' own.
        together = tidy(os.path.dirname(source), source, config, "--extra-arg=-Wno-shadow")
        if together.returncode == 0:
            return "", ""
        why = next((line for line in together.stdout.splitlines() if " error: " in line), together.stderr)
    findings = ""
    for file in sorted({file for file, _ in group}):
        alone = tidy(build, file, config)
        if alone.returncode != 0:
            findings += alone.stdout + alone.stderr
    return findings, why


def main():
    build = sys.argv[1]
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.cpp"],
                            capture_output=True, text=True, check=True).stdout.split()
    files = {os.path.abspath(file): file for file in listed if os.path.exists(file)}
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as commands:
        entries = [(files[entry["file"]], entry) for entry in json.load(commands) if entry["file"] in files]
    entries.sort(key=lambda item: item[0])
    print(f"lint: clang-tidy reads {len({file for file, _ in entries})} of {len(files)} .cpp files", flush=True)
    if not entries:
        return 1

    folder = os.path.abspath(os.path.join(build, "tidy"))
    os.makedirs(folder, exist_ok=True)
    groups = groups_of(entries)
    sources = [os.path.join(folder, f"group_{number}.cpp") for number in range(len(groups))]
    for group, source in zip(groups, sources):
        write_together(group, source)
    with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as out:
        json.dump([{"directory": group[0][1]["directory"], "file": source,
                    "command": shlex.join(options_of(group[0][1]) + ["-c", source])}
                   for group, source in zip(groups, sources)], out)

    found = False
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for findings, why in pool.map(lambda pair: read_group(build, *pair), zip(groups, sources)):
            if findings:
                print(findings, flush=True)
                found = True
            elif why:
                print(f"lint: files read alone, which takes longer, since together: {why}", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
