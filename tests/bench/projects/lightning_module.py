"""Trains a convolutional network with PyTorch Lightning, on random data."""

import lightning
import torch
from torch import nn


class Classifier(lightning.LightningModule):

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
            nn.Conv2d(32, 64, 3, stride=2, padding=1), nn.BatchNorm2d(64), nn.ReLU(),
            nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(4),
            nn.Flatten(), nn.Linear(1024, 10))

    def loss_of(self, batch):
        inputs, target = batch
        return nn.functional.cross_entropy(self.net(inputs), target)

    def training_step(self, batch, _):
        return self.loss_of(batch)

    def validation_step(self, batch, _):
        self.log("validation", self.loss_of(batch))

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), 1e-3)


def main():
    lightning.seed_everything(0)
    images = torch.utils.data.TensorDataset(torch.randn(300, 3, 48, 48),
                                            torch.randint(0, 10, (300,)))
    loader = torch.utils.data.DataLoader(images, 16, shuffle=True)
    lightning.Trainer(max_epochs=2, accelerator="cpu", logger=False,
                      enable_checkpointing=False, enable_progress_bar=False).fit(
                          Classifier(), loader, torch.utils.data.DataLoader(images, 32))


if __name__ == "__main__":
    main()
