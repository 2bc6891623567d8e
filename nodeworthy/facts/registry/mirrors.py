"""What a boot tells k3s, RKE2 or Bottlerocket of a registry: its mirrors, each with its endpoints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nodeworthy.boot.bottlerocket import Settings, read_settings
from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import How
from nodeworthy.boot.userdata import PartKind
from nodeworthy.documents.tree import plain
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.facts.boot.final_files import file_left_by
from nodeworthy.facts.boot.flaw import shown_guard
from nodeworthy.facts.boot.runtime import Ready
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.written_text import Reading, content_of, has_hole, read_content
from nodeworthy.facts.registry.hosts_toml import BY_HTTPS, PASSED_BY
from nodeworthy.verdict import Draft, Place, fail, unknown, value_if_known

TABLE = "settings.container-registry.mirrors"


def mirrors_flaws(script: BootScript, host: str) -> Iterator[Draft]:
    """What keeps Bottlerocket from pulling from this host over plain HTTP."""
    userdata = script.userdata
    parts = [part for part in userdata.parts if part.kind is PartKind.BOTTLEROCKET]
    told = [read_settings(part.text, part.origin, template=userdata.is_template, braced=part.jinja) for part in parts]
    mirrors = [(settings, each) for settings in told for each in _mirrors(settings)]
    if any(_leads_to(settings, each, host) for settings, each in mirrors):
        return
    place = told[0].place_of("container-registry", "mirrors") if told else script.place
    if any(_is_filled_in(settings, each) for settings, each in mirrors) or any(each.faults for each in told):
        yield unknown(place, f"whether {TABLE} tells of {host} is not known: a template fills in a part of it")
        return
    remedy = f'add [[{TABLE}]] with registry = "{host}" and endpoint = ["http://{host}"]'
    says = f"nothing tells Bottlerocket that {host} speaks plain HTTP"
    yield fail(place, says, should=f"http://{host} among {TABLE}", cause=BY_HTTPS, remedy=remedy)


def _mirrors(settings: Settings) -> Iterator[Mapping[str, Any]]:
    found = value_if_known(settings.get("container-registry", "mirrors"))
    if isinstance(found, list):
        yield from (each for each in found if isinstance(each, Mapping))


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


NO_MIRROR = f"it goes to https:// for a registry without a mirror; {BY_HTTPS}"


def registries_flaws(ready: Ready, path: str, host: str, mirrors: str | None, script: Place) -> Iterator[Draft]:
    """What keeps k3s or RKE2, which read this file as they start, from pulling from a host over plain HTTP."""
    left = file_left_by(ready.before, path, ready.when)
    wanted = _wanted(path, host)
    if not left.is_there:
        if left.maybe is not None:
            yield unknown(left.maybe.place, f"whether this step writes {path} is not known")
            return
        yield _absent(ready, path, host, wanted, script)
        return
    for write in (each for each in left.last if each.how is not How.DELETE):
        content = content_of(write)
        if content is None:
            yield unknown(write.place, f"what stands in {path} is not known")
            continue
        yield from content_flaws(content, write.place, path, host, mirrors)
    if left.is_sure is False:
        says = f"{path} is written only if {shown_guard(left.last[0].conditions)}"
        yield fail(left.last[0].place, says, should="written on every way into the cluster", cause=NO_MIRROR)


def _absent(ready: Ready, path: str, host: str, wanted: str, script: Place) -> Draft:
    join = ready.join
    says = f"nothing tells {join.how if join is not None else 'containerd'} that {host} speaks plain HTTP"
    place = join.place if join is not None else script
    return fail(place, says, should=wanted, cause=NO_MIRROR, remedy=f"write {path} before it starts")


def _yaml(text: str) -> Any:
    try:
        tree = read(text, Place(line=1))
    except NotYaml as problem:
        raise ValueError(f"{problem.why} at line {problem.place.line}") from problem
    return None if tree is None else plain(tree)


def _wanted(path: str, host: str) -> str:
    return f'mirrors: {{"{host}": {{endpoint: ["http://{host}"]}}}} in {path}'


def read_list(content: Content, place: Place, path: str) -> Reading:
    return read_content(content, place, path, _yaml)


def content_flaws(content: Content, place: Place, path: str, host: str, mirrors: str | None) -> Iterator[Draft]:
    """What a registries.yaml lacks by which k3s and RKE2 would pull from this host over plain HTTP."""
    reading, wanted = read_list(content, place, path), _wanted(path, host)
    if reading.unknown:
        yield unknown(reading.place, reading.unknown)
        return
    if reading.fault:
        yield fail(
            reading.place, f"registries.yaml is not YAML: {reading.fault}", should="a file that parses", cause=NO_MIRROR
        )
        return
    told = reading.mapping.get("mirrors")
    rows: Mapping[str, Any] = told if isinstance(told, Mapping) else {}
    own = _by_its_own_name(reading, rows, host, mirrors, wanted)
    as_mirror = _by_https(reading, rows, host, mirrors)
    yield from (each for each in (own, as_mirror) if each is not None)


def _by_its_own_name(
    reading: Reading, rows: Mapping[str, Any], host: str, mirrors: str | None, wanted: str
) -> Draft | None:
    """What is wrong for images that are named after the host. An entry of another registry, which the host mirrors, is
    not asked for them."""
    name = next((each for each in (host, "*") if each in rows), None)
    if name is None:
        as_mirror = mirrors is not None and any(_is_of(url, host) for url in endpoints(rows.get(mirrors)))
        is_ = ", ".join(map(str, rows)) or "no mirrors"
        says = f"registries.yaml has no mirror for {host}"
        if as_mirror:
            says = f"registries.yaml tells of {host} for images of {mirrors} alone, and not by its own name"
        return fail(reading.line_of("mirrors"), says, should=wanted, cause=NO_MIRROR, is_=is_, remedy=f"write {wanted}")
    urls = endpoints(rows[name])
    if any(url.startswith("http://") for url in urls):
        return None
    place = reading.line_of(f"{name}:", f'{name}":', f"{name}':", "endpoint")
    if any(has_hole(url.partition("://")[0]) for url in urls):
        return unknown(place, f"whether {host} is asked over http:// is not known: its endpoint is filled in")
    is_ = reading.shown(", ".join(urls)) or "no endpoint"
    return fail(
        place,
        f"registries.yaml has no http:// endpoint for {host}",
        should=wanted,
        cause=NO_MIRROR,
        is_=is_,
        remedy=f"write {wanted}",
    )


def endpoints(row: Any) -> list[str]:
    endpoints = row.get("endpoint") if isinstance(row, Mapping) else None
    return [str(each) for each in endpoints] if isinstance(endpoints, list) else []


def _is_of(url: str, host: str) -> bool:
    return url.partition("://")[2].partition("/")[0] == host


def _by_https(reading: Reading, rows: Mapping[str, Any], host: str, mirrors: str | None) -> Draft | None:
    """The registry that it mirrors names it by https://, and it speaks none: each pull passes it by."""
    urls = endpoints(rows.get(mirrors) if mirrors is not None else None)
    if f"https://{host}" not in [each.rstrip("/") for each in urls] or f"http://{host}" in urls:
        return None
    place = reading.line_of(f"https://{host}")
    says = f"registries.yaml sends {mirrors} to {host} over https://, and the cache speaks plain HTTP"
    wanted = f"http://{host}"
    return fail(
        place,
        says,
        should=wanted,
        cause=PASSED_BY,
        is_=f"https://{host}",
        remedy=f"write {wanted} among the endpoints of {mirrors}",
    )
