"""Secrets that a command takes without a name: `curl -u user:password`, `docker login -p …`, `chpasswd`, `.netrc`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nodeworthy.known.secret_names import Holds, holds, is_mixed, is_secret
from nodeworthy.known.secrets import Found, begins_a_word, matches_at
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

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
# `vault login -method=oidc -path=oidc`: a flag of its own.
_SHORT_P = pattern(r"(?<=\s)-p(?!ath=)[ \t=]{0,4}" + _QUOTED + r"(?P<value>[^\s\"'`|&;]{1,4096})")
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
# What is looked for at all; `secrets.py` asks for less of it, so that most texts are not looked through here.
ALL_MARKS = ("credentials:", "token", "pass", *(each.mark for each in _TAKING), *_FROM_INPUT)


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
    for found in matches_at(text, "authorization:", _CREDENTIALS):
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
