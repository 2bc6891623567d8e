"""What a terminal shows, as an SVG: every run of characters has the width it has there, whatever font a reader has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

CELL, LINE, MARGIN, SIZE = 8.4, 19, 14, 14
_CODES = re.compile(r"\x1b\[([0-9;]*)m")
_COLOURS = {"31": "red", "32": "green", "33": "yellow", "34": "blue", "35": "magenta", "36": "cyan", "90": "faint"}
_STYLES = {"1": "bold", "2": "faint", **_COLOURS}
_STYLE = """
svg { --paper: #ffffff; --ink: #1c2430; --red: #b3261e; --green: #2e6b1f; --yellow: #8a5a00; --blue: #1f5fbf;
  --magenta: #8b2f8b; --cyan: #0f6b75; --faint: #5b6675; --edge: #b9c2cd; }
@media (prefers-color-scheme: dark) { svg { --paper: #12161c; --ink: #e6ebf2; --red: #ff8a80; --green: #9ccc65;
  --yellow: #ffca66; --blue: #82b1ff; --magenta: #e29be2; --cyan: #7fd6df; --faint: #a3afbd; --edge: #46515f; } }
rect { fill: var(--paper); stroke: var(--edge); }
text { fill: var(--ink); font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre; }
.bold { font-weight: 700; } .red { fill: var(--red); } .green { fill: var(--green); } .yellow { fill: var(--yellow); }
.blue { fill: var(--blue); } .magenta { fill: var(--magenta); } .cyan { fill: var(--cyan); }
.faint { fill: var(--faint); }
"""


def svg(title: str, printed: str, columns: int) -> str:
    lines = [row for line in printed.rstrip("\n").split("\n") for row in _wrapped(line, columns)]
    width = max(len(_CODES.sub("", each)) for each in lines) * CELL + 2 * MARGIN
    height = len(lines) * LINE + 2 * MARGIN
    rows = "\n".join(row for number, line in enumerate(lines) for row in _runs(line, MARGIN + SIZE + number * LINE))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" role="img">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n"
        f'<rect x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1}" rx="6"/>\n{rows}\n</svg>\n'
    )


def _wrapped(line: str, columns: int) -> Iterator[str]:
    """As a terminal does it: wherever the row is full."""
    row, column, codes = "", 0, ""
    for number, part in enumerate(_CODES.split(line)):
        if number % 2:
            codes = f"\x1b[{part}m"
            row += codes
            continue
        for character in part:
            if column == columns:
                yield row
                row, column = codes, 0
            row += character
            column += 1
    yield row


def _runs(line: str, below: int) -> Iterator[str]:
    """One element for what is written in one style; blanks alone need none."""
    styles: tuple[str, ...] = ()
    column = 0
    for number, part in enumerate(_CODES.split(line)):
        if number % 2:
            styles = _after(styles, part)
            continue
        if shown := part.strip(" "):
            start = MARGIN + (column + len(part) - len(part.lstrip(" "))) * CELL
            named = f' class="{" ".join(styles)}"' if styles else ""
            yield (
                f'<text x="{start:.1f}" y="{below}" textLength="{len(shown) * CELL:.1f}" '
                f'lengthAdjust="spacingAndGlyphs"{named}>{escape(shown, quote=False)}</text>'
            )
        column += len(part)


def _after(styles: tuple[str, ...], codes: str) -> tuple[str, ...]:
    for code in codes.split(";"):
        styles = () if code in ("", "0") else (*styles, _STYLES[code])
    return styles
