"""Which hosts a run of `nodeworthy node` is about, and why there is none where there is none."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodeworthy.collect.node import specs
from nodeworthy.collect.node.durations import seconds
from nodeworthy.commands import node_options
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from nodeworthy.collect.node.reach import Reach
    from nodeworthy.commands.node_recheck import NotWell


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


def meant(options: argparse.Namespace, reach: Reach) -> Meant:
    """Raises InputError where nobody says which, or options do not go together."""
    _together(options)
    found = _meant(options, reach)
    node_options.refuse_beside(options, found.specs)
    return found


def _meant(options: argparse.Namespace, reach: Reach) -> Meant:
    if options.recheck:
        return _again(options)
    if options.selector or options.asg:
        return _selected(options, reach)
    if not options.hosts:
        raise InputError(f"no host is named: {', '.join(specs.OFFERED)}, --selector, --asg or --recheck REPORT")
    return Meant(specs.parse_all(options.hosts))


def _together(options: argparse.Namespace) -> None:
    node_options.refuse_idle(options)
    if options.recheck and (options.selector or options.asg):
        raise InputError("--recheck names its hosts itself: --selector and --asg are for a first look")
    if options.wait is not None:
        seconds(options.wait)  # an empty one is no wait that was left out
    for name, given in (("--selector", options.selector), ("--asg", options.asg)):
        if not all(each.strip() for each in given):
            raise InputError(f"{name} says nothing, and would mean all there are: name what it selects")


def _selected(options: argparse.Namespace, reach: Reach) -> Meant:
    """Beside those that are named."""
    from nodeworthy.collect.node.selecting import by_group, by_label

    found = [by_label(each, reach) for each in options.selector]
    found += [by_group(each, options.via or "ssm", reach) for each in options.asg]
    named = [*options.hosts, *(spec for each in found for spec in each.specs)]
    told = tuple(each.told for each in found)
    return Meant(specs.parse_all(named), "; ".join(told), told=told)


def _again(options: argparse.Namespace) -> Meant:
    from nodeworthy.commands.node_recheck import read

    not_well = read(options.recheck)
    if not not_well.pairs:
        return Meant((), not_well.nothing(), not_well)
    why_none = f"none of the hosts that are named was judged not well in {options.recheck}"
    named = specs.parse_all(options.hosts or not_well.specs())
    return Meant(named, why_none, not_well, (not_well.left_out(),))
