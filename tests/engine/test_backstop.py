"""What computes for too long is given up and told, is never kept, and costs nobody else a verdict."""

from __future__ import annotations

import json
import re
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nodeworthy import backstop, engine, rules
from nodeworthy.backstop import TookTooLong, call_bounded, watch_time
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.collect.source import cache_stamps, cache_store, collector, one_file
from nodeworthy.collect.source.files import Source
from nodeworthy.engine import Judgement, judge
from nodeworthy.facts.not_seen import UnreadableInput
from nodeworthy.facts.operator import device_plugins
from nodeworthy.rule import Rule
from nodeworthy.rules import rule
from nodeworthy.scene import make_scene
from nodeworthy.verdict import Findings, Place, Severity, Verdict, fail
from tests.case_files import whole
from tests.run import run, run_json

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no such timer")
# What burns comes to its end by itself, so that a test without a backstop fails and does not hang.
BURNS = 6.0
SAID = "of computing, and was given up"
PINNED = "toolkit-version-pinned"
OWN_RULE = f'''\
"""The toolkit's image is pinned to a version."""

from __future__ import annotations

import time

from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need

RULE = Rule("{PINNED}", severity=Severity.WARNING, title="It is pinned", remedy="pin it")


@RULE.check
def it_is_a_released_version(values: OperatorValues) -> Findings:
    version = need(values.tree.get("toolkit", "version").located())
    until = time.process_time() + {BURNS}
    while version == "burns" and time.process_time() < until:
        pass
    if version == "latest":
        yield fail(values, "it is not pinned")
'''
VALUES = "driver: {{enabled: false}}\ntoolkit: {{enabled: true, version: {version}, env: []}}\n"
WAITING = whole("pending-explained/bad-cluster-all-held") / "dump"


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backstop, "SECONDS", 0.3)
    monkeypatch.setattr(backstop, "TICK", 0.05)


@pytest.fixture
def tree(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three files of values, of which one takes long; and a cache of its own that takes young files for settled."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr(cache_stamps, "COARSEST_NS", -60_000_000_000)
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    for name, version in (("a", "latest"), ("b", "burns"), ("c", "latest")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "values.yaml").write_text(VALUES.format(version=version))
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "toolkit_version_pinned.py").write_text(OWN_RULE)
    return tmp_path


def burn(seconds: float = BURNS) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def burning_at(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def slow(source: Source, rules: frozenset[str]) -> Any:
        if source.shown == name:
            burn()
        return function(source, rules)

    return slow


def kept() -> list[Path]:
    return sorted(cache_store.folder().glob("check-*.json"))


def places(findings: list[dict[str, Any]], of_rule: str) -> list[str]:
    return [each["where"]["path"] for each in findings if each["rule"] == of_rule]


def test_a_rule_that_takes_long_is_given_up_there_and_nowhere_else(tree: Path) -> None:
    for _ in range(2):
        ran = run_json("check", ".", "--rules", "rules", "--show-passed")
        assert places(ran.report["findings"], "rule-crashed") == ["b/values.yaml"], ran.report["findings"]
        (given_up,) = (each for each in ran.report["findings"] if each["rule"] == "rule-crashed")
        assert given_up["verdict"] == "error"
        assert given_up["message"].startswith(f"the rule {PINNED} was given up here, so nothing is known of it")
        assert SAID in given_up["message"]
        assert places(ran.report["findings"], PINNED) == ["a/values.yaml", "c/values.yaml"]
        # Other rules judge the same subject as ever.
        assert "b/values.yaml" in places(
            [each for each in ran.report["findings"] if each["verdict"] == "pass"], "toolkit-env-wellformed"
        )
        # A warning that was not judged is no clean end.
        assert ran.code == 3
        assert kept() == []
    (tree / "b" / "values.yaml").write_text(VALUES.format(version="latest"))
    assert run("check", ".", "--rules", "rules").code == 0
    assert len(kept()) == 1


def test_a_file_that_takes_long_is_not_judged_and_the_others_are(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "whats_in", burning_at("b/values.yaml", one_file.whats_in))
    for _ in range(2):
        ran = run_json("check", ".", "--rules", "rules", "--show-passed")
        assert places(ran.report["findings"], "input-readable") == ["b/values.yaml"]
        (told,) = (each for each in ran.report["findings"] if each["rule"] == "input-readable")
        assert (told["verdict"], ran.code) == ("error", 3)
        assert told["message"].startswith("it was not judged: it took longer than")
        assert {each["where"]["path"] for each in ran.report["findings"] if each["verdict"] == "pass"} == {
            "a/values.yaml",
            "c/values.yaml",
        }
        assert kept() == []


def test_one_that_was_named_is_a_mistake_of_the_call(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "whats_in", burning_at("b/values.yaml", one_file.whats_in))
    ran = run("check", "a/values.yaml", "b/values.yaml", "--rules", "rules")
    assert ran.code == 2
    assert "nodeworthy check: b/values.yaml: it was not judged: it took longer than" in ran.err
    assert "a/values.yaml" in ran.out
    assert kept() == []


def test_what_they_are_together_may_take_long(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    together = collector._scene

    def slow(found: Any, *others: Any) -> Any:
        if any(each.place.path == "b/values.yaml" for each in found.facts):
            burn()
        return together(found, *others)

    monkeypatch.setattr(collector, "_scene", slow)
    monkeypatch.setattr(collector, "SECONDS_TOGETHER", 0.3)
    ran = run_json("check", ".", "--rules", "rules")
    assert places(ran.report["findings"], "input-readable") == ["b/values.yaml"]
    assert ran.code == 3
    assert kept() == []


def test_what_they_make_together_may_take_long(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of one scene is told once for each rule that asks for it; what others make is judged."""
    advertisers = device_plugins._advertisers

    def slow(brought: Any) -> Any:
        if any(each.place.path == "b/values.yaml" for each in brought):
            burn()
        return advertisers(brought)

    monkeypatch.setattr(device_plugins, "_advertisers", slow)
    for module in (engine, rules):
        monkeypatch.setattr(module, "SECONDS_TOGETHER", 0.3)
    ran = run_json("check", ".")
    (told,) = (each for each in ran.report["findings"] if each["rule"] == "rule-crashed")
    assert told["where"]["path"] == "b/values.yaml"
    assert "what the rule one-device-plugin asks for was not put together" in told["message"]
    assert SAID in told["message"]
    assert ran.code == 3
    assert kept() == []


def test_evidence_that_takes_long_leaves_it_open_what_joins(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "a" / "more.yaml").write_text("# hami\nkind: DaemonSet\napiVersion: apps/v1\n")
    assert run("check", "a/values.yaml", "--no-cache").code == 0
    monkeypatch.setattr(one_file, "whats_in", burning_at("a/more.yaml", one_file.whats_in))
    ran = run_json("check", "a/values.yaml")
    (told,) = (each for each in ran.report["findings"] if "may join" in each["message"])
    assert (told["verdict"], told["where"]["path"], ran.code) == ("unknown", "a/values.yaml", 3)
    assert "a/more.yaml: it took longer than" in told["message"]


def test_in_a_cluster_a_rule_is_given_up(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = OWN_RULE.replace("operator.values import OperatorValues", "cluster.pending_causes import Waiting")
    text = text.replace("OperatorValues", "Waiting").replace(
        'need(values.tree.get("toolkit", "version").located())', '"burns"'
    )
    (tree / "rules" / "toolkit_version_pinned.py").write_text(text)
    ran = run_json("diagnose", "--from", str(WAITING), "--rules", "rules")
    crashed = [each for each in ran.report["findings"] if each["rule"] == "rule-crashed"]
    assert crashed
    assert all(PINNED in each["message"] and SAID in each["message"] for each in crashed)
    assert any(each["rule"] == "pending-explained" for each in ran.report["findings"])


def test_of_a_dump_a_file_is_given_up(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add = ClusterObjects.add

    def slow(seen: ClusterObjects, kind: Any, data: Any) -> None:
        if data["metadata"]["name"] == "slow":
            burn()
        add(seen, kind, data)

    monkeypatch.setattr(ClusterObjects, "add", slow)
    for kind, names in (("Node", ["n1"]), ("Pod", ["p1", "slow", "p2"]), ("Event", ["e1"])):
        items = [{"kind": kind, "apiVersion": "v1", "metadata": {"name": name, "namespace": "d"}} for name in names]
        (tree / f"{kind.lower()}s.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": items}))
    ran = run_json("diagnose", "--from", ".")
    (told,) = (each for each in ran.report["findings"] if each["rule"] == "input-readable")
    assert told["where"]["path"] == "pods.json"
    assert SAID in told["message"]
    assert told["message"].endswith("the 2 objects before that were used")
    assert ran.code == 3


def test_a_cluster_as_a_whole_is_given_up(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nodeworthy.collect.cluster import scenes
    from nodeworthy.commands import diagnose

    monkeypatch.setattr(scenes, "scenes", lambda *_: burn())
    monkeypatch.setattr(diagnose, "SECONDS_TOGETHER", 0.3)
    ran = run("diagnose", "--from", str(WAITING))
    assert (ran.code, ran.out) == (3, "")
    assert "nodeworthy diagnose: what was read of the cluster was not judged: it took longer than" in ran.err


def _asking(name: str, asked: list[str]) -> Rule:
    made = Rule(name, severity=Severity.WARNING, title="a", remedy="b")

    @made.check
    def it_is_asked(one: UnreadableInput) -> Findings:
        asked.append(f"{name} {one.why}")
        if one.why == "slow":
            burn()
        yield fail(one, "found")

    return made


def test_where_two_rules_were_given_up_it_is_the_subject() -> None:
    asked: list[str] = []
    names = ("first", "second", "third")
    subjects = [UnreadableInput(Place(path=why), why) for why in ("slow", "fast")]
    with watch_time() as watch:
        made = judge([make_scene(subjects)], [_asking(name, asked) for name in names], rule("rule-crashed"))
    assert watch.stops == 2
    assert asked == ["first slow", "first fast", "second slow", "second fast", "third fast"]
    slow = [each for each in made if each.subject is subjects[0]]
    assert [(each.verdict, each.crashed) for each in slow] == [(Verdict.ERROR, name) for name in names]
    assert "the rule third was not asked here" in _said(slow[2])
    assert [each.verdict for each in made if each.subject is subjects[1]] == [Verdict.FAIL] * 3


def _said(judgement: Judgement) -> str:
    return judgement.findings[0].message


def test_of_many_each_has_less() -> None:
    with watch_time() as watch:
        watch.stops = 9
        for most in (0.3, 0.03):
            with pytest.raises(TookTooLong):
                call_bounded(burn)
            assert watch.most == pytest.approx(most)


def test_a_large_one_may_take_longer() -> None:
    def large() -> str:
        backstop.allow(BURNS)
        burn(0.6)
        return "read"

    with watch_time():
        assert call_bounded(large) == "read"


def test_who_catches_everything_is_given_up_at_the_next_tick() -> None:
    def stubborn() -> None:
        try:
            burn()
        except BaseException:  # noqa: BLE001 - as a finaliser does
            burn()

    with watch_time(), pytest.raises(TookTooLong):
        call_bounded(stubborn)


def test_a_pattern_is_given_up_too() -> None:
    with watch_time(), pytest.raises(TookTooLong):
        call_bounded(re.search, "(a+)+b", "a" * 40)


def test_what_is_done_between_has_no_bound() -> None:
    with watch_time() as watch:
        call_bounded(burn, 0.1)
        burn(0.6)
    assert watch.stops == 0


def test_in_another_thread_nothing_is_given_up() -> None:
    done: list[int] = []

    def judged() -> None:
        with watch_time() as watch:
            call_bounded(burn, 0.6)
            done.append(watch.stops)

    thread = threading.Thread(target=judged)
    thread.start()
    thread.join()
    assert done == [0]


def test_another_thread_is_not_what_is_counted_by_its_pieces() -> None:
    """It may compute while the first one does, and nothing of it ends."""
    with watch_time():
        thread = threading.Thread(target=lambda: call_bounded(burn, 0.6))
        thread.start()
        thread.join()
        call_bounded(burn, 0.1)


def test_whoever_uses_the_timer_keeps_it() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGPROF, lambda number, _: heard.append(number))
    try:
        with watch_time():
            call_bounded(burn, 0.6)
            assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
    finally:
        signal.signal(signal.SIGPROF, before)


def test_nothing_is_left_behind() -> None:
    with watch_time():
        assert signal.getitimer(signal.ITIMER_PROF)[1] > 0
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
    assert signal.getsignal(signal.SIGPROF) is signal.SIG_DFL


def test_it_is_told_in_whole_seconds() -> None:
    assert TookTooLong(20.0).why == "it took longer than 20 s of computing, and was given up"
