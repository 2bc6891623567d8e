"""inference with a model of one's own: vLLM serves it from a folder, and nothing is downloaded.

The same prompt twice must give the same tokens, greedily. How fast they come, and how soon the first does, is measured
to one and to sixteen at once.
"""

from __future__ import annotations

import hashlib
import os
import time
from typing import Any

import say

MODEL = os.environ.get("NODEWORTHY_MODEL", "")
# Of words that any vocabulary has.
PROMPT, MADE, WORDS = 128, 64, 1000
ROUNDS = 2
# Between what is asked for and what a small model can take.
LONGEST = 1024


def can_serve() -> bool:
    try:
        import vllm  # noqa: F401
    except ImportError:
        return False
    return True


def serve(gpu: dict[str, str]) -> None:
    import vllm

    say.measure("inference", "engine", f"vllm {vllm.__version__}")
    engine = vllm.LLM(
        model=MODEL, skip_tokenizer_init=True, enforce_eager=True, max_model_len=LONGEST, seed=7, disable_log_stats=True
    )
    greedy, first = (
        vllm.SamplingParams(temperature=0, max_tokens=most, ignore_eos=True, detokenize=False) for most in (MADE, 1)
    )
    for how in ("once", "again"):
        (tokens,) = _generate(engine, greedy, 1)
        said = hashlib.blake2b(str(tokens).encode(), digest_size=8).hexdigest() if tokens else "none"
        say.measure("inference", "tokens", said, gpu=gpu, at={"model": "vllm", "how": how})
    for count in (1, 16):
        for round_ in range(1, ROUNDS + 1):
            at = {"model": "vllm", "batch": count, "round": round_}
            seconds, _ = _timed(engine, first, count)
            say.measure("inference", "first_token_ms", round(1000 * seconds, 3), "ms", gpu=gpu, at=at)
            seconds, made = _timed(engine, greedy, count)
            say.measure("inference", "tokens_per_s", round(made / seconds, 2), "tokens/s", gpu=gpu, at=at)


def _timed(engine: Any, greedy: Any, count: int) -> tuple[float, int]:
    """How long, and for how many tokens."""
    began = time.perf_counter()
    made = _generate(engine, greedy, count)
    return time.perf_counter() - began, sum(map(len, made))


def _generate(engine: Any, greedy: Any, count: int) -> list[list[int]]:
    """Other prompts for each of many, and the same ones each time."""
    asked = [{"prompt_token_ids": [(each + 7 * place) % WORDS for place in range(PROMPT)]} for each in range(count)]
    return [list(each.outputs[0].token_ids) for each in engine.generate(asked, greedy, use_tqdm=False)]
