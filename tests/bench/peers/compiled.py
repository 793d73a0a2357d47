"""Compiles a job's forward pass and loss whole, within a memory budget.

    loss = compiled.loss_function(plain_loss, budget=0.4)
    loss(inputs, target).backward()

The budget is the share of the saved activations that a compiled job keeps; it
computes the others again. With 1 PyTorch decides as it does without a budget.
"""

import torch
import torch._dynamo
import torch._functorch.config

from refused import Refused


def loss_function(loss, budget):
    torch._functorch.config.activation_memory_budget = budget
    # A part that is not compiled would not keep to the budget.
    whole = torch.compile(loss, fullgraph=True, dynamic=False)

    def compiled_loss(inputs, target):
        try:
            return whole(inputs, target)
        except (torch._dynamo.exc.TorchDynamoException, NotImplementedError) as error:
            raise Refused(f"cannot be compiled whole: {reason(error)}") from error

    return compiled_loss


def reason(error):
    """Returns the line of the message that says most; others name its parts."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    explained = [line for line in lines if line.startswith("Explanation: ")]
    return (explained or lines or [repr(error)])[0].split("Reason: ")[-1]
