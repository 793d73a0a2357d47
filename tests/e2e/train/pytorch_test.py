"""Stowage trains with the newest PyTorch of PyPI, compiled or not.

Needs the environment of tools/torch-environment.sh, and a plug-in for it beside the
programs, as tools/test.sh makes both; skips without them.
"""

import os
import shutil
import subprocess
import unittest
from pathlib import Path
from unittest import mock

import harness

SOURCES = Path(__file__).resolve().parents[3]
MODEL = ("train_model.py", "mobilenet_v2", "--batch", "4", "--image", "64", "--steps", "6")
TAKEN_KEY = """
import torch
import stowage
taken = torch.library.Library("_", "IMPL")
taken.fallback(torch.library.fallthrough_kernel, "Fake")
stowage.init(fast="40%", slow="file:" + {folder!r})
torch.manual_seed(0)
net = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(8)])
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
inputs = torch.randn(64, 512)
for _ in range(5):
    optimizer.zero_grad()
    loss = net(inputs).square().mean()
    loss.backward()
    optimizer.step()
print("loss", loss.item(), stowage.attached())
"""
AHEAD_OF_TIME = """
import torch
torch.ones(1)
torch._C._aoti.AOTIModelPackageLoader("{}", "model", False, 1, -1)
"""
# As the code that Inductor generates calls its backends.
OTHER_BACKENDS = """
import types
import torch
torch.ones(1)
from torch._inductor.async_compile import AsyncCompile
calls = {"triton": lambda make: make("name", "source", device_str="cpu"),
         "halide": lambda make: make(types.SimpleNamespace(target="host"), "source"),
         "pallas": lambda make: make("name", "source")}
for backend, call in calls.items():
    if not hasattr(AsyncCompile, backend):
        continue
    try:
        call(getattr(AsyncCompile(), backend))
    except RuntimeError as error:
        assert "stowage: Inductor's backend '" + backend in str(error), error
    else:
        raise AssertionError(backend)
try:
    AsyncCompile().triton("name", "source", device_str="cuda")
except Exception as error:
    assert "stowage" not in str(error), error
"""


# For a GPU, and where there is none, for the processor.
CUDA = """
import sys
import torch
net = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(8)])
inputs = torch.ones(64, 512)
try:
    net.cuda()
    inputs = inputs.cuda()
except (AssertionError, RuntimeError):
    if "--insist" in sys.argv:
        raise
for parameter in net.parameters():
    torch.nn.init.constant_(parameter, 0.001)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(6):
    optimizer.zero_grad()
    loss = net(inputs).square().mean()
    loss.backward()
    optimizer.step()
print("loss", loss.item())
"""


def environment_tool(*arguments):
    result = subprocess.run([SOURCES / "tools/torch-environment.sh", *arguments],
                            check=False, capture_output=True, text=True)
    return result.stdout.strip()


class PytorchTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        version = environment_tool("--newest")
        harness.PYTHON = environment_tool("--find", version)
        plugin = harness.BINARY_DIR / f"lib/stowage/torch-{version}/libstowage_torch.so"
        if not harness.PYTHON or not plugin.exists():
            raise unittest.SkipTest(f"no PyTorch {version} with a plug-in; tools/test.sh "
                                    f"--torch {version} makes them")

    def setUp(self):
        self.folder = harness.scratch()
        self.addCleanup(shutil.rmtree, self.folder)

    def compiled(self, *options):
        """Checks the bits and the limit of a compiled job, and returns its run."""
        arguments = ("train_compiled.py", *options)
        run = harness.stowed(*arguments)
        self.assertEqual(harness.plain(*arguments), run.digest, run.summary())
        run.check_limit(self)
        self.assertIn("plan", run.modes, run.summary())
        return run

    def test_an_unmodified_script_is_planned_and_keeps_its_bits(self):
        run = harness.stowed(*MODEL)
        self.assertEqual(harness.plain(*MODEL), run.digest)
        run.check_planned(self)
        run.check_limit(self)

    def test_compiled_kernels_are_kernels_of_the_plan(self):
        run = self.compiled("--steps", "6")
        names = [kernel["name"] for kernel in run.report["kernels"]]
        self.assertTrue(any(name.startswith("inductor::cpp_fused") for name in names), names)
        run.check_planned(self)

    def test_graph_breaks_and_evaluations_keep_their_bits(self):
        # Only if Dynamo compiles the same frames as without Stowage.
        self.compiled("--steps", "9", "--breaks", "--evaluate")

    def test_shapes_may_be_dynamic(self):
        self.compiled("--steps", "10", "--batches", "4,6")

    def test_a_compiled_function_may_call_modules(self):
        self.compiled("--steps", "6", "--compile-loss")

    def test_the_step_of_a_compiled_optimizer_has_an_end(self):
        self.compiled("--steps", "6", "--compile-update")

    def test_the_package_changes_no_bit_of_a_compiled_script(self):
        arguments = ("train_api.py", "--compile", "--phases", "--keep", "2")
        run = harness.stowed(*arguments)
        self.assertEqual(harness.plain(*arguments), run.digest, run.summary())
        run.check_limit(self)
        self.assertEqual({"warmup", "train"}, {step["phase"] for step in run.report["steps"]})

    # PyTorch 1.13 gives them storages of another kind.
    def test_tensors_that_were_loaded_can_still_move(self):
        run = harness.stowed("hazards_files.py", "best_weights", fast="35%")
        self.assertEqual("plan", run.modes[-1], run.summary())
        self.assertFalse({"layout-taken", "plan-outgrown"} & set(run.event_reasons),
                         run.summary())

    def test_ranks_of_a_sharded_model_follow_plans(self):
        launcher = [harness.PYTHON, *harness.TWO_RANKS,
                    str(harness.SCRIPTS / "train_sharded.py"), "--out"]
        subprocess.run([*launcher, self.folder / "alone"], check=True, capture_output=True,
                       env=harness.environment(), timeout=harness.TIMEOUT_S)
        for limit in ("70%", "20%"):
            run = harness.stowed_command([*launcher, str(self.folder / "stowed")], self.folder,
                                         fast=limit)
            self.assertEqual(0, run.status, run.output)
            for rank in (0, 1):
                self.assertEqual((self.folder / f"alone.{rank}").read_text(),
                                 (self.folder / f"stowed.{rank}").read_text())
            planned = [job for job in run.report["jobs"]
                       if "plan" in [step["mode"] for step in job["steps"]]]
            self.assertEqual(2, len(planned), run.summary())

    def test_a_compiled_wrapper_is_refused(self):
        run = harness.stowed("train_compiled.py", "--cpp-wrapper", check=False)
        self.assertEqual(1, run.status, run.output)
        self.assertIn("without cpp_wrapper", run.output)

    def test_a_model_that_was_compiled_ahead_of_time_is_refused(self):
        run = harness.stowed_command(
            [harness.PYTHON, "-c", AHEAD_OF_TIME.format(self.folder / "model.pt2")], self.folder)
        self.assertEqual(1, run.status, run.output)
        self.assertIn("compiled ahead of time", run.output)

    def test_backends_that_do_not_announce_their_kernels_are_refused_on_cpus(self):
        run = harness.stowed_command([harness.PYTHON, "-c", OTHER_BACKENDS], self.folder)
        self.assertEqual(0, run.status, run.output)

    def cuda(self, *arguments):
        """Runs the script for a GPU alone and under Stowage, and returns both."""
        command = [harness.PYTHON, "-c", CUDA, *arguments]
        alone = subprocess.run(command, check=False, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True,
                               env=harness.environment(), timeout=harness.TIMEOUT_S)
        return alone, harness.stowed_command(command, self.folder)

    @unittest.skipIf(Path("/dev/nvidiactl").exists(), "there is a GPU")
    def test_a_script_that_finds_no_gpu_trains_by_plans(self):
        alone, run = self.cuda()
        self.assertEqual(0, run.status, run.output)
        self.assertIn(alone.stdout.strip().splitlines()[-1], run.output)
        run.check_planned(self)
        run.check_limit(self)

    @unittest.skipIf(Path("/dev/nvidiactl").exists(), "there is a GPU")
    def test_a_script_that_insists_on_a_gpu_fails_as_it_does_alone(self):
        alone, run = self.cuda("--insist")
        self.assertNotEqual(0, alone.returncode, alone.stdout)
        self.assertEqual(alone.returncode, run.status, run.output)
        self.assertIn(alone.stdout.strip().splitlines()[-1], run.output)

    def test_of_two_pytorches_the_one_that_is_imported_counts(self):
        # Debian's, which the path names first: other bits than the newest computes.
        model = (*MODEL[:-1], "7")
        run = harness.stowed(*model, env={"PYTHONPATH": "/usr/lib/python3/dist-packages"})
        with mock.patch.object(harness, "PYTHON", "/usr/bin/python3"):
            self.assertEqual(harness.plain(*model), run.digest)
        run.check_planned(self)
        run.check_limit(self)

    def test_another_key_serves_where_the_first_is_taken(self):
        python = harness.BINARY_DIR / "share/stowage/python"
        result = subprocess.run(
            [harness.PYTHON, "-c", TAKEN_KEY.format(folder=str(self.folder))],
            check=False, capture_output=True, text=True, timeout=harness.TIMEOUT_S,
            env=harness.environment(
                PYTHONPATH=str(python),
                STOWAGE_PLUGIN=str(harness.BINARY_DIR / "lib/libstowage_torch.so")))
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertTrue(result.stdout.strip().endswith("True"), result.stdout)

    def test_a_version_without_a_plug_in_is_refused(self):
        # Another installation of the programs, without any plug-in of 2.x.
        for part in ("bin/stowage", "bin/stowaged", "bin/stowage-agent",
                     "lib/libstowage_preload.so", "lib/libstowage_torch.so"):
            path = self.folder / part
            path.parent.mkdir(exist_ok=True)
            os.link(harness.BINARY_DIR / part, path)
        result = subprocess.run(
            [self.folder / "bin/stowage", "run", "--fast", "40%", "--slow",
             f"file:{self.folder}", "--", harness.PYTHON, "-c", "import torch; torch.ones(1)"],
            check=False, capture_output=True, text=True, timeout=harness.TIMEOUT_S,
            env=harness.environment(XDG_DATA_HOME=str(self.folder)))
        self.assertEqual(harness.REFUSED, result.returncode, result.stderr)
        self.assertIn("there is no plug-in for PyTorch 2.", result.stderr)
        self.assertIn("stowage plugin build --torch ", result.stderr)


if __name__ == "__main__":
    unittest.main()
