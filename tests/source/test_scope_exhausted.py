"""A scope that is too large to be looked through: what may stand in the rest of it is unknown, and passes nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.collect.source import scope
from tests.run import run_json
from tests.source.test_evidence import PLUGIN, lay
from tests.source.texts import STOCK, fleet, values


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope, "MOST_FILES", 8)


def _told(asked: str) -> dict[str, str]:
    return {each["rule"]: each["verdict"] for each in run_json("check", asked, "--no-cache").findings}


def _many(here: Path, count: int) -> None:
    (here / "notes").mkdir()
    for number in range(count):
        (here / f"notes/{number}.txt").write_text("nothing\n")


@pytest.mark.parametrize(("count", "unknown"), [(3, False), (30, True)])
def test_what_may_collide_behind_the_bound_is_unknown(here: Path, count: int, unknown: bool) -> None:
    lay(here, Pulumi_dot_edge_dot_yaml=fleet(), values_dot_yaml=values(STOCK.socket), z__deep__plugin_dot_yaml=PLUGIN)
    _many(here, count)
    found = _told("values.yaml")
    assert (found.get("looked-at") == "unknown") == unknown
    assert (found.get("one-device-plugin") == "fail") != unknown


def test_what_the_settings_exclude_takes_no_room(here: Path) -> None:
    lay(here, Pulumi_dot_edge_dot_yaml=fleet(), values_dot_yaml=values(STOCK.socket), z__deep__plugin_dot_yaml=PLUGIN)
    _many(here, 30)
    (here / ".nodeworthy.yaml").write_text("exclude: [notes]\n")
    found = _told("values.yaml")
    assert "looked-at" not in found
    assert found["one-device-plugin"] == "fail"


@pytest.mark.parametrize(("count", "told"), [(3, None), (30, "unknown")])
def test_whether_it_is_user_data_may_be_said_behind_the_bound(here: Path, count: int, told: str | None) -> None:
    long = "".join(f"echo this is line {number} of a script that is long\n" for number in range(1500))
    lay(here, setup_dot_sh=f"#!/bin/bash\nset -e\nsystemctl enable --now kubelet\n{long}")
    _many(here, count)
    assert _told("setup.sh").get("user-data-size") == told
