"""Runs the containers of a rendered pod as a kubelet would, without a cluster.

    image = sandbox.make_image(folder / "image")
    node = sandbox.Node(folder, image)
    pod = node.pod(objects, "stowage")     # makes its volumes
    pod.run_init_containers()
    daemon = pod.start()                   # a Popen

A container has a root of its own, which is this host's with the installed programs on
top; the mounts, user, groups, capabilities and variables that its specification says; and
a read-only root where that asks for one. Directories of the host (hostPath) lie in a
folder of the test. All share one network, in which names of services are 127.0.0.1.

Needs root, and mount and network namespaces of its own: `enter()` makes them.
"""

import os
import shutil
import subprocess
import sys

import chart

INSIDE = "STOWAGE_TEST_SANDBOX"
CHROOT = shutil.which("chroot")
FIELDS = {"spec.nodeName": "node7"}


def enter():
    """Runs this program again in namespaces of its own, unless it does already."""
    if INSIDE in os.environ:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        return
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "--mount", "--net", "--propagation", "private",
                          sys.executable, *sys.argv])


def mount(*arguments):
    subprocess.run(["mount", *map(str, arguments)], check=True)


def make_image(folder):
    """Installs the programs as the image has them."""
    subprocess.run(["cmake", "--install", chart.BINARY_DIR, "--prefix", folder / "usr"],
                   check=True, capture_output=True)
    return folder


def make_root(folder, layers):
    """Returns a root in `folder`, of `layers` above that of this host."""
    parts = {part: folder / part for part in ("root", "upper", "work")}
    for part in parts.values():
        part.mkdir(parents=True)
    lower = ":".join([*map(str, layers), "/"])
    mount("-t", "overlay", "overlay", parts["root"], "-o",
          f"lowerdir={lower},upperdir={parts['upper']},workdir={parts['work']}")
    for kernel in ("proc", "dev", "sys"):
        mount("--rbind", f"/{kernel}", parts["root"] / kernel)
    return parts["root"]


class Node:
    """A machine of the cluster: the directories that pods have of it."""

    def __init__(self, folder, image):
        self.folder = folder
        self.image = image
        self.host = folder / "host"
        self.host.mkdir()
        self.secrets = {}  # folders with their files, by name

    def path(self, path):
        return self.host / path.lstrip("/")

    def pod(self, objects, owner, suffix="first"):
        return Pod(self, objects, owner, suffix)


class Pod:
    """A pod's volumes, and what runs its containers."""

    def __init__(self, node, objects, owner, suffix):
        self.node = node
        self.objects = objects
        self.folder = node.folder / f"{owner}-{suffix}"
        self.roots = []
        _, self.spec = chart.pods(objects)[owner]
        self.volumes = {volume["name"]: self.make_volume(volume)
                        for volume in self.spec.get("volumes", [])}

    def make_volume(self, volume):
        if "hostPath" in volume:
            source = self.node.path(volume["hostPath"]["path"])
            if volume["hostPath"].get("type") == "DirectoryOrCreate":
                source.mkdir(parents=True, exist_ok=True)
            return source
        source = self.folder / "volumes" / volume["name"]
        source.mkdir(parents=True)
        if "configMap" in volume:
            data = self.objects["ConfigMap", volume["configMap"]["name"]]["data"]
            for name, text in data.items():
                (source / name).write_text(text)
        elif "secret" in volume:
            group = self.spec["securityContext"]["fsGroup"]
            for file in self.node.secrets[volume["secret"]["secretName"]].iterdir():
                shutil.copy(file, source)
                os.chown(source / file.name, 0, group)
                (source / file.name).chmod(volume["secret"]["defaultMode"])
        else:  # emptyDir, or a claim: the pod's group may write.
            group = self.spec["securityContext"].get("fsGroup", 0)
            os.chown(source, 0, group)
            source.chmod(0o2777 if "emptyDir" in volume else 0o2775)
        return source

    def run_init_containers(self):
        for container in self.spec.get("initContainers", []):
            subprocess.run(self.command(container), check=True,
                           env=self.variables(container))

    def start(self, **options):
        container = self.spec["containers"][0]
        return subprocess.Popen(self.command(container), env=self.variables(container),
                                **options)

    def run(self):
        container = self.spec["containers"][0]
        return subprocess.run(self.command(container), env=self.variables(container),
                              capture_output=True, text=True, check=False, timeout=180)

    def remove(self):
        """Removes the pod, whose containers have ended."""
        for root in self.roots:
            subprocess.run(["umount", "--recursive", root], check=True)
        shutil.rmtree(self.folder)

    def command(self, container):
        """Returns the command that runs a container, whose root it mounts."""
        root = make_root(self.folder / container["name"], [self.node.image])
        self.roots.append(root)
        (root / "etc/hosts").write_text(
            f"127.0.0.1 localhost {chart.RELEASE}.{chart.NAMESPACE}.svc\n")
        for item in container.get("volumeMounts", []):
            self.mount_volume(root, item)
        context = {**self.spec["securityContext"], **container["securityContext"]}
        if context["readOnlyRootFilesystem"]:
            mount("-o", "remount,bind,ro", root)
        kept = ",".join(["-all"] + [f"+{name.lower()}" for name
                                    in context["capabilities"].get("add", [])])
        group = context.get("fsGroup")
        return [CHROOT, root, "setpriv", f"--reuid={context['runAsUser']}",
                f"--regid={context['runAsGroup']}",
                f"--groups={group}" if group else "--clear-groups",
                f"--bounding-set={kept}", f"--inh-caps={kept}", "--no-new-privs",
                *container["command"]]

    def mount_volume(self, root, item):
        source = self.volumes[item["name"]] / item.get("subPath", "")
        target = root / item["mountPath"].lstrip("/")
        if source.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
        mount("--bind", source, target)
        if item.get("readOnly"):
            mount("-o", "remount,bind,ro", target)

    def variables(self, container):
        found = {"PATH": "/usr/bin:/bin"}
        for item in container.get("env", []):
            found[item["name"]] = (item.get("value") or
                                   FIELDS[item["valueFrom"]["fieldRef"]["fieldPath"]])
        return found
