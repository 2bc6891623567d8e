"""Asks many hosts at the same time, within limits, and makes a scene of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import field
from pathlib import Path
from typing import Any

import testinfra.backend
from testinfra.host import Host

from nodeworthy.collect.node.asked import AskedHost, ask
from nodeworthy.collect.node.backends import Local, Replay, Ssh, register
from nodeworthy.collect.node.connections import Connections
from nodeworthy.collect.node.parts import READERS, read
from nodeworthy.collect.node.pools import Declared, identity
from nodeworthy.collect.node.reach import Reach
from nodeworthy.collect.node.recording import SUFFIX, Recording, as_text
from nodeworthy.collect.node.specs import Spec
from nodeworthy.collect.node.waiting import Progress, in_parallel, until_ready
from nodeworthy.errors import InputError
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.runtimes import NodeRuntimes
from nodeworthy.facts.not_seen import NotLookedAt, UnreadableInput
from nodeworthy.interrupts import terminate_like_interrupt, tidied
from nodeworthy.records import dataclass
from nodeworthy.scene import Fact, Missing, Scene, make_scene
from nodeworthy.verdict import Place, Verdict

# Writes a whole file, or none.
Write = Callable[[Path, str], None]


@dataclass(frozen=True)
class Asking:
    """How hosts are asked."""

    seconds: float
    workers: int = 16
    ssh_config: str | None = None
    ssh_identity_file: str | None = None
    # Until every boot has ended, this long at most.
    wait: float | None = None
    reach: Reach = field(default_factory=Reach)
    # Of all hosts that are named, those of these names.
    only: frozenset[str] | None = None

    def means(self, asked: AskedHost) -> bool:
        return self.only is None or asked.name in self.only


def recordings_are_there(specs: Iterable[Spec]) -> None:
    for spec in specs:
        if spec.recording is not None and not spec.recording.exists():
            raise InputError(f"there is no recording {spec.recording}")


def hosts_of(specs: Sequence[Spec], asking: Asking) -> list[Host]:
    """One host for each spec, and for each recording in a folder. Raises InputError where one is not there."""
    recordings_are_there(specs)
    backends = testinfra.backend.get_backends(
        [each.text for each in specs],
        **_without_none(ssh_config=asking.ssh_config, ssh_identity_file=asking.ssh_identity_file),
    )
    return [_host(each) for each in backends]


def _without_none(**options: str | None) -> dict[str, str]:
    return {name: value for name, value in options.items() if value is not None}


def _host(backend: testinfra.backend.base.BaseBackend) -> Host:
    # Not through `get_host`, which keeps every host that it ever made.
    host = Host(backend)
    backend.set_host(host)
    return host


def ask_all(
    specs: Sequence[Spec], asking: Asking, progress: Progress | None = None, connections: Connections | None = None
) -> list[AskedHost]:
    """What every host says, in the order in which they were named. Ctrl-C leaves neither a child nor a pod behind.
    Connections that somebody else has opened stay open."""
    own = connections or Connections(asking.seconds, asking.reach)
    register(own)
    with terminate_like_interrupt(), nullcontext() if connections else tidied(own.close):
        hosts = hosts_meant(specs, asking)
        asked = look_at(hosts, asking, progress)
    for each, host in zip(asked, hosts, strict=True):
        if each.recording is None:
            refuse_named(each, host, specs)
    return [each for each in asked if asking.means(each)]


def hosts_meant(specs: Sequence[Spec], asking: Asking) -> list[Host]:
    """Those that may be meant: some are known by their names only when they have been asked."""
    return [each for each in hosts_of(specs, asking) if _may_be_meant(each, asking.only)]


def refuse_named(asked: AskedHost, host: Host, specs: Sequence[Spec]) -> None:
    """Raises InputError: a recording that was named has to be one; of those found in a folder the others are judged all
    the same."""
    if isinstance(host.backend, Replay) and host.backend.path in {spec.recording for spec in specs}:
        raise InputError(f"{host.backend.path} can't be replayed: {asked.why}")


def _may_be_meant(host: Host, only: frozenset[str] | None) -> bool:
    """This machine and a recording have names that they tell only when they are asked."""
    return only is None or isinstance(host.backend, Local | Replay) or host.backend.get_pytest_id() in only


def look_at(hosts: Sequence[Host], asking: Asking, progress: Progress | None = None) -> list[AskedHost]:
    """What every host says now, or, where it is waited for, when its boot has ended."""
    if asking.wait is None:
        return in_parallel(hosts, asking.workers, ask, progress)
    return until_ready(hosts, asking.workers, _anew, asking.wait, progress)


def _anew(host: Host) -> AskedHost:
    """Through a connection that was lost nobody is reached again."""
    asked = ask(host)
    lost = asked.recording is not None and asked.recording.unreached is not None
    if lost and isinstance(host.backend, Ssh):
        host.backend.close()
    return asked


def record(asked: Iterable[AskedHost], folder: Path, write: Write) -> None:
    """One file a host, refusals included."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"can't write recordings to {folder}: {problem.strerror}") from None
    taken: set[str] = set()
    for each in asked:
        if each.recording is not None:
            name = _free(each.recording.file_name, taken)
            write(folder / name, as_text(each.recording))


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number where another host of this run has it already."""
    stem = name.removesuffix(SUFFIX)
    free = next(each for each in (name, *(f"{stem}-{n}{SUFFIX}" for n in range(2, 10_000))) if each not in taken)
    taken.add(free)
    return free


def scene(asked: AskedHost, declared: Declared) -> Scene:
    """The facts about one host: the node, or that it was not seen."""
    place = Place(host=asked.name)
    if asked.recording is None:
        unreadable = UnreadableInput(
            Place(path=asked.name.removeprefix("replay:")), f"this recording can't be replayed: {asked.why}"
        )
        return make_scene([unreadable], none_of("its recording can't be replayed", place))
    if asked.recording.unreached is not None:
        why = f"the host was not reached: {asked.recording.unreached}"
        remedy = f"reach {asked.name} by hand, then look again"
        unseen = NotLookedAt(place, why, Verdict.ERROR, remedy)
        return make_scene([unseen], none_of(why, place))
    return make_scene(*parts_of(asked.recording, declared))


def parts_of(recording: Recording, declared: Declared) -> tuple[list[Fact], dict[type[Any], Missing]]:
    """All that is to be judged of a node, each a fact; and of what is not there, why."""
    parts = read(recording)
    missing = {kind: each for kind, each in parts.items() if isinstance(each, Missing)}
    facts = [each for each in parts.values() if not isinstance(each, Missing)]
    of = next(each for each in facts if isinstance(each, NodeRuntimes))
    return [identity(recording, of, declared, Place(host=recording.host)), *facts], missing


def none_of(why: str, host: Place) -> dict[type[Any], Missing]:
    """Why there is no fact of any type, of a node of which nothing was read."""
    return dict.fromkeys((NodeIdentity, *READERS), Missing(why, place=host))


def nothing_asked(why: str) -> Scene:
    return make_scene([NotLookedAt(Place(), why)])
