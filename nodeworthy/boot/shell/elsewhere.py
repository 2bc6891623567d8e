"""What a script has another machine run: `ssh HOST COMMAND`, `ssh HOST 'bash -s' <<EOF`, and what leads there as well:
`gcloud compute ssh`, `vagrant ssh -c`, `multipass exec`, `lxc exec`, `limactl shell`; `pdsh`, `clush`, `ansible -m
shell`, `aws ssm send-command` to many; out of a container `nsenter -t 1` and `chroot /host`, to the node around it.

The other machine has none of this one's variables, functions and files; what an unquoted heredoc expands is expanded
here, before it is sent. Scripts for one host, by the name that is written, find the files of those before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

from nodeworthy.boot.effects import Effect, Opens, RunsElsewhere
from nodeworthy.boot.origin import Folded, Origin, Straight
from nodeworthy.boot.shell.flow import Stream
from nodeworthy.boot.shell.nested import SHELLS, Written, run_here
from nodeworthy.boot.shell.state import State
from nodeworthy.boot.shell.wrappers import unwrap
from nodeworthy.boot.text import Text
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker

# The options of ssh that take a value of their own, alone or behind others: `-p 22`, `-tp 22`.
_TAKES = "BbcDEeFIiJLlmOopQRSWw"
# Those of pdsh, clush and parallel-ssh.
_TAKES_OF_MANY = "wxgXlfuRtMHhpoeO"
# A variable that is not known, and that holds options by what it is called.
_OPTIONS = pattern(r"(?i)opt|arg|flag|param")
_RUNS_A_SCRIPT = "AWS-RunShellScript"
# The node around a container: its first process, and where its disk is mounted.
THE_NODE = Text.of("the node")
_INTO_PROCESS_1 = pattern(r"(?:^|\s)(?:-\w*t\s*|--target[= ]\s*)1(?:\s|$)|/proc/1/ns/mnt\b|/proc/1/root\b")
_ROOTS_OF_THE_NODE = frozenset(
    "/host /rootfs /hostroot /host-root /host_root /hostfs /mnt/host /node /noderoot".split()
)
_TAKES_A_TEXT = pattern(r"-\w{0,6}c")
# A shell that is given no script of its own: `bash -s`, `sudo bash`.
_SHELL = pattern(
    r"(?:(?:sudo|env|doas)(?: -\S+| \w+=\S*)* )?(?:/usr)?(?:/bin/)?(?:ba|da|k|z)?sh(?: -s(?: .*)?| -\w*| --)*"
)


@dataclass(frozen=True)
class _Asked:
    host: Text
    command: tuple[Text, ...]
    # It is given a terminal, or told to read nothing.
    has_terminal: bool = False
    reads_nothing: bool = False
    # Where its lines stand, if not where they are written in the command.
    origin: Origin | None = None


@dataclass(frozen=True)
class _Script:
    text: str
    # None where it stands in the command itself.
    origin: Origin | None = None
    stdin: Stream | None = None


def sshpass(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    """`sshpass -p SECRET ssh …`"""
    at = next((index for index, each in enumerate(arguments) if each.known == "ssh"), None)
    if at is not None:
        return ssh(walker, arguments[at:], place, raw)
    return _plainly(walker, arguments, place, raw)


def ssh(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    return _sent(walker, _shell_asked_for(arguments[1:]), arguments, place, raw)


def to_many(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    """`pdsh -w gpu-[1-8] COMMAND`, `clush -bw @gpu COMMAND`, `parallel-ssh -h FILE COMMAND`: to each the same."""
    hosts, at = Text.of("all of them"), 1
    while at < len(arguments) and (arguments[at].known or "").startswith("-"):
        word = arguments[at].known or ""
        takes = not word.startswith("--") and word[-1:] in _TAKES_OF_MANY
        hosts = arguments[at + 1] if word[-1:] in "wgHh" and takes and at + 1 < len(arguments) else hosts
        at += 2 if takes else 1
    asked = _Asked(hosts, tuple(arguments[at:])) if at < len(arguments) else None
    return _sent(walker, asked, arguments, place, raw)


def by_ansible(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    """`ansible GROUP -b -m shell -a COMMAND`; its other modules take no commands."""
    words = [each.shown() for each in arguments]
    given = next((arguments[at + 1] for at, word in enumerate(words[:-1]) if word in ("-a", "--args")), None)
    module = next((words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-m", "--module-name")), "command")
    is_shell = module.rpartition(".")[2] in ("shell", "command", "raw")
    asked = _Asked(arguments[1], (given,)) if given is not None and is_shell else None
    return _sent(walker, asked, arguments, place, raw)


def by_systems_manager(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    """`aws ssm send-command --document-name AWS-RunShellScript --parameters 'commands=["…"]'`: of a list each line is
    run, whatever came of the one before."""
    words = [each.shown() for each in arguments]
    asked = None
    if words[1:3] == ["ssm", "send-command"] and any(each.endswith(_RUNS_A_SCRIPT) for each in words):
        given = _value_of(words, "--parameters")
        host = _value_of(words, "--instance-ids") or _value_of(words, "--targets") or "all of them"
        lines = _commands_in(given)
        asked = (
            _Asked(Text.of(host), (Text.of("\n".join(lines)),), origin=Folded(place, "the command")) if lines else None
        )
    return _sent(walker, asked, arguments, place, raw)


def _value_of(words: Sequence[str], option: str) -> str:
    for at, word in enumerate(words):
        if word == option and at + 1 < len(words):
            return words[at + 1]
        if word.startswith(f"{option}="):
            return word.removeprefix(f"{option}=")
    return ""


def _commands_in(parameters: str) -> list[str]:
    """`{"commands": [...]}`, `commands=[...]`, `commands="..."`; none where it is a file, or nobody can read it."""
    import json

    short = parameters.removeprefix("commands=")
    try:
        read = json.loads(short) if short[:1] in ("{", "[", '"') else short if short != parameters else None
    except (ValueError, RecursionError):
        return []
    said = read.get("commands") if isinstance(read, dict) else read
    return [each for each in (said if isinstance(said, list) else [said]) if isinstance(each, str) and each]


def in_lima(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    """`limactl shell [--workdir DIR] NAME COMMAND`: no shell reads its words once more."""
    words = [each.shown() for each in arguments]
    at = 2 if words[1:2] == ["shell"] else len(words)
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("--workdir", "--shell") else 1
    inner = arguments[at + 2 :] if words[at + 1 : at + 2] == ["--"] else arguments[at + 1 :]
    return _sent(walker, _asked_in_words(arguments[at], inner) if inner else None, arguments, place, raw)


def by_option(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    """`vagrant ssh NAME -c COMMAND`, `gcloud compute ssh NAME --command=COMMAND`, or `-- COMMAND`."""
    at = next((index for index, each in enumerate(arguments[:8]) if each.known == "ssh"), None)
    asked = _asked_by_option(arguments[at + 1 :]) if at is not None else None
    return _sent(walker, asked, arguments, place, raw)


def run_elsewhere(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    """`multipass exec NAME -- COMMAND`, `lxc exec NAME -- COMMAND`: no shell reads its words once more."""
    at = next((index for index, each in enumerate(arguments) if each.known == "--"), None)
    asked = None
    if at is not None and arguments[1].known == "exec" and at + 1 < len(arguments):
        host = next((each for each in arguments[2:at] if not each.shown().startswith("-")), arguments[0])
        asked = _Asked(host, tuple(map(_as_one_word, arguments[at + 1 :])))
    return _sent(walker, asked, arguments, place, raw)


def into_the_node(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    """`nsenter --target 1 --mount … -- COMMAND`, `chroot /host COMMAND`; what changes to another place stays on this
    machine."""
    from nodeworthy.boot.shell.calls import run_arguments

    inner = unwrap(arguments[0].shown().rpartition("/")[2], arguments) or ()
    before = [each.shown() for each in arguments[1 : len(arguments) - len(inner)]]
    if not _leads_to_the_node(before):
        return run_arguments(walker, inner, place, raw) if inner else None
    return _sent(walker, _asked_in_words(THE_NODE, inner), arguments, place, raw)


def _asked_in_words(host: Text, inner: Sequence[Text]) -> _Asked:
    """The words of a command, or the text that a shell is given with `-c`."""
    words = [each.known or "" for each in inner[:3]]
    at = 1 if words[:1] == ["sudo"] else 0
    if len(inner) > at + 2 and words[at].rpartition("/")[2] in SHELLS and _TAKES_A_TEXT.fullmatch(words[at + 1]):
        return _Asked(host, (inner[at + 2],))
    return _Asked(host, tuple(map(_as_one_word, inner)))


def in_target(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    """`curtin in-target --target=/target -- COMMAND`: on the system that an installer has put on the disk."""
    from nodeworthy.boot.shell.calls import run_arguments

    words = [each.known for each in arguments]
    named = next((index for index, word in enumerate(words) if index > 1 and word and not word.startswith("-")), 0)
    at = words.index("--") + 1 if "--" in words else named
    inner = arguments[at:] if words[1:2] == ["in-target"] and at else ()
    return run_arguments(walker, inner, place, raw) if inner else _plainly(walker, arguments, place, raw)


def _leads_to_the_node(words: Sequence[str]) -> bool:
    told = " ".join(words)
    return _INTO_PROCESS_1.search(told) is not None or told.rstrip("/") in _ROOTS_OF_THE_NODE


def _as_one_word(word: Text) -> Text:
    return Text.of(quote(word.known)) if word.known is not None else word


def _asked_by_option(behind: Sequence[Text]) -> _Asked | None:
    host = next((each for each in behind if not each.shown().startswith("-")), Text.of("default"))
    for index, each in enumerate(behind):
        shown = each.shown()
        if shown.startswith("--command="):
            first, *rest = each.pieces
            return _Asked(host, (Text.of(str(first).removeprefix("--command="), *rest),))
        if shown in ("-c", "--command") and index + 1 < len(behind):
            return _Asked(host if host is not behind[index + 1] else Text.of("default"), (behind[index + 1],))
        if shown == "--":
            return _Asked(host, tuple(behind[index + 1 :])) if index + 1 < len(behind) else None
    return None


def _sent(walker: Walker, asked: _Asked | None, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    script = _script(walker, asked) if asked is not None else None
    if asked is None or script is None:
        return _plainly(walker, arguments, place, raw)
    given = _script_from_stdin(asked, script)
    stdin = walker.stdin if given.origin is not None else None
    call = RunsElsewhere(
        place=place,
        stage=walker.stage,
        command=raw,
        conditions=walker.guard,
        via=walker.via,
        failure=walker.failure(),
        detached=walker.detached,
        arguments=tuple(arguments),
        host=asked.host,
        does=tuple(_run(walker, asked, script, place)),
        text=given.text,
        origin=given.origin or Straight(place),
        content=stdin.content if stdin is not None else None,
        expanded=stdin.expanded if stdin is not None else (),
    )
    walker.emit(call)
    walker.prints(None, place, raw)
    return None


def _plainly(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    from nodeworthy.boot.shell.calls import run_program

    return run_program(walker, arguments, place, raw)


def _shell_asked_for(arguments: Sequence[Text]) -> _Asked | None:
    letters, index = "", 0
    while index < len(arguments):
        word = arguments[index].known
        if word is None and _OPTIONS.search(arguments[index].shown()) and index + 1 < len(arguments):
            index += 1
        elif word is None or not word.startswith("-") or len(word) == 1:
            break
        else:
            letters += word[1:]
            at = next((at for at, letter in enumerate(word) if letter in _TAKES), len(word))
            # `-p22` brings its value along, `-p 22` does not.
            index += 2 if at == len(word) - 1 else 1
    if index >= len(arguments):
        return None
    return _Asked(arguments[index], tuple(arguments[index + 1 :]), "t" in letters, "n" in letters)


def _script(walker: Walker, asked: _Asked) -> _Script | None:
    """What the other machine's shell is given; None where nobody here knows it."""
    if asked.command:
        text = " ".join(each.shown() for each in asked.command)
        return _Script(text, asked.origin, walker.stdin if asked.origin is None else None)
    content = walker.stdin.content if walker.stdin is not None else None
    if content is None or not content.lines:
        return None
    return _Script(content.text.shown(), Written(content))


def _script_from_stdin(asked: _Asked, script: _Script) -> _Script:
    """What its lines are: of a shell that reads them, `sudo bash -s <<EOF`, what it reads."""
    content = script.stdin.content if script.stdin is not None else None
    if content is None or not content.lines or not _is_shell(asked.command):
        return script
    return _Script(content.text.shown(), Written(content))


def _run(walker: Walker, asked: _Asked, script: _Script, place: Place) -> Sequence[Effect]:
    from nodeworthy.boot.shell.walker import Walker as Another

    origin = script.origin or Straight(place)
    disk = walker.machines.setdefault(asked.host.shown(), State())
    there = Another(origin, walker.stage, State(files=disk.files, versions=disk.versions), walker.text)
    there.guard, there.via, there.machines = walker.guard, walker.via, walker.machines
    there.steps, there.most_steps, there.depth = walker.steps, walker.most_steps, walker.depth
    # As its last command ends, so does ssh.
    there.stdin, there.is_last = script.stdin, True
    run_here(there, script.text, origin, place)
    walker.steps = there.steps
    there.end()
    unanswered = asked.reads_nothing or (not asked.has_terminal and _reads_a_script(asked, walker.stdin))
    return [_unanswered(each) for each in there.effects] if unanswered else there.effects


def _reads_a_script(asked: _Asked, stdin: Stream | None) -> bool:
    """What asks there reads on in the script itself."""
    is_given = stdin is not None and (stdin.content is not None or stdin.url is not None)
    return is_given and (not asked.command or _is_shell(asked.command))


def _is_shell(command: Sequence[Text]) -> bool:
    words = " ".join(each.shown() for each in command).split()
    return _SHELL.fullmatch(" ".join(words)) is not None


def _unanswered(effect: Effect) -> Effect:
    if isinstance(effect, Opens) and effect.is_answered is None:
        return replace(effect, is_answered=False)
    return effect
