"""Certificates of an authority of the test, by openssl.

    certificates.make_authority(folder / "authority")
    certificates.issue(folder / "authority", folder / "agent",
                       "URI:spiffe://stowage/agent/node7")  # tls.crt, tls.key, ca.crt
"""

import shutil
import subprocess


def make_authority(folder):
    folder.mkdir()
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key",
            "-out", "ca.crt", "-subj", "/CN=stowage", folder=folder)


def openssl(*arguments, folder):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def issue(authority, folder, names):
    """Issues a certificate for `names` into `folder`, as a secret has it."""
    folder.mkdir(parents=True)
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "tls.key", "-out",
            "request", "-subj", "/CN=x", "-addext", f"subjectAltName={names}",
            folder=folder)
    openssl("x509", "-req", "-in", "request", "-CA", authority / "ca.crt", "-CAkey",
            authority / "ca.key", "-CAcreateserial", "-copy_extensions", "copy",
            "-out", "tls.crt", folder=folder)
    (folder / "request").unlink()
    shutil.copy(authority / "ca.crt", folder)
    return folder
