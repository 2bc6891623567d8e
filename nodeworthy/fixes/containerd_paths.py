"""A wrong path of containerd in the operator's values, or one that is missing: the finding names the right one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.fixes.edit import Edit, Fix, Left, NotMended
from nodeworthy.fixes.entries import appended, with_list
from nodeworthy.fixes.fault import Fault
from nodeworthy.fixes.scalar import replaced
from nodeworthy.fixes.text import Text
from nodeworthy.fixes.yaml_nodes import spot
from nodeworthy.known.toolkit import CONFIG, SOCKET
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Finding

# The rule's own words: where it says anything else, something else is to be done.
_SET = pattern(rf"set (?P<name>{CONFIG}|{SOCKET}) in toolkit\.env to (?P<path>/[^\s,]+)(?:, or leave it out.*)?")


def fixes(fault: Fault) -> Iterator[Fix | Left]:
    """Those that are not there are put there together: each of them would open the list anew."""
    missing: list[tuple[Finding, str]] = []
    for each in fault.findings:
        told = _SET.fullmatch(each.remedy or "")
        if told is None or told["path"] != each.should:
            yield Left(each, "its remedy is a decision")
        elif fault.is_doubtful:
            yield Left(each, "whether one path is right for every pool is not known")
        elif "is not set" in each.message:
            missing.append((each, told["name"]))
        else:
            yield fault.mended([each], f"Set {told['name']} to {told['path']}", _written)
    if missing:
        names = " and ".join(name for _, name in missing)
        yield fault.mended([each for each, _ in missing], f"Set {names} in toolkit.env", _missing)


def _written(text: Text, findings: Sequence[Finding]) -> list[Edit]:
    where = findings[0].where
    return [replaced(text, spot(text, where.line or 0, where.column or 0), findings[0].should or "", findings[0].is_)]


def _missing(text: Text, findings: Sequence[Finding]) -> list[Edit]:
    """The finding stands at `env`, or where there is none at what it belongs to."""
    where = findings[0].where
    if any((each.where.line, each.where.column) != (where.line, where.column) for each in findings):
        raise NotMended("they are missing in more than one place")
    at = spot(text, where.line or 0, where.column or 0)
    at.refuse_shared()
    above = at.within("mapping")
    pair = next((pair for pair in above[0].pairs() if pair[0] is at.node), None) if above else None
    if pair is None or pair[0].value not in ("env", "toolkit"):
        raise NotMended("there is no toolkit.env in this file to put it in")
    more = [_variable(each) for each in findings]
    if pair[0].value == "env":
        return appended(text, *pair, more, flow=any(each.flow for each in above))
    if pair[1].kind != "mapping" or pair[1].anchor or pair[1].tag:
        raise NotMended("what stands under toolkit is no mapping of its own")
    return with_list(text, pair[1], "env", more)


def _variable(finding: Finding) -> tuple[str, str]:
    told = _SET.fullmatch(finding.remedy or "")
    assert told is not None
    return told["name"], told["path"]
