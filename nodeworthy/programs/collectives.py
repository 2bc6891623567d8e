"""multi-node: whether a sum over all ranks is right, how fast all_reduce is, and who sends how fast to whom.

Run by torchrun on each node of a group. In every round of the matrix each node has one partner, as in a tournament.
"""

from __future__ import annotations

import os
import time
from datetime import timedelta
from typing import Any

import nccl_log
import sanity
import say
import streams

TEST = "multi-node"
_USUAL = "1048576,67108864,1073741824,4294967296"
SIZES = tuple(int(each) for each in os.environ.get("NODEWORTHY_PAYLOADS", _USUAL).split(","))
PAIR_BYTES = int(os.environ.get("NODEWORTHY_PAIR_BYTES", str(256 << 20)))
ROUNDS = 2
LONGEST_TRANSPORT = 150


def all_reduces(test: str, where: Any) -> None:
    """Whether their sum is right, and how fast it is; within a node as between nodes."""
    import torch
    import torch.distributed as dist

    nodes = len(names())
    given = torch.full((1024,), float(say.RANK + 1), device=where)
    dist.all_reduce(given)
    is_right = bool((given == say.WORLD * (say.WORLD + 1) / 2).all())
    say.measure(test, "sum_right", int(is_right), at={"op": "all_reduce"})
    for size in payloads(where):
        tensor = torch.ones(size // 4, device=where)
        dist.all_reduce(tensor)
        for round_ in range(1, ROUNDS + 1):
            dist.barrier()
            seconds, _ = sanity.seconds_of(lambda tensor=tensor: dist.all_reduce(tensor), where)
            at = {"op": "all_reduce", "bytes": size, "ranks": say.WORLD, "nodes": nodes, "round": round_}
            if say.RANK == 0:
                algorithm = size / seconds / 1e9
                bus = algorithm * 2 * (say.WORLD - 1) / say.WORLD
                say.measure(test, "algbw_gbps", round(algorithm, 4), "GB/s", at=at)
                say.measure(test, "busbw_gbps", round(bus, 4), "GB/s", at=at)


def payloads(where: Any) -> list[int]:
    """The sizes of which twice as much is free on the smallest of all GPUs: a slice has no room for the largest."""
    import torch

    free = torch.cuda.mem_get_info(where)[0] if where.type == "cuda" else 2 * max(SIZES)
    least = min(streams.gather_from_ranks(free))
    return [size for size in SIZES if 2 * size <= least]


def names() -> list[str]:
    """The names of the nodes in the order of their ranks."""
    return list(dict.fromkeys(streams.gather_from_ranks(say.NODE)))


def pairs(where: Any, every: list[str]) -> None:
    """The first rank of each node; the receiver measures, for the sender's buffer may take all at once."""
    import torch
    import torch.distributed as dist

    local = say.WORLD // len(every)
    tensor = torch.ones(PAIR_BYTES // 4, device=where)
    for round_ in range(1, ROUNDS + 1):
        for matches in streams.tournament(len(every)):
            for turn in (False, True):
                dist.barrier()
                for one, other in matches:
                    sender, receiver = (other, one) if turn else (one, other)
                    if sender * local == say.RANK:
                        dist.send(tensor, receiver * local)
                    elif receiver * local == say.RANK:
                        seconds, _ = sanity.seconds_of(lambda sender=sender: dist.recv(tensor, sender * local), where)
                        at = {"from": every[sender], "to": every[receiver], "round": round_}
                        say.measure(TEST, "pair_gbps", round(PAIR_BYTES / seconds / 1e9, 4), "GB/s", at=at)


def fabric() -> str:
    """Which the node has, by the devices that its driver made."""
    folder = "/sys/class/infiniband"
    if not os.path.isdir(folder) or not os.listdir(folder):
        return "none"
    return "efa" if any(each.startswith(("efa", "rdmap")) for each in os.listdir(folder)) else "infiniband"


def work() -> None:
    import torch
    import torch.distributed as dist

    where, _ = sanity.device()
    limit = timedelta(seconds=float(os.environ.get("NODEWORTHY_BARRIER", "60")))
    logs = os.environ.get("NODEWORTHY_SCRATCH", "/scratch")
    nccl_log.begin(logs)
    dist.init_process_group("nccl" if where.type == "cuda" else "gloo", timeout=limit)
    if say.LOCAL_RANK == 0:
        say.measure(TEST, "torch", torch.__version__)
        say.measure(TEST, "fabric", fabric())
    every = names()
    all_reduces(TEST, where)
    if len(every) > 1:
        pairs(where, every)
        streams.measure(every)
    if say.LOCAL_RANK == 0 and where.type == "cuda":
        say.measure(TEST, "transport", nccl_log.transport(logs)[:LONGEST_TRANSPORT])
    time.sleep(0.05)  # what the last barrier still has to send
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    raise SystemExit(say.run(TEST, work))
