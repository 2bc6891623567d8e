"""The clock and the disks, and what is mounted across the network."""

from __future__ import annotations

import re

from nodeworthy.collect.node.parts.units import older, printed_value, rows
from nodeworthy.collect.node.recording import Recording
from nodeworthy.facts.node.disks import Disk, NodeClock, NodeRoom
from nodeworthy.facts.node.storage import FstabLine, Mounted, NodeStorage
from nodeworthy.known.filesystems import is_network
from nodeworthy.patterns import pattern
from nodeworthy.scene import Missing
from nodeworthy.verdict import Known, Located, Place, Unknown

FSTAB = "/etc/fstab"


def storage(recording: Recording, host: Place) -> NodeStorage | Missing:
    place = host.about("mounts")
    mounted = rows(recording, "mounts", place, "what is mounted", _mounted)
    if mounted is None:
        return older("what is mounted", place)
    return NodeStorage(place, mounted, _fstab(recording, host.about(FSTAB)))


def _mounted(line: str) -> Mounted | None:
    words = line.split()
    if len(words) != 4:
        return None
    # As /proc/mounts spells a blank.
    source, where, kind, answer = (each.replace("\\040", " ") for each in words)
    return Mounted(source, where, kind, answer != "silent")


def _fstab(recording: Recording, place: Place) -> Located[tuple[FstabLine, ...]]:
    part = recording.part("fstab")
    # grep says 1 where it finds nothing, and 2 where it can't read.
    if part is None or (part.code != 0 and (part.code != 1 or part.stderr)):
        return Located.unknown(f"{FSTAB} could not be read: {part.why if part else 'it was not asked for'}", place)
    found = (_entry(line, place) for line in part.stdout.splitlines())
    return Located.known(tuple(each for each in found if each is not None and is_network(each.kind)), place)


def _entry(line: str, place: Place) -> FstabLine | None:
    words = line.split()
    if len(words) < 3 or words[0].startswith("#"):
        return None
    options = words[3].split(",") if len(words) > 3 else ["defaults"]
    return FstabLine(place, words[0], words[1], words[2], tuple(options))


_KEPT = pattern(r"^NTPSynchronized=(yes|no)$", re.MULTILINE)
_OFF = pattern(r"^System time\s*:\s*(\d{1,18}(?:\.\d{1,18})?) seconds", re.MULTILINE)
_OFF_DUTY = "Cannot talk to daemon"
_LEAP = pattern(r"^Leap status\s*:\s*(.+?)\s*$", re.MULTILINE)
# Filesystem, blocks, used, available, capacity, mount.
_ROW = pattern(
    r"^(?P<device>\S+)\s+(?P<size>\d{1,18})\s+\d+\s+(?P<free>\d{1,18})\s+\S+\s+(?P<mount>/.*)$", re.MULTILINE
)


def clock(recording: Recording, host: Place) -> NodeClock | Missing:
    place = host.about("clock")
    said = printed_value(recording, "clock", place, "what timedatectl says")
    if said is None:
        return older("the clock", place)
    chrony = printed_value(recording, "chrony", place, "what chrony says")
    text = chrony.state.value if chrony is not None and isinstance(chrony.state, Known) else ""
    return NodeClock(place=place, is_kept=_is_kept(said, text, place), off_by=_off_by(chrony, text, place))


def _off_by(chrony: Located[str] | None, text: str, place: Place) -> Located[float | None]:
    """How far the clock is off; None where there is no chrony or its daemon is off, for something else may keep the
    clock."""
    if chrony is not None and isinstance(chrony.state, Unknown) and _OFF_DUTY not in chrony.state.why:
        return Located(chrony.state, place)
    off = _OFF.search(text)
    return Located(Known(float(off[1]) if off else None), place)


def _is_kept(said: Located[str], chrony: str, place: Place) -> Located[bool]:
    leap = _LEAP.search(chrony)
    if leap is not None:
        return Located.known(leap[1] != "Not synchronised", place)
    if isinstance(said.state, Unknown):
        return Located(said.state, place)
    kept = _KEPT.search(said.state.value)
    return Located.known(kept[1] == "yes", place) if kept else Located.unknown("timedatectl does not say it", place)


def room(recording: Recording, host: Place) -> NodeRoom | Missing:
    place = host.about("disks")
    blocks = _disks(recording, "room", host)
    inodes = _disks(recording, "inodes", host)
    if blocks is None or inodes is None:
        return older("the room on its disks", place)
    return NodeRoom(place, blocks, inodes)


def _disks(recording: Recording, name: str, host: Place) -> Located[tuple[Disk, ...]] | None:
    place = host.about("disks")
    said = printed_value(recording, name, place, "what df says")
    if said is None:
        return None
    if isinstance(said.state, Unknown):
        return Located(said.state, place)
    found = {
        each["mount"]: Disk(
            host.about(each["mount"]), each["device"], each["mount"], int(each["size"]), int(each["free"])
        )
        for each in _ROW.finditer(said.state.value)
    }
    return Located.known(tuple(found.values()), place) if found else Located.unknown("df shows no disk", place)
