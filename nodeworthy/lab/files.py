"""The files that a boot left, against those that its timeline said it leaves."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.effects import How, Unit, Writes
from nodeworthy.lab.difference import Difference
from nodeworthy.lab.observation import Found, Kind, Observation
from nodeworthy.lab.told import Told

# On no disk: what stands there is asked of the running node.
IN_MEMORY = ("/run/", "/proc/", "/sys/", "/dev/")
LONG = 300


def differences(told: Told, seen: Observation) -> Iterator[Difference]:
    for path, writes in told.writes().items():
        last, happens = writes[-1]
        if happens and not path.startswith(IN_MEMORY[1:]) and not _is_in_doubt(path, told):
            yield from _file(path, last, seen)
    for path, found in seen.files.items():
        if path in seen.usual or _of_a_unit(path, told) or _is_in_doubt(path, told):
            continue
        if found.kind is not Kind.GONE and not told.may_write(path):
            yield Difference("nothing", f"{path} appeared: {_shown(found)}")
        if found.kind is Kind.GONE and path not in told.writes():
            yield Difference("nothing", f"{path} was removed")


def in_memory(told: Told) -> list[str]:
    """The paths that only a running node can be asked for."""
    return [path for path in told.writes() if path.startswith("/run/")]


def _file(path: str, last: Writes, seen: Observation) -> Iterator[Difference]:
    found = _found(path, seen)
    is_there = found is not None and found.kind is not Kind.GONE
    if last.how is How.DELETE:
        if is_there:
            yield Difference(f"{path} is deleted", "it is there", last)
        return
    if found is None or not is_there:
        yield Difference(f"{last.how} {path}", "it is not there", last)
        return
    if last.how is How.LINK:
        yield from _link(path, last, found)
        return
    yield from _content(path, last, found)
    if last.mode and last.mode.isdigit() and int(last.mode, 8) != found.mode and found.mode:
        yield Difference(f"{path} has the mode {last.mode}", f"it is {found.mode:o}", last)


def _content(path: str, last: Writes, found: Found) -> Iterator[Difference]:
    text = found.content.decode(errors="replace")
    if last.whole is not None and last.whole.known is not None:
        if last.whole.known.rstrip("\n") != text.rstrip("\n"):
            yield Difference(f"{path} is {last.whole.known[:LONG]!r}", f"it is {text[:LONG]!r}", last)
    elif last.content is not None and last.content.known is not None and last.content.known.strip() not in text:
        yield Difference(f"{path} has {last.content.known[:LONG]!r}", f"it is {text[:LONG]!r}", last)


def _link(path: str, last: Writes, found: Found) -> Iterator[Difference]:
    target = last.expressions[0].known if last.expressions else None
    if found.kind is not Kind.LINK:
        yield Difference(f"{path} is a link to {target}", "it is none", last)
    elif target is not None and found.target != target:
        yield Difference(f"{path} is a link to {target}", f"it is one to {found.target}", last)


def _found(path: str, seen: Observation) -> Found | None:
    if path.startswith("/run/"):
        text = seen.contents.get(path)
        return None if text is None else Found(Kind.FILE, text.encode())
    return seen.files.get(path)


def _is_in_doubt(path: str, told: Told) -> bool:
    """Whether the timeline itself says that something of which it knows no more may concern this file."""
    return told.timeline.not_understood(path.rsplit("/", 1)[-1]) is not None


def _of_a_unit(path: str, told: Told) -> bool:
    """What systemctl makes and removes where it enables, disables or masks."""
    name = path.rsplit("/", 1)[-1]
    units = [effect.unit for effect, happens in told.of(Unit) if happens is not False]
    return path.startswith("/etc/systemd/system/") and any(unit.could_be(name) for unit in units)


def _shown(found: Found) -> str:
    return (
        f"a link to {found.target}" if found.kind is Kind.LINK else repr(found.content[:LONG].decode(errors="replace"))
    )
