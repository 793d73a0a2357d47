"""The command line as users call it.

    python3 cli_test.py               STOWAGE_BINARY_DIR names the build
    python3 cli_test.py BadInputTest  one class
"""

import gzip
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.request

import chain_graph

SOURCE_DIR = pathlib.Path(
    os.environ.get("STOWAGE_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[3]))
BINARY_DIR = pathlib.Path(os.environ.get("STOWAGE_BINARY_DIR", SOURCE_DIR / "build"))
STOWAGE = BINARY_DIR / "bin" / "stowage"
GRAPH = SOURCE_DIR / "tests/data/resnet152-bs256-a100.pb.gz"
CAPTURED = SOURCE_DIR / "tools/stowage/suites/graphs/alexnet-b8.pb.gz"

USAGE, BAD_DATA, NO_INPUT, UNAVAILABLE, CANNOT_CREATE, INFEASIBLE = 2, 65, 66, 69, 73, 78

KERNEL = {
    "name": "relu",
    "operands": [{"tensor": 0, "read": True}, {"tensor": 1, "write": True}],
    "profile": {"fastInputsFastOutputs": {
        "durationNs": "1000", "source": "DURATION_SOURCE_MEASURED"}},
}
SMALL = {
    "schemaVersion": 1,
    "name": "small",
    "tensors": [{"sizeBytes": "4096", "persistent": True}, {"sizeBytes": "4096"}],
    "kernels": [KERNEL],
}


def stowage(*arguments, **options):
    return subprocess.run([STOWAGE, *map(str, arguments)], capture_output=True,
                          text=True, timeout=300, check=False, **options)


class CliTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else
                         json.dumps(content).encode())
        return path

    def assert_fails(self, result, code, *parts):
        self.assertEqual(result.returncode, code, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)


class RunTest(CliTest):

    def run_job(self, *command, options=()):
        return stowage("run", *options, "--", *command)

    def test_ends_with_the_commands_own_status(self):
        self.assertEqual(self.run_job("sh", "-c", "exit 7").returncode, 7)

    def test_ends_as_a_shell_does_when_a_signal_killed_the_command(self):
        result = self.run_job("sh", "-c", "kill -TERM $$")
        self.assertEqual(result.returncode, 128 + signal.SIGTERM)

    def test_ends_as_a_shell_does_when_the_command_cannot_be_run(self):
        self.assert_fails(self.run_job("/nonexistent/command"), 127, "/nonexistent/command")
        self.assert_fails(self.run_job("/etc/passwd"), 126, "/etc/passwd")

    def test_leaves_the_commands_output_and_options_alone(self):
        result = self.run_job("sh", "-c", 'echo "$@"; cat', "sh", "--fast", "1", "--",
                              options=["--fast", "40%"])
        self.assertEqual(result.stdout, "--fast 1 --\n")

    def test_status_finds_the_private_service_of_a_run(self):
        own = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder)}
        with subprocess.Popen([STOWAGE, "run", "--", "sleep", "300"], env=own) as process:
            nodes = []
            while not nodes and process.poll() is None:
                status = stowage("status", "--format", "json", env=own)
                nodes = status.returncode == 0 and json.loads(status.stdout)["nodes"]
            process.terminate()
        self.assertTrue(nodes[0]["service"].startswith(f"unix:{self.folder}/"), nodes)
        self.assertTrue(nodes[0]["alive"], nodes)

    def test_writes_a_report_without_a_job_and_says_so(self):
        report = self.folder / "r.json"
        result = self.run_job("true", options=["--report", report])
        self.assertIn("no process of the command trained", result.stderr)
        content = json.loads(report.read_text())
        self.assertEqual(content["steps"], [])
        self.assertEqual(content["events"], [])

    def test_forwards_signals_and_leaves_nothing_behind(self):
        with subprocess.Popen([STOWAGE, "run", "--", "sh", "-c",
                               'echo "$STOWAGE_AGENT"; exec sleep 300'],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as process:
            agent_folder = pathlib.Path(process.stdout.readline().strip()).parent
            self.assertTrue(agent_folder.is_dir())
            process.terminate()
            self.assertEqual(process.wait(60), 128 + signal.SIGTERM)
        self.assertFalse(agent_folder.exists())

    def test_stops_its_agent_and_service_when_it_is_killed(self):
        with subprocess.Popen([STOWAGE, "run", "--", "sh", "-c",
                               'echo "$STOWAGE_AGENT $$"; exec sleep 300'],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as process:
            socket, command_pid = process.stdout.readline().split()
            self.addCleanup(os.kill, int(command_pid), signal.SIGKILL)
            process.kill()
            process.wait()
            deadline = time.monotonic() + 30
            while users_of(socket) and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(users_of(socket), [])

    def test_refuses_before_it_starts_what_could_not_be_written(self):
        marker = self.folder / "ran"
        result = self.run_job("touch", marker,
                              options=["--report", self.folder / "none/r.json"])
        self.assert_fails(result, 73, "none/r.json")
        self.assertFalse(marker.exists())

    def test_refuses_a_limit_that_is_none(self):
        result = self.run_job("true", options=["--fast", "lots"])
        self.assert_fails(result, USAGE, "lots", "900MiB")

    def test_says_why_the_agent_refuses_a_slow_tier(self):
        result = self.run_job("true", options=["--slow", "file:/nonexistent/folder"])
        self.assert_fails(result, UNAVAILABLE, "/nonexistent/folder")


class ServeTest(CliTest):

    def serve(self, *options):
        process = subprocess.Popen([STOWAGE, "serve", "--format", "json", *map(str, options)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process, json.loads(process.stdout.readline())

    def assert_ended(self, process, addresses, status):
        self.assertEqual(process.wait(60), status, process.stderr.read())
        self.assertFalse(pathlib.Path(addresses["agent"]).parent.exists())
        self.assertEqual(users_of(addresses["agent"]), [])

    def test_serves_runs_until_it_is_told_to_stop(self):
        process, addresses = self.serve()
        status = stowage("status", "--service", addresses["service"])
        self.assertIn("alive", status.stdout, status.stderr)
        run = stowage("run", "--agent", addresses["agent"], "--", "sh", "-c",
                      'echo "$STOWAGE_AGENT"')
        self.assertEqual(run.stdout.strip(), addresses["agent"])
        process.terminate()
        self.assert_ended(process, addresses, 0)

    def test_serves_metrics_where_it_is_asked_to(self):
        _, addresses = self.serve("--metrics-address", "127.0.0.1:0")
        with urllib.request.urlopen(f"http://{addresses['metrics']}/metrics") as page:
            self.assertIn("stowaged_", page.read().decode())

    def test_ends_with_the_process_it_is_tied_to(self):
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as owner:
            process, addresses = self.serve("--until-exit", owner.pid)
        self.assert_ended(process, addresses, 0)

    def test_says_so_when_its_agent_dies(self):
        process, addresses = self.serve()
        for pid in users_of(addresses["agent"]):
            if "stowage-agent" in pathlib.Path(f"/proc/{pid}/cmdline").read_text():
                os.kill(int(pid), signal.SIGKILL)
        self.assertEqual(process.wait(60), UNAVAILABLE)
        self.assertIn("stowage-agent' ended with status 137", process.stderr.read())

    def test_refuses_a_process_that_is_not_there(self):
        self.assert_fails(stowage("serve", "--until-exit", 1 << 22), USAGE, str(1 << 22))


def users_of(socket):
    """Programs of Stowage, other than the command line, that name `socket`'s folder."""
    folder = str(pathlib.Path(socket).parent)
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0")
        except (OSError, UnicodeDecodeError):
            continue
        if pathlib.Path(words[0]).name in ("stowaged", "stowage-agent"):
            found += [entry.name for word in words[1:] if folder in word][:1]
    return found


class BadInputTest(CliTest):
    """Every message names the place, and nothing is written."""

    def assert_refused(self, path, code, *parts):
        output = self.folder / "out.pb"
        for command in (["graph", "validate"], ["graph", "import", "-o", output],
                        ["plan", "--system", "optane", "--fast-ratio", "0.5", "-o", output]):
            self.assert_fails(stowage(*command, path), code, str(path), *parts)
        self.assertFalse(output.exists())

    def changed(self, **fields):
        return self.write("graph.json", {**SMALL, **fields})

    def test_a_valid_graph_is_accepted(self):
        result = stowage("graph", "validate", self.write("graph.json", SMALL))
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_missing_file(self):
        self.assert_refused(self.folder / "none.json", NO_INPUT)

    def test_a_directory(self):
        self.assert_refused(self.folder, NO_INPUT, "Is a directory")

    def test_an_empty_file(self):
        self.assert_refused(self.write("empty.pb", b""), BAD_DATA, "no data")

    def test_a_truncated_gzip_file(self):
        path = self.write("graph.pb.gz", GRAPH.read_bytes()[:2000])
        self.assert_refused(path, BAD_DATA, "truncated gzip", "2000")

    def test_a_truncated_binary_graph(self):
        path = self.write("graph.pb", gzip.decompress(GRAPH.read_bytes())[:-7])
        self.assert_refused(path, BAD_DATA, "truncated")

    def test_invalid_json(self):
        self.assert_refused(self.write("graph.json", b'{"name": \n tiny}'), BAD_DATA, "line 2")

    def test_another_schema(self):
        self.assert_refused(self.changed(schemaVersion=2), BAD_DATA, "schema_version", "2")

    def test_a_trace_of_another_schema(self):
        self.assert_refused(self.write("t.json", {"schema": "9.9", "nodes": []}), BAD_DATA, "9.9")

    def test_an_unknown_field(self):
        self.assert_refused(self.changed(colour="green"), BAD_DATA, "colour")

    def test_a_negative_size(self):
        self.assert_refused(self.changed(tensors=[{"sizeBytes": "-1"}, {"sizeBytes": "1"}]),
                            BAD_DATA, "tensors[0]", "-1")

    def test_a_negative_duration(self):
        kernel = {**KERNEL, "profile": {"fastInputsFastOutputs": {
            "durationNs": "-5", "source": "DURATION_SOURCE_MEASURED"}}}
        self.assert_refused(self.changed(kernels=[kernel]), BAD_DATA, "kernels[0]", "-5")

    def test_an_operand_outside_the_table(self):
        kernel = {**KERNEL, "operands": [{"tensor": 99, "read": True}]}
        self.assert_refused(self.changed(kernels=[kernel]), BAD_DATA, "kernels[0]", "99")

    def test_calls_that_are_cyclic(self):
        empty = {"inputs": [], "input_shapes": [], "outputs": [], "output_shapes": []}
        nodes = [{"id": 2, "parent": 3, "name": "aten::relu", **empty},
                 {"id": 3, "parent": 2, "name": "aten::relu", **empty}]
        self.assert_refused(self.write("t.json", {"schema": "1.0.1", "nodes": nodes}),
                            BAD_DATA, "node 2", "cyclic")

    def test_more_than_is_read(self):
        path = self.folder / "large.pb"
        with open(path, "wb") as file:
            file.truncate((1 << 30) + 1)
        self.assert_refused(path, BAD_DATA, "at most")

    def test_a_gzip_bomb(self):
        path = self.folder / "bomb.pb.gz"
        with gzip.open(path, "wb", compresslevel=9) as file:
            for _ in range(1025):
                file.write(bytes(1 << 20))
        self.assert_fails(stowage("graph", "validate", path), BAD_DATA, str(path), "once decompressed")


class PlanTest(CliTest):

    def test_makes_a_plan_that_verifies(self):
        plan = self.folder / "plan.json"
        made = stowage("plan", GRAPH, "--system", "g10-a100", "--fast-ratio", "0.5",
                       "--policy", "belady", "-o", plan, "--format", "json")
        self.assertEqual(made.returncode, 0, made.stderr)
        summary = json.loads(made.stdout)
        self.assertLessEqual(summary["fast_peak_bytes"], summary["fast_limit_bytes"])
        verified = stowage("verify", GRAPH, plan, "--system", "g10-a100")
        self.assertEqual(verified.returncode, 0, verified.stderr)

    def test_refuses_a_plan_of_another_graph(self):
        small = self.write("graph.json", SMALL)
        plan = self.folder / "plan.pb"
        made = stowage("plan", small, "--system", "optane", "--fast-bytes", "1MiB", "-o", plan)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assert_fails(stowage("verify", GRAPH, plan, "--system", "optane"),
                          INFEASIBLE, "graph-mismatch")

    def test_says_the_least_limit_when_the_limit_is_too_small(self):
        output = self.folder / "plan.pb"
        result = stowage("plan", GRAPH, "--system", "gpu-pcie", "--fast-bytes", "1MiB",
                         "-o", output)
        self.assert_fails(result, INFEASIBLE, "least limit")
        self.assertFalse(output.exists())

    def test_refuses_unknown_policies_and_systems(self):
        self.assert_fails(stowage("plan", GRAPH, "--system", "optane", "--fast-ratio", "0.5",
                                  "--policy", "magic"), USAGE, "belady")
        self.assert_fails(stowage("plan", GRAPH, "--system", "none", "--fast-ratio", "0.5"),
                          NO_INPUT, "optane")

    def test_refuses_a_time_limit_that_is_no_number_of_seconds(self):
        for limit in ("nan", "-1", "1e9", "soon"):
            self.assert_fails(stowage("plan", GRAPH, "--system", "optane", "--fast-ratio", "0.5",
                                      "--time-limit", limit), USAGE, limit)

    def plan(self, *options):
        return stowage("plan", CAPTURED, "--system", "optane", "--fast-ratio", "0.5", *options)

    def test_refuses_seeds_that_are_no_whole_numbers(self):
        for seed in ("-1", "1.5", "99999999999999999999"):
            self.assert_fails(self.plan("--seed", seed), USAGE, "--seed", seed)

    def test_refuses_options_that_would_do_nothing(self):
        self.assert_fails(self.plan("--policy", "lru", "--dqn", "a.dqn"), USAGE, "--dqn", "lru")
        self.assert_fails(self.plan("-o", ""), USAGE, "--output", "empty")
        self.assert_fails(self.plan("--iteration", "-1"), USAGE, "--iteration")

    def test_refuses_before_it_plans_what_could_not_be_written(self):
        for option, name in (("-o", "plan.pb"), ("--plot", "plan.svg")):
            path = self.folder / "none" / name
            self.assert_fails(self.plan(option, path), CANNOT_CREATE, str(path))

    def test_tells_a_policy_file_that_is_missing_from_one_that_is_bad(self):
        self.assert_fails(self.plan("--policy", "deeptm:none.dqn"), NO_INPUT, "none.dqn")
        self.assert_fails(self.plan("--policy", f"deeptm:{GRAPH}"), BAD_DATA, str(GRAPH))

    def test_names_an_unreadable_memory_system_once(self):
        result = stowage("plan", CAPTURED, "--system", self.folder, "--fast-ratio", "0.5")
        self.assert_fails(result, NO_INPUT, "Is a directory")
        self.assertEqual(result.stderr.count(str(self.folder)), 1)

    # The kernel is fastest with 6 MiB of workspace; 1 MiB does as well.
    CHOICE = {
        "schemaVersion": 1,
        "name": "choice",
        "tensors": [{"sizeBytes": str(2 << 20), "persistent": True},
                    {"sizeBytes": str(2 << 20)},
                    {"sizeBytes": str(6 << 20), "kind": "TENSOR_KIND_WORKSPACE",
                     "birthKernel": 0, "deathKernel": 0}],
        "kernels": [{**KERNEL, "alternatives": [
            {"name": "implicit", "workspaceBytes": str(1 << 20),
             "profile": {"fastInputsFastOutputs": {
                 "durationNs": "1500", "source": "DURATION_SOURCE_MEASURED"}}}]}],
    }

    def test_states_which_implementation_a_kernel_runs(self):
        graph = self.write("graph.json", self.CHOICE)
        shown = stowage("graph", "show", graph)
        self.assertRegex(shown.stdout, r"1 implicit +1.5\d* us +1.0\d* MiB")
        plan = self.folder / "plan.json"
        made = stowage("plan", graph, "--system", "gpu-pcie", "--fast-bytes", "6MiB",
                       "--policy", "autotm-sync", "-o", plan, "--format", "json")
        self.assertEqual(made.returncode, 0, made.stderr)
        choice = [{"kernel": 0, "implementation": 1}]
        self.assertEqual(json.loads(made.stdout)["implementations"], choice)
        self.assertEqual(json.loads(made.stdout)["step_time_ns"], 1500)
        verify = ["verify", graph, plan, "--system", "gpu-pcie"]
        self.assertEqual(stowage(*verify).returncode, 0)
        content = json.loads(plan.read_text())
        content["implementations"][0]["implementation"] = 2
        plan.write_text(json.dumps(content))
        self.assert_fails(stowage(*verify), INFEASIBLE, "bad-implementation")
        del content["implementations"]
        plan.write_text(json.dumps(content))
        self.assert_fails(stowage(*verify), INFEASIBLE)

    def test_writes_a_comparison_as_json_where_the_name_says_so(self):
        rows = self.folder / "rows.json"
        compared = stowage("compare", self.write("graph.json", SMALL), "--system", "optane",
                           "--fast-bytes", "1MiB", "--policies", "lru", "-o", rows)
        self.assertEqual(compared.returncode, 0, compared.stderr)
        self.assertEqual([row["policy"] for row in json.loads(rows.read_text())], ["lru"])

    def test_draws_a_step(self):
        picture = self.folder / "step.svg"
        result = stowage("plan", GRAPH, "--system", "g10-a100", "--fast-ratio", "0.5",
                         "--plot", picture)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("<svg", picture.read_text())


class CalibrateTest(CliTest):

    def test_measures_a_system_that_plan_takes(self):
        system, picture = self.folder / "host.json", self.folder / "host.svg"
        result = stowage("calibrate", "--slow", f"file:{self.folder}", "--largest",
                         "64KiB", "-o", system, "--plot", picture)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("in beside out", result.stdout)
        self.assertIn("64.0 KiB", result.stdout)
        self.assertIn("20/20 both ways", result.stderr)
        self.assertRegex(result.stdout, r"both ways at once, copies out keep \d+ % of their "
                                        r"bandwidth, and copies in \d+ %")
        self.assertIn("<svg", picture.read_text())
        curves = json.loads(system.read_text())["copies"]
        self.assertEqual([4096, 16384, 65536],
                         [int(point["bufferBytes"]) for point in curves[0]["points"]])
        for curve in curves:
            self.assertGreaterEqual(curve["bothWaysShare"], 0.05)
            self.assertLessEqual(curve["bothWaysShare"], 1)
        planned = stowage("plan", CAPTURED, "--system", system, "--fast-ratio", "0.4")
        self.assertEqual(planned.returncode, 0, planned.stderr)

    def test_gives_the_same_as_json(self):
        result = stowage("calibrate", "--slow", "emulated:cxl", "--largest", "4KiB",
                         "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        [size] = json.loads(result.stdout)["sizes"]
        self.assertEqual(size["buffer_bytes"], 4096)
        self.assertGreater(size["in_both_ways_bytes_per_second"], 0)

    def test_refuses_what_it_cannot_measure(self):
        self.assert_fails(stowage("calibrate", "--slow", "file:/no/such"), NO_INPUT,
                          "/no/such")
        self.assert_fails(stowage("calibrate", "--slow", "tape:/x"), USAGE, "'tape'")
        for largest in ("1KiB", "2GiB", "0", "much"):
            self.assert_fails(
                stowage("calibrate", "--slow", "emulated:cxl", "--largest", largest),
                USAGE, "--largest", largest)
        self.assert_fails(
            stowage("calibrate", "--slow", "emulated:cxl", "-o", "/no/such/x.json"),
            CANNOT_CREATE, "/no/such")


class TrainTest(CliTest):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.shared = pathlib.Path(folder.name)
        cls.graph = cls.shared / "graph.json"
        cls.graph.write_text(json.dumps(chain_graph.CHAIN))
        cls.policy = cls.shared / "chain.dqn"
        cls.picture = cls.shared / "training.svg"
        cls.trained = cls.train(cls.policy, "--plot", cls.picture, "--format", "json")

    @classmethod
    def train(cls, output, *options, fast="2MiB"):
        return stowage("train", cls.graph, "--system", "optane", "--fast-bytes", fast,
                       "--episodes", 4, "--seed", 1, "-o", output, *options)

    def plan_with(self, policy, *options):
        return stowage("plan", self.graph, "--system", "optane", "--fast-bytes", "2MiB",
                       "--policy", "deeptm", "--dqn", policy, *options)

    def test_trains_a_policy_that_plan_and_compare_use(self):
        self.assertEqual(self.trained.returncode, 0, self.trained.stderr)
        summary = json.loads(self.trained.stdout)
        self.assertEqual(summary["episodes_done"], 4)
        self.assertEqual([plan["policy"] for plan in summary["plans"]],
                         ["deeptm", "first-touch", "lru", "belady"])
        self.assertIn("4/4", self.trained.stderr)
        self.assertIn("<svg", self.picture.read_text())

        plan = self.folder / "plan.pb"
        made = self.plan_with(self.policy, "-o", plan)
        self.assertEqual(made.returncode, 0, made.stderr)
        verified = stowage("verify", self.graph, plan, "--system", "optane")
        self.assertEqual(verified.returncode, 0, verified.stderr)
        compared = stowage("compare", self.graph, "--system", "optane", "--fast-bytes", "2MiB",
                           "--dqn", self.policy, "--policies", "lru,deeptm", "--format", "json")
        self.assertEqual(compared.returncode, 0, compared.stderr)
        rows = {row["policy"]: row for row in json.loads(compared.stdout)}
        self.assertEqual(rows["deeptm"]["step_time_ns"], summary["plans"][0]["step_time_ns"])

    def test_is_deterministic_and_goes_on_from_a_policy(self):
        again = self.folder / "again.dqn"
        self.assertEqual(self.train(again).returncode, 0)
        self.assertEqual(again.read_bytes(), self.policy.read_bytes())
        resumed = self.train(again, "--resume", again)
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertNotEqual(again.read_bytes(), self.policy.read_bytes())

    def test_says_that_a_graph_which_fits_has_nothing_to_learn(self):
        policy = self.folder / "fits.dqn"
        result = self.train(policy, fast="1GiB")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("fits", result.stdout)
        self.assert_fails(self.plan_with(policy), INFEASIBLE, "nothing to learn")

    def test_refuses_what_is_out_of_range(self):
        policy = self.folder / "none.dqn"
        self.assert_fails(self.train(policy, "--beta", 1.5), USAGE, "1.5")
        self.assert_fails(self.train(policy, "--slow-price", -1), USAGE, "-1")
        self.assert_fails(self.train(policy, "--plot", "a.txt"), USAGE, ".svg")
        self.assertFalse(policy.exists())

    def test_refuses_policies_that_are_torn_or_of_another_graph(self):
        content = self.policy.read_bytes()
        torn = self.write("torn.dqn", content[:-9])
        tampered = self.write("tampered.dqn", content[:-1] + bytes([content[-1] ^ 1]))
        for path in (torn, tampered):
            self.assert_fails(self.train(self.folder / "x.dqn", "--resume", path),
                              BAD_DATA, str(path))
            self.assert_fails(self.plan_with(path), BAD_DATA, str(path))
        other = self.write("other.json", SMALL)
        self.assert_fails(
            stowage("train", other, "--system", "optane", "--fast-bytes", "4096",
                    "--resume", self.policy, "-o", self.folder / "x.dqn"),
            INFEASIBLE, "trained for graph")

    def test_says_how_to_make_the_policy_that_is_missing(self):
        self.assert_fails(
            stowage("plan", self.graph, "--system", "optane", "--fast-bytes", "2MiB",
                    "--policy", "deeptm"), USAGE, "stowage train")


class StatusTest(CliTest):

    def test_says_that_a_service_cannot_be_reached(self):
        address = f"unix:{self.folder}/none.sock"
        self.assert_fails(stowage("status", "--service", address), UNAVAILABLE, address)


class ResizeTest(CliTest):

    def test_says_that_a_service_cannot_be_reached(self):
        address = f"unix:{self.folder}/none.sock"
        self.assert_fails(stowage("resize", "j", "1MiB", "--service", address),
                          UNAVAILABLE, address)

    def test_takes_the_service_from_the_environment_where_no_agent_is_named(self):
        address, socket = f"unix:{self.folder}/none.sock", str(self.folder / "agent.sock")
        service = {**os.environ, "STOWAGE_SERVICE": address}
        service.pop("STOWAGE_AGENT", None)
        self.assert_fails(stowage("resize", "j", "1MiB", env=service), UNAVAILABLE, address)
        both = {**service, "STOWAGE_AGENT": socket}
        self.assert_fails(stowage("resize", "j", "1MiB", env=both), UNAVAILABLE, socket)
        self.assert_fails(stowage("resize", "j", "1MiB", "--service", address, env=both),
                          UNAVAILABLE, address)

    def test_refuses_an_agent_and_a_service(self):
        self.assert_fails(
            stowage("resize", "j", "1MiB", "--service", "unix:/s", "--agent", "/a"),
            USAGE, "--service", "--agent")

    def test_refuses_limits_that_are_none(self):
        for limit, code in (("lots", BAD_DATA), ("40", BAD_DATA), ("auto", INFEASIBLE)):
            self.assert_fails(stowage("resize", "j", limit, "--service", "unix:/s"), code)

    def test_says_that_the_service_has_no_such_job(self):
        with subprocess.Popen([STOWAGE, "serve", "--format", "json"],
                              stdout=subprocess.PIPE, text=True) as process:
            address = json.loads(process.stdout.readline())["service"]
            results = [stowage("resize", job, "1MiB", "--service", address)
                       for job in ("nobody", "no body")]
            process.terminate()
        self.assert_fails(results[0], INFEASIBLE, "no job 'nobody'")
        self.assert_fails(results[1], BAD_DATA, "job_id", "'no body'")


class UsageTest(CliTest):

    def test_states_its_version(self):
        self.assertRegex(stowage("--version").stdout, r"stowage \d+\.\d+\.\d+")

    def test_refuses_what_it_does_not_know(self):
        self.assert_fails(stowage("stow"), USAGE, "'stow'")
        self.assert_fails(stowage("graph", "draw"), USAGE, "'draw'")
        self.assert_fails(stowage("graph"), USAGE, "subcommand is required")
        self.assertEqual(stowage("run", "--quickly", "--", "true").returncode, USAGE)
        self.assertEqual(stowage("run").returncode, USAGE)


if __name__ == "__main__":
    unittest.main()
