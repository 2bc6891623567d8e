"""Asks one host, through testinfra's `host`: one script, one round trip, a recording."""

from __future__ import annotations

import time

from testinfra.backend.base import CommandResult
from testinfra.host import Host

from nodeworthy.collect.node import script
from nodeworthy.collect.node.backends import Local, Replay
from nodeworthy.collect.node.connections import NotAnswering, WithDeadline
from nodeworthy.collect.node.deadline import TooLate
from nodeworthy.collect.node.recording import LOCAL, NoRecording, Recording, without_secrets
from nodeworthy.collect.node.script import Part
from nodeworthy.records import dataclass
from nodeworthy.redaction import hide_secrets


class TooLong(Exception):
    """An answer that came in time, and takes too long to be read."""

    def __init__(self, seconds: float, characters: int) -> None:
        super().__init__(f"its answer of {characters:,} characters could not be read within {seconds:g} s")


def observe(host: Host) -> Recording:
    """What the host says; where it can't be asked, why. Raises NoRecording where a recording can't be replayed."""
    backend = host.backend
    if isinstance(backend, Replay):
        return backend.recording()
    name = hide_secrets(backend.get_pytest_id())
    nonce = script.new_nonce()
    try:
        answer = host.run(script.command(nonce))
    except TooLate as late:
        return Recording(name, unreached=_late(late, nonce))
    except (NotAnswering, OSError) as problem:
        return Recording(name, unreached=hide_secrets(str(problem)))
    try:
        parts = _taken_apart(nonce, answer, WithDeadline.connections.seconds)
    except (script.Unbelievable, TooLong) as problem:
        return Recording(name, unreached=hide_secrets(str(problem)))
    if isinstance(backend, Local):
        name = _by_its_own_name(parts)
    if not parts or parts[-1].name != "done":
        return Recording(name, parts, unreached=_broken(answer.rc, answer.stderr, begun=bool(parts)))
    return Recording(name, parts)


def _taken_apart(nonce: str, answer: CommandResult, seconds: float) -> tuple[Part, ...]:
    """What a host says must not take longer than it may take to say it: the other hosts wait meanwhile. Counted is this
    thread's own work, for the answers of many hosts are taken apart at the same time."""
    until = time.thread_time() + seconds
    parts: list[Part] = []
    for each in script.parts(nonce, answer.stdout, answer.stderr):
        parts += without_secrets((each,))
        if time.thread_time() > until:
            raise TooLong(seconds, len(answer.stdout))
    return tuple(parts)


def _by_its_own_name(parts: tuple[Part, ...]) -> str:
    """ "local" names no machine, and a recording is read elsewhere."""
    said = next((each.stdout.strip() for each in parts if each.name == "name"), "")
    return f"{LOCAL}{said}"


def _late(late: TooLate, nonce: str) -> str:
    reading = script.last_begun(nonce, late.stdout.decode("utf-8", errors="replace"))
    return f"{late}" + (f", while {reading!r} was read" if reading else "")


def _broken(code: int, stderr: str, *, begun: bool) -> str:
    said = [line.strip() for line in stderr.splitlines() if line.strip() and not line.startswith("@@")]
    if not begun and said:
        return hide_secrets(said[-1])
    return f"its answer broke off (exit code {code}{f': {hide_secrets(said[-1])}' if said else ''})"


@dataclass(frozen=True)
class AskedHost:
    """A host, and what it said, or why its recording can't be replayed."""

    name: str
    recording: Recording | None
    why: str = ""


def ask(host: Host) -> AskedHost:
    name = hide_secrets(host.backend.get_pytest_id())
    try:
        recording = observe(host)
    except NoRecording as problem:
        return AskedHost(name, None, str(problem))
    return AskedHost(recording.host, recording)
