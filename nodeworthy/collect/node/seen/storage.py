"""What is mounted across the network, and what fstab says of it."""

from __future__ import annotations

from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.seen.parts import rows
from nodeworthy.facts.node.storage import Entry, Mounted, NodeStorage
from nodeworthy.known.filesystems import is_network
from nodeworthy.verdict import Located, Place

FSTAB = "/etc/fstab"


def storage(recording: Recording, host: Place) -> NodeStorage | None:
    place = host.about("mounts")
    mounted = rows(recording, "mounts", place, "what is mounted", _mounted)
    if mounted is None:
        return None
    return NodeStorage(place, mounted, _fstab(recording, host.about(FSTAB)))


def _mounted(line: str) -> Mounted | None:
    words = line.split()
    if len(words) != 4:
        return None
    # As /proc/mounts spells a blank.
    source, where, kind, answer = (each.replace("\\040", " ") for each in words)
    return Mounted(source, where, kind, answer != "silent")


def _fstab(recording: Recording, place: Place) -> Located[tuple[Entry, ...]]:
    part = recording.part("fstab")
    # grep says 1 where it finds nothing, and 2 where it can't read.
    if part is None or (part.code != 0 and (part.code != 1 or part.stderr)):
        return Located.unknown(f"{FSTAB} could not be read: {part.why if part else 'it was not asked for'}", place)
    found = (_entry(line, place) for line in part.stdout.splitlines())
    return Located.known(tuple(each for each in found if each is not None and is_network(each.kind)), place)


def _entry(line: str, place: Place) -> Entry | None:
    words = line.split()
    if len(words) < 3 or words[0].startswith("#"):
        return None
    options = words[3].split(",") if len(words) > 3 else ["defaults"]
    return Entry(place, words[0], words[1], words[2], tuple(options))
