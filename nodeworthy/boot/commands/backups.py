"""What `sed -i.bak` and `perl -i.bak` keep of a file before they edit it."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.commands.arguments import Given
from nodeworthy.boot.commands.call import Call
from nodeworthy.boot.commands.streams import written
from nodeworthy.boot.effects import Writes
from nodeworthy.boot.text import EMPTY, Hole, Text


def backup(call: Call, arguments: Given, path: Text) -> Iterator[Writes]:
    suffix = arguments.value("-i", "--in-place")
    if suffix:
        yield written(call, _named(path, suffix), call.files.content(path))


def _named(path: Text, suffix: Text) -> Text:
    """A suffix with a `*` or a `/` in it makes a name of its own."""
    if suffix.known is None or not set("*/") & set(suffix.known):
        return path + suffix
    if path.known is None:
        return Text((Hole(suffix.known, path.why),))
    folder, _, name = path.known.rpartition("/")
    made = suffix.known.replace("*", name) if "*" in suffix.known else name + suffix.known
    return Text.of(made if made.startswith("/") else f"{folder}/{made}") if made else EMPTY
