"""The catalogue: one file per invariant. A file in this folder is a rule; nothing else registers it."""

from __future__ import annotations

import importlib
import pkgutil
import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

from nodeworthy.rule import Rule

# Of every rule, the facts that it judges: who has none of them need not import it. `make docs` writes it, and a rule
# that it does not know is imported.
SUBJECTS = Path(__file__).with_name("subjects.toml")


@cache
def ids() -> tuple[str, ...]:
    """The id of every rule, without importing any."""
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


def catalogue() -> tuple[Rule, ...]:
    """Every rule, by id."""
    return tuple(rule(each) for each in ids())


@cache
def rule(identifier: str) -> Rule:
    """The rule of this id. A module's RULE must carry the module's own name. Raises KeyError."""
    if identifier not in ids():
        raise KeyError(identifier)
    name = identifier.replace("-", "_")
    found: Rule = importlib.import_module(f"{__name__}.{name}").RULE
    if found.id != identifier:
        raise ValueError(f"rules/{name}.py holds the rule {found.id}; file and id must agree")
    return found


def is_about_ourselves(identifier: str) -> bool:
    """Most need not be imported for that: what they judge is written down."""
    return identifier not in _subjects() and rule(identifier).about_ourselves


def judging(kinds: Collection[type[Any]]) -> tuple[Rule, ...]:
    """The rules that have something to say where only facts of these kinds are, and those about ourselves."""
    named = {kind.__name__ for kind in kinds}
    subjects = _subjects()
    return tuple(rule(each) for each in ids() if each not in subjects or named.intersection(subjects[each]))


@cache
def _subjects() -> dict[str, list[str]]:
    return tomllib.loads(SUBJECTS.read_text(encoding="utf-8")) if SUBJECTS.exists() else {}


def subjects() -> str:
    """What stands in that file, as the rules are now."""
    lines = [
        f"{each.id} = {sorted({check.subject.__name__ for check in each.checks})!r}".replace("'", '"')
        for each in catalogue()
        if not each.about_ourselves
    ]
    return "\n".join(["# Written by `make docs`: of every rule, the facts that it judges.", *lines]) + "\n"
