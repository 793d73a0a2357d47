"""Captures a training step on a GPU as a graph that `stowage plan` reads.

    graph, persistent = capture(step, "resnet50", rounds=7)
    Path("graph.json").write_text(json.dumps(graph))

The step must free what it made, gradients too, before it ends. Durations are times between
events on the stream, the median of the rounds. They hold while the processor is ahead of
the GPU, so each round begins with a wait on the GPU.
"""

import statistics

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from kernels import Kernels

BACKLOG_CYCLES = 600_000_000


def rounded(size_bytes):
    """Returns what PyTorch's allocator takes for a storage."""
    return (size_bytes + 511) // 512 * 512


class StructureObserver:
    """Notes kernels, operands, lifetimes and scratch memory of one step."""

    away = frozenset()

    def __init__(self):
        self.tensors = []
        self.kernels = []
        self.unmanaged_bytes = 0
        self._index = {}  # storage pointer -> index
        self._alive = {}  # index -> weak reference

    def begin(self, name, operands):
        self._bury()
        kernel = len(self.kernels)
        self.kernels.append({"name": name, "operands": []})
        for pointer, (storage, written) in operands.items():
            if pointer not in self._index:
                self._note(storage, persistent=True, kind="TENSOR_KIND_WEIGHT")
            self.kernels[kernel]["operands"].append(
                {"tensor": self._index[pointer], "read": True, "write": written})
        torch.cuda.reset_peak_memory_stats()

    def end(self, operands, new):
        kernel = len(self.kernels) - 1
        for pointer, storage in new.items():
            self._note(storage, birthKernel=kernel, kind="TENSOR_KIND_ACTIVATION")
            self.kernels[kernel]["operands"].append(
                {"tensor": self._index[pointer], "write": True})
        held = torch.cuda.memory_allocated()
        scratch = torch.cuda.max_memory_allocated() - held
        if scratch > 0:
            self.tensors.append({"sizeBytes": scratch, "kind": "TENSOR_KIND_WORKSPACE",
                                 "birthKernel": kernel, "deathKernel": kernel})
        managed = sum(self.tensors[index]["sizeBytes"] for index in self._alive)
        self.unmanaged_bytes = max(self.unmanaged_bytes, held - managed)

    def finish(self):
        """Ends the step; raises if it leaves what the next one would free."""
        self._bury()
        left = [index for index in self._alive if "birthKernel" in self.tensors[index]]
        if left:
            raise RuntimeError(f"{len(left)} tensors of the step outlive it: set gradients "
                               "to None at its end")

    def persistent(self):
        """Returns {tensor: weak reference} of what was there before the step."""
        return {index: reference for index, reference in self._alive.items()
                if self.tensors[index].get("persistent")}

    def _note(self, storage, **fields):
        index = len(self.tensors)
        self.tensors.append({"sizeBytes": rounded(storage.nbytes()), **fields})
        self._index[storage._cdata] = index
        self._alive[index] = StorageWeakRef(storage)

    def _bury(self):
        for index in [i for i, reference in self._alive.items() if reference.expired()]:
            if self.tensors[index].get("persistent"):
                raise RuntimeError("a tensor of the step before is freed in this one")
            self.tensors[index]["deathKernel"] = len(self.kernels) - 1
            del self._index[self._alive.pop(index).cdata]


class DurationObserver:
    """Records an event before each kernel."""

    away = frozenset()

    def __init__(self):
        self.events = []

    def begin(self, name, operands):
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        self.events.append(event)

    def end(self, operands, new):
        pass

    def durations_ns(self):
        torch.cuda.synchronize()
        return [int(a.elapsed_time(b) * 1e6) for a, b in zip(self.events, self.events[1:])]


def timed_round(step):
    """Returns the duration of each kernel of a step, in nanoseconds."""
    observer = DurationObserver()
    torch.cuda.synchronize()
    torch.cuda._sleep(BACKLOG_CYCLES)
    with Kernels(observer, "cuda"):
        step()
    observer.begin("end", {})
    return observer.durations_ns()


def capture(step, name, rounds):
    """Returns a stowage.v1.Graph as proto JSON, and weak references to what persists, by tensor."""
    structure = StructureObserver()
    with Kernels(structure, "cuda"):
        step()
    structure.finish()
    times = [timed_round(step) for _ in range(rounds)]
    for index, kernel in enumerate(structure.kernels):
        duration = int(statistics.median(row[index] for row in times))
        kernel["profile"] = {"fastInputsFastOutputs": {
            "durationNs": str(duration), "source": "DURATION_SOURCE_MEASURED"}}
    graph = {"schemaVersion": 1, "name": name, "tensors": structure.tensors,
             "kernels": structure.kernels, "unmanagedPeakBytes": str(structure.unmanaged_bytes),
             "source": f"captured on a GPU, PyTorch {torch.__version__}",
             "processor": torch.cuda.get_device_name()}
    return graph, structure.persistent()
