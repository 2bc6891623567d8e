"""A line for people: as wide as a terminal, with nothing in it that a terminal would obey."""

from __future__ import annotations

import textwrap

from nodeworthy.report.printable import on_one_line
from nodeworthy.report.text import WIDTH


def line(text: str, first: str = "", others: str = "  ") -> list[str]:
    return textwrap.wrap(
        on_one_line(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
