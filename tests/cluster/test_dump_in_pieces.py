"""A dump is read piece by piece: wherever a piece ends, the same is read, and a fault has the same place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.cluster import dump_text
from nodeworthy.collect.cluster.dump_text import Unreadable, text_of
from nodeworthy.documents import json_objects
from nodeworthy.documents.json_objects import Item, NotJson, Window, read_objects
from nodeworthy.verdict import Place
from tests.cluster.dumps import diagnose, dumped, found

WHERE = Place(path="x.json")
ITEMS = [12345, -1.5e300, True, None, "é\U0001f600\n", '"\\', [], [[1, 2]], {"a": {"b": "c" * 90}}, float("inf"), 7]
# Each is broken at one place, with text before and behind it.
WITHIN_AN_ITEM = (
    '{"items": [{"kind": Pod}, 1, 2, 3, 4, 5, 6, 7, 8, 9]}',
    '{"items": [\n 1,\n\n {"a": "b",\n "c" 1}\n],\n"x": "' + "y" * 60 + '"}',
    '{"items": ["\\ud83d\\x"],' + " " * 60 + "}",
    '{"items": ["tab\there"], "x": 1}',
    '{"items": [\n\n"it never ends, ' + "z" * 60,
    '{"items": [nul',
)
BROKEN = (
    *WITHIN_AN_ITEM,
    '{"items": [1,\n]}',
    '{"items": [1]}\n"items"',
    '{"items": [1]}\n{"items": [}',
    '{"items": [1],\n  7: 8}',
    '{"items"\n: [1] "x": 2}',
    '[1, 2,\n {"a" 1}, 3, 4, 5, 6, 7, 8]',
    '{"a": "\0"}',
    '"a" "b"',
)


def pieces(text: str, size: int) -> Iterator[str]:
    yield from (text[at : at + size] for at in range(0, len(text), size))


def items(text: str, size: int) -> list[Any]:
    return [part.data for part in read_objects(pieces(text, size), WHERE) if isinstance(part, Item)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1 << 20])
@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize("escaped", [True, False])
def test_the_same_is_read(size: int, indent: int | None, escaped: bool) -> None:
    text = json.dumps({"kind": "List", "items": ITEMS, "x": 123456}, indent=indent, ensure_ascii=escaped)
    assert items(text, size) == ITEMS


@pytest.mark.parametrize("size", [1, 3, 1 << 20])
def test_documents_may_follow_one_another(size: int) -> None:
    assert items('{"items": [1, 2]}\n{"kind": "Pod"}{"items": [3]}\n', size) == [1, 2, 3]


@pytest.mark.parametrize("text", BROKEN)
def test_a_fault_has_the_same_words_and_place(text: str) -> None:
    told = set()
    for size in (1, 2, 5, 16, 17, 1 << 20):
        with pytest.raises(NotJson) as fault:
            items(text, size)
        told.add((fault.value.why, fault.value.place))
    ((_, place),) = told
    assert place.line
    assert place.column


@pytest.mark.parametrize("text", WITHIN_AN_ITEM)
def test_it_is_the_place_that_json_names(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as theirs:
        json.loads(text)
    with pytest.raises(NotJson) as ours:
        items(text, 9)
    assert (ours.value.place.line, ours.value.place.column) == (theirs.value.lineno, theirs.value.colno)


def test_no_more_is_read_than_an_item_needs() -> None:
    taken = []

    def told() -> Iterator[str]:
        for piece in ('{"items": [', *(f'{{"number": {each}, "long": "{"x" * 50}"}},' for each in range(100)), "0]}"):
            taken.append(piece)
            yield piece

    parts = read_objects(told(), WHERE)
    for number in range(100):
        part = next(parts)
        assert isinstance(part, Item)
        assert part.data["number"] == number
        assert len(taken) <= number + 4


def test_what_is_read_is_forgotten() -> None:
    window = Window(pieces(f"[{'1234567, ' * 10_000}0]", 100))
    window.take("[")
    for _ in range(10_000):
        assert window.value() == 1234567
        window.take(",")
        assert len(window._text) < 1000


def test_a_value_that_is_too_large_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_objects, "LARGEST", 1 << 20)
    text = '{"kind": "List",\n "items": [1, "' + "x" * (3 << 20) + '"]}'
    with pytest.raises(NotJson, match="a value is larger than 1 MiB") as fault:
        items(text, 1 << 16)
    assert (fault.value.place.line, fault.value.place.column) == (2, 15)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("size", [2, 3, 5, 1 << 20])
def test_characters_across_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, size: int) -> None:
    monkeypatch.setattr(dump_text, "PIECE", size)
    path = tmp_path / "x.json"
    path.write_text("{é\U0001f600ü\n}", encoding=encoding, newline="")
    assert "".join(text_of(path)) == "{é\U0001f600ü\n}"


@pytest.mark.parametrize("size", [2, 3, 4, 1 << 20])
@pytest.mark.parametrize(
    ("data", "byte"), [(b'{"a": "\xff"}', 7), ("{é".encode() + b"\xe2\x82}  ", 3), (b"{}\xe2\x82", 2)]
)
def test_the_byte_that_is_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, data: bytes, byte: int
) -> None:
    monkeypatch.setattr(dump_text, "PIECE", size)
    (tmp_path / "x.json").write_bytes(data)
    with pytest.raises(Unreadable, match=f"it is no text: byte {byte} is not UTF-8"):
        list(text_of(tmp_path / "x.json"))


def test_what_stands_before_a_fault_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(dump_text, "PIECE", 512)
    path = dumped() / "events.json"
    whole = path.read_bytes()
    path.write_bytes(whole + b" " * 2000 + b"\xff")
    ran = diagnose()
    (error,) = found(ran, "input-readable")
    assert (
        error["message"] == f"it is no text: byte {len(whole) + 2000} is not UTF-8; the 1 objects before that were used"
    )
    assert len(found(ran, "containerd-paths")) == 1
