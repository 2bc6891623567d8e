"""Which files are of one cluster: with them a file is judged, whichever of them somebody named.

A declared fleet is one cluster: what lies below its file is judged together. Where nothing is declared, what is judged
together is the folder of manifests, or the chart: two folders of one repository are as often two clusters as one, and
two device plugins in them would collide where they never meet. The files of a node are judged together with those that
lie under the same root.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.collect.source.files import STDIN, Source
from nodeworthy.collect.source.scope import Scopes

if TYPE_CHECKING:
    from nodeworthy.collect.source.fleets import Choice
    from nodeworthy.collect.source.groups import Member
    from nodeworthy.collect.source.one_file import Found

_CHART = "Chart.yaml"
# Where a node keeps what is read of it.
_OF_A_NODE = ("etc", "var", "usr", "lib", "run")


def domain_of(source: Source, found: Found, choice: Choice) -> str:
    """The name of the files that are judged together with this one."""
    fleet = fleet_of(choice)
    if fleet is not None:
        return fleet
    if source.shown == STDIN:
        return STDIN
    if found.root:
        return found.root
    if found.stacks or found.is_plan:  # what two templates make meets in no cluster
        return source.lies
    for each in found.node_files:
        if each.spot.root != source.lies:
            return f"{_absolute(each.spot.root)}{os.sep if each.spot.is_laid_out else ''}"
    for ufw in found.ufw:
        return f"{_absolute(ufw.root)}{os.sep}"
    return _chart_of(source) or os.path.dirname(source.lies)  # noqa: PTH120 - a path as text


def fleet_of(choice: Choice) -> str | None:
    """Where the fleet is declared by which a file is judged."""
    return (choice.fleet.place.path or "") if choice.fleet is not None else None


def files_of(domain: str, choice: Choice, members: Sequence[Member], scopes: Scopes) -> Iterator[Path]:
    """The files that may belong to it, whether they are judged or not."""
    if choice.fleet is not None:
        scoped = (each.source.scope for each in members)
        roots = dict.fromkeys(scope.root for scope in scoped if scope.root is not None)
        for root in roots:
            yield from scopes.below(root).files()
    elif domain.endswith(os.sep):
        for name in _OF_A_NODE:
            yield from scopes.below(Path(domain, name)).files()
        yield from scopes.below(Path(domain)).files_of_folder()
    elif domain != STDIN:
        folder = scopes.below(Path(domain))
        is_deep = Path(domain, _CHART).exists() or any(each.found.node_files for each in members)
        yield from folder.files() if is_deep else folder.files_of_folder()


def why_unlisted(domain: str, choice: Choice, members: Sequence[Member], scopes: Scopes) -> str:
    """Why some of those files were not looked at; empty where all were."""
    if choice.fleet is not None:
        return next(filter(None, (each.source.scope.unlisted for each in members)), "")
    return scopes.below(Path(domain)).unlisted if domain != STDIN else ""


def _absolute(root: str) -> str:
    return f"{os.sep}{root.strip(os.sep)}" if root.strip(os.sep) else ""


def _chart_of(source: Source) -> str | None:
    """The chart that it lies in: its templates and its values are one thing."""
    root = source.scope.root
    for folder in Path(source.lies).parents:
        if (folder / _CHART).is_file():
            return os.fspath(folder)
        if folder == root:
            break
    return None
