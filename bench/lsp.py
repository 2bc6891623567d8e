"""How long a keystroke takes until what was found in the text is back in the editor, through the real process."""

from __future__ import annotations

import asyncio
import random
import statistics
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from time import perf_counter

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from bench import boot

LINES = 500
# Typed one after the other, each when the one before was answered.
KEYSTROKES = 40
WARM = 3
ENOUGH_S = 60.0


def keystroke_ms(folder: Path) -> float:
    """The median of them; what the server waits for what comes at once is in it."""
    return statistics.median(asyncio.run(_keystrokes(folder))[WARM:])


async def _keystrokes(folder: Path) -> list[float]:
    client = LanguageClient("bench", "1")
    heard: asyncio.Queue[int | None] = asyncio.Queue()

    def published(params: types.PublishDiagnosticsParams) -> None:
        heard.put_nowait(params.version)

    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)
    await client.start_io(sys.executable, "-m", "nodeworthy", "lsp")
    asked = types.InitializeParams(types.ClientCapabilities(), root_uri=folder.as_uri())
    await client.initialize_async(asked)
    client.initialized(types.InitializedParams())
    try:
        return [each async for each in _typed(client, heard, folder)]
    finally:
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()  # type: ignore[no-untyped-call]


async def _typed(client: LanguageClient, heard: asyncio.Queue[int | None], folder: Path) -> AsyncIterator[float]:
    uri = (folder / "user-data.sh").as_uri()
    text = boot.script(random.Random(LINES), LINES)
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, types.LanguageKind.ShellScript, 1, text))
    )
    await _answered(heard, 1)
    middle = text.index("\n", len(text) // 2) + 1
    for version in range(2, KEYSTROKES + 2):
        text = f"{text[:middle]}x{text[middle:]}"
        change = types.TextDocumentContentChangeWholeDocument(text)
        began = perf_counter()
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(version, uri), [change])
        )
        await _answered(heard, version)
        yield (perf_counter() - began) * 1000


async def _answered(heard: asyncio.Queue[int | None], version: int) -> None:
    while await asyncio.wait_for(heard.get(), ENOUGH_S) != version:
        pass
