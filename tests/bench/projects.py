"""Trains projects as people have them under a limit and without one.

    git clone https://github.com/pytorch/examples
    STOWAGE_TEST_PYTHON=venv/bin/python3 /usr/bin/python3 tests/bench/projects.py examples
        [--projects mnist,dcgan] [--fast 40%] [--seconds 60] [--reports FOLDER]
        [--markdown docs/measurements.md]

The projects are PyTorch's examples, unmodified, and those of projects/, which use other
libraries. With PyTorch 2.x take the examples of 77f55b9 (August 2025); 55c663f (May 2023) is the
last state of most of them that runs with 1.13. Data sets are replaced by random data
of the same form. Each project runs to its end, or for that many seconds; steps are
counted from the sixth of their kind on. Weights are compared where both runs have ended.
"""

import argparse
import collections
import dataclasses
import io
import json
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy
from PIL import Image

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "e2e/train")]

import harness  # pylint: disable=wrong-import-position
import measurements  # pylint: disable=wrong-import-position

OWN = Path(__file__).resolve().parent / "projects"
WARM_UP_STEPS = 5
HEADER = ["| project | alone, ms | step over alone | measured over predicted | planned | "
          "same bits | limit, MiB |", "|---|---|---|---|---|---|---|"]


@dataclasses.dataclass
class Project:
    """A script in a folder of the examples, or in OWN; threads may race in some."""
    folder: str
    options: tuple = ()
    script: str = "main.py"
    races: bool = False


PROJECTS = {
    "vae": Project("vae", ("--epochs", "2")),
    "mnist": Project("mnist", ("--epochs", "2")),
    "mnist-rnn": Project("mnist_rnn", ("--epochs", "2")),
    "mnist-hogwild": Project("mnist_hogwild", ("--epochs", "1"), races=True),
    "forward-forward": Project("mnist_forward_forward",
                               ("--epochs", "20", "--train_size", "2000", "--test_size", "500")),
    "dcgan": Project("dcgan", ("--dataset", "fake", "--niter", "1", "--manualSeed", "1",
                               "--batchSize", "16", "--ngf", "32", "--ndf", "32")),
    "siamese": Project("siamese_network", ("--epochs", "1")),
    "super-resolution": Project("super_resolution", ("--upscale_factor", "3", "--batchSize",
                                                     "4", "--nEpochs", "1", "--threads", "1")),
    "lstm": Project("word_language_model", ("--epochs", "1", "--model", "LSTM")),
    "transformer": Project("word_language_model", ("--epochs", "1", "--model",
                                                   "Transformer")),
    "resnet18": Project("imagenet", ("--dummy", "-a", "resnet18", "-b", "16", "-j", "1",
                                     "--epochs", "1", "--seed", "1")),
    "gcn": Project("gcn", ("--epochs", "100")),
    "gat": Project("gat", ("--epochs", "20")),
    "sines": Project("time_sequence_prediction", ("--steps", "1"), "train.py"),
    "character-gpt": Project("", script="character_gpt.py"),
    "trainer": Project("", script="trainer.py"),
    "lightning": Project("", script="lightning_module.py"),
}
# Stands in for the library, which the graph examples fetch their data with.
REQUESTS = """
import contextlib, types
@contextlib.contextmanager
def get(url, **options):
    with open({!r}, "rb") as raw:
        yield types.SimpleNamespace(raw=raw)
"""


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


def make_citations(path, generator, papers=2708, words=1433):
    """Writes papers with their words and citations in the form of Cora."""
    rows = [" ".join([str(i), *map(str, generator.integers(0, 2, words)), f"C{i % 7}"])
            for i in range(papers)]
    pairs = generator.integers(0, papers, (5429, 2))
    with tarfile.open(path, "w:gz") as archive:
        for name, lines in (("cora.content", rows),
                            ("cora.cites", [f"{a}\t{b}" for a, b in pairs])):
            data = ("\n".join(lines) + "\n").encode()
            entry = tarfile.TarInfo(f"cora/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def make_data(examples):
    generator = numpy.random.default_rng(0)
    make_digits(examples / "data", generator)
    ahead = examples / "mnist_forward_forward"
    if ahead.exists():
        shutil.copytree(examples / "data", ahead / "data")
    make_images(examples / "super_resolution/dataset/BSDS300/images", generator)
    make_text(examples / "word_language_model/data/wikitext-2")
    make_citations(examples / "cora.tgz", generator)
    (examples / "library").mkdir()
    (examples / "library/requests.py").write_text(REQUESTS.format(str(examples / "cora.tgz")))
    sines = examples / "time_sequence_prediction"
    if sines.exists():
        subprocess.run([harness.PYTHON, "generate_sine_wave.py"], cwd=sines, check=True)


def run(project, examples, fast, seconds):
    """Returns the report of the project, which an interrupt ends in time, and its hash."""
    report, hashed = examples / "report.json", examples / "hash"
    for path in (report, hashed):
        path.unlink(missing_ok=True)
    folder = examples / project.folder if project.folder else OWN
    command = ["timeout", "-s", "INT", str(seconds), harness.STOWAGE, "run", "--fast", fast,
               "--slow", f"file:{examples}", "--report", report, "--", harness.PYTHON,
               OWN / "hashed.py", hashed, project.script, *project.options]
    environment = harness.environment(PYTHONPATH=str(examples / "library"))
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True,
                            text=True, check=False)
    if not report.exists():
        raise RuntimeError(f"it left no report:\n{result.stderr[-2000:]}")
    ended = result.returncode == 0 and hashed.exists()
    return json.loads(report.read_text()), hashed.read_text() if ended else ""


def late_steps(report):
    """Returns the steps from the sixth of their kind on."""
    kinds = collections.defaultdict(list)
    for step in report["steps"]:
        kinds[step["kind"]].append(step)
    return [step for steps in kinds.values() for step in steps[WARM_UP_STEPS:]]


def same_bits(project, alone_hash, limited_hash):
    if project.races:
        return "threads race"
    if not alone_hash or not limited_hash:
        return "did not end"
    return "yes" if alone_hash == limited_hash else "**no**"


def row(name, alone, limited, bits):
    late = late_steps(limited)
    alone_ns = statistics.median(s["duration_ns"] for s in late_steps(alone))
    planned = [s for s in late if s["mode"] == "plan"]
    over = statistics.median(s["duration_ns"] for s in late) / alone_ns
    errors = [s["duration_ns"] / s["predicted_duration_ns"] for s in planned
              if s["predicted_duration_ns"]]
    error = f"{statistics.median(errors):.2f}" if errors else "–"
    return (f"| {name} | {alone_ns / 1e6:.0f} | {over:.2f} | {error} | "
            f"{len(planned)} of {len(late)} | {bits} | {limited['limit_bytes'] / (1 << 20):.1f} |")


def measure(name, examples, arguments):
    project = PROJECTS[name]
    try:
        alone, alone_hash = run(project, examples, "unlimited", arguments.seconds)
        limited, limited_hash = run(project, examples, arguments.fast, arguments.seconds)
        if arguments.reports:
            arguments.reports.mkdir(parents=True, exist_ok=True)
            (arguments.reports / f"{name}.json").write_text(json.dumps(limited))
        return row(name, alone, limited, same_bits(project, alone_hash, limited_hash))
    except (RuntimeError, statistics.StatisticsError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return f"| {name} | – | – | – | – | – | – |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("examples", type=Path, help="a checkout of pytorch/examples")
    parser.add_argument("--projects", type=lambda text: text.split(","), default=PROJECTS)
    parser.add_argument("--fast", default="40%")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--reports", type=Path,
                        help="a folder for reports under the limit, for `stowage explain`")
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
            lines.append(measure(name, examples, arguments))
            print(lines[-1], flush=True)
    finally:
        shutil.rmtree(folder)
    if arguments.markdown:
        measurements.write_section(arguments.markdown, "Projects, unmodified",
                                   "tests/bench/projects.py " + " ".join(sys.argv[1:]),
                                   HEADER + lines)


if __name__ == "__main__":
    main()
