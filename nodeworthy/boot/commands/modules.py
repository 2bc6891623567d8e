"""Kernel modules: modprobe, insmod, rmmod."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.commands.call import SILENT, Call, Did, Handler, ask_node, split_options
from nodeworthy.boot.commands.names import last_part
from nodeworthy.boot.effects import Effect, LoadsModule, NotUnderstood
from nodeworthy.boot.text import Text
from nodeworthy.known.drivers import needs_nvidia

_TAKES = frozenset("-C -d -S -w --config --dirname --set-version --wait".split())
_ONLY_PRINTS = (
    "-c",
    "--showconfig",
    "--show-config",
    "-D",
    "--show-depends",
    "--dump-modversions",
    "-R",
    "--resolve-alias",
    "-V",
    "--version",
)
_DOES_NOTHING = ("-n", "--dry-run", "--show")
_SUFFIXES = (".xz", ".zst", ".gz", ".ko")


def modprobe(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _TAKES)
    if arguments.has(*_ONLY_PRINTS):
        return ask_node(call)
    if arguments.has(*_DOES_NOTHING):
        return SILENT
    names = arguments.operands
    if arguments.has("-r", "--remove"):
        return Did([effect for name in names for effect in _unloaded(call, name)])
    if arguments.has("-a", "--all"):
        return Did([effect for name in names for effect in _loaded(call, name, ())])
    return Did([effect for name in names[:1] for effect in _loaded(call, name, names[1:])])


def insmod(call: Call) -> Did:
    operands = split_options(call.arguments[1:]).operands
    # It takes a file, and never what that one needs.
    return Did([each for name in operands[:1] for each in _one(call, last_part(name), operands[1:])])


def rmmod(call: Call) -> Did:
    return Did(
        [effect for name in split_options(call.arguments[1:]).operands for effect in _unloaded(call, last_part(name))]
    )


def _loaded(call: Call, name: Text, options: Sequence[Text]) -> Iterator[Effect]:
    module = module_name(name.string)
    if needs_nvidia(module):
        yield call.does(LoadsModule, module="nvidia", because=f"{module} needs it")
    yield from _one(call, name, options)


def _one(call: Call, name: Text, options: Sequence[Text]) -> Iterator[Effect]:
    if name.known is None:
        yield _not_known(call, name)
        return
    told = tuple(option.shown() for option in options)
    yield call.does(LoadsModule, module=module_name(name.known), because=f"{call.program} loads it", options=told)


def _unloaded(call: Call, name: Text) -> Iterator[Effect]:
    if name.known is None:
        yield _not_known(call, name)
        return
    yield call.does(LoadsModule, module=module_name(name.known), because=f"{call.program} unloads it", unloads=True)


def _not_known(call: Call, name: Text) -> NotUnderstood:
    written, why = f"{call.program} {name.shown()}", f"the module here is {name.unsaid()}"
    return call.does(NotUnderstood, written=written, may_be="nvidia, or any other module", why=why)


def module_name(name: str) -> str:
    """The name as the kernel spells it: without suffixes, with underscores."""
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name.replace("-", "_")


def lsmod(call: Call) -> Did:
    return ask_node(call)


HANDLERS: dict[str, Handler] = {
    "modprobe": modprobe,
    "insmod": insmod,
    "rmmod": rmmod,
    **dict.fromkeys(("lsmod", "modinfo"), lsmod),
}
