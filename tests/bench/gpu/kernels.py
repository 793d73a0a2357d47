"""Shows the kernels of a step on a GPU to an observer, as the plug-in's hook does for processors.

    with Kernels(observer, "cuda"):
        step()

A kernel is an operator that writes or makes a storage of the device. `observer.begin(name,
operands)` runs before each, with {storage pointer: (storage, written)}, and
`observer.end(operands, new)` after it, with the storages that it made. Small storages are left
out. The observer may free and fill storages between kernels, since PyTorch looks at their
addresses when an operator runs; `observer.away` has the pointers of those that are empty.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

# Copies of less take as long as their setup.
MANAGED_BYTES = 64 << 10


def storages_of(values, device, away):
    """Returns the large storages of tensors among nested values, and those away, by pointer."""
    found = {}
    for value in tree_leaves(values):
        if isinstance(value, torch.Tensor) and value.device.type == device:
            storage = value.untyped_storage()
            if storage.nbytes() >= MANAGED_BYTES or storage._cdata in away:
                found[storage._cdata] = storage
    return found


def written_arguments(operator, args, kwargs):
    """Returns the arguments that the operator's schema says are written."""
    for index, argument in enumerate(operator._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            if argument.name in kwargs:
                yield kwargs[argument.name]
            elif index < len(args):
                yield args[index]


def is_view(operator):
    """Returns whether the operator only makes another view of what it is given."""
    returns = operator._schema.returns
    return bool(returns) and all(
        value.alias_info is not None and not value.alias_info.is_write for value in returns)


class Kernels(TorchDispatchMode):
    """Calls an observer around each kernel; not for several threads that train."""

    def __init__(self, observer, device):
        super().__init__()
        self.observer = observer
        self.device = device

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if is_view(operator):
            return operator(*args, **kwargs)
        away = self.observer.away
        written = storages_of(list(written_arguments(operator, args, kwargs)), self.device, away)
        operands = {pointer: (storage, pointer in written) for pointer, storage
                    in storages_of((args, kwargs), self.device, away).items()}
        self.observer.begin(str(operator), operands)
        result = operator(*args, **kwargs)
        made = storages_of(result, self.device, away)
        self.observer.end(operands, {pointer: storage for pointer, storage in made.items()
                                     if pointer not in operands})
        return result
