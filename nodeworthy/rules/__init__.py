"""The catalogue: one file per invariant. A file in this folder is a rule; nothing else registers it."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from nodeworthy.rule import Rule


@cache
def catalogue() -> tuple[Rule, ...]:
    """Every rule, by id. A module's RULE must carry the module's own name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    rules = [importlib.import_module(f"{__name__}.{name}").RULE for name in names]
    for name, rule in zip(names, rules, strict=True):
        if rule.id != name.replace("_", "-"):
            raise ValueError(f"rules/{name}.py holds the rule {rule.id}; file and id must agree")
    return tuple(rules)


def rule(identifier: str) -> Rule:
    """The rule of this id. Raises KeyError."""
    return {each.id: each for each in catalogue()}[identifier]
