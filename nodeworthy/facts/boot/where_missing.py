"""Conditions by which a script asks whether a program is there, and installs it if not: after either it is there."""

from __future__ import annotations

from nodeworthy.boot.conditions import Condition, Guard
from nodeworthy.patterns import pattern

_IS_THERE = pattern(r"(?:\b(?:command[ \t]+-v|which|hash|type)(?:[ \t]+-\w+)*[ \t]+|/bin/)[\"']?(?P<name>[\w-]+)")
_ASKS_NO = pattern(r"(?:\[\[?|test)[ \t]+!")


def is_where_missing(condition: Condition, *names: str) -> bool:
    """`! command -v k3s`, `[ ! -x /usr/local/bin/kubeadm ]`: names of programs begin so."""
    asks_no = _ASKS_NO.match(condition.question.text) is not None
    asked = _IS_THERE.search(condition.question.text) if asks_no is (condition.answer == "yes") else None
    return asked is not None and asked["name"].startswith(names)


def but_where_missing(conditions: Guard, *names: str) -> Guard:
    return tuple(each for each in conditions if not is_where_missing(each, *names))
