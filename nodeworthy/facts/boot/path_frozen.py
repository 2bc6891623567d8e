"""`echo "export PATH=…:$PATH" > /etc/profile.d/cuda.sh`: the PATH of whoever runs it, written out for everybody."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.effects import Writes
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern

# Shells read them as each user logs in. /etc/environment is read by PAM, which expands nothing: there it is right.
_FOLDER, _FILES = "/etc/profile.d/", ("/etc/profile", "/etc/bash.bashrc", "/etc/bashrc", "/etc/zprofile")
_OF_ITS_WRITER = pattern(r"\b(?:echo|printf)\b[^\"'\n]*\"(?:[^\"\\]|\\.)*?\$(?:PATH\b|\{PATH\})", words=("PATH",))
_A_CONTAINER_FILE = pattern(r"(?i)(?:docker|container)file")


def paths_frozen(script: BootScript) -> Iterator[Writes]:
    """None of a container's: its users are one."""
    if _A_CONTAINER_FILE.search(script.place.file) is not None:
        return
    for each in written_for_everybody(script):
        if _OF_ITS_WRITER.search(each.command) is not None:
            yield each


def written_for_everybody(script: BootScript) -> Iterator[Writes]:
    for each in script.timeline.of(Writes):
        path = each.path.string
        if path.startswith(_FOLDER) or path in _FILES:
            yield each
