"""An entry applies no longer only where the run has decided it: what stands in one file is often found through another."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.baseline.apply import Decided
from nodeworthy.baseline.file import BaselineEntry
from nodeworthy.engine import Judgement, Nothing
from nodeworthy.rule import Rule
from nodeworthy.verdict import Place, Severity, Verdict

RULE = Rule("gpu-exists", severity=Severity.ERROR, title="It exists", remedy="name one")
READ = Rule("input-readable", severity=Severity.ERROR, title="It can be read", remedy="mend it")
CRASH = Rule("rule-crashed", severity=Severity.ERROR, title="No rule crashes", remedy="report it")
ENTRY = BaselineEntry("Pulumi.prod.yaml", "gpu-exists")


def judged(verdict: Verdict, path: str | None, rule: Rule = RULE, crashed: str | None = None) -> Judgement:
    return Judgement(rule, Nothing(Place(path=path)), verdict, (), crashed=crashed)


@pytest.mark.parametrize(
    ("judgements", "is_decided"),
    [
        ([], True),
        ([judged(Verdict.PASS, ENTRY.path)], True),
        ([judged(Verdict.PASS, "values.yaml")], True),
        ([judged(Verdict.SKIP, "values.yaml")], False),
        ([judged(Verdict.SKIP, None)], False),
        ([judged(Verdict.SKIP, "values.yaml"), judged(Verdict.PASS, ENTRY.path)], True),
        ([judged(Verdict.UNKNOWN, ENTRY.path), judged(Verdict.PASS, ENTRY.path)], False),
        ([judged(Verdict.ERROR, ENTRY.path, CRASH, crashed=RULE.id)], False),
        ([judged(Verdict.ERROR, ENTRY.path, READ)], False),
        ([judged(Verdict.ERROR, "other.yaml", READ)], True),
    ],
)
def test_it_is_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judgements: list[Judgement], is_decided: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Decided(judgements, frozenset({RULE.id}), tmp_path).has(ENTRY) is is_decided


def test_a_rule_that_did_not_run_decides_nothing(tmp_path: Path) -> None:
    assert not Decided([], frozenset(), tmp_path).has(ENTRY)
