"""Makes root folders of Debian 12 from the mirrors that this machine uses.

    roots.make(folder, ["systemd", "python3-torch"])     # blocks for minutes
"""

import pathlib
import subprocess

SOURCES = ("/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources")


def make(folder, packages):
    """Makes a root with these packages and what they need; apt is in it."""
    sources = [path for path in SOURCES if pathlib.Path(path).exists()]
    subprocess.run(["mmdebstrap", "--quiet", "--variant=apt",
                    f"--include={','.join(packages)}", "bookworm", str(folder),
                    *sources], check=True)
