"""The front door. Each command is a module that is imported only when it is called."""

from __future__ import annotations

import argparse
import codecs
import errno
import gc
import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn, TextIO

from nodeworthy import __version__, interrupts
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Command:
    name: str
    moment: str
    line: str

    @property
    def module(self) -> str:
        return f"nodeworthy.commands.{self.name}"


COMMANDS = (
    Command("check", "source", "reads files and folders, and judges them"),
    Command("preview", "plan", "runs the Pulumi program here with an engine of our own, and judges the plan"),
    Command("audit", "cloud", "reads AWS, and judges what runs there; changes nothing"),
    Command("rollout", "cloud", "replaces stale nodes in AWS one by one, each proven before the next one goes"),
    Command("node", "node", "looks at fresh machines through ssh, and judges them"),
    Command("lab", "node", "boots fresh nodes on this machine, and injects faults into them (root)"),
    Command("diagnose", "cluster", "reads Kubernetes, names causes"),
    Command("accept", "workload", "proves nodes by real work, and judges what it showed"),
    Command("lsp", "", "speaks with an editor: underlines what check finds, as one types"),
    Command("baseline", "", "writes down what fails today, so that check fails only for what is new"),
    Command("boot", "", "prints the timeline of a boot script: when, where, what, under which condition"),
    Command("explain", "", "says what is known of a rule, a distribution, a GPU, a line of a log"),
    Command("rules", "", "lists the rules: id, title, severity, moments"),
    Command("fleet", "", "prints the fleet as it was resolved; `fleet schema` its JSON Schema"),
    Command("completion", "", "prints the completion of bash, zsh or fish"),
)


# What is read is kept until the end: looking for garbage in it again and again finds none, and costs time.
COLLECT_AFTER = 100_000


def main(arguments: Sequence[str] | None = None) -> int:
    if arguments is None:
        interrupts.begin()
    gc.set_threshold(COLLECT_AFTER, 20, 20)
    if arguments is not None:
        return _guarded(list(arguments))
    # The process is ours alone, and ends with us: nobody need look through what is left.
    if sys.argv[1:2] == ["check"]:
        gc.disable()
    code = interrupts.until_ended(lambda: _guarded(sys.argv[1:]))
    gc.freeze()
    return code


def _guarded(argv: list[str]) -> int:
    if sys.stdout is None:  # closed by whoever started us (>&-): the exit code still speaks
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - as long as we live
    _write_every_letter(sys.stdout, sys.stderr)
    try:
        return _run(argv)
    except BrokenPipeError:
        _write_no_more()
        return 128 + signal.SIGPIPE
    except OutputFull as problem:
        _write_no_more()
        print(f"nodeworthy: can't write the output: {problem}", file=sys.stderr)
        return 2
    except interrupts.Interrupted:
        raise
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _write_every_letter(*streams: TextIO) -> None:
    """Where a stream has not all letters, those that are more than ASCII are written as JSON writes them, so that JSON
    stays JSON; what is no letter at all (a part of a file's name) is written so everywhere."""
    codecs.register_error("nodeworthy", _as_json)
    for each in streams:
        if isinstance(each, io.TextIOWrapper):
            is_unicode = codecs.lookup(each.encoding).name.startswith("utf")
            each.reconfigure(encoding=each.encoding if is_unicode else "ascii", errors="nodeworthy")


def _as_json(problem: UnicodeError) -> tuple[str, int]:
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    units = problem.object[problem.start : problem.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), problem.end


class OutputFull(Exception):
    """Standard output takes no more."""


def _write_no_more() -> None:
    """Silences the output when nobody can read it: Python would complain once more while it flushes at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: list[str]) -> int:
    from nodeworthy.errors import Ends

    command = next((each for each in COMMANDS if argv and each.name == argv[0]), None)
    if command is None:
        return _front(argv)
    module = importlib.import_module(command.module)
    parser = _parser(command)
    parser.typed = argv[1:]
    options = parser.parse_args(argv[1:], namespace=module.Options())
    try:
        code: int = module.run(options)
        sys.stdout.flush()
    except Ends as end:
        interrupts.tell_nothing_more()
        from nodeworthy.redaction import hide_secrets
        from nodeworthy.report.printable import printable

        print(f"nodeworthy {command.name}: {printable(hide_secrets(str(end)))}", file=sys.stderr)
        return end.exit_code
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except OSError as problem:
        interrupts.tell_nothing_more()
        if _stands_nowhere():
            print(
                f"nodeworthy {command.name}: the folder that it runs in is gone; change to another one", file=sys.stderr
            )
            return 2
        if problem.errno != errno.ENOSPC:
            return _crashed(command, problem)
        raise OutputFull(problem.strerror) from None
    except Exception as crash:  # noqa: BLE001 - whatever it was, nothing was proven: say so, and never end with a clean code
        return _crashed(command, crash)
    return code


def _parser(command: Command) -> Parser:
    module = importlib.import_module(command.module)
    parser = Parser(prog=f"nodeworthy {command.name}", description=module.__doc__, formatter_class=_Help)
    module.configure(parser)
    return parser


def _stands_nowhere() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - the folder itself is of no interest
    except OSError:
        return True
    return False


def _crashed(command: Command, crash: Exception) -> int:
    interrupts.tell_nothing_more()
    import traceback
    from pathlib import Path

    from nodeworthy.redaction import hide_secrets
    from nodeworthy.report.printable import printable

    if os.environ.get("NODEWORTHY_TRACEBACK"):
        sys.stderr.write(hide_secrets("".join(traceback.format_exception(crash))))
    last = traceback.extract_tb(crash.__traceback__)[-1]
    told = (
        f"nodeworthy {command.name}: this is a fault of nodeworthy's own, and nothing is proven: "
        f"{type(crash).__name__}: {hide_secrets(str(crash))} (in {last.name}, "
        f"{Path(last.filename).name}:{last.lineno}); "
        "NODEWORTHY_TRACEBACK=1 shows the traceback to report"
    )
    print(printable(told), file=sys.stderr)
    return 3


class _Help(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        told = os.environ.get("COLUMNS", "")
        width = int(told) if told.isascii() and told.isdecimal() and len(told) < 9 else 100
        super().__init__(prog, max_help_position=30, width=min(110, width))


_LEFT_OVER = "unrecognized arguments: "


class Parser(argparse.ArgumentParser):
    typed: Sequence[str] = ()

    def format_help(self) -> str:
        """The options stand below, each with what it does: in the first line their names would fill the screen."""
        from nodeworthy.commands.examples import with_examples

        self.usage = self._brief_usage()
        self.description = with_examples(self.description or "", self.prog.removeprefix("nodeworthy "))
        try:
            return super().format_help()
        finally:
            self.usage = None

    def _brief_usage(self) -> str:
        formatter = self._get_formatter()
        formatter.add_usage(None, [each for each in self._actions if not each.option_strings], [], prefix="")
        places = formatter.format_help().strip().removeprefix(self.prog)
        return f"{self.prog} [OPTION ...]{places}"

    def error(self, message: str) -> NoReturn:
        from nodeworthy.redaction import hide_secrets
        from nodeworthy.report.printable import printable

        hint = self._hint(message) or f"{self.prog} --help shows how"
        self.exit(2, f"{self.prog}: {printable(hide_secrets(f'{message}; {hint}'))}\n")

    def _hint(self, message: str) -> str:
        from nodeworthy.commands import mistyped

        command = self.prog.removeprefix("nodeworthy ")
        if message.startswith(_LEFT_OVER):
            words = message.removeprefix(_LEFT_OVER).split()
            options = (option for action in self._actions for option in action.option_strings)
            return mistyped.what_was_meant(command, self.typed, words, options) if words else ""
        if "the following arguments are required" in message:
            return mistyped.MISSING.get(command, "")
        if "expected one argument" in message:
            option = message.removeprefix("argument ").partition(":")[0].rpartition("/")[2]
            return mistyped.value_for(option)
        if "ignored explicit argument" in message:
            return f"`{message.removeprefix('argument ').partition(':')[0]}` stands alone"
        if "invalid choice: " not in message:
            return ""
        word = message.partition("invalid choice: ")[2].partition(" (choose")[0].strip("'\"")
        if message.startswith("argument --format"):
            return mistyped.format_for(word)
        return mistyped.choice_for(command, word)


def _front(argv: list[str]) -> int:
    if argv and argv[0] in ("--version", "-V"):
        print(f"nodeworthy {__version__}{' (compiled)' if _is_compiled() else ''}")
        return 0
    if argv and argv[0] not in ("--help", "-h", "help"):
        print(f"nodeworthy: {_no_such_command(argv[0], argv[1:])}", file=sys.stderr)
        return 2
    asked = next((each for each in COMMANDS if argv[1:2] == [each.name]), None)
    print(_parser(asked).format_help() if asked is not None else front_page())
    return 0


def _is_compiled() -> bool:
    """Whether what reads boot scripts is (`make compiled`); by it all of those modules are."""
    from nodeworthy.boot import text

    return not text.__file__.endswith(".py")


def _no_such_command(word: str, rest: Sequence[str]) -> str:
    from nodeworthy.commands import mistyped

    meant = mistyped.command_for(word, [each.name for each in COMMANDS], rest)
    hint = f"did you mean {meant}?" if meant else "`nodeworthy --help` lists them"
    return f"there is no command {word!r}; {hint}"


def front_page() -> str:
    width = max(len(each.name) for each in COMMANDS)
    lines = [
        "nodeworthy proves that a GPU node is fit for work: before it is declared, while it is built,",
        "after it has booted, and as long as it lives.",
        "",
        "The moments, in their order:",
        *(f"  {each.name:<{width}}  {each.moment:<8}  {each.line}" for each in COMMANDS if each.moment),
        "",
        "Besides:",
        *(f"  {each.name:<{width}}  {each.line}" for each in COMMANDS if not each.moment),
        "",
        "`nodeworthy COMMAND --help` shows a command's options. Exit codes: 0 clean, 1 findings,",
        "2 usage or input, 3 could not look.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
