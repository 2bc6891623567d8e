"""What a program in Python gives to machines as their user data."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from nodeworthy.collect.source.user_data_in_programs import GivenText
from nodeworthy.collect.source.woven_text import Woven, hole
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

_CALLED_SO = pattern(r"(?i)(?:user_?data|startup_?script|custom_?data|cloud_?init)(?:_\w{0,40})?")
_ADDS = ("add_commands", "add_user_data")
# Of Pulumi's package for commands: what it runs when the resource is made.
_COMMAND, _CREATE, _KINDS = "Command", "create", ("remote", "local")
# What a text goes through on its way.
_THROUGH = frozenset(
    "dedent b64encode encode decode base64 strip lstrip b64 custom concat format Output interpolate String apply str"
    " to_base64 cleandoc base64encode".split()
)
# What stands deeper in a text was put together by no person.
_DEEPEST = 12
_LONGEST = 512 * 1024


def given_by_python(text: str, shown: str) -> list[GivenText]:
    """The texts that a Python program gives to machines; none where it does not parse."""
    if len(text) > _LONGEST:
        return []
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return _Program(module, shown).given()


class _Program:
    def __init__(self, module: ast.Module, shown: str) -> None:
        self._shown = shown
        self._nodes = list(ast.walk(module))
        self._values: Mapping[str, ast.expr] = dict(self._assigned())

    def given(self) -> list[GivenText]:
        by_receiver: dict[str, list[Woven]] = {}
        whole: dict[Place, GivenText] = {}
        for node in self._nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ADDS:
                receiver = ast.unparse(node.func.value).removesuffix(".user_data")
                by_receiver.setdefault(receiver, []).extend(each for arg in node.args for each in self._lines(arg))
            for value in _called_so(node):
                told = self._text(value)
                if told is not None:
                    whole.setdefault(told.place, GivenText((told,), is_whole=True))
        added = [GivenText(tuple(texts), is_whole=False) for texts in by_receiver.values() if texts]
        return [*added, *whole.values(), *self._commands()]

    def _commands(self) -> Iterator[GivenText]:
        for node in self._nodes:
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != _COMMAND:
                continue
            kind = ast.unparse(node.func.value).rpartition(".")[2]
            given = (each.value for each in node.keywords if each.arg == _CREATE and kind in _KINDS)
            told = (self._text(each) for each in given)
            yield from (GivenText((each,), is_whole=True, command=kind) for each in told if each is not None)

    def _assigned(self) -> Iterator[tuple[str, ast.expr]]:
        for node in self._nodes:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                yield node.targets[0].id, node.value
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                yield node.target.id, node.value

    def _lines(self, given: ast.expr) -> Iterator[Woven]:
        """The lines of an argument of `add_commands`: a text, `*texts`, or something that is not known."""
        value = given.value if isinstance(given, ast.Starred) else given
        value = self._values.get(value.id, value) if isinstance(value, ast.Name) else value
        if isinstance(value, ast.List | ast.Tuple):
            for each in value.elts:
                yield from self._lines(each)
            return
        told = self._text(value)
        yield told if told is not None else Woven(hole(ast.unparse(value)[:60]), self._place(value), False)

    def _text(self, value: ast.expr, depth: int = 0) -> Woven | None:
        """None where it is no text, or none that is written down here."""
        if depth > _DEEPEST:
            return None
        if isinstance(value, ast.Constant | ast.JoinedStr | ast.BinOp):
            text = self._written(value, depth)
            is_long = text is not None and "\n" in text and not isinstance(value, ast.BinOp)
            is_straight = is_long and (value.end_lineno or 0) - value.lineno == (text or "").count("\n")
            return Woven(text, self._place(value), is_straight) if text is not None else None
        if isinstance(value, ast.Name) and value.id in self._values:
            return self._text(self._values[value.id], depth + 1)
        return self._passed_through(value, depth) if isinstance(value, ast.Call) else None

    def _passed_through(self, call: ast.Call, depth: int) -> Woven | None:
        """`base64.b64encode(dedent("…").encode()).decode()`, `"\\n".join([…])`."""
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name == "join" and len(call.args) == 1 and isinstance(call.args[0], ast.List):
            texts = [self._text(each, depth + 1) for each in call.args[0].elts]
            whole = "\n".join(each.text if each is not None else hole("a_line") for each in texts)
            return Woven(whole, self._place(call), False)
        if name not in _THROUGH:
            return None
        inner = call.args[0] if call.args else getattr(call.func, "value", None)
        if name == "format":
            inner = getattr(call.func, "value", None)
        told = self._text(inner, depth + 1) if inner is not None else None
        if told is None:
            return None
        if name == "format":
            return Woven(_formatted(told.text), told.place, told.is_straight)
        return told.dedented() if name in ("dedent", "cleandoc") else told

    def _written(self, value: ast.expr, depth: int) -> str | None:
        if isinstance(value, ast.Constant):
            return value.value if isinstance(value.value, str) else None
        if isinstance(value, ast.JoinedStr):
            return "".join(_part(each) for each in value.values)
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
            parts = [self._text(each, depth + 1) for each in (value.left, value.right)]
            if parts[0] is not None:
                return parts[0].text + (parts[1].text if parts[1] is not None else hole(ast.unparse(value.right)[:60]))
        return None

    def _place(self, value: ast.expr) -> Place:
        return Place(self._shown, value.lineno, value.col_offset + 1)


def _called_so(node: ast.AST) -> Iterator[ast.expr]:
    """What is given by a name, set by one, or is kept under one."""
    if isinstance(node, ast.keyword) and node.arg and _CALLED_SO.fullmatch(node.arg):
        yield node.value
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            name = key.value if isinstance(key, ast.Constant) else None
            if isinstance(name, str) and _CALLED_SO.fullmatch(name.replace("-", "_")):
                yield value


def _part(each: ast.expr) -> str:
    if isinstance(each, ast.FormattedValue):
        return hole(ast.unparse(each.value)[:60])
    return str(each.value) if isinstance(each, ast.Constant) else ""


_BRACED = pattern(r"\{\{|\}\}|\{(\w{1,60})\}")


def _formatted(text: str) -> str:
    return _BRACED.sub(lambda each: hole(each[1]) if each[1] else each[0][0], text)
