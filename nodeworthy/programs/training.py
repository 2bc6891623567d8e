"""ddp, fsdp and checkpoint-restart: a small transformer, trained by one process, by several, and on after a stop.

training.py ddp|fsdp          under torchrun
training.py checkpoint        FOLDER/stop ends it, and the next call goes on from FOLDER
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from typing import Any

import collectives
import sanity
import say

STEPS = int(os.environ.get("NODEWORTHY_STEPS", "12"))
BATCH, LENGTH, WORDS, WIDTH = 8, 32, 128, 64
BARRIER_SECONDS = float(os.environ.get("NODEWORTHY_BARRIER", "60"))


def model(where: Any) -> Any:
    import torch
    from torch import nn

    torch.manual_seed(7)
    layer = nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, dropout=0.0, batch_first=True)
    body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    return nn.Sequential(nn.Embedding(WORDS, WIDTH), body, nn.Linear(WIDTH, WORDS)).to(where)


def batch(step: int, where: Any) -> tuple[Any, Any]:
    """The same words on every machine; the next word is the one to learn."""
    import torch

    draw = torch.Generator().manual_seed(1000 + step)
    start = torch.randint(WORDS, (BATCH, 1), generator=draw)
    words = (start + torch.arange(LENGTH + 1)) % WORDS
    return words[:, :-1].to(where), words[:, 1:].to(where)


def loss_of(net: Any, words: Any, wanted: Any) -> Any:
    from torch.nn.functional import cross_entropy

    return cross_entropy(net(words).flatten(0, 1).float(), wanted.flatten())


def share(words: Any) -> Any:
    """This rank's part of a batch."""
    return words.chunk(say.WORLD)[say.RANK]


def whole(where: Any) -> float:
    """What one process ends with on the same data."""
    import torch

    net = model(where)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    last = 0.0
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(net, *batch(step, where))
        loss.backward()
        optimizer.step()
        last = float(loss.detach())
    return last


def parameters_hash(net: Any) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for each in net.parameters():
        full = each.full_tensor() if hasattr(each, "full_tensor") else each
        digest.update(full.detach().float().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def begin_group(where: Any) -> None:
    """A rank that does not come is named, within a minute."""
    from datetime import timedelta

    import torch.distributed as dist

    limit = timedelta(seconds=BARRIER_SECONDS)
    dist.init_process_group("nccl" if where.type == "cuda" else "gloo", timeout=limit)
    if where.type != "cuda":
        dist.monitored_barrier(timeout=limit, wait_all_ranks=True)


def spread(kind: str, where: Any) -> tuple[Any, Any]:
    import torch

    net = model(where)
    if kind == "fsdp":
        from torch.distributed.fsdp import fully_shard

        for each in net[1].layers:
            fully_shard(each)
        fully_shard(net)
    else:
        ids = [say.LOCAL_RANK] if where.type == "cuda" else None
        net = torch.nn.parallel.DistributedDataParallel(net, device_ids=ids)
    return net, torch.optim.SGD(net.parameters(), lr=0.05)


def train(test: str, kind: str, where: Any, gpu: dict[str, str]) -> tuple[Any, float]:
    import torch.distributed as dist

    net, optimizer = spread(kind, where)
    last, times = 0.0, []
    for step in range(STEPS):
        began = time.perf_counter()
        optimizer.zero_grad()
        words, wanted = batch(step, where)
        loss = loss_of(net, share(words), share(wanted))
        loss.backward()
        optimizer.step()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        last = float(mean) / say.WORLD
        times.append(1000 * (time.perf_counter() - began))
    say.measure(
        test, "step_ms", round(sorted(times)[len(times) // 2], 3), "ms", gpu=gpu, at={"batch": BATCH, "how": kind}
    )
    return net, last


def together(test: str) -> None:
    import torch.distributed as dist

    where, gpu = sanity.device()
    if say.RANK == 0:
        import torch

        say.measure(test, "torch", torch.__version__)
    begin_group(where)
    net, last = train(test, test, where, gpu)
    say.measure(test, "parameter_hash", parameters_hash(net), gpu=gpu)
    beside = whole(where) if test == "ddp" else train("fsdp", "ddp", where, gpu)[1]
    if say.RANK == 0:
        say.measure(test, "loss_final", last, at={"how": test})
        say.measure(test, "loss_final", beside, at={"how": "one" if test == "ddp" else "ddp"})
    if test == "ddp" and say.WORLD > 1 and (where.type == "cuda" or "NODEWORTHY_PAYLOADS" in os.environ):
        collectives.all_reduces(test, where)
    dist.barrier()
    dist.destroy_process_group()


def checkpoint(folder: str) -> None:
    """Once until it is stopped and once from there on; beside it, never stopped."""
    import torch

    test, file = "checkpoint-restart", os.path.join(folder, "checkpoint.pt")
    stop = say.Stop(os.path.join(folder, "stop"))
    where, gpu = sanity.device()
    first = resume(where, None)
    at = run_on(first, 0, where, stop)
    began = time.perf_counter()
    save(first, at, file)
    say.measure(test, "save_s", round(time.perf_counter() - began, 3), "s", gpu=gpu)
    say.measure(test, "grace_s", float(os.environ.get("NODEWORTHY_GRACE", "90")), "s")
    say.measure(test, "stopped_at", at)
    second = resume(where, torch.load(file, weights_only=True))
    say.measure(test, "resumed_from", second["step"])
    results: list[tuple[str, Any]] = [("resumed", second), ("whole", resume(where, None))]
    for how, each in results:
        run_on(each, each["step"], where, None)
        say.measure(test, "parameter_hash", parameters_hash(each["net"]), gpu=gpu, at={"how": how})
        say.measure(test, "loss_final", each["loss"], gpu=gpu, at={"how": how})


def resume(where: Any, saved: dict[str, Any] | None) -> dict[str, Any]:
    import torch

    net = model(where)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    if saved is not None:
        net.load_state_dict(saved["net"])
        optimizer.load_state_dict(saved["optimizer"])
    return {"net": net, "optimizer": optimizer, "step": saved["step"] if saved else 0, "loss": 0.0}


def run_on(state: dict[str, Any], step: int, where: Any, stop: say.Stop | None) -> int:
    """Runs to the end, or to where it is stopped. Whoever wants to be sure of the stop stops it in the middle."""
    for at in range(step, STEPS):
        if stop is not None and (stop() or at >= STEPS // 2):
            return at
        state["optimizer"].zero_grad()
        loss = loss_of(state["net"], *batch(at, where))
        loss.backward()
        state["optimizer"].step()
        state["loss"] = float(loss.detach())
    return STEPS


def save(state: dict[str, Any], step: int, file: str) -> None:
    """Whole, or not at all."""
    import torch

    whole_state = {"net": state["net"].state_dict(), "optimizer": state["optimizer"].state_dict(), "step": step}
    with open(f"{file}.part", "wb") as written:
        torch.save(whole_state, written)
        written.flush()
        os.fsync(written.fileno())
    os.replace(f"{file}.part", file)


if __name__ == "__main__":
    if sys.argv[1] == "checkpoint":
        raise SystemExit(say.run("checkpoint-restart", lambda: checkpoint(sys.argv[2])))
    raise SystemExit(say.run(sys.argv[1], lambda: together(sys.argv[1])))
