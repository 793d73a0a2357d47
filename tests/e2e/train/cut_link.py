"""Carries what a daemon and its service say to each other, and may be cut.

    with cut_link.Link(host.service_socket) as link:
        host.lead_agent_to(link.path)
        link.cut()
        link.mend()

While it is cut, connections stay open and nothing arrives: neither side can tell
the other from one that is very slow. What was said meanwhile arrives afterwards.
"""

import contextlib
import os
import shutil
import socket
import tempfile
import threading


class Link:

    def __init__(self, service_socket):
        self.service_socket = service_socket
        self.directory = tempfile.mkdtemp(prefix="stowage-link-")
        self.path = os.path.join(self.directory, "link.sock")
        self.whole = threading.Event()
        self.whole.set()
        self.sockets = []

    def __enter__(self):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self._run(self._accept)
        return self

    def __exit__(self, *_):
        self.mend()
        self.listener.close()
        for end in self.sockets:
            end.close()
        shutil.rmtree(self.directory)

    def cut(self):
        self.whole.clear()

    def mend(self):
        self.whole.set()

    def _run(self, function, *arguments):
        threading.Thread(target=function, args=arguments, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return  # The test is over.
            self.whole.wait()
            far = socket.socket(socket.AF_UNIX)
            self.sockets += [near, far]
            try:
                far.connect(self.service_socket)
            except OSError:  # The service is not there; the daemon tries again.
                near.close()
                continue
            self._run(self._carry, near, far)
            self._run(self._carry, far, near)

    def _carry(self, source, target):
        try:
            while data := source.recv(1 << 16):
                self.whole.wait()
                target.sendall(data)
        except OSError:
            pass  # One of them is gone.
        for end in (source, target):  # The other one learns it.
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
