"""Faults of hardware and libraries, put between a program of `accept` and torch: the program itself knows nothing of them.

Python imports this before anything else, where its folder is on PYTHONPATH. `FAULT` says which fault, and `FAULT_RANK` in
which process of several.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Fault = Callable[[Any], None]


def another_bit(made: Any) -> Any:
    """One bit of one number."""
    import torch

    made.view(torch.int16 if made.element_size() == 2 else torch.int32)[0, 0] ^= 1
    return made


def flipped_bit(torch: Any) -> None:
    product = torch.Tensor.__matmul__
    torch.Tensor.__matmul__ = lambda left, right: another_bit(product(left, right))


def flipped_now_and_then(torch: Any) -> None:
    product, calls = torch.Tensor.__matmul__, iter(range(1_000_000))

    def made(left: Any, right: Any) -> Any:
        return another_bit(product(left, right)) if next(calls) == 1 else product(left, right)

    torch.Tensor.__matmul__ = made


def flipped_bit_late(torch: Any) -> None:
    """Once it is warm: after some laps of a burn."""
    product, calls = torch.Tensor.__matmul__, iter(range(1_000_000_000))

    def made(left: Any, right: Any) -> Any:
        return another_bit(product(left, right)) if next(calls) > 4000 else product(left, right)

    torch.Tensor.__matmul__ = made


def forgetful_memory(torch: Any) -> None:
    full = torch.full

    def written(*given: Any, **more: Any) -> Any:
        made = full(*given, **more)
        made[-1] = 7
        return made

    torch.full = written


def slow(torch: Any) -> None:
    product = torch.Tensor.__matmul__

    def late(left: Any, right: Any) -> Any:
        time.sleep(0.05)
        return product(left, right)

    torch.Tensor.__matmul__ = late


def before_each_step(torch: Any, act: Callable[[Any], None]) -> None:
    step = torch.optim.SGD.step

    def stepped(self: Any, *given: Any) -> Any:
        for group in self.param_groups:
            for each in group["params"]:
                act(each.grad)
        return step(self, *given)

    torch.optim.SGD.step = stepped


def own_gradient(torch: Any) -> None:
    before_each_step(torch, lambda gradient: gradient.mul_(2))


def lost_gradient(torch: Any) -> None:
    """Of this rank's shards, and of no whole parameter."""
    before_each_step(torch, lambda gradient: gradient.to_local().zero_() if hasattr(gradient, "to_local") else None)


def hung(torch: Any) -> None:
    begin = torch.distributed.init_process_group

    def never(*given: Any, **more: Any) -> None:
        begin(*given, **more)
        time.sleep(float(os.environ["NODEWORTHY_BARRIER"]) + 5)

    torch.distributed.init_process_group = never


def dead(torch: Any) -> None:
    torch.distributed.monitored_barrier = lambda *_, **__: os._exit(9)


def wrong_sums_of(torch: Any, count: int) -> None:
    reduce = torch.distributed.all_reduce

    def wrong(tensor: Any, *given: Any, **more: Any) -> Any:
        done = reduce(tensor, *given, **more)
        if tensor.numel() == count:
            tensor[3] += 1
        return done

    torch.distributed.all_reduce = wrong


def wrong_sum(torch: Any) -> None:
    wrong_sums_of(torch, 1024)


def wrong_large_sum(torch: Any) -> None:
    wrong_sums_of(torch, 16384)


def short_cache(torch: Any) -> None:
    cat = torch.cat

    def short(parts: Any, dim: int = 0) -> Any:
        return cat([parts[0][:, :, 1:], parts[1]], dim) if dim == 2 else cat(parts, dim)

    torch.cat = short


def batch_apart(torch: Any) -> None:
    softmax = torch.Tensor.softmax

    def blind(self: Any, dim: int) -> Any:
        made = softmax(self, dim)
        return made.fill_(1 / made.shape[-1]) if made.dim() == 4 and made.shape[0] > 1 else made

    torch.Tensor.softmax = blind


def dead_expert(torch: Any) -> None:
    torch.Tensor.relu = lambda self: self * 0


def not_restored(torch: Any) -> None:
    torch.nn.Module.load_state_dict = lambda *_, **__: None


def from_zero(torch: Any) -> None:
    load = torch.load
    torch.load = lambda *given, **more: {**load(*given, **more), "step": 0}


def truncated(_: Any) -> None:
    replace = os.replace

    def half(one: str, other: str) -> None:
        replace(one, other)
        os.truncate(other, Path(other).stat().st_size // 2)

    vars(os)["replace"] = half


def in_workers(torch: Any, act: Callable[[Any], Any]) -> None:
    from torch.utils.data._utils import fetch

    usual = fetch._MapDatasetFetcher.fetch

    def fetched(self: Any, wanted: Any) -> Any:
        made = usual(self, wanted)
        return act(made) if torch.utils.data.get_worker_info() is not None else made

    fetch._MapDatasetFetcher.fetch = fetched


def killed_worker(torch: Any) -> None:
    in_workers(torch, lambda _: os.kill(os.getpid(), 9))


def wrong_batch(torch: Any) -> None:
    in_workers(torch, lambda made: made + 1)


def slow_disk(_: Any) -> None:
    write = os.write

    def late(handle: int, block: Any) -> int:
        time.sleep(1.0 if len(block) > 1 << 20 else 0)
        return write(handle, block)

    os.write = late


def begin() -> None:
    fault: Fault | None = globals().get(os.environ.get("FAULT", "").replace("-", "_"))
    program = any(each.endswith(".py") and not each.endswith("launch.py") for each in sys.orig_argv)
    if fault is None or not program or os.environ.get("RANK", "0") != os.environ.get("FAULT_RANK", "0"):
        return
    import torch
    import torch.distributed
    import torch.utils.data

    fault(torch)


begin()
