"""Records what every panel of the dashboards shows of a service and an agent at work.

    python3 tests/bench/dashboards/record.py build/dashboards.json
    python3 tests/bench/dashboards/draw.py build/dashboards.json docs/pictures

It takes eight minutes. Jobs begin and end in them, one has its limit changed, one leaves
its plan and has a DQN policy trained, one is refused, and the service is away for a while.
"""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "e2e/deploy"))

import expressions  # noqa: E402
import live_stack  # noqa: E402
import harness  # noqa: E402
import processes  # noqa: E402

STEP_S = 2
# Grafana takes four scrapes at least.
RATE_INTERVAL = "15s"
# Where other programs take processors, all steps differ from their prediction.
SERVICE_FLAGS = ["--drift-threshold=1"]
# More steps than a job can make in this time.
ENDLESS = 5000


class Scenario:
    """What happens, each event at a second since the start."""

    def __init__(self, stack):
        self.stack = stack
        self.jobs = {}

    def events(self):
        return {
            10: lambda: self.start("adapts", fast="20MiB", hold_from=60,
                                   policy="deeptm", hints=True),
            40: lambda: self.start("first", fast="24MiB"),
            130: lambda: self.resize("first", "16MiB"),
            210: lambda: self.resize("first", "24MiB"),
            270: lambda: self.start("third", fast="30%"),
            300: lambda: self.stack.start_job("refused", fast="20MiB", steps=1,
                                              floor="1GiB").wait(),
            345: lambda: self.stack.host.signal("service", signal.SIGTERM),
            365: lambda: self.stack.host.start("service"),
            460: lambda: self.jobs["third"].terminate(),
        }

    def start(self, name, **options):
        self.jobs[name] = self.stack.start_job(name, steps=ENDLESS, **options)

    def resize(self, name, limit):
        job = processes.child_named(self.jobs[name].pid, "python3")
        subprocess.run([harness.STOWAGE, "resize", str(job), limit], check=True,
                       env=harness.environment(STOWAGE_AGENT=self.stack.host.socket),
                       timeout=harness.TIMEOUT_S)

    def run(self, end_s):
        begin = time.monotonic()
        for at_s, event in [*self.events().items(), (end_s, lambda: None)]:
            # What is recorded is how the stack does over time.
            time.sleep(max(0, begin + at_s - time.monotonic()))
            event()


def recorded(server, begin_s, end_s):
    """Returns for each query of each panel its series and their last samples."""
    found = {}
    for name, dashboard in expressions.dashboards().items():
        for panel in dashboard["panels"]:
            for target in panel.get("targets", ()):
                promql = expressions.interpolated(
                    target["expr"], rate_interval=RATE_INTERVAL,
                    range=f"{round(end_s - begin_s)}s")
                found[f"{name} {panel['id']} {target['refId']}"] = {
                    "range": server.query_range(promql, begin_s, end_s, STEP_S),
                    "instant": server.query(promql),
                }
    return found


def main():
    folder = harness.scratch()
    try:
        with live_stack.LiveStack(folder, SERVICE_FLAGS) as stack:
            stack.await_scrape()
            begin_s = time.time()
            Scenario(stack).run(end_s=480)
            end_s = time.time()
            record = {"begin_s": begin_s, "end_s": end_s, "step_s": STEP_S,
                      "queries": recorded(stack.server, begin_s, end_s)}
        Path(sys.argv[1]).write_text(json.dumps(record), encoding="utf-8")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
