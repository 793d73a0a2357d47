"""Language models of the shapes that were published, to be trained from scratch.

    net = gpt2(layers=4)
    logits = net(words)  # (batch, positions) to (batch, positions, GPT2_WORDS)
"""

import torch

GPT2_WORDS = 50257
BERT_WORDS = 30522
WIDTH = 768
HEADS = 12


class LanguageModel(torch.nn.Module):
    """Layers of attention between an embedding of words and the same one as the head."""

    def __init__(self, words, positions, layers, causal):
        super().__init__()
        self.causal = causal
        self.words = torch.nn.Embedding(words, WIDTH)
        self.positions = torch.nn.Embedding(positions, WIDTH)
        layer = torch.nn.TransformerEncoderLayer(
            WIDTH, HEADS, 4 * WIDTH, activation="gelu", batch_first=True, norm_first=causal)
        self.layers = torch.nn.TransformerEncoder(layer, layers, torch.nn.LayerNorm(WIDTH))
        self.head = torch.nn.Linear(WIDTH, words, bias=False)
        torch.nn.init.normal_(self.words.weight, std=0.02)
        self.head.weight = self.words.weight

    def forward(self, words):
        length = words.shape[1]
        mask = None
        if self.causal:
            mask = torch.full((length, length), float("-inf")).triu(1)
        values = self.words(words) + self.positions.weight[:length]
        return self.head(self.layers(values, mask))


def gpt2(layers=12):
    return LanguageModel(GPT2_WORDS, positions=1024, layers=layers, causal=True)


def bert(layers=12):
    return LanguageModel(BERT_WORDS, positions=512, layers=layers, causal=False)
