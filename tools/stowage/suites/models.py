"""Makes the models of the papers, and random data for them.

    net, inputs, target, loss_of = make("inception_v4", batch=4)

torchvision's where it has them, short definitions of our own otherwise. They
have the papers' layer shapes; weights are random.
"""

import math

import torch
import torchvision
from torch import nn
from torch.nn import functional

CLASSES = 1000


class ConvNorm(nn.Sequential):
    """Convolution without bias, batch norm, ReLU."""

    def __init__(self, c_in, c_out, kernel, stride=1, padding=0):
        super().__init__(
            nn.Conv2d(c_in, c_out, kernel, stride, padding, bias=False),
            nn.BatchNorm2d(c_out), nn.ReLU(inplace=True))


def chain(c_in, *layers):
    """Chains ConvNorm layers, (channels, kernel) each, of the same size."""
    made = []
    for c_out, kernel in layers:
        height, width = kernel if isinstance(kernel, tuple) else (kernel, kernel)
        made.append(ConvNorm(c_in, c_out, (height, width),
                             padding=(height // 2, width // 2)))
        c_in = c_out
    return nn.Sequential(*made)


class Branches(nn.Module):
    """Concatenates the outputs of its branches for one input."""

    def __init__(self, *branches):
        super().__init__()
        self.branches = nn.ModuleList(branches)

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], 1)


def same_pool():
    return nn.AvgPool2d(3, 1, 1, count_include_pad=False)


def inception_a():
    return Branches(chain(384, (96, 1)), chain(384, (64, 1), (96, 3)),
                    chain(384, (64, 1), (96, 3), (96, 3)),
                    nn.Sequential(same_pool(), chain(384, (96, 1))))


def inception_b():
    return Branches(
        chain(1024, (384, 1)),
        chain(1024, (192, 1), (224, (1, 7)), (256, (7, 1))),
        chain(1024, (192, 1), (192, (7, 1)), (224, (1, 7)), (224, (7, 1)),
              (256, (1, 7))),
        nn.Sequential(same_pool(), chain(1024, (128, 1))))


def inception_c():

    def fork(c_in):
        return Branches(chain(c_in, (256, (1, 3))), chain(c_in, (256, (3, 1))))

    return Branches(
        chain(1536, (256, 1)),
        nn.Sequential(chain(1536, (384, 1)), fork(384)),
        nn.Sequential(chain(1536, (384, 1), (448, (1, 3)), (512, (3, 1))),
                      fork(512)),
        nn.Sequential(same_pool(), chain(1536, (256, 1))))


def inception_v4():
    """Szegedy et al. 2017, figures 3 to 9."""
    stem = [
        ConvNorm(3, 32, 3, 2), ConvNorm(32, 32, 3),
        ConvNorm(32, 64, 3, padding=1),
        Branches(nn.MaxPool2d(3, 2), ConvNorm(64, 96, 3, 2)),
        Branches(nn.Sequential(chain(160, (64, 1)), ConvNorm(64, 96, 3)),
                 nn.Sequential(chain(160, (64, 1), (64, (1, 7)), (64, (7, 1))),
                               ConvNorm(64, 96, 3))),
        Branches(ConvNorm(192, 192, 3, 2), nn.MaxPool2d(3, 2)),
    ]
    reduction_a = Branches(
        ConvNorm(384, 384, 3, 2),
        nn.Sequential(chain(384, (192, 1), (224, 3)), ConvNorm(224, 256, 3, 2)),
        nn.MaxPool2d(3, 2))
    reduction_b = Branches(
        nn.Sequential(chain(1024, (192, 1)), ConvNorm(192, 192, 3, 2)),
        nn.Sequential(chain(1024, (256, 1), (256, (1, 7)), (320, (7, 1))),
                      ConvNorm(320, 320, 3, 2)), nn.MaxPool2d(3, 2))
    return nn.Sequential(
        *stem, *[inception_a() for _ in range(4)], reduction_a,
        *[inception_b() for _ in range(7)], reduction_b,
        *[inception_c() for _ in range(3)], nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(1536, CLASSES))


class CifarBlock(nn.Module):

    def __init__(self, c_in, c_out, stride):
        super().__init__()
        self.body = nn.Sequential(
            ConvNorm(c_in, c_out, 3, stride, 1),
            nn.Conv2d(c_out, c_out, 3, 1, 1, bias=False), nn.BatchNorm2d(c_out))
        self.shortcut = (nn.Identity() if c_in == c_out else
                         nn.Conv2d(c_in, c_out, 1, stride, bias=False))

    def forward(self, x):
        return functional.relu(self.body(x) + self.shortcut(x))


def resnet32():
    """He et al. 2016, section 4.2: three stages of five blocks, for CIFAR-10."""
    layers = [ConvNorm(3, 16, 3, 1, 1)]
    c_in = 16
    for c_out, stride in ((16, 1), (32, 2), (64, 2)):
        for block in range(5):
            layers.append(CifarBlock(c_in, c_out, stride if block == 0 else 1))
            c_in = c_out
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(64, 10))


class Dcgan(nn.Module):
    """Radford et al. 2016: generator and discriminator of 64 x 64 images.

    Both are updated at the end of a step, so that a step is one step.
    """

    def __init__(self, width=64):
        super().__init__()
        layers = [nn.ConvTranspose2d(100, 8 * width, 4, 1, 0, bias=False)]
        for wide, narrow in ((8, 4), (4, 2), (2, 1)):
            layers += [
                nn.BatchNorm2d(wide * width), nn.ReLU(True),
                nn.ConvTranspose2d(wide * width, narrow * width, 4, 2, 1,
                                   bias=False)]
        layers += [nn.BatchNorm2d(width), nn.ReLU(True),
                   nn.ConvTranspose2d(width, 3, 4, 2, 1, bias=False), nn.Tanh()]
        self.generator = nn.Sequential(*layers)
        layers = [nn.Conv2d(3, width, 4, 2, 1, bias=False), nn.LeakyReLU(0.2)]
        for narrow, wide in ((1, 2), (2, 4), (4, 8)):
            layers += [
                nn.Conv2d(narrow * width, wide * width, 4, 2, 1, bias=False),
                nn.BatchNorm2d(wide * width), nn.LeakyReLU(0.2)]
        self.discriminator = nn.Sequential(
            *layers, nn.Conv2d(8 * width, 1, 4, 1, 0, bias=False), nn.Flatten())

    def forward(self, images):
        noise = torch.randn(images.shape[0], 100, 1, 1)
        fake = self.generator(noise)
        # The generator's gradient of the discriminator's verdict is reversed:
        # one backward pass serves both players.
        return torch.cat([self.discriminator(images),
                          self.discriminator(Reverse.apply(fake))])


class Reverse(torch.autograd.Function):

    @staticmethod
    def forward(_, x):
        return x.view_as(x)

    @staticmethod
    def backward(_, gradient):
        return gradient.neg()


class LanguageModel(nn.Module):
    """Zaremba et al. 2014, the large one: two LSTM layers of 1500, PTB."""

    def __init__(self, words=10000, width=1500):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, width, num_layers=2, dropout=0.65)
        self.head = nn.Linear(width, words)

    def forward(self, text):
        return self.head(self.lstm(self.embedding(text))[0])


class Bert(nn.Module):
    """Devlin et al. 2019, BERT-large with a classifier of two classes."""

    def __init__(self, words=30522, width=1024, layers=24, heads=16):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width,
                                           activation="gelu", batch_first=True)
        self.words = nn.Embedding(words, width)
        self.positions = nn.Embedding(512, width)
        self.norm = nn.LayerNorm(width)
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.pooler = nn.Sequential(nn.Linear(width, width), nn.Tanh())
        self.head = nn.Linear(width, 2)

    def forward(self, text):
        places = torch.arange(text.shape[1]).expand_as(text)
        hidden = self.norm(self.words(text) + self.positions(places))
        return self.head(self.pooler(self.encoder(hidden)[:, 0]))


def resnet200():
    return torchvision.models.ResNet(torchvision.models.resnet.Bottleneck,
                                     [3, 24, 36, 3])


def densenet264():
    """Huang et al. 2017, table 1."""
    return torchvision.models.DenseNet(growth_rate=32,
                                       block_config=(6, 12, 64, 48),
                                       num_init_features=64)


# name: (maker, pixels of an image)
IMAGE_MODELS = {
    "alexnet": (torchvision.models.alexnet, 224),
    "vgg19": (torchvision.models.vgg19, 224),
    "resnet32": (resnet32, 32),
    "resnet50": (torchvision.models.resnet50, 224),
    "resnet152": (torchvision.models.resnet152, 224),
    "resnet200": (resnet200, 224),
    "inception_v3": (lambda: torchvision.models.inception_v3(
        init_weights=False, aux_logits=True), 299),
    "inception_v4": (inception_v4, 299),
    "mobilenet_v2": (torchvision.models.mobilenet_v2, 224),
    "densenet264": (densenet264, 224),
    "dcgan": (Dcgan, 64),
}
SEQUENCE_MODELS = {"lstm": LanguageModel, "bert_large": Bert}
NAMES = sorted([*IMAGE_MODELS, *SEQUENCE_MODELS])


def class_loss(output, target):
    if hasattr(output, "aux_logits"):
        return (functional.cross_entropy(output.logits, target) +
                0.4 * functional.cross_entropy(output.aux_logits, target))
    return functional.cross_entropy(output.flatten(0, -2), target.flatten())


def make_images(name, batch):
    make_net, pixels = IMAGE_MODELS[name]
    images = torch.randn(batch, 3, pixels, pixels)
    if name == "dcgan":
        verdicts = torch.cat([torch.ones(batch, 1), torch.zeros(batch, 1)])
        return make_net(), images, verdicts, functional.binary_cross_entropy_with_logits
    classes = 10 if name == "resnet32" else CLASSES
    return make_net(), images, torch.randint(0, classes, (batch,)), class_loss


def make_sequences(name, batch):
    if name == "lstm":
        text = torch.randint(0, 10000, (35, batch))
        return LanguageModel(), text, torch.roll(text, -1, dims=0), class_loss
    text = torch.randint(0, 30522, (batch, 128))
    return Bert(), text, torch.randint(0, 2, (batch,)), class_loss


def make(name, batch):
    """Returns the network in training mode, its input, its target and its loss."""
    torch.manual_seed(0)
    maker = make_images if name in IMAGE_MODELS else make_sequences
    net, inputs, target, loss_of = maker(name, batch)
    return net.train(), inputs, target, loss_of


def make_optimizer(name, net):
    """Returns the optimizer with which the model's paper trains it."""
    if name in ("dcgan", "bert_large"):
        return torch.optim.Adam(net.parameters(), lr=1e-4)
    if name == "lstm":
        return torch.optim.SGD(net.parameters(), lr=1 / math.e)
    return torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
