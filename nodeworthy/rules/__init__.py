"""The catalogue: one file per invariant, or a folder where one is large. What lies in this folder is a rule; nothing
else registers it."""

from __future__ import annotations

import importlib
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from nodeworthy.backstop import TookTooLong, call_bounded
from nodeworthy.derive import Facts, derivations, ways_to
from nodeworthy.known.tables import read_table
from nodeworthy.limits import SECONDS_TOGETHER
from nodeworthy.rule import Rule

# Of every module of every rule, the facts that it judges, and of what these are made: who has none of them need not
# import it. `make docs` writes it, and a rule that it does not know is imported whole.
SUBJECTS = Path(__file__).with_name("subjects.toml")
# Those of the engine's and the collectors' own findings.
CRASHED, UNUSED, LOOKED_AT = "rule-crashed", "suppression-unused", "looked-at"


@cache
def ids() -> tuple[str, ...]:
    """The id of every rule, without importing any."""
    return tuple(sorted(name.replace("_", "-") for name in _lie_in(__path__)))


def catalogue() -> tuple[Rule, ...]:
    """Every rule, by id."""
    return tuple(rule(each) for each in ids())


@cache
def rule(identifier: str) -> Rule:
    """All of the rule of this id. Raises KeyError."""
    found = first_module_of(identifier)
    for module in _modules(identifier):
        importlib.import_module(module)
    return found


@cache
def first_module_of(identifier: str) -> Rule:
    """The rule, with the checks of its first module alone. A module's RULE must carry the module's own name."""
    if identifier not in ids():
        raise KeyError(identifier)
    name = identifier.replace("-", "_")
    found: Rule = importlib.import_module(f"{__name__}.{name}").RULE
    if found.id != identifier:
        raise ValueError(f"rules/{name}.py holds the rule {found.id}; file and id must agree")
    return found


def _modules(identifier: str) -> Iterator[str]:
    """The modules of a rule that is a folder. Each has checks of one kind of subject, or what others share."""
    name = f"{__name__}.{identifier.replace('-', '_')}"
    for module in _lie_in(getattr(sys.modules[name], "__path__", ())):
        yield f"{name}.{module}"


def _lie_in(folders: Iterable[str]) -> Iterator[str]:
    """The modules in the order of their names: as `pkgutil` finds them, which reads Python's grammar for it."""
    for path in sorted(path for folder in folders for path in Path(folder).iterdir()):
        if path.suffix == ".py" and path.stem != "__init__":
            yield path.stem
        elif not path.suffix and (path / "__init__.py").is_file():
            yield path.name


def is_about_ourselves(identifier: str) -> bool:
    """Most need not be imported for that: what they judge is written down."""
    return identifier not in _judged() and rule(identifier).about_ourselves


def judging(
    told: Sequence[Facts], missing: Collection[type[Any]] = (), spoken_of: Collection[type[Any]] = ()
) -> tuple[Rule, ...]:
    """The rules that can say something here, plus the rules about ourselves. A rule can if a fact that it judges is
    there, or is known to be missing. Of a rule that is a folder, those modules are imported that can, or that judge
    what a scene speaks of without having it."""
    there = {name_of(kind) for kind in (*missing, *(kind for facts in told for kind in facts.kinds))}
    named = {name_of(kind) for kind in spoken_of}
    return tuple(found for each in ids() if (found := _that_can(each, there, told, named)) is not None)


def _that_can(identifier: str, there: set[str], told: Sequence[Facts], named: set[str]) -> Rule | None:
    if identifier not in _judged():
        return rule(identifier)
    modules = _judged()[identifier]
    can = [module for module, kinds in modules.items() if any(_is_there(kind, there, told) for kind in kinds)]
    if not can:
        return None
    found = first_module_of(identifier)
    for module in (*can, *(module for module, kinds in modules.items() if not named.isdisjoint(kinds))):
        importlib.import_module(module)
    return found


def _is_there(subject: str, there: set[str], told: Sequence[Facts]) -> bool:
    """Whether one of them was given, or is made of what was: only then is it worth to import what makes it."""
    if subject in there:
        return True
    if not any(there.issuperset(way) for way in _ways().get(subject, ())):
        return False
    module, _, name = subject.rpartition(".")
    kind = getattr(importlib.import_module(module), name)
    try:
        return any(call_bounded(facts.of, kind, seconds=SECONDS_TOGETHER) for facts in told)
    except TookTooLong:
        return True  # the engine says of which rule it is


def name_of(kind: type[Any]) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


@cache
def _subjects_table() -> dict[str, Any]:
    return read_table(SUBJECTS) if SUBJECTS.exists() else {}


@cache
def _judged() -> dict[str, dict[str, list[str]]]:
    """The modules of every rule, with what each judges."""
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for module, kinds in _subjects_table().get("judges", {}).items():
        name, _, _ = module.partition(".")
        found[name.replace("_", "-")][f"{__name__}.{module}"] = kinds
    return found


def _ways() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = _subjects_table().get("made_of", {})
    return found


def subjects() -> str:
    """What stands in that file, as the rules are now."""
    judged: dict[str, set[type[Any]]] = defaultdict(set)
    for each in (check for rule in catalogue() if not rule.about_ourselves for check in rule.checks):
        # Where a better fact is there, a check must be known to give way to it.
        judged[each.function.__module__.removeprefix(f"{__name__}.")] |= {each.subject, *filter(None, [each.unless])}
    made = {kind for kinds in judged.values() for kind in kinds if derivations(kind)}
    return "\n".join(
        [
            "# Written by `make docs`. Of every module of every rule, the facts that it judges.",
            "[judges]",
            *(f'"{module}" = {_listed(map(name_of, kinds))}' for module, kinds in sorted(judged.items())),
            "",
            "# Of those facts that others make: which others, each of these together.",
            "[made_of]",
            *(f'"{name_of(kind)}" = [{", ".join(_ways_of(kind))}]' for kind in sorted(made, key=name_of)),
            "",
        ]
    )


def _ways_of(kind: type[Any]) -> list[str]:
    return sorted(_listed(map(name_of, way)) for way in ways_to(kind) if kind not in way)


def _listed(names: Iterable[str]) -> str:
    return str(sorted(names)).replace("'", '"')
