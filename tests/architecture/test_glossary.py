"""docs/glossary.md: every class and module that it names is there, and every word stands in it once."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| \*\*(.+?)\*\* \| .+ \| `(nodeworthy[\w.]*)` \|$", PAGE, re.MULTILINE)


def there(dotted: str) -> bool:
    """Whether a module, a class in it, or an attribute of that class has this name."""
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for name in parts[end:]:
            if not hasattr(found, name):
                return False
            found = getattr(found, name)
        return True
    return False


@pytest.mark.parametrize(("word", "where"), ROWS, ids=[word for word, _ in ROWS])
def test_what_a_word_names_is_there(word: str, where: str) -> None:
    assert there(where), f"{word}: {where}"


def test_every_row_is_read_and_no_word_stands_twice() -> None:
    assert len(ROWS) == sum(line.startswith("| **") for line in PAGE.splitlines()) > 30
    assert [word for word, count in Counter(word for word, _ in ROWS).items() if count > 1] == []


@pytest.mark.parametrize(
    "gone", ["nodeworthy.gone", "nodeworthy.verdict.Gone", "nodeworthy.verdict.Draft.gone", "nodeworthy.engine.a.b"]
)
def test_what_is_gone_is_noticed(gone: str) -> None:
    assert not there(gone)
