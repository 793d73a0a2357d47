"""Every set of values renders objects that Kubernetes takes, or is refused in words."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import chart
import values


class GoodValues(unittest.TestCase):

    def test_helm_finds_nothing_wrong_with_the_chart(self):
        for name, good in values.GOOD.items():
            with self.subTest(name):
                lint = chart.helm("lint", "--strict", chart.CHART, values=good)
                self.assertEqual(0, lint.returncode, lint.stdout + lint.stderr)

    def test_the_api_knows_every_field_of_every_object(self):
        for name, good in values.GOOD.items():
            with self.subTest(name):
                self.assertTrue(chart.render(good))

    def test_the_checker_refuses_what_the_api_would_drop(self):
        text = chart.manifests()
        for right, wrong in (("kind: Deployment\n", "kind: Deploiment\n"),
                             ("apiVersion: apps/v1\n", "apiVersion: apps/v2\n"),
                             ("  replicas: 1\n", "  replica: 1\n"),
                             ("  replicas: 1\n", "  replicas: 1\n  replicas: 2\n"),
                             ("  replicas: 1\n", "  replicas: one\n"),
                             ("  name: stowage\n", "  name: Stowage\n")):
            with self.subTest(wrong):
                self.assertIn(right, text)
                with self.assertRaises(AssertionError):
                    chart.decode(text.replace(right, wrong, 1))

    def test_a_package_has_the_files_of_deploy_and_renders_the_same(self):
        good = values.GOOD["all at once"]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([chart.TOOLS / "helm", "package", chart.CHART, "-d", folder],
                           check=True, capture_output=True)
            package, = Path(folder).iterdir()
            packed = chart.helm("template", chart.RELEASE, package, values=good)
        self.assertEqual(chart.manifests(good), packed.stdout)

    def test_defaults_pass_their_own_schema(self):
        stated = chart.helm("template", chart.RELEASE, chart.CHART, "--values",
                            chart.CHART / "values.yaml")
        self.assertEqual(0, stated.returncode, stated.stderr)


class BadValues(unittest.TestCase):

    def test_they_are_refused_with_words_that_name_them(self):
        for bad, words in values.BAD:
            with self.subTest(bad):
                refused = chart.helm("template", chart.RELEASE, chart.CHART, values=bad)
                self.assertNotEqual(0, refused.returncode, refused.stdout)
                self.assertIn(words, refused.stderr)

    def test_claims_are_refused_by_a_cluster_without_them(self):
        old = chart.helm("template", chart.RELEASE, chart.CHART, "--kube-version", "1.33",
                         values=values.CLAIMS)
        self.assertIn("set claims.enabled to false", old.stderr)
        self.assertTrue(chart.render({}, "--kube-version", "1.33"))


if __name__ == "__main__":
    chart.require_tools()
    unittest.main()
