"""The keys of the settings, and how they are read; what is malformed is refused with every fault and its place."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nodeworthy.documents.files import text_of
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.errors import InputError
from nodeworthy.fleet.read import Malformed
from nodeworthy.fleet.shape import Field, Items, Record, Text, Truth
from nodeworthy.fleet.walk import FleetFault, FleetFaults, Section, Walker
from nodeworthy.settings.model import LeftOut, Settings
from nodeworthy.verdict import Known, Located, Place

LIMIT = 1_000_000


def settings_of_yaml(path: Path) -> Settings:
    shown = _shown_path(path)
    try:
        tree = read(text_of(path, shown, LIMIT, "settings"), Place(path=shown))
    except NotYaml as problem:
        raise InputError(str(problem)) from None
    return _settings(tree if tree is not None else Tree({}, Place(path=shown)), path, shown)


def settings_of_pyproject(path: Path) -> Settings | None:
    shown = _shown_path(path)
    tree = _table_of(text_of(path, shown, LIMIT, "settings"), Place(path=shown))
    return _settings(tree, path, shown) if tree is not None else None


def _settings(tree: Tree, path: Path, shown: str) -> Settings:
    faults = FleetFaults()
    if not tree.is_mapping and not tree.is_null:
        raise Malformed([FleetFault(tree.place, f"the settings are {tree.kind()}, and should be a mapping")])
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
        raise Malformed([FleetFault(located.place, f"{located.place.subject} must be written plainly")])
    return located.state.value


def _shown_path(path: Path) -> str:
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


TABLE = ("tool", "nodeworthy")
# tomllib takes the square of a key's length, and nobody's project is that long.
LONGEST = 1_000_000
_Positions = Mapping[tuple[str, ...], tuple[int, int]]


def _table_of(text: str, origin: Place) -> Tree | None:
    """None where there is no such table."""
    import tomllib

    from nodeworthy.boot.toml_positions import key_positions

    if len(text) > LONGEST:
        raise InputError(f"{origin.path} is larger than a pyproject.toml may be: {LONGEST // 1_000_000} MB")
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise InputError(f"{origin.path} is no TOML, and may hold settings: {problem}") from None
    tools = document.get(TABLE[0])
    if not isinstance(tools, dict) or TABLE[1] not in tools:
        return None
    return _tree(tools[TABLE[1]], TABLE, origin, key_positions(text))


def _tree(value: Any, path: tuple[str, ...], above: Place, positions: _Positions) -> Tree:
    line, column = positions.get(path, (above.line, above.column))
    place = Place(path=above.path, line=line, column=column)
    if isinstance(value, Mapping):
        children = {name: _tree(child, (*path, name), place, positions) for name, child in value.items()}
        return Tree(children, place, place)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return Tree([_tree(child, path, place, positions) for child in value], place, place)
    return Tree(value if isinstance(value, (str, int, float, bool)) else str(value), place, place)


_NOT_BLANK = r"[\s\S]*\S[\s\S]*"
_RULE = Text("the id of a rule, such as gpu-quantity", pattern=r"[a-z0-9]+(-[a-z0-9]+)*")


def _fault_of_pattern(pattern: str) -> str | None:
    """What would match nothing, or something else than its writer thought."""
    if not pattern.strip("/ "):
        return "must be a path or a pattern, such as third_party/**"
    if pattern.startswith("!"):
        return "must not begin with '!': what was excluded can't be taken in again"
    if ".." in pattern.split("/"):
        return "must not hold '..': it is about what lies beside these settings, or below"
    return None


SKIPPED = Record(
    "A rule that is left out",
    {
        "rule": Field(_RULE, "its id", required=True, example="gpu-quantity", decides=True),
        "why": Field(
            Text("a reason", pattern=_NOT_BLANK),
            "why it is left out; every report says so",
            required=True,
            decides=True,
        ),
    },
)

SETTINGS = Record(
    "The settings",
    {
        "fleet": Field(
            Text("a path", pattern=_NOT_BLANK),
            "the fleet to judge by, a path from these settings on",
            example="Pulumi.prod.yaml",
            decides=True,
        ),
        "stack": Field(
            Text("a name", pattern=_NOT_BLANK), "the stack whose fleet it is, where several lie here", decides=True
        ),
        "exclude": Field(
            Items(Text("a pattern", fault=_fault_of_pattern)),
            "what `check` leaves out of folders: a name at any depth, or a path from these settings on; "
            "`*` is anything but a slash, `**` any depth. A file that is named is looked at all the same",
            example=["third_party", "charts/**/generated-*.yaml"],
        ),
        "skip-rules": Field(Items(SKIPPED), "rules that are left out, each with a reason"),
        "strict": Field(Truth(), "warnings change the exit code, as with `--strict`", default=False, decides=True),
        "allow-unknown": Field(
            Truth(),
            "what is unknown does not change the exit code, as with `--allow-unknown`",
            default=False,
            decides=True,
        ),
        "rules": Field(
            Text("a path", pattern=_NOT_BLANK),
            "the folder of your own rules, a path from these settings on. What lies in it is run",
            example="nodeworthy_rules",
            decides=True,
        ),
        "baseline": Field(
            Text("a path", pattern=_NOT_BLANK),
            "the baseline, a path from these settings on (`.nodeworthy-baseline.json`, here or in a folder above)",
            decides=True,
        ),
    },
)
