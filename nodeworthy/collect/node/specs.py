"""Host specs: how a host is reached, as testinfra spells it, `replay:` of what was recorded, an inventory's hosts."""

from __future__ import annotations

import fnmatch
import json
import re
import shutil
import subprocess
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from nodeworthy.documents.plain import mapping_at
from nodeworthy.errors import InputError
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

ANSIBLE = "ansible://"
_PROGRAM = "ansible-inventory"
_SECONDS = 60
_BY_SSH = ("ssh", "smart", "paramiko", "paramiko_ssh", "ansible.builtin.ssh")
# What we would pass over, and its user counts on.
_ARGUMENTS = ("ansible_ssh_common_args", "ansible_ssh_extra_args")


def _hosts_of_ansible(spec: str, inventory: str | None) -> list[str]:
    """The specs of those that are meant: a group, a host, or `all`; with `?ansible_inventory=FILE` of that file.
    Raises InputError where they can't be had."""
    wanted, _, query = spec.removeprefix(ANSIBLE).partition("?")
    given = urllib.parse.parse_qs(query).get("ansible_inventory", [inventory or ""])[0]
    listed = _listed(given)
    known = mapping_at(listed, "_meta", "hostvars")
    names = list(dict.fromkeys(_members(listed, wanted or "all", set())))
    names = names or fnmatch.filter(dict.fromkeys(_members(listed, "all", set())), wanted)
    if not names:
        raise InputError(f"{spec}: {given or 'the inventory'} has no such host or group, or none in it")
    return [_spec(each, mapping_at(known, each)) for each in names]


def _listed(inventory: str) -> Mapping[str, Any]:
    if shutil.which(_PROGRAM) is None:
        raise InputError(
            f"{ANSIBLE} needs {_PROGRAM}, which comes with Ansible: install it, or name the hosts as ssh://"
        )
    command = [_PROGRAM, *(["-i", inventory] if inventory else []), "--list"]
    try:
        told = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL)
        data = json.loads(told.stdout or b"null")
    except subprocess.TimeoutExpired:
        raise InputError(f"{_PROGRAM} did not answer within {_SECONDS} s") from None
    except (ValueError, RecursionError):
        data = None
    if told.returncode or not isinstance(data, dict):
        said = told.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(
            f"{_PROGRAM} can't list {inventory or 'its inventory'}: {said[-1] if said else 'it says nothing'}"
        )
    return data


def _members(listed: Mapping[str, Any], group: str, seen: set[str]) -> Iterator[str]:
    """The hosts of a group and of the groups within it."""
    if group in seen:
        return
    seen.add(group)
    row = mapping_at(listed, group)
    yield from _names(row.get("hosts"))
    for each in _names(row.get("children")):
        yield from _members(listed, each, seen)


def _names(said: Any) -> Sequence[str]:
    return [str(each) for each in said] if isinstance(said, list) else []


def _spec(name: str, told: Mapping[str, Any]) -> str:
    connection = told.get("ansible_connection", "ssh")
    if connection == "local":
        return "local://"
    if connection not in _BY_SSH:
        raise InputError(f"{ANSIBLE}{name}: ansible_connection {connection} is not offered: name the host another way")
    for each in _ARGUMENTS:
        if told.get(each):
            raise InputError(f"{ANSIBLE}{name} has {each}: say it to ssh itself (--ssh-config)")
    address, user, port, key = (_value(name, told, each) for each in ("host", "user", "port", "private_key_file"))
    address = address or name
    # What is left as it is has no meaning in a spec.
    quoted = urllib.parse.quote(address, safe=":%" if ":" in address else "%")
    shown = f"[{quoted}]" if ":" in address else quoted
    if port and not port.isdecimal():
        raise InputError(f"{ANSIBLE}{name}: {port!r} is no port")
    who, where = f"{urllib.parse.quote(user, safe='')}@" if user else "", f":{port}" if port else ""
    return f"ssh://{who}{shown}{where}" + (f"?ssh_identity_file={urllib.parse.quote(key)}" if key else "")


def _value(name: str, told: Mapping[str, Any], what: str) -> str:
    """A setting as Ansible itself reads it: what is said for ssh alone comes first."""
    said = next((str(told[each]) for each in (f"ansible_ssh_{what}", f"ansible_{what}") if told.get(each)), "")
    if "{{" in said:
        raise InputError(f"{ANSIBLE}{name}: its ansible_{what} is filled in by a play, {said}")
    return said


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
        _refuse(spec, f"a host on the network is {_through_ssh(spec)}")
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


def _through_ssh(word: str) -> str:
    hosts = [each.strip().removeprefix("ssh:").strip("/") for each in word.split(",")]
    return " ".join(f"ssh://{each}{'HOST' if each.endswith('@') else ''}" for each in hosts if each)


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
    """User and host as testinfra takes them apart, without the password, which may be anything."""
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
        if each.startswith(ANSIBLE):
            yield from _hosts_of_ansible(each, inventory)
        else:
            yield each


def _refuse(spec: str, why: str) -> NoReturn:
    raise InputError(f"{spec!r} is no host spec: {why}. There are: {', '.join(OFFERED)}")
