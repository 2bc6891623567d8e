"""The page on what rules need names every fact that a check asks for, and no more; and what it says of a fleet's is so."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest

from nodeworthy.collect.collected import COLLECTED
from nodeworthy.fleet.declaration import FLEET, POOL
from nodeworthy.own_rules.cases import case_at
from nodeworthy.rule import Many
from nodeworthy.rules import catalogue
from tests.architecture.tree import ROOT
from tests.case_files import CASES


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("needs_page")


def test_every_fact_that_is_asked_for_has_its_sources(page: ModuleType) -> None:
    assert page.SOURCES.keys() <= page.asked().keys()
    assert all(map(page.source_of, page.asked().values()))


def test_what_a_fleet_may_declare_names_keys_that_a_fleet_has(page: ModuleType) -> None:
    declared = {name for name, source in page.SOURCES.items() if source.startswith("a declared fleet")}
    assert page.SAID_BY.keys() == declared
    keys = {key for keys in page.SAID_BY.values() for key in keys}
    has = {*FLEET.fields, *(f"pools.{each}" for each in POOL.fields)}
    assert keys - has == set()


def test_what_a_check_must_have_is_collected_at_some_moment() -> None:
    checks = [check for rule in catalogue() for check in rule.checks]
    must = {each.type for check in checks for each in check.context if each.many is not Many.OPTIONAL}
    assert {kind for kind in must if not any(kind in facts for facts in COLLECTED.values())} == set()


def test_every_rule_has_its_row(page: ModuleType) -> None:
    told = page.needs()
    assert [each.id for each in catalogue() if each.checks and f"[{each.id}](" not in told] == []


def test_a_fact_of_which_nobody_knows_the_source_is_noticed(page: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(page.SOURCES, "GpuPool")
    with pytest.raises(KeyError, match="GpuPool"):
        page.needs()


def test_what_is_a_policy_is_so_where_nobody_declares_a_fleet(page: ModuleType, tmp_path: Path) -> None:
    assert page.WITHOUT_A_FLEET.keys() <= {each.id for each in catalogue()}
    for rule, (_, severity, name) in page.WITHOUT_A_FLEET.items():
        if not severity:
            faulty = [each for each in (CASES / rule).glob("bad-*") if each.is_dir()]
            assert faulty
            assert all(_declares_a_fleet(each, tmp_path) for each in faulty), rule
            continue
        case = CASES / rule / name
        assert not _declares_a_fleet(case, tmp_path), case
        told = json.loads((case / "expected.json").read_text(encoding="utf-8"))["findings"]
        assert {each["severity"] for each in told if each["rule"] == rule} == {severity}, case


def _declares_a_fleet(case: Path, folder: Path) -> bool:
    laid_out = case_at(case).lay_out(folder / case.parent.name / case.name)
    return any(b"nodeworthy:fleet" in each.read_bytes() for each in laid_out.rglob("*.y*ml"))
