"""Programs after which the machine boots again."""

from __future__ import annotations

from nodeworthy.boot.commands.call import Call, Did, Handler, split_options
from nodeworthy.boot.effects import Reboots, Runs


def reboot(call: Call) -> Did:
    arguments = split_options(call.arguments[1:])
    if arguments.has("-w", "--wtmp-only", "-p", "--poweroff", "--halt", "--help"):
        return _runs(call)
    return Did([call.does(Reboots)])


def shutdown(call: Call) -> Did:
    """Without -r it stays off; -c takes an earlier one back, -k only warns."""
    arguments = split_options(call.arguments[1:])
    reboots = arguments.has("-r", "--reboot") and not arguments.has("-c", "-k")
    return Did([call.does(Reboots)]) if reboots else _runs(call)


def init(call: Call) -> Did:
    return Did([call.does(Reboots)]) if call.words[:1] == ("6",) else _runs(call)


def kexec(call: Call) -> Did:
    return Did([call.does(Reboots)]) if split_options(call.arguments[1:]).has("-e", "--exec") else _runs(call)


def cloud_init(call: Call) -> Did:
    reboots = call.words[:1] == ("clean",) and split_options(call.arguments[1:]).has("-r", "--reboot")
    return Did([call.does(Reboots)]) if reboots else _runs(call)


def _runs(call: Call) -> Did:
    return Did([call.does(Runs, arguments=call.arguments)])


HANDLERS: dict[str, Handler] = {
    "reboot": reboot,
    "shutdown": shutdown,
    **dict.fromkeys(("init", "telinit"), init),
    "kexec": kexec,
    "cloud-init": cloud_init,
}
