"""Lists the rules: id, severity, the moments at which each can be proven, title. Those of your own are among them.

A rule's moments follow from what its checks ask for and from what is collected today.
`rules test DIR` tries the rules of a folder on their cases, DIR/cases/<rule-id>/{bad,good,unknown}-<name>/: a bad one
must fail, a good one pass, an unknown one not be known. Its exit codes: 0 every promise is kept, 1 one is not or a
kind of case is missing, 2 usage or input, 3 a rule could not be loaded, a case not be run, or there is none.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from nodeworthy.commands import settled
from nodeworthy.errors import InputError
from nodeworthy.report.printable import escape_json, printable
from nodeworthy.rule import Rule

if TYPE_CHECKING:
    from nodeworthy.own_rules.load import OwnRules

SCHEMA = "nodeworthy/rules/v1"


class Options(settled.Options):
    what: str | None
    folder: str | None
    update: bool
    format: str


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="?", choices=("test",), help="test: tries the rules of a folder on their cases")
    parser.add_argument("folder", nargs="?", metavar="DIR", help="of test: the folder (that of the settings)")
    parser.add_argument("--update", action="store_true", help="of test: write the expected.json of each case anew")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how it is written")
    settled.configure(parser)


def run(options: Options) -> int:
    if options.what == "test":
        return _test(options)
    if options.update:
        raise InputError("--update is of `rules test`")
    return _list(options)


def _list(options: Options) -> int:
    from nodeworthy.rules import catalogue

    own = settled.own_here(options)
    theirs = own.rules if own is not None else ()
    rules = tuple(sorted((*catalogue(), *theirs), key=lambda rule: rule.id))
    if options.format == "json":
        data = {"schema": SCHEMA, "rules": [_as_data(each, own) for each in rules]}
        print(escape_json(json.dumps(data, indent=2, ensure_ascii=False)))
    else:
        print(printable(_table(rules, own)))
    for broken in own.broken if own is not None else ():
        told = f"nodeworthy rules: {broken.place}: {broken.id} can't be loaded: {broken.why}"
        print(printable(told), file=sys.stderr)
    return 0


def _test(options: Options) -> int:
    from nodeworthy.own_rules.trial import exit_code, trial, tried_as_data, tried_text

    own = settled.own_here(options, options.folder)
    if own is None:
        raise InputError("name the folder of the rules: nodeworthy rules test DIR")
    tried = trial(own, update=options.update)
    if options.format == "json":
        print(escape_json(json.dumps(tried_as_data(tried), indent=2)))
    else:
        sys.stdout.write(printable(tried_text(tried)))
    return exit_code(tried)


def _moments(rule: Rule) -> list[str]:
    from nodeworthy.collect.collected import moments_of

    return [each.value for each in moments_of(rule)]


def _is_own(rule: Rule, own: OwnRules | None) -> bool:
    return own is not None and rule in own.rules


def _as_data(rule: Rule, own: OwnRules | None) -> dict[str, Any]:
    return {
        "id": rule.id,
        "title": rule.title,
        "severity": rule.severity.value,
        "moments": _moments(rule),
        "incident": rule.incident,
        "remedy": rule.remedy,
        "own": _is_own(rule, own),
    }


def _table(rules: tuple[Rule, ...], own: OwnRules | None) -> str:
    from nodeworthy.report.table import align_columns

    rows = [(each.id, each.severity.value, ", ".join(_moments(each)), _titled(each, own)) for each in rules]
    return align_columns(("id", "severity", "moments", "title"), rows)


def _titled(rule: Rule, own: OwnRules | None) -> str:
    return f"{rule.title} (your own)" if _is_own(rule, own) else rule.title
