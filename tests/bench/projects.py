"""Trains PyTorch's official examples, unmodified, under a limit and without one.

    git clone https://github.com/pytorch/examples && git -C examples checkout 55c663f
    /usr/bin/python3 tests/bench/projects.py examples [--projects mnist,dcgan]
        [--fast 40%] [--seconds 40] [--markdown docs/measurements.md]

55c663f (May 2023) is the last state of most of them that runs with PyTorch 1.13.
Data sets are replaced by random data of the same form. Each example runs for
half of the seconds without a limit and then for all of them under it; steps are
counted from the sixth of their kind on.
"""

import argparse
import collections
import dataclasses
import json
import random
import shutil
import statistics
import struct
import subprocess
import sys
from pathlib import Path

import numpy
from PIL import Image

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "e2e/train")]

import harness  # pylint: disable=wrong-import-position
import measurements  # pylint: disable=wrong-import-position

WARM_UP_STEPS = 5
HEADER = ["| example | alone, ms | step over alone | measured over predicted | planned | "
          "limit, MiB |", "|---|---|---|---|---|---|"]


@dataclasses.dataclass
class Project:
    folder: str
    options: tuple


PROJECTS = {
    "vae": Project("vae", ("--epochs", "2")),
    "mnist": Project("mnist", ("--epochs", "2")),
    "mnist-rnn": Project("mnist_rnn", ("--epochs", "2")),
    "dcgan": Project("dcgan", ("--dataset", "fake", "--niter", "1", "--manualSeed", "1",
                               "--batchSize", "16")),
    "siamese": Project("siamese_network", ("--epochs", "1")),
    "super-resolution": Project("super_resolution", ("--upscale_factor", "3", "--batchSize",
                                                     "4", "--threads", "1")),
    "lstm": Project("word_language_model", ("--epochs", "1", "--model", "LSTM")),
    "transformer": Project("word_language_model", ("--epochs", "1", "--model",
                                                   "Transformer")),
    "resnet18": Project("imagenet", ("--dummy", "-a", "resnet18", "-b", "16", "-j", "1",
                                     "--epochs", "1")),
}


def write_idx(path, values):
    """Writes an array of bytes as MNIST's files hold it."""
    head = struct.pack(f">I{values.ndim}I", 0x800 + values.ndim, *values.shape)
    path.write_bytes(head + values.tobytes())


def make_digits(folder, generator):
    raw = folder / "MNIST/raw"
    raw.mkdir(parents=True)
    for name, count in (("train", 4000), ("t10k", 1000)):
        images = generator.integers(0, 256, (count, 28, 28), dtype=numpy.uint8)
        write_idx(raw / f"{name}-images-idx3-ubyte", images)
        labels = generator.integers(0, 10, count, dtype=numpy.uint8)
        write_idx(raw / f"{name}-labels-idx1-ubyte", labels)


def make_images(folder, generator):
    for name, count in (("train", 200), ("test", 50)):
        (folder / name).mkdir(parents=True)
        for i in range(count):
            pixels = generator.integers(0, 256, (321, 481, 3), dtype=numpy.uint8)
            Image.fromarray(pixels).save(folder / name / f"{i}.jpg")


def make_text(folder):
    folder.mkdir(parents=True, exist_ok=True)
    words = [f"w{i}" for i in range(20000)]
    draw = random.Random(0)
    for name, lines in (("train", 6000), ("valid", 300), ("test", 300)):
        text = "".join(" ".join(draw.choices(words, k=20)) + "\n" for _ in range(lines))
        (folder / f"{name}.txt").write_text(text)


def make_data(examples):
    generator = numpy.random.default_rng(0)
    make_digits(examples / "data", generator)
    make_images(examples / "super_resolution/dataset/BSDS300/images", generator)
    make_text(examples / "word_language_model/data/wikitext-2")


def run(project, examples, fast, seconds):
    """Returns the report of the example, which an interrupt ends in time."""
    report = examples / "report.json"
    report.unlink(missing_ok=True)
    command = ["timeout", "-s", "INT", str(seconds), harness.STOWAGE, "run", "--fast", fast,
               "--slow", f"file:{examples}", "--report", report, "--", harness.PYTHON,
               "main.py", *project.options]
    result = subprocess.run(command, cwd=examples / project.folder,
                            env=harness.environment(), capture_output=True, text=True,
                            check=False)
    if not report.exists():
        raise RuntimeError(f"{project.folder} left no report:\n{result.stderr[-2000:]}")
    return json.loads(report.read_text())


def late_steps(report):
    """Returns the steps from the sixth of their kind on."""
    kinds = collections.defaultdict(list)
    for step in report["steps"]:
        kinds[step["kind"]].append(step)
    return [step for steps in kinds.values() for step in steps[WARM_UP_STEPS:]]


def row(name, alone, limited):
    late = late_steps(limited)
    alone_ns = statistics.median(s["duration_ns"] for s in late_steps(alone))
    planned = [s for s in late if s["mode"] == "plan"]
    over = statistics.median(s["duration_ns"] for s in late) / alone_ns
    errors = [s["duration_ns"] / s["predicted_duration_ns"] for s in planned
              if s["predicted_duration_ns"]]
    error = f"{statistics.median(errors):.2f}" if errors else "–"
    return (f"| {name} | {alone_ns / 1e6:.0f} | {over:.2f} | {error} | "
            f"{len(planned)} of {len(late)} | {limited['limit_bytes'] / (1 << 20):.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("examples", type=Path, help="a checkout of pytorch/examples")
    parser.add_argument("--projects", type=lambda text: text.split(","), default=PROJECTS)
    parser.add_argument("--fast", default="40%")
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    folder = harness.scratch()
    try:
        examples = folder / "examples"
        shutil.copytree(arguments.examples, examples, ignore=shutil.ignore_patterns(".git"))
        make_data(examples)
        print(*HEADER, sep="\n", flush=True)
        lines = []
        for name in arguments.projects:
            project = PROJECTS[name]
            alone = run(project, examples, "unlimited", arguments.seconds // 2)
            limited = run(project, examples, arguments.fast, arguments.seconds)
            lines.append(row(name, alone, limited))
            print(lines[-1], flush=True)
    finally:
        shutil.rmtree(folder)
    if arguments.markdown:
        measurements.write_section(arguments.markdown, "PyTorch's examples, unmodified",
                                   "tests/bench/projects.py " + " ".join(sys.argv[1:]),
                                   HEADER + lines)


if __name__ == "__main__":
    main()
