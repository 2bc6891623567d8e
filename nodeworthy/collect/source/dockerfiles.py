"""Dockerfiles of images that are nodes, or that bring what makes one: their RUN steps as the build of an image.

Of an image without a kubelet nothing is read: what an ordinary container has within it is no node's affair. A step
that fails ends the build, and its shell has no pipefail unless SHELL says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.effects import Installs
from nodeworthy.boot.unpack import unpack
from nodeworthy.collect.source.files import Source, any_text
from nodeworthy.facts.boot.kubelet_starts import package_name
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.known.kubelet import kubelet_packages
from nodeworthy.patterns import pattern
from nodeworthy.verdict import NotKnown, Place

_STEP = pattern(r"(?i)[ \t]*(RUN|ARG|ENV|SHELL)[ \t]+(.*)")
_OPTIONS = pattern(r"^(?:--\S{1,200}[ \t]+)+")
_SET = pattern(r"(?<!\w)([A-Za-z_]\w{0,80})(?:=[\"']?|[ \t]+)([\w.:/+~-]*)[\"']?")
_ARGUMENTS_ALONE = pattern(r"\[[ \t]*\"")


def script_of_steps(source: Source, data: bytes) -> BootScript | None:
    """None of an image without a kubelet."""
    place = Place(source.shown)
    lines = list(_as_shell(any_text(data)))
    read = unpack("\n".join(["#!/bin/bash -e", *lines[1:]]).encode(), place, template=False, name=source.path.name)
    script = BootScript(place, read, is_build=True, by_hand=True, on_ec2=False, surroundings=source.scope)
    return script if _brings_kubelet(script) else None


def _brings_kubelet(script: BootScript) -> bool:
    try:
        installed = [each for each in script.timeline.of(Installs) if not each.removes]
    except NotKnown:  # what can't be read of it is told of no image
        return False
    return any(package_name(name.shown()) in kubelet_packages() for each in installed for name in each.packages)


def _as_shell(text: str) -> Iterator[str]:
    """A line for each of its lines. Docker leaves comments out between the lines of a step, as a shell does not."""
    kind = ""
    for line in text.split("\n"):
        bare = line.strip()
        goes_on = kind != "" and (not bare or bare.startswith("#"))
        found = None if kind else _STEP.fullmatch(line)
        if found is not None:
            kind = found[1].upper()
            yield _first_line(kind, found[2])
        elif goes_on:
            yield "\\" if kind == "RUN" else ""
        else:
            yield line if kind == "RUN" else ""
        if not goes_on and not bare.endswith("\\"):
            kind = ""


def _first_line(kind: str, said: str) -> str:
    if kind == "RUN":
        bare = _OPTIONS.sub("", said, count=1) if said.startswith("--") else said
        return "" if _ARGUMENTS_ALONE.match(bare) else bare
    if kind == "SHELL":
        return "set -o pipefail" if "pipefail" in said else ""
    return "; ".join(f'{each[1]}="{each[2]}"' for each in _SET.finditer(said) if each[2])
