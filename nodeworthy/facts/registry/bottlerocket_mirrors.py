"""What Bottlerocket is told of a registry: `settings.container-registry.mirrors`, each with its endpoints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nodeworthy.boot.bottlerocket import Settings, read_settings
from nodeworthy.boot.userdata import PartKind
from nodeworthy.facts.boot.flaw import Flaw, doubt
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.registry.hosts_toml import BY_HTTPS
from nodeworthy.verdict import Known

TABLE = "settings.container-registry.mirrors"


def mirrors_flaws(script: BootScript, host: str) -> Iterator[Flaw]:
    """What keeps Bottlerocket from pulling from this host over plain HTTP."""
    userdata = script.userdata
    parts = [part for part in userdata.parts if part.kind is PartKind.BOTTLEROCKET]
    told = [read_settings(part.text, part.origin, template=userdata.is_template) for part in parts]
    mirrors = [(settings, each) for settings in told for each in _mirrors(settings)]
    if any(_leads_to(settings, each, host) for settings, each in mirrors):
        return
    place = told[0].place_of("container-registry", "mirrors") if told else script.place
    if any(_is_filled_in(settings, each) for settings, each in mirrors) or any(each.faults for each in told):
        yield doubt(place, f"whether {TABLE} tells of {host} is not known: a template fills in a part of it")
        return
    remedy = f'add [[{TABLE}]] with registry = "{host}" and endpoint = ["http://{host}"]'
    says = f"nothing tells Bottlerocket that {host} speaks plain HTTP"
    yield Flaw(place, says, f"http://{host} among {TABLE}", BY_HTTPS, remedy=remedy)


def _mirrors(settings: Settings) -> Iterator[Mapping[str, Any]]:
    found = settings.get("container-registry", "mirrors")
    if found is not None and isinstance(found.state, Known) and isinstance(found.state.value, list):
        yield from (each for each in found.state.value if isinstance(each, Mapping))


def _leads_to(settings: Settings, mirror: Mapping[str, Any], host: str) -> bool:
    registry, *endpoints = _texts(settings, mirror)
    return registry in (host, "*") and f"http://{host}" in [(each or "").rstrip("/") for each in endpoints]


def _is_filled_in(settings: Settings, mirror: Mapping[str, Any]) -> bool:
    return None in _texts(settings, mirror)


def _texts(settings: Settings, mirror: Mapping[str, Any]) -> list[str | None]:
    """The registry and its endpoints; None for what a template fills in."""
    endpoints = mirror.get("endpoint")
    written = [mirror.get("registry"), *(endpoints if isinstance(endpoints, list) else ())]
    return [settings.fillings.text(str(each)).known for each in written]
