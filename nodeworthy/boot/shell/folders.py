"""`cd`, `pushd`, `popd`: the folder by which relative paths are resolved; `mktemp`: a new path."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodeworthy.boot.content import Content, lines_of
from nodeworthy.boot.paths import is_rooted
from nodeworthy.boot.text import Text
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker


def cd(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> None:  # noqa: ARG001
    state = walker.state
    words = [each for each in arguments[1:] if not (each.known or "").startswith(("-P", "-L"))]
    target = words[0].known if words else "/root"
    came_from = state.folder
    state.folder = state.came_from if target == "-" else _below(state.folder, target)
    state.came_from = came_from


def pushd(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> None:
    walker.state.folders.append(walker.state.folder)
    cd(walker, arguments, place, raw)


def popd(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> None:  # noqa: ARG001
    folders = walker.state.folders
    walker.state.folder = folders.pop() if folders else None


def mktemp(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool:
    """Nobody else knows the name, so any new one does: what is written there is found there again."""
    walker.state.made_up += 1
    words = [each.known or "" for each in arguments[1:]]
    named = [word for word in words if "XXX" in word]
    path = named[-1].rstrip("X") + str(walker.state.made_up) if named else f"tmp.{walker.state.made_up}"
    path = path if path.startswith("/") else f"/tmp/{path}"  # noqa: S108 - a name in somebody's script
    walker.prints(Content(lines_of(Text((path,)), place)), place, raw)
    return True


def _below(folder: str | None, target: str | None) -> str | None:
    """None where it is not known."""
    if target is None or (folder is None and not is_rooted(target)):
        return None
    return posixpath.normpath(target if is_rooted(target) else posixpath.join(folder or "/", target))
