"""The hosts.toml that a node's containerds go by, and the addresses of what they name."""

from __future__ import annotations

from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import Stage, Writes
from nodeworthy.boot.text import Text
from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.script import Part
from nodeworthy.collect.node.seen.parts import lines
from nodeworthy.facts.node.registries import NodeRegistries
from nodeworthy.facts.registry.hosts_toml import NAME, HostsToml
from nodeworthy.verdict import Located, Place


def registries(recording: Recording, host: Place) -> NodeRegistries | None:
    if recording.part("names") is None:
        return None
    files = [_file(part, host) for part in recording.parts if part.name.endswith(f"/{NAME}")]
    pairs = (line.split() for line in lines(recording, "names"))
    addresses = {each[0]: _address(each[0], each[1], host) for each in pairs if len(each) == 2}
    return NodeRegistries(host.about("registries"), {each.folder: each for each in files}, addresses)


def _file(part: Part, host: Place) -> HostsToml:
    path = part.name.removeprefix("file ")
    place = host.about(path)
    is_read = part.code == 0
    content = Content(tuple(Line(Text.of(line), place) for line in part.stdout.split("\n"))) if is_read else None
    write = Writes(place=place, stage=Stage.WRITE_FILES, path=Text.of(path), content=content, whole=content)
    return HostsToml(path.rsplit("/", 2)[1], write)


def _address(name: str, said: str, host: Place) -> Located[str | None]:
    place = host.about(name)
    if said == "?":
        return Located.unknown(f"the node's resolver did not answer for {name}", place)
    return Located.known(None if said == "-" else said, place)
