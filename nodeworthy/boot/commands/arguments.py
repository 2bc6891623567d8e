"""The arguments of a call sorted into options and operands; a word may have holes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.records import dataclass

NONE: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class Given:
    # In their order, each with its value: empty where it has none.
    options: tuple[tuple[str, Text], ...]
    operands: tuple[Text, ...]

    def has(self, *names: str) -> bool:
        return bool(self.options) and not {name for name, _ in self.options}.isdisjoint(names)

    def values(self, *names: str) -> tuple[Text, ...]:
        return tuple([value for name, value in self.options if name in names])

    def value(self, *names: str) -> Text | None:
        """The last one counts, as programs take it."""
        values = self.values(*names)
        return values[-1] if values else None

    @property
    def words(self) -> tuple[str, ...]:
        return tuple([operand.known or "" for operand in self.operands])


def given(
    arguments: Sequence[Text],
    takes: frozenset[str] = NONE,
    *,
    attached: frozenset[str] = NONE,
    clusters: bool = True,
    stops: bool = False,
) -> Given:
    """Options that are in `takes` have a value behind them; `attached` ones only in the same word: sed's `-i.bak`.

    `clusters`: `-rf` is two options. `stops`: behind the first operand everything is one.
    """
    options: list[tuple[str, Text]] = []
    operands: list[Text] = []
    rest = iter(arguments)
    for argument in rest:
        begins = beginning(argument)
        if begins[:1] != "-" or (begins == "-" and argument.known is not None):
            operands.append(argument)
            if stops:
                operands += rest
        elif begins == "--" and argument.known is not None:
            operands += rest
        elif begins.startswith("--") or not clusters:
            options.append(_long(argument, begins, takes, rest))
        else:
            options += _short(argument, begins, takes, attached, rest)
    return Given(tuple(options), tuple(operands))


def beginning(text: Text) -> str:
    """What is known of it up to its first hole."""
    first = text.pieces[0] if text.pieces else ""
    return first if isinstance(first, str) else ""


def _long(argument: Text, begins: str, takes: frozenset[str], rest: Iterator[Text]) -> tuple[str, Text]:
    name, equals, value = begins.partition("=")
    if equals:
        return name, Text.of(value, *argument.pieces[1:])
    if name in takes and argument.known is not None:
        return name, next(rest, EMPTY)
    return argument.shown(), EMPTY


def _short(
    argument: Text, begins: str, takes: frozenset[str], attached: frozenset[str], rest: Iterator[Text]
) -> list[tuple[str, Text]]:
    options: list[tuple[str, Text]] = []
    for index, letter in enumerate(begins[1:], start=2):
        option = f"-{letter}"
        if option in takes or option in attached:
            behind = Text.of(begins[index:], *argument.pieces[1:])
            options.append((option, behind or (next(rest, EMPTY) if option in takes else EMPTY)))
            break
        options.append((option, EMPTY))
    return options


def glued(arguments: Sequence[Text], names: Iterable[str]) -> tuple[str, ...]:
    """Which of these options stand behind something else in one word: `$NAME--token`."""
    written = [each.shown() for each in arguments]
    if not any("--" in each[1:] for each in written):
        return ()
    options = "|".join(re.escape(name) for name in names if name.startswith("--"))
    found = re.compile(rf"(?<![\s\"'=,-])(?:{options})(?=[=\s]|$)")
    return tuple(each for word in written for each in found.findall(word, 1))
