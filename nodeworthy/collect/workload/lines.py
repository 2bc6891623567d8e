"""What a program printed, believed only where it is whole, ours, and possible.

Between two marks that carry the run's nonce there are lines of JSON; nothing else is read. A program can't declare
itself fit: it only measures. What floods, breaks off, bears another nonce, or tells numbers that no GPU has, is an
error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.facts.accept.measure import Gpu, Measure, ProgramError, Scalar, Shape
from nodeworthy.known.acceptance import TESTS
from nodeworthy.limits import without_long_numbers
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.redaction import hide_secrets

VERSION = 1
# Of one program, between its marks; and of all that its container printed.
MOST_BYTES = 1 << 20
MOST_READ = 16 << 20
# Beyond this much more than physics allows, a clock is broken, or it is another GPU.
ABSURD = 1.3
_LONGEST_TEXT, _LONGEST_ERROR = 200, 400
_MOST_OF_A_NUMBER = 1e18
_MOST_RANKS, _MOST_AT, _MOST_THROTTLE = 65_536, 8, 8
_NAME = pattern(r"[a-z][a-z0-9_]{0,39}")
_UNIT = pattern(r"[A-Za-z/%]{0,16}")


class NotBelieved(Exception):
    """Output came, and it is not what our program would have printed."""


@dataclass(frozen=True)
class Line:
    """One line of one rank: a measurement, or its end."""

    test: str
    node: str
    rank: int
    world: int
    measure: Measure | None = None
    is_end: bool = False
    error: ProgramError | None = None


def begin_mark(nonce: str) -> str:
    return f"==== nodeworthy {nonce} begins ===="


def end_mark(nonce: str) -> str:
    return f"==== nodeworthy {nonce} ends ===="


def between_marks(log: bytes, nonce: str) -> str:
    """Raises NotBelieved."""
    if len(log) > MOST_READ:
        raise NotBelieved(f"it printed more than {MOST_READ >> 20} MiB")
    text = log.decode("utf-8", "replace")
    parts = text.split(begin_mark(nonce) + "\n")
    if len(parts) != 2:
        raise NotBelieved("the mark of its beginning is missing" if len(parts) < 2 else "it began more than once")
    said, mark, _ = parts[1].partition(end_mark(nonce))
    if len(said) > MOST_BYTES:
        raise NotBelieved(f"it printed more than {MOST_BYTES >> 20} MiB between its marks")
    if not mark:
        raise NotBelieved("it breaks off: the mark of its end is missing")
    return said


def read_lines(log: bytes, nonce: str, shapes: Sequence[Shape]) -> list[Line]:
    """Raises NotBelieved."""
    by_node = {each.node: each for each in shapes}
    return list(_lines(between_marks(log, nonce), nonce, by_node))


def _lines(said: str, nonce: str, shapes: Mapping[str, Shape]) -> Iterator[Line]:
    for number, text in enumerate(said.splitlines(), start=1):
        if text.lstrip().startswith("{"):
            try:
                yield _line(json.loads(text, parse_constant=_no_number), nonce, shapes)
            except (ValueError, RecursionError) as problem:
                raise NotBelieved(f"line {number} of what it printed is no JSON: {str(problem)[:80]}") from None
            except NotBelieved as problem:
                raise NotBelieved(f"line {number} of what it printed: {problem}") from None


def _no_number(text: str) -> float:
    raise NotBelieved(f"{text} is no number")


def _line(data: Any, nonce: str, shapes: Mapping[str, Shape]) -> Line:
    if not isinstance(data, dict) or data.get("v") != VERSION:
        raise NotBelieved(f"it is not of version {VERSION}")
    if data.get("nonce") != nonce:
        raise NotBelieved("it does not bear this run's nonce")
    test, node = data.get("test"), data.get("host")
    if test not in TESTS:
        raise NotBelieved(f"there is no test {_value_in_words(test)}")
    if not isinstance(node, str) or node not in shapes:
        raise NotBelieved(f"it is of the host {_value_in_words(node)}, which was not asked")
    rank, world = _whole(data, "rank"), _whole(data, "world")
    if not 0 <= rank < world <= _MOST_RANKS:
        raise NotBelieved(f"rank {rank} of {world} can't be")
    if data.get("end") is True:
        return Line(test, node, rank, world, is_end=True, error=_error(data, node, rank))
    return Line(test, node, rank, world, _measure(data, test, shapes[node], rank))


def _error(data: Mapping[str, Any], node: str, rank: int) -> ProgramError | None:
    if data.get("ok") is True and data.get("error") is None:
        return None
    said = data.get("error")
    if not isinstance(said, dict) or not isinstance(said.get("kind"), str):
        raise NotBelieved("its end says neither that it is well nor what is wrong")
    text = hide_secrets(without_long_numbers(str(said.get("text", ""))[:_LONGEST_ERROR]))
    return ProgramError(said["kind"][:40], text, node, rank)


def _measure(data: Mapping[str, Any], test: str, shape: Shape, rank: int) -> Measure:
    name, unit = data.get("name"), data.get("unit", "")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise NotBelieved(f"{_value_in_words(name)} is no name of a measurement")
    if not isinstance(unit, str) or not _UNIT.fullmatch(unit):
        raise NotBelieved(f"{_value_in_words(unit)} is no unit")
    value = _scalar(data.get("value"), name)
    gpu, at, throttle = _gpu(data.get("gpu")), _at(data.get("at", {})), _texts(data.get("throttle", []))
    made = Measure(test, shape.node, rank, name, value, unit, gpu, at, throttle)
    limit = made.limit(shape.instance)
    if limit is not None and made.number > ABSURD * limit.value:
        raise NotBelieved(f"{made.series} of {made.number:g} {unit} is more than can be: {limit.value:g} is the limit")
    return made


def _scalar(value: Any, name: str) -> Scalar:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NotBelieved(f"{name} is {_value_in_words(value)}, and no number")
    if not 0 <= value <= _MOST_OF_A_NUMBER:  # nor what is no number at all
        raise NotBelieved(f"{name} is {_value_in_words(value)}, which can't be")
    return value


def _gpu(said: Any) -> Gpu | None:
    if said is None:
        return None
    if not isinstance(said, dict) or not said.get("uuid") or not said.get("name"):
        raise NotBelieved("its GPU has no name or no UUID")
    return Gpu(*(_text(said.get(each, "")) for each in ("uuid", "name", "pci")))


def _at(said: Any) -> tuple[tuple[str, Scalar], ...]:
    if not isinstance(said, dict) or len(said) > _MOST_AT:
        raise NotBelieved("what it says of the circumstances is no short mapping")
    return tuple(sorted((_text(name), _scalar(value, str(name)[:40])) for name, value in said.items()))


def _texts(said: Any) -> tuple[str, ...]:
    if not isinstance(said, list) or len(said) > _MOST_THROTTLE:
        raise NotBelieved("what it says of throttling is no short list")
    return tuple(_text(each) for each in said)


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST_TEXT or not value.isprintable():
        raise NotBelieved(f"{_value_in_words(value)} is no short text")
    return hide_secrets(value)


def _whole(data: Mapping[str, Any], name: str) -> int:
    value = data.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise NotBelieved(f"{name} is {_value_in_words(value)}, and no whole number")
    return value


def _value_in_words(value: Any) -> str:
    return hide_secrets(repr(value)[:60])
