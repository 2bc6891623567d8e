"""What `$'…'` means."""

from __future__ import annotations

import re

from nodeworthy.patterns import pattern

_ESCAPE = pattern(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(.)|(.))", re.DOTALL)
_NAMED = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_KNOWN = frozenset("\\'\"?")


def ansi(text: str) -> str:
    return _ESCAPE.sub(_meant, text)


def _meant(found: re.Match[str]) -> str:
    octal, hexadecimal, short, long, control, named = found.groups()
    if octal:
        return chr(int(octal, 8) & 0xFF)
    code = hexadecimal or short or long
    if code:
        number = int(code, 16)
        return chr(number) if number <= 0x10FFFF else "\ufffd"
    if control:
        return chr(ord(control) & 0x1F)
    return _NAMED.get(named) or (named if named in _KNOWN else found.group())
