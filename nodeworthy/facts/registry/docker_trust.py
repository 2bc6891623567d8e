"""What a boot tells Docker of a registry: `insecure-registries` of its daemon.json."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from nodeworthy.boot.conditions import Guard, always, together
from nodeworthy.boot.effects import Act, Effect, How, Installs, PullsImage, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.final_files import FileLeft, file_left
from nodeworthy.facts.boot.flaw import shown_guard
from nodeworthy.facts.boot.runtime import restarts, runs_already
from nodeworthy.facts.boot.written_text import Reading, could_equal, has_hole, json_of
from nodeworthy.facts.registry.hosts_toml import BY_HTTPS
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Draft, Related, fail, unknown

_STAYS_DOWN = "Docker does not start with a daemon.json that it can't read: every container of it stays down"
_MIRRORS = "registry-mirrors"
_LISTS = ("insecure-registries", _MIRRORS, "exec-opts", "dns", "hosts", "node-generic-resources")
_TABLES = ("runtimes", "log-opts", "default-ulimits", "features", "builder")
_OF_TEXTS = ("log-opts",)
_TEXTS = ("default-runtime", "log-driver", "data-root", "storage-driver")
_SWITCHES = ("live-restore", "debug", "iptables")

# What somebody writes for a setting: its option of the command line, its name elsewhere, what it was until Docker 23.
_NO_SETTING = {
    "graph": "data-root",
    "insecure-registry": "insecure-registries",
    "log-opt": "log-opts",
    "registry-mirror": "registry-mirrors",
    "exec-opt": "exec-opts",
    "storage-opt": "storage-opts",
    "runtime": "runtimes",
    "default_runtime": "default-runtime",
    "data_root": "data-root",
    "log_driver": "log-driver",
    "log_opts": "log-opts",
    "registry_mirrors": "registry-mirrors",
    "insecure_registries": "insecure-registries",
    "exec_opts": "exec-opts",
    "storage_driver": "storage-driver",
    "native.cgroupdriver": '"exec-opts": ["native.cgroupdriver=systemd"]',
    "cgroup-driver": '"exec-opts": ["native.cgroupdriver=systemd"]',
}


# Docker up to 20.10, which takes graph still; docker-engine is what its package was called up to 17.05.
_BEFORE_23 = pattern(r"\bdocker-engine\b|\bdocker(?:-ce|\.io)?[-=](?:\d:)?(?:1\d|20)\.")


def knows_it_still(flaw: Draft, said: str) -> bool:
    """Whether the Docker that a script names is older than what became of this setting."""
    return flaw.is_ == "graph" and _BEFORE_23.search(said) is not None


def wrong_kind(reading: Reading) -> Draft | None:
    """The first such setting; a value that a template fills in may be of any kind."""
    if reading.data is not None and not isinstance(reading.data, dict):
        return fail(
            reading.place, "Docker's daemon.json is no table of settings", should="an object: {…}", cause=_STAYS_DOWN
        )
    for name, value in reading.mapping.items():
        if name in _NO_SETTING:
            return _no_setting(reading, name)
        should = _should(name, value)
        if should and not has_hole(value):
            says = f"{name} of Docker's daemon.json is not {should}"
            return fail(
                reading.line_of(f'"{name}"'),
                says,
                should=should,
                cause=_STAYS_DOWN,
                is_=str(value),
                remedy=f"write {name} as {should}",
            )
    return _no_runtime(reading)


def _no_setting(reading: Reading, name: str) -> Draft:
    meant = _NO_SETTING[name]
    return fail(
        reading.line_of(f'"{name}"'),
        f"Docker's daemon.json knows no {name}",
        is_=name,
        should=meant,
        cause=f"{_STAYS_DOWN} (the following directives don't match any configuration option: {name})",
        remedy=f"write {meant}",
    )


def _no_runtime(reading: Reading) -> Draft | None:
    """Docker brings runc; whatever else is the default, somebody has to say what it is."""
    named, defined = reading.mapping.get("default-runtime"), reading.mapping.get("runtimes")
    there = defined if isinstance(defined, dict) else {}
    is_its_own = not isinstance(named, str) or named.startswith(("runc", "io.containerd.", "/")) or has_hole(named)
    if is_its_own or named in there or any(map(has_hole, there)):
        return None
    return fail(
        reading.line_of('"default-runtime"'),
        f"the default runtime of Docker is {named}, and its daemon.json defines no such runtime",
        is_=f"runtimes: {', '.join(there) or 'none'}",
        should=f'"runtimes": {{"{named}": {{"path": "…"}}}}',
        cause=f"dockerd ends: specified default runtime '{named}' does not exist; every container of it stays down",
        remedy="nvidia-ctk runtime configure --runtime=docker --set-as-default writes both"
        if named == "nvidia"
        else f"define {named} among its runtimes",
    )


def _should(name: str, value: Any) -> str:
    """What it had to be; empty where it is that. Docker takes null for nothing."""
    if value is None:
        return ""
    if name in _LISTS and not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
        return "a list of texts"
    if name == _MIRRORS and not all(re.match(r"https?://", each) or has_hole(each) for each in value):
        return "a list of URLs, each with https:// or http://"
    if name in _TABLES and not isinstance(value, dict):
        return "an object"
    if name in _OF_TEXTS and not all(isinstance(each, str) for each in value.values()):
        return 'an object of texts, each in quotes ("max-file": "3")'
    if name in _TEXTS and not isinstance(value, str):
        return "a text"
    return "true or false" if name in _SWITCHES and not isinstance(value, bool) else ""


FILE = "/etc/docker/daemon.json"
KEY = "insecure-registries"
OPTION = "insecure-registry"
UNIT = "docker.service"
PACKAGES = ("docker-ce", "docker.io", "docker", "docker-engine", "moby-engine")
NOT_TOLD = f"Docker speaks HTTPS to every registry that it is not told of; {BY_HTTPS}"


def docker_arrives(timeline: Timeline) -> Effect | None:
    """The step that installs or starts Docker, if the script has one."""
    for each in timeline.effects:
        if isinstance(each, Installs) and not each.removes and _brings_docker(each):
            return each
        if isinstance(each, Unit) and each.unit.known == UNIT and each.act in (Act.START, Act.RESTART, Act.ENABLE):
            return each
    return None


def _brings_docker(install: Installs) -> bool:
    return any(package.shown().split("=")[0] in PACKAGES for package in install.packages)


def docker_flaws(timeline: Timeline, host: str) -> Iterator[Draft]:
    """What keeps this node's Docker from pulling over plain HTTP; nothing where it has none."""
    arrives = docker_arrives(timeline)
    if arrives is None or _is_an_option(timeline, host):
        return
    left = file_left(timeline, FILE, arrives.conditions)
    flaw = _missing(timeline, left, arrives, host) or _flaw_of_file(left, arrives, host)
    if flaw is not None:
        yield flaw
        return
    yield from _not_read(timeline, left, arrives.conditions)
    yield from _pulled_before(timeline, left, host)


def _is_an_option(timeline: Timeline, host: str) -> bool:
    """Whether dockerd is told on its command line: in /etc/sysconfig/docker, a unit or a drop-in."""
    lines = (line for write in timeline.of(Writes) if write.content is not None for line in write.content.lines)
    return any(f"--{OPTION}" in (told := line.text.shown()) and host in told for line in lines)


def _remedy(host: str) -> str:
    return f'write {{"{KEY}": ["{host}"]}} to {FILE} before Docker starts, or restart Docker behind it'


def _missing(timeline: Timeline, left: FileLeft, arrives: Effect, host: str) -> Draft | None:
    if left.is_there:
        return None
    if left.maybe is not None:
        return unknown(left.maybe.place, f"whether this step tells Docker of {host} is not known")
    gap = timeline.not_understood("daemon.json", KEY)
    if gap is not None:
        return unknown(gap.place, f"whether Docker is told of {host} is not known: {gap.why}")
    says = f"Docker is not told that {host} speaks plain HTTP"
    return fail(arrives.place, says, should=f"{host} among the {KEY} of {FILE}", cause=NOT_TOLD, remedy=_remedy(host))


def _flaw_of_file(left: FileLeft, arrives: Effect, host: str) -> Draft | None:
    for write in (each for each in left.last if each.how is not How.DELETE):
        if write.whole is None and write.how is How.EDIT:
            return unknown(write.place, f"what {write.command or 'this step'} leaves of {FILE} is not known")
        flaw = content_flaw(json_of(write), host)
        if flaw is not None:
            return flaw
    if left.is_sure is False:
        write = left.last[0]
        says = f"Docker is told of {host} only if {shown_guard(write.conditions)}"
        comes = Related(arrives.place, "Docker comes either way")
        return fail(
            write.place,
            says,
            should="told whenever Docker is there",
            cause=NOT_TOLD,
            related=(comes,),
            remedy=_remedy(host),
        )
    return None


def content_flaw(reading: Reading, host: str) -> Draft | None:
    """What a daemon.json lacks by which Docker would trust this host."""
    if reading.unknown:
        return unknown(reading.place, reading.unknown)
    if reading.fault:
        cause = "Docker does not start with a daemon.json that it can't read"
        return fail(
            reading.place,
            f"Docker's daemon.json is not JSON: {reading.fault}",
            should="a file that parses",
            cause=cause,
        )
    unread = wrong_kind(reading)
    if unread is not None:
        return unread
    given: Any = reading.mapping.get(KEY) or []
    named = [str(each) for each in given] if isinstance(given, list) else [str(given)]
    if isinstance(given, list) and any(could_equal(each, host) for each in named):
        return None
    place = reading.line_of(KEY, next(iter(named), KEY))
    is_ = reading.shown(", ".join(named)) or f"no {KEY}"
    says = f"Docker's daemon.json does not name {host} among its {KEY}"
    return fail(
        place,
        says,
        should=f'"{host}", with its port and without a scheme, in a list',
        cause=NOT_TOLD,
        is_=is_,
        remedy=_remedy(host),
    )


def _not_read(timeline: Timeline, left: FileLeft, when: Guard) -> Iterator[Draft]:
    """Docker reads its file when it starts, and never again."""
    write = left.last[0]
    runs = runs_already([e for e in timeline.before(write) if together(e.conditions, when)], UNIT, PACKAGES)
    if runs is None:
        return
    anew = [each for each in restarts(timeline.after(write), UNIT, PACKAGES, when) if not _is_start(each)]
    if always([each.conditions for each in anew], when) is not False:
        return
    says = f"Docker runs already when {FILE} is written, and nothing restarts it"
    started = Related(runs.place, "Docker runs from here on")
    remedy = "systemctl restart docker behind this line"
    yield fail(write.place, says, should="a restart behind it", cause=NOT_TOLD, remedy=remedy, related=(started,))


def _is_start(effect: Effect) -> bool:
    return isinstance(effect, Unit) and effect.act is Act.START


def _pulled_before(timeline: Timeline, left: FileLeft, host: str) -> Iterator[Draft]:
    first = left.last[-1]
    for each in timeline.of(PullsImage):
        if each.tool == "docker" and each.image.shown().startswith(f"{host}/") and timeline.precedes(each, first):
            says = f"Docker pulls from {host} before it is told that this speaks plain HTTP"
            yield fail(
                each.place,
                says,
                should="told before",
                cause=NOT_TOLD,
                related=(Related(first.place, "it is told here"),),
            )
