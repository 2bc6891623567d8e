"""What a repair tells people: each change with its cause, what is only on paper, and what is left to them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from nodeworthy.collect.cluster.recording import keepable_part
from nodeworthy.repair.change import Change, Left, causes_told
from nodeworthy.repair.owner import Keeper
from nodeworthy.repair.way import OnPaper, ThroughHelm, Way
from nodeworthy.report.printable import printable


def way(number: int, one: Way) -> str:
    """A change as it is to be made."""
    lines = [f"{number}. {one.change.target}", f"   because {causes_told(one.change.causes)}", *_how(one)]
    return printable("\n".join(lines)) + "\n"


def _how(one: Way) -> Iterator[str]:
    if isinstance(one, OnPaper):
        yield f"   not applied: {one.why}"
        # A here-document ends only where its last word begins the line.
        yield from _command(one) if one.command else _indented(_for_people(one))
        return
    if isinstance(one, ThroughHelm):
        yield f"   through {one.owner.title} (revision {one.state.revision}, chart {one.chart}), in its current values:"
        now, then = ({"toolkit": {"env": env}} for env in (one.state.env, one.env))
        yield from _indented(diff(now, then, f"values of {one.owner.name}"))
        yield "   which makes of the object:"
    yield from _indented(_of_object(one.change))
    if isinstance(one, ThroughHelm):
        yield "   whatever declares the release (a values file, Pulumi, Terraform) must say so, too, or undoes it"


def _of_object(change: Change) -> str:
    return diff(change.was, change.becomes, str(change.target))


def _for_people(one: OnPaper) -> str:
    if one.change.target.kind != "ClusterPolicy":
        return _of_object(one.change)
    return f"{_in_git(one)}:\n{_values(one)}"


def _command(one: OnPaper) -> list[str]:
    return f"{one.command} <<'VALUES'\n{_values(one)}VALUES".splitlines()


def _values(one: OnPaper) -> str:
    return _as_yaml({"toolkit": {"env": one.env}})


def _in_git(one: OnPaper) -> str:
    owner = one.change.owner
    if owner is not None and owner.keeper is Keeper.FLUX and owner.kind == "HelmRelease":
        return f"in git, under spec.values of HelmRelease {owner.namespace}/{owner.name}"
    if owner is not None and owner.keeper is Keeper.ARGO:
        return f"in git, in the values of Application {owner.name} (spec.source.helm.valuesObject, or its values file)"
    return "in the operator's values, where they are kept"


def _indented(text: str) -> Iterator[str]:
    yield from (f"   {line}".rstrip() for line in text.splitlines())


def tell_left(some: Sequence[Left]) -> str:
    """What --fix does not understand, or must not touch, with its remedy."""
    lines = [f"{_count(len(some), 'finding')} that --fix does not mend:"]
    for each in some:
        found = each.finding
        lines.append(f"  {found.rule}: {found.sentence()} ({found.where})")
        lines += [f"    {each.why}"] if each.why else []
        lines += [f"    {found.remedy}"] if found.remedy else []
    return printable("\n".join(lines)) + "\n" if some else ""


def heading(ways: Sequence[Way]) -> str:
    on_paper = sum(isinstance(each, OnPaper) for each in ways)
    told = _count(len(ways) - on_paper, "change")
    return (
        f"{told}{f', {on_paper} more on paper' if on_paper else ''}\n" if ways else "nothing that --fix would change\n"
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def diff(before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> str:
    lines = difflib.unified_diff(
        _as_yaml(_telling(before)).splitlines(),
        _as_yaml(_telling(after)).splitlines(),
        f"{name} (now)",
        f"{name} (then)",
        lineterm="",
    )
    return printable("\n".join(lines))


def _telling(data: Mapping[str, Any]) -> dict[str, Any]:
    """The object without its status, which nobody writes by hand."""
    return {name: value for name, value in data.items() if name != "status"}


def _as_yaml(data: Any) -> str:
    return yaml.safe_dump(
        keepable_part(data), sort_keys=False, default_flow_style=False, allow_unicode=True, width=1000
    )
