"""Makes the same steps of a job again and again, from one state, and compares them.

    python3 repeat.py lstm [--steps 10] [--seconds 3600] [--quick]
    stowage run --fast 268MiB --slow file:/tmp -- python3 repeat.py lstm

Alone it shows whether PyTorch computes the same numbers each time; under a limit,
whether that is still so. It names each round whose losses, weights or optimizer's
state are not those of the first round. The exit status is 1 if there is one. The
state lies in memory of NumPy's, beside what the limit is for.
"""

import argparse
import hashlib
import itertools
import sys
import time

import torch

import jobs
from train_model import loss_of

WARM_UP_STEPS = 2  # the optimizer makes its state


def train(job, step):
    job.optimizer.zero_grad()
    inputs, target = job.batch(step)
    for block in job.blocks(inputs):
        inputs = block(inputs)
    loss = loss_of(inputs, target)
    job.backward(loss)
    job.optimizer.step()
    return loss.item()


def tensors_of(job):
    """Returns what a step reads that the step before has written."""
    state = job.optimizer.state
    return [*job.net.state_dict().values(),
            *[value for parameter in job.net.parameters()
              for value in state[parameter].values() if torch.is_tensor(value)]]


def copies_of(tensors):
    # Of a copy, whose address NumPy may know: Stowage would no more move the tensor.
    return [tensor.clone().numpy().copy() for tensor in tensors]


def make_round(job, steps):
    """Returns the losses of the steps, and hashes of what they leave."""
    losses = [train(job, step) for step in range(steps)]
    return losses, [hashlib.blake2b(copy.tobytes(), digest_size=8).hexdigest()
                    for copy in copies_of(tensors_of(job))]


def repeat(job, steps, seconds):
    """Returns how many rounds there were, and how many differed."""
    for step in range(WARM_UP_STEPS):
        train(job, step)
    saved = copies_of(tensors_of(job))
    begin_s = time.monotonic()
    first, different = None, 0
    for index in itertools.count():
        result = make_round(job, steps)
        first = first or result
        if result != first:
            different += 1
            print(f"round {index}: losses {result[0]}, first {first[0]}", flush=True)
        if time.monotonic() - begin_s >= seconds:
            return index + 1, different
        with torch.no_grad():
            for tensor, copy in zip(tensors_of(job), saved):
                tensor.copy_(torch.from_numpy(copy))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("job", choices=jobs.MAKERS)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    job = jobs.make(arguments.job, arguments.quick)
    rounds, different = repeat(job, arguments.steps, arguments.seconds)
    print(f"{rounds} rounds of {arguments.steps} steps, {different} differ from the first")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
