"""Entries of /etc/hosts that a boot makes, and whether they are still there at its end."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence

from nodeworthy.boot.conditions import always
from nodeworthy.boot.content import Line
from nodeworthy.boot.effects import Effect, How, Writes
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.written_text import content_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Way:
    """A step by which the node can resolve a name, or may."""

    step: Effect
    # What keeps it from working; empty where it works.
    but: str = ""
    remedy: str = ""
    should: str = "a resolver that asks the cluster's DNS"
    # Why it is not known whether it is one.
    unknown: str = ""


def lines_of(write: Writes) -> Sequence[Line]:
    """The lines of the file after this step, as far as they are known, and what an edit says."""
    content = content_of(write) or write.content
    edited = tuple(Line(each, write.place) for each in write.expressions) if write.how is How.EDIT else ()
    return (*(content.lines if content is not None else ()), *edited)


HOSTS = "/etc/hosts"
_ENTRY = f"an address and the name in {HOSTS}"
_TOLD = {How.WRITE: "writes the file anew", How.EDIT: "takes it out", How.DELETE: "deletes the file"}
# sed's `/NAME/d`.
_TAKES_AWAY = pattern(r"/I?\s*d\s*$")


def entries(timeline: Timeline, write: Writes, name: str) -> Iterator[Way]:
    """What this step has to do with an entry for this name."""
    return (_as_left(timeline, each, name) for each in _entries(write, name))


def _entries(write: Writes, name: str) -> Iterator[Way]:
    lines = lines_of(write)
    naming = [line for line in lines if name in line.text.shown().partition("#")[0].split()]
    if write.how is not How.EDIT and naming and not any(_begins_with_address(line.text) for line in naming):
        remedy = f"write the address before {name}"
        yield Way(write, f"its line in {HOSTS} does not begin with an address", remedy, _ENTRY)
        return
    if naming:
        yield Way(write)
        return
    if write.how is How.EDIT:
        if any(name in line.text.shown() and not _TAKES_AWAY.search(line.text.shown()) for line in lines):
            yield Way(write)
        return
    hidden = next((line for line in lines if line.text.holes and not line.text.contains("localhost")), None)
    if hidden is not None:
        yield Way(write, unknown=f"{hidden.text.shown()} may be an entry for {name}")
    elif not lines and write.content is None:
        yield Way(write, unknown=f"what it brings to {HOSTS} could not be read")


def _begins_with_address(text: Text) -> bool:
    first = text.pieces[0]
    words = first.split(maxsplit=1) if isinstance(first, str) else []
    # What goes on in a hole may be any address.
    if len(words) < 2 and (len(text.pieces) > 1 or not words):
        return True
    try:
        return bool(ipaddress.ip_address(words[0]))
    except ValueError:
        return False


def _as_left(timeline: Timeline, way: Way, name: str) -> Way:
    """An entry as it is behind every later step: one that writes the file anew takes it away."""
    for each in timeline.after(way.step):
        if way.but or way.unknown or not isinstance(each, Writes) or each.path.known != HOSTS:
            continue
        if always([each.conditions], way.step.conditions) is not True:
            continue
        if _is_taken_away(each, name):
            says = f"its entry in {HOSTS} is gone again: {each.place.spot} {_TOLD[each.how]}"
            return Way(each, says, "add the entry behind this line", _ENTRY)
        if each.how in (How.WRITE, How.LINK) and not _brings(each, name):
            return Way(each, unknown=f"this step may take its entry out of {HOSTS} again")
    return way


def _is_taken_away(write: Writes, name: str) -> bool:
    if write.how is How.EDIT:
        shown = [each.shown() for each in write.expressions]
        return any(name in each and _TAKES_AWAY.search(each) for each in shown)
    content = write.content
    return write.how is How.DELETE or (
        write.how is How.WRITE and content is not None and not content.text.holes and not _brings(write, name)
    )


def _brings(write: Writes, name: str) -> bool:
    return any(name in line.text.shown() for line in lines_of(write))
