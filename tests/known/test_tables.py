"""A table is what its TOML says, whether Python has kept it or not."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import nodeworthy.known
from nodeworthy.known.tables import read_table, table_of
from nodeworthy.rules import SUBJECTS

KNOWN = Path(nodeworthy.known.__file__).parent
TABLES = [*KNOWN.rglob("*.toml"), SUBJECTS]


def written(path: Path) -> Any:
    """With the days on which somebody read it as texts."""

    def plain(said: Any) -> Any:
        if isinstance(said, dict):
            return {name: each.isoformat() if name == "date" else plain(each) for name, each in said.items()}
        return [plain(each) for each in said] if isinstance(said, list) else said

    return plain(tomllib.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", TABLES, ids=lambda each: each.name)
def test_it_says_what_is_written(path: Path) -> None:
    said = written(path)
    assert said
    assert read_table(path) == said
    assert read_table(path) == said, "as it was kept"


def test_a_module_of_the_same_name_is_kept_beside_it() -> None:
    assert table_of("releases") == written(KNOWN / "releases.toml")
    kept = {each.name.partition(".cpython")[0] for each in (KNOWN / "__pycache__").iterdir()}
    assert {"releases", "releases.toml.read"} <= kept


def test_a_change_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text('kind = "first"\n', encoding="utf-8")
    assert read_table(path) == {"kind": "first"}
    path.write_text('kind = "another"\n', encoding="utf-8")
    assert read_table(path) == {"kind": "another"}


def test_where_nothing_can_be_kept_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text("many = [1, 2]\n", encoding="utf-8")
    (tmp_path / "__pycache__").write_text("in the way", encoding="utf-8")
    assert read_table(path) == {"many": [1, 2]}


def test_each_reader_has_its_own(tmp_path: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text("[table]\nkey = 1\n", encoding="utf-8")
    read_table(path)["table"].clear()
    assert read_table(path) == {"table": {"key": 1}}


def test_when_a_row_was_read_is_a_text_and_any_other_date_is_one(tmp_path: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text("[[row]]\nsince = 2025-09-30\ndate = 2026-11-29\n", encoding="utf-8")
    assert read_table(path) == {"row": [{"since": date(2025, 9, 30), "date": "2026-11-29"}]}
