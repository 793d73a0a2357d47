"""Upgrades hosts from the packages of an older commit to those of this one.

    tools/test-packages.sh --from COMMIT     # as root; packs both, and then runs this

The service and the agent are on two hosts, so that each release of the one meets each of
the other. Each test of a class goes on where the one before it ended.
"""

import json
import os
import pathlib
import shutil
import tempfile
import time
import unittest

import debs
import hosts
import system_test
from system_test import BINARY_DIR, FOLDER, OLD_VERSION, ROOT

OLD_PACKAGES = os.environ.get("STOWAGE_OLD_PACKAGES", "")
SERVICE = ("stowage", "stowage-service")
NODE = ("stowage", "stowage-node")
# What has to last, without the times at which a row was used.
TABLES = {"graphs": "graph_id, name, graph", "plans": "plan_id, graph_id, policy, plan",
          "trainings": "training_id, state, request, training",
          "dqn_versions": "policy_id, version, info, system, policy"}

TRAIN = """export STOWAGE_AGENT=/run/stowage/agent.sock OMP_WAIT_POLICY=passive
export STOWAGE_REPORT_DIR=/var/lib/stowage-agent
stowage run --fast 40% --report {name}.json -- python3 {script} >{name}.txt 2>{name}.err ||
  {{ cat {name}.err; false; }}
"""

# Takes a few steps, waits for a file, and takes the others.
LONG_JOB = """import pathlib, time, torch
take = torch.optim.SGD.step
taken = []
def step(self, *arguments, **named):
    taken.append(1)
    if len(taken) == 6:
        pathlib.Path.home().joinpath("waits").touch()
        while not pathlib.Path("/test/go").exists():
            time.sleep(0.1)
    return take(self, *arguments, **named)
torch.optim.SGD.step = step
exec(open("/test/train_small.py").read())
"""

ROWS = """python3 - <<'END'
import hashlib, sqlite3
with sqlite3.connect("file:/var/lib/stowage/stowaged.db?mode=ro", uri=True) as db:
    for table, columns in {tables}.items():
        for row in db.execute(f"SELECT {{columns}} FROM {{table}}"):
            print(table, row[0], hashlib.sha256(repr(row).encode()).hexdigest())
END
"""


def old_packages():
    return sorted(pathlib.Path(OLD_PACKAGES).glob("*.deb"))


class Upgrade(unittest.TestCase):
    """Hosts "plans" with the service and "node1" with the agent, and releases of both."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(dir=BINARY_DIR)
        cls.addClassCleanup(folder.cleanup)
        cls.shared = pathlib.Path(folder.name)
        cls.shared.chmod(0o755)
        for release in ("old", "new"):
            (cls.shared / release).mkdir()
        for deb in system_test.packages_built():
            shutil.copy(deb, cls.shared / "new")
        for deb in old_packages():
            debs.repack(deb, cls.shared / "old", OLD_VERSION)
        shutil.copy(FOLDER / "train_small.py", cls.shared)
        (cls.shared / "long.py").write_text(LONG_JOB)
        network = cls.enterClassContext(hosts.Network())
        cls.plans, cls.node1 = (
            cls.enterClassContext(hosts.Host(name, ROOT, network, cls.shared))
            for name in ("plans", "node1"))

    def install(self, host, release, packages):
        host.run("dpkg --install " + " ".join(f"{release}/{name}_*.deb"
                                              for name in packages))

    def assert_runs(self, host, unit, release):
        """Asserts that a service runs the program of a release."""
        sums = host.run(
            f"test $(systemctl is-active {unit}) = active\n"
            f"dpkg-deb --fsys-tarfile {release}/stowage_*.deb | "
            f"tar --extract --to-stdout ./usr/bin/{unit} | sha256sum\n"
            f"sha256sum </proc/$(systemctl show --value -p MainPID {unit})/exe").split()
        self.assertEqual(sums[0], sums[2], f"{unit} is not of the {release} release")

    def add_user(self):
        self.node1.run("useradd --create-home ann --shell /bin/bash\n"
                       "usermod --append --groups stowage-agent ann")

    def train(self, name, script="/test/train_small.py"):
        return self.node1.run(TRAIN.format(name=name, script=script), user="ann")

    def modes(self, name):
        """Returns how a job took its steps, which computed what it computes alone."""
        home = "/home/ann"
        self.assertEqual(self.node1.run(f"cat {home}/{name}.txt"),
                         self.node1.run("python3 train_small.py"))
        report = json.loads(self.node1.run(f"cat {home}/{name}.json"))
        modes = [step["mode"] for step in report["steps"]]
        print(f"{name}: {' '.join(modes)}", flush=True)
        return modes

    def rows(self):
        return self.plans.run(ROWS.format(tables=TABLES)).splitlines()

    def wait_for_node(self):
        """Blocks until the service hears from the agent."""
        deadline = time.monotonic() + 60
        while "alive" not in (said := self.plans.run("stowage status")):
            self.assertLess(time.monotonic(), deadline,
                            said + self.node1.run("journalctl --unit stowage-agent"))
            time.sleep(0.2)


class UpgradeTest(Upgrade):

    def test_1_the_old_release_trains(self):
        self.install(self.plans, "old", SERVICE)
        self.install(self.node1, "old", NODE)
        self.assert_runs(self.plans, "stowaged", "old")
        self.assert_runs(self.node1, "stowage-agent", "old")
        self.add_user()
        self.train("first")
        self.assertIn("plan", self.modes("first"))
        self.plans.run("stowage train /usr/share/stowage/suites/graphs/alexnet-b6.pb.gz "
                       "--system optane --fast 40% --episodes 2 -o /tmp/policy.pb "
                       "--service 127.0.0.1:7420")
        type(self).kept = self.rows()
        self.assertEqual({row.split()[0] for row in self.kept}, set(TABLES))

    def test_2_a_new_service_keeps_state_and_edited_configuration(self):
        config = "/etc/stowage/stowaged.conf"
        self.plans.run(f"echo 'drift-threshold = 0.1' >>{config}")
        text = self.plans.run(f"cat {config}")
        self.install(self.plans, "new", SERVICE)
        self.assert_runs(self.plans, "stowaged", "new")
        self.assertEqual(self.plans.run(f"cat {config}"), text)
        self.assertEqual(self.rows(), self.kept)

    def test_3_an_old_agent_trains_with_a_new_service(self):
        self.wait_for_node()
        self.assert_runs(self.node1, "stowage-agent", "old")
        self.train("old-agent")
        self.assertIn("plan", self.modes("old-agent"))

    def test_4_a_job_goes_on_while_its_agent_is_upgraded(self):
        config = "/etc/stowage/stowage-agent.conf"
        self.node1.run(f"echo 'fast = \"50%\"' >>{config}")
        text = self.node1.run(f"cat {config}")
        self.node1.run("rm -f /home/ann/waits\n(" + TRAIN.format(
            name="long", script="/test/long.py") + ") >/dev/null 2>&1 &", user="ann")
        self.node1.run("timeout 120 sh -c 'until test -e /home/ann/waits; "
                       "do sleep 0.1; done'")
        self.install(self.node1, "new", NODE)
        self.assert_runs(self.node1, "stowage-agent", "new")
        self.assertEqual(self.node1.run(f"cat {config}"), text)
        (self.shared / "go").touch()
        self.node1.run("timeout 120 sh -c 'while pgrep -u ann -f long.py >/dev/null; "
                       "do sleep 0.1; done'")
        # The old agent's report ends with it.
        self.assertIn("plan", self.modes("long"))

    def test_5_the_new_release_trains(self):
        self.wait_for_node()
        self.train("new")
        self.assertIn("plan", self.modes("new"))
        # A graph that is registered again has other times.
        self.assertLessEqual({row.split()[1] for row in self.kept},
                             {row.split()[1] for row in self.rows()})

    def test_6_an_old_service_refuses_the_new_database(self):
        rows = self.rows()
        # Whatever dpkg says of a service that does not start.
        self.plans.run("dpkg --install old/stowage_*.deb old/stowage-service_*.deb || :")
        said = self.plans.run("journalctl --unit stowaged --lines 30")
        self.assertRegex(said, "schema has version .*; run a newer stowaged")
        self.install(self.plans, "new", SERVICE)
        self.assert_runs(self.plans, "stowaged", "new")
        self.assertEqual(self.rows(), rows)


class AgentFirstTest(Upgrade):

    def test_a_new_agent_trains_with_an_old_service(self):
        self.install(self.plans, "old", SERVICE)
        self.install(self.node1, "new", NODE)
        self.assert_runs(self.plans, "stowaged", "old")
        self.assert_runs(self.node1, "stowage-agent", "new")
        self.wait_for_node()
        self.add_user()
        self.train("new-agent")
        self.assertIn("plan", self.modes("new-agent"))


if __name__ == "__main__":
    system_test.make_root(system_test.packages_needed(
        [*system_test.packages_built(), *old_packages()]))
    unittest.main(verbosity=2, failfast=True)
