"""Every rule is seen failing, passing and not knowing, on files as people keep them.

What a case is, and what its name promises, `nodeworthy rules test` asks of everybody's rules: nodeworthy/own_rules/cases.py.
Ours are run in this process, and each has its golden, which `make goldens` writes (tests/goldens.py).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.known.chain import links
from nodeworthy.markers import JOB_FOLDER
from nodeworthy.own_rules.cases import Case, broken_promises, golden_of
from tests.case_files import every_case
from tests.goldens import golden, write
from tests.run import run
from tests.warm import warm_python

INNER = re.compile(rf'{JOB_FOLDER}|[\ue000-\uf8ff]| not known: [^"\n]{{1,300}} (?:is|are) not known: ')
CASES = every_case()
# Of each case of a node or a cluster the link from card to pod that broke first, read by eye.
CHAINS = json.loads(Path(__file__).with_name("chains.json").read_text(encoding="utf-8"))


def test_there_are_cases() -> None:
    assert len(CASES) > 20


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with warm_python(tmp_path_factory.mktemp("warm")) as python:
        yield python


@pytest.fixture(autouse=True)
def programs_start_warm(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    case = request.node.callspec.params.get("case") if hasattr(request.node, "callspec") else None
    if case is not None and case.command[0] == "preview" and sys.platform == "linux":
        python = request.getfixturevalue("warm")
        monkeypatch.setattr("nodeworthy.collect.plan.project._python", lambda root, virtualenv: python)


def first_broken(report: Mapping[str, Any]) -> dict[str, str]:
    return {each["node"]: each["broken"] for each in report.get("chains", ()) if each["broken"]}


def test_every_link_is_seen_broken_in_the_table() -> None:
    assert {link for nodes in CHAINS.values() for link in nodes.values()} == {link.id for link in links()}
    assert CHAINS.keys() <= {case.id for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case, pytestconfig: pytest.Config, tmp_path: Path) -> None:
    # Outside of this repository, whose own fleet would else be the one to judge by.
    alone = case.lay_out(tmp_path / case.name)
    ran = run(*case.command, "--format", "json", "--show-passed", cwd=alone)
    assert ran.out, ran.err
    # Paths and marks of our own, and a not-known within a not-known, mean nothing to a reader.
    assert re.search(INNER, ran.out) is None, re.search(INNER, ran.out)
    seen = (ran.err, ran.report.get("preview"), ran.report["findings"])
    assert list(broken_promises(case, ran.code, ran.report)) == [], seen
    assert first_broken(ran.report) == CHAINS.get(case.id, {}), "read it, and write it into tests/chains.json"
    now = golden_of(ran.code, ran.report)
    if pytestconfig.getoption("update_goldens"):
        write(case, now)
    assert golden(case) == now
