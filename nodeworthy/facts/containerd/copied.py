"""A configuration of containerd that a script copies from beside it: the file is there, and is judged as what it is."""

from __future__ import annotations

import posixpath
import re

from nodeworthy.facts.containerd.config import ConfigFile
from nodeworthy.facts.surroundings import Surroundings

# Few files hold one of these, and each of containerd's does.
_OF_CONTAINERD = re.compile(rb"io\.containerd\.|plugins\.cri\b|plugins\.\"?cri\b")
_COPIES = ("cp", "install", "mv")


def is_copied_from_beside(file: ConfigFile, surroundings: Surroundings | None) -> bool:
    command = file.write.command if file.write is not None else ""
    words = [each.strip("\"'") for each in command.removeprefix("sudo ").split()]
    if surroundings is None or not file.reading.unknown or not words or words[0] not in _COPIES:
        return False
    tails = {f"/{_tail(each)}" for each in words[1:-1] if not each.startswith("-") and _tail(each)}
    return any(each.path.as_posix().endswith(tuple(tails)) for each in surroundings.holding(_OF_CONTAINERD) if tails)


def _tail(source: str) -> str:
    """What of a path is the same wherever it is looked at from: nothing of `$HERE/`, nor of `../`."""
    tail = re.sub(r"^.*(?:\$\{?\w+\}?|\.\.|\))/", "", posixpath.normpath(source))
    return "" if tail.startswith("/") or "$" in tail else tail
