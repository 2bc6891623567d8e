"""Files as they lie in a repository: the facts that are found, and what rules say to them."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nodeworthy.collect.source.collector import look
from nodeworthy.collect.source.fleets import Fleets
from nodeworthy.engine import judge
from nodeworthy.rules import rule
from nodeworthy.scene import Scene
from nodeworthy.verdict import Finding, Verdict
from tests.facts.shown import shown

PARTS = (("is", "is_"), ("should", "should"), ("cause", "cause"), ("remedy", "remedy"))


def read_files(given: str) -> Iterator[str]:
    """Its first line names rules, and facts by their types; then each file begins with a line `== its/path`."""
    asked, _, rest = given.partition("\n")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        lay_out(rest, Path())
        looked = look(["."], Fleets(), frozenset())
        yield from looked.refusals()
        yield from told(looked.scenes, asked.split())


def lay_out(given: str, folder: Path) -> None:
    for part in f"\n{given}".split("\n== ")[1:]:
        path, _, text = part.partition("\n")
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"{text}\n", encoding="utf-8")


def told(scenes: list[Scene], asked: list[str]) -> Iterator[str]:
    kinds = [each for each in asked if each[0].isupper()]
    for scene in scenes:
        yield from (shown(fact) for name in kinds for fact in facts_named(scene, name))
    rules = [rule(each) for each in asked if each[0].islower()]
    for judgement in judge(scenes, rules, rule("rule-crashed")):
        if judgement.verdict is Verdict.SKIP:
            yield f"{judgement.rule.id} skip {shown(judgement.subject.place)}: {judgement.why}"
        elif not judgement.findings:
            yield f"{judgement.rule.id} {judgement.verdict} {shown(judgement.subject.place)}"
        yield from map(finding_in_words, judgement.findings)


def facts_named(scene: Scene, name: str) -> Iterator[Any]:
    """Those that were found; a type that nobody found is one that others make."""
    given = {each.__name__: each for each in scene.told.kinds}
    if name in given:
        yield from scene.told.of(given[name])
        return
    import sys

    for module in [each for key, each in sys.modules.items() if key.startswith("nodeworthy.facts.")]:
        kind = getattr(module, name, None)
        if isinstance(kind, type) and kind.__module__ == module.__name__:
            yield from scene.told.of(kind)


def finding_in_words(finding: Finding) -> str:
    related = [f"see {shown(each.place)}: {each.says}" for each in finding.related]
    parts = [f"{name}: {said}" for name, field in PARTS if (said := getattr(finding, field))]
    parts += [f"on: {', '.join(finding.on)}"] if finding.on else []
    parts += [f"victims: {', '.join(finding.victims)}"] if finding.victims else []
    parts += [f"edit: {shown(finding.edit)}"] if finding.edit is not None else []
    said = f"{finding.rule} {finding.severity} {finding.verdict} {shown(finding.where)} {finding.message}"
    return " | ".join([said, *parts, *related])
