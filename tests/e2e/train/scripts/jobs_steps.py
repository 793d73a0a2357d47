"""Jobs whose steps differ: lengths, accumulation, evaluations, generation, turns."""

import torch
from torch import nn
from torch.nn import functional

from hazard import (BATCH, hazard, loss_of, main, make_batch, make_net, sgd,
                    train_step)

EPOCHS = 10
WORDS = 512
WIDTH = 128


class Language(nn.Module):
    """A small causal transformer over words."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 256, dropout=0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2)
        self.output = nn.Linear(WIDTH, WORDS)

    def forward(self, words):
        length = words.shape[1]
        mask = torch.full((length, length), float("-inf")).triu(1)
        return self.output(self.layers(self.words(words), mask))


def language_step(net, optimizer, words, digest):
    optimizer.zero_grad()
    loss = functional.cross_entropy(net(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    digest.add("losses", loss.item())


@hazard
def buckets(digest):
    """Sequences of four lengths in no order, and batches of two sizes."""
    net = Language()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    choice = torch.Generator().manual_seed(3)
    shapes = [(8, 33), (8, 49), (8, 65), (4, 81)]
    for _ in range(5 * EPOCHS):
        shape = shapes[torch.randint(len(shapes), (), generator=choice)]
        language_step(net, optimizer, torch.randint(0, WORDS, shape), digest)
    digest.add_model(net)


@hazard
def mask_of_another_size(digest):
    """The batch is padded to one length; a small table beside it changes its size."""
    net = make_net()
    optimizer = sgd(net)
    for step in range(2 * EPOCHS):
        table = torch.zeros(8192 + 512 * (step % 3))
        inputs, target = make_batch()
        train_step(net, optimizer, (inputs + table.sum(), target), digest)
    digest.add_model(net)


@hazard
def generation(digest):
    """After every second step a few words are generated, one call for each."""
    net = Language()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for step in range(2 * EPOCHS):
        language_step(net, optimizer, torch.randint(0, WORDS, (16, 65)), digest)
        if step % 2:
            net.eval()
            words = torch.randint(0, WORDS, (16, 32))
            with torch.inference_mode():
                for _ in range(4):
                    best = net(words)[:, -1].argmax(-1, keepdim=True)
                    words = torch.cat([words, best], 1)
            digest.add("words", words.clone())
            net.train()
    digest.add_model(net)


@hazard
def accumulation_of_unequal_batches(digest):
    net = make_net()
    optimizer = sgd(net)
    for _ in range(EPOCHS):
        for size in (BATCH, BATCH, BATCH // 2):
            (loss_of(net, make_batch(size)) / 3).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
    digest.add_model(net)


@hazard
def critic_twice(digest):
    """Two steps of the critic, then one of the generator."""
    generator = nn.Sequential(nn.Linear(64, 512), nn.ReLU(),
                              nn.Linear(512, 3 * 32 * 32), nn.Tanh())
    critic = make_net()
    optimizers = [torch.optim.Adam(n.parameters(), lr=1e-3) for n in (generator, critic)]
    for turn in range(3 * EPOCHS):
        fake = generator(torch.randn(BATCH, 64)).view(BATCH, 3, 32, 32)
        if turn % 3 < 2:
            optimizers[1].zero_grad()
            loss = critic(fake.detach()).mean() - critic(make_batch()[0]).mean()
            loss.backward()
            optimizers[1].step()
        else:
            optimizers[0].zero_grad()
            loss = -critic(fake).mean()
            loss.backward()
            optimizers[0].step()
        digest.add("losses", loss.item())
    digest.add_model(generator)
    digest.add_model(critic)


@hazard
def acting_and_learning(digest):
    """Reinforcement: many small steps without gradients, then one with them."""
    net = make_net()
    optimizer = sgd(net)
    for _ in range(EPOCHS):
        seen = []
        with torch.no_grad():
            state = make_batch(4)[0]
            for _ in range(8):
                action = net(state).argmax(1)
                seen.append((state, action))
                state = state * 0.9 + action.view(-1, 1, 1, 1) * 0.01
        batch = tuple(torch.cat(part) for part in zip(*seen))
        train_step(net, optimizer, batch, digest)
    digest.add_model(net)


@hazard
def several_backward_passes(digest):
    """Two losses share a graph that is kept for the second."""
    net = make_net()
    optimizer = sgd(net)
    for _ in range(EPOCHS):
        optimizer.zero_grad()
        inputs, target = make_batch()
        scores = net(inputs)
        functional.cross_entropy(scores, target).backward(retain_graph=True)
        scores.square().mean().backward()
        optimizer.step()
    digest.add_model(net)


if __name__ == "__main__":
    main()
