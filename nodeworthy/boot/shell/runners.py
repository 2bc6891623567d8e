"""Programs that run a command for somebody else: `su -c`, `runuser`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodeworthy.boot.effects import Gap
from nodeworthy.boot.shell.nested import run_command_text
from nodeworthy.boot.text import Text
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker


def su(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    """`su - USER -c TEXT`, `runuser -l USER -c TEXT`, `runuser -u USER -- COMMAND`."""
    from nodeworthy.boot.shell.calls import run_arguments

    words = [each.known for each in arguments]
    if "--" in words and "-c" not in words:
        inner = arguments[words.index("--") + 1 :]
        return run_arguments(walker, inner, place, raw) if inner else None
    for index, word in enumerate(words[:-1]):
        if word in ("-c", "--command", "-lc"):
            return run_command_text(walker, arguments[index + 1], place, raw)
    walker.not_understood(place, raw, "what is run for another user could not be read", kind=Gap.ANYTHING)
    return None
