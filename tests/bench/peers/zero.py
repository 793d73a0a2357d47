"""Trains a job with DeepSpeed ZeRO-3, all but activations in files.

    job, loss = zero.offloaded(job, plain_loss, folder)
    job.backward(loss(inputs, target))
    job.optimizer.step()

One process, without a launcher. Buffers take what the largest parameter needs,
so that as little as possible stays in memory. DeepSpeed has an Adam of its own;
any other optimizer is the job's.
"""

import dataclasses
import os

import deepspeed
import torch
from deepspeed.ops.adam import DeepSpeedCPUAdam

ALONE = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0", "RANK": "0", "WORLD_SIZE": "1",
         "LOCAL_RANK": "0", "LOCAL_SIZE": "1"}
SMALLEST_OFFLOADED = 10_000  # elements


class Whole(torch.nn.Module):
    """Computes the loss below one module, in which DeepSpeed finds the others."""

    def __init__(self, net, loss):
        super().__init__()
        self.net = net
        self.loss = loss

    def forward(self, inputs, target):
        return self.loss(inputs, target)


class Steps:
    """Stands for an optimizer: the engine forgets gradients by itself."""

    def __init__(self, engine):
        self.step = engine.step

    def zero_grad(self):
        pass


def optimizer_of(job):
    if not isinstance(job.optimizer, torch.optim.Adam):
        return job.optimizer
    return DeepSpeedCPUAdam(job.net.parameters(), adamw_mode=False, **{
        name: job.optimizer.defaults[name] for name in ("lr", "betas", "eps", "weight_decay")})


def configuration(job, folder):
    largest = max(parameter.numel() for parameter in job.net.parameters())
    files = {"device": "nvme", "nvme_path": folder, "pin_memory": True}
    return {
        "train_micro_batch_size_per_gpu": len(job.batch(0)[0]),
        "zero_allow_untested_optimizer": True,
        "zero_force_ds_cpu_optimizer": False,
        "managed_gradient_accumulation": False,  # a step ends it, however many batches came
        "torch_autocast": {"enabled": job.mixed_precision, "dtype": "bfloat16"},
        "zero_optimization": {
            "stage": 3,
            "offload_param": {**files, "buffer_size": largest, "max_in_cpu": 0},
            "offload_optimizer": files,
            "overlap_comm": False,
            "sub_group_size": largest,
            "reduce_bucket_size": largest,
            "stage3_prefetch_bucket_size": largest,
            "stage3_max_live_parameters": largest,
            "stage3_max_reuse_distance": largest,
            "stage3_param_persistence_threshold": SMALLEST_OFFLOADED,
        },
    }


def offloaded(job, loss, folder):
    """Returns the job with its weights in files, and the function of its loss."""
    os.environ.update(ALONE)
    random = torch.get_rng_state()
    engine, *_ = deepspeed.initialize(model=Whole(job.net, loss), optimizer=optimizer_of(job),
                                      config=configuration(job, folder))
    torch.set_rng_state(random)
    return dataclasses.replace(job, optimizer=Steps(engine), backward=engine.backward), engine
