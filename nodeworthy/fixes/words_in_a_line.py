"""A word of a line that the finding names, and names what it should be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.fixes.edit import Edit, Fix, Left, NotMended
from nodeworthy.fixes.fault import Fault
from nodeworthy.fixes.scalar import replaced
from nodeworthy.fixes.text import Text
from nodeworthy.fixes.yaml_nodes import spot
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Finding

_OPTIONS = pattern(r"add (?:nofail|_netdev|nofail,_netdev) to its options")


def mount_options(fault: Fault) -> Iterator[Fix | Left]:
    """The options of a line of fstab, wherever the line stands."""
    for each in fault.findings:
        if _OPTIONS.fullmatch(each.remedy or ""):
            yield fault.mended([each], (each.remedy or "").capitalize(), _options)
        else:
            yield Left(each, "its remedy is a decision")


def _options(text: Text, findings: Sequence[Finding]) -> list[Edit]:
    number, was, new = findings[0].where.line or 0, findings[0].is_ or "", findings[0].should or ""
    line = text.line(number)
    at = line.find(was)
    alone = at > 0 and line.count(was) == 1 and line[at - 1].isspace() and line[at + len(was) :][:1].isspace()
    if not was or not new.startswith(f"{was},") or not alone:
        raise NotMended("its options do not stand in this line as they are known")
    end = text.start(number) + at + len(was)
    return [Edit(end, end, new.removeprefix(was))]


def policies(fault: Fault) -> Iterator[Fix | Left]:
    """A policy of HAMi that is spelt otherwise."""
    for each in fault.findings:
        if each.remedy == f"write {each.should}" and " " not in (each.should or " "):
            yield fault.mended([each], f"Write {each.should}", _word)
        else:
            yield Left(each, "its remedy is a decision")


def _word(text: Text, findings: Sequence[Finding]) -> list[Edit]:
    where = findings[0].where
    return [replaced(text, spot(text, where.line or 0, where.column or 0), findings[0].should or "", findings[0].is_)]
