"""Fine-tunes a small BERT with Hugging Face's Trainer, on random data."""

import tempfile

import torch
from transformers import (BertConfig, BertForSequenceClassification, Trainer,
                          TrainingArguments, set_seed)

WORDS = 4000
POSITIONS = 128


class Sentences(torch.utils.data.Dataset):

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        return {"input_ids": torch.randint(0, WORDS, (POSITIONS,), generator=generator),
                "attention_mask": torch.ones(POSITIONS, dtype=torch.long),
                "labels": torch.tensor(index % 2)}


def main():
    set_seed(0)
    net = BertForSequenceClassification(BertConfig(
        vocab_size=WORDS, hidden_size=256, num_hidden_layers=4, num_attention_heads=4,
        intermediate_size=1024))
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(
            model=net, train_dataset=Sentences(168), eval_dataset=Sentences(32),
            args=TrainingArguments(output_dir=folder, per_device_train_batch_size=8,
                                   max_steps=20, report_to=[], use_cpu=True,
                                   save_strategy="no"))
        trainer.train()
        print(trainer.evaluate())


if __name__ == "__main__":
    main()
