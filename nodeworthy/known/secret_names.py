"""What a secret is called, and whether what stands behind such a name can be one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache, lru_cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_WORDS = pattern(r"[_\-.]+|(?<=[a-z0-9])(?=[A-Z])")
_COUNTED = pattern(r"(?<=[A-Za-z])[_-]?\d{1,2}$")
_SEPARATORS = str.maketrans("", "", "_-.")
_OF_CODE = pattern(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
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
# Kiali ships `CHANGEME00000000` as the key that it signs with.
_TO_BE_CHANGED = pattern(r"change[-_]?me")
# `SIGNING_KEY: 229F…22BF`: which of OpenPGP's keys it is.
_FINGERPRINT = pattern(r"[0-9A-F]{40}|[0-9A-F]{16}")
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
        return True
    if "{" in value and _IN_BRACES.search(value):
        return False
    if _is_placeholder(value, lowered, kind) or _is_reference(value, lowered):
        return False
    if _names_its_key(name, value):
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
    # `prod/gpu/registry`: the name of a secret in a store, or a path without its root.
    return "/" in value and value == lowered and not value.endswith("=")


# Secrets that are known by their name: `PASSWORD=…`, `--token …`, `apiKey: …`, `${TOKEN:-…}`.

# start, end, what it is, what it is called
Found = tuple[int, int, str, str]
# What stands behind a name that ends here, and from where to look on.
Look = Callable[[str, str, int], tuple[list[Found], int]]

# What every name of a secret has in it.
WORDS = ("pass", "token", "secret", "key", "pwd", "activationcode", "sas")
_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_LONGEST_NAME = 64
_REST = pattern(r"[\w.-]{0,64}", re.ASCII)
VALUE = (
    r"(?:\\\"(?P<escaped>[^\"\\\n]{1,512})|\"(?P<double>(?:[^\"\\\n]|\\.){1,512})|'(?P<single>[^'\n]{1,512})"
    r"|(?P<bare>[^\s\"'`;|&<>()\[\]{},\\#][^\s\"'`;|&<>()\[\]{},\\]{0,511}))"
)
_ASSIGNED = pattern(r"(?:\\?[\"'])?\]?[ \t]{0,8}(?P<by>:=|=>|=(?![=~])|:(?=[\s\"'\\]))[ \t]{0,8}" + VALUE)
# Ruby, Perl and PowerShell set a variable so: `$kubeadm_token = "…"`.
_OF_A_GLOBAL = pattern(r"[ \t]{0,8}(?P<by>=)[ \t]{0,8}(?=[\"'])" + VALUE)
_DEFAULTED = pattern(r"(?P<by>:-|:=|-|=)" + VALUE)
# `TOKEN=${2:-"…"}`: what a script takes where nobody gives it its second word.
_OF_A_WORD = pattern(r"=\"?\$\{[1-9]\d?(?P<by>:-|-)" + VALUE)
_BEHIND_A_FLAG = pattern(r"(?P<by>[ \t]{1,8}(?:\\\n[ \t]{0,16})?)(?!-)" + VALUE)
# `"--token", "…"`; `- --token` and below it `- …`
_IN_A_LIST = pattern(
    r"(?P<by>[\"'][ \t]{0,4},[ \t\n]{1,40}(?=[\"'])|[ \t]{0,4},[ \t]{1,4}"
    r"|[\"']?[ \t]{0,4}\n[ \t]{0,40}-[ \t]{1,4})(?![\"']?-)" + VALUE
)
_ENDS_AN_ITEM = pattern(r"[\"']?[ \t]*(?:[,\]\n]|$)")
_BEHIND_SPACE = pattern(r"(?P<by>[ \t]{1,4})" + VALUE)
# `name: TOKEN` and its `value:` behind it, as containers have them.
_BESIDE = pattern(r"[\"']?(?:[ \t]{0,8},)?\s{1,200}[\"']?value[\"']?[ \t]{0,8}(?P<by>:)[ \t]{0,8}" + VALUE)
_ENDS_ANOTHER_WORD = ("}", ")", "]", ">")
_CLOSING = {"escaped": '\\"', "double": '"', "single": "'"}
GROUPS = (*_CLOSING, "bare")
# `gitlab:token`: whose key it is, as a Pulumi stack's config has it.
_NAMESPACE = pattern(r"[\w.-]{1,64}:\Z", re.ASCII)
# Behind what a key may stand, apart from the beginning of a line.
_HEADER = pattern(r"-[A-Za-z]{1,8}H\Z")  # curl's flags in one word: -fsSH
_BEFORE_A_KEY = ("-", "{", ",", "[", "(", "-H", "header", "|")


def secrets_by_name(text: str) -> Iterator[Found]:
    yield from by_words(text, WORDS, _found_by_name)


# Of Pulumi: behind it stands what the secret is called.
_KEEPS = "config set --secret "


def by_words(text: str, words: Iterable[str], look: Look) -> Iterator[Found]:
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text  # a letter whose small form is longer: positions would not agree
    for word in words:
        start = lowered.find(word)
        while start >= 0:
            end = start + len(word)
            rest = _REST.match(text, end)
            end = rest.end() if rest is not None else end
            name = name_at(text, start, end)
            at = end - len(name)
            is_other = _names_a_file(text, at) or _may_be_left_out(text, at) or _is_left_out(text, at)
            found, end = ([], end) if is_other else look(text, name, end)
            yield from (each for each in found if not text.endswith(_KEEPS, 0, each[0]))
            start = lowered.find(word, end)


def name_at(text: str, word: int, end: int) -> str:
    """All of a name in which a word stands; in `\\nTOKEN=`, written into another text, the n is no letter of it."""
    before = text[max(0, word - _LONGEST_NAME) : word]
    name = before[len(before.rstrip(_NAME)) :] + text[word:end]
    start = end - len(name)
    return name[1:] if start and text[start - 1] == "\\" and text[start] in "nrt" and start < word else name


def _found_by_name(text: str, name: str, end: int) -> tuple[list[Found], int]:
    kind = holds(name)
    if kind is None:
        return [], end
    start = end - len(name)
    match = behind(text, name, start, end)
    if match is None:
        return [], end
    group = group_of(match)
    begins, ends = match.span(group)
    if not is_secret(match[group], kind, name) or is_prose(text, start, match) or is_asked_for(text, start):
        return [], begins
    if _closes_a_text(text, start, end, group) or _OF_A_TEST.match(name) or _is_shown(text, start, match):
        return [], ends
    if is_digest(text, begins, ends) or (group == "bare" and is_variable(text, start, match)):
        return [], ends
    if group == "bare" and match["by"] == ":" and _is_said(text, ends, kind):
        return [], ends
    if group == "bare" and text[ends : ends + 1] in ("(", "["):
        return [], ends  # code: what comes of it is not known here
    # `line 4: TOKEN=…: command not found`
    ends = _to_its_end(text, group, ends) - (group == "bare" and text[ends - 1] == ":")
    return [(begins, ends, word_in_name(name), name.lstrip("-."))], ends


# What a script of tests logs in with where it runs.
# Vagrant's `config.ssh.password` is that of every machine made from a box.
_OF_A_TEST = pattern(r"(?i)test[_-]|(?:\w+\.)?ssh\.password\Z")
_SHOWS_USAGE = pattern(r"(?i)\$0|usage|example|--help")


def _closes_a_text(text: str, start: int, end: int, group: str) -> bool:
    """`grep -q "TOKEN=" .env`: the quote behind it ends what began before the name."""
    quote = {"double": '"', "single": "'"}.get(group)
    if quote is None or text[end : end + 1] not in ("=", ":") or text[end + 1 : end + 2] != quote:
        return False
    return text.count(quote, _line(text, start), start) % 2 == 1


def _is_shown(text: str, start: int, match: re.Match[str]) -> bool:
    """`echo "  $0 --password mine"`, `"(User: admin, Password: mine)"`: what tells somebody how it is used."""
    by, line = match["by"].strip(" \t\\\n"), text[_line(text, start) : start].strip(" -\t\"'")
    if not by:
        return line.startswith(("echo ", "printf ")) and _SHOWS_USAGE.search(line) is not None
    if by != ":":
        return False
    said = line.rpartition('"')[2].strip()
    return line.endswith("(") or (said.endswith(",") and said[:1].isalpha() and not {"{", "["} & set(said))


# `token: JupyterHub API token` says what one is.
_WORDS_BEHIND = pattern(r"(?:[ \t]{1,4}[A-Za-z]{2,20}){2}(?![\w/=+])")
# `- password: unavailable — run make`
_DASH_BEHIND = pattern(r"[ \t]{1,4}[—–][ \t]")


def _is_said(text: str, end: int, kind: Holds) -> bool:
    """Whether a sentence goes on behind it."""
    words = kind is Holds.TOKEN and _WORDS_BEHIND.match(text, end)
    return bool(words or _DASH_BEHIND.match(text, end))


def group_of(match: re.Match[str]) -> str:
    """How the value is quoted."""
    return next(each for each in GROUPS if match[each] is not None)


def word_in_name(name: str) -> str:
    """What a name says that it holds."""
    told = name_without_number(name).lower()
    if told.endswith("code"):
        return "an activation code"
    if told.endswith(("sas", "sas_string", "sasstring", "sas_url", "sas_uri")):
        return "a shared access signature"
    ending = next((each for each in ("token", "key", "secret") if told.endswith(each)), "password")
    return f"a {ending}"


def behind(text: str, name: str, start: int, end: int) -> re.Match[str] | None:
    held = text[max(0, start - 2) : start]
    if held.endswith(("${", "{!")):
        # A variable that is read: only what stands in for it can be a secret.
        return _DEFAULTED.match(text, end)
    if held.endswith("$") and not text[_line(text, start) : start - 1].strip():
        return _OF_A_GLOBAL.match(text, end)
    if held.endswith(("$", "{{", "/")):
        return None
    next_ = text[end : end + 9].lstrip(" \t")[:1]
    if next_ and next_ in "=:\"'\\]":
        found = _OF_A_WORD.match(text, end) or _ASSIGNED.match(text, end)
        if found is not None:
            return found
    if name[0] == "-":
        if text[max(0, start - 1) : start] in _ENDS_ANOTHER_WORD:
            return None  # `{{ .Values.name }}-secret`
        if name.startswith("-pp"):
            return None  # `mysql -ppassword argo`: the word itself is what is given
        return _BEHIND_A_FLAG.match(text, end) or _listed(text, end)
    lowered = name.lower()
    # `aws configure set …`; SQL's `PASSWORD '…'`
    if lowered == "aws_secret_access_key" or (lowered == "password" and text[end : end + 2] == " '"):
        return _BEHIND_SPACE.match(text, end)
    return _BESIDE.match(text, end) if _is_value_of_name(text, start) else None


def _listed(text: str, end: int) -> re.Match[str] | None:
    """The next item of the list in which a flag stands."""
    found = _IN_A_LIST.match(text, end)
    return found if found is not None and _ENDS_AN_ITEM.match(text, found.end()) else None


def _is_value_of_name(text: str, start: int) -> bool:
    return text[max(0, start - 8) : start].rstrip("\"' \t").endswith(("name:", 'name":'))


def is_prose(text: str, start: int, match: re.Match[str]) -> bool:
    """`echo "token: done"`: a colon makes a key only where a key can stand; so does a flag in a comment."""
    by = match["by"].strip(" \t\\\n")
    if by not in ("", ":"):
        return False
    line = text[_line(text, start) : start]
    if not by:
        return line.lstrip().startswith("#") and match[0].strip(" '\"").isalpha()
    of = _NAMESPACE.search(line)
    before = (line[: of.start()] if of is not None else line).rstrip(" \t\"'\\")
    is_key = before.endswith(_BEFORE_A_KEY) or _HEADER.search(before)
    return bool(before) and not is_key and not _is_value_of_name(text, start)


# As long as those of MD5 and of the SHAs are.
_DIGEST = pattern(r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}")
_OF_A_DIGEST = pattern(r"(?i)sha-?\d|md5|hash|digest")


def is_digest(text: str, start: int, end: int) -> bool:
    """Where its line says so: `password="c120dc…" encoding="sha256"`."""
    if _DIGEST.fullmatch(text, start, end) is None:
        return False
    closes = text.find("\n", end, end + 200)
    after = text[end : closes if closes >= 0 else end + 200]
    return _OF_A_DIGEST.search(text, _line(text, start), start) is not None or _OF_A_DIGEST.search(after) is not None


def is_variable(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the text is a program's: `self.password = password`, `made['password'] = db_password`, `{"Password":
    admin_pw}`. A shell has no spaces there, and JSON no word without quotes."""
    if not match["bare"].isidentifier() or may_hold(match["bare"]) is None:
        return False
    by = match.start("by")
    if match["by"] == "=>":
        return True
    if match["by"] == "=":
        return text[by - 1 : by].isspace()
    behind = text[match.end() : match.end() + 1]
    is_named = match["bare"].startswith("_") or text[start - 1 : start] in ("'", '"')
    return match["by"] == ":" and is_named and behind in (",", "}")


def is_asked_for(text: str, start: int) -> bool:
    """`set /p PASSWORD="Enter it: "`: what Windows' shell asks somebody."""
    return text[max(0, start - 8) : start].lower().rstrip('"').endswith("set /p ")


# `kubectl create secret generic x --from-file=password=FILE`, `helm install … --set-file db.password=FILE`
_OF_A_FILE = ("--from-file=", "--from-file ", "--set-file=", "--set-file ")


_OPTIONAL = pattern(r"\[--[\w-]{1,64}[ =][^\[\]\n]{1,64}\]")


def _may_be_left_out(text: str, start: int) -> bool:
    """`[--password 'mine']`: how a program's options are shown."""
    return _OPTIONAL.match(text, max(0, start - 1)) is not None


def _is_left_out(text: str, start: int) -> bool:
    """`;admin_password = admin`: in settings as Grafana and PHP have them, such a line is none."""
    line = text[_line(text, start) : start]
    return line.lstrip(" \t") in (";", "; ") or _is_told_to_somebody(text, start)


# `msg: "… add -e admin_pwd=mine to the call"`: how a task of Ansible's tells somebody what is missing.
_OF_A_MESSAGE = pattern(r"[ \t]*(?:-[ \t]+)?(?:fail_|success_)?msg:[ \t]+[\"']?[A-Z]")
_LONGEST_MESSAGE = 600


def _is_told_to_somebody(text: str, start: int) -> bool:
    if not text.endswith(("-e ", "--extra-vars "), max(0, start - 13), start):
        return False
    begins = text.rfind("\n", max(0, start - _LONGEST_MESSAGE), start) + 1
    return _OF_A_MESSAGE.match(text, begins) is not None


def _names_a_file(text: str, start: int) -> bool:
    """Whether a command is told which file holds it."""
    return text.endswith(_OF_A_FILE, max(0, start - len(_OF_A_FILE[0])), start)


def _line(text: str, at: int) -> int:
    """Where its line begins, or where that was a line before it was written into another text; no further than this."""
    near = max(0, at - 200)
    written = text.rfind("\\n", near, at)
    return max(text.rfind("\n", near, at) + 1, written + 2 if written >= 0 else 0, near)


def _to_its_end(text: str, group: str, end: int) -> int:
    """However long it is: what is hidden is hidden as a whole."""
    closing = _CLOSING.get(group)
    if closing is None or text.startswith(closing, end):
        return end
    line = text.find("\n", end)
    found = text.find(closing, end, line if line >= 0 else len(text))
    if found >= 0:
        return found
    return line if line >= 0 else len(text)
