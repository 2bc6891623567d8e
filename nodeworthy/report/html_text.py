"""Text of others in HTML: escaped, without control characters, and no longer than anybody reads."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from nodeworthy.patterns import pattern
from nodeworthy.report.printable import on_one_line, printable

LONGEST = 4_000
LONGEST_NAME = 300

# Most words are of nothing else, and need no care.
_PLAIN = pattern(r"[\w .,:;/=()\[\]-]*")
_CODE = pattern("`([^`]+)`")


def text(words: str, longest: int = LONGEST) -> str:
    """As it stands, lines and all."""
    if len(words) <= longest:
        return words if _PLAIN.fullmatch(words) else escape(printable(words))
    return f'{escape(printable(words[:longest]))}… <em class="cut">(cut: {len(words) - longest:,} more characters)</em>'


def name(words: str) -> str:
    """On one line, its end kept, for that is where paths differ."""
    if len(words) > LONGEST_NAME:
        words = f"{words[: LONGEST_NAME // 3]}…{words[-LONGEST_NAME * 2 // 3 :]}"
    return words if _PLAIN.fullmatch(words) else escape(on_one_line(words))


def prose(markdown: str) -> str:
    """Paragraphs, lists and code, which is all that the page of a rule is made of."""
    return "".join(_block(block) for block in markdown.strip().split("\n\n"))


def _block(block: str) -> str:
    lines = block.strip("\n").split("\n")
    if lines[0].startswith("- "):
        return f"<ul>{''.join(f'<li>{_with_code(each)}</li>' for each in _items(lines))}</ul>"
    return f"<p>{_with_code(' '.join(line.strip() for line in lines))}</p>"


def _items(lines: list[str]) -> Iterator[str]:
    item = ""
    for line in lines:
        if line.startswith("- ") and item:
            yield item
            item = ""
        item = f"{item} {line.removeprefix('- ').strip()}".strip()
    yield item


def _with_code(words: str) -> str:
    return _CODE.sub(r"<code>\1</code>", text(words))
