#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast the commands are on large traces, beside python's json.load on the same files in the
same run: wall time and peak memory of whole processes, as a user starts them.

usage: bench.py BIN [--rounds N] [--huge] [--keep FOLDER]

BIN      the folder of `tracebook`
--rounds how often each command runs (default 3); the fastest run counts
--huge   also a file of more than 4 GiB (needs that much room, and minutes)
--keep   make the traces there, and leave them; else in a temporary folder

Exit code 1 if a command fails, not if it is slow: the last column says what is asked for.
"""
import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = "expected/torch_parity/planted-h200/gpt_decode.json.gz"
COPIES = 112  # 266,000 events, 59 MB
MEDIANS = "SELECT name, count(*), median(dur) FROM slice GROUP BY name ORDER BY 3 DESC"


def pieces_of(event, step_count, top):
    """The event's text, cut where a copy has another number: texts and (kind, value) in turn."""
    out = []
    at = 0
    text = json.dumps(event)
    pattern = r'"ts": (\d+)(?:\.(\d+))?|"id": (\d+)|"(?:correlation|External id)": (\d+)|"ProfilerStep#(\d+)"'
    for match in re.finditer(pattern, text):
        group = match.lastindex if match[1] is None else 1
        out.append(text[at:match.start(group)])
        if group == 1:
            out.append((None, int(match[1]) * 1000 + int((match[2] or "0").ljust(3, "0"))))
            at = match.end()
        else:
            out.append((step_count if group == 5 else top, int(match[group])))
            at = match.end(group)
    out.append(text[at:])
    return out


def make_trace(copies, path):
    """SOURCE's events `copies` times in a row, shifted in time, with fresh ids; returns their number."""
    with gzip.open(SOURCE, "rt") as file:
        trace = json.load(file)
    events = trace.pop("traceEvents")
    is_timed = lambda e: e.get("ph") in ("X", "s", "f") and isinstance(e.get("pid"), int)
    timed = [e for e in events if is_timed(e)]
    start = min(e["ts"] for e in timed)
    span_ns = round((max(e["ts"] + e.get("dur", 0) for e in timed) - start + 100) * 1000)
    ids = [e.get("args", {}).get(k, 0) for e in timed for k in ("correlation", "External id")]
    top = 1 + max(ids + [e.get("id", 0) for e in timed])
    names = [re.fullmatch(r"ProfilerStep#(\d+)", e["name"]) for e in timed]
    step_count = 1 + max((int(m[1]) for m in names if m), default=0)
    template = []
    for event in timed:
        template += [",\n"] + pieces_of(event, step_count, top)
    with open(path, "w", encoding="utf-8") as file:
        head = json.dumps(trace)[:-1]
        file.write(head + (", " if trace else "") + '"traceEvents": [\n')
        file.write(",\n".join(json.dumps(e) for e in events if not is_timed(e)))
        for copy in range(copies):
            shift = copy * span_ns
            for piece in template:
                if isinstance(piece, str):
                    file.write(piece)
                elif piece[0] is None:
                    ns = piece[1] + shift
                    file.write("%d.%03d" % (ns // 1000, ns % 1000))
                else:
                    file.write(str(piece[1] + copy * piece[0]))
        file.write("\n]}\n")
    return len(events) + (copies - 1) * len(timed)


class Runs:
    """The fastest wall time in seconds of each command, and its peak memory in bytes."""

    def __init__(self, rounds):
        self.rounds = rounds

    def once(self, command, stdin=None):
        began = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=stdin)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit("bench: %s exits %d" % (" ".join(command), child.returncode))
        return wall, usage.ru_maxrss * 1024

    def best(self, commands):
        """{name: (wall, peak)}; commands take turns, so that a busy minute meets all of them."""
        found = {}
        for _ in range(self.rounds):
            for name, command in commands.items():
                wall, peak = self.once(command)
                before = found.get(name, (wall, peak))
                found[name] = (min(before[0], wall), min(before[1], peak))
        return found


def row(what, wall, peak="", ratio="", asked=""):
    print("  %-34s %9s  %-12s %-34s %s" % (what, wall, peak, ratio, asked), flush=True)


def seconds(value):
    return "%.3f s" % value


def verdict(value, limit):
    return "at most %.2f: %s" % (limit, "met" if value <= limit else "NOT met")


def report(path, events, tool, runs):
    """One file: all commands beside json.load. Returns the table's and the queries' times."""
    size = os.path.getsize(path)
    load = [sys.executable, "-c", "import json, sys; json.load(open(sys.argv[1]))", path]
    commands = {
        "json": load,
        "table": [tool, "table", path],
        "diagnose": [tool, "diagnose", path],
        "nothing": [tool, "query", path, "SELECT 1"],
        "medians": [tool, "query", path, MEDIANS],
    }
    if not os.path.exists(path + ".gz"):
        subprocess.run(["gzip", "-6", "-k", path], check=True)
    commands["gz"] = [tool, "table", path + ".gz"]
    commands["zcat"] = ["zcat", path + ".gz"]
    best = runs.best(commands)

    def peak(name):
        return "%.2f x file" % (best[name][1] / size)

    print("%s: %s events, %.1f MB (%.1f MB as .gz), fastest of %d runs" % (
        os.path.basename(path), format(events, ","), size / 1e6,
        os.path.getsize(path + ".gz") / 1e6, runs.rounds))
    table, json_wall = best["table"][0], best["json"][0]
    row("python3 json.load", seconds(json_wall), peak("json"), "%.0f MB/s" % (size / 1e6 / json_wall))
    row("table", seconds(table), peak("table"), "%.3f of json.load, %.0f MB/s" % (
        table / json_wall, size / 1e6 / table), verdict(table / json_wall, 0.10))
    row("", "", "", "%.2f M events/s" % (events / 1e6 / table),
        "memory " + verdict(best["table"][1] / size, 1.2))
    diagnose = best["diagnose"][0]
    row("diagnose", seconds(diagnose), peak("diagnose"), "%.2f of table" % (diagnose / table),
        verdict(diagnose / table, 2))
    beyond = best["gz"][0] - table
    row("zcat > /dev/null", seconds(best["zcat"][0]))
    row("table of the .gz", seconds(best["gz"][0]), peak("gz"), "%+.3f s, %.2f of zcat" % (
        beyond, beyond / best["zcat"][0]), verdict(beyond / best["zcat"][0], 0.5))
    row("query, nothing but reading", seconds(best["nothing"][0]), peak("nothing"))
    medians = best["medians"][0] - best["nothing"][0]
    row("query, a grouped median of all", seconds(best["medians"][0]), peak("medians"),
        "%+.3f s beyond reading" % medians, verdict(medians, 2) if events > 2e6 else "")
    return table


def report_huge(path, tool, runs):
    size = os.path.getsize(path)
    wall, peak = runs.once([tool, "table", path])
    print("%s: %.2f GiB" % (os.path.basename(path), size / 2**30))
    row("table", seconds(wall), "%.2f x file" % (peak / size), "%.0f MB/s" % (size / 1e6 / wall))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("bin")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--huge", action="store_true")
    parser.add_argument("--keep")
    wish = parser.parse_args()
    tool = os.path.join(wish.bin, "tracebook")
    folder = wish.keep or tempfile.mkdtemp(prefix="tracebook_bench_")
    os.makedirs(folder, exist_ok=True)
    runs = Runs(wish.rounds)
    try:
        small, large = os.path.join(folder, "repeated.json"), os.path.join(folder, "repeated_x10.json")
        few, many = make_trace(COPIES, small), make_trace(COPIES * 10, large)
        time_few = report(small, few, tool, runs)
        time_many = report(large, many, tool, runs)
        growth = (time_many / many) / (time_few / few)
        row("table: time per event, 10 x events", "", "", "%.2f of the small file's" % growth)
        if wish.huge:
            huge = os.path.join(folder, "huge.json")
            make_trace(COPIES * 76, huge)
            report_huge(huge, tool, runs)
    finally:
        if not wish.keep:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
