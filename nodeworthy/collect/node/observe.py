"""Asks one host, through testinfra's `host`: one script, one round trip, a recording."""

from __future__ import annotations

from testinfra.host import Host

from nodeworthy.collect.node import script
from nodeworthy.collect.node.backends import Local, Replay
from nodeworthy.collect.node.connections import NotAnswering
from nodeworthy.collect.node.deadline import TooLate
from nodeworthy.collect.node.recording import LOCAL, Recording, without_secrets
from nodeworthy.collect.node.script import Part


def observe(host: Host) -> Recording:
    """What the host says; where it can't be asked, why. Raises NoRecording where a recording can't be replayed."""
    backend = host.backend
    if isinstance(backend, Replay):
        return backend.recording()
    name = backend.get_pytest_id()
    nonce = script.new_nonce()
    try:
        answer = host.run(script.command(nonce))
    except TooLate as late:
        return Recording(name, unreached=_late(late, nonce))
    except (NotAnswering, OSError) as problem:
        return Recording(name, unreached=str(problem))
    parts = without_secrets(script.parts(nonce, answer.stdout, answer.stderr))
    if isinstance(backend, Local):
        name = _by_its_own_name(parts)
    if not parts or parts[-1].name != "done":
        return Recording(name, parts, unreached=_broken(answer.rc, answer.stderr, begun=bool(parts)))
    return Recording(name, parts)


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
        return said[-1]
    return f"its answer broke off (exit code {code}{f': {said[-1]}' if said else ''})"
