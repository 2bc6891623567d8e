"""What a script's registries.yaml of k3s or RKE2 says by itself, whatever a fleet asks for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

from nodeworthy.boot.conditions import together
from nodeworthy.boot.effects import Act, Effect, How, Reboots, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.written_text import Reading, content_of, has_hole
from nodeworthy.facts.registry.mirrors import endpoints, read_list
from nodeworthy.known.containerd import containerd_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Place, Related, Severity, fail

_UNITS: Mapping[str, tuple[str, ...]] = {
    "k3s": ("k3s.service", "k3s-agent.service"),
    "rke2": ("rke2-server.service", "rke2-agent.service"),
}


@dataclass(frozen=True)
class Lead:
    """The host that is asked first for a registry's images."""

    registry: str
    host: str
    place: Place


def lists_of(timeline: Timeline) -> dict[str, Writes]:
    """The step that writes each reader's list last."""
    written = ((_readers().get(each.path.string), each) for each in timeline.of(Writes))
    return {reader: each for reader, each in written if reader is not None and each.how is not How.DELETE}


@cache
def _readers() -> Mapping[str, str]:
    return {path: each for each in _UNITS if (path := containerd_of(each).registries) is not None}


def leads_of(write: Writes) -> Iterator[Lead]:
    reading = list_of(write)
    for registry, urls in _mirrors(reading):
        host = urls[0].partition("://")[2].partition("/")[0] if urls else ""
        if host and reading is not None and not has_hole(urls[0]):
            yield Lead(registry, host, reading.line_of(urls[0]))


def list_of(write: Writes) -> Reading | None:
    """The list that this step writes; None if its content is not known."""
    content = content_of(write)
    return read_list(content, write.place, write.path.shown()) if content is not None else None


def _mirrors(reading: Reading | None) -> Iterator[tuple[str, list[str]]]:
    """Where it can be read."""
    if reading is None or reading.unknown or reading.fault:
        return
    rows: Any = reading.mapping.get("mirrors")
    for registry, row in (rows if isinstance(rows, Mapping) else {}).items():
        yield str(registry), endpoints(row)


def drafts_without_scheme(reading: Reading, but: Collection[str]) -> Iterator[Draft]:
    for registry, urls in _mirrors(reading):
        for url in urls:
            if "://" not in url and not has_hole(url) and url not in but:
                yield fail(
                    reading.line_of(url),
                    f"{url} is no endpoint for {registry}: it has no scheme",
                    is_=url,
                    should=f"http://{url}, or https://{url}",
                    cause="k3s and RKE2 leave out an endpoint that is no URL, and images come from the registry itself",
                    remedy=f"write http:// or https:// before {url}",
                    severity=Severity.WARNING,
                )


def read_too_late(timeline: Timeline, reader: str, write: Writes) -> Iterator[Draft]:
    """Fails if the file is written after k3s or RKE2 has started, because they read it only when they start."""
    units = _UNITS[reader]
    started = next((each for each in timeline.before(write) if _starts(each, units, write)), None)
    after = timeline.after(write)
    if started is None or any(_may_start_anew(each, units) for each in after):
        return
    yield fail(
        write.place,
        f"{reader} runs already when {write.path.shown()} is written, and nothing restarts it",
        should="written before it starts, or a restart behind it",
        cause=f"{reader} reads it as it starts: until then images come from the registries themselves",
        remedy=f"write it before {reader} is started",
        related=[Related(started.place, f"{reader} runs from here on")],
        severity=Severity.WARNING,
    )


def _starts(effect: Effect, units: tuple[str, ...], write: Writes) -> bool:
    is_start = isinstance(effect, Unit) and effect.unit.known in units and effect.act in (Act.START, Act.RESTART)
    return is_start and together(effect.conditions, write.conditions)


def _may_start_anew(effect: Effect, units: tuple[str, ...]) -> bool:
    if isinstance(effect, Unit):
        return effect.act in (Act.START, Act.RESTART) and any(effect.unit.could_be(each) for each in units)
    return isinstance(effect, Reboots)
