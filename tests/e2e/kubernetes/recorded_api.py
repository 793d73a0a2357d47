"""Answers as an API server of Kubernetes has answered before.

    with recorded_api.RecordedApi() as api:
        agent = node_agent.NodeAgent(folder, api.node, api.agent_flags(folder))
        api.wait_for("POST", recorded_api.SLICES)

recorded/answers.json has the answers of a real API server to an agent;
cluster/cluster_test.py wrote them, and says whether they are still right. Calls that
were not recorded get 404. A watch stays open.
"""

import http.server
import json
import threading
import urllib.parse
from pathlib import Path

import kubelet

ANSWERS = Path(__file__).resolve().parent / "recorded/answers.json"
RESOURCES = "/apis/resource.k8s.io/v1"
SLICES = f"{RESOURCES}/resourceslices"
TOKEN = "recorded"


def load():
    """Returns the recorded answers: method, path, status and body of each."""
    return json.loads(ANSWERS.read_text())


class RecordedApi:
    """`calls` are those that have come: method, path, body and authorization."""

    def __init__(self, port=0):
        self.answers = {
            (answer["method"], answer["path"]): (answer["status"], answer["body"])
            for answer in load()
        }
        self.node = next(body["metadata"]["name"]
                         for _, body in self.answers.values()
                         if body["kind"] == "Node")
        self.calls = []
        self.closing = threading.Event()
        api = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                api.answer(self)

            do_GET = do_POST = do_PUT = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True

    @property
    def port(self):
        return self.server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()

    def agent_flags(self, folder):
        token = Path(folder) / "token"
        token.write_text(TOKEN + "\n")
        return [
            f"--kubernetes-api=http://127.0.0.1:{self.port}",
            f"--kubernetes-token={token}"
        ]

    def claim(self):
        """Returns the claim that was recorded."""
        return next(body for _, body in self.answers.values()
                    if body["kind"] == "ResourceClaim")

    def answer(self, request):
        size = int(request.headers.get("Content-Length") or 0)
        body = json.loads(request.rfile.read(size)) if size else None
        self.calls.append((request.command, request.path, body,
                           request.headers.get("Authorization")))
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(request.path).query)
        if "watch" in query:
            request.send_response(200)
            request.end_headers()
            request.close_connection = True
            self.closing.wait()
            return
        status, answer = self.answers.get(
            (request.command, request.path),
            (404, {"kind": "Status", "message": "this was not recorded"}))
        text = json.dumps(answer).encode()
        request.send_response(status)
        request.send_header("Content-Length", str(len(text)))
        request.end_headers()
        request.wfile.write(text)

    def wait_for(self, method, path):
        """Returns the first such call, once it has come."""
        return kubelet.wait_for(
            lambda: next((call for call in self.calls
                          if call[:2] == (method, path)), None),
            lambda: f"no {method} {path} among {self.calls}")
