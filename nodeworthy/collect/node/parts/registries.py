"""What a node's containerds, k3s and Docker go by, and the addresses of what they name."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping

from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import Stage, Writes
from nodeworthy.boot.text import Text
from nodeworthy.collect.node.parts.units import lines, older, printed_value
from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.script import Part
from nodeworthy.facts.boot.written_text import Reading, json_of
from nodeworthy.facts.node.registries import Docker, NodeRegistries
from nodeworthy.facts.registry.docker_trust import FILE
from nodeworthy.facts.registry.hosts_toml import NAME, HostsToml
from nodeworthy.scene import Missing
from nodeworthy.verdict import Located, Place, Unknown

_LISTS = "/registries.yaml"


def registries(recording: Recording, host: Place) -> NodeRegistries | Missing:
    place = host.about("registries")
    if recording.part("names") is None:
        return older("what containerd is told of registries", place)
    pairs = (line.split() for line in lines(recording, "names"))
    return NodeRegistries(
        place=place,
        files=_files(recording, host),
        addresses={each[0]: _address(each[0], each[1], host) for each in pairs if len(each) == 2},
        lists={_path(each): _content(each, host) for each in recording.parts if each.name.endswith(_LISTS)},
        docker=_docker(recording, host),
        is_all=recording.part("docker") is not None,
    )


def _files(recording: Recording, host: Place) -> Mapping[str, Mapping[str, HostsToml]]:
    found: dict[str, dict[str, HostsToml]] = defaultdict(dict)
    for part in recording.parts:
        if part.name.endswith(f"/{NAME}") and _path(part).count("/") > 2:
            root, folder, _ = _path(part).rsplit("/", 2)
            found[root][folder] = HostsToml(folder, _write(part, host))
    return found


def _path(part: Part) -> str:
    return part.name.removeprefix("file ")


def _write(part: Part, host: Place) -> Writes:
    """The file as if somebody had just written it; one that could not be read has no content."""
    place = host.about(_path(part))
    content = _lines_of(part, place) if part.code == 0 else None
    return Writes(place=place, stage=Stage.WRITE_FILES, path=Text.of(_path(part)), content=content, whole=content)


def _lines_of(part: Part, place: Place) -> Content:
    return Content(tuple(Line(Text.of(line), place) for line in part.stdout.split("\n")))


def _content(part: Part, host: Place) -> Located[Content]:
    place = host.about(_path(part))
    if part.code != 0:
        return Located.unknown(f"{_path(part)} could not be read: {part.why}", place)
    return Located.known(_lines_of(part, place), place)


def _docker(recording: Recording, host: Place) -> Docker | None:
    runs = any(each.name.startswith("process ") and each.name.endswith(" dockerd") for each in recording.parts)
    if not runs:
        return None
    place = host.about("docker")
    said = printed_value(recording, "docker", place, "what Docker says of its registries")
    if said is None:
        said = Located.unknown("what Docker says of its registries was not read", place)
    return Docker(place, _trusts(said), _daemon(recording, host))


def _daemon(recording: Recording, host: Place) -> Reading | None:
    part = recording.part(f"file {FILE}")
    return json_of(_write(part, host)) if part is not None else None


def _trusts(said: Located[str]) -> Located[frozenset[str]]:
    if isinstance(said.state, Unknown):
        return Located(said.state, said.place)
    try:
        told = json.loads(said.state.value)
        ranges, indexes = told["InsecureRegistryCIDRs"] or (), told["IndexConfigs"] or {}
        plain = {str(name) for name, each in indexes.items() if each["Secure"] is False}
        return Located.known(frozenset({*plain, *map(str, ranges)}), said.place)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Located.unknown("what Docker says of its registries is not understood", said.place)


def _address(name: str, said: str, host: Place) -> Located[str | None]:
    place = host.about(name)
    if said == "?":
        return Located.unknown(f"the node's resolver did not answer for {name}", place)
    return Located.known(None if said == "-" else said, place)
