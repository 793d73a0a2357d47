"""Starts the control plane of a real Kubernetes cluster on loopback.

    with cluster.Cluster(folder, programs) as kube:
        kube.apply("deploy/kubernetes/deviceclasses.yaml")
        kube.create("/api/v1/nodes", {...})
        flags = kube.agent_flags()

etcd, kube-apiserver, kube-scheduler and the controller of ResourceClaims are those that
tools/test-kubernetes.sh builds; `programs` is their directory. There is no kubelet:
pods are scheduled and never start.
"""

import json
import re
import secrets
import signal
import socket
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import yaml

import kubelet

START_S = 180
CALL_S = 30
STOP_S = 30
# As whom agents come: deploy/kubernetes/rbac.yaml names this account.
AGENT = "system:serviceaccount:stowage:stowage-agent"
# User, its number and its group of each token.
USERS = {
    "admin": "admin,1,system:masters",
    "agent": f"{AGENT},2,system:serviceaccounts",
    "stranger": "stranger,3,",
}
# Kinds whose objects are in a namespace.
NAMESPACED = ("Pod", "ResourceClaim", "ResourceClaimTemplate")


class ApiError(Exception):
    """An answer of the API server that is no success, with its `body`."""

    def __init__(self, what, body):
        super().__init__(f"{what}: {json.dumps(body)}")
        self.body = body


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """`features` are feature gates of the API server and the scheduler."""

    def __init__(self, folder, programs, features=""):
        self.folder = Path(folder)
        self.programs = Path(programs)
        self.features = features
        self.tokens = {name: secrets.token_hex(16) for name in USERS}
        self.etcd_port, self.peer_port, self.port = (free_port()
                                                     for _ in range(3))
        self.processes = {}

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    @property
    def ca_file(self):
        return self.folder / "certificates/apiserver.crt"

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            self.write_files()
            self.start_etcd()
            self.start_api_server()
            self.start("kube-scheduler", f"--kubeconfig={self.kubeconfig}",
                       "--leader-elect=false", "--secure-port=0",
                       *self.gates())
            self.start_controllers()
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise
        return self

    def __exit__(self, kind, *_):
        for name in reversed(list(self.processes)):
            self.stop(name)
        if kind is not None:
            for log in sorted(self.folder.glob("*.log")):
                print(f"--- end of {log}", log.read_text()[-3000:], sep="\n",
                      file=sys.stderr)

    def write_files(self):
        self.key = self.folder / "accounts.key"
        subprocess.run([
            "openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt",
            "rsa_keygen_bits:2048", "-out", self.key
        ], check=True, capture_output=True)
        (self.folder / "tokens.csv").write_text("".join(
            f"{token},{USERS[name]}\n" for name, token in self.tokens.items()))
        (self.folder / "agent.token").write_text(self.tokens["agent"] + "\n")
        self.kubeconfig = self.folder / "admin.kubeconfig"
        self.kubeconfig.write_text(
            json.dumps({
                "apiVersion": "v1", "kind": "Config", "current-context": "c",
                "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                "clusters": [{
                    "name": "c",
                    "cluster": {"server": self.url,
                                "certificate-authority": str(self.ca_file)}
                }],
                "users": [{"name": "u", "user": {"token": self.tokens["admin"]}}]
            }))

    def gates(self):
        return [f"--feature-gates={self.features}"] if self.features else []

    def start_etcd(self):
        client = f"http://127.0.0.1:{self.etcd_port}"
        self.start("etcd", f"--data-dir={self.folder}/etcd",
                   f"--listen-client-urls={client}",
                   f"--advertise-client-urls={client}",
                   f"--listen-peer-urls=http://127.0.0.1:{self.peer_port}",
                   "--unsafe-no-fsync")

    def start_api_server(self):
        self.start(
            "kube-apiserver", f"--etcd-servers=http://127.0.0.1:{self.etcd_port}",
            f"--secure-port={self.port}", f"--cert-dir={self.ca_file.parent}",
            f"--token-auth-file={self.folder}/tokens.csv",
            f"--service-account-key-file={self.key}",
            f"--service-account-signing-key-file={self.key}",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-cluster-ip-range=10.0.0.0/24",
            *self.api_flags(), *self.gates())
        kubelet.wait_for(self.is_ready, "the API server does not begin", START_S)

    def api_flags(self):
        """Returns the flags of an API server without nodes."""
        return [
            "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
            "--endpoint-reconciler-type=none", "--authorization-mode=RBAC",
            # Nobody makes accounts, or says that nodes are ready.
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"
        ]

    def start_controllers(self):
        self.start("claims", self.kubeconfig)

    def is_ready(self):
        process = self.processes["kube-apiserver"]
        if process.poll() is not None:
            raise AssertionError("the API server has ended")
        try:
            self.get("/readyz", parse=False)
            self.get("/api/v1/namespaces/default")
            return True
        except (ApiError, OSError):
            return False

    def start(self, name, *flags):
        with open(self.folder / f"{name}.log", "a", encoding="utf-8") as log:
            self.processes[name] = subprocess.Popen([self.programs / name, *flags],
                                                    stdout=log, stderr=log)

    def stop(self, name, how=signal.SIGTERM):
        process = self.processes.pop(name)
        process.send_signal(how)
        try:
            process.wait(timeout=STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def restart_api_server(self, features):
        self.stop("kube-apiserver")
        self.features = features
        self.start_api_server()

    def agent_flags(self):
        """Returns what an agent needs to reach the API server, as an agent may."""
        return [
            f"--kubernetes-api={self.url}", f"--kubernetes-ca={self.ca_file}",
            f"--kubernetes-token={self.folder}/agent.token"
        ]

    def call(self, method, path, body=None, who="admin", parse=True):
        request = urllib.request.Request(
            self.url + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self.tokens[who]}",
                "Content-Type": "application/json"
            })
        context = ssl.create_default_context(cafile=self.ca_file)
        try:
            with urllib.request.urlopen(request, timeout=CALL_S,
                                        context=context) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            said = error.read().decode()
            body = json.loads(said) if said.startswith("{") else {"text": said}
            raise ApiError(f"{method} {path}: {error.code}", body) from error
        return json.loads(text) if parse else text.decode()

    def get(self, path, **options):
        return self.call("GET", path, **options)

    def create(self, path, body, **options):
        return self.call("POST", path, body, **options)

    def delete(self, path, **options):
        return self.call("DELETE", path, **options)

    def apply(self, path, change=lambda item: item):
        """Creates the objects of a YAML file, each as `change` makes it."""
        text = (kubelet.SOURCE_DIR / path).read_text()
        return [
            self.create(collection_of(item), item)
            for item in map(change, yaml.safe_load_all(text))
        ]

    def slices(self):
        return self.get("/apis/resource.k8s.io/v1/resourceslices")["items"]


def collection_of(item):
    """Returns the path of the objects of the item's kind."""
    version, kind = item["apiVersion"], item["kind"]
    prefix = "/api/" if "/" not in version else "/apis/"
    namespace = "/namespaces/default" if kind in NAMESPACED else ""
    plural = re.sub(r"s$", "se", kind.lower()) + "s"
    return f"{prefix}{version}{namespace}/{plural}"
