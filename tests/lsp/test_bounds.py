"""A text that takes too much is told so, and the next one is judged."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from lsprotocol import types

from nodeworthy.lsp import server as served
from nodeworthy.lsp.checking import Checked, Workspace, check_text
from nodeworthy.lsp.server import GaveUp, Judge

VALUES = "driver: {enabled: false}\ntoolkit:\n  env:\n    - {name: A, value: true}\n"


def for_ever() -> None:
    while True:
        time.process_time()


def grows() -> None:
    kept = []
    while True:
        kept.append(bytearray(1 << 20))


@pytest.mark.parametrize(
    ("judge", "does", "why"),
    [
        (lambda: Judge(seconds=0.3), for_ever, "it takes longer than 0.3 s"),
        (lambda: Judge(most_bytes=200 << 20), grows, "it takes more than 200 MiB of memory"),
    ],
)
def test_it_ends_and_the_next_one_is_done(judge: Callable[[], Judge], does: Callable[[], None], why: str) -> None:
    async def both() -> int:
        made = judge()
        first, second = asyncio.ensure_future(made.of(does)), asyncio.ensure_future(made.of(len, "abc"))
        with pytest.raises(GaveUp, match=why):
            await first
        return await second

    assert asyncio.run(both()) == 3


def test_of_those_who_wait_the_last_alone_is_judged() -> None:
    """Who types on while a text is judged waits for that one, and for none of those in between."""
    judged: list[int] = []

    def slow(number: int) -> int:
        judged.append(number)
        time.sleep(0.2)
        return number

    async def typed() -> int:
        made = Judge()
        tasks: list[asyncio.Task[int]] = []
        for number in range(6):
            if tasks:
                tasks[-1].cancel()
            tasks.append(asyncio.ensure_future(made.of(slow, number)))
            await asyncio.sleep(0.02)
        return await tasks[-1]

    assert asyncio.run(typed()) == 5
    assert judged == [0, 5]


def test_what_nobody_waits_for_any_more_ends_in_time_as_well() -> None:
    async def typed() -> int:
        made = Judge(seconds=0.3)
        first = asyncio.ensure_future(made.of(for_ever))
        await asyncio.sleep(0.1)
        first.cancel()
        return await asyncio.wait_for(made.of(len, "abc"), 30)

    assert asyncio.run(typed()) == 3


@pytest.mark.long
def test_the_editor_is_told_and_asked_no_more_until_it_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: dict[str, list[str]] = {}
    tries: list[str] = []

    def slow(path: Path, text: str, workspace: Workspace) -> Checked:
        tries.append(path.name)
        if path.name == "bomb.yaml":
            for_ever()
        return check_text(path, text, workspace)

    def published(_: object, told: types.PublishDiagnosticsParams) -> None:
        said[Path(told.uri).name] = [each.message for each in told.diagnostics]

    async def typed() -> None:
        made = served.make_server(None, None, "")
        made.judge = Judge(seconds=2)
        for name in ("bomb.yaml", "values.yaml", "bomb.yaml"):
            made.look((tmp_path / name).as_uri())
            await asyncio.sleep(2.6)
        made.look((tmp_path / "bomb.yaml").as_uri(), afresh=True)
        await asyncio.sleep(2.6)

    check_text(tmp_path / "values.yaml", VALUES, Workspace())  # what is imported once
    monkeypatch.setattr(served, "check_text", slow)
    monkeypatch.setattr(served.Server, "text_document_publish_diagnostics", published)
    monkeypatch.setattr(served.Server, "workspace", Texts())
    asyncio.run(typed())
    assert said["bomb.yaml"] == ["not judged: it takes longer than 2 s; it is when it is saved"]
    assert said["values.yaml"]
    assert not said["values.yaml"][0].startswith("not judged")
    assert tries == ["bomb.yaml", "values.yaml", "bomb.yaml"]


class Texts:
    position_encoding = types.PositionEncodingKind.Utf16

    def get_text_document(self, _: str) -> Texts:
        return self

    source = VALUES
    version = 1
