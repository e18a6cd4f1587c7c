#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records with torch.profiler the steps that the chapters record, so that each claim is tried on
PyTorch's own traces as well.

usage: record_torch.py OUT                all recordings, into OUT/NN_name/torch/
       record_torch.py OUT --chapter NN   those of one chapter
       record_torch.py OUT NAME           one of them, in this process

A recording is NAME.json (export_chrome_trace), NAME.averages.json (key_averages() of the same run,
microseconds) and NAME.origin.json (what made it). Each is made in a process of its own: a cold
start is cold only once.
"""
import datetime
import json
import os
import pathlib
import subprocess
import sys
import time

# Chapter, and what differs from the plain step: see PLAIN.
RECORDINGS = {
    "01_cold_64": ("01_cold_trace", {}),
    "01_cold_4096": ("01_cold_trace", {"size": 4096}),
    "01_cold_64_wait0": ("01_cold_trace", {"wait": 0, "warmup": 0}),
    "02_warmup_64": ("02_warmup", {"runs_before": 10}),
    "02_warmup_64_runs1000": ("02_warmup", {"runs_before": 1000}),
    "02_warmup_64_warmup50": ("02_warmup", {"runs_before": 10, "warmup": 50}),
    "02_warmup_64_cpu": ("02_warmup", {"runs_before": 10, "activities": "cpu"}),
    "02_warmup_64_cycle3": ("02_warmup", {"runs_before": 10, "repeat": 3}),
    "02_warmup_64_pause": ("02_warmup", {"runs_before": 10, "between": "pause"}),
    "02_warmup_64_evict": ("02_warmup", {"runs_before": 10, "between": "evict"}),
    "03_schedule_64": ("03_schedule_tweak", {"runs_before": 10, "wait": 0, "warmup": 0}),
    "03_schedule_64_cold": ("03_schedule_tweak", {"wait": 0, "warmup": 0}),
    "04_active20_64": (
        "04_active20_buffer_gaps",
        {"runs_before": 10, "wait": 0, "warmup": 0, "active": 20},
    ),
    "05_bmm_64": ("05_batched_bmm", {"runs_before": 10, "batch": 8}),
    "06_size_64": ("06_occupancy_query", {"runs_before": 10}),
    "06_size_66": ("06_occupancy_query", {"runs_before": 10, "size": 66}),
    "06_size_63": ("06_occupancy_query", {"runs_before": 10, "size": 63}),
    "06_size_4096": ("06_occupancy_query", {"runs_before": 10, "size": 4096}),
    "06_size_4095": ("06_occupancy_query", {"runs_before": 10, "size": 4095}),
    "06_fp32_1024": ("06_occupancy_query", {"runs_before": 10, "size": 1024, "dtype": "float32"}),
    "06_int8_1024": ("06_occupancy_query", {"runs_before": 10, "size": 1024, "dtype": "int8"}),
    "07_variance_4096": ("07_variance", {"runs_before": 10, "size": 4096, "active": 20}),
    "07_variance_4096_200": ("07_variance", {"runs_before": 10, "size": 4096, "active": 200}),
    "08_eager_4096": ("08_addmm_fusion", {"runs_before": 10, "size": 4096}),
    "08_addmm_4096": ("08_addmm_fusion", {"runs_before": 10, "size": 4096, "step": "addmm"}),
    "08_linear_4096": ("08_addmm_fusion", {"runs_before": 10, "size": 4096, "step": "linear"}),
    "08_addmm_64": ("08_addmm_fusion", {"runs_before": 10, "step": "addmm"}),
    # Five ways in turns, sixty steps each; the compiled ones before the profiler starts.
    "08_all_4096": (
        "08_addmm_fusion",
        {"runs_before": 10, "size": 4096, "active": 300, "step": "all"},
    ),
}
PLAIN = {
    "size": 64,
    "batch": 0,
    "dtype": "bfloat16",
    "wait": 1,
    "warmup": 1,
    "active": 3,
    "repeat": 1,
    "runs_before": 0,  # of the step, before the profiler starts
    "activities": "cpu,cuda",
    "between": "nothing",  # what the CPU does before each step: nothing, pause (4 ms), evict
    "step": "eager",
}
# A file with more steps than this is packed.
MOST_STEPS_UNPACKED = 50


def driver_version():
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    return subprocess.run(query, check=True, capture_output=True, text=True).stdout.split()[0]


def averages_of(profiler):
    return [
        {
            "key": row.key,
            "count": row.count,
            "self_cpu": row.self_cpu_time_total,
            "cpu": row.cpu_time_total,
            "self_dev": row.self_device_time_total,
            "dev": row.device_time_total,
            "device": str(row.device_type),
        }
        for row in profiler.key_averages()
    ]


def ways(torch, step, x, w, b, row):
    """The functions that take turns: name of the range -> what runs in it."""

    def eager():
        return torch.add(torch.matmul(x, w), b)

    if step == "eager":
        return {"matmul_add": eager}
    if step == "int_mm":
        return {"matmul_add": lambda: torch.add(torch._int_mm(x, w), b)}
    if step == "addmm":
        return {"matmul_add": lambda: torch.addmm(b, x, w)}
    if step == "linear":
        weight = w.t().contiguous()
        return {"matmul_add": lambda: torch.nn.functional.linear(x, weight, row)}

    # Two functions, since torch.compile keeps what it made by the function's code.
    @torch.compile
    def compiled(x, w, b):
        return torch.add(torch.matmul(x, w), b)

    @torch.compile(mode="max-autotune-no-cudagraphs")
    def tuned(x, w, b):
        return torch.add(torch.matmul(x, w), b)

    return {
        "matmul_add: eager": eager,
        "matmul_add: addmm": lambda: torch.addmm(b, x, w),
        "matmul_add: bias": lambda: torch.addmm(row, x, w),
        "matmul_add: compile": lambda: compiled(x, w, b),
        "matmul_add: max-autotune": lambda: tuned(x, w, b),
    }


def between_steps(kind):
    """What somebody else's code does to the CPU before each step."""
    if kind == "pause":

        def pause():
            end = time.perf_counter() + 0.004
            while time.perf_counter() < end:
                pass

        return pause
    if kind == "evict":
        import numpy

        memory = numpy.zeros(32 << 20, dtype=numpy.uint8)
        return lambda: memory.fill(1)
    return lambda: None


def record(out, name):
    import torch
    from torch.profiler import ProfilerActivity, profile, record_function, schedule

    chapter, changes = RECORDINGS[name]
    knobs = {**PLAIN, **changes}
    folder = (pathlib.Path(out) / chapter / "torch").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    ending = ".json.gz" if knobs["active"] > MOST_STEPS_UNPACKED else ".json"
    torch.manual_seed(0)
    size = knobs["size"]
    shape = (knobs["batch"], size, size) if knobs["batch"] else (size, size)
    dtype = getattr(torch, knobs["dtype"])
    kind = knobs["step"]
    if dtype is torch.int8:
        kind = "int_mm"
        x, w = (torch.randint(-64, 64, shape, device="cuda", dtype=dtype) for _ in range(2))
        b = torch.randint(-64, 64, shape, device="cuda", dtype=torch.int32)
    else:
        x, w, b = (torch.randn(*shape, device="cuda", dtype=dtype) for _ in range(3))
    row = torch.randn(size, device="cuda", dtype=dtype) if dtype is not torch.int8 else None
    functions = list(ways(torch, kind, x, w, b, row).items())
    between = between_steps(knobs["between"])

    def step(number):
        range_name, function = functions[number % len(functions)]
        with record_function(range_name):
            return function()

    # Of several cycles the last one is kept.
    def keep(profiler):
        # Kineto writes the path that it is given into the trace ("traceName"): the file's name
        # alone, and no folder of this machine.
        os.chdir(folder)
        profiler.export_chrome_trace(name + ending)
        averages = json.dumps(averages_of(profiler), indent=1)
        (folder / (name + ".averages.json")).write_text(averages + "\n")

    for _ in range(knobs["runs_before"]):
        for number in range(len(functions)):
            step(number)
    plan = schedule(
        wait=knobs["wait"],
        warmup=knobs["warmup"],
        active=knobs["active"],
        repeat=knobs["repeat"],
    )
    activities = [getattr(ProfilerActivity, each.upper()) for each in knobs["activities"].split(",")]
    with profile(activities=activities, schedule=plan, on_trace_ready=keep) as profiler:
        for number in range((knobs["wait"] + knobs["warmup"] + knobs["active"]) * knobs["repeat"]):
            between()
            step(number)
            profiler.step()
    origin = {
        "schema": 1,
        "command": "record_torch.py " + name,
        "knobs": knobs,
        "gpu": torch.cuda.get_device_name(),
        "cuda": torch.version.cuda,
        "pytorch": torch.__version__.split("+")[0],
        "driver": driver_version(),
        "recorded_at": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    (folder / (name + ".origin.json")).write_text(json.dumps(origin, indent=2) + "\n")


def record_all(out, names):
    failed = []
    for name in names:
        print("torch.profiler:", name, flush=True)
        if subprocess.run([sys.executable, __file__, out, name]).returncode != 0:
            failed.append(name)
    if failed:
        sys.exit("record_torch.py: failed: " + ", ".join(failed))


def main(arguments):
    if len(arguments) == 1:
        record_all(arguments[0], list(RECORDINGS))
    elif len(arguments) == 3 and arguments[1] == "--chapter":
        wanted = arguments[2] + "_"
        names = [name for name, (chapter, _) in RECORDINGS.items() if chapter.startswith(wanted)]
        if not names:
            sys.exit("record_torch.py: no recordings of a chapter " + arguments[2])
        record_all(arguments[0], names)
    elif len(arguments) == 2 and arguments[1] in RECORDINGS:
        record(*arguments)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
