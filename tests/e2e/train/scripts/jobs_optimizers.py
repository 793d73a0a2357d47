"""Jobs whose weights are updated in other ways than by one optimizer."""

import copy
import functools
import io

import torch
from torch import nn

from hazard import hazard, loss_of, main, make_batch, make_net, sgd, train_step

STEPS = 12


def train(digest, net, optimizer, after=lambda: None):
    for _ in range(STEPS):
        train_step(net, optimizer, make_batch(), digest)
        after()
    digest.add_model(net)


@hazard
def gradient_given(digest):
    """No optimizer, and the backward pass begins with a gradient that the script makes."""
    net = make_net()
    for _ in range(STEPS):
        scores = net(make_batch()[0])
        scores.backward(torch.full_like(scores, 1 / scores.numel()))
        with torch.no_grad():
            for parameter in net.parameters():
                parameter -= 0.01 * parameter.grad
                parameter.grad = None
    digest.add_model(net)


@hazard
def gradients_returned(digest):
    """No optimizer: torch.autograd.grad() and new values for the parameters."""
    net = make_net()
    for _ in range(STEPS):
        loss = loss_of(net, make_batch())
        gradients = torch.autograd.grad(loss, list(net.parameters()))
        for parameter, gradient in zip(net.parameters(), gradients):
            parameter.data = parameter.data - 0.05 * gradient
        digest.add("losses", loss.item())
    digest.add_model(net)


def when_accumulated(parameter, call):
    """Calls `call` in the backward pass when the gradient of the parameter is complete."""
    if hasattr(parameter, "register_post_accumulate_grad_hook"):
        parameter.register_post_accumulate_grad_hook(lambda unused: call())
        return None
    accumulator = parameter.expand_as(parameter).grad_fn.next_functions[0][0]
    accumulator.register_hook(lambda *unused: call())
    return accumulator


@hazard
def optimizers_within_the_backward_pass(digest):
    """Each weight has an optimizer of its own, and its gradient dies at once."""
    net = make_net()

    def update(optimizer):
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    accumulators = []
    for parameter in net.parameters():
        optimizer = torch.optim.Adam([parameter])
        accumulators.append(
            when_accumulated(parameter, functools.partial(update, optimizer)))
    for _ in range(STEPS):
        loss = loss_of(net, make_batch())
        loss.backward()
        digest.add("losses", loss.item())
    digest.add_model(net)
    assert len(accumulators) == len(list(net.parameters()))


@hazard
def moving_average(digest):
    net = make_net()
    average = torch.optim.swa_utils.AveragedModel(
        net, avg_fn=lambda mean, new, unused_count: mean * 0.9 + new * 0.1)
    train(digest, net, sgd(net), lambda: average.update_parameters(net))
    digest.add_model(average)


@hazard
def stochastic_averaging(digest):
    """SWA with its schedule, and batch normalisation's statistics taken anew at the end."""
    net = make_net()
    optimizer = sgd(net)
    average = torch.optim.swa_utils.AveragedModel(net)
    schedule = torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.01)

    def after():
        average.update_parameters(net)
        schedule.step()

    train(digest, net, optimizer, after)
    torch.optim.swa_utils.update_bn([make_batch()[0] for _ in range(3)], average)
    digest.add_model(average)


@hazard
def adam_amsgrad_foreach(digest):
    net = make_net()
    train(digest, net, torch.optim.Adam(net.parameters(), amsgrad=True, foreach=True))


@hazard
def sgd_foreach_kept_gradients(digest):
    net = make_net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, foreach=True)
    train(digest, net, optimizer, lambda: optimizer.zero_grad(set_to_none=False))


@hazard
def lbfgs_line_search(digest):
    net = make_net()
    optimizer = torch.optim.LBFGS(net.parameters(), max_iter=4, history_size=3,
                                  line_search_fn="strong_wolfe")
    batch = make_batch()

    def closure():
        optimizer.zero_grad()
        loss = loss_of(net, batch)
        loss.backward()
        return loss

    for _ in range(STEPS):
        digest.add("losses", optimizer.step(closure).item())
    digest.add_model(net)


@hazard
def two_optimizers_for_one_model(digest):
    net = make_net()
    optimizers = sgd(net[0]), torch.optim.Adam(net[3:].parameters())
    for _ in range(STEPS):
        net.zero_grad()
        loss = loss_of(net, make_batch())
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        digest.add("losses", loss.item())
    digest.add_model(net)


@hazard
def resuming(digest):
    """A checkpoint in the middle, from which a new model and optimizer go on."""
    net = make_net()
    optimizer = torch.optim.Adam(net.parameters())
    train(digest, net, optimizer)
    file = io.BytesIO()
    torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, file)
    file.seek(0)
    saved = torch.load(file)
    net = make_net()
    optimizer = torch.optim.Adam(net.parameters())
    net.load_state_dict(saved["net"])
    optimizer.load_state_dict(saved["optimizer"])
    del saved
    train(digest, net, optimizer)


@hazard
def loss_scaling(digest):
    net = make_net()
    optimizer = sgd(net)
    scaler = torch.cuda.amp.GradScaler(enabled=False)
    for _ in range(STEPS):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = loss_of(net, make_batch())
        scaler.scale(loss).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        digest.add("losses", loss.item())
    digest.add_model(net)


@hazard
def meta_learning(digest):
    """Second order: the loss after one inner update is differentiated through it."""
    net = make_net()
    optimizer = sgd(net)
    for _ in range(STEPS):
        fast = copy.deepcopy(net)
        inner = torch.autograd.grad(loss_of(net, make_batch()), list(net.parameters()),
                                    create_graph=True)
        optimizer.zero_grad()
        penalty = sum(g.square().sum() for g in inner)
        with torch.no_grad():
            for parameter, gradient in zip(fast.parameters(), inner):
                parameter -= 0.1 * gradient
        outer = loss_of(fast, make_batch()) + loss_of(net, make_batch()) + penalty
        outer.backward()
        optimizer.step()
        digest.add("losses", outer.item())
    digest.add_model(net)


if __name__ == "__main__":
    main()
