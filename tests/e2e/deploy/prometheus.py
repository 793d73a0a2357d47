"""A Prometheus server that scrapes daemons of a test every second.

    with prometheus.Prometheus(folder, {"stowaged": "127.0.0.1:9464"}) as server:
        server.query("up")      # [{"metric": {...}, "value": [time, "1"]}]
"""

import json
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import expressions

READY_S = 30
LISTENS = re.compile(r'msg="?Listening on"? address=(\S+:\d+)')


def missing():
    """Returns what a test with Prometheus needs and this machine has not."""
    lacks = [name for name in ("prometheus", "promtool") if shutil.which(name) is None]
    try:
        import yaml  # noqa: F401
    except ImportError:
        lacks.append("python3-yaml")
    return ", ".join(lacks)


class Prometheus:
    """Runs with deploy/prometheus/prometheus.yaml and its rules.

    `targets` has the address of the daemon to scrape for each job of that file.
    """

    def __init__(self, folder, targets):
        self.log = folder / "prometheus.log"
        config = folder / "prometheus.yaml"
        config.write_text(self.configuration(targets))
        self.command = ["prometheus", f"--config.file={config}",
                        f"--storage.tsdb.path={folder / 'prometheus'}",
                        "--web.listen-address=127.0.0.1:0"]

    @staticmethod
    def configuration(targets):
        import yaml
        config = yaml.safe_load((expressions.RULES_DIR / "prometheus.yaml").read_text())
        config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config["rule_files"] = [str(expressions.RULES_DIR / name)
                                for name in config["rule_files"]]
        for job in config["scrape_configs"]:
            job["static_configs"] = [{"targets": [targets[job["job_name"]]]}]
        return yaml.safe_dump(config)

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        try:
            self.address = self.await_answer(self.listening_address)
            self.await_answer(lambda: self.query("up"))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def await_answer(self, ask):
        end = time.monotonic() + READY_S
        while True:
            try:
                if answer := ask():
                    return answer
            except OSError:
                pass  # It does not serve yet.
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"no Prometheus: {self.log.read_text()}")
            time.sleep(0.05)

    def listening_address(self):
        found = LISTENS.search(self.log.read_text())
        return found and found.group(1)

    def query(self, promql):
        """Returns the samples of an expression; raises ValueError if it is none."""
        return self.ask("query", query=promql)

    def query_range(self, promql, begin_s, end_s, step_s):
        """Returns the series of an expression with their samples at each step."""
        return self.ask("query_range", query=promql, start=begin_s, end=end_s,
                        step=step_s)

    def ask(self, what, **parameters):
        body = urllib.parse.urlencode(parameters).encode()
        try:
            with urllib.request.urlopen(f"http://{self.address}/api/v1/{what}",
                                        body) as answer:
                return json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as error:
            if error.code == 503:
                raise
            raise ValueError(f"{parameters['query']}: "
                             f"{error.read().decode()}") from error
