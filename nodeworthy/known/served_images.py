"""What the images of GPU pods answer, and which of their tags compute on the CPU alone: `served_images.toml`."""

from __future__ import annotations

import re
from functools import cache

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# `2.9.0-cpu-py312`, `cpu-1.7`, and not `cpu-offload-cuda12`.
_FOR_CPUS = pattern(r"(?i)(?:^|[-_.])cpu(?=$|[-_.])")
_FOR_GPUS = pattern(r"(?i)gpu|cuda|cu1\d|rocm")


@dataclass(frozen=True)
class Server:
    name: str
    names: tuple[str, ...]
    words: re.Pattern[str]
    never: frozenset[str]
    should: str


@cache
def _servers() -> tuple[Server, ...]:
    rows = table_of("served_images")["server"]
    return tuple(
        Server(row["name"], tuple(row["names"]), re.compile(row["words"]), frozenset(row["never"]), row["should"])
        for row in rows
    )


def server_of(image: str, command: str) -> Server | None:
    """The server that a container is; None where its own command may start another one."""
    name = _name_and_tag(image)[0]
    found = next((each for each in _servers() if name in each.names), None)
    return found if found is not None and (not command.strip() or found.words.search(command)) else None


def computes_on_the_cpu(image: str) -> str:
    """What to write for an image that does; empty for one that may use GPUs, or is named by its digest alone."""
    name, tag = _name_and_tag(image)
    if (not tag and "@" in image) or "$" in tag or "{" in tag:
        return ""  # what a template fills in is held against nobody
    for row in table_of("served_images")["computes"]:
        if name in row["names"]:
            return "" if re.search(row["gpu"], tag) else str(row["should"])
    is_for_cpus = _FOR_CPUS.search(tag) and not _FOR_GPUS.search(f"{name.rpartition('/')[2]}-{tag}")
    return "the tag that is built for CUDA" if is_for_cpus else ""


def _name_and_tag(image: str) -> tuple[str, str]:
    whole = image.partition("@")[0]
    name, colon, tag = whole.rpartition(":")
    return (name, tag) if colon and "/" not in tag else (whole, "")
