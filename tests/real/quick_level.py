"""What the programs of the quick level print on a node of eight H100, of the cases of the rules that judge it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tests.case_files import whole

from .stand_in_kubelet import Object

WELL = (
    "gpu-computes-right/good-eight-alike",
    "decode-right/good-the-same",
    "ranks-agree/good-ddp",
    "gpu-as-asked/good-h100",
    "storage-fast-enough/good-as-promised",
)
# One GPU computes one bit otherwise than the others.
WRONG = ("gpu-computes-right/bad-one-bit", *WELL[1:])


def said_in(case: str) -> list[str]:
    lines = (whole(case) / "gpu-1.log").read_text(encoding="utf-8").splitlines()
    return [each for each in lines if each.startswith("{")]


def says(cases: Mapping[str, Sequence[str]]) -> Callable[[Object], list[str]]:
    """Each node the lines of its cases, which may be given others while it stands."""
    return lambda pod: [line for case in cases[pod["spec"]["nodeName"]] for line in said_in(case)]
