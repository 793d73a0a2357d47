"""The life of the packages on a host, step by step: system_test.py runs this there.

Each test goes on where the one before it ended, and the first failure ends all.
"""

import json
import os
import pathlib
import pwd
import shutil
import subprocess
import unittest
import urllib.request

TEST = pathlib.Path("/test")
SERVICES = {"stowage-service": "stowaged", "stowage-node": "stowage-agent"}
CONFIG = pathlib.Path("/etc/stowage")
STATE = ("/etc/stowage", "/var/lib/stowage", "/var/lib/stowage-agent",
         "/var/cache/stowage-agent",
         # What Debian's helper of systemd notes: whether a unit is enabled.
         "/var/lib/systemd/deb-systemd-helper-enabled",
         "/etc/systemd/system/multi-user.target.wants")
# What dpkg, users and other packages' triggers write.
PASSING = ("/dev", "/home", "/proc", "/run", "/sys", "/test", "/tmp", "/var/cache",
           "/var/lib/dpkg", "/var/lib/systemd", "/var/log", "/var/mail", "/var/tmp",
           "/var/lib/private", "/etc/ld.so.cache", "/root")


def call(*command, user=None, status=0, **variables):
    identity = {}
    if user:
        group = pwd.getpwnam(user).pw_gid
        identity = {"user": user, "group": group,
                    "extra_groups": os.getgrouplist(user, group)}
    result = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=300,
        check=False, cwd=f"/home/{user}" if user else "/", **identity,
        env={"PATH": "/usr/bin:/usr/sbin:/bin:/sbin", "DEBIAN_FRONTEND": "noninteractive",
             "OMP_WAIT_POLICY": "passive", "LC_ALL": "C.UTF-8", **variables})
    if result.returncode != status:
        raise AssertionError(f"{command}: exit status {result.returncode}\n"
                             f"{result.stdout}{result.stderr}")
    return result.stdout


def files():
    """Returns the paths of all files that last."""
    found = set()
    for folder, below, names in os.walk("/"):
        below[:] = [name for name in below
                    if os.path.join(folder, name) not in PASSING]
        paths = {os.path.join(folder, name) for name in (*below, *names)}
        found |= {path for path in paths if not path.startswith(PASSING)}
    return found


def install(release):
    call("dpkg", "--install", *sorted((TEST / release).glob("*.deb")))


def pid_of(unit):
    return int(call("systemctl", "show", "--value", "--property=MainPID", unit))


def is_active(unit):
    return call("systemctl", "show", "--value", "--property=ActiveState",
                unit).strip() == "active"


def graphs():
    state = json.loads(call("stowage", "status", "--format", "json",
                            "--service", "127.0.0.1:7420"))
    return {graph["graph_id"] for graph in state["graphs"]}


def modes(report):
    return [step["mode"] for step in json.loads(pathlib.Path(report).read_text())["steps"]]


class LifetimeTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.before = files()
        cls.kept_graphs = set()

    def test_01_installing_starts_services_that_are_ready(self):
        install("old")
        for unit in SERVICES.values():
            self.assertTrue(is_active(unit), unit)
            self.assertEqual(call("systemctl", "is-enabled", unit), "enabled\n")
            user = call("ps", "-o", "user:32=", "-p", str(pid_of(unit))).strip()
            self.assertEqual(user, {"stowaged": "stowage"}.get(unit, unit))
        with urllib.request.urlopen("http://127.0.0.1:9464/readyz") as page:
            self.assertEqual(page.status, 200)

    def test_02_a_user_runs_a_job_without_services(self):
        call("useradd", "--create-home", "ann")
        script = TEST / "train_small.py"
        type(self).alone = call("python3", script, user="ann")
        stowed = call("stowage", "run", "--fast", "40%", "--slow", "file:/var/tmp",
                      "--report", "own.json", "--plot", "own.svg", "--",
                      "python3", script, user="ann")
        self.assertEqual(stowed, self.alone)
        self.assertIn("plan", modes("/home/ann/own.json"))
        self.assertIn("<svg", pathlib.Path("/home/ann/own.svg").read_text())

    def test_03_strangers_may_not_give_the_agent_jobs(self):
        with self.assertRaisesRegex(AssertionError, "Permission denied"):
            call("python3", "-c", "import stowage; "
                 "stowage.init(agent='/run/stowage/agent.sock')", user="ann")

    def test_04_members_of_its_group_run_jobs_through_the_agent(self):
        call("usermod", "--append", "--groups", "stowage-agent", "ann")
        stowed = call("stowage", "run", "--fast", "40%", "--report", "shared.json", "--",
                      "python3", TEST / "train_small.py", user="ann",
                      STOWAGE_AGENT="/run/stowage/agent.sock",
                      STOWAGE_REPORT_DIR="/var/lib/stowage-agent")
        self.assertEqual(stowed, self.alone)
        self.assertIn("plan", modes("/home/ann/shared.json"))
        self.assertTrue(graphs())

    def test_05_the_service_trains_a_policy_in_its_sandbox(self):
        call("stowage", "train", "/usr/share/stowage/suites/graphs/alexnet-b6.pb.gz",
             "--system", "optane", "--fast", "40%", "--episodes", "2",
             "--service", "127.0.0.1:7420", "-o", "/tmp/policy.pb")

    def test_06_programs_build_and_attach_themselves(self):
        shutil.copytree(TEST / "program", "/tmp/program")
        call("cmake", "-S", "/tmp/program", "-B", "/tmp/program/build")
        call("cmake", "--build", "/tmp/program/build")
        program = "/tmp/program/build/attached_mlp"
        call(program, "/tmp/alone.txt")
        call(program, "/tmp/attached.txt", STOWAGE_AGENT="/run/stowage/agent.sock",
             STOWAGE_RUN_ID="attached")
        self.assertEqual(pathlib.Path("/tmp/alone.txt").read_text(),
                         pathlib.Path("/tmp/attached.txt").read_text())
        flags = call("pkg-config", "--cflags", "--libs", "stowage").split()
        self.assertIn("-lstowage_torch", flags)

    def test_07_python_imports_the_package(self):
        call("python3", "-c", "import stowage; stowage.init(fast='64MiB', "
             "slow='file:/var/tmp'); assert stowage.attached()", user="ann")

    def test_08_manual_pages_are_found(self):
        for page in ("stowage", "stowage-run", "stowage-graph-show", "stowaged",
                     "stowage-agent", "stowage-trainer"):
            self.assertIn("NAME", call("man", page))

    def test_09_reload_refuses_what_is_not_valid(self):
        for unit in SERVICES.values():
            config = CONFIG / f"{unit}.conf"
            text = config.read_text()
            pid = pid_of(unit)
            config.write_text(text + "\nlog-format = 'json'\n")
            call("systemctl", "reload", unit)
            config.write_text(text + "\nlog-format = 'poem'\n")
            call("systemctl", "reload", unit, status=1)
            config.write_text(text)
            call("systemctl", "reload", unit)
            self.assertEqual(pid_of(unit), pid)

    def test_10_a_service_that_is_killed_starts_again(self):
        pid = pid_of("stowaged")
        self.kept_graphs.update(graphs())
        call("systemctl", "kill", "--signal=KILL", "stowaged")
        call("timeout", "30", "sh", "-c",
             "until systemctl show -P SubState stowaged | grep -q running && "
             f"[ $(systemctl show -P MainPID stowaged) != {pid} ]; do sleep 0.2; done")
        self.assertEqual(graphs(), self.kept_graphs)

    def test_11_an_upgrade_keeps_state_and_edited_configuration(self):
        edited = CONFIG / "stowaged.conf"
        edited.write_text(edited.read_text() + "\ndrift-threshold = 0.1\n")
        text = edited.read_text()
        pids = {unit: pid_of(unit) for unit in SERVICES.values()}
        install("new")
        for unit, pid in pids.items():
            self.assertTrue(is_active(unit))
            self.assertNotEqual(pid_of(unit), pid)
        self.assertEqual(edited.read_text(), text)
        self.assertEqual(graphs(), self.kept_graphs)
        # Nobody had edited this one, and its default has changed.
        self.assertIn(":9465", (CONFIG / "stowage-agent.conf").read_text())

    def test_12_an_upgrade_leaves_a_disabled_service_alone(self):
        call("systemctl", "disable", "--now", "stowage-agent")
        install("new")
        self.assertFalse(is_active("stowage-agent"))
        self.assertEqual(call("systemctl", "is-enabled", "stowage-agent", status=1),
                         "disabled\n")

    def test_13_removing_leaves_nothing_but_state(self):
        call("dpkg", "--remove", "libstowage-dev", "stowage-node", "stowage-service",
             "stowage")
        self.assertEqual(pid_of("stowaged"), 0)
        left = {path for path in files() - self.before if not path.startswith(STATE)}
        self.assertEqual(left - self.of_users(), set())
        self.assertTrue(pathlib.Path("/var/lib/stowage/stowaged.db").exists())

    def test_14_installing_again_finds_the_state(self):
        install("new")
        self.assertTrue(is_active("stowaged"))
        self.assertFalse(is_active("stowage-agent"))
        self.assertEqual(graphs(), self.kept_graphs)

    def test_15_a_purge_deletes_the_state(self):
        call("dpkg", "--purge", "libstowage-dev", "stowage-node", "stowage-service",
             "stowage")
        self.assertEqual(files() - self.before - self.of_users(), set())
        for folder in STATE[:4]:
            self.assertFalse(pathlib.Path(folder).exists(), folder)

    @staticmethod
    def of_users():
        """Returns the files that adding users writes."""
        return {f"/etc/{name}-" for name in
                ("passwd", "shadow", "group", "gshadow", "subuid", "subgid")} | {
                    "/etc/.pwd.lock"}


if __name__ == "__main__":
    unittest.main(verbosity=2, failfast=True)
