"""The language server: what the editor says goes in, what was found goes out."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import mmap
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from nodeworthy import __version__
from nodeworthy.collect.source.files import shown_path
from nodeworthy.collect.source.stack_files import STACK_FILE
from nodeworthy.fixes.text import Text
from nodeworthy.limits import EDITOR_BYTES, EDITOR_SECONDS
from nodeworthy.lsp.checking import Checked, Workspace, check_text, with_what_holds
from nodeworthy.lsp.told import (
    FIX_ALL,
    ActionRequest,
    Ruler,
    actions,
    diagnostic,
    explain_findings,
    explain_steps,
    path_of,
    refusal,
    touch,
)
from nodeworthy.records import dataclass
from nodeworthy.settings.find import OWN, PYPROJECT
from nodeworthy.verdict import Finding

if TYPE_CHECKING:
    from pygls.server import ServerErrors


# One text at a time, in a thread of its own, and none longer or larger than it may be: the next one waits for it.

T = TypeVar("T")
LOOK_SECONDS = 0.1
_MEMORY = Path("/proc/self/statm")


class GaveUp(Exception):
    """The file was not judged, and why."""


class _Stop(BaseException):
    """Raised within what takes too long; nobody who catches exceptions means this one."""


class Judge:
    def __init__(self, seconds: float = EDITOR_SECONDS, most_bytes: int = EDITOR_BYTES) -> None:
        self._seconds = seconds
        self._bytes = most_bytes
        self._pool = ThreadPoolExecutor(1, "judge")
        self._turn = asyncio.Lock()

    def soon(self, function: Callable[[], object]) -> None:
        self._pool.submit(function)

    async def of(self, function: Callable[..., T], *arguments: Any) -> T:
        """What it returns, or raises. Raises GaveUp where that takes too long or too much. Who is cancelled before his
        turn has come is never done; what has begun is waited for, since nothing else goes on beside it."""
        await self._turn.acquire()
        return await asyncio.shield(self._in_turn(_Work(lambda: function(*arguments))))

    async def _in_turn(self, work: _Work[T]) -> T:
        try:
            future = asyncio.get_running_loop().run_in_executor(self._pool, work)
            while not (await asyncio.wait({future}, timeout=LOOK_SECONDS))[0]:
                why = work.too_much(self._seconds, self._bytes)
                if why:
                    self._leave(work, future)
                    raise GaveUp(why)
            return future.result()
        finally:
            self._turn.release()

    def _leave(self, work: _Work[T], future: asyncio.Future[T]) -> None:
        """The thread may be deep within something that no exception reaches: the next text has another one."""
        future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        work.stop()
        self._pool.shutdown(wait=False)
        self._pool = ThreadPoolExecutor(1, "judge")


class _Work(Generic[T]):
    """Work in another thread: since when, and with how much memory before it."""

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self._thread = 0
        self._began = 0.0
        self._held = 0

    def __call__(self) -> T:
        self._held, self._began, self._thread = _memory(), time.monotonic(), threading.get_ident()
        return self._function()

    def too_much(self, seconds: float, most_bytes: int) -> str:
        """Why it must not go on; empty where it may."""
        if not self._thread:
            return ""  # it waits for what is done before it
        if time.monotonic() - self._began > seconds:
            return f"it takes longer than {seconds:g} s"
        return f"it takes more than {most_bytes // 2**20} MiB of memory" if _memory() - self._held > most_bytes else ""

    def stop(self) -> None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(_Stop))


def _memory() -> int:
    """What the process holds now; where nobody says it, there is no bound."""
    try:
        return int(_MEMORY.read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE
    except OSError:
        return 0


# What an editor sends at once (a bracket, and the one that closes it) is answered once. Who types fast is, too: while
# one text is judged the next ones wait, and of those the last alone is judged.
AT_ONCE_S = 0.001
# Of what kind a file is by which others are judged: fleets and settings, and whatever says what nodes are.
DECIDING = (
    "**/*.{yaml,yml,json,toml,tf,tofu,tfvars,hcl}",
    "**/*.{sh,bash,conf,cfg,tpl,tftpl,tmpl,j2}",
)
LOG = logging.getLogger("nodeworthy.lsp")


@dataclass(eq=False)
class Opened:
    """A file in the editor, and what was last said of it."""

    path: Path
    # Whether it has held anything that is judged.
    known: bool = False
    last: Checked | None = None
    shown: list[Finding] = field(default_factory=list)
    waiting: asyncio.Task[None] | None = None
    # It took too much: until it is saved, no keystroke makes the others wait for it again.
    gave_up: bool = False


class Server(LanguageServer):
    def __init__(self, fleet: str | None, stack: str | None, documentation: str) -> None:
        # The whole text each time: pygls counts lines otherwise than editors do, and a change would miss its place.
        super().__init__("nodeworthy", f"v{__version__}", types.TextDocumentSyncKind.Full)
        self.opened: dict[str, Opened] = {}
        self.documentation = documentation
        self.judged_by = Workspace(fleet, stack)
        self.judge = Judge()

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """Into the editor's log, and not into its user's face: what he types next is answered all the same."""
        told = types.LogMessageParams(types.MessageType.Error, f"{source.__name__}: {error}")
        self.window_log_message(told)

    def warm(self) -> None:
        """Imports every rule before the first file asks for them."""
        from nodeworthy.rules import catalogue

        self.judge.soon(catalogue)

    def look(self, uri: str, after: float = 0.0, *, afresh: bool = False) -> None:
        """Judges the file soon; what waits for the same is given up. Afresh, nothing of before is kept."""
        path = path_of(uri)
        if path is None:
            return
        opened = self.opened.setdefault(uri, Opened(path))
        if opened.waiting is not None:
            opened.waiting.cancel()
        if afresh:
            opened.known, opened.last, opened.shown, opened.gave_up = False, None, [], False
        if opened.gave_up:
            return
        opened.waiting = asyncio.ensure_future(self._look(uri, opened, after))

    async def _look(self, uri: str, opened: Opened, after: float) -> None:
        await asyncio.sleep(after)
        document = self.workspace.get_text_document(uri)
        text, version = document.source, document.version
        try:
            found = await self.judge.of(check_text, opened.path, text, self.judged_by)
        except GaveUp as why:
            opened.gave_up = True
            found = Checked(Text(shown_path(opened.path), text), refused=[f"not judged: {why}; it is when it is saved"])
        except Exception:
            # Whatever it was, the next keystroke may mend it: what was shown stays.
            LOG.exception("%s could not be judged: this is a fault of nodeworthy's own", uri)
            return
        if self.opened.get(uri) is opened:
            self._publish(uri, opened, found, version)

    def _publish(self, uri: str, opened: Opened, found: Checked, version: int | None) -> None:
        opened.shown = with_what_holds(found, opened.last, opened.shown, known=opened.known)
        opened.last, opened.known = found, opened.known or found.is_known
        ruler = self.ruler(found)
        told = [diagnostic(each, ruler, self.documentation) for each in opened.shown]
        told += [refusal(why) for why in found.refused]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, told, version))

    def ruler(self, found: Checked) -> Ruler:
        return Ruler(found.text, self.workspace.position_encoding)

    async def steps(self, uri: str, last: Checked, line: int) -> str:
        """What a boot does by the line; nothing while the text is another one than was read."""
        if not last.scripts or last.text.text != self.workspace.get_text_document(uri).source:
            return ""
        try:
            return await self.judge.of(explain_steps, last.scripts, line)
        except GaveUp:
            return ""

    def look_again(self, changed: Sequence[str]) -> None:
        """A file on the disk decides what others say: the node group in one is what another's values are judged by.
        Where it is one of the settings, nothing of before is kept."""
        self.judged_by.around.forget()
        everything = any(decides(each) for each in changed)
        for uri in self.opened:
            self.look(uri, AT_ONCE_S, afresh=everything or uri in changed)

    async def watch(self) -> None:
        """An editor that watches the disk for us tells of what was checked out, generated or saved elsewhere."""
        workspace = self.client_capabilities.workspace
        watched = workspace.did_change_watched_files if workspace else None
        if watched is None or not watched.dynamic_registration:
            return
        watchers = [types.FileSystemWatcher(each) for each in DECIDING]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        asked = types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        await self.client_register_capability_async(types.RegistrationParams([asked]))

    def forget(self, uri: str) -> None:
        opened = self.opened.pop(uri, None)
        if opened is not None and opened.waiting is not None:
            opened.waiting.cancel()
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def decides(uri: str) -> bool:
    """Whether other files are judged by this one."""
    path = path_of(uri)
    return path is not None and (path.name in (OWN, PYPROJECT) or STACK_FILE.fullmatch(path.name) is not None)


def make_server(fleet: str | None, stack: str | None, documentation: str) -> Server:
    server = Server(fleet, stack, documentation)
    _hears_of_files(server)
    _answers(server)
    return server


def _hears_of_files(server: Server) -> None:
    @server.feature(types.INITIALIZED)
    async def _initialized(ls: Server, _: types.InitializedParams) -> None:
        ls.warm()
        await ls.watch()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def _open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
        ls.look(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def _change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
        ls.look(params.text_document.uri, AT_ONCE_S)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def _save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
        ls.look_again([params.text_document.uri])

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def _close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
        ls.forget(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def _files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
        ls.look_again([each.uri for each in params.changes])


def _answers(server: Server) -> None:
    kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, FIX_ALL])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    async def _actions(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        opened = ls.opened.get(uri)
        if opened is None or opened.last is None:
            return []
        if opened.last.text.text != ls.workspace.get_text_document(uri).source:
            return []  # its offsets are those of another text; the editor asks again
        only = [str(getattr(each, "value", each)) for each in params.context.only or ()]
        asked = ActionRequest(uri, params.range, params.context.diagnostics, only)
        try:
            return await ls.judge.of(actions, opened.last, ls.ruler(opened.last), asked)
        except GaveUp:
            return []

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def _hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
        opened = ls.opened.get(params.text_document.uri)
        if opened is None or opened.last is None:
            return None
        at, ruler = types.Range(params.position, params.position), ls.ruler(opened.last)
        found = [each for each in opened.shown if touch(ruler.finding(each), at)]
        told = [explain_findings(found)] if found else []
        steps = await ls.steps(params.text_document.uri, opened.last, params.position.line + 1)
        told += [steps] if steps else []
        if not told:
            return None
        said = types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(told))
        return types.Hover(said, ruler.finding(found[0]) if found else None)
