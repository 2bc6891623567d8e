"""Says once what was not read because it lies out of the tree that is looked at."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from nodeworthy.report.printable import on_one_line

if TYPE_CHECKING:
    from nodeworthy.collect.source.files import Source

# As many are named; how many there are is said of all.
_FIRST = 3


def tell_of_links(found: Iterable[Source]) -> None:
    _tell("links that lead out of the tree, and were not followed", [each.shown for each in found if each.leads_out])


def tell_of_named(paths: Iterable[str]) -> None:
    _tell("files that lie out of the tree of those that name them, and were not read", list(dict.fromkeys(paths)))


def _tell(what: str, paths: list[str]) -> None:
    if paths:
        more = f" and {len(paths) - _FIRST:,} more" if len(paths) > _FIRST else ""
        said = f"{what} ({len(paths):,}): {', '.join(paths[:_FIRST])}{more}; name one to have it read"
        print(f"nodeworthy check: {on_one_line(said)}", file=sys.stderr)
