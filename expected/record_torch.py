#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records with torch.profiler the steps that the chapters record, so that each claim is tried on
PyTorch's own traces as well.

usage: record_torch.py OUT            all recordings, into OUT/NN_name/torch/
       record_torch.py OUT NAME       one of them, in this process

A recording is NAME.json (export_chrome_trace), NAME.averages.json (key_averages() of the same run,
microseconds) and NAME.origin.json (what made it). Each is made in a process of its own: a cold
start is cold only once.
"""
import datetime
import json
import pathlib
import subprocess
import sys

# chapter, and what differs from the plain step: size 64, bf16, wait=1 warmup=1 active=3, no warm-up
RECORDINGS = {
    "01_cold_64": ("01_cold_trace", {}),
    "01_cold_4096": ("01_cold_trace", {"size": 4096}),
    "01_cold_64_wait0": ("01_cold_trace", {"wait": 0, "warmup": 0}),
}
PLAIN = {"size": 64, "wait": 1, "warmup": 1, "active": 3}


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


def record(out, name):
    import torch
    from torch.profiler import ProfilerActivity, profile, record_function, schedule

    chapter, changes = RECORDINGS[name]
    knobs = {**PLAIN, **changes}
    folder = pathlib.Path(out) / chapter / "torch"
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    x, w, b = (torch.randn(knobs["size"], knobs["size"], device="cuda", dtype=torch.bfloat16) for _ in range(3))

    def step():
        with record_function("matmul_add"):
            return torch.add(torch.matmul(x, w), b)

    def keep(profiler):
        profiler.export_chrome_trace(str(folder / (name + ".json")))
        averages = json.dumps(averages_of(profiler), indent=1)
        (folder / (name + ".averages.json")).write_text(averages + "\n")

    plan = schedule(wait=knobs["wait"], warmup=knobs["warmup"], active=knobs["active"], repeat=1)
    activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    with profile(activities=activities, schedule=plan, on_trace_ready=keep) as profiler:
        for _ in range(knobs["wait"] + knobs["warmup"] + knobs["active"]):
            step()
            profiler.step()
    origin = {
        "schema": 1,
        "command": "record_torch.py " + name,
        "knobs": knobs,
        "pytorch": torch.__version__.split("+")[0],
        "driver": driver_version(),
        "recorded_at": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    (folder / (name + ".origin.json")).write_text(json.dumps(origin, indent=2) + "\n")


def main(arguments):
    if len(arguments) == 1:
        for name in RECORDINGS:
            print("torch.profiler:", name, flush=True)
            subprocess.run([sys.executable, __file__, arguments[0], name], check=True)
    elif len(arguments) == 2 and arguments[1] in RECORDINGS:
        record(*arguments)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
