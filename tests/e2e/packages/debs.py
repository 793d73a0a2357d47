"""Reads and changes Debian packages.

    needs = debs.relations(deb, "Depends")        # ["python3", "libc6", ...]
    debs.repack(deb, folder, version="0.0.1")     # the same as an older release
"""

import pathlib
import subprocess
import tempfile

PACKAGES = ("stowage", "stowage-service", "stowage-node", "libstowage-dev")


def field(deb, name):
    return subprocess.run(["dpkg-deb", "--field", deb, name], check=True,
                          capture_output=True, text=True).stdout.strip()


def relations(deb, name):
    """Returns the packages that a field names, of alternatives the first."""
    return [one.split("|")[0].split("(")[0].strip()
            for one in field(deb, name).split(",") if one.strip()]


def control_files(deb, folder):
    subprocess.run(["dpkg-deb", "--control", deb, folder], check=True)
    return {path.name: path.read_text() for path in pathlib.Path(folder).iterdir()}


def repack(deb, folder, version, changes=()):
    """Writes the package of another version to `folder`, which gets its name.

    changes: (path, text, text) of files that had the last in place of the other.
    """
    own_version = field(deb, "Version")
    with tempfile.TemporaryDirectory() as tree:
        subprocess.run(["dpkg-deb", "--raw-extract", deb, tree], check=True)
        control = pathlib.Path(tree, "DEBIAN/control")
        control.write_text(control.read_text().replace(own_version, version))
        for path, new, old in changes:
            file = pathlib.Path(tree, path.lstrip("/"))
            file.write_text(file.read_text().replace(new, old))
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree,
                        folder], check=True, capture_output=True)
