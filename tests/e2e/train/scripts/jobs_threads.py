"""Jobs in which several threads or processes train, and some only run forward."""

import copy
import queue
import threading
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import multiprocessing

from digest import Digest
from hazard import (BATCH, hazard, loss_of, main, make_batch, make_layers, make_layers_batch,
                    make_net, sgd, train_step)

STEPS = 12


def halves_of(batch):
    return [tuple(part[i::2] for part in batch) for i in (0, 1)]


@hazard
def forward_threads(digest):
    """Two threads run halves of the forward pass; this one the backward pass."""
    net = make_net()
    optimizer = sgd(net)
    with ThreadPoolExecutor(2) as pool:
        for _ in range(STEPS):
            optimizer.zero_grad()
            first, second = halves_of(make_batch())
            # One after the other, so that batch normalisation has an order.
            losses = [pool.submit(loss_of, net, half).result() for half in (first, second)]
            loss = sum(losses)
            loss.backward()
            optimizer.step()
            digest.add("losses", loss.item())
    digest.add_model(net)


@hazard
def replicas_in_threads(digest):
    """Each thread computes the gradients of a copy of the network, at the same time."""
    net = make_net()
    optimizer = sgd(net)
    replicas = [copy.deepcopy(net) for _ in (0, 1)]

    def work(replica, batch):
        replica.zero_grad()
        loss_of(replica, batch).backward()

    for _ in range(STEPS):
        threads = [threading.Thread(target=work, args=pair)
                   for pair in zip(replicas, halves_of(make_batch()))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        optimizer.zero_grad()
        for mine, *theirs in zip(net.parameters(), *(r.parameters() for r in replicas)):
            mine.grad = sum(their.grad for their in theirs)
        optimizer.step()
        with torch.no_grad():
            for replica in replicas:
                for mine, their in zip(net.parameters(), replica.parameters()):
                    their.copy_(mine)
    digest.add_model(net)


@hazard
def hogwild_threads_in_turn(digest):
    """Two threads train one network and take turns, each with an optimizer of its own."""
    net = make_net()
    turns = [threading.Semaphore(1), threading.Semaphore(0)]
    batches = [make_batch() for _ in range(2 * STEPS)]

    def work(me):
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
        for batch in batches[me::2]:
            turns[me].acquire()
            train_step(net, optimizer, batch, digest)
            turns[1 - me].release()

    threads = [threading.Thread(target=work, args=(me,)) for me in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    digest.add_model(net)


@hazard
def thread_older_than_tensors(digest):
    """A thread that starts before there is a tensor updates weights, and makes none."""
    orders, done = queue.Queue(), queue.Queue()

    def update():
        for weights in iter(orders.get, None):
            for weight in weights:
                weight.data.add_(weight.grad, alpha=-0.01)
                weight.grad.zero_()
            done.put(True)

    threading.Thread(target=update).start()
    net = make_layers()
    weights = list(net.parameters())
    for _ in range(2 * STEPS):
        loss = loss_of(net, make_layers_batch(BATCH))
        loss.backward()
        digest.add("losses", loss.item())
        orders.put(weights)
        done.get()
    orders.put(None)
    digest.add_model(net)


@hazard
def updating_thread(digest):
    """A thread updates weights, and makes the optimizer's state."""
    net = make_layers()
    optimizer = torch.optim.Adam(net.parameters())
    with ThreadPoolExecutor(1) as pool:
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = loss_of(net, make_layers_batch(BATCH))
            loss.backward()
            pool.submit(optimizer.step).result()
            digest.add("losses", loss.item())
    digest.add_model(net)


@hazard
def evaluating_thread(digest):
    """A thread evaluates a copy of the network with more images than it trains with."""
    net = make_net()
    optimizer = sgd(net)

    def evaluate(batch):
        with torch.no_grad():
            digest.add("losses", loss_of(copy.deepcopy(net).eval(), batch).item())

    for step in range(2 * STEPS):
        train_step(net, optimizer, make_batch(), digest)
        if step % 2:
            thread = threading.Thread(target=evaluate, args=(make_batch(4 * BATCH),))
            thread.start()
            thread.join()
    digest.add_model(net)


def _train_in_process(net, seed, path):
    torch.manual_seed(seed)
    optimizer = sgd(net)
    digest = Digest()
    for _ in range(STEPS):
        train_step(net, optimizer, make_batch(), digest)
    digest.write(path)


@hazard
def hogwild_processes(digest):
    """Processes train one network in shared memory, one after the other."""
    torch.multiprocessing.set_sharing_strategy("file_system")
    net = make_net()
    net.share_memory()
    spawning = multiprocessing.get_context("spawn")
    for seed in (1, 2):
        process = spawning.Process(target=_train_in_process, args=(net, seed, "/dev/null"))
        process.start()
        process.join()
        assert process.exitcode == 0, process.exitcode
    digest.add_model(net)


@hazard
def loader_thread(digest):
    """A thread makes the next batch while this one trains."""
    net = make_net()
    optimizer = sgd(net)
    generator = torch.Generator().manual_seed(5)

    def load():
        inputs = torch.randn(BATCH, 3, 32, 32, generator=generator)
        return inputs * 2, torch.zeros(BATCH, dtype=torch.long)

    with ThreadPoolExecutor(1) as pool:
        batch = pool.submit(load)
        for _ in range(STEPS):
            ready, batch = batch.result(), pool.submit(load)
            train_step(net, optimizer, ready, digest)
    digest.add_model(net)


if __name__ == "__main__":
    main()
