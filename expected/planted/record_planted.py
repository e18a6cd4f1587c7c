#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records small workloads with one known cause each, and healthy controls, for `tracebook diagnose`.

usage: record_planted.py OUT            all of them, each in a process of its own, into OUT
       record_planted.py OUT NAME       one of them, in this process

A recording is NAME.json.gz (export_chrome_trace) and NAME.averages.json (key_averages() of the
same run, microseconds): three steps, recorded after warm-up steps and one step that the schedule
drops. PLANTED says which finding each must lead to; none is expected where it says "".
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import time

SECONDS_EACH = 60

# name, in the order in which thresholds were tuned on: even places (0, 2, ...) are for tuning, odd
# ones only for judging. Value: the ids of which one must be first or second.
PLANTED = {
    "input_stall_host": "X3",
    "input_stall_loader": "X3",
    "sgd_for_loop": "X10",
    "adam_for_loop": "X10",
    "allocator_empty_cache": "X7",
    "allocator_no_cache": "X7",
    "recompile_shapes": "X8",
    "recompile_value": "X8",
    "layout_transpose": "X6",
    "layout_permute_conv": "X6",
    "sync_after_each_layer": "X2",
    "sync_nonzero": "X2",
    "elementwise_chain": "X9",
    "elementwise_norm_gate": "X9",
    "fp32_gemm": "X5",
    "fp32_mlp_training": "X5",
    "two_streams_serial": "X12",
    "two_streams_waiting": "X12",
    "small_grid_scan": "X13",
    "small_grid_norm": "X13",
    "misaligned_even": "X4",
    "misaligned_head": "X4",
    "pageable_from_device": "X1",
    "pageable_batches": "X1",
    "sync_each_step": "X2",
    "recompile_module": "X8",
    "healthy_compiled_block": "",
    "healthy_conv_channels_last": "",
    "healthy_training_fused_adamw": "",
    "healthy_graph_decode": "",
    "healthy_prefetch": "",
    "healthy_attention": "",
    "healthy_tf32_training": "",
    "healthy_batched_gemm": "",
}

ENVIRONMENT = {"allocator_no_cache": {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}}


def randn(torch, *shape, dtype="bfloat16"):
    return torch.randn(*shape, device="cuda", dtype=getattr(torch, dtype))


def mlp(torch, width, depth, dtype="bfloat16"):
    layers = []
    for _ in range(depth):
        layers += [torch.nn.Linear(width, width), torch.nn.GELU()]
    return torch.nn.Sequential(*layers).to("cuda", getattr(torch, dtype))


def input_stall_host(torch):
    model, x = mlp(torch, 4096, 4), randn(torch, 4096, 4096)

    def step():
        rows = [str(i * i) for i in range(60000)]  # the host prepares, the GPU has nothing to do
        y = model(x)
        return y, len(rows)

    return step


def input_stall_loader(torch):
    class Slow(torch.utils.data.Dataset):
        def __len__(self):
            return 64 * 200

        def __getitem__(self, i):
            time.sleep(0.0002)
            return torch.ones(2048)

    model = mlp(torch, 2048, 4)
    batches = iter(torch.utils.data.DataLoader(Slow(), batch_size=64, pin_memory=False))

    def step():
        batch = next(batches)
        return model(batch.to("cuda").to(torch.bfloat16))

    return step


def optimizer_steps(torch, make):
    layers = [torch.nn.Linear(256, 256) for _ in range(60)]
    model = torch.nn.Sequential(*layers).to("cuda")
    optimizer = make(model.parameters())
    x = randn(torch, 512, 256, dtype="float32")
    model(x).sum().backward()

    def step():
        optimizer.step()

    return step


def sgd_for_loop(torch):
    return optimizer_steps(torch, lambda p: torch.optim.SGD(p, lr=1e-6, momentum=0.9, foreach=False))


def adam_for_loop(torch):
    model = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(40)]).to("cuda")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-6, foreach=False)
    x = randn(torch, 4096, 512, dtype="float32")
    torch.set_float32_matmul_precision("high")

    def step():
        optimizer.zero_grad(set_to_none=True)
        model(x).sum().backward()
        optimizer.step()

    return step


def allocator_empty_cache(torch):
    model, x = mlp(torch, 4096, 4), randn(torch, 8192, 4096)

    def step():
        y = model(x)
        del y
        torch.cuda.empty_cache()

    return step


def allocator_no_cache(torch):
    model, x = mlp(torch, 2048, 6), randn(torch, 8192, 2048)
    return lambda: model(x)


def recompile_shapes(torch):
    rows = iter(range(1024, 8192, 64))
    compiled = torch.compile(lambda x: torch.nn.functional.gelu(x * 2 + 1).sum(-1), dynamic=False)
    torch._dynamo.config.recompile_limit = 100
    return lambda: compiled(randn(torch, next(rows), 1024))


def recompile_value(torch):
    torch._dynamo.config.recompile_limit = 100
    torch._dynamo.config.specialize_float = True
    scales = iter(range(1000))
    x = randn(torch, 4096, 4096)

    @torch.compile(dynamic=False)
    def scaled(tensor, scale):
        return torch.tanh(tensor * scale) + scale

    return lambda: scaled(x, float(next(scales)))


def recompile_module(torch):
    torch._dynamo.config.recompile_limit = 100
    model, x = mlp(torch, 1024, 2), randn(torch, 2048, 1024)
    model.flag = 0
    counter = iter(range(1000))

    @torch.compile(dynamic=False)
    def run(tensor, options):
        return model(tensor) * (1 + len(options))

    return lambda: run(x, list(range(next(counter))))


def layout_transpose(torch):
    x, w = randn(torch, 8192, 8192), randn(torch, 8192, 1024)

    def step():
        y = x
        for _ in range(4):
            y = y.t().contiguous()
        return y @ w

    return step


def layout_permute_conv(torch):
    conv = torch.nn.Conv2d(64, 64, 1).to("cuda", torch.bfloat16).to(memory_format=torch.channels_last)
    x = randn(torch, 64, 64, 128, 128)

    def step():
        y = x
        for _ in range(3):
            y = conv(y.contiguous(memory_format=torch.channels_last)).contiguous(
                memory_format=torch.contiguous_format
            )
        return y

    return step


def sync_after_each_layer(torch):
    layers, x = mlp(torch, 2048, 12), randn(torch, 2048, 2048)

    def step():
        y = x
        for layer in layers:
            y = layer(y)
            torch.cuda.synchronize()
        return y

    return step


def sync_nonzero(torch):
    model, x = mlp(torch, 2048, 2), randn(torch, 2048, 2048)

    def step():
        y = x
        for _ in range(6):
            y = model(y)
            kept = y[:, 0].abs() >= 0
            y = y[kept]
        return y

    return step


def sync_each_step(torch):
    model, x = mlp(torch, 2048, 4), randn(torch, 2048, 2048)

    def step():
        model(x)
        torch.cuda.synchronize()

    return step


def elementwise_chain(torch):
    x = randn(torch, 8192, 8192, dtype="float32")

    def step():
        y = x
        for _ in range(6):
            y = torch.relu(y * 1.5 + 0.25) - 0.5
        return y

    return step


def elementwise_norm_gate(torch):
    norm = torch.nn.LayerNorm(4096).to("cuda", torch.bfloat16)
    x, gate = randn(torch, 16384, 4096), randn(torch, 16384, 4096)
    w = randn(torch, 4096, 1024)

    def step():
        y = x
        for _ in range(4):
            y = torch.nn.functional.silu(gate) * norm(y) + x
            y = y * torch.sigmoid(y)
        return y @ w

    return step


def fp32_gemm(torch):
    x, w = randn(torch, 4096, 4096, dtype="float32"), randn(torch, 4096, 4096, dtype="float32")

    def step():
        for _ in range(4):
            y = x @ w
        return y

    return step


def fp32_mlp_training(torch):
    model, x = mlp(torch, 2048, 3, "float32"), randn(torch, 4096, 2048, dtype="float32")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6, fused=True)

    def step():
        optimizer.zero_grad(set_to_none=True)
        model(x).square().mean().backward()
        optimizer.step()

    return step


def two_streams_serial(torch):
    side = torch.cuda.Stream()
    x, w = randn(torch, 512, 2048), randn(torch, 2048, 512)

    def step():
        for _ in range(8):
            torch.mm(x, w)
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(4):
                    torch.mm(w, x)
            torch.cuda.current_stream().wait_stream(side)

    return step


def two_streams_waiting(torch):
    side = torch.cuda.Stream()
    host = torch.empty(32 << 20, dtype=torch.uint8).pin_memory()
    device = torch.empty(32 << 20, dtype=torch.uint8, device="cuda")
    model, x = mlp(torch, 4096, 2), randn(torch, 4096, 4096)

    def step():
        for _ in range(2):
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                device.copy_(host, non_blocking=True)
            torch.cuda.current_stream().wait_stream(side)
            model(x)

    return step


def small_grid_scan(torch):
    x = randn(torch, 4, 1 << 21, dtype="float32")

    def step():
        for _ in range(3):
            y = torch.cumsum(x, dim=1)
        return y

    return step


def small_grid_norm(torch):
    x = randn(torch, 16, 1 << 20)
    return lambda: [torch.nn.functional.layer_norm(x, (1 << 20,)) for _ in range(4)]


def misaligned_even(torch):
    x, w = randn(torch, 4094, 4094), randn(torch, 4094, 4094)

    def step():
        for _ in range(4):
            y = x @ w
        return y

    return step


def misaligned_head(torch):
    hidden, head = randn(torch, 2048, 1024), torch.nn.Linear(1024, 50257, bias=False).to("cuda", torch.bfloat16)
    model = mlp(torch, 1024, 4)
    return lambda: head(model(hidden))


def pageable_from_device(torch):
    model, x = mlp(torch, 4096, 2), randn(torch, 4096, 4096)
    return lambda: model(x).to("cpu")


def pageable_batches(torch):
    model = mlp(torch, 2048, 4)
    batches = [torch.randn(2048, 2048).to(torch.bfloat16) for _ in range(6)]

    def step():
        for batch in batches:
            model(batch.to("cuda", non_blocking=True))

    return step


class Block(object):
    """A transformer block's forward as torch modules; made where torch is loaded."""

    def __new__(cls, torch, width, heads):
        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
                self.qkv = torch.nn.Linear(width, 3 * width)
                self.out = torch.nn.Linear(width, width)
                self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

            def forward(self, x):
                batch, length, _ = x.shape
                q, k, v = (
                    part.view(batch, length, heads, -1).transpose(1, 2)
                    for part in self.qkv(self.norm1(x)).chunk(3, -1)
                )
                y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
                x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
                return x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x))))

        return Module().to("cuda", torch.bfloat16)


def healthy_compiled_block(torch):
    block = torch.compile(Block(torch, 4096, 32))
    x = randn(torch, 8, 2048, 4096)

    def step():
        with torch.no_grad():
            return block(x)

    return step


def healthy_conv_channels_last(torch):
    layers = []
    for _ in range(6):
        layers += [torch.nn.Conv2d(256, 256, 3, padding=1, bias=False), torch.nn.ReLU(inplace=True)]
    net = torch.nn.Sequential(*layers).to("cuda", torch.bfloat16).to(memory_format=torch.channels_last)
    x = randn(torch, 64, 256, 56, 56).to(memory_format=torch.channels_last)

    def step():
        with torch.no_grad():
            return net(x)

    return step


def healthy_training_fused_adamw(torch):
    model = torch.nn.Sequential(*[Block(torch, 2048, 16) for _ in range(4)])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6, fused=True)
    x = randn(torch, 8, 2048, 2048)

    def step():
        optimizer.zero_grad(set_to_none=True)
        model(x).float().square().mean().backward()
        optimizer.step()

    return step


def healthy_graph_decode(torch):
    model = torch.nn.Sequential(*[Block(torch, 2048, 16) for _ in range(8)])
    x = randn(torch, 64, 1, 2048)
    with torch.no_grad():
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                model(x)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            model(x)

    def step():
        for _ in range(20):
            graph.replay()

    return step


def healthy_prefetch(torch):
    model = mlp(torch, 4096, 8)
    host = [torch.randn(8192, 4096).to(torch.bfloat16).pin_memory() for _ in range(2)]
    side = torch.cuda.Stream()
    state = {"next": host[0].to("cuda"), "index": 0}

    def step():
        now = state["next"]
        state["index"] ^= 1
        with torch.cuda.stream(side):
            state["next"] = host[state["index"]].to("cuda", non_blocking=True)
        with torch.no_grad():
            y = model(now)
        torch.cuda.current_stream().wait_stream(side)
        state["next"].record_stream(torch.cuda.current_stream())
        return y

    return step


def healthy_attention(torch):
    q, k, v = (randn(torch, 8, 16, 4096, 128) for _ in range(3))

    def step():
        for _ in range(4):
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return y

    return step


def healthy_tf32_training(torch):
    torch.set_float32_matmul_precision("high")
    model, x = mlp(torch, 4096, 4, "float32"), randn(torch, 16384, 4096, dtype="float32")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6, fused=True)

    def step():
        optimizer.zero_grad(set_to_none=True)
        model(x).square().mean().backward()
        optimizer.step()

    return step


def healthy_batched_gemm(torch):
    x, w = randn(torch, 32, 2048, 2048), randn(torch, 32, 2048, 2048)

    def step():
        for _ in range(4):
            y = torch.bmm(x, w)
        return y

    return step


def record(out, name):
    import torch
    from torch.profiler import ProfilerActivity, profile, schedule

    torch.manual_seed(0)
    step = globals()[name](torch)
    for _ in range(3):
        step()
    torch.cuda.synchronize()

    def keep(profiler):
        plain = out / (name + ".json")
        profiler.export_chrome_trace(str(plain))
        # The name of the file, without the folder of whoever recorded it.
        text = plain.read_bytes().replace(json.dumps(str(plain)).encode(), json.dumps(plain.name).encode())
        with gzip.GzipFile(out / (name + ".json.gz"), "wb", 9, mtime=0) as target:
            target.write(text)
        plain.unlink()
        rows = [
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
        (out / (name + ".averages.json")).write_text(json.dumps(rows, indent=1) + "\n")

    plan = schedule(wait=1, warmup=1, active=3, repeat=1)
    activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    with profile(activities=activities, schedule=plan, on_trace_ready=keep) as profiler:
        for _ in range(5):
            step()
            profiler.step()


def main(arguments):
    if len(arguments) not in (1, 2) or (len(arguments) == 2 and arguments[1] not in PLANTED):
        sys.exit(__doc__)
    out = pathlib.Path(arguments[0])
    out.mkdir(parents=True, exist_ok=True)
    if len(arguments) == 2:
        record(out, arguments[1])
        return
    failed = []
    for name in PLANTED:
        start = time.monotonic()
        command = [sys.executable, __file__, str(out), name]
        environment = {**os.environ, **ENVIRONMENT.get(name, {})}
        try:
            done = subprocess.run(command, env=environment, timeout=SECONDS_EACH, capture_output=True, text=True)
            problem = "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1:]
        except subprocess.TimeoutExpired:
            problem = "more than %d s" % SECONDS_EACH
        print("%s: %.1f s %s" % (name, time.monotonic() - start, problem or "done"), flush=True)
        if problem:
            failed.append(name)
    if failed:
        sys.exit("not recorded: " + ", ".join(failed))


if __name__ == "__main__":
    main(sys.argv[1:])
