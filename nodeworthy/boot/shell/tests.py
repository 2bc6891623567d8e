"""Evaluates `[[ … ]]`, `[ … ]` and `test …` as far as it is known what they ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nodeworthy.boot.shell.arithmetic import reckon
from nodeworthy.boot.shell.state import State
from nodeworthy.boot.shell.syntax import Binary, Both, Negated, Opaque, Parameter, TestExpression, Unary, Word
from nodeworthy.boot.shell.words import Expander, glob
from nodeworthy.boot.text import Text
from nodeworthy.records import dataclass

_FILES = {"-e", "-f", "-d", "-s", "-r", "-w", "-x", "-L", "-h", "-a"}
_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda one, other: one == other,
    "-ne": lambda one, other: one != other,
    "-lt": lambda one, other: one < other,
    "-le": lambda one, other: one <= other,
    "-gt": lambda one, other: one > other,
    "-ge": lambda one, other: one >= other,
}


@dataclass(frozen=True)
class Tests:
    state: State
    expander: Expander

    def value(self, expression: TestExpression) -> bool | None:
        """True, False, or None where that is known only on the node."""
        if isinstance(expression, Word):
            return _is_some(self.expander.text(expression))
        if isinstance(expression, Negated):
            inner = self.value(expression.expression)
            return None if inner is None else not inner
        if isinstance(expression, Both):
            return self._both(expression)
        if isinstance(expression, Unary):
            return self._unary(expression)
        if isinstance(expression, Binary):
            return self._binary(expression)
        return self._reckoned(expression.raw)

    def _reckoned(self, raw: str) -> bool | None:
        """`(( … ))`: true where it comes to anything but nothing."""
        value = reckon(raw.strip().removeprefix("((").removesuffix("))"), self.state)
        return None if value is None else value != 0

    def _both(self, expression: Both) -> bool | None:
        left, right = self.value(expression.left), self.value(expression.right)
        decisive = expression.operator == "||"
        if decisive in (left, right):
            return decisive
        return None if None in (left, right) else not decisive

    def _unary(self, expression: Unary) -> bool | None:
        operand = self.expander.text(expression.operand)
        if expression.operator in ("-z", "-n"):
            some = _is_some(operand)
            return some if some is None or expression.operator == "-n" else not some
        if expression.operator in ("-e", "-f", "-s", "-r") and operand.known is not None:
            made = self.state.files.get(operand.known)
            return True if made is not None and (made.lines or expression.operator != "-s") else None
        if expression.operator == "-v" and operand.known is not None:
            return True if self.state.value(operand.known) is not None else None
        return None

    def _binary(self, expression: Binary) -> bool | None:
        left, right = self.expander.text(expression.left), self.expander.text(expression.right)
        if expression.operator in ("=", "==", "!="):
            same = _same(left, right, pattern=not expression.right.is_quoted)
            return same if same is None or expression.operator != "!=" else not same
        compare = _NUMBERS.get(expression.operator)
        if compare is None or left.known is None or right.known is None:
            return None
        try:
            return compare(int(left.known), int(right.known))
        except ValueError:
            return None


def _is_some(text: Text) -> bool | None:
    if any(isinstance(piece, str) for piece in text.pieces):
        return True
    return None if text.pieces else False


def _same(left: Text, right: Text, *, pattern: bool) -> bool | None:
    if right.known is None:
        return None
    if left.known is None:
        return None if (pattern and any(c in right.known for c in "*?[")) or left.could_be(right.known) else False
    if pattern and any(c in right.known for c in "*?["):
        return glob(right.known)(left.known)
    return left.known == right.known


def state_asked_by(expression: TestExpression, expander: Expander) -> tuple[frozenset[str], frozenset[str]]:
    """The files and the variables whose state a test asks for."""
    files: set[str] = set()
    names: set[str] = set()
    for each in _leaves(expression):
        if isinstance(each, Unary) and each.operator in _FILES:
            path = expander.text(each.operand).known
            if path is not None:
                files.add(path)
        words = (
            (each.operand,) if isinstance(each, Unary) else (each.left, each.right) if isinstance(each, Binary) else ()
        )
        for word in (*words, *((each,) if isinstance(each, Word) else ())):
            names |= variables_in(word)
    return frozenset(files), frozenset(names)


def _words(leaf: Unary | Binary | Opaque | Word) -> tuple[Word, ...]:
    if isinstance(leaf, Unary):
        return (leaf.operand,)
    if isinstance(leaf, Binary):
        return leaf.left, leaf.right
    return (leaf,) if isinstance(leaf, Word) else ()


def variables_in(word: Word) -> set[str]:
    return {part.name for part in word.parts if isinstance(part, Parameter)}


def _leaves(expression: TestExpression) -> Iterator[Unary | Binary | Opaque | Word]:
    todo = [expression]
    while todo:
        each = todo.pop()
        if isinstance(each, Both):
            todo += [each.left, each.right]
        elif isinstance(each, Negated):
            todo.append(each.expression)
        else:
            yield each
