"""What a file makes of another one that it names: user data, a step of an image, something that a person runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from nodeworthy.facts.surroundings import Reference, Surroundings
from nodeworthy.patterns import pattern


class Role(StrEnum):
    USER_DATA = "user data"
    STARTUP = "startup script"
    IMAGE = "image build"
    CONTAINER = "container"
    BY_HAND = "by hand"


# How far back the word may stand that says what a name is for, where no block begins between them.
_BACK = 1500
_AHEAD = 120
# In Terraform, Packer, CloudFormation, eksctl, Cluster API, Pulumi programs and commands.
_USER_DATA = rb"user[-_]?data|cloudinit|cloud[-_]init|custom[-_]?data|bootstrap_user|OverrideBootstrapCommand|cicustom"
_STARTUP = rb"startup[-_]?script|CustomScript|custom[-_]script|commandToExecute"
_IMAGE = rb"virt-customize|virt-builder|\bprovisioners\b|\bprovisioner\s+\"(?:shell|ansible|file)"
_BY_HAND = rb"remote-exec|local-exec|\bssh\b|\bscp\b|\bscript:|null_resource|bash\s+-s"
_WORDS = pattern(
    rb"(?i)(?P<USER_DATA>" + _USER_DATA + rb")|(?P<STARTUP>" + _STARTUP + rb")|(?P<IMAGE>" + _IMAGE
    + rb")|(?P<BY_HAND>" + _BY_HAND + rb")"
)  # fmt: skip
# Where another block of the file begins.
_BLOCK = pattern(rb"\n(?=[A-Za-z#@}\[])")
_IS_PACKER = pattern(rb"(?m)^\s*packer\s*\{|^source\s+\"|\"builders\"\s*:|\"provisioners\"\s*:")
_CONTAINER_FILE = pattern(r"(?i)(?:^|[.-])(?:dockerfile|containerfile)(?:$|[.-])")
_RUN = pattern(rb"(?i)(?:^|\n)[ \t]*RUN\b[^\n]*(?:\\\r?\n[^\n]*)*\Z")
# `x = templatefile("…/boot.sh")`, to be used by its name further down.
_ASSIGNED = pattern(rb"(?m)(?<![A-Za-z_])([A-Za-z_]\w{0,200}+)\s*+[:=]\s*[^\n=]{0,200}\Z")
_RESOURCES = ("data", "resource")


def roles_of(reference: Reference, around: Surroundings | None) -> Iterator[Role]:
    """What this place makes of the file; nothing where it only names it."""
    data = around.read(reference.path) if around is not None else None
    if data is None:
        return
    before = data[max(0, reference.offset - _BACK) : reference.offset]
    name = reference.path.name
    if _CONTAINER_FILE.search(name):
        yield Role.IMAGE if _RUN.search(before) else Role.CONTAINER
        return
    if name.endswith((".pkr.hcl", ".pkr.json")) or (name.endswith((".json", ".hcl")) and _IS_PACKER.search(data)):
        yield Role.USER_DATA if b"user_data" in _line(data, reference.offset) else Role.IMAGE
        return
    told = _nearest(before, data[reference.offset : reference.offset + _AHEAD])
    if told is not None:
        yield told
    elif _is_used_as_user_data(before, data):
        yield Role.USER_DATA


def _nearest(before: bytes, behind: bytes) -> Role | None:
    """By the last word before it, in its own block; else by what its own line goes on to say."""
    within = _BLOCK.split(before)[-1]
    words = list(_WORDS.finditer(within))
    found = words[-1] if words else _WORDS.search(behind.split(b"\n", 1)[0])
    return Role[found.lastgroup] if found is not None and found.lastgroup else None


def _is_used_as_user_data(before: bytes, data: bytes) -> bool:
    """What it was assigned to is user data elsewhere in the same file."""
    line = before.rsplit(b"\n", 1)[-1]
    above = before.rsplit(b"\n", 2)[-2:-1] or [b""]
    assigned = _ASSIGNED.search(line) or _ASSIGNED.search(above[0] + b" " + line.strip())
    if assigned is None:
        return False
    name = re.escape(assigned[1])
    return re.search(rb"(?i)(?:" + _USER_DATA + rb")\w*[\"']?\s*[:=][^\n]{0,200}\b" + name + rb"\b", data) is not None


def _line(data: bytes, offset: int) -> bytes:
    begin = data.rfind(b"\n", 0, offset) + 1
    return data[begin:offset]
