"""Writes the images that pods of the test run, as archives.

    python3 node_images.py FOLDER      # FOLDER/pause.tar, stowage.tar, job.tar

As root, with buildah and a network; tools/package.sh has to have been run before.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packages"))

import images  # pylint: disable=wrong-import-position

# As the chart names it by default.
VERSION = re.search(r'^appVersion: "?([^"\n]+)', (
    images.SOURCE_DIR / "helm/stowage/Chart.yaml").read_text(), re.M).group(1)
STOWAGE = f"registry.example/stowage:{VERSION}"
JOB = "registry.example/job:1"
PAUSE = "localhost/pause:1"


def make_pause():
    """Makes the image that holds the namespaces of a pod."""
    container = images.buildah("from", "--pull-never", images.BASE)
    images.buildah("config", "--entrypoint", '["/usr/bin/sleep", "infinity"]', container)
    images.buildah("commit", "--quiet", "--rm", container, "stowage-test-pause")


def main(folder):
    images.build("chart")
    images.build("job")
    make_pause()
    for target, name, archive in (("chart", STOWAGE, "stowage.tar"),
                                  ("job", JOB, "job.tar"), ("pause", PAUSE, "pause.tar")):
        path = Path(folder) / archive
        path.unlink(missing_ok=True)
        images.export(target, name, path)


if __name__ == "__main__":
    main(sys.argv[1])
