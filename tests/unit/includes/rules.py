"""Says which folder may include what, as docs/architecture.md does.

    for violation in rules.check_tree(Path("/path/to/stowage")):
        print(violation)        # "policies/model/graph.cc:3: ..."

A rule is data: add a row rather than code.
"""

import os
import re
from pathlib import Path

SOURCE_FOLDERS = ("proto", "timing", "daemon", "network", "policies", "server",
                  "agents", "client_sdk", "tools", "tests")
CXX_SUFFIXES = (".h", ".cc", ".cpp")

# Folder -> prefixes of project headers that it may include. The longest
# matching folder counts. "stowage/v1/" are the generated protos.
PROJECT_HEADERS = {
    "timing": ("timing/",),
    "daemon": ("daemon/",),
    "policies": ("policies/", "stowage/v1/"),
    "policies/model": ("policies/model/", "stowage/v1/"),
    "policies/scaling": ("policies/scaling/", "policies/model/"),
    "policies/plan": ("policies/plan/", "policies/model/", "stowage/v1/"),
    # Shares no code with what it judges.
    "policies/verify":
        ("policies/verify/", "policies/plan/", "policies/model/"),
    "policies/layout":
        ("policies/layout/", "policies/plan/", "policies/model/"),
    "policies/simulate":
        ("policies/simulate/", "policies/layout/", "policies/plan/",
         "policies/model/"),
    "policies/planning":
        ("policies/planning/", "policies/simulate/", "policies/layout/",
         "policies/plan/", "policies/model/"),
    "policies/bound":
        ("policies/bound/", "policies/planning/", "policies/plan/",
         "policies/model/"),
    "policies/estimate":
        ("policies/estimate/", "policies/bound/", "policies/planning/",
         "policies/simulate/", "policies/plan/", "policies/model/"),
    "policies/solver":
        ("policies/solver/", "policies/plan/", "policies/model/", "timing/"),
    "policies/intervals":
        ("policies/intervals/", "policies/planning/", "policies/simulate/",
         "policies/layout/", "policies/plan/", "policies/model/"),
    "policies/swap":
        ("policies/swap/", "policies/planning/", "policies/simulate/",
         "policies/layout/", "policies/plan/", "policies/model/"),
    "policies/heat":
        ("policies/heat/", "policies/layout/", "policies/plan/",
         "policies/model/"),
    "policies/aggregation":
        ("policies/aggregation/", "policies/heat/", "policies/simulate/",
         "policies/layout/", "policies/plan/", "policies/model/"),
    "policies/search/absences":
        ("policies/search/absences/", "policies/planning/",
         "policies/simulate/", "policies/layout/", "policies/plan/",
         "policies/model/"),
    "policies/search/annealing":
        ("policies/search/annealing/", "policies/search/absences/",
         "policies/planning/", "policies/simulate/", "policies/layout/",
         "policies/plan/", "policies/model/", "timing/"),
    "policies/search/prices":
        ("policies/search/prices/", "policies/search/absences/",
         "policies/heat/", "policies/model/", "stowage/v1/"),
    "policies/search":
        ("policies/search/", "policies/planning/", "policies/simulate/",
         "policies/plan/", "policies/model/", "timing/"),
    "network": ("network/", "timing/"),
    "server": ("server/", "timing/", "daemon/", "network/", "policies/",
               "stowage/v1/"),
    "agents": ("agents/", "client_sdk/cpp/", "client_sdk/session/",
               "daemon/", "network/", "timing/", "stowage/v1/"),
    "client_sdk/cpp": ("client_sdk/cpp/", "network/", "timing/", "stowage/v1/"),
    # Both ends of a session include it, and it includes neither.
    "client_sdk/session": ("client_sdk/session/",),
    "client_sdk/runtime": ("client_sdk/runtime/", "client_sdk/session/"),
    # Stands in every process that `stowage run` starts.
    "client_sdk/preload": ("client_sdk/preload/",),
    "client_sdk/torch":
        ("client_sdk/torch/", "client_sdk/runtime/", "client_sdk/session/"),
    "tools": ("",),
    "tests": ("",),
}

# What every other folder of policies/, one system each, may use beside itself:
# what systems share, never another system.
POLICY_SYSTEM_HEADERS = ("policies/model/", "policies/plan/",
                         "policies/layout/", "policies/simulate/",
                         "policies/planning/", "policies/intervals/",
                         "policies/swap/", "policies/solver/", "policies/heat/",
                         "policies/aggregation/", "policies/search/",
                         "timing/", "stowage/v1/")

# Above this many source files a folder holds more than one subject.
MOST_SOURCE_FILES = 30
# Folder -> what it holds, where that is one subject all the same.
LARGE_FOLDERS = {
    "agents/tiers": "one pair of files for each kind of memory and its parts",
}

# Folder -> those in it, each of which includes itself and those before it, and
# the prefixes of what else all of them may include.
LAYERS = {
    "server":
        (("storage", "fleet", "graphs", "placement", "scheduling", "training",
          "retention", "metrics", "access", "calls", "rpc", "runtime"),
         ("timing/", "daemon/", "network/", "policies/", "stowage/v1/")),
    "client_sdk/runtime":
        (("process", "connection", "blocks", "moves", "plans", "space", "steps",
          "placing"), ("client_sdk/session/",)),
    "client_sdk/torch":
        (("operators", "steps", "hook"),
         ("client_sdk/runtime/", "client_sdk/session/")),
    "agents/jobs":
        (("records", "planning", "admission"),
         ("agents/tiers/", "agents/engine/", "agents/sharing/",
          "client_sdk/session/", "timing/", "stowage/v1/")),
}
for parent, (layers, others) in LAYERS.items():
    for number, layer in enumerate(layers, 1):
        PROJECT_HEADERS[f"{parent}/{layer}"] = (
            *others, *(f"{parent}/{earlier}/" for earlier in layers[:number]))

# What an include looks like -> the only folders that may have it.
RESERVED_HEADERS = (
    ("LibTorch", r"(torch|ATen|c10|caffe2)/", ("client_sdk/torch",
                                               "policies/deeptm/dqn", "tests")),
    ("memkind and libnuma", r"(memkind|numa|numaif|pmem_allocator)\.h$",
     ("agents/tiers", "tests/conformance", "tests/unit/agents")),
    ("gRPC", r"grpc(pp)?/|.*\.grpc\.pb\.h$",
     ("daemon", "server/access", "server/calls", "server/rpc", "server/runtime", "server/main.cc",
      "agents", "client_sdk/cpp", "tools", "tests")),
    ("libmicrohttpd", r"microhttpd\.h$", ("network",)),
    ("libcurl", r"curl/", ("agents/kubernetes",)),
    ("libsystemd", r"systemd/", ("daemon",)),
    ("SQLite", r"sqlite3\.h$", ("server/storage", "tests")),
    ("libpq", r"libpq-fe\.h$", ("server/storage", "tests")),
    ("Prometheus", r"prometheus/", ("network", "server", "agents", "tests")),
    ("io_uring", r"liburing\.h$", ("agents", "tests")),
)

# Folder -> what it may not include.
FORBIDDEN_HEADERS = (
    ("policies", "I/O and threads",
     r"(fstream|iostream|cstdio|stdio\.h|filesystem|unistd\.h|fcntl\.h|thread|future|"
     r"pthread\.h|sys/.*)$"),
    # Threads of ours break in forked DataLoader workers.
    ("client_sdk/runtime", "threads", r"(thread|future|jthread)$"),
    ("client_sdk/torch", "threads", r"(thread|future|jthread)$"),
    ("client_sdk/preload", "threads", r"(thread|future|jthread)$"),
    # A guest in somebody's process depends on LibTorch and libc alone.
    ("client_sdk/session", "libraries beyond libc",
     r"(absl|google|grpc|grpcpp|torch|ATen|c10|prometheus|nlohmann)/"),
    ("client_sdk/runtime", "libraries beyond libc",
     r"(absl|google|grpc|grpcpp|torch|ATen|c10|prometheus|nlohmann)/"),
    ("client_sdk/preload", "libraries beyond libc",
     r"(absl|google|grpc|grpcpp|torch|ATen|c10|prometheus|nlohmann)/|"
     r"(string|vector|map|memory|functional|iostream)$"),
    ("client_sdk/torch", "libraries beyond LibTorch and libc",
     r"(absl|google|grpc|grpcpp|prometheus|nlohmann)/"),
)

# Time limits of Abseil's follow the wall clock, and those of Bell do not.
WALL_CLOCK_WAIT = re.compile(r"\b\w+With(Timeout|Deadline)\(")

# Folder -> what its CMakeLists.txt may not link.
FORBIDDEN_LIBRARIES = (
    ("policies",
     r"gRPC::|stowage_proto_grpc|Threads::|PkgConfig::(MEMKIND|NUMA|URING)"),
    ("server", r"PkgConfig::(MEMKIND|NUMA|URING)|stowage_agent|stowage_client"),
    ("agents",
     r"stowage_policies|stowage_server|stowage_runtime|TORCH_LIBRARIES"),
    ("client_sdk/cpp", r"stowage_policies|stowage_server|TORCH_LIBRARIES"),
    ("client_sdk/session",
     r"absl::|gRPC::|protobuf::|stowage_proto|TORCH_LIBRARIES"),
    ("client_sdk/runtime",
     r"absl::|gRPC::|protobuf::|stowage_proto|TORCH_LIBRARIES"),
    ("client_sdk/torch", r"absl::|gRPC::|protobuf::|stowage_proto"),
    ("client_sdk/preload", r"::|stowage_(proto|runtime|torch)|TORCH_LIBRARIES"),
)

# Text that may stand in no tracked file. Written in pieces, so that this file
# keeps its own rule.
FORBIDDEN_TEXT = (
    ("a path of one machine", re.compile("/" + r"work/(main|shared)")),
    ("an unfinished note",
     re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")),
)
TEXT_SUFFIXES = CXX_SUFFIXES + (".py", ".sh", ".md", ".txt", ".proto", ".cmake",
                                ".json", ".yaml", ".yml", ".tpl", ".service")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
LINK = re.compile(r"target_link_libraries\s*\(([^)]*)\)", re.S)


def check_tree(root):
    """Returns one line per violation under `root`, in order of path."""
    violations = check_folders(root)
    for path in source_files(root):
        relative = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix in CXX_SUFFIXES:
            violations += check_includes(relative, text)
            violations += check_waits(relative, text)
        if path.name == "CMakeLists.txt":
            violations += check_links(relative, text)
        violations += check_text(relative, text)
    return violations


def check_folders(root):
    """Returns one line per cycle of folders and per folder that is too large."""
    includes, sizes = {}, {}
    for path in source_files(root):
        relative = path.relative_to(root)
        if path.suffix not in CXX_SUFFIXES or relative.parts[0] == "tests":
            continue
        folder = relative.parent.as_posix()
        sizes[folder] = sizes.get(folder, 0) + 1
        includes.setdefault(folder,
                            set()).update(included_folders(root, path))
    return [
        f"{folder}: {size} source files, above {MOST_SOURCE_FILES}; divide it, "
        "or say in LARGE_FOLDERS why it is one subject"
        for folder, size in sizes.items()
        if size > MOST_SOURCE_FILES and folder not in LARGE_FOLDERS
    ] + [
        f"{cycle[0]}: folders include one another: {' -> '.join(cycle)}"
        for cycle in cycles(includes)
    ]


def included_folders(root, path):
    folder = path.parent.relative_to(root).as_posix()
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        match = INCLUDE.match(line)
        if match and is_project_header(match.group(2)):
            included = Path(match.group(2)).parent.as_posix()
            if included != folder:
                yield included


def cycles(includes):
    """Returns a cycle for each folder from which one is reached first."""
    found, done = [], set()

    def visit(folder, trail):
        if folder in trail:
            found.append(trail[trail.index(folder):] + [folder])
        elif folder not in done:
            for other in sorted(includes.get(folder, ())):
                visit(other, trail + [folder])
            done.add(folder)

    for folder in sorted(includes):
        visit(folder, [])
    return found


def source_files(root):
    for folder, subfolders, names in os.walk(root):
        # Tests mount disks in build directories that cannot be listed.
        subfolders[:] = sorted(
            name for name in subfolders
            if not name.startswith(("build", ".git")) and name != "__pycache__")
        if Path(folder).relative_to(root).parts[:2] == ("tests", "data"):
            continue
        for path in (Path(folder) / name for name in sorted(names)):
            if path.suffix in TEXT_SUFFIXES and path.is_file():
                yield path


def check_includes(relative, text):
    violations = []
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(2)
        for problem in include_problems(relative,
                                        header,
                                        is_quoted=match.group(1) == '"'):
            violations.append(f"{relative}:{number}: {problem}")
    return violations


def include_problems(relative, header, is_quoted):
    if is_quoted or header.startswith("stowage/"):
        allowed = allowed_project_headers(relative)
        if allowed is not None and is_project_header(header):
            if not header.startswith(allowed):
                yield f"may not include {header}; allowed: {', '.join(allowed)}"
    for what, pattern, folders in RESERVED_HEADERS:
        if re.match(pattern, header) and not within(relative, folders):
            yield f"includes {header}; {what} belongs to {', '.join(folders)}"
    for folder, what, pattern in FORBIDDEN_HEADERS:
        if within(relative, (folder,)) and re.match(pattern, header):
            yield f"includes {header}; {folder} has no {what}"


def is_project_header(header):
    return header.startswith(
        tuple(f"{f}/" for f in SOURCE_FOLDERS) + ("stowage/",))


def allowed_project_headers(relative):
    """Returns the prefixes for a file, None where there is no rule."""
    parts = relative.split("/")
    if parts[0] == "policies" and len(
            parts) > 2 and f"policies/{parts[1]}" not in PROJECT_HEADERS:
        return (f"policies/{parts[1]}/",) + POLICY_SYSTEM_HEADERS
    folders = [f for f in PROJECT_HEADERS if within(relative, (f,))]
    return PROJECT_HEADERS[max(folders, key=len)] if folders else None


def within(relative, folders):
    return any(relative == f or relative.startswith(f + "/") for f in folders)


def check_waits(relative, text):
    if within(relative, ("tests", "cmake/tsan")):
        return []
    return [
        f"{relative}:{number}: {match.group(0)}...) follows the wall clock; use "
        "timing/bell.h"
        for number, line in enumerate(text.splitlines(), 1)
        for match in WALL_CLOCK_WAIT.finditer(line)
    ]


def check_links(relative, text):
    violations = []
    for match in LINK.finditer(text):
        number = text.count("\n", 0, match.start()) + 1
        for folder, pattern in FORBIDDEN_LIBRARIES:
            found = re.search(pattern, match.group(1))
            if found and within(relative, (folder,)):
                violations.append(
                    f"{relative}:{number}: {folder} may not link {found.group(0)}"
                )
    return violations


def check_text(relative, text):
    violations = []
    for what, pattern in FORBIDDEN_TEXT:
        for match in pattern.finditer(text):
            number = text.count("\n", 0, match.start()) + 1
            violations.append(f"{relative}:{number}: {what}: {match.group(0)}")
    return violations
