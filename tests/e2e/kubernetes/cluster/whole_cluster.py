"""Starts a real Kubernetes cluster of one node, whose pods run in containers.

    with whole_cluster.WholeCluster(folder, programs) as kube:
        kube.load("stowage.tar")                  # an image, into the node
        kube.kubectl("apply", "--filename", "pod.yaml")

Beside the control plane of cluster.py there are Kubernetes' controllers, its proxy, a
DNS server, a kubelet and containerd. Everything runs in namespaces of its own: start the
process with `unshare --net --mount --pid --fork --kill-child --mount-proc`. Needs Debian's
runc, containernetworking-plugins and nftables.
"""

import json
import os
import subprocess

import cluster
import kubelet
import node_images

NODE = "node1"
# Addresses that nobody has: of the node, of its pods, of the DNS service.
NODE_ADDRESS = "192.0.2.1"
PODS = "198.18.0.0/24"
DNS_ADDRESS = "10.0.0.10"
CONTAINERD = """
version = 3
root = "{folder}/containerd"
state = "{folder}/containerd-state"
[grpc]
address = "{folder}/containerd.sock"
[ttrpc]
address = "{folder}/containerd.ttrpc"
[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = "{pause}"
[plugins."io.containerd.cri.v1.runtime"]
cdi_spec_dirs = ["{folder}/cdi"]
# Where root may not lower a score, as in some virtual machines, it stays.
restrict_oom_score_adj = true
[plugins."io.containerd.cri.v1.runtime".cni]
bin_dirs = ["/usr/lib/cni"]
conf_dir = "{folder}/cni"
"""
NETWORK = {
    "cniVersion": "1.0.0", "name": "pods",
    "plugins": [{
        "type": "bridge", "bridge": "pods", "isGateway": True, "ipMasq": True,
        "ipam": {"type": "host-local", "ranges": [[{"subnet": PODS}]],
                 "routes": [{"dst": "0.0.0.0/0"}]}
    }, {"type": "portmap", "capabilities": {"portMappings": True}}, {"type": "loopback"}]
}
COREFILE = """
.:53 {{
  bind {address}
  errors
  kubernetes cluster.local {{
    kubeconfig {kubeconfig}
  }}
}}
"""


class WholeCluster(cluster.Cluster):
    """`cdi_dir` and `kubelet_dir` are directories of the node."""

    def __init__(self, folder, programs):
        super().__init__(folder, programs)
        self.cdi_dir = self.folder / "cdi"
        self.kubelet_dir = self.folder / "kubelet"
        self.environment = {**os.environ, "KUBECONFIG": str(self.folder / "admin.kubeconfig"),
                            "PATH": f"{self.programs}:{os.environ['PATH']}"}

    @property
    def url(self):
        return f"https://{NODE_ADDRESS}:{self.port}"

    def api_flags(self):
        return [f"--advertise-address={NODE_ADDRESS}", "--authorization-mode=RBAC",
                "--allow-privileged",
                "--kubelet-preferred-address-types=InternalIP"]

    def write_files(self):
        super().write_files()
        for command in ("link set lo up", "link add node type veth peer name wire",
                        "link set wire up",
                        f"address add {NODE_ADDRESS}/24 dev node",
                        f"address add {DNS_ADDRESS}/32 dev node", "link set node up",
                        f"route add default via {NODE_ADDRESS} dev node"):
            subprocess.run(["ip", *command.split()], check=True)

    def start_controllers(self):
        self.start("kube-controller-manager", f"--kubeconfig={self.kubeconfig}",
                   f"--service-account-private-key-file={self.key}",
                   f"--root-ca-file={self.ca_file}", "--leader-elect=false",
                   "--secure-port=0")
        self.start("kube-proxy", f"--kubeconfig={self.kubeconfig}", "--proxy-mode=nftables",
                   f"--cluster-cidr={PODS}", f"--hostname-override={NODE}",
                   "--conntrack-max-per-core=0", "--conntrack-tcp-timeout-established=0",
                   "--conntrack-tcp-timeout-close-wait=0", "--healthz-bind-address=127.0.0.1",
                   "--metrics-bind-address=127.0.0.1")
        corefile = self.folder / "Corefile"
        corefile.write_text(COREFILE.format(address=DNS_ADDRESS, kubeconfig=self.kubeconfig))
        self.start("dns", "-conf", corefile)
        self.start_runtime()
        self.start_kubelet()

    def start_runtime(self):
        (self.folder / "cni").mkdir()
        (self.folder / "cni/pods.conflist").write_text(json.dumps(NETWORK))
        config = self.folder / "containerd.toml"
        config.write_text(CONTAINERD.format(folder=self.folder, pause=node_images.PAUSE))
        self.start("containerd", f"--config={config}")
        kubelet.wait_for(lambda: (self.folder / "containerd.sock").exists(),
                         "containerd does not begin")

    def start_kubelet(self):
        config = self.folder / "kubelet.json"
        config.write_text(json.dumps({
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
            "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
            "authorization": {"mode": "AlwaysAllow"},
            "cgroupDriver": "cgroupfs", "failSwapOn": False, "failCgroupV1": False,
            "clusterDNS": [DNS_ADDRESS], "clusterDomain": "cluster.local",
            "containerRuntimeEndpoint": f"unix://{self.folder}/containerd.sock",
            "evictionHard": {"memory.available": "1Mi"},
            "imageGCHighThresholdPercent": 100,
            "syncFrequency": "5s",
        }))
        self.start("kubelet", f"--config={config}", f"--kubeconfig={self.kubeconfig}",
                   f"--hostname-override={NODE}", f"--node-ip={NODE_ADDRESS}",
                   f"--root-dir={self.kubelet_dir}", f"--cert-dir={self.kubelet_dir}/pki")

    def load(self, archive):
        """Imports an image into the node."""
        subprocess.run([self.programs / "ctr", "--address", self.folder / "containerd.sock",
                        "--namespace", "k8s.io", "images", "import", "--all-platforms", archive],
                       check=True, stdout=subprocess.DEVNULL)

    def kubectl(self, *arguments, **options):
        """Returns what kubectl prints, as the cluster's administrator."""
        return self.run("kubectl", *arguments, **options)

    def run(self, *command, check=True, **options):
        return subprocess.run([str(part) for part in command], check=check, text=True,
                              stdout=subprocess.PIPE, env=self.environment, **options).stdout
