"""Trains a GPT on characters from scratch, and writes some now and then."""

import torch
from torch import nn
from torch.nn import functional

CHARACTERS = 65
POSITIONS = 256
WIDTH = 256
HEADS = 8


class Block(nn.Module):

    def __init__(self):
        super().__init__()
        self.before_attention, self.before_network = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.join = nn.Linear(WIDTH, WIDTH, bias=False)
        self.network = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(),
                                     nn.Linear(4 * WIDTH, WIDTH), nn.Dropout(0.1))

    def attend(self, values):
        batch, positions, _ = values.shape
        query, key, value = (
            part.view(batch, positions, HEADS, WIDTH // HEADS).transpose(1, 2)
            for part in self.project(values).split(WIDTH, dim=2))
        scores = query @ key.transpose(2, 3) * (WIDTH // HEADS)**-0.5
        later = torch.ones(positions, positions, dtype=torch.bool).triu(1)
        heads = scores.masked_fill(later, float("-inf")).softmax(-1) @ value
        return self.join(heads.transpose(1, 2).reshape(batch, positions, WIDTH))

    def forward(self, values):
        values = values + self.attend(self.before_attention(values))
        return values + self.network(self.before_network(values))


class Gpt(nn.Module):

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(CHARACTERS, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.blocks = nn.Sequential(*[Block() for _ in range(4)], nn.LayerNorm(WIDTH))
        self.head = nn.Linear(WIDTH, CHARACTERS, bias=False)
        self.head.weight = self.words.weight

    def forward(self, text):
        values = self.words(text) + self.positions(torch.arange(text.shape[1]))
        return self.head(self.blocks(values))


@torch.no_grad()
def write(net, text, count):
    net.eval()
    for _ in range(count):
        chances = net(text[:, -POSITIONS:])[:, -1].softmax(-1)
        text = torch.cat([text, torch.multinomial(chances, 1)], dim=1)
    net.train()
    return text


def main():
    torch.manual_seed(1337)
    text = torch.randint(0, CHARACTERS, (100_000,))
    net = Gpt()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.1)
    for step in range(24):
        for group in optimizer.param_groups:
            group["lr"] = 1e-3 * min(1, (step + 1) / 10)
        at = torch.randint(0, len(text) - POSITIONS - 1, (8,))
        inputs = torch.stack([text[i:i + POSITIONS] for i in at])
        target = torch.stack([text[i + 1:i + 1 + POSITIONS] for i in at])
        optimizer.zero_grad(set_to_none=True)
        loss = functional.cross_entropy(net(inputs).flatten(0, 1), target.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        if step % 8 == 7:
            print(step, loss.item(), write(net, inputs[:1, :16], 8)[0, -8:].tolist())


if __name__ == "__main__":
    main()
