"""DeepTM's figures beside ours: measures them and writes docs/deeptm-figures.md.

    python3 tests/bench/deeptm/figures [--figures 4,13,14,15,16,17,18]
        [--models alexnet,vgg19,mobilenet_v2,inception_v4,resnet152] [--seeds 1]
        [--jobs 2] [--minutes 22] [--beta 1] [--episodes 200]
        [--results DIR] [--page FILE]

Trains, plans and migrates with what `cmake --build` made (STOWAGE_BINARY_DIR,
default build; the targets are stowage, stowage-trainer, deeptm_characteristics
and migrate_small_tensors). Results are kept in DIR: a run that was interrupted,
or that had too few minutes, goes on where it ended, and what depends on a
program or graph that has changed is measured again. `--seeds N` is for figure
14. Leave the machine alone meanwhile: figures 15 and 18 measure time.
"""

import argparse
import importlib
import os
import pathlib
import sys
import time

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[4]
BINARY_DIR = pathlib.Path(os.environ.get("STOWAGE_BINARY_DIR", SOURCE_DIR / "build"))
sys.path[1:1] = [str(SOURCE_DIR / "tests/bench"), str(SOURCE_DIR / "tools/stowage/plot")]

import document  # pylint: disable=wrong-import-position
from picture import load_pyplot  # pylint: disable=wrong-import-position
from steps import Runner  # pylint: disable=wrong-import-position
from workload import MODELS, Workload  # pylint: disable=wrong-import-position

FIGURES = ("4", "13", "14", "15", "16", "17", "18")
# What is run first, since minutes may be too few for all.
URGENCY = ("18", "14", "15", "4", "16", "13", "17")


class LeastRatios:
    """Says which share of a graph's peak must be fast on a system that stages."""

    def __init__(self, runner, workload, models, batches):
        self._shown = {(model, batch): workload.show(model, batch)
                       for model in models for batch in batches}
        runner.run(self._shown.values())
        self._runner = runner

    def __call__(self, model, batch, system):
        graph = self._runner.result(self._shown[model, batch])["output"]
        # A little above, since ratios are printed with six digits.
        return 1.00001 * graph["least_limit_bytes"][system] / graph["peak_bytes"]


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", default=",".join(FIGURES))
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=22)
    parser.add_argument("--beta", type=float, default=1)
    parser.add_argument("--episodes", type=int, default=0)
    parser.add_argument("--results", type=pathlib.Path, default=BINARY_DIR / "deeptm-figures")
    parser.add_argument("--page", type=pathlib.Path,
                        default=SOURCE_DIR / "docs/deeptm-figures.md")
    arguments = parser.parse_args()
    arguments.words = [f"--{option} {getattr(arguments, option)}"
                       for option in ("figures", "models", "seeds", "jobs", "beta", "episodes")
                       if getattr(arguments, option) != parser.get_default(option)]
    arguments.figures = arguments.figures.split(",")
    arguments.models = [model for model in MODELS if model in arguments.models.split(",")]
    arguments.seeds = list(range(1, arguments.seeds + 1))
    if unknown := set(arguments.figures) - set(FIGURES):
        parser.error(f"no such figure: {', '.join(unknown)}")
    if not arguments.models:
        parser.error(f"no such model; the models are {', '.join(MODELS)}")
    return arguments


def main():
    arguments = parse()
    load_pyplot()  # says what is missing before the work, not after it
    begin = time.monotonic()
    workload = Workload(BINARY_DIR, arguments.results, arguments.episodes)
    runner = Runner(arguments.results / "steps", arguments.jobs, arguments.minutes)
    arguments.least_ratio = LeastRatios(runner, workload, arguments.models, (128, 512))
    figures = [importlib.import_module(f"fig{int(number):02}").Figure(workload, arguments)
               for number in arguments.figures]
    runner.run([step for figure in sorted(figures, key=lambda f: URGENCY.index(f.number))
                for step in figure.steps])
    sections = [figure.section(runner) for figure in figures]
    document.write(arguments.page, sections, runner.unfinished(), arguments)
    print(f"{arguments.page}: {len(sections)} figures in {(time.monotonic() - begin) / 60:.1f} "
          f"minutes; {len(runner.unfinished())} steps are missing")


if __name__ == "__main__":
    main()
