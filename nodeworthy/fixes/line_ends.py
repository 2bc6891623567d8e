"""Windows line ends in a script, which nobody but cloud-init takes off, and what stands before its first byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.fixes.edit import Edit, Fix, Left
from nodeworthy.fixes.fault import Fault
from nodeworthy.fixes.text import Text
from nodeworthy.verdict import Finding


def fixes(fault: Fault) -> Iterator[Fix | Left]:
    for each in fault.findings:
        if "Windows line ends" in each.message:
            yield fault.mended([each], "Convert the line ends", _without_returns)
        elif each.remedy == "remove that line" and each.where.line == 1:
            yield fault.mended([each], "Remove the blank lines at the beginning", _from_the_first_byte)
        else:
            yield Left(each, "its remedy is a decision")


def _without_returns(text: Text, _: Sequence[Finding]) -> list[Edit]:
    return [Edit(0, len(text.text), text.text.replace("\r\n", "\n"))]


def _from_the_first_byte(text: Text, _: Sequence[Finding]) -> list[Edit]:
    return [Edit(0, len(text.text) - len(text.text.lstrip("\r\n \t")), "")]
