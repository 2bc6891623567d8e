"""Secrets that are known by their form: the table of `secrets.toml`, and a few forms that need a second look."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from functools import cache, cached_property

from nodeworthy.known.secret_names import Holds, is_secret, is_users_sample, table
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# start, end, what it is
Found = tuple[int, int, str]

_URL = pattern(r"://(?P<user>[^\s/:@\"'<>]{0,64}):(?P<value>[^\s/@\"'<>]{1,4096})@")
_AUTHORIZATION = pattern(r"(?:earer|asic)[ \t]+(?P<value>[\w.~+/-]{8,4096}=*)")
# In JSON, in YAML, in containerd's TOML.
_DOCKER_AUTH = pattern(
    r"auth\\?[\"']?[ \t]{0,8}[:=][ \t]{0,8}\\?[\"']?(?P<value>[A-Za-z0-9+/]{4,4096}={0,2})(?=\\|[\"'\s]|$)"
)
_DOCKER_AUTHS = ('auth"', 'auth\\"', "auth:", "auth =", "auth=")
_SHORTEST = 12
_IN_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


@dataclass(frozen=True)
class Shape:
    what: str
    marks: tuple[str, ...]
    written: str
    # Too little for a finding, and enough to hide it.
    doubtful: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.written)  # few texts hold one of its marks


@cache
def shapes() -> tuple[Shape, ...]:
    rows = table()["shape"]
    return tuple(Shape(row["what"], tuple(row["marks"]), row["pattern"], row.get("doubtful", False)) for row in rows)


@cache
def forms() -> frozenset[str]:
    """What each of them is, in a reader's words."""
    return frozenset(each.what for each in shapes() if not each.doubtful)


@cache
def _marks(doubtful: bool) -> tuple[tuple[str, Shape], ...]:
    return tuple((mark, shape) for shape in shapes() if shape.doubtful is doubtful for mark in shape.marks)


def by_shape(text: str) -> Iterator[Found]:
    yield from by_form(text)
    if "://" in text:
        yield from _passwords_in_urls(text)
    if "earer " in text or "asic " in text:
        yield from _authorizations(text)
    if any(form in text for form in _DOCKER_AUTHS):
        yield from _docker_auths(text)


def by_form(text: str, *, doubtful: bool = False) -> Iterator[Found]:
    """Those whose maker gave them their form: wherever one stands, it is one; or else may be one."""
    # Most of a script is short words, and no form is short: looking for sixty marks in what is left costs little.
    long = " ".join([word for word in text.split() if len(word) >= _SHORTEST])
    for mark, shape in _marks(doubtful):
        if mark in (text if " " in mark else long):
            yield from _of_shape(text, mark, shape)


def _of_shape(text: str, mark: str, shape: Shape) -> Iterator[Found]:
    start = text.find(mark)
    while start >= 0:
        after = start + len(mark)
        # `task-…` holds no `sk-…`; of a run of such characters only the beginning is looked at.
        if mark[0] == "-" or begins_a_word(text, start):
            found = shape.pattern.match(text, start)
            if found is not None:
                after = found.end()
                if not _made_up(found[0][len(mark) :]):
                    yield *found.span("value" if "value" in shape.pattern.groupindex else 0), shape.what
        start = text.find(mark, after)


def begins_a_word(text: str, start: int) -> bool:
    """Also behind `\\n`, as a text has it that was written into another one."""
    return (
        start == 0
        or text[start - 1] not in _IN_WORD
        or (text[start - 1] in "nrt" and text[start - 2 : start - 1] == "\\")
    )


def _made_up(value: str) -> bool:
    """`ghp_xxxxxxxx`, `ghp_YOUR_TOKEN_HERE`: nobody's token."""
    return len(set(value)) <= 2 or "xxxxxx" in value.lower() or "EXAMPLE" in value


def _passwords_in_urls(text: str) -> Iterator[Found]:
    for found in _at(text, "://", _URL):
        sample = is_users_sample(found["user"], found["value"])
        if not sample and is_secret(found["value"], Holds.PASSWORD):
            yield *found.span("value"), "a password in a URL"


def _authorizations(text: str) -> Iterator[Found]:
    for found in (*_at(text, "earer ", _AUTHORIZATION), *_at(text, "asic ", _AUTHORIZATION)):
        value, basic = found["value"], found[0].startswith("asic")
        if _is_user_and_password(value) if basic else is_secret(value, Holds.TOKEN):
            yield *found.span("value"), "a password in base64" if basic else "a token"


def _docker_auths(text: str) -> Iterator[Found]:
    for found in _at(text, "auth", _DOCKER_AUTH):
        if _is_user_and_password(found["value"]):
            yield *found.span("value"), "Docker credentials in base64"


def _at(text: str, mark: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    start = text.find(mark)
    while start >= 0:
        found = pattern.match(text, start)
        if found is not None:
            yield found
        start = text.find(mark, found.end() if found is not None else start + len(mark))


def _is_user_and_password(encoded: str) -> bool:
    try:
        decoded = base64.b64decode(encoded, validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return False
    user, colon, password = decoded.partition(":")
    return bool(user and colon and password) and decoded.isprintable()
