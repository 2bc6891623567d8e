"""Where a file of Ansible's begins a value with `{{` and no quote before it: YAML takes that for a mapping."""

from __future__ import annotations

from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

# `name: {{ package }}`, `- {{ package }}`; not `apt: name={{ package }}`, which is text from its first letter on.
_UNQUOTED = pattern(r"(?P<before>[ \t]*(?:-[ \t]+)*(?:[\w.-]{1,80}:[ \t]+|(?<=-[ \t])))\{\{")
# `shell: |`, `content: >-`, `- |2`: what stands deeper is text.
_OPENS_TEXT = pattern(r"[|>][-+\d]{0,2}[ \t]*(?:#.*)?$")
# `msg: 'Failed: {{ n }},` and its quote closes on a later line: text, too.
_OPENS_A_QUOTE = pattern(r"[ \t]*(?:-[ \t]+)*(?:[\w.-]{1,80}:[ \t]+|(?<=-[ \t]))(?P<quote>['\"])(?P<rest>.*)")
_ESCAPED = {"'": pattern("''"), '"': pattern(r"\\.")}
WHY = (
    "Ansible reads nothing of this file: a value that begins with {{ stands in quotes, and this one is a mapping to "
    "YAML"
)


def first_unquoted(text: str, place: Place) -> Place | None:
    """The first of them that stands in no block of text; none of a template, whose directives stand on lines of their
    own."""
    if ": {{" not in text and "- {{" not in text:
        return None
    deeper_than: int | None = None
    quote = ""
    for number, line in enumerate(text.splitlines(), start=1):
        indent = len(line) - len(line.lstrip(" "))
        if not line.strip() or (deeper_than is not None and indent > deeper_than):
            continue
        if quote:
            quote = _quote_behind(line, quote)
            continue
        deeper_than = None
        found = _UNQUOTED.match(line)
        if found is not None:
            return Place(place.path, number, found.end() - 1)
        if _OPENS_TEXT.search(line[-80:]) and not line.lstrip().startswith("#"):
            deeper_than = indent
        opened = _OPENS_A_QUOTE.match(line)
        quote = "" if opened is None else _quote_behind(opened["rest"], opened["quote"])
    return None


def _quote_behind(text: str, quote: str) -> str:
    """The quote that is still open behind a text that stands in one; empty if it is closed there."""
    return "" if quote in _ESCAPED[quote].sub("", text) else quote
