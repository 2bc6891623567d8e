"""docs/speed.md says of each figure what was wanted, and where it is missed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import page


def kept(folder: Path, name: str, *rows: dict[str, object]) -> None:
    said = {"cores": 2, "interpreter_ms": 20.0, "results": rows}
    (folder / name).write_text(json.dumps(said), encoding="utf-8")


def row(**said: object) -> dict[str, object]:
    usual = {"name": "check", "unit": "ms", "limit": 500, "wanted": 120, "measured": 230, "verdict": "ok"}
    return {**usual, "processor": "a processor", "interpreter_ms": 20.0, "taken": "2026-03-02", "load": None, **said}


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(page, "RESULTS", tmp_path)
    return tmp_path


def test_a_time_is_told_as_where_an_interpreter_starts_in_10_ms(results: Path) -> None:
    kept(results, "one.json", row(measured=230), row(name="diagnose", wanted=None, limit=8_000, measured=15_000))
    told = page.page_of_speed()
    assert "| check | 120 ms | 500 ms | 115 ms | 2026-03-02 |" in told
    assert "| diagnose | 8.0 s | 8.0 s | 7.5 s | 2026-03-02 |" in told
    assert told.endswith("All 2 are as fast as wanted, or faster.\n")


def test_every_processor_is_named_on_which_some_of_it_was_measured(results: Path) -> None:
    kept(results, "one.json", row(), row(name="diagnose", processor="another one"), row(name="growth"))
    assert "here on 2 cores (a processor and another one)." in page.page_of_speed()


def test_what_misses_it_says_so(results: Path) -> None:
    kept(results, "one.json", row(measured=242), row(name="growth", unit="×", wanted=None, limit=1.5, measured=1.6))
    told = page.page_of_speed()
    assert "| 121 ms (**misses it**) |" in told
    assert "| growth | 1.50 × | 1.50 × | 1.60 × (**misses it**) |" in told, "a ratio is no time"
    assert told.endswith("2 of 2 miss what is wanted.\n")


def test_under_which_load_it_was_measured_is_told(results: Path) -> None:
    kept(results, "one.json", row(load=12.4))
    assert "| check | 120 ms | 500 ms | 115 ms | 2026-03-02, load 12.4 |" in page.page_of_speed()


def test_what_was_not_measured_is_no_success(results: Path) -> None:
    kept(results, "one.json", row(measured=None, verdict="not measured: there is no sshd"))
    assert "| not measured: there is no sshd |" in page.page_of_speed()
    assert "All " not in page.page_of_speed()


def test_the_newest_machine_is_told_of(results: Path) -> None:
    kept(results, "a.json", row(taken="2026-03-02"))
    kept(results, "b.json", row(taken="2026-01-01", name="of another"))
    assert "of another" not in page.page_of_speed()
