"""Snaps and their services."""

from __future__ import annotations

from nodeworthy.boot.commands.call import Call, Did, Handler, ask_node, run_on_node, split_options
from nodeworthy.boot.commands.installs import install_effects, removal_effects
from nodeworthy.boot.commands.units import act_on_units
from nodeworthy.boot.effects import Act
from nodeworthy.boot.text import Hole, Text

_TAKES = frozenset("--channel --revision --cohort --name --timezone".split())
_ASKS = frozenset("list info find get services version known changes tasks logs connections interfaces".split())
_SERVICES = {
    "start": ((Act.START,), ("--enable", Act.ENABLE)),
    "stop": ((Act.STOP,), ("--disable", Act.DISABLE)),
    "restart": ((Act.RESTART,), ("", Act.RESTART)),
}


def snap(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _TAKES)
    verb, named = (arguments.words[0], arguments.operands[1:]) if arguments.operands else ("", ())
    if verb in _ASKS:
        return ask_node(call)
    if verb in {"install", "refresh"}:
        return Did(install_effects(call, "snap", named))
    if verb == "remove":
        return Did(removal_effects(call, "snap", named))
    if verb not in _SERVICES:
        return run_on_node(call)
    acts, (option, also) = _SERVICES[verb]
    units = [_unit(name) for name in named]
    return Did(list(act_on_units(call, units, (also, *acts) if option and arguments.has(option) else acts)))


def _unit(name: Text) -> Text:
    """`kubelet-eks.daemon` is one service of a snap, `kubelet-eks` all that it has."""
    if name.known is not None and "." in name.known:
        return Text.of(f"snap.{name.known}.service")
    return Text.of("snap.", *name.pieces, ".", Hole("*", "every service of this snap"), ".service")


HANDLERS: dict[str, Handler] = {"snap": snap}
