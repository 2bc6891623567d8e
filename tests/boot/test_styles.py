"""Twenty boot scripts in the styles that are public, and what was expected of each before it was read.

An expected effect is `STAGE LINE[?] VERB SUBJECT`: the line of the command or of one of its call sites, a `?` where it
happens only under a condition, and the first words of what it happens to. They come in this order, among others.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.boot.effects import Effect, NotUnderstood, Writes
from nodeworthy.boot.read import timeline_of
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.unpack import unpack
from nodeworthy.verdict import Place
from tests.boot.effect_words import words
from tests.run import run_json

STYLES = sorted(path.parent for path in Path(__file__).parent.glob("styles/*/expected.toml"))
# The catalogue's first table: what boot scripts are judged by.
RULES = {
    "profiling-before-driver",
    "kubelet-survives-reboot",
    "user-data-format",
    "user-data-size",
    "joins-its-cluster",
    "registry-trusted",
    "registry-resolvable",
    "containerd-config-read",
    "containerd-edit-survives",
    "fabric-manager-runs",
    "one-driver",
    "heredoc-expands-late",
    "failure-is-loud",
    "no-secret-in-plain-sight",
    "shared-storage-mounted",
}


@dataclass(frozen=True)
class Expected:
    """One line of what was expected."""

    written: str
    stage: str
    line: int
    conditional: bool
    words: tuple[str, ...]

    @staticmethod
    def of(written: str) -> Expected:
        stage, line, *said = written.split() if not written[0].isdigit() else ["", *written.split()]
        return Expected(written, stage, int(line.rstrip("?")), line.endswith("?"), tuple(said))

    def is_met_by(self, effect: Effect) -> bool:
        if self.stage and self.stage != effect.stage.name:
            return False
        if self.line not in _lines(effect) or (self.stage and self.conditional is not _is_conditional(effect)):
            return False
        verb, *subject = self.words
        done, subjects = words(effect)
        told = " ".join(subject)
        # A subject that ends in a slash is only the beginning of one.
        begins = told if told.endswith("/") else f"{told} "
        return verb == done and any(each == told or each.startswith(begins) for each in subjects)


@pytest.fixture(params=STYLES, ids=lambda path: path.name)
def style(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.param
    return folder


def test_there_are_twenty() -> None:
    assert len(STYLES) == 20


def test_effects_are_those_that_were_expected(style: Path) -> None:
    expected, timeline = _expected(style), _timeline(style)
    missing = list(_missing([Expected.of(each) for each in expected.get("effects", ())], timeline.effects))
    for each in map(Expected.of, expected.get("anywhere", ())):
        missing += [] if any(each.is_met_by(effect) for effect in timeline.effects) else [each.written]
    assert not missing, _shown(timeline)


def test_files_hold_what_was_expected(style: Path) -> None:
    timeline = _timeline(style)
    for path, lines in _expected(style).get("files", {}).items():
        written = [each for each in timeline.of(Writes) if each.path.known == path]
        assert written, path
        content = written[-1].whole or written[-1].content
        assert content is not None, path
        assert [_with_holes(line.text) for line in content.lines] == lines


def test_rules_find_what_was_expected_and_no_more(style: Path, tmp_path: Path) -> None:
    expected = _expected(style)
    # Outside of this repository, whose own fleet would else be the one to judge by.
    alone = shutil.copytree(style, tmp_path / style.name)
    fleet = ("--fleet", expected["fleet"]) if "fleet" in expected else ()
    report = run_json("check", expected["file"], *fleet, cwd=alone).report
    found = [each for each in report["findings"] if each["rule"] in RULES]
    for verdict, rules in (("fail", expected.get("fails", {})), ("unknown", expected.get("unknown", {}))):
        told = [each for each in found if each["verdict"] == verdict]
        assert {each["rule"] for each in told} == set(rules), told
        for each in told:
            assert set(rules[each["rule"]]) <= _both_ends(each, expected["file"]), each
    assert not [each for each in report["findings"] if each["verdict"] == "error"]


def test_nothing_else_is_not_understood(style: Path) -> None:
    gaps = [gap.place.line for gap in _timeline(style).of(NotUnderstood)]
    assert gaps == _expected(style).get("not_understood", [])


def _expected(style: Path) -> dict[str, Any]:
    return tomllib.loads((style / "expected.toml").read_text(encoding="utf-8"))


def _timeline(style: Path) -> Timeline:
    name = _expected(style)["file"]
    return timeline_of(unpack((style / name).read_bytes(), Place(path=name), name=name))


def _missing(expected: Iterable[Expected], effects: Sequence[Effect]) -> Iterator[str]:
    """Those that do not come in their turn."""
    at = 0
    for each in expected:
        found = next((index for index in range(at, len(effects)) if each.is_met_by(effects[index])), None)
        if found is None:
            yield each.written
        else:
            at = found


def _lines(effect: Effect) -> set[int | None]:
    """Where it stands and from where it was called; of a packed text, the line in that text too."""
    places = (effect.place, *effect.via)
    return {place.line for place in places} | {place.within for place in places}


def _is_conditional(effect: Effect) -> bool:
    return any(not each.is_expected for each in effect.conditions)


def _with_holes(text: Text) -> str:
    return "".join(piece if isinstance(piece, str) else "?" for piece in text.pieces)


def _both_ends(finding: dict[str, Any], name: str) -> set[int]:
    return {place["line"] for place in (finding["where"], *finding["related"]) if place.get("path") == name}


def _shown(timeline: Timeline) -> str:
    return "\n".join(
        f"{each.stage.name} {each.place.line}{'?' if _is_conditional(each) else ''} {words(each)}"
        for each in timeline.effects
    )
