"""Captures the graphs in tools/stowage/suites/graphs: two small batches a model.

    python3 tools/stowage/suites/capture.py                    all that are missing
    python3 tools/stowage/suites/capture.py vgg19 bert_large   these, again

Needs a build (STOWAGE_BINARY_DIR, default build) and up to 12 GB of memory;
about half a minute a model on two cores.
"""

import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
BINARY_DIR = pathlib.Path(os.environ.get("STOWAGE_BINARY_DIR", FOLDER.parents[2] / "build"))

# Two batches each: `stowage graph scale` makes larger ones from them. Both are
# large enough that what grows with the batch is managed (16 KiB) in both.
BATCHES = {
    "alexnet": (6, 8),
    "vgg19": (6, 8),
    "resnet32": (16, 24),
    "resnet50": (6, 8),
    "resnet152": (6, 8),
    "resnet200": (6, 8),
    "inception_v3": (6, 8),
    "inception_v4": (6, 8),
    "mobilenet_v2": (6, 8),
    "densenet264": (6, 8),
    "dcgan": (24, 32),
    "lstm": (16, 20),
    "bert_large": (2, 3),
}


def graph_path(model, batch):
    return FOLDER / "graphs" / f"{model}-b{batch}.pb.gz"


def capture(model, batch):
    path = graph_path(model, batch)
    subprocess.run(
        [BINARY_DIR / "bin/stowage", "graph", "capture", "-o", path, "--",
         "/usr/bin/python3", FOLDER / "train.py", model, "--batch", str(batch)],
        env={**os.environ, "OMP_WAIT_POLICY": "passive"}, check=True)
    print(f"{path.name}: {path.stat().st_size} bytes", flush=True)


def main():
    unknown = set(sys.argv[1:]) - set(BATCHES)
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; choose from {', '.join(BATCHES)}")
    for model in sys.argv[1:] or BATCHES:
        for batch in BATCHES[model]:
            if sys.argv[1:] or not graph_path(model, batch).exists():
                capture(model, batch)


if __name__ == "__main__":
    main()
