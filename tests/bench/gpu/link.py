"""Measures copies between a GPU and memory of the host, as a memory system for `stowage plan`.

    system = measure(HostArena(2 * LARGEST))
    Path("system.json").write_text(json.dumps(system))

A curve has what a single copy takes, its start included; `both_ways_share` is what a direction
keeps of its bandwidth while the other one copies, too.
"""

import statistics

import torch

SIZES = tuple(1 << power for power in range(16, 29, 2))
LARGEST = SIZES[-1]
ROUNDS = 9


def elapsed_ns(work, stream):
    """Returns how long the work takes on a stream."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    with torch.cuda.stream(stream):
        begin.record()
        work()
        end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e6


class Lane:
    """Copies in one direction, on a stream of its own."""

    def __init__(self, target, source):
        self.target, self.source = target, source
        self.stream = torch.cuda.Stream()

    def copy(self, size_bytes, times=1):
        with torch.cuda.stream(self.stream):
            for _ in range(times):
                self.target[:size_bytes].copy_(self.source[:size_bytes], non_blocking=True)

    def duration_ns(self, size_bytes, other=None):
        """Returns how long a copy takes, alone or beside another lane's."""
        def once():
            torch.cuda.synchronize()
            if other:
                other.copy(LARGEST, times=3)
            return elapsed_ns(lambda: self.copy(size_bytes), self.stream)
        return statistics.median(once() for _ in range(ROUNDS))


def kernel_ns(work, lane=None):
    """Returns how long a kernel takes, alone or beside copies of a lane."""
    torch.cuda.synchronize()
    if lane:
        lane.copy(LARGEST, times=20)
    times = [elapsed_ns(work, torch.cuda.current_stream()) for _ in range(ROUNDS)]
    torch.cuda.synchronize()
    return statistics.median(times)


def slowdown(lane):
    """Returns by how much kernels that compute, or only move bytes, are slower beside copies."""
    a = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
    large = torch.randn(256 << 20, device="cuda", dtype=torch.bfloat16)
    works = {"compute": lambda: a @ a, "memory": lambda: large.add_(1)}
    for work in works.values():
        work()
    return {name: max(0.0, kernel_ns(work, lane) / kernel_ns(work) - 1)
            for name, work in works.items()}


def curve(lane, other, ends):
    points = [{"bufferBytes": str(size),
               "bytesPerSecond": str(int(size / lane.duration_ns(size) * 1e9))} for size in SIZES]
    share = lane.duration_ns(LARGEST) / lane.duration_ns(LARGEST, other)
    return {"fromTier": ends[0], "toTier": ends[1], "points": points,
            "slowdown": slowdown(lane), "bothWaysShare": min(1.0, share)}


def tier(name, capacity_bytes, addressable, bytes_per_second):
    points = [{"threads": 1, "bytesPerSecond": str(int(bytes_per_second))}]
    return {"name": name, "capacityBytes": str(capacity_bytes), "addressable": addressable,
            "read": points, "write": points, "pageBytes": "4096"}


def measure(arena):
    """Returns a stowage.v1.MemorySystem as proto JSON; needs twice LARGEST of the host."""
    device = torch.empty(2, LARGEST, dtype=torch.uint8, device="cuda")
    out = Lane(arena.bytes[:LARGEST], device[0])
    back = Lane(device[1], arena.bytes[LARGEST:2 * LARGEST])
    within = Lane(device[1], device[0])
    for lane in (out, back, within):
        lane.copy(LARGEST, times=2)
    copies = [curve(out, back, (0, 1)), curve(back, out, (1, 0))]
    # Each byte is read and written.
    gpu = 2 * LARGEST / within.duration_ns(LARGEST) * 1e9
    host = copies[1]["points"][-1]["bytesPerSecond"]
    capacity = torch.cuda.get_device_properties(0).total_memory
    return {"schemaVersion": 1, "name": "gpu-here", "processor": torch.cuda.get_device_name(),
            "tiers": [tier("gpu", capacity, True, gpu), tier("host", 0, False, int(host))],
            "copies": copies}
