"""Recordings for tests: the real ones of the cases, and small ones of what a test is about."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from nodeworthy.collect.node.parts import READERS
from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.collect.node.script import Part
from nodeworthy.verdict import Place
from tests.case_files import whole

INCIDENT = whole("containerd-paths/bad-node-runtime-in-unused-containerd") / "gpu-01.json"
MENDED = whole("containerd-paths/good-node-runtime-in-kubelets-containerd") / "gpu-01.json"
EMPTY = whole("toolkit-reaches-containerd/bad-node-runtime-in-no-containerd") / "gpu-01.json"


T = TypeVar("T")


def part_of(recording: Recording, kind: type[T]) -> T:
    """This part of the node, which has to be there."""
    found = READERS[kind](recording, Place(host=recording.host))
    assert isinstance(found, kind), found
    return found


def told(**parts: str) -> Recording:
    """A host that says this; `process_7_kubelet` is the part `process 7 kubelet`."""
    return Recording("ssh://h1", tuple(part(name.replace("_", " "), text) for name, text in parts.items()))


def part(name: str, stdout: str = "", *, code: int = 0, stderr: str = "") -> Part:
    return Part(name, code, 0.01, stdout, stderr)


def but(recording: Recording, *changed: Part) -> Recording:
    """The same host, where these parts say something else."""
    by_name = {**recording.by_name, **{each.name: each for each in changed}}
    return replace(recording, parts=tuple(by_name.values()))


def without(recording: Recording, *names: str) -> Recording:
    return replace(recording, parts=tuple(each for each in recording.parts if each.name not in names))


def named(recording: Recording, beginning: str) -> list[Part]:
    return [each for each in recording.parts if each.name.startswith(beginning)]


def incident() -> Recording:
    return load(INCIDENT)
