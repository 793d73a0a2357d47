"""Measures Stowage beside what users do without it, at equal memory.

    /usr/bin/python3 tests/bench/peers/run.py [--quick] [--jobs resnet,lstm]
        [--limits 20,40,60,80] [--segments 2,4,8] [--budgets 0.2,0.4,0.6,0.8]
        [--methods stowage,swap,files] [--rounds 3] [--steps 14] [--warm-up 5]
        [--give-up-after 600] [--folder DIRECTORY] [-o peers.json]
        [--plot peers.svg]

Methods take turns: Stowage under each limit, and before it the job alone; swap,
and files for saved tensors, each in a cgroup with as much memory as Stowage's
run was charged; files without a limit; and torch.utils.checkpoint with so many
segments; a memory budget of torch.compile; DeepSpeed ZeRO-3 with its files on the disk.
The last two run in PyTorch 2 (environment.py), beside the same job alone there,
budget beside the job that is compiled without one. Each run is a process of its
own in a cgroup of its own. The first --warm-up steps are not counted: Stowage
profiles and plans in them. --folder is on the disk that is to be measured.
"""

import argparse
import contextlib
import json
import shutil
import signal
import sys
from pathlib import Path

import environment
import jobs
import methods
import summary
import swap_file
from methods import Method, harness, memory_cgroup
from plot import draw

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import measurements  # pylint: disable=wrong-import-position

METHODS = ("stowage", "swap", "files", "checkpoint", "budget", "deepspeed")
JOBS = ("resnet", "transformer", "lstm", "tree")  # unless others are named
# Beside which run each method's are judged; those of PyTorch 1.13 beside "alone".
BESIDE = {"alone-2": "alone-2", "compiled": "alone-2", "budget": "compiled",
          "deepspeed": "alone-2"}


def without_skipped(wanted):
    """Returns the methods that can run here; says which cannot, and why."""
    skipped = [] if environment.is_made() else [
        name for name in wanted if name in ("budget", "deepspeed")]
    for name in skipped:
        print(f"skipped: {name}: it needs PyTorch 2, of which there is none in "
              f"{environment.FOLDER}; make it with {environment.COMMAND}", flush=True)
    return [name for name in wanted if name not in skipped]


@contextlib.contextmanager
def swap_if_allowed(arguments):
    """Yields a swap file, or None where that is not wanted or not allowed."""
    if "swap" not in arguments.methods:
        yield None
        return
    with contextlib.ExitStack() as stack:
        try:
            swap = stack.enter_context(swap_file.made(arguments.folder))
        except swap_file.Unavailable as reason:
            print(f"skipped: swap: {reason}", flush=True)
            swap = None
        yield swap


def runs_of_round(bench, job, arguments, swap):
    """Runs each method once; yields the results.

    The job runs alone again and again, since other load comes and goes.
    """
    wanted = arguments.methods
    for limit in arguments.limits if "stowage" in wanted else ():
        yield bench.run(job, Method("alone"))
        stowed = bench.run(job, Method("stowage", limit))
        yield stowed
        if swap:
            yield bench.run(job, Method("swap", limit), stowed["peak_bytes"], swap)
        if "files" in wanted:
            yield bench.run(job, Method("files", limit), stowed["peak_bytes"])
    yield bench.run(job, Method("alone"))
    if "files" in wanted:
        yield bench.run(job, Method("files"))
    for segments in arguments.segments if "checkpoint" in wanted else ():
        yield bench.run(job, Method("checkpoint", segments))
    yield from runs_in_pytorch_2(bench, job, arguments)


def runs_in_pytorch_2(bench, job, arguments):
    if not {"budget", "deepspeed"} & {*arguments.methods}:
        return
    yield bench.run(job, Method("alone-2"))
    if "deepspeed" in arguments.methods:
        yield bench.run(job, Method("deepspeed"))
    if "budget" in arguments.methods:
        compiled = bench.run(job, Method("compiled"))
        yield compiled
        for budget in arguments.budgets if compiled["status"] == "ok" else ():
            yield bench.run(job, Method("budget", budget))


def print_progress(result, turn):
    name = f"{result['method']} {result['setting']}".strip()
    time = summary.show(summary.spread(result["steps_s"]), 3)
    print(f"[{turn}] {result['job']:<12} {name:<14} {result['status']}: "
          f"{result['peak_bytes'] / 1e6:.0f} MB, {time} s", flush=True)
    if result["status"].startswith("failed"):
        print(result["output_end"], file=sys.stderr)


def measure(bench, arguments):
    """Yields the results, and says each."""
    with swap_if_allowed(arguments) as swap:
        for index in range(arguments.rounds):
            for job in arguments.jobs:
                latest = {}
                for result in runs_of_round(bench, job, arguments, swap):
                    latest[result["method"]] = result
                    if latest["alone"]["status"] != "ok":
                        raise RuntimeError(f"{job} alone: {result['status']}\n"
                                           f"{result['output_end']}")
                    beside = latest[BESIDE.get(result["method"], "alone")]
                    result.update(summary.beside(result, beside))
                    print_progress(result, f"{index + 1}/{arguments.rounds}")
                    yield result


def measure_and_keep(bench, arguments):
    """Returns what plot.py draws; each run is kept in the output file as it ends."""
    bases, measured, results = {}, {}, []
    for result in measure(bench, arguments):
        method = Method(result["method"])
        name = method.name if method.needs_pytorch_2 else "alone"
        if name not in bases:
            bases[name] = bench.base_bytes(method)
        results.append({**result, "base_bytes": bases[name]})
        measured = {"machine": measurements.machine(), "command": sys.argv[1:],
                    "rows": summary.rows(results)}
        if arguments.output:
            arguments.output.write_text(json.dumps(measured, indent=1), encoding="utf-8")
    print_bases(bases)
    return measured


def print_bases(bases):
    for name, base_bytes in bases.items():
        print(f"Python and its libraries, {name}: {base_bytes / 1e6:.0f} MB")


def names(text):
    return text.split(",")


def percents(text):
    return [f"{int(word.rstrip('%'))}%" for word in names(text)]


def budgets(text):
    if not all(0 < float(word) < 1 for word in names(text)):
        raise argparse.ArgumentTypeError(f"{text}: each is a share between 0 and 1")
    return names(text)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small jobs, one round, two limits")
    parser.add_argument("--jobs", type=names, default=JOBS)
    parser.add_argument("--methods", type=names, default=METHODS)
    parser.add_argument("--limits", type=percents)
    parser.add_argument("--segments", type=names)
    parser.add_argument("--budgets", type=budgets)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--steps", type=int, help="14, with --quick 8")
    parser.add_argument("--warm-up", type=int, default=5)
    parser.add_argument("--give-up-after", type=float, default=600, help="seconds of a run")
    parser.add_argument("--folder", type=Path, help="on the disk to measure")
    parser.add_argument("-o", "--output", type=Path, help="JSON, for plot.py too")
    parser.add_argument("--plot", help=".svg or .png")
    arguments = parser.parse_args()
    for unknown in ({*arguments.jobs} - {*jobs.MAKERS}) | ({*arguments.methods} - {*METHODS}):
        parser.error(f"no job and no method is called {unknown}")
    if "swap" in arguments.methods and "stowage" not in arguments.methods:
        parser.error("swap gets as much memory as stowage took: name both")
    fill(arguments)
    return arguments


def fill(arguments):
    """Fills in what --quick decides where nothing is named."""
    quick = arguments.quick
    arguments.limits = arguments.limits or percents("20,40" if quick else "20,40,60,80")
    arguments.segments = arguments.segments or names("4" if quick else "2,4,8")
    arguments.budgets = arguments.budgets or names("0.4" if quick else "0.2,0.4,0.6,0.8")
    arguments.rounds = arguments.rounds or (1 if quick else 3)
    arguments.steps = arguments.steps or (8 if quick else 14)


def main():
    arguments = parsed()
    # An end by `timeout` or `kill` leaves neither a cgroup nor a swap file.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    if "stowage" in arguments.methods and not harness.STOWAGE.exists():
        sys.exit(f"{harness.STOWAGE} does not exist; build it, or name the folder of "
                 "a build in STOWAGE_BINARY_DIR")
    temporary = arguments.folder is None
    arguments.folder = arguments.folder or harness.scratch()
    arguments.methods = without_skipped(arguments.methods)
    bench = methods.Bench(arguments.folder, arguments.steps, arguments.warm_up, arguments.quick,
                          arguments.give_up_after)
    try:
        measured = measure_and_keep(bench, arguments)
    except memory_cgroup.Unavailable as reason:
        sys.exit(f"no memory cgroup can be made here, and nothing is measured without: {reason}")
    except (RuntimeError, OSError, swap_file.Unavailable) as error:
        sys.exit(str(error))
    finally:
        for made in [arguments.folder] if temporary else methods.folders(arguments.folder):
            shutil.rmtree(made, ignore_errors=True)
    print("", summary.HEADER, *map(summary.line, measured["rows"]), sep="\n")
    if arguments.plot:
        draw(measured, arguments.plot)


if __name__ == "__main__":
    main()
