"""Jobs whose networks are built, differentiated or trained in particular ways."""

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from hazard import BATCH, hazard, loss_of, main, make_batch, make_net, sgd, train_step

STEPS = 10


def train(digest, net, optimizer=None, batches=None):
    optimizer = optimizer or sgd(net)
    for _ in range(STEPS):
        train_step(net, optimizer, batches() if batches else make_batch(), digest)
    digest.add_model(net)


class LowRank(nn.Module):
    """A frozen layer and a product of two thin matrices that learns."""

    def __init__(self, layer, rank=8):
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)

    def forward(self, values):
        return self.layer(values) + self.up(self.down(values))


@hazard
def low_rank_adapters(digest):
    net = nn.Sequential(nn.Flatten(), LowRank(nn.Linear(3072, 512)), nn.ReLU(),
                        LowRank(nn.Linear(512, 512)), nn.ReLU(), nn.Linear(512, 10))
    learning = [p for p in net.parameters() if p.requires_grad]
    train(digest, net, torch.optim.AdamW(learning))


class Recomputed(nn.Module):

    def __init__(self, reentrant):
        super().__init__()
        self.net = make_net()
        self.reentrant = reentrant

    def forward(self, inputs):
        middle = checkpoint(self.net[:6], inputs.requires_grad_(),
                            use_reentrant=self.reentrant)
        return self.net[6:](middle)


@hazard
def checkpointing_without_optimizer(digest):
    """Reentrant: a backward pass within the backward pass, and updates by hand."""
    net = Recomputed(True)
    for _ in range(STEPS):
        loss = loss_of(net, make_batch())
        loss.backward()
        with torch.no_grad():
            for parameter in net.parameters():
                parameter -= 0.05 * parameter.grad
                parameter.grad = None
        digest.add("losses", loss.item())
    digest.add_model(net)


@hazard
def checkpointing_not_reentrant(digest):
    train(digest, Recomputed(False))


@hazard
def hooks(digest):
    """Hooks on modules, on gradients, and one that replaces what flows back."""
    net = make_net()
    for module in net:
        module.register_forward_pre_hook(lambda module, inputs: None)
        module.register_full_backward_hook(
            lambda module, inputs, outputs: tuple(i if i is None else i * 0.9 for i in inputs))
    for parameter in net.parameters():
        parameter.register_hook(lambda gradient: gradient.clamp(-0.1, 0.1))
    train(digest, net)


@hazard
def parametrizations(digest):
    net = make_net()
    nn.utils.parametrizations.spectral_norm(net[7])
    nn.utils.parametrizations.orthogonal(net[9])
    train(digest, net)


class Cubed(torch.autograd.Function):

    @staticmethod
    def forward(ctx, values):
        ctx.save_for_backward(values)
        return values**3

    @staticmethod
    def backward(ctx, gradient):
        values, = ctx.saved_tensors
        return 3 * values**2 * gradient


@hazard
def custom_function(digest):
    net = make_net()
    train(digest, nn.Sequential(net[:5], nn.Tanh(), _Module(Cubed.apply), net[5:]))


class _Module(nn.Module):

    def __init__(self, function):
        super().__init__()
        self.forward = function


@hazard
def packed_sequences(digest):
    net = nn.GRU(256, 512, batch_first=True)
    optimizer = sgd(net)
    lengths = torch.tensor([40, 36, 30, 30, 24, 20, 12, 8])
    for _ in range(STEPS):
        optimizer.zero_grad()
        packed = nn.utils.rnn.pack_padded_sequence(torch.randn(8, 40, 256), lengths,
                                                   batch_first=True)
        output, _ = nn.utils.rnn.pad_packed_sequence(net(packed)[0], batch_first=True)
        loss = output.square().mean()
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
    digest.add_model(net)


@hazard
def double_precision(digest):
    torch.set_default_dtype(torch.float64)
    train(digest, make_net())


@hazard
def spectra(digest):
    """Complex tensors."""
    weights = nn.Parameter(torch.randn(512, 1025, dtype=torch.complex64))
    optimizer = torch.optim.Adam([weights], lr=1e-3)
    for _ in range(STEPS):
        optimizer.zero_grad()
        values = torch.fft.rfft(torch.randn(512, 2048)) * weights
        loss = torch.fft.irfft(values).square().mean() + values.abs().mean()
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
    digest.add("weights", torch.view_as_real(weights.detach()))


@hazard
def quantization_aware(digest):
    net = make_net()
    net.qconfig = torch.ao.quantization.get_default_qat_qconfig("fbgemm")
    train(digest, torch.ao.quantization.prepare_qat(net.train()))


class Experts(nn.Module):
    """Each row goes to the expert that a gate chooses."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(256, 4)
        self.experts = nn.ModuleList(nn.Linear(256, 256) for _ in range(4))

    def forward(self, values):
        weights, chosen = self.gate(values).softmax(-1).max(-1)
        output = torch.zeros_like(values)
        for i, expert in enumerate(self.experts):
            rows = (chosen == i).nonzero().squeeze(-1)
            output[rows] = expert(values[rows]) * weights[rows, None]
        return output


@hazard
def mixture_of_experts(digest):
    """What is allocated depends on the data: every step is of a kind of its own."""
    net = nn.Sequential(nn.Linear(256, 256), Experts(), nn.ReLU(), Experts(),
                        nn.Linear(256, 10))

    def batches():
        return torch.randn(1024, 256), torch.randint(0, 10, (1024,))

    train(digest, net, None, batches)


@hazard
def anomaly_detection(digest):
    torch.use_deterministic_algorithms(True)
    with torch.autograd.set_detect_anomaly(True), torch.autograd.profiler.profile():
        train(digest, make_net())


def train_with_sparse(digest, sparse):
    net = nn.Linear(1024, 256)
    optimizer = sgd(net)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = (sparse @ net(torch.randn(1024, 1024))).square().mean()
        loss.backward()
        optimizer.step()
        digest.add("losses", loss.item())
    digest.add("sparse", sparse.to_dense())
    digest.add_model(net)


def make_sparse():
    return torch.randn(1024, 1024) * (torch.rand(1024, 1024) < 0.1)


@hazard
def compressed_sparse_rows(digest):
    """A constant sparse matrix in CSR, whose parts have no storage of their own."""
    train_with_sparse(digest, make_sparse().to_sparse_csr())


@hazard
def sparse_coordinates(digest):
    """A constant sparse matrix in COO, which a backward pass transposes: it copies."""
    train_with_sparse(digest, make_sparse().to_sparse())


@hazard
def initialised_on_meta(digest):
    if hasattr(torch.nn.utils, "skip_init"):
        layers = [nn.utils.skip_init(nn.Linear, 1024, 512), nn.ReLU(),
                  nn.utils.skip_init(nn.Linear, 512, 10)]
    net = nn.Sequential(*layers)
    for parameter in net.parameters():
        nn.init.normal_(parameter, std=0.02)
    train(digest, net, None, lambda: (torch.randn(256, 1024), torch.randint(0, 10, (256,))))


if __name__ == "__main__":
    main()
