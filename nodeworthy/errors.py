"""How a run ends when it can't go on: one sentence, and the exit code that scripts read."""

from __future__ import annotations

from typing import ClassVar


class Ends(Exception):
    """Ends the run with its message, without a traceback."""

    exit_code: ClassVar[int]


class InputError(Ends):
    """Usage, or a named input that can't be read or is of no known kind."""

    exit_code = 2


class CouldNotLook(Ends):
    """What was asked is right, but it could not be looked at."""

    exit_code = 3


class MissingExtra(InputError):
    """A part of the library is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs packages that are not installed: pip install 'nodeworthy[{extra}]'")
