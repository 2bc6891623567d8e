"""Programs after which the machine boots again."""

from __future__ import annotations

from nodeworthy.boot.commands.call import Call, Did, Handler, run_on_node, split_options
from nodeworthy.boot.effects import Reboots


def reboot(call: Call) -> Did:
    arguments = split_options(call.arguments[1:])
    if arguments.has("-w", "--wtmp-only", "-p", "--poweroff", "--halt", "--help"):
        return run_on_node(call)
    return Did([call.does(Reboots)])


def shutdown(call: Call) -> Did:
    """Reboots with -r. Without it the machine stays off; -c cancels an earlier shutdown, -k only warns."""
    arguments = split_options(call.arguments[1:])
    reboots = arguments.has("-r", "--reboot") and not arguments.has("-c", "-k")
    return Did([call.does(Reboots)]) if reboots else run_on_node(call)


def init(call: Call) -> Did:
    return Did([call.does(Reboots)]) if call.words[:1] == ("6",) else run_on_node(call)


def kexec(call: Call) -> Did:
    return Did([call.does(Reboots)]) if split_options(call.arguments[1:]).has("-e", "--exec") else run_on_node(call)


def cloud_init(call: Call) -> Did:
    reboots = call.words[:1] == ("clean",) and split_options(call.arguments[1:]).has("-r", "--reboot")
    return Did([call.does(Reboots)]) if reboots else run_on_node(call)


HANDLERS: dict[str, Handler] = {
    "reboot": reboot,
    "shutdown": shutdown,
    **dict.fromkeys(("init", "telinit"), init),
    "kexec": kexec,
    "cloud-init": cloud_init,
}
