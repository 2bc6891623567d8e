"""Finds what nobody should read in a text: tokens, passwords, private keys.

By shape (`ghp_…`, a private key), by name (`PASSWORD=…`, `--token …`, `apiKey: …`) and by the command that takes it
(`curl -u user:…`). Never by how random it looks: certificates, hashes and digests do too. What is filled in when the
script runs (`$TOKEN`, `$(aws …)`), what points to a secret (a path, an ARN) and what only stands for one (`<TOKEN>`)
is none. Linear in the text, whatever it holds.
"""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache, cached_property, lru_cache

from nodeworthy.known.secret_names import Holds, holds, is_secret, is_users_sample, table, word_in_name
from nodeworthy.known.secrets_by_name import secrets_by_name
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# start, end, what it is
Found = tuple[int, int, str]

# Secrets that are known by their form: the table of `secrets.toml`, and a few forms that need a second look.

# kubectl's `{.spec.clusterIP}:{.spec.ports[?(@.name=="http")].port}` is no user with a password.
_URL = pattern(r"://(?P<user>[^\s/:@\"'<>]{0,64}):(?!\{)(?P<value>[^\s/@\"'<>]{1,4096})@")
# GitHub takes a token for the user, and this word behind it.
_IN_PLACE_OF_A_PASSWORD = "x-oauth-basic"
_AUTHORIZATION = pattern(r"(?:earer|asic)[ \t]+(?P<value>[\w.~+/-]{8,4096}=*)")
# In JSON, in YAML, in containerd's TOML.
_DOCKER_AUTH = pattern(
    r"auth\\?[\"']?[ \t]{0,8}[:=][ \t]{0,8}\\?[\"']?(?P<value>[A-Za-z0-9+/]{4,4096}={0,2})(?=\\|[\"'\s]|$)"
)
_DOCKER_AUTHS = ('auth"', 'auth\\"', "auth:", "auth =", "auth=")
_SHORTEST = 12
_FAR_BEFORE = 16
_IN_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


@dataclass(frozen=True)
class Shape:
    what: str
    marks: tuple[str, ...]
    written: str
    # Too little for a finding, and enough to hide it.
    doubtful: bool = False
    # What stands before its mark, where it does not begin with it.
    before: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.written)  # few texts hold one of its marks

    @cached_property
    def _before(self) -> re.Pattern[str]:
        return re.compile(rf"(?:{self.before})\Z")

    def begins(self, text: str, mark: int) -> int | None:
        """Where it begins whose mark stands there; None where that is the middle of another word."""
        if self.before:
            found = self._before.search(text, max(0, mark - _FAR_BEFORE), mark)
            return found.start() if found is not None and begins_a_word(text, found.start()) else None
        # `task-…` holds no `sk-…`; of a run of such characters only the beginning is looked at.
        return mark if text[mark] == "-" or begins_a_word(text, mark) else None


@cache
def shapes() -> tuple[Shape, ...]:
    rows = table()["shape"]
    return tuple(
        Shape(row["what"], tuple(row["marks"]), row["pattern"], row.get("doubtful", False), row.get("before", ""))
        for row in rows
    )


@cache
def forms() -> frozenset[str]:
    """What each of them is, in a reader's words."""
    return frozenset(each.what for each in shapes() if not each.doubtful)


@cache
def _marks(doubtful: bool) -> tuple[tuple[str, Shape], ...]:
    return tuple((mark, shape) for shape in shapes() if shape.doubtful is doubtful for mark in shape.marks)


def secrets_by_shape(text: str) -> Iterator[Found]:
    yield from by_form(text)
    if "://" in text:
        yield from _passwords_in_urls(text)
    if "earer " in text or "asic " in text:
        yield from _authorizations(text)
    if any(form in text for form in _DOCKER_AUTHS):
        yield from _docker_auths(text)


# Of the same text both kinds of forms are asked for.
@lru_cache(maxsize=1)
def _long_words(text: str) -> str:
    """Most of a script is short words, and no form is short: looking for sixty marks in what is left costs little."""
    return " ".join([word for word in text.split() if len(word) >= _SHORTEST])


def by_form(text: str, *, doubtful: bool = False) -> Iterator[Found]:
    """What has a form that its maker gave to secrets. It is a secret wherever it stands; with `doubtful`, what only may
    be one is found instead."""
    long = _long_words(text)
    for mark, shape in _marks(doubtful):
        if mark in (text if " " in mark else long):
            yield from _of_shape(text, mark, shape)


def _of_shape(text: str, mark: str, shape: Shape) -> Iterator[Found]:
    start = text.find(mark)
    while start >= 0:
        after = start + len(mark)
        begins = shape.begins(text, start)
        found = shape.pattern.match(text, start) if begins is not None else None
        if found is not None and begins is not None:
            after = found.end()
            if not _made_up(found[0][len(mark) :]):
                value = found.span("value") if "value" in shape.pattern.groupindex else (begins, after)
                yield *value, shape.what
        start = text.find(mark, after)


def begins_a_word(text: str, start: int) -> bool:
    """Whether a word begins here, also after `\\n` in a text that was written into another one."""
    return (
        start == 0
        or text[start - 1] not in _IN_WORD
        or (text[start - 1] in "nrt" and text[start - 2 : start - 1] == "\\")
    )


def _made_up(value: str) -> bool:
    """`ghp_xxxxxxxx`, `ghp_YOUR_TOKEN_HERE`: nobody's token."""
    return len(set(value)) <= 2 or "xxxxxx" in value.lower() or "EXAMPLE" in value or "YOUR_" in value


def _passwords_in_urls(text: str) -> Iterator[Found]:
    for found in matches_at(text, "://", _URL):
        if found["value"] == _IN_PLACE_OF_A_PASSWORD:
            if is_secret(found["user"], Holds.TOKEN):
                yield *found.span("user"), "a token in a URL"
            continue
        sample = is_users_sample(found["user"], found["value"])
        if not sample and is_secret(found["value"], Holds.PASSWORD):
            yield *found.span("value"), "a password in a URL"


def _authorizations(text: str) -> Iterator[Found]:
    for found in (*matches_at(text, "earer ", _AUTHORIZATION), *matches_at(text, "asic ", _AUTHORIZATION)):
        value, basic = found["value"], found[0].startswith("asic")
        if _is_user_and_password(value) if basic else is_secret(value, Holds.TOKEN):
            yield *found.span("value"), "a password in base64" if basic else "a token"


def _docker_auths(text: str) -> Iterator[Found]:
    for found in matches_at(text, "auth", _DOCKER_AUTH):
        if _is_user_and_password(found["value"]):
            yield *found.span("value"), "Docker credentials in base64"


def matches_at(text: str, mark: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
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
    user, _, password = decoded.partition(":")
    return bool(user and password) and decoded.isprintable() and not is_users_sample(user, password)


HIDDEN = "(secret)"
_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_QUOTES = " \t\"'\\"
_Found = tuple[int, int, str, str]


@dataclass(frozen=True, slots=True)
class Secret:
    """The place of a secret in a text, and what kind it is; never the secret itself."""

    start: int
    end: int
    # "a GitHub token"
    what: str
    # The variable, key or flag that holds it, where there is one.
    name: str
    line: int
    column: int


# One of these stands wherever a command is given a secret.
MARKS_OF_ARGUMENTS = (
    *("curl ", " login ", "mysql ", "config set ", "IDENTIFIED ", "identified ", "sudo -S"),
    *("credentials:", "pass", "token"),
)
# By these somebody may say what is taken where nobody gives another.
_DEFAULTS = (("{{", "default"), ("{{", "d("), ("{{", "_hash("), ("environ.get(",), ("getenv(",))


def spans(text: str) -> list[Secret]:
    """Every secret, in the order of the text; of two that overlap the one whose maker gave it its form."""
    found = _candidates(text)
    return list(_placed(text, _apart(found))) if found else []


def _candidates(text: str) -> list[_Found]:
    found = [(start, end, what, name_before(text, start)) for start, end, what in secrets_by_shape(text)]
    found += secrets_by_name(text)
    if any(all(mark in text for mark in each) for each in _DEFAULTS):
        from nodeworthy.known.secret_defaults import secrets_by_default

        found += secrets_by_default(text)
    if any(mark in text for mark in MARKS_OF_ARGUMENTS):
        from nodeworthy.known.secret_arguments import secrets_by_argument

        found += [(start, end, what, "") for start, end, what in secrets_by_argument(text)]
    return _with_those_of_sed(text, found) if "sed " in text else found


def _with_those_of_sed(text: str, found: list[_Found]) -> list[_Found]:
    from nodeworthy.known.secrets_of_sed import begins, secrets_of_sed

    written = list(secrets_of_sed(text))
    starts = [start for start, _, _ in written]

    def is_looked_for(each: _Found) -> bool:
        at = bisect_left(starts, each[1])
        return at < len(starts) and begins(text, starts[at]) < each[0]

    others = [each for each in found if not is_looked_for(each)] if written else found
    return [*others, *((start, end, what, "") for start, end, what in written)]


def what_is(name: str, value: str) -> str | None:
    """What this value is, where it is a secret. `name` is that of the key or the variable that holds it. A name with a
    slash is an annotation's (`checksum/secret`), and says nothing."""
    kind = holds(name) if "/" not in name else None
    if kind is not None and is_secret(value, kind, name):
        return word_in_name(name)
    return next((each.what for each in spans(value)), None)


def perhaps(text: str) -> list[Secret]:
    """The secrets of a text, and what may be one: better shown to nobody."""
    from nodeworthy.known.secret_doubts import doubtful_secrets

    return list(_placed(text, _apart([*_candidates(text), *doubtful_secrets(text)])))


def _apart(found: list[_Found]) -> Iterator[_Found]:
    """The secrets of a text with those merged that overlap: as wide as all of them, and called as the first in the
    list."""
    merged: list[tuple[int, _Found]] = []
    for rank, (start, end, what, name) in sorted(enumerate(found), key=lambda each: (each[1][0], each[0])):
        if not merged or start >= merged[-1][1][1]:
            merged.append((rank, (start, end, what, name)))
            continue
        first, (begins, ends, told, named) = merged[-1]
        merged[-1] = (min(first, rank), (begins, max(ends, end), told if first <= rank else what, named or name))
    return (each for _, each in merged)


def _placed(text: str, found: Iterable[_Found]) -> Iterator[Secret]:
    line, counted, begins = 1, 0, 0
    for start, end, what, name in found:
        line += text.count("\n", counted, start)
        begins = max(text.rfind("\n", counted, start) + 1, begins)
        counted = start
        yield Secret(start, end, what, name, line, start - begins + 1)


def name_before(text: str, start: int) -> str:
    """`NAME=`, `name: "`: the name, if what stands here is the value of one."""
    before = text[max(0, start - 80) : start].rstrip(_QUOTES)
    if before[-1:] not in ("=", ":") or before[-1:] == text[start - 1 : start] == ":":
        return ""
    before = before[:-1].rstrip(_QUOTES)
    name = before[len(before.rstrip(_NAME)) :].lstrip("-.")
    return "" if name == "value" else name  # of `name: TOKEN`, `value: …` the other one tells
