"""Host specs: how a host is reached, as testinfra spells it, and `replay:` of what was recorded."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NoReturn

from nodeworthy.collect.node import inventory as ansible
from nodeworthy.errors import InputError
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

REPLAY = "replay:"
OFFERED = (
    "ssh://[user@]host[:port]",
    "local://",
    "docker://[user@]container",
    "kubectl://pod?namespace=…",
    "nsenter://PID",
    "node://NAME",
    "ssm://i-…",
    "ansible://GROUP",
    "replay:PATH",
)
SCHEMES = ("ssh", "local", "docker", "kubectl", "nsenter", "node", "ssm", "replay")
NAMELESS = ("local",)
# As testinfra takes several in one word; a comma in the path of a recording is its own.
_NEXT = re.compile(rf",(?=(?:{'|'.join((*SCHEMES, 'ansible'))}):|$)")
_NODE = pattern(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?(\?\S+)?")


@dataclass(frozen=True)
class Spec:
    """What testinfra's `get_hosts` is given."""

    scheme: str
    text: str

    @property
    def recording(self) -> Path | None:
        """What `replay:` names."""
        return path_of(self.text.removeprefix(f"{REPLAY}//")) if self.scheme == "replay" else None


def path_of(name: str) -> Path:
    """The path that a replayed host is named by."""
    return Path(urllib.parse.unquote(name))


def parse(spec: str) -> Spec:
    """Raises InputError for what is not offered."""
    if spec.startswith(REPLAY) and not spec.startswith(f"{REPLAY}//"):
        path = spec.removeprefix(REPLAY)
        if not path:
            _refuse(spec, "it has no path")
        # testinfra takes only the part of a URL that names a host, so the path has to look like one.
        return Spec("replay", f"{REPLAY}//{urllib.parse.quote(path, safe='')}")
    scheme, separator, rest = spec.partition("://")
    if not separator:
        _refuse(spec, f"a host on the network is ssh://{spec}")
    if scheme not in SCHEMES:
        _refuse(spec, f"{scheme}:// is not offered")
    if not rest and scheme not in NAMELESS:
        _refuse(spec, "it names no host")
    if _holds_an_option(rest):
        _refuse(spec, "ssh and kubectl would take it for an option")
    if scheme == "nsenter":
        return _nsenter(spec, rest)
    if any(each.isspace() or each == "," for each in rest):
        _refuse(spec, "no host's name has blanks or commas: of several hosts each has its own ssh://")
    _check_name(spec, scheme, rest)
    return Spec(scheme, spec)


def _check_name(spec: str, scheme: str, name: str) -> None:
    if scheme == "ssm" and not name.startswith(("i-", "mi-")):
        _refuse(spec, "an instance's identifier begins with i-")
    if scheme == "node" and not _NODE.fullmatch(name):
        _refuse(spec, "a node's name has small letters, digits, dots and hyphens")
    if scheme in ("ssh", "docker") and not all(_user_and_name(name)):
        _refuse(spec, "it names no host, or no user before its @")
    if not _has_a_port_or_none(spec):
        _refuse(spec, "its port or its address can't be read")


def _user_and_name(rest: str) -> list[str]:
    """As testinfra takes them apart, less the password, which may be anything."""
    host, *_ = rest.partition("?")
    *user, name = host.split("@", 1)
    name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
    return [urllib.parse.unquote(each) for each in (*(each.partition(":")[0] for each in user), name)]


def _holds_an_option(rest: str) -> bool:
    """Whether a part of it, as a program is given it in the end, begins as an option does."""
    given = [part for each in _user_and_name(rest) for part in re.split(r"[@\[]", each)]
    given += [value for _, value in urllib.parse.parse_qsl(rest.partition("?")[2])]
    return any(each.startswith("-") for each in (rest, *given))


def _has_a_port_or_none(spec: str) -> bool:
    try:
        return urllib.parse.urlsplit(spec).port != 0
    except ValueError:
        return False


def _nsenter(spec: str, name: str) -> Spec:
    if not name.startswith("/") and (not name.isdecimal() or int(name[:10]) < 1):
        _refuse(spec, "it names no process of this machine by its number, nor a file that holds one")
    return Spec("nsenter", f"nsenter://{urllib.parse.quote(name, safe='')}")


def parse_all(specs: Iterable[str], inventory: str | None = None) -> list[Spec]:
    """Each once; one of them may name several, with commas, or a group of an Ansible inventory."""
    return list(dict.fromkeys(parse(each) for some in specs for each in _apart(some, inventory)))


def _apart(text: str, inventory: str | None) -> Iterator[str]:
    for each in [each for each in _NEXT.split(text) if each] or [text]:
        if each.startswith(ansible.SCHEME):
            yield from ansible.hosts(each, inventory)
        else:
            yield each


def _refuse(spec: str, why: str) -> NoReturn:
    raise InputError(f"{spec!r} is no host spec: {why}. There are: {', '.join(OFFERED)}")
