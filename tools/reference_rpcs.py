#!/usr/bin/python3
"""Writes docs/reference-rpcs.md, the page of all RPCs, from proto/stowage/v1.

    tools/reference_rpcs.py [PAGE]

protoc describes the protos and keeps their comments; needs python3-protobuf.
"""

import importlib
import pathlib
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROTOS = ROOT / "proto"
PAGE = ROOT / "docs/reference-rpcs.md"
# Messages of this file are details of errors, which no RPC names.
DETAILS = "stowage/v1/status.proto"

# Numbers of fields in descriptor.proto, which make up the paths of comments.
MESSAGE, ENUM, SERVICE, SYNTAX = 4, 5, 6, 12
MEMBER = 2  # a message's field, an enumeration's value, a service's RPC

FORMS = {1: "a name", 2: "an id", 3: "64 hex digits"}

INTRODUCTION = """\
# RPCs: reference

`tools/reference_rpcs.py` writes this page from the comments of
[`proto/stowage/v1`](../proto/stowage/v1); change those. The role of a client decides
[which RPCs it may call](reference-stowaged.md#who-may-call-what), and there are
[limits](reference-stowaged.md#limits) for all of them together.

The service refuses a request with a field out of its bounds with `INVALID_ARGUMENT`; the
message names the field, its value and the bound. A *required* field has to be set, and a
string not to be empty; other bounds of strings hold where they are not empty. A *name* is 1
to 128 letters, digits, `.`, `_` and `-` of ASCII, an *id* 1 to 256 characters of ASCII that
can be seen. Bounds of a repeated field hold for each entry. Those of responses hold for what
the service was told.
"""


class Protos:
    """All files of proto/stowage/v1. Names are full ones: `.stowage.v1.Job`."""

    def __init__(self, files):
        self.services = [(f, service) for f in files for service in f.service]
        self.messages, self.enums, self.comments = {}, {}, {}
        for file in files:
            prefix = f".{file.package}."
            self.messages |= {prefix + m.name: m for m in file.message_type}
            self.enums |= {prefix + e.name: e for e in file.enum_type}
            self.comments |= comments_of(file)
        self.details = {f".{f.package}.{m.name}" for f in files if f.name == DETAILS
                        for m in f.message_type}


def comments_of(file):
    names = {(SYNTAX,): file.name}
    for number, things, members in ((MESSAGE, file.message_type, "field"),
                                    (ENUM, file.enum_type, "value"),
                                    (SERVICE, file.service, "method")):
        for i, thing in enumerate(things):
            name = f".{file.package}.{thing.name}"
            names[number, i] = name
            for k, member in enumerate(getattr(thing, members)):
                names[number, i, MEMBER, k] = f"{name}.{member.name}"
    return {names[path]: unindented(location.leading_comments)
            for location in file.source_code_info.location
            if (path := tuple(location.path)) in names}


def unindented(comment):
    lines = [line.removeprefix(" ") for line in comment.splitlines()]
    return "\n".join(lines).strip().replace("<", "&lt;")


class Page:

    def __init__(self, protos, bounds):
        self._protos, self._bounds = protos, bounds
        # The heading under which each type stands: of a request or a response
        # that of the first RPC which has it, of others their own.
        self._headings = {}
        for _, service in protos.services:
            for rpc in service.method:
                self._headings.setdefault(rpc.input_type, rpc.name)
                self._headings.setdefault(rpc.output_type, rpc.name)
        reachable = self._reachable(self._headings.keys() | protos.details)
        self._others = sorted(reachable - self._headings.keys(), key=short)
        self._headings |= {name: short(name) for name in self._others}

    def text(self):
        parts = [INTRODUCTION.rstrip()]
        for file, service in self._protos.services:
            parts += self._service(file, service)
        parts.append("## Messages and enumerations")
        for name in self._others:
            parts += [f"### {short(name)}", *self._type(name)]
        return "\n\n".join(part for part in parts if part) + "\n"

    def _reachable(self, names):
        found = set()
        while new := names - found:
            found |= new
            names = {field.type_name for name in new for field in self._fields(name)
                     if self._is_ours(field.type_name)}
        return found

    def _fields(self, name):
        return self._protos.messages[name].field if name in self._protos.messages else ()

    def _is_ours(self, name):
        return name in self._protos.messages or name in self._protos.enums

    def _service(self, file, service):
        name = f".{file.package}.{service.name}"
        yield f"## {service.name}"
        yield self._protos.comments[file.name]
        yield self._protos.comments[name]
        for rpc in service.method:
            yield f"### {rpc.name}"
            yield self._protos.comments[f"{name}.{rpc.name}"]
            yield from self._side("Request", rpc, rpc.input_type, rpc.client_streaming)
            yield from self._side("Response", rpc, rpc.output_type, rpc.server_streaming)

    def _side(self, side, rpc, name, streams):
        start = f"{side}: " + ("a stream of " if streams else "")
        if self._headings[name] != rpc.name:
            yield start + f"{self._link(name)}, as there."
        elif self._fields(name):
            yield start + f"`{short(name)}`"
            yield from self._type(name)
        else:
            yield start + f"`{short(name)}`, which has no fields."

    def _type(self, name):
        yield self._protos.comments.get(name)
        if name in self._protos.enums:
            yield table(("value", "number", "meaning"),
                        ((f"`{value.name}`", str(value.number), self._meaning(name, value))
                         for value in self._protos.enums[name].value))
        else:
            yield table(("field", "type", "bounds", "meaning"),
                        ((f"`{field.name}`", self._type_of(field),
                          self._bounds_of(field, name), self._meaning(name, field))
                         for field in self._fields(name)))

    def _meaning(self, name, member):
        comment = self._protos.comments.get(f"{name}.{member.name}", "")
        return comment.replace("\n", " ").replace("|", "\\|")

    def _type_of(self, field):
        repeated = "repeated " if field.label == field.LABEL_REPEATED else ""
        if self._is_ours(field.type_name):
            return repeated + self._link(field.type_name)
        scalar = field.Type.Name(field.type).removeprefix("TYPE_").lower()
        return f"{repeated}`{field.type_name.removeprefix('.') or scalar}`"

    def _link(self, name):
        return f"[{short(name)}](#{self._headings[name].lower()})"

    def _bounds_of(self, field, name):
        bounds = field.options.Extensions[self._bounds]
        parts = ["required"] if bounds.required else []
        if bounds.form:
            parts.append(FORMS[bounds.form])
        if bounds.HasField("most"):
            parts.append(f"{bounds.least} to {number(bounds.most)}")
        elif bounds.HasField("least"):
            parts.append(f"{bounds.least} or more")
        if bounds.max_bytes:
            parts.append(f"up to {number(bounds.max_bytes)} bytes")
        if bounds.max_items:
            parts.append(f"up to {number(bounds.max_items)} entries")
        if field.proto3_optional:
            parts.append("optional")
        elif field.HasField("oneof_index"):
            group = self._protos.messages[name].oneof_decl[field.oneof_index]
            parts.append(f"one of `{group.name}`")
        return ", ".join(parts)


def short(name):
    return name.rpartition(".")[2]


def number(value):
    return "2^60" if value == 1 << 60 else f"{value:,}"


def table(head, rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])


def read_protos():
    """Returns the files by name, and the extension `bounds` of fields' options."""
    with tempfile.TemporaryDirectory() as folder:
        described = pathlib.Path(folder, "descriptors")
        subprocess.run(["protoc", f"--proto_path={PROTOS}", f"--python_out={folder}",
                        f"--descriptor_set_out={described}", "--include_source_info",
                        *sorted(PROTOS.glob("stowage/v1/*.proto"))], check=True)
        # Options are read only when their extension is known.
        sys.path.insert(0, folder)
        bounds = importlib.import_module("stowage.v1.bounds_pb2").bounds
        files = descriptor_pb2.FileDescriptorSet.FromString(described.read_bytes()).file
    return sorted(files, key=lambda file: file.name), bounds


def main():
    files, bounds = read_protos()
    page = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    page.write_text(Page(Protos(files), bounds).text(), encoding="utf-8")


if __name__ == "__main__":
    main()
