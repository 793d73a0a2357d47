"""Jobs whose tensor peak is not that of their first two steps."""

import torch
from torch import nn

from hazard import hazard, main

WIDTH = 1024


def layers(*widths):
    """Returns a perceptron with so many units a layer."""
    net = nn.Sequential()
    for before, after in zip(widths, widths[1:]):
        net.extend([nn.Linear(before, after), nn.ReLU()])
    return net


def adam(net):
    return torch.optim.Adam(net.parameters(), lr=1e-4)


@hazard
def two_models(digest):
    """A critic's step and a generator's make one iteration."""
    generator = layers(64, WIDTH, 2 * WIDTH)
    critic = layers(2 * WIDTH, WIDTH, WIDTH, 1)
    optimizers = [adam(generator), adam(critic)]
    for _ in range(12):
        fake = generator(torch.randn(64, 64))
        for optimizer, inputs in zip(reversed(optimizers),
                                     (fake.detach(), fake)):
            optimizer.zero_grad()
            loss = critic(inputs).square().mean()
            loss.backward()
            optimizer.step()
            digest.add("losses", loss.item())
    digest.add_model(generator)
    digest.add_model(critic)


@hazard
def growing_batches(digest):
    """Batches are four times as large from the seventh step on."""
    net = layers(*[WIDTH] * 7)
    optimizer = adam(net)
    for step in range(18):
        optimizer.zero_grad()
        loss = net(torch.randn(2048 if step > 5 else 512, WIDTH)).square().mean()
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
    digest.add_model(net)


if __name__ == "__main__":
    main()
