"""Trains a small network and prints each loss in hexadecimal."""

import torch


def main():
    torch.manual_seed(0)
    torch.set_num_threads(2)
    layers = [layer for _ in range(6)
              for layer in (torch.nn.Linear(512, 512), torch.nn.ReLU())]
    net = torch.nn.Sequential(*layers)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    for _ in range(8):
        optimizer.zero_grad()
        loss = net(torch.randn(512, 512)).square().mean()
        loss.backward()
        optimizer.step()
        print(loss.item().hex())


if __name__ == "__main__":
    main()
