"""The shell's own commands."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from nodeworthy.boot.commands.call import is_rooted
from nodeworthy.boot.content import Content, lines_of
from nodeworthy.boot.effects import Gap, Runs
from nodeworthy.boot.shell.arithmetic import reckon
from nodeworthy.boot.shell.elsewhere import (
    by_ansible,
    by_option,
    by_systems_manager,
    in_lima,
    in_target,
    into_the_node,
    run_elsewhere,
    ssh,
    sshpass,
    to_many,
)
from nodeworthy.boot.shell.flow import Flow
from nodeworthy.boot.shell.nested import SHELLS, Written, run_command_text, run_here, run_shell
from nodeworthy.boot.text import Hole, Text
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker


# `cd`, `pushd`, `popd`: the folder by which relative paths are resolved; `mktemp`: a new path.


_CD_TAKES = frozenset(("-P", "-L", "-e", "-@", "--"))


def cd(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> None:  # noqa: ARG001
    state = walker.state
    words = [each for each in arguments[1:] if each.string not in _CD_TAKES]
    target = words[0].known if words else "/root"
    came_from = state.folder
    state.folder = state.came_from if target == "-" else _below(state.folder, target)
    state.came_from = came_from


def pushd(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> None:
    walker.state.folders.append(walker.state.folder)
    cd(walker, arguments, place, raw)


def popd(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> None:  # noqa: ARG001
    folders = walker.state.folders
    walker.state.folder = folders.pop() if folders else None


def mktemp(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool:
    """Makes up a new name, which nothing else knows: what is written there is found there again."""
    walker.state.made_up += 1
    words = [each.string for each in arguments[1:]]
    named = [word for word in words if "XXX" in word]
    path = named[-1].rstrip("X") + str(walker.state.made_up) if named else f"tmp.{walker.state.made_up}"
    path = path if path.startswith("/") else f"/tmp/{path}"  # noqa: S108 - a name in somebody's script
    walker.prints(Content(lines_of(Text((path,)), place)), place, raw)
    return True


def _below(folder: str | None, target: str | None) -> str | None:
    """None where it is not known."""
    if target is None or (folder is None and not is_rooted(target)):
        return None
    return posixpath.normpath(target if is_rooted(target) else posixpath.join(folder or "/", target))


# Programs that run a command for somebody else: `su -c`, `runuser`.


def su(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    """`su - USER -c TEXT`, `runuser -l USER -c TEXT`, `runuser -u USER -- COMMAND`."""
    from nodeworthy.boot.shell.calls import run_arguments

    words = [each.known for each in arguments]
    if "--" in words and "-c" not in words:
        inner = arguments[words.index("--") + 1 :]
        return run_arguments(walker, inner, place, raw) if inner else None
    for index, word in enumerate(words[:-1]):
        if word in ("-c", "--command", "-lc"):
            return run_command_text(walker, arguments[index + 1], place, raw)
    walker.not_understood(place, raw, "what is run for another user could not be read", kind=Gap.ANYTHING)
    return None


Builtin = Callable[["Walker", Sequence[Text], Place, str], "bool | None"]


def _true(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool:  # noqa: ARG001
    return True


def _false(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool:  # noqa: ARG001
    return False


def _exit(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> None:  # noqa: ARG001
    walker.flow = Flow.EXIT


def _return(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:  # noqa: ARG001
    walker.flow = Flow.RETURN
    status = arguments[1].known if len(arguments) > 1 else None
    return status == "0" if status is not None and status.isdigit() else None


def _break(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool:  # noqa: ARG001
    walker.flow = Flow.BREAK
    return True


def _continue(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool:  # noqa: ARG001
    walker.flow = Flow.CONTINUE
    return True


def _set(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool:  # noqa: ARG001
    from nodeworthy.boot.shell.functions import set_arguments

    options = walker.state.options
    words = [each.string for each in arguments[1:]]
    for index, word in enumerate(words):
        if word == "--":
            set_arguments(walker, arguments[index + 2 :])
            break
        if word[:1] not in ("-", "+"):
            continue
        on = word.startswith("-")
        if "e" in word[1:]:
            options.errexit = on
        named = words[index + 1] if word.endswith("o") and index + 1 < len(words) else ""
        if named == "pipefail":
            options.pipefail = on
        elif named == "errexit":
            options.errexit = on
    return True


def _shift(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool:  # noqa: ARG001
    from nodeworthy.boot.shell.functions import set_arguments

    given = walker.state.variables.get("@")
    by = arguments[1].known if len(arguments) > 1 else "1"
    if isinstance(given, tuple) and by is not None and by.isdigit():
        set_arguments(walker, given[int(by) :])
    return True


def _unset(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool:  # noqa: ARG001
    for each in arguments[1:]:
        walker.state.unset(each.string)
    return True


def _read_builtin(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> None:  # noqa: ARG001
    """`read`, `mapfile`, `getopts`: whatever they are given, the variables hold something that is not known."""
    for each in arguments[1:]:
        name = each.string
        if name.isidentifier():
            walker.state.set(name, Text((Hole(f"${name}", f"{name} is read by `{raw[:60]}`"),)))


def _printf(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    from nodeworthy.boot.shell.calls import run_program

    if len(arguments) > 2 and arguments[1].known == "-v":
        name = arguments[2].string
        _, content = walker.caught(lambda: run_program(walker, (arguments[0], *arguments[3:]), place, raw))
        text = content.text.pieces
        last = text[-1] if text else ""
        walker.state.set(name, Text.of(*text[:-1], last.removesuffix("\n") if isinstance(last, str) else last))
        return True
    return run_program(walker, arguments, place, raw)


_SETTINGS = pattern(r"(?i)env|conf|vars|variables|settings|version|profile|setup|activate|credentials")


def _is_a_library(name: str) -> bool:
    """What lies beside the script and holds functions: `${SCRIPT_DIR}/../lib/common.sh`. The machine's own files
    (`/opt/ros/setup.bash`, `~/.cargo/env`) and those with settings say nothing of how a script fails."""
    is_beside = not name.startswith(("/", "~", "$HOME", "${HOME"))
    last = name.rpartition("/")[2]
    return is_beside and last.endswith((".sh", ".bash")) and _SETTINGS.search(last) is None


def _source(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    from nodeworthy.boot.shell.calls import call_of
    from nodeworthy.boot.shell.redirects import absolute

    if len(arguments) < 2:
        return None
    name = absolute(walker, arguments[1]).known
    content = walker.state.files.get(name) if name is not None else None
    if content is not None and name not in walker.running:
        walker.running.append(name or "")
        status = walker.scope(lambda: run_here(walker, content.text.shown(), Written(content), place), Flow.RETURN)
        walker.running.pop()
        return bool(status) if status is not None else None
    walker.state.sourced = name or arguments[1].shown()
    if _is_a_library(arguments[1].shown()):
        walker.state.options.is_doubtful = True
    if name is None or name in walker.state.files:
        walker.not_understood(place, raw, f"what {walker.state.sourced} sets could not be read")
    elif name.endswith((".sh", ".bash")) and not name.startswith("/etc/profile"):
        walker.emit(call_of(walker, arguments, place, raw).does(Runs, arguments=(Text((name,)),)))
    return None


def _eval(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    from nodeworthy.boot.origin import Folded

    text = " ".join(each.shown() for each in arguments[1:])
    unknown = next((each for each in arguments[1:] if each.known is None), None)
    if unknown is not None:
        walker.not_understood(place, raw, f"what is evaluated here is {unknown.unsaid()}", kind=Gap.ANYTHING)
        return None
    given = walker.given
    if given is None or len(arguments) < 2 or not given.holds(arguments[1]):
        return run_here(walker, text, Folded(place, "what is evaluated"), place)
    return walker.as_given(
        given, place, lambda: run_here(walker, text, Folded(given.place, "what is evaluated"), given.place)
    )


def _exec(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    from nodeworthy.boot.shell.calls import run_arguments

    if len(arguments) < 2:
        return True  # only redirects: where the script's own output goes
    status = run_arguments(walker, arguments[1:], place, raw)
    walker.flow = Flow.EXIT
    return status


def _trap(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool:  # noqa: ARG001
    signals = {each.string.removeprefix("SIG") for each in arguments[2:]}
    body = arguments[1].known if len(arguments) > 1 else None
    if body in (None, "-", ""):
        if body in ("-", "") and "ERR" in signals:
            walker.state.options.reports = False
        return True
    if "ERR" in signals or ("EXIT" in signals and "?" in body):
        walker.state.options.reports = body.strip(" ;") not in (":", "true")
    if signals & {"EXIT", "0"}:
        walker.at_exit.append((body, place, walker.guard))
    return True


def _let(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:  # noqa: ARG001
    values = [reckon(each.known, walker.state) if each.known is not None else None for each in arguments[1:]]
    return values[-1] != 0 if values and values[-1] is not None else None


def _test(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:  # noqa: ARG001
    """Where a test comes in as words (`env test …`), nothing is claimed."""
    return None


BUILTINS: Mapping[str, Builtin] = {
    ":": _true,
    "true": _true,
    "wait": _true,
    "sleep": _true,
    "shopt": _true,
    "umask": _true,
    "ulimit": _true,
    "hash": _true,
    "disown": _true,
    "false": _false,
    "exit": _exit,
    "return": _return,
    "break": _break,
    "continue": _continue,
    "cd": cd,
    "pushd": pushd,
    "popd": popd,
    "mktemp": mktemp,
    "su": su,
    "runuser": su,
    "sg": su,
    "ssh": ssh,
    "sshpass": sshpass,
    **dict.fromkeys(("pdsh", "clush", "parallel-ssh", "pssh"), to_many),
    "ansible": by_ansible,
    "aws": by_systems_manager,
    "vagrant": by_option,
    "gcloud": by_option,
    "multipass": run_elsewhere,
    "lxc": run_elsewhere,
    "incus": run_elsewhere,
    "limactl": in_lima,
    "nsenter": into_the_node,
    "chroot": into_the_node,
    "curtin": in_target,
    "set": _set,
    "shift": _shift,
    "unset": _unset,
    "read": _read_builtin,
    "mapfile": _read_builtin,
    "readarray": _read_builtin,
    "getopts": _read_builtin,
    "printf": _printf,
    "source": _source,
    ".": _source,
    "eval": _eval,
    "exec": _exec,
    "trap": _trap,
    "let": _let,
    "[": _test,
    "test": _test,
    **dict.fromkeys(SHELLS, run_shell),
}
