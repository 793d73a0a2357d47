"""Installs the Debian packages in a fresh Debian 12 that boots in a container.

    tools/test-packages.sh     # as root; packs, and then runs this

It makes a root folder of what the packages say that they need (once:
build/packages-root), boots it with systemd-nspawn, without a network and with all
changes in memory, and runs lifetime_test.py there. The exit status is that of the
test.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import debs
import roots

FOLDER = pathlib.Path(__file__).resolve().parent
SOURCE_DIR = FOLDER.parents[2]
BINARY_DIR = pathlib.Path(os.environ.get("STOWAGE_BINARY_DIR", SOURCE_DIR / "build"))
ROOT = BINARY_DIR / "packages-root"
OLD_VERSION = "0.0.1"

# What the test itself needs: an init, and what a C++ program is built with.
TOOLS = ("systemd", "systemd-sysv", "dbus", "man-db", "g++", "cmake", "make",
         "pkg-config")

# Ends the container with the exit status of the test.
UNIT = """[Unit]
Description=Test of Stowage's packages
After=basic.target dbus.service
SuccessAction=exit
FailureAction=exit

[Service]
Type=exec
WorkingDirectory=/test
Environment=PYTHONUNBUFFERED=1
ExecStart=/usr/bin/python3 /test/lifetime_test.py
StandardOutput=append:/test/log
StandardError=append:/test/log
"""


def packages_built():
    """Returns the packages that tools/package.sh has built."""
    packages = sorted((BINARY_DIR / "packages").glob("*.deb"))
    if len(packages) != len(debs.PACKAGES):
        sys.exit(f"{BINARY_DIR}/packages has {len(packages)} packages; run "
                 "tools/package.sh first")
    return packages


def packages_needed(packages):
    named = {name for deb in packages for field in ("Depends", "Recommends")
             for name in debs.relations(deb, field)}
    return sorted((named | set(TOOLS)) - set(debs.PACKAGES))


def make_root(packages):
    """Makes the root folder, unless there is one of the same packages."""
    wanted = ",".join(packages)
    stamp = ROOT / "etc/stowage-test-packages"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    if ROOT.exists():
        shutil.rmtree(ROOT)
    roots.make(ROOT, packages)
    stamp.write_text(wanted)


def fill(shared, packages):
    """Puts into `shared` what the container sees as /test."""
    for name in ("lifetime_test.py", "train_small.py"):
        shutil.copy(FOLDER / name, shared)
    shutil.copytree(FOLDER.parent / "install", shared / "program")
    (shared / "unit").write_text(UNIT)
    (shared / "log").touch()
    for release in ("old", "new"):
        (shared / release).mkdir()
    for deb in packages:
        shutil.copy(deb, shared / "new")
        changes = ()
        if deb.name.startswith("stowage-node_"):
            changes = [("/etc/stowage/stowage-agent.conf", ":9465", ":9466")]
        debs.repack(deb, shared / "old", OLD_VERSION, changes)


def boot(shared):
    """Boots the root and returns the exit status of the test."""
    command = ["systemd-nspawn", "--quiet", f"--directory={ROOT}", "--volatile=overlay",
               "--register=no", "--keep-unit", "--private-network", "--boot",
               "--console=pipe", f"--bind={shared}:/test",
               f"--bind-ro={shared}/unit:/etc/systemd/system/packages-test.service",
               "systemd.wants=packages-test.service", "systemd.log_level=warning"]
    with open(shared / "console", "wb") as console:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=console,
                                stderr=console, timeout=1200, check=False)
    return result.returncode


def main():
    packages = packages_built()
    make_root(packages_needed(packages))
    with tempfile.TemporaryDirectory(dir=BINARY_DIR) as folder:
        shared = pathlib.Path(folder)
        shared.chmod(0o755)
        fill(shared, packages)
        status = boot(shared)
        log = (shared / "log").read_text()
        print(log or (shared / "console").read_text(errors="replace"))
    sys.exit(status)


if __name__ == "__main__":
    main()
