"""One substitution of sed: what it looks for."""

from __future__ import annotations

import re

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_COMMAND = pattern(r"(?:^|[\s;{}/,0-9$!])s(?P<delimiter>[^\w\s\\])")
# In sed's basic expressions these mean themselves, and with a backslash what they mean elsewhere.
_SWAPPED = "(){}+?|"


@dataclass(frozen=True)
class Substitution:
    pattern: str
    replacement: str

    @staticmethod
    def in_expression(text: str) -> Substitution | None:
        """The first `s/…/…/` of an expression."""
        found = _COMMAND.search(text)
        if found is None:
            return None
        parts = re.split(rf"(?<!\\){re.escape(found['delimiter'])}", text[found.end() :])
        return Substitution(parts[0], parts[1]) if len(parts) > 1 else None

    def fits(self, line: str) -> bool:
        """Whether it finds something in this line, read as a basic or as an extended expression."""
        return any(_finds(pattern, line) for pattern in (_extended(self.pattern), self.pattern))


def _extended(basic: str) -> str:
    """A basic expression as an extended one."""
    turned, index = "", 0
    while index < len(basic):
        two = basic[index : index + 2]
        if len(two) == 2 and two[0] == "\\":
            turned += two[1] if two[1] in _SWAPPED else two
            index += 2
            continue
        turned += f"\\{basic[index]}" if basic[index] in _SWAPPED else basic[index]
        index += 1
    return turned


def _finds(pattern: str, line: str) -> bool:
    posix = pattern.replace("[[:space:]]", r"\s").replace("[[:blank:]]", r"[ \t]")
    try:
        return re.search(posix, line) is not None
    except re.error:
        return pattern in line
