"""Whoever scrapes a daemon that stops gets whole pages, and then no connection.

Several clients scrape without a pause, from before the signal until nobody listens.
"""

import concurrent.futures
import re
import shutil
import signal
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request

import live_stack  # It says where harness is.
import harness
import prometheus

CLIENTS = 4
ROUNDS = 3
PATIENCE_S = 60
STEPS = re.compile(r"^stowage(?:d|_agent)_steps_total{[^}]*} (\S+)$", re.M)


def fetch(address, path="/metrics"):
    """Returns a page. A page that is cut raises, as it does in Prometheus."""
    with urllib.request.urlopen(f"http://{address}{path}") as page:
        return page.read().decode()


def scrape_to_the_end(address, begun):
    """Returns the pages that there are until connecting fails.

    Waits at the barrier `begun` when it has the first one.
    """
    try:
        pages = [fetch(address)]
    except Exception:
        begun.abort()
        raise
    begun.wait(timeout=PATIENCE_S)
    while True:
        try:
            page = urllib.request.urlopen(f"http://{address}/metrics")
        except urllib.error.HTTPError:
            raise
        except (urllib.error.URLError, ConnectionError):
            return pages  # Nobody listens, or who accepted it has ended.
        with page:
            pages.append(page.read().decode())


def is_draining(address):
    try:
        fetch(address, "/readyz")
    except urllib.error.HTTPError as error:
        return error.code == 503
    return False


@unittest.skipIf(prometheus.missing(), f"needs {prometheus.missing()}")
class DrainTest(unittest.TestCase):

    def setUp(self):
        folder = harness.scratch()
        self.addCleanup(shutil.rmtree, folder)
        self.stack = self.enterContext(live_stack.LiveStack(folder))
        self.job = self.stack.start_job("job", fast="24MiB", steps=1000)
        self.stack.await_true(lambda: self.stack.server.query(
            'stowage_agent_steps_total{mode="plan"} > 0'))

    def pages_while_it_stops(self, name, meanwhile):
        """Returns the pages of each client until the daemon has ended with 0."""
        address = self.stack.pages["stowaged" if name == "service" else "stowage-agent"]
        begun = threading.Barrier(CLIENTS + 1)
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
            scraped = [clients.submit(scrape_to_the_end, address, begun)
                       for _ in range(CLIENTS)]
            try:
                begun.wait(timeout=PATIENCE_S)
            except threading.BrokenBarrierError as broken:
                causes = [client.exception() for client in scraped]
                raise next((cause for cause in causes if not isinstance(
                    cause, (type(None), threading.BrokenBarrierError))), broken) from None
            self.stack.host.signal(name, signal.SIGTERM)
            meanwhile(address)
            pages = [client.result(timeout=PATIENCE_S) for client in scraped]
        self.assertEqual(0, self.stack.host.processes[name].wait(timeout=PATIENCE_S))
        with self.assertRaises(urllib.error.URLError):
            fetch(address)
        return pages

    def check(self, pages_of_clients):
        for pages in pages_of_clients:
            counted = [sum(map(float, STEPS.findall(page))) for page in pages]
            self.assertEqual(sorted(counted), counted)  # No counter goes back.
            self.assertGreater(counted[0], 0)
            for page in pages[-2:]:
                result = subprocess.run(["promtool", "check", "metrics"], input=page,
                                        capture_output=True, text=True, check=False)
                # 3: what it would name otherwise.
                self.assertIn(result.returncode, (0, 3), result.stderr)

    def test_a_service_answers_until_it_has_drained(self):

        def await_and_scrape(address):
            end = time.monotonic() + PATIENCE_S
            while not is_draining(address):
                self.assertLess(time.monotonic(), end)
            fetch(address)

        for _ in range(ROUNDS):
            self.check(self.pages_while_it_stops("service", await_and_scrape))
            self.stack.host.start("service")
            self.stack.await_scrape()
            self.stack.await_true(lambda: self.stack.server.query(
                "sum(stowaged_steps_total) > 0"))

    def test_an_agent_answers_until_it_ends(self):
        for _ in range(ROUNDS):
            self.check(self.pages_while_it_stops("agent", lambda _: None))
            self.stack.host.start("agent")
            # What was scraped of the one before says nothing of this one.
            self.stack.await_scrape()
            self.stack.await_true(lambda: self.stack.server.query(
                "sum(stowage_agent_steps_total) > 0"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
