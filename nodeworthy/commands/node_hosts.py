"""Which hosts a run of `nodeworthy node` is about, and why there is none where there is none."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nodeworthy.collect.node import specs
from nodeworthy.errors import InputError

if TYPE_CHECKING:
    from nodeworthy.commands.node_recheck import NotWell


@dataclass(frozen=True)
class Meant:
    specs: Sequence[specs.Spec]
    # Where there is none.
    why_none: str = "there is no recording in the folder that was named"
    not_well: NotWell | None = None

    @property
    def only(self) -> frozenset[str] | None:
        return self.not_well.names if self.not_well else None


def meant(options: argparse.Namespace) -> Meant:
    """Raises InputError where nobody says which."""
    if options.recheck:
        return _again(options)
    if not options.hosts:
        raise InputError(f"no host is named: {', '.join(specs.OFFERED)}, or --recheck REPORT.json")
    return Meant(specs.parse_all(options.hosts))


def _again(options: argparse.Namespace) -> Meant:
    from nodeworthy.commands.node_recheck import read

    not_well = read(options.recheck)
    if not not_well.pairs:
        return Meant((), not_well.nothing(), not_well)
    why_none = f"none of the hosts that are named was judged not well in {options.recheck}"
    return Meant(specs.parse_all(options.hosts or not_well.specs()), why_none, not_well)
