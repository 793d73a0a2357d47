"""Calls the operators, modules and optimizers that PyTorch tests, with the inputs of its tests.

    python3 operator_calls.py OUT [--first 0] [--samples 4]

Writes a line of JSON for each case, when it begins and when it ends, with a hash for each
way in which it was called. Between two calls all of a few larger tensors are written, so
that under a limit of 2 MiB everything else has to leave fast memory. A step of training ends
each round of a case. Needs NumPy, SciPy and expecttest, as those tests do.
"""

import argparse
import functools
import hashlib
import itertools
import json
import random
import warnings

import numpy
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_modules import module_db
from torch.testing._internal.common_optimizers import optim_db
from torch.utils import _pytree as pytree

DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.complex64, torch.int64, torch.bool)
BALLAST = [torch.nn.Parameter(torch.ones(192 << 10)) for _ in range(3)]
UPDATE = torch.optim.SGD(BALLAST, lr=1e-3)
ROUNDS = 4  # of a case: from the third on, a plan may drive


@torch.no_grad()
def press():
    """Uses all of the limit."""
    for tensor in BALLAST:
        tensor.mul_(1.0)


def end_step():
    UPDATE.zero_grad()
    sum(tensor.sum() for tensor in BALLAST).backward()
    UPDATE.step()


def seed():
    torch.manual_seed(7)
    random.seed(7)
    numpy.random.seed(7)


def plain(tensor):
    """Returns dense tensors with all that a tensor holds."""
    if tensor.layout == torch.sparse_coo:
        tensor = tensor.coalesce()
        return [*plain(tensor.indices()), *plain(tensor.values())]
    if tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        return [*plain(tensor.crow_indices()), *plain(tensor.col_indices()),
                *plain(tensor.values())]
    if tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        return [*plain(tensor.ccol_indices()), *plain(tensor.row_indices()),
                *plain(tensor.values())]
    if tensor.is_nested:
        return [part for one in tensor.unbind() for part in plain(one)]
    if tensor.device.type != "cpu":
        return []
    return [tensor.detach().resolve_conj().resolve_neg().contiguous().clone()]


def tensors_of(tree):
    return [leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def digest(tree):
    """Returns a hash of all numbers in a tree of tensors and others."""
    seen = hashlib.sha256()
    for leaf in pytree.tree_leaves(tree):
        for part in plain(leaf) if isinstance(leaf, torch.Tensor) else [leaf]:
            if isinstance(part, torch.Tensor):
                seen.update(str((part.dtype, tuple(part.shape))).encode())
                seen.update(part.reshape(-1).view(torch.uint8).numpy().tobytes())
            elif isinstance(part, (int, float, complex, str)):
                seen.update(repr(part).encode())
    return seen.hexdigest()[:16]


def outcome(call):
    """Returns the hash of what it returns, or what it complains about."""
    press()
    seed()
    try:
        return digest(call())
    except Exception as error:  # pylint: disable=broad-except
        return f"{type(error).__name__}: {str(error).splitlines()[:1]}"[:200]


def gradients(op, sample):
    result = op(sample.input, *sample.args, **sample.kwargs)
    if sample.output_process_fn_grad:
        result = sample.output_process_fn_grad(result)
    ends = [tensor for tensor in tensors_of(result) if tensor.requires_grad]
    starts = [
        tensor for tensor in tensors_of((sample.input, sample.args, sample.kwargs))
        if tensor.requires_grad
    ]
    press()
    return torch.autograd.grad([end.sum() for end in ends], starts, allow_unused=True)


@torch.no_grad()
def in_place(op, sample):
    tensor = sample.input.detach().clone()
    press()
    op.inplace_variant(tensor, *sample.args, **sample.kwargs)
    press()
    return tensor


@torch.no_grad()
def into(op, sample, make):
    """Calls it with results that `make` has made as a place for."""
    result = op(sample.input, *sample.args, **sample.kwargs)
    places = pytree.tree_map(lambda r: make(r) if isinstance(r, torch.Tensor) else r, result)
    press()
    seed()
    op(sample.input, *sample.args, **sample.kwargs, out=places)
    press()
    return places


PLACES = {
    "out": torch.zeros_like,
    "out, resized": lambda result: torch.empty(0, dtype=result.dtype),
    "out, strided": lambda result: torch.zeros((*result.shape, 2), dtype=result.dtype)[..., 0],
}


def call_operator(op, dtype, samples):
    seed()
    learns = op.supports_autograd and (dtype.is_floating_point or dtype.is_complex)
    for sample in itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=learns), samples):
        given = (sample.input, sample.args, sample.kwargs)
        yield "call", outcome(lambda s=sample: op(s.input, *s.args, **s.kwargs))
        if learns:
            yield "gradients", outcome(functools.partial(gradients, op, sample))
        if op.inplace_variant and not sample.broadcasts_input and isinstance(
                sample.input, torch.Tensor):
            yield "in place", outcome(functools.partial(in_place, op, sample))
        for name, make in PLACES.items() if op.supports_out else ():
            yield name, outcome(functools.partial(into, op, sample, make))
        yield "inputs", digest(given)


def train_module(module, forward):
    """Returns all that two steps of a module leave."""
    update = torch.optim.SGD(module.parameters(), lr=0.1) if list(module.parameters()) else None
    seen = []
    for _ in range(2):
        press()
        results = module(*forward.args, **forward.kwargs)
        ends = [tensor for tensor in tensors_of(results) if tensor.requires_grad]
        press()
        if ends:
            sum(end.abs().sum() for end in ends).backward()
        press()
        if update:
            update.step()
        slopes = [tensor.grad for tensor in tensors_of(forward.args)]
        seen.append(digest((results, list(module.state_dict().values()), forward.args, slopes)))
    return seen


def call_module(info, dtype, training, samples):
    seed()
    inputs = info.module_inputs_func(info, device="cpu", dtype=dtype, requires_grad=True,
                                     training=training)
    for given in inputs[:samples]:
        if given.forward_input is None:
            continue

        def make_and_train(given=given):
            made = given.constructor_input
            module = info.module_cls(*made.args, **made.kwargs).to(dtype).train(training)
            return train_module(module, given.forward_input)

        yield "steps", outcome(make_and_train)


def update_weights(info, settings):
    shapes = ((17, 9), (5, 8)) if "Muon" in info.optim_cls.__name__ else ((17, 9), (5,), (3, 2, 2))
    weights = [torch.nn.Parameter(torch.randn(shape)) for shape in shapes]
    optimizer = info.optim_cls(weights, **settings)

    def closure():
        optimizer.zero_grad()
        loss = sum(weight.sin().sum() for weight in weights)
        loss.backward()
        if "Sparse" in info.optim_cls.__name__:
            for weight in weights:
                weight.grad = weight.grad.to_sparse()
        press()
        return loss

    for _ in range(4):
        optimizer.step(closure)
        press()
    return weights, [list(state.values()) for state in optimizer.state.values()]


def call_optimizer(info, samples):
    del samples
    for given in info.optim_inputs_func(device="cpu"):
        for way in ({}, {"foreach": True}, {"fused": True}):
            if not way or next(iter(way)) in info.supported_impls:
                settings = {**given.kwargs, **way}
                yield str(way), outcome(functools.partial(update_weights, info, settings))


def cases():
    """Yields the name of each case and what makes its calls, given how many samples."""
    for op in op_db:
        # What is uninitialized differs from run to run.
        if "empty" in op.name:
            continue
        for dtype in DTYPES:
            if op.supports_dtype(dtype, "cpu"):
                name = f"{op.name} {op.variant_test_name} {dtype}"
                yield name, functools.partial(call_operator, op, dtype)
    for info in module_db:
        for dtype in DTYPES:
            for training in (True, False):
                if dtype in info.dtypes:
                    name = f"{info.name} {dtype} {'training' if training else 'evaluation'}"
                    yield name, functools.partial(call_module, info, dtype, training)
    for info in optim_db:
        yield info.optim_cls.__name__, functools.partial(call_optimizer, info)


def rounds_of(call, samples):
    """Makes all calls, and then those with the first input again."""
    for number in range(ROUNDS):
        try:
            yield from call(samples=samples if number == 0 else 1)
        except Exception as error:  # pylint: disable=broad-except
            yield "inputs", f"PyTorch makes none: {type(error).__name__}"
        end_step()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--samples", type=int, default=4, help="inputs of each case")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with open(arguments.out, "a", encoding="utf-8", buffering=1) as out:
        for number, (name, call) in enumerate(cases()):
            if number >= arguments.first:
                print(json.dumps({"begins": number, "case": name}), file=out)
                results = list(rounds_of(call, arguments.samples))
                print(json.dumps({"ends": number, "results": results}), file=out)


if __name__ == "__main__":
    main()
