"""Hazards: jobs whose steps are of several kinds, in the manner of PyTorch's examples."""

import numpy
import torch
from torch import nn

from hazard import (BATCH, hazard, loss_of, main, make_batch, make_net, sgd,
                    train_step)

EPOCHS = 8


@hazard
def evaluation(digest):
    """Epochs of training, the last batch smaller, each evaluated on larger batches."""
    net = make_net()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(EPOCHS):
        net.train()
        for size in (BATCH, BATCH, BATCH, BATCH // 2):
            train_step(net, optimizer, make_batch(size), digest)
        net.eval()
        with torch.no_grad():
            for _ in range(3):
                inputs, target = make_batch(2 * BATCH)
                loss = criterion(net(inputs), target)
                digest.add("scores", loss.item())
    digest.add_model(net)


@hazard
def gan(digest):
    """A critic's step on real and fake images, then the generator's on the same fakes."""
    generator = nn.Sequential(nn.Linear(64, 512), nn.ReLU(),
                              nn.Linear(512, 3 * 32 * 32), nn.Tanh())
    critic = make_net()
    optimizers = [
        torch.optim.Adam(n.parameters(), lr=1e-3) for n in (generator, critic)
    ]
    for _ in range(2 * EPOCHS):
        critic.zero_grad()
        real_loss = critic(make_batch()[0]).mean()
        real_loss.backward()
        fake = generator(torch.randn(BATCH, 64)).view(BATCH, 3, 32, 32)
        fake_loss = -critic(fake.detach()).mean()
        fake_loss.backward()
        optimizers[1].step()
        generator.zero_grad()
        score = critic(fake).mean()
        score.backward()
        optimizers[0].step()
        digest.add("losses",
                   (real_loss.item(), fake_loss.item(), score.item()))
    digest.add_model(generator)
    digest.add_model(critic)


@hazard
def numpy_gradients(digest):
    """Gradients are seen by NumPy in each step, and activations kept until the next."""
    net = make_net()
    optimizer = sgd(net)
    kept = {}

    def keep(unused_module, unused_inputs, output):
        kept["activation"] = output.detach().numpy()

    net[3].register_forward_hook(keep)
    for _ in range(3 * EPOCHS):
        optimizer.zero_grad()
        loss = loss_of(net, make_batch())
        loss.backward()
        for parameter in net.parameters():
            gradient = parameter.grad.numpy()
            digest.add("norms", float(numpy.square(gradient).sum()))
        optimizer.step()
        digest.add("activations", float(kept["activation"].mean()))
    digest.add_model(net)


@hazard
def teacher(digest):
    """Each training step asks another network first, without gradients."""
    net, other = make_net(), make_net()
    optimizer = sgd(net)
    for _ in range(3 * EPOCHS):
        inputs, _ = make_batch()
        with torch.no_grad():
            wanted = other(inputs)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(inputs), wanted)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for mine, its in zip(net.parameters(), other.parameters()):
                its.mul_(0.9).add_(mine, alpha=0.1)
        digest.add("losses", loss.item())
    digest.add_model(net)


if __name__ == "__main__":
    main()
