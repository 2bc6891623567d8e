"""Programs that run another program: `sudo`, `env`, `timeout` and their kin are taken off."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.boot.text import Text
from nodeworthy.patterns import pattern

# The options of each that take a value of their own, and how many words follow before the command.
WRAPPERS: dict[str, frozenset[str]] = {
    "sudo": frozenset("-u -g -h -p -C -r -t -T -U -D -R --user --group --chdir".split()),
    "doas": frozenset({"-u", "-C"}),
    "env": frozenset({"-u", "-C", "-S", "--unset", "--chdir"}),
    "nohup": frozenset(),
    "time": frozenset({"-f", "-o"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "nice": frozenset({"-n", "--adjustment"}),
    "ionice": frozenset({"-c", "-n", "-p"}),
    "setsid": frozenset(),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "unbuffer": frozenset(),
    "command": frozenset(),
    "builtin": frozenset(),
    "chroot": frozenset(),
    "nsenter": frozenset({"-t", "--target", "-S", "-G"}),
    "systemd-run": frozenset({"-p", "--property", "--unit", "--slice", "--uid", "--on-boot", "--on-active"}),
    "systemd-inhibit": frozenset(),
    "flock": frozenset({"-w", "--timeout", "-E"}),
    "cloud-init-per": frozenset(),
    "xargs": frozenset("-I -n -P -L -d -a".split()),
    "chronic": frozenset(),
    "taskset": frozenset(),
}
# Words that belong to the wrapper itself, before the command: a duration, a lock, a new root, how often and its name.
_OWN_WORDS = {"timeout": 1, "flock": 1, "chroot": 1, "cloud-init-per": 2, "taskset": 1}

# Set to sudo, or to nothing where root runs the script: `$SUDO apt-get install …`.
_SUDO = pattern(r"\$\{?(?:SUDO|sudo)(?:_CMD|_cmd)?(?::?-[^}\s]*)?\}?")


def is_sudo(program: Text) -> bool:
    """Whether its name says what a variable holds that is set in more than one way."""
    return _SUDO.fullmatch(program.shown()) is not None


def unwrap(program: str, arguments: Sequence[Text]) -> Sequence[Text] | None:
    """The command inside; None where this program is no wrapper."""
    with_value = WRAPPERS.get(program)
    if with_value is None:
        return None
    if program == "command" and len(arguments) > 1 and arguments[1].known in ("-v", "-V"):
        return None
    index, own = 1, _OWN_WORDS.get(program, 0)
    while index < len(arguments):
        word = arguments[index].known
        if word is None:
            break
        if word == "--":
            index += 1
            break
        if word.startswith("-") and len(word) > 1:
            index += 2 if word in with_value else 1
        elif "=" in word and program in ("sudo", "env", "doas") and word.partition("=")[0].isidentifier():
            index += 1
        elif own:
            own -= 1
            index += 1
        else:
            break
    return arguments[index:]
