"""Dependencies point one way, and no source carries what must not be shipped."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import rules

ROOT = Path(
    os.environ.get("STOWAGE_SOURCE_DIR",
                   Path(__file__).resolve().parents[3]))
PLUGIN = Path(os.environ.get("STOWAGE_BINARY_DIR",
                             ROOT / "build")) / "lib/libstowage_torch.so"


class SourceTreeTest(unittest.TestCase):

    def test_keeps_every_rule(self):
        violations = rules.check_tree(ROOT)
        self.assertEqual([], violations, "\n" + "\n".join(violations))

    def test_architecture_page_names_every_folder_with_a_rule(self):
        page = (ROOT / "docs/architecture.md").read_text()
        for folder in rules.PROJECT_HEADERS:
            self.assertIn(f"`{folder}`", page,
                          f"docs/architecture.md does not mention {folder}")
        for folder, reason in rules.LARGE_FOLDERS.items():
            self.assertIn(f"| `{folder}` | {reason} |", page)


@unittest.skipUnless(PLUGIN.exists(), "the plug-in is not built")
class PluginTest(unittest.TestCase):

    def test_needs_nothing_but_libtorch_and_libc(self):
        dynamic = subprocess.run(["readelf", "-d", PLUGIN],
                                 check=True,
                                 capture_output=True,
                                 text=True).stdout
        needed = [
            l.split("[")[1].rstrip("]")
            for l in dynamic.splitlines()
            if "(NEEDED)" in l
        ]
        known = ("libtorch", "libc10", "libc.so", "libm.so", "libstdc++.so",
                 "libgcc_s.so", "ld-linux")
        self.assertEqual([], [n for n in needed if not n.startswith(known)])


class RulesTest(unittest.TestCase):
    """Each kind of violation is reported with its place."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.root = Path(self._folder.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def assert_reports(self, path, text, *expected):
        self.write(path, text)
        violations = rules.check_tree(self.root)
        self.assertEqual(1, len(violations), violations)
        for part in (path, *expected):
            self.assertIn(part, violations[0])

    def test_accepts_an_empty_tree(self):
        self.assertEqual([], rules.check_tree(self.root))

    def test_accepts_what_the_design_allows(self):
        self.write(
            "policies/lru/lru.cc", '#include "policies/lru/lru.h"\n'
            '#include "policies/plan/plan.h"\n#include <vector>\n')
        self.write(
            "server/rpc/graphs.cc", '#include <grpcpp/grpcpp.h>\n'
            '#include "policies/plan/policy.h"\n#include "stowage/v1/graphs.grpc.pb.h"\n'
        )
        self.write("agents/tiers/pmem.cc", "#include <memkind.h>\n")
        self.write("client_sdk/torch/hook/hook.cc",
                   "#include <ATen/core/Tensor.h>\n")
        self.assertEqual([], rules.check_tree(self.root))

    def test_reports_the_line(self):
        self.write("agents/a.cc", '\n\n#include "policies/plan/policy.h"\n')
        self.assertIn("agents/a.cc:3:", rules.check_tree(self.root)[0])

    def test_reports_policies_that_include_the_server(self):
        self.assert_reports("policies/registry.cc",
                            '#include "server/graphs/store.h"\n',
                            "server/graphs/store.h")

    def test_reports_the_model_including_the_planner(self):
        self.assert_reports("policies/model/graph.cc",
                            '#include "policies/plan/plan.h"\n')

    def test_reports_one_system_including_another(self):
        self.assert_reports("policies/belady/b.cc",
                            '#include "policies/lru/lru.h"\n')

    def test_reports_one_part_of_a_search_including_what_stands_on_it(self):
        self.assert_reports("policies/search/absences/a.cc",
                            '#include "policies/search/search.h"\n')

    def test_reports_folders_that_include_one_another(self):
        self.write("agents/a/a.h", '#include "agents/b/b.h"\n')
        self.write("agents/b/b.h", '#include "agents/c/c.h"\n')
        self.write("agents/c/c.h", '#include "agents/a/a.h"\n')
        self.assertEqual([
            "agents/a: folders include one another: "
            "agents/a -> agents/b -> agents/c -> agents/a"
        ], rules.check_tree(self.root))

    def test_reports_a_folder_that_holds_too_much(self):
        for number in range(rules.MOST_SOURCE_FILES):
            self.write(f"agents/a/f{number}.cc", "")
        self.assertEqual([], rules.check_tree(self.root))
        self.write("agents/a/one_more.cc", "")
        self.assertIn("agents/a: 31 source files",
                      rules.check_tree(self.root)[0])

    def test_reports_waits_that_follow_the_wall_clock(self):
        self.assert_reports("agents/a.cc", "\nstop.WaitForNotificationWithTimeout(t);\n",
                            ":2: WaitForNotificationWithTimeout(", "timing/bell.h")

    def test_reports_agents_that_include_policies(self):
        self.assert_reports("agents/main.cc",
                            '#include "policies/plan/policy.h"\n')

    def test_reports_agents_that_include_the_runtime(self):
        self.assert_reports("agents/main.cc",
                            '#include "client_sdk/runtime/job.h"\n')

    def test_reports_the_session_including_the_runtime(self):
        self.assert_reports("client_sdk/session/session.h",
                            '#include "client_sdk/runtime/blocks/block.h"\n')

    def test_reports_the_runtime_including_a_proto(self):
        self.assert_reports("client_sdk/runtime/job.cc",
                            '#include "stowage/v1/job.pb.h"\n')

    def test_reports_absl_in_the_training_process(self):
        self.assert_reports("client_sdk/torch/hook/hook.cc",
                            '#include "absl/status/status.h"\n',
                            "absl/status/status.h")

    def test_reports_a_thread_in_the_training_process(self):
        self.assert_reports("client_sdk/runtime/job.cc", "#include <thread>\n",
                            "threads")

    def test_reports_libtorch_in_the_agent(self):
        self.assert_reports("agents/main.cc", "#include <torch/torch.h>\n",
                            "LibTorch")

    def test_reports_memkind_outside_the_tiers(self):
        self.assert_reports("agents/engine/arena.cc", "#include <memkind.h>\n",
                            "memkind")

    def test_reports_grpc_in_the_placement_logic(self):
        self.assert_reports("server/placement/service.cc",
                            "#include <grpcpp/grpcpp.h>\n", "gRPC")

    def test_reports_an_rpc_including_the_runtime(self):
        self.assert_reports("server/rpc/service.h",
                            '#include "server/runtime/config.h"\n',
                            "server/runtime/config.h")

    def test_reports_io_in_a_policy(self):
        self.assert_reports("policies/lru/lru.cc", "#include <fstream>\n",
                            "I/O")

    def test_reports_a_forbidden_library(self):
        self.assert_reports(
            "policies/CMakeLists.txt",
            "target_link_libraries(stowage_policies\n  PUBLIC gRPC::grpc++)\n",
            "gRPC::")

    def test_reports_an_unfinished_note(self):
        self.assert_reports("tools/main.cc", "// TO" + "DO: more\n",
                            "unfinished")

    def test_reports_a_machine_path(self):
        self.assert_reports("tools/run.sh", "cd /wo" + "rk/main\n",
                            "path of one machine")


if __name__ == "__main__":
    unittest.main()
