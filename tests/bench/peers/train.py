"""Trains one job, with a recipe of PyTorch's own, DeepSpeed's, or with none.

    python3 train.py transformer --out digest.json --steps 8
        [--recipe files|checkpoint|compiled|deepspeed] [--segments 4]
        [--budget 0.4] [--folder /tmp] [--quick] [--paced] [--new-shapes-only]

It prints "step INDEX SECONDS s loss VALUE" after each step and writes hashes of
all it computed; not with DeepSpeed, which leaves the weights in its files. With
--paced it waits for a line on standard input before each step, and with
--new-shapes-only it makes those whose inputs have a shape not seen before. A job
that the recipe cannot train ends with "refused: REASON".
"""

import argparse
import os
import sys
import time
import uuid

import torch
from torch.utils.checkpoint import checkpoint

import jobs
from digest import Digest
from refused import Refused
from train_model import loss_of

SMALLEST_ON_DISK = 1000  # elements, as in PyTorch's tutorial


class SavedFile:
    """A saved tensor in a file, which ends with it."""

    def __init__(self, tensor, folder):
        self._path = os.path.join(folder, str(uuid.uuid4()))
        whole = tensor.storage().nbytes() == tensor.numel() * tensor.element_size()
        torch.save(tensor if whole else tensor.clone(), self._path)

    def load(self):
        return torch.load(self._path)

    def __del__(self):
        os.remove(self._path)


def saved_in_files(net, folder):
    """Returns the hooks of PyTorch's tutorial on saved tensors.

    https://pytorch.org/tutorials/intermediate/autograd_saved_tensors_hooks_tutorial.html
    Unlike there, weights stay where they are anyway, and a view is saved without
    the rest of its storage.
    """
    weights = {parameter.storage().data_ptr() for parameter in net.parameters()}

    def pack(tensor):
        if tensor.numel() < SMALLEST_ON_DISK or tensor.storage().data_ptr() in weights:
            return tensor
        return SavedFile(tensor, folder)

    def unpack(saved):
        return saved.load() if isinstance(saved, SavedFile) else saved

    return torch.autograd.graph.saved_tensors_hooks(pack, unpack)


def forward(blocks, inputs):
    for block in blocks:
        inputs = block(inputs)
    return inputs


def forward_checkpointed(blocks, inputs, segments):
    """Recomputes all but the last segment, as checkpoint_sequential() does.

    That function needs inputs with gradients in PyTorch 1.13; images and words
    have none.
    """
    size = -(-len(blocks) // segments)
    *others, last = [blocks[i:i + size] for i in range(0, len(blocks), size)]
    for segment in others:
        inputs = checkpoint(forward, segment, inputs, use_reentrant=False)
    return forward(last, inputs)


def loss_function(job, arguments):
    """Returns what computes the loss of inputs and their target by the recipe."""

    def plain(inputs, target):
        return loss_of(forward(job.blocks(inputs), inputs), target)

    def checkpointed(inputs, target):
        blocks = job.blocks(inputs)
        return loss_of(forward_checkpointed(blocks, inputs, arguments.segments), target)

    def filed(inputs, target):
        with saved_in_files(job.net, arguments.folder):
            return plain(inputs, target)

    return {"checkpoint": checkpointed, "files": filed}.get(arguments.recipe, plain)


def prepared(job, arguments):
    """Returns the job and the function of its loss as the recipe wants them."""
    # What needs PyTorch 2 is imported where it is used: other recipes do without.
    # pylint: disable=import-outside-toplevel
    loss = loss_function(job, arguments)
    if arguments.recipe == "compiled":
        import compiled
        return job, compiled.loss_function(loss, arguments.budget)
    if arguments.recipe == "deepspeed":
        import zero
        return zero.offloaded(job, loss, arguments.folder)
    return job, loss


def train(job, loss_function_of_job, step):
    """Makes one step and returns its loss."""
    job.optimizer.zero_grad()
    for _ in range(2 if job.mixed_precision else 1):
        with torch.autocast("cpu", enabled=job.mixed_precision):
            loss = loss_function_of_job(*job.batch(step))
        job.backward(loss)
    job.optimizer.step()
    if job.mixed_precision and step % 4 == 3:
        evaluate(job, loss_function_of_job, step)
    return loss.item()


def evaluate(job, loss_function_of_job, step):
    job.net.eval()
    with torch.no_grad(), torch.autocast("cpu"):
        loss_function_of_job(*job.batch(step)).item()
    job.net.train()


def steps_to_make(job, arguments):
    """Yields the indices of the steps."""
    seen = set()
    for step in range(arguments.steps):
        if arguments.new_shapes_only:
            shape = job.batch(step)[0].shape
            if shape in seen:
                continue
            seen.add(shape)
        if arguments.paced and not sys.stdin.readline():
            return
        yield step


def train_all(job, arguments):
    """Makes all steps, says each, and writes the hashes."""
    job, loss_function_of_job = prepared(job, arguments)
    digest = Digest()
    for step in steps_to_make(job, arguments):
        begin_s = time.perf_counter()
        value = train(job, loss_function_of_job, step)
        seconds = time.perf_counter() - begin_s
        print(f"step {step} {seconds:.6f} s loss {value!r}", flush=True)
        digest.add("losses", value)
    if arguments.recipe != "deepspeed":
        digest.add_model(job.net)
        digest.write(arguments.out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("job", choices=jobs.MAKERS)
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--recipe", default="none",
                        choices=("none", "files", "checkpoint", "compiled", "deepspeed"))
    parser.add_argument("--segments", type=int, default=4)
    parser.add_argument("--budget", type=float, default=1.0)
    parser.add_argument("--folder", default="/tmp")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--paced", action="store_true")
    parser.add_argument("--new-shapes-only", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    try:
        train_all(jobs.make(arguments.job, arguments.quick), arguments)
    except Refused as reason:
        sys.exit(f"refused: {reason}")


if __name__ == "__main__":
    main()
