"""What a rule says to a script, read as `check` reads it."""

from __future__ import annotations

import textwrap

from nodeworthy.boot.unpack import unpack
from nodeworthy.engine import Judgement, judge
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.rule import Rule
from nodeworthy.rules.rule_crashed import RULE as CRASHED
from nodeworthy.scene import make_scene
from nodeworthy.verdict import Place


def read(text: str) -> BootScript:
    """A script whose shebang may be left out; its first line is then the second."""
    whole = textwrap.dedent(text).lstrip("\n")
    if not whole.startswith("#"):
        whole = f"#!/bin/bash\n{whole}"
    place = Place("user-data.sh")
    return BootScript(place, unpack(whole.encode(), place))


def said_of(rule: Rule, text: str) -> Judgement:
    (judgement,) = judge([make_scene([read(text)])], [rule], CRASHED)
    assert judgement.crashed is None, judgement.findings
    return judgement


def messages(rule: Rule, text: str) -> list[str]:
    """`7: nobody looks …` of everything that was found."""
    return [f"{found.where.line}: {found.message}" for found in said_of(rule, text).findings]
