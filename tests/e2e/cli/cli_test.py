"""The command line as users call it.

    python3 cli_test.py               STOWAGE_BINARY_DIR names the build
    python3 cli_test.py BadInputTest  one class
"""

import gzip
import json
import os
import subprocess
import unittest

from command_line import (BAD_DATA, CANNOT_CREATE, CAPTURED, GRAPH, INFEASIBLE, KERNEL, NO_INPUT,
                          SMALL, STOWAGE, UNAVAILABLE, USAGE, CliTest, stowage)


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
