"""inference and moe: greedy decoding by a model with random weights, with its cache and without, alone and in a batch.

decoding.py inference         one process
decoding.py moe               under torchrun: the experts are spread over the ranks
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from typing import Any

import sanity
import say

WORDS, WIDTH, HEADS, LAYERS, EXPERTS = 256, 128, 4, 2, 4
PROMPT, MADE = 12, 24
FAULT = os.environ.get("NODEWORTHY_FAULT", "")
# Of each layer its keys and values, once there are any.
Cache = list[Any]


class Decoder:
    """In double precision, so that nothing is decided by rounding."""

    def __init__(self, where: Any, experts: int = 0) -> None:
        import torch

        draw = torch.Generator().manual_seed(7)

        def weights(*shape: int) -> Any:
            return torch.randn(*shape, generator=draw, dtype=torch.float64).div(shape[-1] ** 0.5).to(where)

        self.where, self.experts = where, experts
        self.words, self.places = weights(WORDS, WIDTH), weights(PROMPT + MADE, WIDTH)
        self.mixing = [[weights(WIDTH, WIDTH) for _ in range(4)] for _ in range(LAYERS)]
        self.feeding = [
            [(weights(WIDTH, 2 * WIDTH), weights(2 * WIDTH, WIDTH)) for _ in range(max(1, experts))]
            for _ in range(LAYERS)
        ]
        self.routing = [weights(WIDTH, max(1, experts)) for _ in range(LAYERS)]

    def logits(self, words: Any, cache: Cache, at: int, spread: bool) -> Any:
        import torch

        state = self.words[words] + self.places[at : at + words.shape[1]]
        for layer in range(LAYERS):
            state = state + self._mix(layer, torch.nn.functional.layer_norm(state, (WIDTH,)), cache, at)
            state = state + self._feed(layer, torch.nn.functional.layer_norm(state, (WIDTH,)), spread)
        return torch.nn.functional.layer_norm(state[:, -1], (WIDTH,)) @ self.words.T

    def _mix(self, layer: int, state: Any, cache: Cache, at: int) -> Any:
        import torch

        asks, keys, values = (self._heads(state @ each) for each in self.mixing[layer][:3])
        before = cache[layer]
        if before is not None:
            keys, values = (torch.cat([old, new], 2) for old, new in zip(before, (keys, values)))
        cache[layer] = (keys, values)
        scores = asks @ keys.transpose(2, 3) / (WIDTH // HEADS) ** 0.5
        seen = (
            torch.arange(keys.shape[2], device=self.where)
            <= at + torch.arange(asks.shape[2], device=self.where)[:, None]
        )
        mixed = scores.masked_fill(~seen, float("-inf")).softmax(-1) @ values
        return mixed.transpose(1, 2).flatten(2) @ self.mixing[layer][3]

    def _heads(self, state: Any) -> Any:
        return state.unflatten(2, (HEADS, WIDTH // HEADS)).transpose(1, 2)

    def _feed(self, layer: int, state: Any, spread: bool) -> Any:
        import torch

        if not self.experts:
            return self._expert(layer, 0, state)
        chosen = (state @ self.routing[layer]).topk(2)
        parts = torch.zeros_like(state)
        for expert in range(self.experts):
            if not spread or expert % say.WORLD == say.RANK:
                share = (chosen.values.softmax(-1) * (chosen.indices == expert)).sum(-1, keepdim=True)
                parts = parts + share * self._expert(layer, expert, state)
        if spread:
            torch.distributed.all_reduce(parts)
        return parts

    def _expert(self, layer: int, expert: int, state: Any) -> Any:
        wide, narrow = self.feeding[layer][expert]
        made = (state @ wide).relu() @ narrow
        return made * 0 if f"zero-expert:{expert}" == FAULT and say.WORLD > 1 and layer == 0 else made


def decode(model: Decoder, prompt: Any, cached: bool, spread: bool = False) -> Any:
    import torch

    words = prompt
    cache: Cache = [None] * LAYERS
    for step in range(MADE):
        if cached and step:
            off = 1 if FAULT == "cache-off-by-one" else 0
            said = model.logits(words[:, -1:], cache, words.shape[1] - 1 - off, spread)
        else:
            cache = [None] * LAYERS
            said = model.logits(words, cache, 0, spread)
        words = torch.cat([words, said.argmax(-1, keepdim=True)], 1)
    return words[:, PROMPT:]


def tokens_hash(words: Any) -> str:
    return hashlib.blake2b(str(words.tolist()).encode(), digest_size=8).hexdigest()


def prompts(where: Any) -> Any:
    import torch

    return torch.randint(WORDS, (4, PROMPT), generator=torch.Generator().manual_seed(3)).to(where)


def inference() -> None:
    import torch

    where, gpu = sanity.device()
    say.measure("inference", "torch", torch.__version__)
    some = prompts(where)
    for name, model in (("dense", Decoder(where)), ("moe", Decoder(where, EXPERTS))):
        began = time.perf_counter()
        alone = decode(model, some[:1], cached=True)
        seconds = time.perf_counter() - began
        ways = {
            "cached": alone,
            "full": decode(model, some[:1], cached=False),
            "batch": decode(model, some, cached=True)[:1],
        }
        for how, words in ways.items():
            say.measure("inference", "tokens", tokens_hash(words), gpu=gpu, at={"model": name, "how": how})
        rate = round(MADE / seconds, 2)
        say.measure("inference", "tokens_per_s", rate, "tokens/s", gpu=gpu, at={"model": name, "batch": 1})


def moe() -> None:
    import torch
    import torch.distributed as dist

    where, gpu = sanity.device()
    dist.init_process_group("nccl" if where.type == "cuda" else "gloo")
    model, some = Decoder(where, EXPERTS), prompts(where)[:1]
    spread = decode(model, some, cached=True, spread=True)
    # Without a fault, as one process alone computes it.
    one = decode(model, some, cached=True, spread=False) if not FAULT else decode_rightly(model, some)
    for how, words in (("parallel", spread), ("one", one)):
        say.measure("moe", "tokens", tokens_hash(words), gpu=gpu, at={"model": "moe", "how": how})
    if say.RANK == 0:
        say.measure("moe", "torch", torch.__version__)
    dist.barrier()
    dist.destroy_process_group()


def decode_rightly(model: Decoder, some: Any) -> Any:
    global FAULT
    kept, FAULT = FAULT, ""
    made = decode(model, some, cached=True)
    FAULT = kept
    return made


if __name__ == "__main__":
    raise SystemExit(say.run(sys.argv[1], {"inference": inference, "moe": moe}[sys.argv[1]]))
