"""Every program that is known here, by its name."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.boot.commands import (
    apt,
    asking,
    charts,
    containers,
    dnf,
    edits,
    fetching,
    files,
    filters,
    firewall,
    grep,
    joining,
    modules,
    mounts,
    nvidia,
    other_packages,
    printing,
    rancher,
    reboots,
    runfiles,
    sed,
    services,
    snap,
    starters,
    streams,
    units,
)
from nodeworthy.boot.commands.call import Call, Did, Handler
from nodeworthy.boot.commands.runfiles import is_runfile, runfile
from nodeworthy.boot.effects import Runs

KINDS = (
    apt,
    asking,
    charts,
    containers,
    dnf,
    edits,
    fetching,
    files,
    filters,
    firewall,
    grep,
    joining,
    modules,
    mounts,
    nvidia,
    other_packages,
    printing,
    rancher,
    reboots,
    runfiles,
    sed,
    services,
    snap,
    starters,
    streams,
    units,
)

PROGRAMS: Mapping[str, Handler] = {name: handler for kind in KINDS for name, handler in kind.HANDLERS.items()}


def did(call: Call) -> Did:
    """What a call does; of a program that nobody knows here, that it runs."""
    handler = PROGRAMS.get(call.program) or (runfile if is_runfile(call.arguments[0]) else None)
    return outcome_of(handler, call) if handler is not None else fetching.kept_installer(call) or _runs(call)


def outcome_of(handler: Handler, call: Call) -> Did:
    done = handler(call)
    return done if done is not None else _runs(call)


def _runs(call: Call) -> Did:
    """A program that is run, with what it is given to read: `kubectl apply -f -` acts on that."""
    return Did([call.does(Runs, arguments=call.arguments, given=call.stdin)])
