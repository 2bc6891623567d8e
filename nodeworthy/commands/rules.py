"""Lists the rules: id, severity, the moments at which each can be proven, title.

A rule's moments follow from what its checks ask for and from what is collected today.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from nodeworthy.rule import Rule

SCHEMA = "nodeworthy/rules/v1"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how the list is written")


def run(options: argparse.Namespace) -> int:
    from nodeworthy.rules import catalogue

    rules = catalogue()
    if options.format == "json":
        data = {"schema": SCHEMA, "rules": [_as_data(each) for each in rules]}
        print(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        print(_table(rules))
    return 0


def _moments(rule: Rule) -> list[str]:
    from nodeworthy.collect.moments import moments_of

    return [each.value for each in moments_of(rule)]


def _as_data(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "title": rule.title,
        "severity": rule.severity.value,
        "moments": _moments(rule),
        "incident": rule.incident,
        "remedy": rule.remedy,
    }


def _table(rules: tuple[Rule, ...]) -> str:
    from nodeworthy.report.table import aligned

    rows = [(each.id, each.severity.value, ", ".join(_moments(each)), each.title) for each in rules]
    return aligned(("id", "severity", "moments", "title"), rows)
