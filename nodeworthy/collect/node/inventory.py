"""`ansible://GROUP`: the hosts of an Ansible inventory, as its own program lists them. They are reached by ssh."""

from __future__ import annotations

import fnmatch
import json
import shutil
import subprocess
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.documents.plain import mapping_at
from nodeworthy.errors import InputError

SCHEME = "ansible://"
PROGRAM = "ansible-inventory"
SECONDS = 60
_BY_SSH = ("ssh", "smart", "paramiko", "paramiko_ssh", "ansible.builtin.ssh")
# What we would pass over, and its user counts on.
_ARGUMENTS = ("ansible_ssh_common_args", "ansible_ssh_extra_args")


def hosts(spec: str, inventory: str | None) -> list[str]:
    """The specs of those that are meant: a group, a host, or `all`; with `?ansible_inventory=FILE` of that file.
    Raises InputError where they can't be had."""
    wanted, _, query = spec.removeprefix(SCHEME).partition("?")
    given = urllib.parse.parse_qs(query).get("ansible_inventory", [inventory or ""])[0]
    listed = _listed(given)
    known = mapping_at(listed, "_meta", "hostvars")
    names = list(dict.fromkeys(_members(listed, wanted or "all", set())))
    names = names or fnmatch.filter(dict.fromkeys(_members(listed, "all", set())), wanted)
    if not names:
        raise InputError(f"{spec}: {given or 'the inventory'} has no such host or group, or none in it")
    return [_spec(each, mapping_at(known, each)) for each in names]


def _listed(inventory: str) -> Mapping[str, Any]:
    if shutil.which(PROGRAM) is None:
        raise InputError(f"{SCHEME} needs {PROGRAM}, which comes with Ansible: install it, or name the hosts as ssh://")
    command = [PROGRAM, *(["-i", inventory] if inventory else []), "--list"]
    try:
        told = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL)
        data = json.loads(told.stdout or b"null")
    except subprocess.TimeoutExpired:
        raise InputError(f"{PROGRAM} did not answer within {SECONDS} s") from None
    except (ValueError, RecursionError):
        data = None
    if told.returncode or not isinstance(data, dict):
        said = told.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(
            f"{PROGRAM} can't list {inventory or 'its inventory'}: {said[-1] if said else 'it says nothing'}"
        )
    return data


def _members(listed: Mapping[str, Any], group: str, seen: set[str]) -> Iterator[str]:
    """Also those of the groups in it."""
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
        raise InputError(f"{SCHEME}{name}: ansible_connection {connection} is not offered: name the host another way")
    for each in _ARGUMENTS:
        if told.get(each):
            raise InputError(f"{SCHEME}{name} has {each}: say it to ssh itself (--ssh-config)")
    address, user, port, key = (_value(name, told, each) for each in ("host", "user", "port", "private_key_file"))
    address = address or name
    # What is left as it is has no meaning in a spec.
    quoted = urllib.parse.quote(address, safe=":%" if ":" in address else "%")
    shown = f"[{quoted}]" if ":" in address else quoted
    if port and not port.isdecimal():
        raise InputError(f"{SCHEME}{name}: {port!r} is no port")
    who, where = f"{urllib.parse.quote(user, safe='')}@" if user else "", f":{port}" if port else ""
    return f"ssh://{who}{shown}{where}" + (f"?ssh_identity_file={urllib.parse.quote(key)}" if key else "")


def _value(name: str, told: Mapping[str, Any], what: str) -> str:
    """As Ansible itself reads it: what is said of ssh comes first."""
    said = next((str(told[each]) for each in (f"ansible_ssh_{what}", f"ansible_{what}") if told.get(each)), "")
    if "{{" in said:
        raise InputError(f"{SCHEME}{name}: its ansible_{what} is filled in by a play, {said}")
    return said
