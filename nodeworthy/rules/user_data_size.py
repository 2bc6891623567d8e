"""User data is no longer than its cloud takes: on EC2 16 KiB before base64.

EC2 refuses more (`InvalidUserData.Malformed: User data is limited to 16384 bytes`), and does so when the launch
template is written or when the node is started, not when the script is. Other clouds have other limits, and some count
what base64 adds. What counts are the bytes as they are handed over: of packed user data the packed ones. Which cloud it
is for says the script, who refers to it, its folder, or the providers of its repository; where nothing says it, more
than EC2 takes is unknown. How long a template gets is known when it is filled in, and what a directive decides may be
left out: while the rest is far from the limit nothing is said of it, close to the limit it is unknown, and one that is
over it by its own words fails. A script that people run, and a step of an image's build, may be as long as it likes.
"""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.userdata import PartKind, UserData
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.script_kind import ScriptKind
from nodeworthy.facts.boot.user_data_faults import least_size
from nodeworthy.known.clouds import Cloud, cloud
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip, unknown

RULE = Rule(
    "user-data-size",
    severity=Severity.ERROR,
    incident="D",
    title="User data is no longer than its cloud takes (EC2: 16 KiB before base64)",
    remedy="fetch what is long when the node boots, or bake it into the image",
)

_MOST = 3
_LIMITED = (ScriptKind.USER_DATA, ScriptKind.STARTUP)


@RULE.check
def it_fits(script: BootScript) -> Findings:
    userdata = script.userdata
    if script.use.kind not in _LIMITED and not script.use.unsure:
        skip(f"{script.use.kind.value} may be as long as it likes")
    if userdata.size is None and "gzip" in userdata.wrapped:
        skip("how long it is once it is packed is known when it is filled in")
    size = userdata.size if userdata.size is not None else sum(least_size(part.text) for part in userdata.parts)
    where = script.cloud
    if script.use.unsure:
        yield from _of_nobody_knows_whom(userdata, size, where or cloud("ec2"), script.use.unsure)
    elif where is None:
        yield from _without_a_cloud(userdata, size)
    elif where.most is None:
        skip(f"no limit is known for {where.title}")
    elif size > where.most:
        yield _too_long(userdata, size, where, where.most)
    elif userdata.size is None:
        yield from _of_a_template(userdata, size, where, where.most)


def _too_long(userdata: UserData, size: int, where: Cloud, most: int) -> Draft:
    early = ", before the template is filled in" if userdata.size is None else ""
    return fail(
        userdata.place,
        f"user data is {_bytes(size - most)} longer than {where.title} takes{early}",
        is_=_size_in_words(userdata, size),
        should=_at_most(where, most),
        related=_largest(userdata),
        cause=where.refuses,
        remedy=_remedy(userdata, where),
    )


def _of_a_template(userdata: UserData, size: int, where: Cloud, most: int) -> Findings:
    # One that leaves less than a quarter of the room may well be over the limit once it is filled in.
    if size <= most * 3 // 4:
        told = f"it is {_size_in_words(userdata, size)}, far from {_bytes(most)}"
        skip(f"a template's size is known when it is filled in; {told}")
    yield unknown(
        userdata.place,
        f"whether it fits is not known: {_bytes(most - size)} are left for what the template fills in",
        is_=_size_in_words(userdata, size),
        should=_at_most(where, most),
        related=_largest(userdata),
        remedy="`nodeworthy preview` measures it filled in",
    )


def _without_a_cloud(userdata: UserData, size: int) -> Findings:
    """The shortest limit decides what is surely well."""
    shortest = cloud("ec2")
    if shortest.most is None or size <= shortest.most:
        return
    yield unknown(
        userdata.place,
        "whether it fits is not known: nothing says for which cloud it is",
        is_=_size_in_words(userdata, size),
        should=f"{_at_most(shortest, shortest.most)} on EC2; other clouds take more",
        remedy=RULE.remedy,
    )


def _of_nobody_knows_whom(userdata: UserData, size: int, where: Cloud, why: str) -> Findings:
    """A file that was not looked at may give it to a machine."""
    if where.most is not None and size > where.most:
        yield unknown(
            userdata.place,
            f"whether this is user data, which is limited, is not known: {why}",
            is_=_size_in_words(userdata, size),
            should=f"{_at_most(where, where.most)}, where it is user data",
            remedy=RULE.remedy,
        )


def _size_in_words(userdata: UserData, size: int) -> str:
    if userdata.size is None:
        return f"{_bytes(size)} without what the template fills in"
    return f"{_bytes(size)}{' (packed)' if 'gzip' in userdata.wrapped else ''}"


def _at_most(where: Cloud, most: int) -> str:
    if where.counted == "base64":
        return f"at most {_bytes(most)}, which base64 makes {_bytes(where.limit or 0)}"
    return f"at most {_bytes(most)} before base64"


def _largest(userdata: UserData) -> Iterator[Related]:
    """The parts by their size, where there are several: where there is something to win."""
    if len(userdata.parts) < 2:
        return
    sized = sorted(((len(part.text.encode()), part) for part in userdata.parts), key=lambda each: -each[0])
    for size, part in sized[:_MOST]:
        yield Related(part.place, f"{part.called or f'a {part.kind.value}'} has {_bytes(size)}")


def _remedy(userdata: UserData, where: Cloud) -> str:
    if "gzip" in userdata.wrapped:
        return f"it is packed already: {where.elsewhere}"
    if {part.kind for part in userdata.parts} <= {PartKind.SHELL, PartKind.CLOUD_CONFIG, PartKind.BOOTHOOK}:
        return f"pack it with gzip, which cloud-init unpacks by itself; or {where.elsewhere}"
    return where.elsewhere


def _bytes(count: int) -> str:
    return f"{count:,} bytes"
