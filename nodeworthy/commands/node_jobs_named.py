"""Which nodes the command line of `--in-cluster` names itself, beside labels and pools."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodeworthy.errors import InputError
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from nodeworthy.collect.node.specs import Spec
    from nodeworthy.commands.node_recheck import NotWell


@dataclass(frozen=True)
class Named:
    specs: Sequence[Spec]
    not_well: NotWell | None = None


def named(options: argparse.Namespace) -> Named:
    """Raises InputError where nobody says which nodes, or where they are no nodes of one cluster."""
    from nodeworthy.collect.node.specs import parse_all

    not_well = None
    texts: Sequence[str] = options.hosts
    if options.recheck:
        from nodeworthy.commands.node_recheck import read

        if options.selector:
            raise InputError("--recheck names its hosts itself: --selector is for a first look")
        not_well = read(options.recheck)
        texts = texts or not_well.specs()
    elif not (texts or options.selector or options.fleet or options.stack):
        raise InputError("no node is named: node://NAME, --selector LABEL=VALUE, --fleet FILE or --recheck REPORT")
    if not all(each.strip() for each in options.selector):
        raise InputError("--selector says nothing, and would mean all there are: name what it selects")
    specs = parse_all(texts)
    for each in specs:
        if each.scheme != "node" or "?" in each.text:
            raise InputError(f"--in-cluster is about nodes of one cluster: {each.text} is not node://NAME")
    return Named(specs, not_well)
