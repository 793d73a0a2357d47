#!/usr/bin/python3
"""Writes what is in each Debian package, as CycloneDX 1.5 (SBOM).

    tools/sbom.py build/packages/*.deb      # PACKAGE.deb -> PACKAGE.cdx.json

It lists the Debian packages of the shared libraries that the dynamic linker of this
machine finds for the programs, of those libraries' own, of the header libraries
that are compiled into them, and of what the package says that it needs. Versions
and licences are those of this machine's packages.
"""

import hashlib
import json
import logging
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import uuid

from debian import copyright as debian_copyright
from debian import deb822
from debian import debfile

# Header libraries leave no trace in a program that could be looked up.
COMPILED_IN = ("libcli11-dev", "nlohmann-json3-dev", "libxxhash-dev")


# Of copyright files that name their format in an old way, which it reads.
logging.getLogger("debian").setLevel(logging.ERROR)


def output_of(*command, check=True):
    return subprocess.run([str(part) for part in command], check=check,
                          capture_output=True, text=True).stdout


def libraries_of(program):
    """Returns {name: path} of the libraries that the dynamic linker finds."""
    found = re.findall(r"^\s*(\S+) => (/\S+)", output_of("ldd", program), re.M)
    return {name: os.path.realpath(path) for name, path in found}


def needed_by(path):
    """Returns the names of the libraries that this file itself names."""
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output_of("readelf", "-d", path))


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def owners_of(paths):
    """Returns {path: package} for files of installed packages."""
    # What was installed before /usr was merged is known without it.
    asked = {alias: path for path in paths
             for alias in (path, path.removeprefix("/usr"))}
    lines = output_of("dpkg-query", "--search", *asked, check=False).splitlines()
    owners = {}
    for line in lines:
        package, path = line.rsplit(": ", 1)
        if path in asked:
            owners[asked[path]] = package.split(":")[0]
    missing = set(paths) - set(owners)
    if missing:
        raise SystemExit(f"sbom: {sorted(missing)} are of no Debian package; install "
                         "libraries from Debian alone")
    return owners


class Packages:
    """The installed packages that a bill names, and what each needs of others."""

    def __init__(self):
        self.needs = {}  # package -> packages

    def add(self, package, needs=()):
        self.needs.setdefault(package, set()).update(set(needs) - {package})

    def add_libraries(self, programs):
        """Adds what programs link, directly or not. Returns what they name."""
        direct = set()
        for program in programs:
            libraries = libraries_of(program)
            owners = owners_of(libraries.values())
            for path, package in owners.items():
                self.add(package, (owners[libraries[name]] for name in needed_by(path)
                                   if name in libraries))
            direct |= {owners[libraries[name]] for name in needed_by(program)
                       if name in libraries}
        return direct


def installed_version(package):
    version = output_of("dpkg-query", "-W", "-f", "${Version}", package, check=False)
    return version or None


def licences_of(package):
    """Returns the licences that the package's copyright file names for its files."""
    path = pathlib.Path(f"/usr/share/doc/{package}/copyright")
    try:
        with open(path, encoding="utf-8") as file:
            parsed = debian_copyright.Copyright(file, strict=False)
    except (OSError, debian_copyright.NotMachineReadableError):
        return []
    names = set()
    for paragraph in parsed.all_files_paragraphs():
        if paragraph.license and paragraph.files != ("debian/*",):
            names.add(paragraph.license.synopsis)
    return sorted(filter(None, names))


def reference(package, version):
    return f"pkg:deb/debian/{package}@{version}?distro=debian-12"


def component(package, version, scope):
    # Names and not ids: Debian's short names are not always those of SPDX.
    licences = licences_of(package) or [f"/usr/share/doc/{package}/copyright"]
    return {"type": "library", "bom-ref": reference(package, version), "name": package,
            "version": version, "scope": scope, "purl": reference(package, version),
            "licenses": [{"license": {"name": name}} for name in licences]}


def declared(control, field):
    """Returns {package: version of this release, or None} that a field names."""
    names = {}
    if not control.get(field):
        return names
    for choices in deb822.PkgRelation.parse_relations(control[field]):
        for choice in choices:
            exact = choice["version"] and choice["version"][0] == "="
            if exact or installed_version(choice["name"]):
                names[choice["name"]] = choice["version"][1] if exact else None
                break
    return names


def bill_of(deb):
    control = debfile.DebFile(deb).debcontrol()
    packages = Packages()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["dpkg-deb", "-x", deb, folder], check=True)
        programs = [path for path in sorted(pathlib.Path(folder).rglob("*"))
                    if is_elf(path)]
        direct = packages.add_libraries(programs)
    required = {**declared(control, "Depends"),
                **dict.fromkeys(COMPILED_IN if programs else ())}
    optional = declared(control, "Recommends")
    for package in (*required, *optional):
        packages.add(package)
    versions = {package: required.get(package) or installed_version(package)
                for package in packages.needs}
    references = {package: reference(package, version)
                  for package, version in versions.items()}
    digest = hashlib.sha256(pathlib.Path(deb).read_bytes()).hexdigest()
    own = f"pkg:deb/stowage/{control['Package']}@{control['Version']}"
    needs = {own: direct | set(required) | set(optional),
             **{references[package]: below for package, below in packages.needs.items()}}
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        # The same package has the same bill.
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, own + digest)}",
        "metadata": {"component": {
            "type": "application", "bom-ref": own, "name": control["Package"],
            "version": control["Version"], "purl": own,
            "licenses": [{"license": {"id": "Apache-2.0"}}],
            "hashes": [{"alg": "SHA-256", "content": digest}]}},
        "components": [
            component(package, versions[package],
                      "optional" if package in optional else "required")
            for package in sorted(packages.needs)],
        "dependencies": [
            {"ref": name, "dependsOn": sorted(references[package] for package in below)}
            for name, below in sorted(needs.items())]}


def main():
    for deb in sys.argv[1:]:
        bill = pathlib.Path(deb).with_suffix(".cdx.json")
        bill.write_text(json.dumps(bill_of(deb), indent=2) + "\n")


if __name__ == "__main__":
    main()
