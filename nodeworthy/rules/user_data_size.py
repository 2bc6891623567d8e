"""User data is at most 16 KiB before base64.

EC2 refuses more (`InvalidUserData.Malformed: User data is limited to 16384 bytes`), and does so when the launch
template is written or when the node is started, not when the script is. What counts are the bytes as they are handed
over: of packed user data the packed ones, never those of base64. How long a template gets is known when it is filled
in; while it is far from the limit nothing is said of it, close to the limit it is unknown, and one that is over it
by its own words fails.
"""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.userdata import LIMIT, Part, PartKind, UserData
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Related, Severity, fail, skip, unknown

RULE = Rule(
    "user-data-size",
    severity=Severity.ERROR,
    incident="D",
    title="User data is at most 16 KiB before base64",
    remedy="fetch what is long when the node boots (`aws s3 cp s3://… - | bash` under `set -o pipefail`), "
    "or bake it into the image",
)

# A template that leaves less than a quarter of the room may well be over the limit once it is filled in.
CLOSE = LIMIT * 3 // 4
# What a template fills in: `${…}` and `%{…}`, but not the escaped `$${…}`.
_FILLED = pattern(r"(?<![$%])[$%]\{[^{}]{0,400}\}")
_MOST = 3


@RULE.check
def it_fits(script: BootScript) -> Findings:
    userdata = script.userdata
    if userdata.size is None:
        yield from _of_a_template(userdata)
    elif userdata.size > LIMIT:
        yield fail(
            userdata.place,
            f"user data is {_bytes(userdata.size - LIMIT)} longer than EC2 takes",
            is_=f"{_bytes(userdata.size)}{_packed(userdata)}",
            should=f"at most {_bytes(LIMIT)} before base64",
            related=_largest(userdata),
            cause="EC2 refuses the launch template, or the start of every node from it",
            remedy=_remedy(userdata),
        )


def _of_a_template(userdata: UserData) -> Findings:
    written = sum(_written(part) for part in userdata.parts)
    told = f"{_bytes(written)} without what the template fills in"
    if written > LIMIT:
        yield fail(
            userdata.place,
            f"user data is {_bytes(written - LIMIT)} longer than EC2 takes, before the template is filled in",
            is_=told,
            should=f"at most {_bytes(LIMIT)} before base64",
            related=_largest(userdata),
            cause="EC2 refuses the launch template, or the start of every node from it",
            remedy=_remedy(userdata),
        )
    elif written > CLOSE:
        yield unknown(
            userdata.place,
            f"whether it fits is not known: {_bytes(LIMIT - written)} are left for what the template fills in",
            is_=told,
            should=f"at most {_bytes(LIMIT)} before base64",
            related=_largest(userdata),
            remedy="`nodeworthy preview` measures it filled in",
        )
    else:
        skip(f"a template's size is known when it is filled in; it is {told}, far from {_bytes(LIMIT)}")


def _written(part: Part) -> int:
    return len(_FILLED.sub("", part.text).encode())


def _largest(userdata: UserData) -> Iterator[Related]:
    """The parts by their size, where there are several: where there is something to win."""
    if len(userdata.parts) < 2:
        return
    sized = sorted(((len(part.text.encode()), part) for part in userdata.parts), key=lambda each: -each[0])
    for size, part in sized[:_MOST]:
        yield Related(part.place, f"{part.called or f'a {part.kind.value}'} has {_bytes(size)}")


def _remedy(userdata: UserData) -> str:
    if "gzip" in userdata.wrapped:
        return f"it is packed already: {RULE.remedy}"
    if {part.kind for part in userdata.parts} <= {PartKind.SHELL, PartKind.CLOUD_CONFIG, PartKind.BOOTHOOK}:
        return f"pack it with gzip, which cloud-init unpacks by itself; or {RULE.remedy}"
    return RULE.remedy


def _packed(userdata: UserData) -> str:
    return " (packed)" if "gzip" in userdata.wrapped else ""


def _bytes(count: int) -> str:
    return f"{count:,} bytes"
