"""Every program that is known here, by its name."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.boot.commands import apt, dnf, files, modules, printing, sed, streams, units
from nodeworthy.boot.commands.call import Call, Did, Handler
from nodeworthy.boot.effects import Runs

_KINDS = (apt, dnf, files, modules, printing, sed, streams, units)

PROGRAMS: Mapping[str, Handler] = {name: handler for kind in _KINDS for name, handler in kind.HANDLERS.items()}


def did(call: Call) -> Did:
    """What a call does; of a program that nobody knows here, that it runs."""
    handler = PROGRAMS.get(call.program)
    done = handler(call) if handler else None
    return done or Did([call.does(Runs, arguments=call.arguments)])
