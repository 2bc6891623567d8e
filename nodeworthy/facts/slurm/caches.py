"""Where a job's programs keep their caches: each has a variable of its own, and `~/.cache` without it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.boot.text import Text
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_HOME = pattern(r"(?:\$\{?HOME\}?|~[\w.-]*|/root|/home\d?/|/users?/|/u/)(?:/|$|\w)", re.IGNORECASE)
# What speaks of them in a command's words.
_VLLM = pattern(r"(?<![a-z])vllm(?![a-z])", re.IGNORECASE)
_HUGGING = pattern(
    r"(?<![a-z])(?:vllm|transformers|huggingface|hf[-_]|lm[-_]eval|trl|axolotl|sglang|peft|diffusers|llama|"
    r"model_name_or_path|model-name-or-path)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cache:
    called: str
    # The variables that move it, the usual one first.
    variables: tuple[str, ...]
    holds: str


VLLM = Cache("vLLM", ("VLLM_CACHE_ROOT", "XDG_CACHE_HOME"), "~/.cache/vllm")
HUGGING_FACE = Cache(
    "Hugging Face", ("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE", "XDG_CACHE_HOME"),
    "~/.cache/huggingface",
)  # fmt: skip
# Any of these that points into $HOME is a fault, whoever reads it.
KNOWN = (
    "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_DATASETS_CACHE", "TRANSFORMERS_CACHE", "VLLM_CACHE_ROOT",
    "XDG_CACHE_HOME", "TRITON_CACHE_DIR", "TORCH_HOME", "TORCHINDUCTOR_CACHE_DIR", "TORCH_EXTENSIONS_DIR",
    "CUDA_CACHE_PATH", "PIP_CACHE_DIR", "UV_CACHE_DIR", "APPTAINER_CACHEDIR", "SINGULARITY_CACHEDIR", "WANDB_CACHE_DIR",
)  # fmt: skip


def used(launch: Launch) -> Iterator[Cache]:
    """The caches that this command is known to fill."""
    if launch.program == "vllm" or _VLLM.search(launch.said):
        yield VLLM
    if launch.program == "vllm" or _HUGGING.search(launch.said):
        yield HUGGING_FACE


def in_home(environment: Mapping[str, Text], names: Sequence[str] = KNOWN) -> Iterator[tuple[str, str]]:
    """The variables that point into the home folder, and what they say."""
    for name in names:
        value = environment.get(name)
        if value is not None and is_home(value):
            yield name, value.shown()


def is_home(value: Text) -> bool:
    return _HOME.match(value.shown()) is not None


def is_moved(cache: Cache, environment: Mapping[str, Text]) -> bool:
    """Whether somebody says where it is; a home folder that was moved moves it, too."""
    home = environment.get("HOME")
    moved_home = home is not None and home.shown() != "$HOME" and not is_home(home)
    return moved_home or any(environment.get(name) for name in cache.variables)
