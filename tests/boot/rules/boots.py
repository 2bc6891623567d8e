"""Boots told by hand: a timeline without the script that does it, and what a rule says to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nodeworthy.boot.conditions import Asks, Condition, Guard, Question
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import (
    Act,
    Effect,
    How,
    Installs,
    Joins,
    LoadsModule,
    NotUnderstood,
    Reboots,
    Runs,
    Stage,
    Unit,
    Writes,
)
from nodeworthy.boot.origin import Straight
from nodeworthy.boot.text import Hole, Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import Part, PartKind, UserData
from nodeworthy.engine import Judgement, judge
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.rule import Rule
from nodeworthy.rules import rule as whole
from nodeworthy.rules.rule_crashed import RULE as CRASHED
from nodeworthy.scene import make_scene
from nodeworthy.verdict import Place
from tests.fleet.reading import fleet_of

OPTION = "options nvidia NVreg_RestrictProfilingToAdminUsers=0"
NVPROF = "/etc/modprobe.d/nvprof.conf"


def at(line: int) -> Place:
    return Place("user-data.sh", line, 1)


def common(line: int, what: dict[str, Any]) -> dict[str, Any]:
    return {"place": at(line), "stage": Stage.SCRIPTS, **what}


def text(*pieces: str | Hole) -> Text:
    return Text.of(*pieces)


def hole(name: str) -> Hole:
    return Hole(f"${name}", f"{name} is set nowhere in this script")


def content(line: int, *lines: str | Text) -> Content:
    texts = [each if isinstance(each, Text) else Text.of(each) for each in lines]
    return Content(tuple(Line(each, at(line)) for each in texts))


def write(line: int, *lines: str | Text, path: str | Text = NVPROF, **what: Any) -> Writes:
    """A file as a whole; with `how=How.APPEND` a part of one that was there before."""
    whole = content(line, *lines)
    known = None if what.get("how") in (How.APPEND, How.EDIT, How.DELETE) else whole
    given = {"content": whole, "whole": known, **common(line, what)}
    return Writes(path=path if isinstance(path, Text) else Text.of(path), **given)


def delete(line: int, path: str = NVPROF, **what: Any) -> Writes:
    return Writes(path=Text.of(path), how=How.DELETE, **common(line, what))


def load(line: int, because: str = "the driver's package loads it", module: str = "nvidia", **what: Any) -> LoadsModule:
    return LoadsModule(module=module, because=because, **common(line, what))


def profiler(line: int = 1) -> Installs:
    """Who installs one wants to profile."""
    return Installs(manager="dnf", packages=(Text.of("nsight-compute-2025.3.0"),), **common(line, {}))


def unload(line: int, module: str = "nvidia", **what: Any) -> LoadsModule:
    return LoadsModule(module=module, because="rmmod unloads it", unloads=True, **common(line, what))


def unit(line: int, name: str, *acts: Act, **what: Any) -> list[Effect]:
    full = name if "." in name else f"{name}.service"
    return [Unit(unit=Text.of(full), act=act, **common(line, what)) for act in acts]


def joins(line: int, how: str = "nodeadm", **what: Any) -> Joins:
    return Joins(how=how, **common(line, what))


def runs(line: int, *arguments: str, **what: Any) -> Runs:
    return Runs(arguments=tuple(map(Text.of, arguments)), **common(line, {"command": " ".join(arguments), **what}))


def reboot(line: int, **what: Any) -> Reboots:
    return Reboots(**common(line, what))


def gap(line: int, words: str, **what: Any) -> NotUnderstood:
    return NotUnderstood(**{"written": words, "why": "it is no shell", **common(line, what)})


def given(asked: str, answer: str = "yes", *, asks: Asks = Asks.STATE, files: Sequence[str] = ()) -> Guard:
    return (Condition(Question(asked, at(1), asks, files=frozenset(files)), answer),)


def script(*effects: Effect | list[Effect], kind: PartKind = PartKind.SHELL, raw: str = "") -> BootScript:
    part = Part(kind, raw, Straight(at(1)), Stage.SCRIPTS)
    flat = [one for each in effects for one in (each if isinstance(each, list) else [each])]
    made = BootScript(at(1), UserData(at(1), (part,)))
    made.__dict__["timeline"] = Timeline(tuple(sorted(flat, key=lambda each: each.stage)))
    return made


def in_pool(pool: str, made: BootScript) -> BootScript:
    """The same script, as that of a pool: `gpu: h100\\n driver: ami`."""
    lines = "".join(f"\n      {line.strip()}" for line in pool.splitlines())
    fleet = fleet_of(f"cluster: {{name: a}}\npools:\n    a:{lines}\n")
    pools = tuple(BootPool(each, fleet) for each in fleet.pools)
    other = BootScript(made.place, made.read, pools=pools)
    other.__dict__["timeline"] = made.timeline
    return other


def judged(rule: Rule, made: BootScript) -> Judgement:
    (judgement,) = judge([make_scene([made])], [whole(rule.id)], CRASHED)
    assert judgement.crashed is None, judgement.findings
    return judgement


def verdict(rule: Rule, *effects: Effect | list[Effect], **what: Any) -> str:
    return judged(rule, script(*effects, **what)).verdict.value
