"""What a secret is called, and whether what stands behind such a name can be one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache, lru_cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_WORDS = pattern(r"[_\-.]+|(?<=[a-z0-9])(?=[A-Z])")
_COUNTED = pattern(r"(?<=[A-Za-z])[_-]?\d{1,2}$")
_SEPARATORS = str.maketrans("", "", "_-.")
# As jq has it, too: `.Credentials.SessionToken,`.
_OF_CODE = pattern(r"(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|(?:\.[A-Za-z_]\w*)+),?")
_BOOTSTRAP_TOKEN = pattern(r"[a-z0-9]{6}\.[a-z0-9]{16}")
# `--insecure-no-password`, `--ask-pass`: whether there is one, or who is asked for it.
_ASKS_WHETHER = frozenset("ask disable empty ignore no prompt skip without".split())
# `SUPER_LONG_PASSWORD_32BITS`: what is to stand there, in words.
_IN_CAPITALS = pattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+){2,12}")
_NAMES_ONE = frozenset("PASSWORD SECRET TOKEN".split())
# What is filled in, and what is left of it that may tell something.
_REFERENCE = pattern(
    r"\$\{[^}]{0,200}\}|\$\([^)]{0,200}\)|\$[A-Za-z_]\w{0,64}|\{\{[^}]{0,200}\}\}|`[^`]{0,200}`|#\{[^}]{0,200}\}#"
    r"|<[A-Za-z][\w .-]{0,64}>"
)
_LEFT = pattern(r"[\w+/=.~!@%^*-]{6,}")
_SCHEME = pattern(r"[a-z][\w+.-]*://")
_ROOTS = "etc|run|var|opt|root|home|Users|tmp|mnt|dev|proc|usr|srv|data|secrets?"
_PATH = pattern(rf"(?:~|\.{{1,2}})?/(?:{_ROOTS})(?:/|$)|(?:~|\.{{1,2}})/")
# `forti/cloud-init/FWB.lic`: what is written in base64 has no dot.
_FILE_IN_A_FOLDER = pattern(r"(?:[\w.-]{1,64}/){1,16}[\w-]{1,64}\.[A-Za-z]\w{1,5}")
# Kiali ships `CHANGEME00000000` as the key that it signs with.
_TO_BE_CHANGED = pattern(r"change[-_]?me")
# `SIGNING_KEY: 229F…22BF`: which of OpenPGP's keys it is.
_FINGERPRINT = pattern(r"[0-9A-F]{40}|[0-9A-F]{16}")
# Reloader writes a hash of what a Secret holds into the pods that take it: `STAKATER_TLS_SECRET`.
_OF_RELOADER = "STAKATER_"
_HASH = pattern(r"[0-9a-f]{40}")
_OF_A_SIGNATURE = pattern(r"sign|gpg|pgp")
# What a token costs.
_A_FRACTION = pattern(r"\d*\.\d+(?:e-?\d+)?")
_A_WORD = pattern(r"[a-z]+(?:[-_.][a-z]+)*|[A-Z]+(?:[-_.][A-Z]+)*|[A-Z][a-z]+|[a-z]{2,}(?:[A-Z][a-z]+)+|[0-9]+")
# `masterToken: "Access token of all users"` says what one is.
_A_SENTENCE = pattern(r"[A-Za-z][a-z']*(?: [A-Za-z][a-z']*){3,24}\.?")
# `minio-s3-creds`, `k8s-registry-login`.
_WORDS_OF_WHICH_ONE_HAS_A_DIGIT = pattern(r"(?:[a-z]{3,}[-_.])*[a-z][0-9][a-z]?(?:[-_.][a-z]{3,})+")
# What a shell, Helm, Jinja and whoever marks its places with `#{ … }#` fill in.
_FILLED_IN = ("$", "`", "{{", "#{")
# Python's texts, and what somebody's own program fills in: `nbt_{key}.{secret}`.
_IN_BRACES = pattern(r"\{[A-Za-z_][\w.]{0,40}\}")
# `'--certificate-key ' + name`: what stands between two texts that are put together.
_PUT_TOGETHER = pattern(r"\s*[+~]\s")
# `__LITELLM_KEY__`, `#INIT_PASSWORD#`: a place that somebody's own program fills in.
_MARKED = pattern(r"(__|#)[A-Z][A-Z0-9_]{1,60}\1")
_OPENING, _CLOSED = "<{[(%@", ">}])%@"


class Holds(Enum):
    PASSWORD = "password"
    TOKEN = "token"


# `existingSecretAdminPassword: harbor-admin`, `existingStoreSecret: thanos-s3`: the Secret that holds it, by its name.
_NAMES_A_SECRET = pattern(r"existing\w{0,32}secret")
# `kfy_0000…`: no secret ends in as many of one letter; what shows its form is filled up with them.
_FILLED_UP = 8
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
    prefixes: tuple[str, ...]
    shortest_with_prefix: int
    holds: tuple[str, ...]
    words: frozenset[str]
    defaults: frozenset[str]
    well_known: frozenset[str]
    references: tuple[str, ...]
    users: frozenset[str]


@cache
def table() -> Mapping[str, Any]:
    return table_of("secrets")


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
        prefixes=tuple(row["prefixes"]),
        shortest_with_prefix=row["shortest_with_prefix"],
        holds=tuple(row["holds"]),
        words=frozenset(row["words"]),
        defaults=frozenset(row["defaults"]),
        well_known=frozenset(row["well_known"]),
        references=tuple(row["references"]),
        users=frozenset(row["users"]),
    )


@cache
def _shipped() -> Mapping[tuple[str, str], str]:
    return {(row["key"].lower(), row["value"]): row["chart"] for row in table()["shipped"]}


@cache
def keys_below() -> tuple[str, ...]:
    """How the keys end below which stands what the keys of a Secret are called."""
    return tuple(table()["names"]["keys_below"])


@cache
def kept_secret() -> Mapping[str, Sequence[str]]:
    """Attributes that Terraform's providers mark as sensitive, and of which types of resources; `*` is any."""
    return table()["kept_secret"]  # type: ignore[no-any-return]


@lru_cache(maxsize=4096)
def holds(name: str) -> Holds | None:
    """What a variable, a key or a flag of this name holds, if that is a secret."""
    whole, names = _whole(name), _names()
    if whole.endswith(names.never) or _NAMES_A_SECRET.match(whole) or _asks_whether(name):
        return None
    if whole.endswith(names.password) or _last_word(name) in names.password_words:
        return Holds.PASSWORD
    is_one = whole.endswith(names.token) or _last_word(name) in names.token_words or _opens_somebodys(name)
    return Holds.TOKEN if is_one else None


def _asks_whether(name: str) -> bool:
    *before, _ = _WORDS.split(name)
    return any(each.lower() in _ASKS_WHETHER for each in before)


def _opens_somebodys(name: str) -> bool:
    """`tailscale_key`, `WANDB-KEY`, `datadogKey`, `netbirdkey`."""
    *before, last = _WORDS.split(name_without_number(name))
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
    if whole.endswith(names.never) or _NAMES_A_SECRET.match(whole):
        return None
    if not (whole.endswith(names.doubtful) or _last_word(name) in names.doubtful_words):
        return None
    return Holds.PASSWORD if _last_word(name) == "pw" else Holds.TOKEN


def may_hold_several(name: str) -> Holds | None:
    """What the items of a list are: `tokens:`, `passwords:`."""
    return may_hold(name) or (holds(name[:-1]) if name[-1:] in ("s", "S") else None)


def _whole(name: str) -> str:
    """The name as the table has it; a second token with a number is one as well."""
    return name_without_number(name).translate(_SEPARATORS).lower()


def name_without_number(name: str) -> str:
    """The name that `join_token_2` counts."""
    return _COUNTED.sub("", name)


def _last_word(name: str) -> str:
    return _WORDS.split(name)[-1].lower()


def is_default(value: str) -> bool:
    """`changeme`: what stands there until somebody fills it in, or until everybody knows it."""
    return value.strip().lower() in _placeholders().defaults


def is_well_known(value: str) -> bool:
    """`postgres`: what everybody gives to a service that runs on a machine of one's own."""
    return value.strip().lower() in _placeholders().well_known


def chart_that_ships(name: str, value: str) -> str | None:
    """The chart that gives this value where its user gives none: `prom-operator`."""
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
        return any(len(set(part)) > 1 for part in value.split("."))
    if "{" in value and _IN_BRACES.search(value):
        return False
    if _is_placeholder(value, lowered, kind) or _is_reference(value, lowered):
        return False
    if _names_its_key(name, value) or (name.startswith(_OF_RELOADER) and _HASH.fullmatch(value)):
        return False
    if kind is Holds.TOKEN:
        if _A_SENTENCE.fullmatch(value) or (_OF_A_SIGNATURE.search(name.lower()) and _FINGERPRINT.fullmatch(value)):
            return False
        return _A_WORD.fullmatch(value) is None and _WORDS_OF_WHICH_ONE_HAS_A_DIGIT.fullmatch(value) is None
    # A script that counts its tests calls them so as well.
    return name.lower() not in ("pass", "pwd") or not value.isalnum()


def _names_its_key(name: str, value: str) -> bool:
    """`db_secret_key_password: password`, `_app_secret_key: _app_secret`: by which name it is kept."""
    whole, said = name.lower(), value.lower()
    *before, last = _WORDS.split(whole)
    return (last == said and "key" in before) or whole.removesuffix("key").rstrip("_-") == said != whole


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
    """Whether it has letters and digits, as no word of a language has."""
    return any(map(str.isalpha, text)) and any(map(str.isdigit, text))


def _is_placeholder(value: str, lowered: str, kind: Holds) -> bool:
    known = _placeholders()
    if lowered in known.defaults or (kind is Holds.TOKEN and _TO_BE_CHANGED.search(lowered)):
        return kind is Holds.TOKEN
    # `--token= --password=`: the next option; `-----BEGIN`: what has a form is known by it.
    if lowered in known.words or lowered.startswith(("--", *known.begins)):
        return True
    if (value[0] in _OPENING and value[-1] in _CLOSED) or _A_FRACTION.fullmatch(value) or _MARKED.fullmatch(value):
        return True
    if len(value) < 80 and any(each in lowered for each in known.holds):
        return True
    if len(value) < known.shortest_with_prefix and lowered.startswith(known.prefixes):
        return True
    # PASSWORD, JOIN_TOKEN: the name of what is to stand there.
    filled_up = (len(value) > 3 and len(set(value[:64])) <= 2) or value.endswith(value[-1] * _FILLED_UP)
    return filled_up or (value.isupper() and _names_one(value))


def _names_one(capitals: str) -> bool:
    if holds(capitals) is not None:
        return True
    return _IN_CAPITALS.fullmatch(capitals) is not None and not _NAMES_ONE.isdisjoint(capitals.split("_"))


def _is_reference(value: str, lowered: str) -> bool:
    if lowered.startswith(_placeholders().references) or _SCHEME.match(lowered):
        return True
    if _PATH.match(value) or _OF_CODE.fullmatch(value) or _PUT_TOGETHER.match(value):
        return True
    if _FILE_IN_A_FOLDER.fullmatch(value):
        return True
    # `prod/gpu/registry`: the name of a secret in a store, or a path without its root.
    return "/" in value and value == lowered and not value.endswith("=")


def word_in_name(name: str) -> str:
    """What a name says that it holds."""
    told = name_without_number(name).lower()
    if told.endswith("code"):
        return "an activation code"
    if told.endswith(("sas", "sas_string", "sasstring", "sas_url", "sas_uri")):
        return "a shared access signature"
    ending = next((each for each in ("token", "key", "secret") if told.endswith(each)), "password")
    return f"a {ending}"
