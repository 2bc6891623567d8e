"""inference and moe: greedy decoding by models with random weights, with the cache and without, alone and in a batch.

decoding.py inference         one process
decoding.py moe               under torchrun: the experts are spread over the ranks

Whether tokens are right is asked of small models, in double precision, so that nothing is decided by rounding. How fast
they come is asked of one that is as large as models are that people serve on a GPU of this memory, in bfloat16.
"""

from __future__ import annotations

import hashlib
import sys
from typing import Any, NamedTuple

import sanity
import say
import serving

EXPERTS = 4
ROUNDS = 2
GIB = 1 << 30
# Of each layer its keys and values, once there are any.
Cache = list[Any]


class Size(NamedTuple):
    """The size of a model; a layer has eight squares of its width."""

    name: str
    width: int
    layers: int
    # Words of a prompt, and words that are made.
    prompt: int = 128
    made: int = 64
    words: int = 32_000

    @property
    def heads(self) -> int:
        return max(4, self.width // 128)


SMALL = Size("small", 128, 2, 12, 24, 256)
# By how much memory of a GPU is free, in GiB: what one serves on it.
SIZES = ((40, Size("6.4B", 4096, 48)), (14, Size("1.3B", 2048, 39)), (2, Size("0.3B", 1024, 36)))


class Decoder:
    def __init__(self, where: Any, size: Size, dtype: Any, experts: int = 0) -> None:
        """Small ones are the same on every machine; large ones would take minutes to be."""
        import torch

        there = "cpu" if size is SMALL else where
        draw = torch.Generator(device=there).manual_seed(7)

        def weights(*shape: int) -> Any:
            drawn = torch.randn(*shape, generator=draw, dtype=dtype, device=there)
            return drawn.div_(shape[-1] ** 0.5).to(where)

        wide = size.width
        self.where, self.size, self.experts = where, size, experts
        self.words, self.places = weights(size.words, wide), weights(size.prompt + size.made, wide)
        self.mixing = [[weights(wide, wide) for _ in range(4)] for _ in range(size.layers)]
        self.feeding = [
            [(weights(wide, 2 * wide), weights(2 * wide, wide)) for _ in range(max(1, experts))]
            for _ in range(size.layers)
        ]
        self.routing = [weights(wide, max(1, experts)) for _ in range(size.layers)]

    def logits(self, words: Any, cache: Cache, at: int, spread: bool) -> Any:
        import torch

        state = self.words[words] + self.places[at : at + words.shape[1]]
        norm = torch.nn.functional.layer_norm
        for layer in range(self.size.layers):
            state = state + self._mix(layer, norm(state, (self.size.width,)), cache, at)
            state = state + self._feed(layer, norm(state, (self.size.width,)), spread)
        return norm(state[:, -1], (self.size.width,)) @ self.words.T

    def _mix(self, layer: int, state: Any, cache: Cache, at: int) -> Any:
        import torch

        asks, keys, values = (self._heads(state @ each) for each in self.mixing[layer][:3])
        before = cache[layer]
        if before is not None:
            keys, values = (torch.cat([old, new], 2) for old, new in zip(before, (keys, values)))
        cache[layer] = (keys, values)
        scores = asks @ keys.transpose(2, 3) / (self.size.width // self.size.heads) ** 0.5
        seen = (
            torch.arange(keys.shape[2], device=self.where)
            <= at + torch.arange(asks.shape[2], device=self.where)[:, None]
        )
        mixed = scores.masked_fill(~seen, float("-inf")).softmax(-1) @ values
        return mixed.transpose(1, 2).flatten(2) @ self.mixing[layer][3]

    def _heads(self, state: Any) -> Any:
        return state.unflatten(2, (self.size.heads, self.size.width // self.size.heads)).transpose(1, 2)

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
        return (state @ wide).relu() @ narrow


def decode(model: Decoder, prompt: Any, cached: bool, spread: bool = False) -> Any:
    import torch

    words = prompt
    cache = empty(model)
    for step in range(model.size.made):
        if cached and step:
            said = model.logits(words[:, -1:], cache, words.shape[1] - 1, spread)
        else:
            cache = empty(model)
            said = model.logits(words, cache, 0, spread)
        words = torch.cat([words, said.argmax(-1, keepdim=True)], 1)
    return words[:, model.size.prompt :]


def tokens_hash(words: Any) -> str:
    return hashlib.blake2b(str(words.tolist()).encode(), digest_size=8).hexdigest()


def prompts(where: Any, size: Size, count: int) -> Any:
    import torch

    return torch.randint(size.words, (count, size.prompt), generator=torch.Generator().manual_seed(3)).to(where)


def small(where: Any, experts: int = 0) -> Decoder:
    import torch

    return Decoder(where, SMALL, torch.float64, experts)


def inference() -> None:
    import torch

    where, gpu = sanity.device()
    say.measure("inference", "torch", torch.__version__)
    some = prompts(where, SMALL, 4)
    for name, model in (("dense", small(where)), ("moe", small(where, EXPERTS))):
        ways = {
            "cached": decode(model, some[:1], cached=True),
            "full": decode(model, some[:1], cached=False),
            "batch": decode(model, some, cached=True)[:1],
        }
        for how, words in ways.items():
            say.measure("inference", "tokens", tokens_hash(words), gpu=gpu, at={"model": name, "how": how})
    if serving.MODEL and serving.can_serve():
        serving.serve(gpu)
        return
    say.measure("inference", "engine", "ours: vllm is not there" if serving.MODEL else "ours")
    size = size_for(where)
    if size is not None:
        serve(where, gpu, size)


def size_for(where: Any) -> Size | None:
    """None where not even the smallest has room. A processor shows that it runs, and nothing of how fast."""
    import torch

    if where.type != "cuda":
        return SMALL
    free = torch.cuda.mem_get_info(where)[0] / GIB
    return next((size for least, size in SIZES if free >= least), None)


def serve(where: Any, gpu: dict[str, str], size: Size) -> None:
    """Serves one, and many at once: how long until the first word, how many words a second, and in how much memory."""
    import torch

    model = Decoder(where, size, torch.bfloat16)
    for count in (1, 16):
        some = prompts(where, size, count)
        decode(model, some, cached=True)  # what is only made once is made now
        for round_ in range(1, ROUNDS + 1):
            at = {"model": size.name, "batch": count, "round": round_}
            first, _ = sanity.seconds_of(lambda some=some: model.logits(some, empty(model), 0, False), where)
            whole, _ = sanity.seconds_of(lambda some=some: decode(model, some, cached=True), where)
            say.measure("inference", "first_token_ms", round(1000 * first, 3), "ms", gpu=gpu, at=at)
            rate = round(count * size.made / whole, 2)
            say.measure("inference", "tokens_per_s", rate, "tokens/s", gpu=gpu, at=at)
    if where.type == "cuda":
        most = torch.cuda.max_memory_allocated(where) / GIB
        say.measure("inference", "memory_gib", round(most, 2), "GiB", gpu=gpu, at={"model": size.name})


def empty(model: Decoder) -> Cache:
    return [None] * model.size.layers


def moe() -> None:
    import torch
    import torch.distributed as dist

    where, gpu = sanity.device()
    dist.init_process_group("nccl" if where.type == "cuda" else "gloo")
    model, some = small(where, EXPERTS), prompts(where, SMALL, 1)
    spread = decode(model, some, cached=True, spread=True)
    one = decode(model, some, cached=True)
    for how, words in (("parallel", spread), ("one", one)):
        say.measure("moe", "tokens", tokens_hash(words), gpu=gpu, at={"model": "moe", "how": how})
    if say.RANK == 0:
        say.measure("moe", "torch", torch.__version__)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    raise SystemExit(say.run(sys.argv[1], {"inference": inference, "moe": moe}[sys.argv[1]]))
