"""Of a rule that is a folder only those modules are imported that judge something that is there; nothing is forgotten."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict

import pytest

from nodeworthy.rule import Rule
from nodeworthy.rules import SUBJECTS, catalogue, name_of, subjects

# Each kind in a process that has imported no rule so far: which checks of it are there.
_ASKED = """
import importlib, json, os, sys
from nodeworthy.rules import judging, name_of
for name in sys.argv[1:]:
    if os.fork() == 0:
        module, _, kind = name.rpartition(".")
        asked = getattr(importlib.import_module(module), kind)
        there = [f"{rule.id}: {check.name}" for rule in judging([], {asked}) for check in rule.checks
                 if asked in (check.subject, check.unless)]
        print(json.dumps([name, sorted(there)]), flush=True)
        os._exit(0)
    os.wait()
"""


def _by_kind() -> dict[str, list[str]]:
    """All checks of rules that are folders, by what they judge and by what they give way to."""
    found: dict[str, list[str]] = defaultdict(list)
    for rule in catalogue():
        if len({check.function.__module__ for check in rule.checks}) > 1:
            for check in rule.checks:
                for kind in filter(None, (check.subject, check.unless)):
                    found[name_of(kind)].append(f"{rule.id}: {check.name}")
    return {name: sorted(checks) for name, checks in found.items()}


def test_every_check_is_there_for_what_it_judges() -> None:
    wanted = _by_kind()
    ran = subprocess.run([sys.executable, "-c", _ASKED, *wanted], capture_output=True, text=True, check=True)
    told = dict(json.loads(line) for line in ran.stdout.splitlines())
    assert [(name, each) for name, checks in wanted.items() for each in checks if each not in told[name]] == []


def test_what_is_judged_by_which_module_is_written_down() -> None:
    assert SUBJECTS.read_text(encoding="utf-8") == subjects()


@pytest.mark.parametrize("rule", catalogue(), ids=lambda rule: rule.id)
def test_checks_stand_in_one_order_whichever_module_came_first(rule: Rule) -> None:
    modules = [check.function.__module__ for check in rule.checks]
    assert modules == sorted(modules)
