"""Calls as the walker makes them, from words; `${X}` in a word is a hole."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from nodeworthy.boot.commands.call import Call, Did
from nodeworthy.boot.commands.table import did
from nodeworthy.boot.content import Content, lines_of
from nodeworthy.boot.effects import Effect, Stage, Writes
from nodeworthy.boot.text import Hole, Piece, Text
from nodeworthy.verdict import Place

PLACE = Place("script.sh", 7, 1)
_HOLE = re.compile(r"(\$\{\w+\}|\$\([^)]*\))")


def text(written: str) -> Text:
    pieces: list[Piece] = [
        Hole(part, f"{part} is known on the node") if index % 2 else part
        for index, part in enumerate(_HOLE.split(written))
    ]
    return Text.of(*pieces)


def content(written: str) -> Content:
    return Content(lines_of(text(written), PLACE))


@dataclass
class Files:
    written: Mapping[str, str] = field(default_factory=dict)

    def content(self, path: Text) -> Content | None:
        found = self.written.get(path.known or "")
        return None if found is None else content(found)


def call(
    line: str,
    *,
    stdin: str | None = None,
    files: Mapping[str, str] | None = None,
    folder: str | None = "/",
    environment: Mapping[str, str] | None = None,
) -> Call:
    return Call(
        tuple(text(word) for word in shlex.split(line)),
        PLACE,
        Stage.SCRIPTS,
        Files(files or {}),
        stdin=None if stdin is None else content(stdin),
        command=line,
        folder=folder,
        environment={name: text(value) for name, value in (environment or {}).items()},
    )


def ran(
    line: str,
    *,
    stdin: str | None = None,
    files: Mapping[str, str] | None = None,
    folder: str | None = "/",
    environment: Mapping[str, str] | None = None,
) -> Did:
    return did(call(line, stdin=stdin, files=files, folder=folder, environment=environment))


def printed(done: Did) -> str | None:
    return None if done.output is None else done.output.text.shown()


def told(done: Did) -> list[str]:
    """The effects in short, one word and what it is about."""
    return [short(effect) for effect in done.effects]


def short(effect: Effect) -> str:
    name = type(effect).__name__
    own = {
        key: value
        for key in effect.__dataclass_fields__
        if key not in Effect.__dataclass_fields__ and _says(value := getattr(effect, key))
    }
    return " ".join([name, *(f"{key}={_shown(value)}" for key, value in own.items())])


def _says(value: object) -> bool:
    return value is not None and value != () and value is not False and value != ""


def _shown(value: object) -> str:
    if isinstance(value, Text):
        return value.shown()
    if isinstance(value, Content):
        return repr(value.text.shown())
    if isinstance(value, tuple):
        return ",".join(map(_shown, value))
    return str(getattr(value, "value", value))


def only_write(done: Did) -> Writes:
    """Backups, which stand in front of it, left aside."""
    *backups, effect = done.effects
    assert isinstance(effect, Writes)
    assert all(isinstance(each, Writes) and (each.path.known or "").endswith(".bak") for each in backups)
    return effect
