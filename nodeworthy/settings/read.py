"""Reads settings; what is malformed is refused with every fault and its place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from nodeworthy.documents.text_file import text_of
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.errors import InputError
from nodeworthy.fleet.read import Malformed
from nodeworthy.fleet.section import Fault, Faults, Section
from nodeworthy.fleet.walk import Walker
from nodeworthy.settings.declaration import SETTINGS
from nodeworthy.settings.model import LeftOut, Settings
from nodeworthy.verdict import Known, Located, Place

LIMIT = 1_000_000


def of_yaml(path: Path) -> Settings:
    shown = _shown(path)
    try:
        tree = read(text_of(path, shown, LIMIT, "settings"), Place(path=shown))
    except NotYaml as problem:
        raise InputError(str(problem)) from None
    return _settings(tree if tree is not None else Tree({}, Place(path=shown)), path, shown)


def of_pyproject(path: Path) -> Settings | None:
    from nodeworthy.settings.toml_tree import table_of

    shown = _shown(path)
    tree = table_of(text_of(path, shown, LIMIT, "settings"), Place(path=shown))
    return _settings(tree, path, shown) if tree is not None else None


def _settings(tree: Tree, path: Path, shown: str) -> Settings:
    faults = Faults()
    if not tree.is_mapping and not tree.is_null:
        raise Malformed([Fault(tree.place, f"the settings are {tree.kind()}, and should be a mapping")])
    section = Walker(faults).section(SETTINGS, tree, "")
    if faults.found:
        raise Malformed(faults.in_order())
    return Settings(
        path,
        shown,
        fleet=section.plain("fleet"),
        stack=section.plain("stack"),
        exclude=tuple(_plain(each) for each in section.items("exclude")),
        left_out=tuple(_left_out(each) for each in section.items("skip-rules")),
        strict=section.plain("strict"),
        allow_unknown=section.plain("allow-unknown"),
        rules=section.plain("rules"),
        baseline=section.plain("baseline"),
    )


def _left_out(section: Section) -> LeftOut:
    rule = section.located("rule")
    return LeftOut(_plain(rule), section.plain("why"), rule.place)


def _plain(located: Located[Any]) -> Any:
    if not isinstance(located.state, Known):
        raise Malformed([Fault(located.place, f"{located.place.subject} must be written plainly")])
    return located.state.value


def _shown(path: Path) -> str:
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
