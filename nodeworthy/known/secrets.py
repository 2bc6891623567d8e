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

from nodeworthy.known.secret_names import Holds, holds, is_mixed, is_secret, is_users_sample, table, word_in_name
from nodeworthy.known.secrets_by_name import secrets_by_name
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# Secrets that a command takes without a name: `curl -u user:password`, `docker login -p …`, `chpasswd`, `.netrc`.

# start, end, what it is
Found = tuple[int, int, str]

# How much of a command is looked at, before and behind the word by which it is known.
_NEAR = 400
_LINES = 20
_QUOTED = r"(?:\\?[\"'])?"
_PAIR = pattern(
    r"(?<![\w-])(?:-u|-[a-zA-Z]{1,6}u(?=[ \t])|--user|--proxy-user)[ \t=]{0,4}"
    # `date -u +%H:%M` stands among the words of many a curl.
    + _QUOTED
    + r"(?![+%])[^\s:\"'$`<>|&;]{1,64}:(?P<value>[^\s\"'`|&;]{1,256})"
)
_SHORT_P = pattern(r"(?<=\s)-p[ \t=]{0,4}" + _QUOTED + r"(?P<value>[^\s\"'`|&;]{1,4096})")
_KEPT = pattern(r"--secret[ \t]+[\w:.-]{1,128}[ \t]+(?![-<])" + _QUOTED + r"(?P<value>[^\s\"'`|&;]{1,4096})")
_WANDB = pattern(r"(?<=\s)(?P<value>[0-9a-f]{40})(?!\w)")
_PASS = pattern(r"[ \t]" + _QUOTED + r"pass:(?P<value>[^\s\"'`|&;]{1,256})")
# SQL, as MySQL and MariaDB have it: `IDENTIFIED BY '…'`, `IDENTIFIED WITH mysql_native_password BY '…'`.
_IDENTIFIED = pattern(
    r"(?i)[ \t](?:WITH[ \t]{1,4}[\w'\"]{1,64}[ \t]{1,4})?(?:BY|AS)[ \t]{1,4}"
    r"\\?[\"'](?P<value>[^\s\"'`\\]{1,256})\\?[\"']"
)
# A line of .netrc, or several; `\n` as printf is given it.
_APART = r"(?:\s|\\n){1,12}"
_NETRC = pattern(
    r"machine"
    + _APART
    + r"[^\s\\]{1,253}"
    + _APART
    + r"login"
    + _APART
    + r"[^\s\\]{1,128}"
    + _APART
    + r"password"
    + _APART
    + r"(?P<value>[^\s\"'`|&;\\]{1,256})"
)
_ECHOED = pattern(
    r"(?:echo|printf)[ \t]+(?:-\w+[ \t]+)?(?:[\"']?%s(?:\\n)?[\"']?[ \t]+)?" + _QUOTED + r"(?P<pair>[^\s\"'|]{1,256})"
)
# `echo -e "new\nnew" | sudo passwd root`: passwd asks for it twice.
_TWICE = pattern(
    r"(?:echo|printf)[ \t]{1,4}(?:-\w{1,3}[ \t]{1,4})?[\"'](?P<value>[^\s\"'\\|$`]{1,128})\\n(?P=value)(?:\\n)?[\"']"
    r"[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4})?\Z"
)
_VARIABLE = pattern(r"\$\{?([A-Za-z_]\w{0,63})\}?")
_SET_TO = pattern(_QUOTED + r"(?P<value>[^\s\"'`|&;$]{1,256})(?=[\"'\s;]|$)")
# How far above a password is handed over it may be set.
_FAR_ABOVE = 4000
_HERE = pattern(r"chpasswd(?:[ \t]+-\w+){0,3}[ \t]*(?:<<<[ \t]*" + _QUOTED + r"(?P<string>[^\s\"']{1,256})|<<-?)")
# Where Jupyter's `passwd` comes from, since IPython had it.
_HASHED_FROM = pattern(r"(?:notebook|jupyter_server)\.auth|IPython\.lib")
_HASHED = pattern(r"(?:(?<=auth\.)|(?<![.\w]))passwd\([ \t]*\\?[\"'](?P<value>[^\s\"'\\$`]{1,256})\\?[\"'][ \t]*\)")
_USER = pattern(r"[ \t]*+(?:-[ \t]*+)?[\"']?(?P<user>[a-z_][\w.-]{0,31}):(?P<value>[^\s\"']{1,128})[\"']?[ \t]*$")


@dataclass(frozen=True)
class Taking:
    """A command that takes a secret, and where the secret stands in it."""

    mark: str
    pattern: re.Pattern[str]
    what: str
    holds: Holds = Holds.PASSWORD


_TAKING = (
    Taking("curl ", _PAIR, "a password for curl"),
    Taking(" login ", _SHORT_P, "a password for a login"),
    Taking("mysql ", _SHORT_P, "a password for MySQL"),
    Taking("config set ", _KEPT, "a value that Pulumi is to keep secret"),
    Taking("-passout ", _PASS, "a password for openssl"),
    Taking("-passin ", _PASS, "a password for openssl"),
    Taking("IDENTIFIED ", _IDENTIFIED, "a password of a database"),
    Taking("identified ", _IDENTIFIED, "a password of a database"),
    Taking(" login ", _WANDB, "a Weights & Biases key", Holds.TOKEN),
)

# Of a scrape of Prometheus', with its type beside it or without.
_CREDENTIALS = pattern(
    r"authorization:[ \t]*\n(?:[ \t]{1,40}type:[^\n]{0,40}\n)?[ \t]{1,40}credentials:[ \t]{1,8}"
    + _QUOTED
    + r"(?P<value>[^\s\"'#]{4,512})"
)

# k3s and RKE2 take any word for their token, as they take it for a password: whoever knows it joins the cluster.
_OF_A_CLUSTER = pattern(r"--(?:agent-)?token(?:[ \t=]|\\\n){1,8}" + _QUOTED + r"(?P<value>[^\s\"'`|&;\\]{1,256})")
_CLUSTERS = ("INSTALL_K3S_EXEC", "INSTALL_RKE2_EXEC", "k3s.io", "k3s server", "k3s agent", "rke2 server", "rke2 agent")

_THEIR_FILE = pattern(
    r"/etc/rancher/(?:k3s|rke2)/config\.yaml(?:\.d/[\w.-]+)?[^\n]*\n"
    r"(?P<holds>(?:[ \t]*(?:[\w\"'-]+:|-[ \t]|#)[^\n]*\n){1,40})"
)
_ITS_TOKEN = pattern(r"^[ \t]*(?:agent-)?token:[ \t]+" + _QUOTED + r"(?P<value>[^\s\"'#]{1,256})", re.MULTILINE)

# They read the password from their input.
_FROM_INPUT = {"--password-stdin": "a password for a login", "sudo -S": "a password for sudo"}
_HERE_STRING = pattern(r"[^\n|;&<]{0,200}<<<[ \t]*" + _QUOTED + r"(?P<value>[^\s\"']{1,256})")
_SSHPASS = Taking("sshpass ", _SHORT_P, "a password for ssh")


def secrets_by_argument(text: str) -> Iterator[Found]:
    if "credentials:" in text:
        yield from _of_scrapes(text)
    for each in _TAKING:
        if each.mark in text:
            yield from _arguments_behind(text, each)
    if "token" in text:
        yield from _of_clusters(text)
        yield from _of_their_files(text)
    if "pass" in text:
        yield from _arguments_behind(text, _SSHPASS)
        yield from _chpasswd(text)
        yield from _netrc(text)
    for mark, what in _FROM_INPUT.items():
        if mark in text:
            yield from _from_input(text, mark, what)


def _of_scrapes(text: str) -> Iterator[Found]:
    for found in _at(text, "authorization:", _CREDENTIALS):
        if is_secret(found["value"], Holds.PASSWORD):
            yield *found.span("value"), "a token to scrape with"


def _from_input(text: str, mark: str, what: str) -> Iterator[Found]:
    start = text.find(mark)
    while start >= 0:
        here = _HERE_STRING.match(text, start)
        if here is not None and is_secret(here["value"], Holds.PASSWORD):
            yield *here.span("value"), what
        yield from _piped(text, start, whole=what)
        start = text.find(mark, start + len(mark))


def _netrc(text: str) -> Iterator[Found]:
    start = text.find("machine")
    while start >= 0:
        found = _NETRC.match(text, start)
        if found is not None and is_secret(found["value"], Holds.PASSWORD):
            yield *found.span("value"), "a password for .netrc"
        start = text.find("machine", start + len("machine"))


def _arguments_behind(text: str, each: Taking) -> Iterator[Found]:
    start = text.find(each.mark)
    while start >= 0:
        end = _end_of_command(text, start)
        found = each.pattern.search(text, start + len(each.mark) - 1, end)
        if found is not None and is_secret(found["value"], each.holds) and not found["value"].isdigit():
            yield *found.span("value"), each.what
        start = text.find(each.mark, end)


def _of_their_files(text: str) -> Iterator[Found]:
    """What a script writes into the configuration of k3s and RKE2."""
    for file in _THEIR_FILE.finditer(text):
        for found in _ITS_TOKEN.finditer(text, *file.span("holds")):
            if is_secret(found["value"], Holds.PASSWORD):
                yield *found.span("value"), "the token of a cluster"


def _of_clusters(text: str) -> Iterator[Found]:
    for mark in _CLUSTERS:
        start = text.find(mark)
        while start >= 0:
            end = _end_of_command(text, start)
            for found in _OF_A_CLUSTER.finditer(text, start, end):
                if is_secret(found["value"], Holds.PASSWORD):
                    yield *found.span("value"), "the token of a cluster"
            start = text.find(mark, end)


def _end_of_command(text: str, start: int) -> int:
    """The end of the line, or of those that a backslash joins to it."""
    limit = min(len(text), start + _NEAR)
    end = text.find("\n", start, limit)
    while end > 0 and text[end - 1] == "\\":
        end = text.find("\n", end + 1, limit)
    return limit if end < 0 else max(end, start + 1)


def _chpasswd(text: str) -> Iterator[Found]:
    start = text.find("passwd")
    of_jupyter = "passwd(" in text and _HASHED_FROM.search(text) is not None
    while start >= 0:
        if text.startswith("chpasswd", max(0, start - 2)):
            yield from _piped(text, start)
            yield from _below(text, start - 2)
        elif (twice := _TWICE.search(text, max(0, start - _NEAR), start)) is not None:
            if is_secret(twice["value"], Holds.PASSWORD):
                yield *twice.span("value"), "a user's password"
        elif text.startswith("passwd --stdin", start):
            yield from _piped(text, start, whole="a user's password")
        elif of_jupyter:
            yield from _hashed(text, start)
        start = text.find("passwd", start + 6)


def _hashed(text: str, start: int) -> Iterator[Found]:
    """What a line of Python that is written into Jupyter's configuration hashes when it starts."""
    found = _HASHED.match(text, start)
    if found is not None and is_secret(found["value"], Holds.PASSWORD):
        yield *found.span("value"), "a password of Jupyter's"


def _below(text: str, start: int) -> Iterator[Found]:
    """What stands in a here-string, a heredoc, or a list of cloud-config."""
    here = _HERE.match(text, start)
    if here is not None and here["string"]:
        yield from _pair(here["string"], here.start("string"))
        return
    of_cloud_config = text.startswith("chpasswd:", start)
    if here is None and not of_cloud_config:
        return
    line = text.find("\n", start) + 1
    for _ in range(_LINES if line else 0):
        end = text.find("\n", line, line + _NEAR)
        end = end if end >= 0 else min(len(text), line + _NEAR)
        user = _USER.match(text, line, end)
        if user is not None:
            yield from _pair(f"{user['user']}:{user['value']}", user.start("user"))
        elif not of_cloud_config or text[line : line + 1] != " ":
            return
        line = end + 1


def _piped(text: str, start: int, *, whole: str = "") -> Iterator[Found]:
    near = max(0, start - _NEAR)
    line = max(text.rfind("\n", near, start) + 1, near)
    while line > near and text.endswith("\\\n", near, line):
        line = max(text.rfind("\n", near, line - 1) + 1, near)
    begins = max(text.rfind("echo ", line, start), text.rfind("printf ", line, start))
    found = _ECHOED.match(text, begins, start) if begins >= 0 else None
    if found is None or "|" not in text[found.end() : start]:
        return
    if not whole:
        yield from _pair(found["pair"], found.start("pair"))
    elif (variable := _VARIABLE.fullmatch(found["pair"])) is not None:
        yield from _kept_in(text, variable[1], begins, whole)
    elif is_secret(found["pair"], Holds.PASSWORD):
        yield *found.span("pair"), whole


def _kept_in(text: str, name: str, before: int, what: str) -> Iterator[Found]:
    """What a variable holds that is handed over as a password, whatever it is called."""
    start = text.rfind(f"{name}=", max(0, before - _FAR_ABOVE), before)
    found = _SET_TO.match(text, start + len(name) + 1) if start >= 0 and begins_a_word(text, start) else None
    if found is not None and is_secret(found["value"], holds(name) or Holds.PASSWORD):
        yield *found.span("value"), what


def _is_typed(password: str) -> bool:
    """Whether it is a password where no code can stand: a dot in it is a dot, and three at its end cut nothing off
    that has letters and digits."""
    whole = password.rstrip(".")
    if whole == password or is_mixed(whole):
        return is_secret(whole.replace(".", "-"), Holds.PASSWORD)
    return is_secret(password, Holds.PASSWORD)


def _pair(pair: str, start: int) -> Iterator[Found]:
    user, _, password = pair.partition(":")
    password = password.removesuffix("\\n")
    if user and password not in ("R", "RANDOM") and _is_typed(password):
        yield start + len(user) + 1, start + len(user) + 1 + len(password), "a user's password"


# Secrets that are known by their form: the table of `secrets.toml`, and a few forms that need a second look.

# start, end, what it is

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
    for found in _at(text, "://", _URL):
        if found["value"] == _IN_PLACE_OF_A_PASSWORD:
            if is_secret(found["user"], Holds.TOKEN):
                yield *found.span("user"), "a token in a URL"
            continue
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
        merged[-1] = (
            min(first, rank),
            (begins, max(ends, end), told if first <= rank else what, named or name),
        )
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
