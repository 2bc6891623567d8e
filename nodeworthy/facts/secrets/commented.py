"""What stands in a comment: an example, or what somebody switched off. Nothing reads it, and no password is one there.

What has a form of its own (a private key, `ghp_…`) is real wherever it stands."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.known.secrets import Secret, forms, spans

# A line is looked at no further back.
_LONGEST = 2000


def secrets_in(text: str) -> Iterator[Secret]:
    """Every secret of a text that something may read."""
    for each in spans(text):
        if each.what in forms() or not is_commented(text, each.start):
            yield each


def is_commented(text: str, at: int) -> bool:
    """In shell, YAML, TOML and what else begins a comment with `#`."""
    line = text[max(text.rfind("\n", max(0, at - _LONGEST), at) + 1, at - _LONGEST, 0) : at]
    quote = ""
    for index, char in enumerate(line):
        if quote:
            quote = "" if char == quote and line[index - 1] != "\\" else quote
        elif char in "\"'":
            quote = char
        elif char == "#" and (index == 0 or line[index - 1] in " \t"):
            return True
    return False
