"""What came before systemctl, and what stands beside it: service, chkconfig, update-rc.d, snaps' services."""

from __future__ import annotations

from nodeworthy.boot.commands.call import Call, Did, Handler, ask_node, run_on_node, split_options
from nodeworthy.boot.commands.units import ACTS, act_on_units
from nodeworthy.boot.effects import Act

_SWITCHES = {
    "on": Act.ENABLE,
    "enable": Act.ENABLE,
    "defaults": Act.ENABLE,
    "add": Act.ENABLE,
    "off": Act.DISABLE,
    "disable": Act.DISABLE,
    "remove": Act.DISABLE,
    "del": Act.DISABLE,
}
_ASKS = frozenset({"status", "list", "--status-all", ""})


def service(call: Call) -> Did:
    """`service NAME start`."""
    operands = split_options(call.arguments[1:]).operands
    verb = operands[1].string if len(operands) > 1 else ""
    if verb in _ASKS:
        return ask_node(call)
    if verb not in ACTS:
        return run_on_node(call)
    return Did(list(act_on_units(call, operands[:1], ACTS[verb])))


def initctl(call: Call) -> Did:
    """`initctl start NAME`."""
    operands = split_options(call.arguments[1:]).operands
    verb = operands[0].string if operands else ""
    if verb in _ASKS:
        return ask_node(call)
    if verb not in ACTS:
        return run_on_node(call)
    return Did(list(act_on_units(call, operands[1:2], ACTS[verb])))


def chkconfig(call: Call) -> Did:
    """`chkconfig NAME on`, `chkconfig --add NAME`, `update-rc.d NAME defaults`."""
    arguments = split_options(call.arguments[1:], frozenset({"--level", "--levels"}))
    named = arguments.operands
    verb = arguments.words[1] if len(named) > 1 else ""
    for option in ("add", "del"):
        verb = option if arguments.has(f"--{option}") else verb
    if verb not in _SWITCHES or not named:
        return ask_node(call) if not verb else run_on_node(call)
    return Did(list(act_on_units(call, named[:1], (_SWITCHES[verb],))))


def rc_update(call: Call) -> Did:
    """`rc-update add NAME default`."""
    operands = split_options(call.arguments[1:]).operands
    verb = operands[0].string if operands else ""
    if verb not in _SWITCHES:
        return ask_node(call)
    return Did(list(act_on_units(call, operands[1:2], (_SWITCHES[verb],))))


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("service", "rc-service", "invoke-rc.d"), service),
    "initctl": initctl,
    **dict.fromkeys(("chkconfig", "update-rc.d"), chkconfig),
    "rc-update": rc_update,
}
