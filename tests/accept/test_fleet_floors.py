"""What a fleet says of `accept`: typed, and refused with its place where it can't be."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.documents.yaml import read
from nodeworthy.fleet.model import Accept
from nodeworthy.fleet.read import Malformed, read_fleet
from nodeworthy.verdict import Place


def said(accept: str) -> Accept:
    text = f"cluster: {{name: x}}\npools: {{a: {{gpu: h100}}}}\naccept: {accept}"
    tree = read(text, Place(path="f.yaml"))
    assert tree is not None
    found = read_fleet(tree, None).accept
    assert found is not None
    return found


def test_all_that_it_may_say() -> None:
    found = said(
        "{gate: quick, image: I, python: /v/bin/python, scratch: /s, window: '22:00-06:00', maxAge: 7d, "
        "storage: {write: 1.5GB/s}, network: {download: 100MB/s}, floors: {h100: {all_reduce-8: 440, gemm-bf16: 600.5}}}"
    )
    assert (found.gate, found.image, found.scratch, found.window, found.max_age) == (
        "quick",
        "I",
        "/s",
        "22:00-06:00",
        "7d",
    )
    assert {key: value for key, (value, _) in found.floors.items()} == {
        ("", "write"): 1.5,
        ("", "download"): 0.1,
        ("H100", "all_reduce-8"): 440.0,
        ("H100", "gemm-bf16"): 600.5,
    }


def test_it_gates_nothing_by_itself() -> None:
    assert (said("{}").gate, said("{}").floors, said("{}").max_age) == ("none", {}, "30d")


@pytest.mark.parametrize(
    ("accept", "says"),
    [
        ("{gates: quick}", "3:10: accept.gates: there is no such key; did you mean gate?"),
        ("{gate: burn}", "3:16: accept.gate"),
        ("{storage: {write: 1.5}}", "3:27: accept.storage.write"),
        ("{storage: {write: 1.5Gbit/s}}", "3:27: accept.storage.write"),
        ("{network: {node: fast}}", "3:26: accept.network.node"),
        ("{maxAge: soon}", "3:18: accept.maxAge"),
        ("{floors: {h100: {all_reduce-8: 787.1}}}", "787 GB/s is what physics allows"),
        ("{floors: {h100: {all_reduce-8: none}}}", "must be a number more than nothing"),
        ("{floors: {h100: {all_reduce-8: 0}}}", "must be a number more than nothing"),
        ("{floors: {h100: {all-reduce-8: 440}}}", "did you mean all_reduce-8?"),
        ("{floors: {h1000: {copy: 1}}}", "h1000 is no GPU that we know"),
        ("{floors: {h100: 440}}", "must be a mapping from what is measured"),
        ("{floors: 440}", "accept.floors is 440, and must be a mapping"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(accept: str, says: str) -> None:
    with pytest.raises(Malformed) as refused:
        said(accept)
    assert says in str(refused.value)
    assert str(refused.value).startswith("f.yaml:3:")


def test_a_floor_at_the_limit_can_be() -> None:
    assert said("{floors: {h100: {all_reduce-8: 787}}}").floors["H100", "all_reduce-8"][0] == 787


def test_nothing_is_said_where_it_is_false(tmp_path: Path) -> None:
    tree = read("cluster: {name: x}\npools: {a: {gpu: h100}}\naccept: false", Place(path=str(tmp_path)))
    assert tree is not None
    assert read_fleet(tree, None).accept is None
