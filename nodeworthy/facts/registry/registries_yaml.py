"""What a boot tells k3s or RKE2 of a registry: the mirrors of its registries.yaml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import How
from nodeworthy.documents.tree import plain
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.facts.boot.final_files import left_by
from nodeworthy.facts.boot.flaw import Flaw, doubt, shown
from nodeworthy.facts.boot.runtime import Ready
from nodeworthy.facts.boot.written_text import Reading, content_of, has_hole, read_content
from nodeworthy.facts.registry.hosts_toml import BY_HTTPS, PASSED_BY
from nodeworthy.verdict import Place

CAUSE = f"it goes to https:// for a registry without a mirror; {BY_HTTPS}"


def registries_flaws(ready: Ready, path: str, host: str, mirrors: str | None, script: Place) -> Iterator[Flaw]:
    """What keeps k3s or RKE2, which read this file as they start, from pulling from a host over plain HTTP."""
    left = left_by(ready.before, path, ready.when)
    wanted = _wanted(path, host)
    if not left.is_there:
        if left.maybe is not None:
            yield doubt(left.maybe.place, f"whether this step writes {path} is not known")
            return
        yield _absent(ready, path, host, wanted, script)
        return
    for write in (each for each in left.last if each.how is not How.DELETE):
        content = content_of(write)
        if content is None:
            yield doubt(write.place, f"what stands in {path} is not known")
            continue
        flaw = content_flaw(content, write.place, path, host, mirrors)
        if flaw is not None:
            yield flaw
    if left.is_sure is False:
        says = f"{path} is written only if {shown(left.last[0].conditions)}"
        yield Flaw(left.last[0].place, says, "written on every way into the cluster", CAUSE)


def _absent(ready: Ready, path: str, host: str, wanted: str, script: Place) -> Flaw:
    join = ready.join
    says = f"nothing tells {join.how if join is not None else 'containerd'} that {host} speaks plain HTTP"
    place = join.place if join is not None else script
    return Flaw(place, says, wanted, CAUSE, remedy=f"write {path} before it starts")


def _yaml(text: str) -> Any:
    try:
        tree = read(text, Place(line=1))
    except NotYaml as problem:
        raise ValueError(f"{problem.why} at line {problem.place.line}") from problem
    return None if tree is None else plain(tree)


def _wanted(path: str, host: str) -> str:
    return f'mirrors: {{"{host}": {{endpoint: ["http://{host}"]}}}} in {path}'


def content_flaw(content: Content, place: Place, path: str, host: str, mirrors: str | None) -> Flaw | None:
    """What a registries.yaml lacks by which k3s and RKE2 would pull from this host over plain HTTP."""
    return _flaw(read_content(content, place, path, _yaml), host, mirrors, _wanted(path, host))


def _flaw(reading: Reading, host: str, mirrors: str | None, wanted: str) -> Flaw | None:
    if reading.unknown:
        return doubt(reading.place, reading.unknown)
    if reading.fault:
        return Flaw(reading.place, f"registries.yaml is not YAML: {reading.fault}", "a file that parses", CAUSE)
    told = reading.mapping.get("mirrors")
    rows: Mapping[str, Any] = told if isinstance(told, Mapping) else {}
    name = next((each for each in (host, mirrors, "*") if each and each in rows), None)
    if name is None:
        is_ = ", ".join(map(str, rows)) or "no mirrors"
        says = f"registries.yaml has no mirror for {host}"
        return Flaw(reading.line_of("mirrors"), says, wanted, CAUSE, is_, f"write {wanted}")
    urls = _endpoints(rows[name])
    if any(url.startswith("http://") for url in urls):
        return _by_https(reading, rows, host, mirrors)
    place = reading.line_of(f"{name}:", f'{name}":', f"{name}':", "endpoint")
    if any(has_hole(url[:8]) for url in urls):
        return doubt(place, f"whether {host} is asked over http:// is not known: its endpoint is filled in")
    is_ = reading.shown(", ".join(urls)) or "no endpoint"
    return Flaw(place, f"registries.yaml has no http:// endpoint for {host}", wanted, CAUSE, is_, f"write {wanted}")


def _endpoints(row: Any) -> list[str]:
    endpoints = row.get("endpoint") if isinstance(row, Mapping) else None
    return [str(each) for each in endpoints] if isinstance(endpoints, list) else []


def _by_https(reading: Reading, rows: Mapping[str, Any], host: str, mirrors: str | None) -> Flaw | None:
    """The registry that it mirrors names it by https://, and it speaks none: each pull passes it by."""
    urls = _endpoints(rows.get(mirrors) if mirrors is not None else None)
    if f"https://{host}" not in [each.rstrip("/") for each in urls] or f"http://{host}" in urls:
        return None
    place = reading.line_of(f"https://{host}")
    says = f"registries.yaml sends {mirrors} to {host} over https://, and the cache speaks plain HTTP"
    wanted = f"http://{host}"
    return Flaw(place, says, wanted, PASSED_BY, f"https://{host}", f"write {wanted} among the endpoints of {mirrors}")
