"""Which hosts a run of `nodeworthy node` is about: those named, those of a recheck, and why there is none."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nodeworthy.collect.node import specs
from nodeworthy.collect.node.durations import seconds
from nodeworthy.commands.node.options import refuse_beside, refuse_idle
from nodeworthy.engine import Judgement
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass
from nodeworthy.rule import Moment
from nodeworthy.rules import ids, is_about_ourselves
from nodeworthy.verdict import Verdict

if TYPE_CHECKING:
    from nodeworthy.collect.node.reach import Reach
    from nodeworthy.commands.node.options import Options


@dataclass(frozen=True)
class Meant:
    specs: Sequence[specs.Spec]
    # Where there is none.
    why_none: str = "there is no recording in the folder that was named"
    not_well: NotWell | None = None
    # What whoever asked should know of the choice.
    told: tuple[str, ...] = ()

    @property
    def only(self) -> frozenset[str] | None:
        return self.not_well.names if self.not_well else None


def meant_hosts(options: Options, reach: Reach) -> Meant:
    """Raises InputError where nobody says which, or options do not go together."""
    _together(options)
    found = _meant(options, reach)
    refuse_beside(options, found.specs)
    return found


def _meant(options: Options, reach: Reach) -> Meant:
    if options.recheck:
        return _again(options.recheck, options.hosts)
    if options.selector or options.asg:
        return _selected(options, reach)
    if not options.hosts:
        raise InputError(f"no host is named: {', '.join(specs.OFFERED)}, --selector, --asg or --recheck REPORT")
    return Meant(specs.parse_all(options.hosts))


def _together(options: Options) -> None:
    refuse_idle(options)
    if options.recheck and (options.selector or options.asg):
        raise InputError("--recheck names its hosts itself: --selector and --asg are for a first look")
    if options.wait is not None:
        seconds(options.wait)  # an empty one is no wait that was left out
    for name, given in (("--selector", options.selector), ("--asg", options.asg)):
        if not all(each.strip() for each in given):
            raise InputError(f"{name} says nothing, and would mean all there are: name what it selects")


def _selected(options: Options, reach: Reach) -> Meant:
    """The hosts that were selected, beside those that are named."""
    from nodeworthy.collect.node.selecting import select_by_group, select_by_label

    found = [select_by_label(each, reach) for each in options.selector]
    found += [select_by_group(each, options.via or "ssm", reach) for each in options.asg]
    named = [*options.hosts, *(spec for each in found for spec in each.specs)]
    told = tuple(each.told for each in found)
    return Meant(specs.parse_all(named), "; ".join(told), told=told)


def _again(report: str, hosts: Sequence[str]) -> Meant:
    not_well = read(report)
    if not not_well.pairs:
        return Meant((), not_well.nothing(), not_well)
    why_none = f"none of the hosts that are named was judged not well in {report}"
    named = specs.parse_all(hosts or not_well.specs())
    return Meant(named, why_none, not_well, (not_well.left_out(),))


SCHEMA = "nodeworthy/report/v1"
NOT_WELL = (Verdict.FAIL, Verdict.UNKNOWN, Verdict.ERROR)
LOCAL = "local://"
REPLAY = "replay:"


@dataclass(frozen=True)
class NotWell:
    """The verdicts that are asked for again, by host and rule, and how many there were."""

    path: str
    pairs: frozenset[tuple[str, str]]
    hosts: int
    verdicts: int

    @property
    def names(self) -> frozenset[str]:
        return frozenset(host for host, _ in self.pairs)

    def specs(self) -> list[str]:
        """How the hosts are reached, as far as the report tells: whoever needs a user names the host himself."""
        elsewhere = sorted(
            each for each in self.names if each.startswith(LOCAL) and each != f"{LOCAL}{platform.node()}"
        )
        if elsewhere:
            raise InputError(f"{self.path} is of another machine, {elsewhere[0]}: run it there, or name the host")
        strange = sorted(each for each in self.names if "?" in each or "@" in each)
        if strange:
            raise InputError(f"{self.path} names {strange[0]!r}, as no report of ours does: name the host yourself")
        return sorted(LOCAL if each.startswith(LOCAL) else each for each in self.names)

    def concerns(self, judgement: Judgement) -> bool:
        """What we say of ourselves always; a host that was not seen had no verdict, so all of its are asked for."""
        place = judgement.subject.place
        host = _host(place.host, place.path)
        whole = any((host, each) in self.pairs for each in _about_ourselves())
        return judgement.rule.about_ourselves or whole or (host, judgement.rule.id) in self.pairs

    def left_out(self) -> str:
        again, names = len(self.pairs), len(self.names)
        return (
            f"{self.path}: {again} of {self.verdicts} verdicts on {names} of {self.hosts} hosts were not well and are "
            f"asked for again; the other {max(0, self.verdicts - again)} are left out"
        )

    def nothing(self) -> str:
        return f"nothing was wrong in {self.path}, so there is nothing to look at again"


@cache
def _about_ourselves() -> frozenset[str]:
    return frozenset(each for each in ids() if is_about_ourselves(each))


def read(path: str) -> NotWell:
    """Raises InputError where it is no report of nodes."""
    report = _report(path)
    try:
        found = [each for each in report["findings"] if each["verdict"] in NOT_WELL and not each["suppressed"]]
        pairs = frozenset(_pairs(found))
        evaluated = report["evaluated"]
        return NotWell(path, pairs, int(evaluated.get("hosts", 0)), int(evaluated["verdicts"]))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as problem:
        raise InputError(f"{path} is a malformed report ({type(problem).__name__}: {problem})") from None


def _report(path: str) -> Mapping[str, Any]:
    try:
        data = json.loads(Path(path).read_bytes())
    except OSError as problem:
        raise InputError(f"can't read {path}: {problem.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path} is not JSON: --recheck takes what --format json has written") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise InputError(f"{path} is JSON, but no report ({SCHEMA})")
    if data.get("moment") != Moment.NODE.value:
        raise InputError(f"{path} is a report of another moment, {data.get('moment')!r}, and not of nodes")
    return data


def _pairs(findings: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    known = set(ids())
    for each in findings:
        host = _host(each["where"].get("host"), each["where"].get("path"))
        if each["rule"] not in known:
            raise InputError(f"there is no rule {each['rule']!r} here, which the report names")
        if host:
            yield host, each["rule"]


def _host(host: Any, path: Any) -> str:
    """A recording that could not be replayed is named by its path."""
    if not isinstance(host, str | None) or not isinstance(path, str | None):
        raise TypeError("a place is no text")
    return str(host or (f"{REPLAY}{path}" if path else ""))
