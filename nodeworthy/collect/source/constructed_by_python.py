"""What a program of Pulumi's in Python constructs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from nodeworthy.collect.source.constructed import Config, Constructed, enum_value, kind_of, value_worked_out
from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

_LIBRARY = "pulumi_"
_UNDERSCORE = pattern(r"(?<=[a-z0-9])_([a-z0-9])")
# Below these stand names that are somebody's own, or that the API of Kubernetes writes so.
_OWN_NAMES = frozenset(("data", "labels", "kubernetes_labels", "node_labels", "tags", "values", "spec", "metadata"))
_READS_CONFIG = frozenset(("get", "require", "get_int", "require_int", "get_bool", "require_bool"))
# By these a cluster of the CDK's is given a chart, and objects.
_OF_A_CLUSTER = {"add_helm_chart": "cdk.addHelmChart", "add_manifest": "cdk.addManifest"}
_LONGEST = 512 * 1024
_DEEPEST = 12
# No program says more than this of what it makes.
_MOST_STEPS = 100_000


def constructed_by_python(text: str, shown: str, config: Config) -> list[Constructed]:
    """What a program constructs; nothing if the text is not Python."""
    if len(text) > _LONGEST:
        return []
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    program = _Program(module, shown, config)
    return [*program.constructions(), *(program.asked_of_clusters() if "aws_cdk" in text else ())]


class _Program:
    def __init__(self, module: ast.Module, shown: str, config: Config) -> None:
        self._shown = shown
        self._config = config
        self._module = module
        self._nodes = list(ast.walk(module))
        self._libraries: Mapping[str, tuple[str, ...]] = dict(self._imported())
        self._values = self._assigned_once()
        self._steps = 0

    def constructions(self) -> Iterator[Constructed]:
        called = {id(value): name for name, value in self._values.items()}
        likely = {id(inner) for each in self._nodes if isinstance(each, ast.If) for inner in _within(each)}
        for node in self._nodes:
            kind = self._kind(node.func) if isinstance(node, ast.Call) else None
            if isinstance(node, ast.Call) and kind is not None:
                name = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "name"), None)
                told = self._value(name).text if name is not None else None
                variable = called.get(id(node), "")
                is_likely = id(node) in likely
                yield Constructed(kind, told or "", self._arguments(node), self._place(node), is_likely, variable)

    def asked_of_clusters(self) -> Iterator[Constructed]:
        """`cluster.add_helm_chart("gpu", …)`, and `cluster.add_manifest("gpu", {…}, {…})`."""
        for node in self._nodes:
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            name, kind = self._value(node.args[0]).string, _OF_A_CLUSTER.get(node.func.attr)
            if kind == "cdk.addHelmChart":
                yield Constructed(kind, name, self._arguments(node), self._place(node))
            elif kind is not None:
                for each in node.args[1:]:
                    yield Constructed(kind, name, self._value(each, 1, True), self._place(node))

    def _imported(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for node in self._nodes:
            if isinstance(node, ast.Import):
                for each in node.names:
                    if each.name.startswith(_LIBRARY):
                        parts = tuple(each.name.split("."))
                        yield (each.asname, parts) if each.asname else (parts[0], parts[:1])
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_LIBRARY):
                for each in node.names:
                    yield each.asname or each.name, (*(node.module or "").split("."), each.name)

    def _kind(self, called: ast.expr) -> str | None:
        path = _dotted(called)
        library = self._libraries.get(path[0]) if path else None
        if library is None or (not path[-1][:1].isupper() and len(library) < 3):
            return None
        whole = (*library, *path[1:])
        return kind_of(whole[0].removeprefix(_LIBRARY).replace("_", "-"), whole[1:])

    def _assigned_once(self) -> Mapping[str, ast.expr]:
        found: dict[str, list[ast.expr]] = {}
        for node in self._nodes:
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AnnAssign) and node.value is not None:
                targets = [node.target]
            elif isinstance(node, ast.For | ast.AugAssign):
                targets = [node.target, node.target]
            for each in targets:
                if isinstance(each, ast.Name):
                    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
                    found.setdefault(each.id, []).append(value if value is not None else ast.Constant(None))
        given = {each.arg for node in self._nodes if isinstance(node, ast.arguments) for each in node.args}
        return {name: values[0] for name, values in found.items() if len(values) == 1 and name not in given}

    def _arguments(self, call: ast.Call, depth: int = 0) -> Tree:
        """The arguments by name, and what stands in a class of arguments or in a mapping that is handed over whole."""
        found: dict[str, Tree] = {}
        for each in call.args[1:] if not depth else ():
            given = self._value(each, depth + 1)
            found |= given.mapping
        for keyword in call.keywords:
            if keyword.arg is None or (keyword.arg == "args" and not depth):
                found |= self._value(keyword.value, depth + 1).mapping
            else:
                is_own = keyword.arg in _OWN_NAMES
                found[_camel(keyword.arg)] = self._value(keyword.value, depth + 1, is_own)
        return Tree(found, self._place(call))

    def _value(self, value: ast.expr, depth: int = 0, is_own: bool = False) -> Tree:
        place = self._place(value)
        self._steps += 1
        if depth > _DEEPEST or self._steps > _MOST_STEPS:
            return value_worked_out(".".join(_dotted(value)) or "an expression", place)
        if isinstance(value, ast.Constant) and isinstance(value.value, str | int | float | bool | None):
            return Tree(value.value, place)
        if isinstance(value, ast.List | ast.Tuple) and not any(isinstance(each, ast.Starred) for each in value.elts):
            return Tree([self._value(each, depth + 1, is_own) for each in value.elts], place)
        if isinstance(value, ast.Dict) and None not in value.keys:
            return self._mapping(value, depth, is_own)
        if isinstance(value, ast.Name) and value.id in self._values:
            return self._value(self._values[value.id], depth + 1, is_own)
        if isinstance(value, ast.Attribute) and (said := enum_value(_dotted(value))) is not None:
            return Tree(said, place)
        path = _dotted(value)
        of = path[0] if len(path) > 1 else ""
        return self._called(value, depth, is_own) or value_worked_out(".".join(path) or "an expression", place, of)

    def _mapping(self, value: ast.Dict, depth: int, is_own: bool) -> Tree:
        found: dict[str, Tree] = {}
        for key, each in zip(value.keys, value.values, strict=True):
            name = self._value(key, depth + 1).text if key is not None else None
            if name is not None:
                inner = is_own or name in _OWN_NAMES
                found[name if is_own else _camel(name)] = self._value(each, depth + 1, inner)
        return Tree(found, self._place(value))

    def _called(self, value: ast.expr, depth: int, is_own: bool) -> Tree | None:
        """A class of arguments, and what is asked of the stack's config."""
        if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or) and len(value.values) == 2:
            return self._configured(value.values[0], self._value(value.values[1], depth + 1, is_own))
        if not isinstance(value, ast.Call):
            return None
        if _dotted(value.func)[-1:] and _dotted(value.func)[-1].endswith(("Args", "Opts")):
            return self._arguments(value, depth + 1)
        default = self._value(value.args[1], depth + 1) if len(value.args) == 2 else None
        return self._configured(value, default)

    def _configured(self, call: ast.expr, default: Tree | None) -> Tree | None:
        is_read = (
            isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _READS_CONFIG
        )
        if not is_read or not isinstance(call, ast.Call) or not call.args:
            return None
        receiver = ".".join(_dotted(call.func)[:-1]).lower()
        name = self._value(call.args[0]).text
        if name is None or not any(each in receiver for each in ("config", "cfg", "conf")):
            return None
        return self._config.value(name, default, self._place(call))

    def _place(self, value: ast.expr) -> Place:
        return (
            Place(self._shown, value.lineno, value.col_offset + 1) if hasattr(value, "lineno") else Place(self._shown)
        )


def _within(condition: ast.If) -> Iterator[ast.AST]:
    for each in (*condition.body, *condition.orelse):
        yield from ast.walk(each)


def _dotted(value: ast.expr) -> tuple[str, ...]:
    """`eks.OperatingSystem.AL2023`; nothing of what is no name."""
    found: list[str] = []
    while isinstance(value, ast.Attribute):
        found.append(value.attr)
        value = value.value
    return (value.id, *reversed(found)) if isinstance(value, ast.Name) else ()


def _camel(name: str) -> str:
    return _UNDERSCORE.sub(lambda found: found[1].upper(), name)
