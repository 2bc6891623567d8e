"""A pattern that is compiled when it is first used: of the hundreds that a run imports, it uses few."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As re.compile, but not yet. It has the methods of a pattern; the functions of re do not take it."""
    return cast(re.Pattern[AnyStr], NotYet(text, flags))


class NotYet:
    def __init__(self, text: str | bytes, flags: int) -> None:
        self._written: tuple[Any, int] = text, flags

    def __getattr__(self, name: str) -> Any:
        """Once for each method: it stays with us, and the next call finds it as fast as a pattern's."""
        found = getattr(re.compile(*self._written), name)
        setattr(self, name, found)
        return found
