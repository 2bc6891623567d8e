"""Where a job's programs keep their caches: each has a variable of its own, and `~/.cache` without it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from nodeworthy.boot.text import Text
from nodeworthy.facts.slurm.cache_variables import KNOWN
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_HOME = pattern(r"(?:\$\{?HOME\}?|~[\w.-]*|/root|/home\d?/|/users?/|/u/)(?:/|$|\w)", re.IGNORECASE)
# Modules that load models from the Hub.
_LOADERS = ("vllm", "transformers", "lm_eval", "trl", "axolotl", "sglang")
_MODELS = ("model", "model_name_or_path", "model_path", "pretrained_model_name_or_path", "base_model")
# A name on the Hub, and no folder: `org/name`.
_ON_THE_HUB = pattern(r"(?!(?:models?|checkpoints?|ckpts?|outputs?|data|weights|results|runs|exp\w*)/)"
                      r"[A-Za-z0-9][\w.-]*/[\w.-]+")  # fmt: skip
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")


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


def used(launch: Launch) -> Iterator[Cache]:
    """The caches that this command is known to fill."""
    if launch.program == "vllm":
        yield VLLM
    if not any(name in launch.environment for name in _OFFLINE) and _loads(launch):
        yield HUGGING_FACE


def _loads(launch: Launch) -> bool:
    """Whether it gets a model from the Hub, and puts it where the cache is."""
    if "download_dir" in launch.options:
        return False
    words = [each.known for each in launch.arguments]
    # `vllm serve NAME`; a module's own options stand among its arguments.
    named = [words[1]] if launch.program == "vllm" and words[:1] == ["serve"] and len(words) > 1 else []
    pairs = [*pairwise(words), *(each.split("=", 1) for each in words if each and "=" in each)]
    named += [value for name, value in pairs if name and name.lstrip("-").replace("-", "_") in _MODELS]
    if launch.program == "vllm" or launch.module.partition(".")[0] in _LOADERS:
        return any(each is not None and not each.startswith(("/", ".", "~", "$")) for each in named)
    return any(each is not None and _ON_THE_HUB.fullmatch(each) for each in named)


def in_home(environment: Mapping[str, Text], names: Sequence[str] = KNOWN) -> Iterator[tuple[str, Text]]:
    """The variables that point into the home folder, and what they say."""
    for name in names:
        value = environment.get(name)
        if value is not None and is_home(value):
            yield name, value


def is_home(value: Text) -> bool:
    return _HOME.match(value.shown()) is not None


def is_moved(cache: Cache, environment: Mapping[str, Text]) -> bool:
    """Whether somebody says where it is; a home folder that was moved moves it, too."""
    home = environment.get("HOME")
    moved_home = home is not None and home.shown() != "$HOME" and not is_home(home)
    return moved_home or any(environment.get(name) for name in cache.variables)
