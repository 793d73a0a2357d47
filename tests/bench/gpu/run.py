"""Trains a model on a GPU by a plan, with memory of the host as the slow tier.

    PYTHON tests/bench/gpu/run.py --stowage build/bin/stowage [--model resnet50|gpt] [--batch 256]
        [--precision fp32|bf16] [--fast 60%,40%] [--steps 10] [--out FOLDER]

Needs PyTorch 2.x with CUDA and torchvision, and a GPU that nobody else uses; says so and ends
with 0 where there is none. What Stowage has no runtime for is tried here: the step is captured
(step_graph.py), the link measured (link.py), `stowage plan` plans, and the step runs by that
plan (follower.py). Printed: step times alone, with operators seen from Python, under PyTorch's
save_on_cpu, and under each limit, beside what the plan predicts; the most memory that was
allocated and reserved; whether weights have the same bits.
"""

import argparse
import contextlib
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")

# pylint: disable=wrong-import-position
import torch
from follower import Follower, HostArena
from kernels import Kernels
import link
import step_graph
# pylint: enable=wrong-import-position

MIB = 1 << 20
# Of the limit that may be reserved: what its holes may take.
CAPS = (1.02, 1.05, 1.1, 1.3)


class Loss(torch.nn.Module):
    """A model with the batch that it is trained on; its output is the loss."""

    def __init__(self, model, batch, loss):
        super().__init__()
        self.model, self.batch, self.loss = model.cuda(), batch, loss

    def forward(self):
        return self.loss(self.model, self.batch)


def image_loss(name, batch):
    import torchvision  # pylint: disable=import-outside-toplevel
    images = torch.randn(batch, 3, 224, 224, device="cuda")
    labels = torch.randint(0, 1000, (batch,), device="cuda")
    return Loss(torchvision.models.get_model(name), images,
                lambda model, x: torch.nn.functional.cross_entropy(model(x), labels))


def gpt_loss(batch):
    """Returns a GPT of 1.3e9 weights, whose kernels compute long for their bytes."""
    import transformers  # pylint: disable=import-outside-toplevel
    config = transformers.GPT2Config(
        vocab_size=8192, bos_token_id=None, eos_token_id=None, n_positions=1024, n_embd=2560,
        n_layer=16, n_head=20, activation_function="gelu_pytorch_tanh", resid_pdrop=0,
        embd_pdrop=0, attn_pdrop=0, use_cache=False)
    words = torch.randint(0, 8192, (batch, 1024), device="cuda")
    with torch.device("cuda"):
        model = transformers.GPT2LMHeadModel(config)
    return Loss(model, words,
                lambda model, x: model(x, labels=x).loss)


class Training:
    """A model, its optimizer and one batch on the GPU."""

    def __init__(self, name, batch, precision):
        torch.manual_seed(1)
        self.loss = gpt_loss(batch) if name == "gpt" else image_loss(name, batch)
        # One kernel for all weights would need all of them at once.
        self.optimizer = torch.optim.SGD(self.loss.parameters(), lr=0.01, momentum=0.9,
                                         foreach=False)
        self.precision = precision

    def step(self, saving=contextlib.nullcontext):
        with saving(), torch.autocast("cuda", torch.bfloat16, enabled=self.precision == "bf16"):
            loss = self.loss()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def state(self):
        momenta = [state["momentum_buffer"] for state in self.optimizer.state.values()]
        return [*self.loss.state_dict().values(), *momenta]

    def restore(self, state):
        for tensor, saved in zip(self.state(), state):
            tensor.detach().copy_(saved)

    def digests(self, steps):
        """Returns what the weights are after each of some steps."""
        values = []
        for _ in range(steps):
            self.step()
            values.append(self.digest())
        return values

    def digest(self):
        """Returns what differs if a bit of the state does, but for rare coincidences."""
        sums = []
        for tensor in self.state():
            words = tensor.detach().flatten().view(torch.int32).to(torch.int64)
            places = torch.arange(len(words), device=words.device) % 65521 + 1
            sums.append(str(int((words * places).sum())))
        return hashlib.sha256(" ".join(sums).encode()).hexdigest()[:16]


def timed(step, steps):
    """Returns the durations of steps in milliseconds, and the most bytes that were allocated."""
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(steps + 1)]
    events[0].record()
    for event in events[1:]:
        step()
        event.record()
    torch.cuda.synchronize()
    times = [a.elapsed_time(b) for a, b in zip(events, events[1:])]
    return times[2:], torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()


def row(name, measured, alone, note=""):
    times, allocated, reserved = measured
    print(f"{name:16} {statistics.median(times):8.1f} ms ({min(times):.1f} to {max(times):.1f})"
          f"  {statistics.median(times) / statistics.median(alone):5.2f}x"
          f"  {allocated // MIB:6} MiB allocated, {reserved // MIB:6} reserved  {note}", flush=True)


class Nobody:
    """Watches kernels and does nothing."""

    away = frozenset()

    def begin(self, name, operands):
        pass

    def end(self, operands, new):
        pass


def plan_of(arguments, folder, fast):
    """Returns the plan of a limit, or None and what `stowage` says."""
    file = folder / f"plan-{fast.rstrip('%')}.json"
    result = subprocess.run(
        [arguments.stowage, "plan", folder / "graph.json", "--system", folder / "system.json",
         "--fast", fast, "-o", file], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return None, result.stderr.strip()
    return json.loads(file.read_text(encoding="utf-8")), result.stdout


def capped(step, steps, limit_bytes):
    """Runs steps under the smallest cap on reserved memory that they run in."""
    total = torch.cuda.get_device_properties(0).total_memory
    for cap in CAPS:
        torch.cuda.empty_cache()
        torch.cuda.set_per_process_memory_fraction(min(1.0, limit_bytes * cap / total))
        try:
            step()
        except torch.OutOfMemoryError:
            continue
        return timed(step, steps), cap
    raise RuntimeError(f"no cap up to {CAPS[-1]} of the limit is enough")


def run_planned(training, graph, persistent, plan, steps, start, expected):
    """Trains by a plan; returns measurements, the cap, and whether the bits are the same."""
    training.restore(start)
    began = time.perf_counter()
    follower = Follower(plan, graph, persistent)
    print(f"host memory registered in {time.perf_counter() - began:.1f} s")

    def step():
        with Kernels(follower, "cuda"):
            training.step()
        follower.end_step()

    torch.cuda.empty_cache()
    for _ in range(len(expected)):
        step()
    follower.fetch_all()
    same = training.digest() == expected[-1]
    follower.put_initial()
    measured, cap = capped(step, steps, int(plan["fastLimitBytes"]))
    torch.cuda.set_per_process_memory_fraction(1.0)
    follower.fetch_all()
    follower.close()
    return measured, cap, same


def measure_link(folder):
    """Writes the memory system that plans count on."""
    arena = HostArena(2 * link.LARGEST)
    system = link.measure(arena)
    arena.close()
    torch.cuda.empty_cache()
    (folder / "system.json").write_text(json.dumps(system), encoding="utf-8")
    for name, lane in zip(("out", "in"), system["copies"]):
        print(f"{name}: {int(lane['points'][-1]['bytesPerSecond']) / 1e9:.1f} GB/s, "
              f"{lane['bothWaysShare']:.0%} of it beside the other direction; slower kernels: "
              f"{lane['slowdown']}")


def run_unplanned(training, steps):
    """Prints what steps take without a plan; returns those alone."""
    def seen():
        with Kernels(Nobody(), "cuda"):
            training.step()

    def saved_on_host():
        training.step(lambda: torch.autograd.graph.save_on_cpu(pin_memory=True))

    alone = timed(training.step, steps)
    row("alone", alone, alone[0])
    row("kernels seen", timed(seen, steps), alone[0])
    row("save_on_cpu", timed(saved_on_host, 4), alone[0])
    torch.cuda.empty_cache()
    return alone[0]


def parsed_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--stowage", default="build/bin/stowage")
    parser.add_argument("--model", default="resnet50", help="of torchvision, or gpt")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--fast", default="60%,40%,30%", help="limits, separated by commas")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--out", type=Path, default=Path("gpu"))
    return parser.parse_args()


def main():
    arguments = parsed_arguments()
    if not torch.cuda.is_available():
        print("skipped: PyTorch finds no GPU here")
        return 0
    arguments.out.mkdir(exist_ok=True)
    torch.use_deterministic_algorithms(True, warn_only=True)
    measure_link(arguments.out)
    training = Training(arguments.model, arguments.batch, arguments.precision)
    for _ in range(4):
        training.step()
    start = [tensor.detach().clone().cpu() for tensor in training.state()]
    expected = training.digests(3)
    training.restore(start)
    if training.digests(3) != expected:
        print("this training does not repeat its own bits; none can be compared")
    alone = run_unplanned(training, arguments.steps)
    graph, persistent = step_graph.capture(training.step, arguments.model, rounds=7)
    (arguments.out / "graph.json").write_text(json.dumps(graph), encoding="utf-8")
    for fast in arguments.fast.split(","):
        plan, words = plan_of(arguments, arguments.out, fast)
        print(words)
        if plan is None:
            continue
        measured, cap, same = run_planned(training, graph, persistent, plan, arguments.steps,
                                          start, expected)
        predicted_ms = int(plan["prediction"]["stepTimeNs"]) / 1e6
        row(f"planned, {fast}", measured, alone,
            f"limit {int(plan['fastLimitBytes']) // MIB} MiB, cap {cap}, predicted "
            f"{predicted_ms:.1f} ms, measured over predicted "
            f"{statistics.median(measured[0]) / predicted_ms:.2f}, "
            f"{'same' if same else 'OTHER'} bits")
    return 0


if __name__ == "__main__":
    sys.exit(main())
