"""Fleets from text, as a stack's file has them."""

from __future__ import annotations

import textwrap

import pytest

from nodeworthy.documents.yaml import read
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.read import Malformed, read_fleet
from nodeworthy.verdict import Place

FILE = "Pulumi.dev.yaml"


def fleet_of(text: str) -> Fleet:
    """A bare fleet: `cluster` and `pools` at the top."""
    tree = read(textwrap.dedent(text), Place(path=FILE))
    assert tree is not None
    return read_fleet(tree, "dev")


def faults_of(text: str) -> list[str]:
    with pytest.raises(Malformed) as refused:
        fleet_of(text)
    return [line.removeprefix(f"{FILE}:") for line in str(refused.value).splitlines()]


def with_pool(*lines: str) -> str:
    """A fleet of one pool; the pool's first line is the fourth of the text."""
    return "cluster: {name: gpu-dev}\npools:\n  p:\n" + "".join(f"    {line}\n" for line in lines)


def with_cluster(*lines: str) -> str:
    return "pools: {p: {gpu: h100}}\ncluster:\n  name: gpu-dev\n" + "".join(f"  {line}\n" for line in lines)
