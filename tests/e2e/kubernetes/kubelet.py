"""Plays the kubelet of a node: registers the driver, and has claims prepared.

    node = kubelet.Kubelet(folder)             # the agent's --kubelet-dir
    info = node.register()                     # once its socket is there
    devices = node.prepare(claim)              # a ResourceClaim, as JSON
    node.unprepare(claim)

It speaks gRPC over the driver's own sockets, with messages that protoc makes of
proto/kubernetes.
"""

import functools
import importlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import grpc

sys.path.append(str(Path(__file__).resolve().parents[1]))

from waiting import wait_for  # pylint: disable=wrong-import-position

DRIVER = "memory.stowage.dev"
SOURCE_DIR = Path(
    os.environ.get("STOWAGE_SOURCE_DIR", Path(__file__).resolve().parents[3]))
CALL_S = 45


class ClaimError(Exception):
    """What the driver says of a claim that it does not prepare."""


@functools.lru_cache(maxsize=None)
def messages(name):
    """Returns the Python module of proto/kubernetes/NAME.proto."""
    folder = _generated()
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(f"kubernetes.{name}_pb2")


@functools.lru_cache(maxsize=None)
def _generated():
    folder = tempfile.mkdtemp(prefix="stowage-kubelet-")
    protos = sorted((SOURCE_DIR / "proto/kubernetes").glob("*.proto"))
    subprocess.run([
        "protoc", f"--proto_path={SOURCE_DIR / 'proto'}",
        f"--python_out={folder}", *map(str, protos)
    ], check=True)
    return folder


class Kubelet:
    """What runs on one node. `version` is that of the DRA interface."""

    def __init__(self, folder, version="v1"):
        self.folder = Path(folder)
        self.version = version
        self.messages = messages(f"dra_{version}")
        self.registration = (self.folder / "plugins_registry" /
                             f"{DRIVER}-reg.sock")
        self.endpoint = None

    def register(self):
        """Waits for the driver's socket, as the plugin watcher does."""
        wait_for(self.registration.exists, f"no {self.registration}")
        api = messages("registration")
        info = self._call(self.registration,
                          "/pluginregistration.Registration/GetInfo",
                          api.InfoRequest(), api.PluginInfo)
        self.endpoint = info.endpoint
        self._call(self.registration,
                   "/pluginregistration.Registration/NotifyRegistrationStatus",
                   api.RegistrationStatus(plugin_registered=True),
                   api.RegistrationStatusResponse)
        return info

    def prepare(self, claim):
        """Returns the devices of the claim. ClaimError: the driver refuses."""
        request = self.messages.NodePrepareResourcesRequest(
            claims=[self._claim(claim)])
        return self._answer("NodePrepareResources", request,
                            self.messages.NodePrepareResourcesResponse,
                            claim).devices

    def unprepare(self, claim):
        request = self.messages.NodeUnprepareResourcesRequest(
            claims=[self._claim(claim)])
        self._answer("NodeUnprepareResources", request,
                     self.messages.NodeUnprepareResourcesResponse, claim)

    def _claim(self, claim):
        metadata = claim["metadata"]
        return self.messages.Claim(namespace=metadata["namespace"],
                                   name=metadata["name"],
                                   uid=metadata["uid"])

    def _answer(self, method, request, response_type, claim):
        response = self._call(
            self.endpoint,
            f"/k8s.io.kubelet.pkg.apis.dra.{self.version}.DRAPlugin/{method}",
            request, response_type)
        answer = response.claims[claim["metadata"]["uid"]]
        if answer.error:
            raise ClaimError(answer.error)
        return answer

    @staticmethod
    def _call(socket, method, request, response_type):
        with grpc.insecure_channel(f"unix:{socket}") as channel:
            call = channel.unary_unary(
                method,
                request_serializer=lambda message: message.SerializeToString(),
                response_deserializer=response_type.FromString)
            return call(request, timeout=CALL_S, wait_for_ready=True)
