"""Trains by a plan on a GPU: the fast tier is its memory, the slow one memory of the host.

    follower = Follower(plan, graph, persistent)   # of step_graph.capture
    with Kernels(follower, "cuda"):
        step()
    follower.end_step()
    follower.fetch_all()

Boundaries are events on the stream that computes. A copy waits on its stream for the boundary
at which it starts, and the kernels' stream waits for the copy at its deadline; the process never
waits. A tensor that is away has a storage without bytes, as FSDP does it, and PyTorch's
allocator finds the addresses: the plan's offsets count in the host's memory alone.
"""

import collections
import mmap
import os

import torch
from torch.multiprocessing.reductions import StorageWeakRef


class HostArena:
    """Memory that another process could own (memfd), registered for direct copies until close()."""

    def __init__(self, size_bytes):
        self.size_bytes = max(size_bytes, mmap.PAGESIZE)
        descriptor = os.memfd_create("stowage-host-tier")
        os.truncate(descriptor, self.size_bytes)
        self._map = mmap.mmap(descriptor, self.size_bytes,
                              flags=mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0))
        self.bytes = torch.frombuffer(self._map, dtype=torch.uint8)
        error = torch.cuda.cudart().cudaHostRegister(self.bytes.data_ptr(), self.size_bytes, 0)
        if int(error) != 0:
            raise RuntimeError(f"cudaHostRegister of {self.size_bytes} bytes failed: {error}")
        os.close(descriptor)

    def close(self):
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaHostUnregister(self.bytes.data_ptr())
        self.bytes = None
        self._map = None  # unmapped with the last tensor that shows it


def place(placement):
    """Returns the tier and the offset of a placement in proto JSON, which leaves zeros out."""
    return int(placement.get("tier", 0)), int(placement.get("offsetBytes", 0))


def host_bytes(plan):
    """Returns how much of the host's memory a plan may use, were every tensor at its end."""
    places = [move[end] for move in plan.get("moves", []) for end in ("from", "to")]
    places += [allocation["at"] for allocation in plan.get("initial", [])]
    return max((offset for tier, offset in map(place, places) if tier == 1), default=0)


class Away(Exception):
    """A kernel uses a tensor that the plan has elsewhere; the plan or its follower is wrong."""


class Follower:
    """An observer of Kernels that moves tensors as a plan says; for one device and thread."""

    def __init__(self, plan, graph, persistent):
        self._tensors = graph["tensors"]
        self._names = [kernel["name"] for kernel in graph["kernels"]]
        self._storages = dict(persistent)  # tensor -> weak reference
        self._sizes = {}  # of what is in the host's memory, as PyTorch asked for it
        self.away = {}  # storage pointer -> weak reference, which keeps the pointer its own
        largest = max(int(tensor["sizeBytes"]) for tensor in self._tensors)
        self._arena = HostArena(host_bytes(plan) + largest)
        self._out, self._in = torch.cuda.Stream(), torch.cuda.Stream()
        self._starts = collections.defaultdict(list)
        self._deadlines = collections.defaultdict(list)
        for move in plan.get("moves", []):
            self._starts[int(move.get("startKernel", 0))].append(move)
        self._births = collections.defaultdict(list)
        for index, tensor in enumerate(self._tensors):
            if "birthKernel" in tensor and tensor["kind"] != "TENSOR_KIND_WORKSPACE":
                self._births[tensor["birthKernel"]].append(index)
        self._kernel = 0
        self._initial = plan.get("initial", [])
        self.put_initial()

    def begin(self, name, operands):
        if self._names[self._kernel] != name:
            raise RuntimeError(f"kernel {self._kernel} is {name}, and {self._names[self._kernel]} "
                               "in the plan")
        self._boundary(self._kernel)
        for storage, _ in operands.values():
            if storage.nbytes() == 0:
                raise Away(f"an operand of kernel {self._kernel} ({name}) is in the host's memory")

    def end(self, operands, new):
        births = self._births[self._kernel]
        if len(births) != len(new):
            raise RuntimeError(f"kernel {self._kernel} ({self._names[self._kernel]}) makes "
                               f"{len(new)} tensors, and {len(births)} in the plan")
        for index, storage in zip(births, new.values()):
            self._storages[index] = StorageWeakRef(storage)
        self._kernel += 1

    def end_step(self):
        self._boundary(self._kernel)
        self._kernel = 0
        for pointer in [p for p, reference in self.away.items() if reference.expired()]:
            del self.away[pointer]

    def close(self):
        self._arena.close()

    def fetch_all(self):
        """Brings persistent tensors back, once no step is under way."""
        for index, offset in self._hosted.items():
            self._copy_in(index, offset)
        torch.cuda.synchronize()

    def put_initial(self):
        """Moves persistent tensors to where the plan's steps begin."""
        self._hosted = {}
        for allocation in self._initial:
            index = int(allocation.get("tensor", 0))
            tier, offset = place(allocation["at"])
            if tier == 1:
                self._copy_out(index, offset)
                torch.cuda.synchronize()
                self._empty(index)
                self._hosted[index] = offset

    def _boundary(self, boundary):
        for move, copied in self._deadlines.pop(boundary, ()):
            self._finish(move, copied)
        starts = self._starts.get(boundary)
        if not starts:
            return
        self._out.wait_stream(torch.cuda.current_stream())
        for move in starts:
            self._start(move, boundary)

    def _start(self, move, boundary):
        index = int(move.get("tensor", 0))
        (source, source_offset), (target, target_offset) = place(move["from"]), place(move["to"])
        if source == target == 0:
            return  # addresses within the GPU are its allocator's
        if move.get("isDrop"):
            self._empty(index)
            return
        copied = (self._copy_in(index, source_offset) if target == 0
                  else self._copy_out(index, target_offset))
        deadline = int(move.get("deadlineKernel", 0))
        if deadline == boundary:
            self._finish(move, copied)
        else:
            self._deadlines[deadline].append((move, copied))

    def _finish(self, move, copied):
        torch.cuda.current_stream().wait_event(copied)
        if place(move["to"])[0] == 1:
            self._empty(int(move.get("tensor", 0)))

    def _storage(self, index):
        storage = torch.UntypedStorage._new_with_weak_ptr(self._storages[index].cdata)
        if storage is None:
            raise RuntimeError(f"tensor {index} is no longer alive")
        return storage

    def _empty(self, index):
        storage = self._storage(index)
        storage.resize_(0)
        self.away[storage._cdata] = self._storages[index]

    def _copy_out(self, index, offset):
        storage = self._storage(index)
        self._sizes[index] = storage.nbytes()
        return self._copy(self._host(offset, storage.nbytes()), device_bytes(storage), self._out)

    def _copy_in(self, index, offset):
        storage = self._storage(index)
        storage.resize_(self._sizes[index])
        self.away.pop(storage._cdata, None)
        # The room may have been another tensor's until the kernel before.
        self._in.wait_stream(torch.cuda.current_stream())
        return self._copy(device_bytes(storage), self._host(offset, storage.nbytes()), self._in)

    def _copy(self, target, source, stream):
        with torch.cuda.stream(stream):
            target.copy_(source, non_blocking=True)
            return stream.record_event()

    def _host(self, offset, size_bytes):
        return self._arena.bytes[offset:offset + size_bytes]


def device_bytes(storage):
    """Returns a storage as a tensor of bytes."""
    return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
