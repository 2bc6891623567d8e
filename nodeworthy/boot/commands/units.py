"""systemctl, and what came before it: acts on units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nodeworthy.boot.commands.call import Call, Did, Given, Handler, ask_node, run_on_node, split_options
from nodeworthy.boot.commands.names import ending, last_part
from nodeworthy.boot.commands.rancher import joined_by_unit
from nodeworthy.boot.effects import Act, Effect, LoadsModule, NotUnderstood, Reboots, Runs, Unit
from nodeworthy.boot.text import Text
from nodeworthy.known.drivers import starting

_TAKES = frozenset(
    "-H -M -t -p -P -s -n -o --host --machine --type --property --state --signal --root --job-mode".split()
)
_SUFFIXES = ("service", "socket", "target", "timer", "mount", "automount", "path", "slice", "scope", "swap", "device")

ACTS: dict[str, tuple[Act, ...]] = {
    "enable": (Act.ENABLE,),
    "reenable": (Act.ENABLE,),
    "preset": (Act.ENABLE,),
    "add-wants": (Act.ENABLE,),
    "add-requires": (Act.ENABLE,),
    "disable": (Act.DISABLE,),
    "start": (Act.START,),
    "stop": (Act.STOP,),
    "kill": (Act.STOP,),
    "isolate": (Act.START,),
    "restart": (Act.RESTART,),
    "try-restart": (Act.RESTART,),
    "condrestart": (Act.RESTART,),
    "reload-or-restart": (Act.RESTART,),
    "try-reload-or-restart": (Act.RESTART,),
    "force-reload": (Act.RESTART,),
    "mask": (Act.MASK,),
    "unmask": (Act.UNMASK,),
}
# With --now they act at once as well.
_NOW = {"enable": Act.START, "reenable": Act.START, "disable": Act.STOP, "mask": Act.STOP}
_ASKS = frozenset(
    "is-active is-enabled is-failed is-system-running status show cat list-units list-unit-files list-timers "
    "list-dependencies list-jobs get-default show-environment help".split()
)
_REBOOTS = frozenset({"reboot", "kexec", "soft-reboot"})
_STARTS = frozenset({Act.START, Act.RESTART})


def systemctl(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _TAKES)
    verb = arguments.operands[0].string if arguments.operands else "list-units"
    if verb in _ASKS:
        return ask_node(call)
    if verb in _REBOOTS:
        return Did([call.does(Reboots)])
    if not verb:
        return Did([call.does(Runs, arguments=call.arguments), _whatever(call)])
    if verb not in ACTS:
        return run_on_node(call)
    did = list(act_on_units(call, _units(verb, arguments), _acts(verb, arguments)))
    return Did(did or [call.does(Runs, arguments=call.arguments)])


def _units(verb: str, arguments: Given) -> tuple[Text, ...]:
    # add-wants names the target first, which it does not touch.
    return arguments.operands[2:] if verb.startswith("add-") else arguments.operands[1:]


def _acts(verb: str, arguments: Given) -> tuple[Act, ...]:
    now = _NOW.get(verb) if arguments.has("--now") else None
    # With --runtime it holds until the machine boots again, and of that boot we are asked.
    acts = () if verb in _NOW and arguments.has("--runtime") else ACTS[verb]
    return (*acts, *((now,) if now else ()))


def act_on_units(call: Call, units: Iterable[Text], acts: Iterable[Act]) -> Iterator[Effect]:
    named = [unit_name(unit) for unit in units]
    for act in acts:
        for unit in named:
            yield call.does(Unit, unit=unit, act=act)
            if act in _STARTS:
                yield from _loads(call, unit)
            if act is Act.START:
                yield from joined_by_unit(call, unit.string)


def unit_name(unit: Text) -> Text:
    """The unit's name with its suffix; unchanged where a hole may hold that."""
    name = last_part(unit)
    if not ending(name) or ending(name).rpartition(".")[2] in _SUFFIXES:
        return name
    return name + Text.of(".service")


def _loads(call: Call, unit: Text) -> Iterator[Effect]:
    if unit.known is None:
        if any(unit.could_be(each) for each in starting()):
            yield _whatever(call)
        return
    because = starting().get(unit.known)
    if because:
        yield call.does(LoadsModule, module="nvidia", because=because)


def _whatever(call: Call) -> NotUnderstood:
    text = " ".join(argument.shown() for argument in call.arguments)
    unit = next((argument.unsaid() for argument in call.arguments if argument.holes), text)
    return call.does(
        NotUnderstood,
        written=text,
        may_be="nvidia-persistenced, or any other unit",
        why=f"the unit here is {unit}",
    )


HANDLERS: dict[str, Handler] = {"systemctl": systemctl}
