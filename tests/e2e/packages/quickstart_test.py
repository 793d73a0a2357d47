"""Does what docs/quickstart.md says, as its reader would, on hosts that have nothing.

    tools/test-quickstart.sh     # as root; packs, and then runs this

Each host is a container that boots Debian with what the packages need, since it has no
mirror to have it from. The section about Kubernetes is pods_test.py's.
"""

import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

import hosts
import pages
import system_test
from system_test import BINARY_DIR, ROOT

PAGE = "docs/quickstart.md"
MINUTES = 5
CLUSTER_MINUTES = 30
PLANNED = r"12 steps \(.*[1-9]\d* plan\)"


class QuickstartTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=BINARY_DIR)
        self.addCleanup(folder.cleanup)
        self.shared = pathlib.Path(folder.name)
        self.shared.chmod(0o755)
        (self.shared / "build/packages").mkdir(parents=True)
        for deb in (BINARY_DIR / "packages").glob("*.deb"):
            shutil.copy(deb, self.shared / "build/packages")
        self.network = self.enterContext(hosts.Network())

    def boot(self, name):
        return self.enterContext(
            hosts.Host(name, ROOT, self.network, self.shared))

    def test_one_machine_and_then_its_users(self):
        host = self.boot("alone")
        install, _, script, run = pages.blocks(PAGE, "One machine, in five minutes")
        began = time.monotonic()
        # The test has packed already: that is a build.
        host.run(install.replace("tools/package.sh\n", ""))
        (self.shared / "train.py").write_text(script)
        said = host.run(run)
        minutes = (time.monotonic() - began) / 60
        print(said, f"One machine took {minutes:.1f} minutes", sep="\n")
        self.assertLess(minutes, MINUTES)
        self.assertRegex(said, PLANNED)
        said = host.run("stowage advise --slow file:/tmp -- /usr/bin/python3 train.py")
        self.assertIn("the knee of the curve", said)
        self.share(host)

    def share(self, host):
        """Does what the page says of an agent for the users of a machine."""
        install, use = pages.blocks(PAGE, "One agent for the users of a machine")
        host.run("adduser --disabled-password --gecos '' ann")
        host.run(install)
        host.run("cp train.py ~ann")
        said = host.run(use, user="ann")
        print(said)
        self.assertRegex(said, PLANNED)

    def test_a_cluster_of_hosts(self):
        authority, service, node, user = pages.blocks(
            PAGE, "A cluster of hosts, in half an hour")
        began = time.monotonic()
        plans, node1 = self.boot("plans.example"), self.boot("node1")
        for host in (plans, node1):
            host.run("echo 127.0.0.1 plans.example >> /etc/hosts")
        (self.shared / "authority").mkdir()
        self.run_here(authority)
        for host, name, owner, block in ((plans, "plans", "stowage", service),
                                         (node1, "node1", "stowage-agent", node)):
            self.set_up(host, name, owner, block)
        said = self.until_alive(plans, "cd authority\n" + user, node1)
        minutes = (time.monotonic() - began) / 60
        print(said, f"The cluster took {minutes:.1f} minutes", sep="\n")
        self.assertLess(minutes, CLUSTER_MINUTES)

    def until_alive(self, host, script, node):
        """Returns what the script prints once it tells of the node."""
        deadline = time.monotonic() + 60
        while not re.search(rf"^{node.name} .*alive", said := host.run(script), re.M):
            self.assertLess(time.monotonic(), deadline,
                            said + node.run("journalctl --unit stowage-agent"))
        return said

    def run_here(self, script):
        subprocess.run(["bash", "-ec", script], cwd=self.shared / "authority", check=True,
                       capture_output=True)

    @staticmethod
    def set_up(host, name, owner, block):
        """Installs as the page says, and copies certificates as it says in words."""
        install, configure = re.match(r"(apt-get .*?\n)(.*)", block, re.S).groups()
        host.run("cd build/packages\n" + install)
        host.run("install -d /etc/stowage/tls\n"
                 "cd authority\n"
                 f"install -m 400 -o {owner} {name}.key /etc/stowage/tls/tls.key\n"
                 f"cp {name}.crt /etc/stowage/tls/tls.crt\n"
                 "cp ca.crt /etc/stowage/tls\n")
        host.run(configure)


if __name__ == "__main__":
    system_test.make_root(system_test.packages_needed(system_test.packages_built()))
    unittest.main(verbosity=2)
