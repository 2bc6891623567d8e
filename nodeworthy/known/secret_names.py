"""What a secret is called, and whether what stands behind such a name can be one."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import Enum
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_WORDS = pattern(r"[_\-.]+|(?<=[a-z0-9])(?=[A-Z])")
_COUNTED = pattern(r"(?<=[A-Za-z])[_-]?\d{1,2}$")
_SEPARATORS = str.maketrans("", "", "_-.")
_OF_CODE = pattern(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_BOOTSTRAP_TOKEN = pattern(r"[a-z0-9]{6}\.[a-z0-9]{16}")
# What is filled in, and what is left of it that may tell something.
_REFERENCE = pattern(
    r"\$\{[^}]{0,200}\}|\$\([^)]{0,200}\)|\$[A-Za-z_]\w{0,64}|\{\{[^}]{0,200}\}\}|`[^`]{0,200}`|#\{[^}]{0,200}\}#"
    r"|<[A-Za-z][\w .-]{0,64}>"
)
_LEFT = pattern(r"[\w+/=.~!@%^*-]{6,}")
_SCHEME = pattern(r"[a-z][\w+.-]*://")
_ROOTS = "etc|run|var|opt|root|home|tmp|mnt|dev|proc|usr|srv|data|secrets?"
_PATH = pattern(rf"(?:~|\.{{1,2}})?/(?:{_ROOTS})(?:/|$)|(?:~|\.{{1,2}})/")
_A_WORD = pattern(r"[a-z]+(?:[-_.][a-z]+)*|[A-Z]+(?:[-_.][A-Z]+)*|[A-Z][a-z]+|[a-z]{3,}(?:[A-Z][a-z]{2,})+|[0-9]+")
# What a shell, Helm, Jinja and whoever marks its places with `#{ … }#` fill in.
_FILLED_IN = ("$", "`", "{{", "#{")
_OPENING, _CLOSING = "<{[(%@", ">}])%@"


class Holds(Enum):
    PASSWORD = "password"
    TOKEN = "token"


_SHORTEST = {Holds.PASSWORD: 4, Holds.TOKEN: 8}


@dataclass(frozen=True)
class _Names:
    password: tuple[str, ...]
    password_words: frozenset[str]
    token: tuple[str, ...]
    token_words: frozenset[str]
    keys_of: frozenset[str]
    doubtful: tuple[str, ...]
    doubtful_words: frozenset[str]
    never: tuple[str, ...]


@dataclass(frozen=True)
class _Placeholders:
    begins: tuple[str, ...]
    holds: tuple[str, ...]
    words: frozenset[str]
    defaults: frozenset[str]
    references: tuple[str, ...]
    users: frozenset[str]


@cache
def table() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("secrets.toml").read_text(encoding="utf-8"))


@cache
def _names() -> _Names:
    row = table()["names"]
    return _Names(
        password=tuple(row["password"]),
        password_words=frozenset(row["password_words"]),
        token=tuple(row["token"]),
        token_words=frozenset(row["token_words"]),
        keys_of=frozenset(row["keys_of"]),
        doubtful=tuple(row["doubtful"]),
        doubtful_words=frozenset(row["doubtful_words"]),
        never=tuple(row["never"]),
    )


@cache
def _placeholders() -> _Placeholders:
    row = table()["placeholders"]
    return _Placeholders(
        begins=tuple(row["begins"]),
        holds=tuple(row["holds"]),
        words=frozenset(row["words"]),
        defaults=frozenset(row["defaults"]),
        references=tuple(row["references"]),
        users=frozenset(row["users"]),
    )


@cache
def _shipped() -> Mapping[tuple[str, str], str]:
    return {(row["key"].lower(), row["value"]): row["chart"] for row in table()["shipped"]}


@lru_cache(maxsize=4096)
def holds(name: str) -> Holds | None:
    """What a variable, a key or a flag of this name holds, if that is a secret."""
    whole, names = _whole(name), _names()
    if whole.endswith(names.never):
        return None
    if whole.endswith(names.password) or _last_word(name) in names.password_words:
        return Holds.PASSWORD
    is_one = whole.endswith(names.token) or _last_word(name) in names.token_words or _opens_somebodys(name)
    return Holds.TOKEN if is_one else None


def _opens_somebodys(name: str) -> bool:
    """`tailscale_key`, `WANDB-KEY`, `datadogKey`, `netbirdkey`."""
    *before, last = _WORDS.split(uncounted(name))
    if not last.lower().endswith("key"):
        return False
    whose = last[: -len("key")] or "".join(before[-1:])
    return whose.lower() in _names().keys_of


@lru_cache(maxsize=4096)
def may_hold(name: str) -> Holds | None:
    """The same, for who shows it: with the names of which too many other things are called for a finding."""
    certain = holds(name)
    if certain is not None:
        return certain
    whole, names = _whole(name), _names()
    if whole.endswith(names.never) or not (whole.endswith(names.doubtful) or _last_word(name) in names.doubtful_words):
        return None
    return Holds.PASSWORD if _last_word(name) == "pw" else Holds.TOKEN


def may_hold_several(name: str) -> Holds | None:
    """What the items of a list are: `tokens:`, `passwords:`."""
    return may_hold(name) or (holds(name[:-1]) if name[-1:] in ("s", "S") else None)


def _whole(name: str) -> str:
    """As the table has it; the second token is one as well."""
    return uncounted(name).translate(_SEPARATORS).lower()


def uncounted(name: str) -> str:
    """The name that `join_token_2` counts."""
    return _COUNTED.sub("", name)


def _last_word(name: str) -> str:
    return _WORDS.split(name)[-1].lower()


def is_default(value: str) -> bool:
    """`changeme`: what stands there until somebody fills it in, or until everybody knows it."""
    return value.strip().lower() in _placeholders().defaults


def shipped_by(name: str, value: str) -> str | None:
    """Whose chart gives this where its user gives nothing: `prom-operator`."""
    return _shipped().get((name.rpartition(".")[2].lower(), value.strip()))


def is_users_sample(user: str, password: str) -> bool:
    """`user:pass`, as the words before a URL's host: they show what is to stand there."""
    return user.lower() in _placeholders().users and (holds(password) is not None or password.isupper())


def is_secret(value: str, kind: Holds, name: str = "") -> bool:
    """Whether this can be a secret: no reference to one, no placeholder, nothing that a machine fills in."""
    if len(value) < _SHORTEST[kind] or any(mark in value for mark in _FILLED_IN):
        return False
    lowered = value.lower()
    if _BOOTSTRAP_TOKEN.fullmatch(value):
        return True
    if _is_placeholder(value, lowered, kind) or _is_reference(value, lowered):
        return False
    if kind is Holds.TOKEN:
        return _A_WORD.fullmatch(value) is None
    # A script that counts its tests calls them so as well.
    return name not in ("pass", "PASS", "pwd", "PWD") or not value.isalnum()


def may_be_secret(value: str, kind: Holds, name: str = "") -> bool:
    """Whether this is better not shown: all but what says that it is no secret, a plain word for a password too."""
    bare = value.strip()
    lowered = bare.lower()
    if not bare or lowered in _placeholders().words or lowered.startswith("(secret"):
        return False
    if lowered in _placeholders().defaults:
        return is_secret(bare, kind, name)
    left = _REFERENCE.sub(" ", bare)
    if left != bare:  # `Bearer ${TOKEN}` says nothing; `$t4g1ng-…` does
        return any(is_mixed(each) for each in _LEFT.findall(left))
    if _is_placeholder(bare, lowered, kind) and not is_mixed(bare):
        return False
    if _is_reference(bare, lowered) and not (kind is Holds.PASSWORD and _OF_CODE.fullmatch(bare)):
        return False
    if kind is Holds.PASSWORD:
        # A script that counts its tests says how many pass.
        return name.lower() not in ("pass", "pwd") or _A_WORD.fullmatch(bare) is None
    return _A_WORD.fullmatch(bare) is None or _works_as_token(bare, name)


def _works_as_token(word: str, name: str) -> bool:
    """k3s takes any word, and a number. `secret: grafana-admin` names one."""
    if word.isdigit():
        return len(word) > 5 and name.translate(_SEPARATORS).lower() in ("token", "agenttoken", "jointoken")
    named = holds(name) is not None and not name.lower().endswith("secret")
    return named and len(word) > 3 and word in (word.lower(), word.upper()) and holds(word) is None


def is_mixed(text: str) -> bool:
    """Of letters and digits, as no word of a language is."""
    return any(map(str.isalpha, text)) and any(map(str.isdigit, text))


def _is_placeholder(value: str, lowered: str, kind: Holds) -> bool:
    known = _placeholders()
    if lowered in known.defaults:
        return kind is Holds.TOKEN
    if lowered in known.words or lowered.startswith(known.begins):
        return True
    if value[0] in _OPENING and value[-1] in _CLOSING:
        return True
    if len(value) < 80 and any(each in lowered for each in known.holds):
        return True
    # PASSWORD, JOIN_TOKEN: the name of what is to stand there.
    return (len(value) > 3 and len(set(value[:64])) <= 2) or (value.isupper() and holds(value) is not None)


def _is_reference(value: str, lowered: str) -> bool:
    if lowered.startswith(_placeholders().references) or _SCHEME.match(lowered):
        return True
    if _PATH.match(value) or _OF_CODE.fullmatch(value):
        return True
    # `prod/gpu/registry`: the name of a secret in a store, or a path without its root.
    return "/" in value and value == lowered and not value.endswith("=")
