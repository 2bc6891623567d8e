"""Records written out: the same class with its methods spelt out, as `nodeworthy/records.py` makes them while a program
runs. mypyc makes a quick class of that, and none of one whose methods come from a decorator of ours."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

DECORATOR = "dataclass"
# Of these no quick class can be made: they stay ordinary ones.
_BUILTINS = frozenset(("str", "tuple", "int", "list", "dict"))


class NotWritten(Exception):
    """Something that this does not know how to write out."""


@dataclass(frozen=True)
class Field:
    name: str
    # Empty where the class that has it stands in another module: that one knows its names.
    kind: str
    default: str = ""
    factory: str = ""
    init: bool = True
    repr: bool = True
    compare: bool = True
    kw_only: bool = False

    @property
    def parameter(self) -> str:
        kind = self.kind or "Any"
        if self.factory:
            return f"{self.name}: {kind}{' | None' if self.kind else ''} = None"
        return f"{self.name}: {kind}{f' = {self.default}' if self.default else ''}"

    @property
    def assigned(self) -> str:
        if not self.init:
            return f"{self.factory}()" if self.factory else self.default
        return f"{self.factory}() if {self.name} is None else {self.name}" if self.factory else self.name


@dataclass(frozen=True)
class Record:
    node: ast.ClassDef
    options: Mapping[str, bool]
    fields: Sequence[Field] = ()

    def option(self, name: str, default: bool = False) -> bool:
        return self.options.get(name, default)

    @property
    def is_hashed(self) -> bool:
        return self.option("unsafe_hash") or (self.option("eq", True) and self.option("frozen"))


@dataclass
class Modules:
    """The modules that are compiled: of each its tree, what it imports, and its records by their names."""

    trees: dict[str, ast.Module] = field(default_factory=dict)
    imported: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    records: dict[tuple[str, str], Record] = field(default_factory=dict)

    def read(self, root: Path, file: str) -> None:
        tree = self.trees[file] = ast.parse((root / file).read_text(encoding="utf-8"))
        module = module_of(file)
        self.imported[module] = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and (found := _decorator(node)) is not None:
                self.records[module, node.name] = Record(node, _options(found))

    def lay_out(self) -> None:
        """The fields of each, its bases' first. All at once: who writes one out changes its tree."""
        self.records = {key: replace(each, fields=self._fields(*key)) for key, each in self.records.items()}

    def _fields(self, module: str, name: str) -> tuple[Field, ...]:
        record = self.records[module, name]
        found: dict[str, Field] = {}
        for base in record.node.bases:
            named = ast.unparse(base).split("[")[0]
            key = (module, named) if (module, named) in self.records else self.imported[module].get(named)
            if key in self.records:
                is_here = key[0] == module
                found |= {each.name: each if is_here else replace(each, kind="") for each in self._fields(*key)}
        own = {each.name: each for each in _declared(record)}
        return tuple(_kind_that_is_no_field(each, found | own) for each in (found | own).values())


def module_of(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _decorator(node: ast.ClassDef) -> ast.expr | None:
    return next((each for each in node.decorator_list if _called(each) == DECORATOR), None)


def _called(node: ast.expr) -> str:
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)


def _options(decorator: ast.expr) -> dict[str, bool]:
    said = decorator.keywords if isinstance(decorator, ast.Call) else []
    return {each.arg or "": bool(ast.literal_eval(each.value)) for each in said}


def _declared(record: Record) -> Iterator[Field]:
    for each in record.node.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and not _is_of_the_class(each):
            made = Field(each.target.id, ast.unparse(each.annotation), kw_only=record.option("kw_only"))
            yield _with_value(made, each.value)


def _is_of_the_class(node: ast.AnnAssign) -> bool:
    return ast.unparse(node.annotation).startswith("ClassVar")


def _with_value(made: Field, value: ast.expr | None) -> Field:
    if value is None:
        return made
    if not isinstance(value, ast.Call) or _called(value) != "field":
        return replace(made, default=ast.unparse(value))
    for each in value.keywords:
        match each.arg:
            case "default":
                made = replace(made, default=ast.unparse(each.value))
            case "default_factory":
                made = replace(made, factory=ast.unparse(each.value))
            case "init" | "repr" | "compare" | "kw_only" as name:
                made = replace(made, **{name: ast.literal_eval(each.value)})
            case other:
                raise NotWritten(f"field(…, {other}=…) is not known to tools/compiled_records.py")
    return made


def _kind_that_is_no_field(one: Field, every: Mapping[str, Field]) -> Field:
    """A type that is named as a field is (`object: str`) means that field, inside of its class."""
    named = (each.id for each in ast.walk(ast.parse(one.kind)) if isinstance(each, ast.Name))
    return replace(one, kind="") if any(name in every for name in named) else one


# Writing ------------------------------------------------------------------------------------------------------------


def written_out(modules: Modules, file: str) -> str:
    """The whole module, with its records written out."""
    tree, module = modules.trees[file], module_of(file)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            record = modules.records.get((module, node.name))
            if record is not None:
                _write_out(record)
            _mark(node)
    at = next(index for index, node in enumerate(tree.body) if not _is_head(node))
    tree.body[at:at] = ast.parse(
        "from functools import partial\n"
        "from typing import Any, ClassVar\n"
        "from mypy_extensions import mypyc_attr\n"
        "from nodeworthy.records import _THEIRS, fields_written_out\n"
    ).body
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _is_head(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def _write_out(record: Record) -> None:
    node = record.node
    node.decorator_list = [each for each in node.decorator_list if _called(each) != DECORATOR]
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and not _is_of_the_class(each):
            each.value = None
    own = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    methods = [text for name, text in _methods(record, own) if name not in own]
    # Before its own: a method may be named as a type is that the fields have (`set`).
    at = next((index for index, each in enumerate(node.body) if isinstance(each, ast.FunctionDef)), len(node.body))
    node.body[at:at] = [statement for text in methods for statement in ast.parse(text).body]


def _methods(record: Record, own: set[str]) -> Iterator[tuple[str, str]]:
    fields = record.fields
    told = ", ".join(f"{each.name}=({each.init}, {each.repr}, {each.compare}, {each.kw_only})" for each in fields)
    yield "", f"__record_fields__: ClassVar[Any] = fields_written_out({told})"
    yield "", "__dataclass_fields__: ClassVar[Any] = _THEIRS"
    in_order = tuple(each.name for each in fields if each.init and not each.kw_only)
    yield "", f"__match_args__: ClassVar[Any] = {in_order}"
    yield "__init__", _init(fields, ends="__post_init__" in own)
    if record.option("eq", True):
        yield "__eq__", _eq(record)
    if record.is_hashed:
        yield "__hash__", f"def __hash__(self) -> int:\n    return hash(({_each('self.{}, ', fields)}))"
    shown = ", ".join(f"{each.name}={{self.{each.name}!r}}" for each in fields if each.repr)
    yield "__repr__", f"def __repr__(self) -> str:\n    return f'{record.node.name}({shown})'"
    yield "__reduce__", _reduce(fields)


def _init(fields: Sequence[Field], *, ends: bool) -> str:
    taken = [each for each in fields if each.init]
    by_name = [each.parameter for each in taken if each.kw_only]
    in_order = [each.parameter for each in taken if not each.kw_only]
    parameters = ", ".join(["self", *in_order, *(["*"] if by_name else []), *by_name])
    lines = [f"self.{each.name} = {each.assigned}" for each in fields if each.assigned]
    lines += ["self.__post_init__()"] if ends else []
    return f"def __init__({parameters}) -> None:\n    " + "\n    ".join(lines or ["pass"])


def _eq(record: Record) -> str:
    same = " and ".join(f"self.{each.name} == other.{each.name}" for each in record.fields if each.compare)
    return (
        "def __eq__(self, other: Any) -> Any:\n"
        "    if type(other) is not type(self):\n        return NotImplemented\n"
        f"    assert isinstance(other, {record.node.name})\n"
        f"    return {same or True}"
    )


def _reduce(fields: Sequence[Field]) -> str:
    """How a copy is made, also by pickle: a compiled class has no instance before its `__init__` is called."""
    taken = [each for each in fields if each.init]
    in_order = "".join(f"self.{each.name}, " for each in taken if not each.kw_only)
    by_name = ", ".join(f"{each.name}=self.{each.name}" for each in taken if each.kw_only)
    made = f"partial(type(self), {by_name})" if by_name else "type(self)"
    return f"def __reduce__(self) -> Any:\n    return {made}, ({in_order})"


def _each(form: str, fields: Sequence[Field]) -> str:
    return "".join(form.format(each.name) for each in fields if each.compare)


def _mark(node: ast.ClassDef) -> None:
    """What mypyc must be told: of what no quick class can be made, and which attributes are deleted."""
    if any(ast.unparse(base).split("[")[0] in _BUILTINS for base in node.bases):
        node.decorator_list.append(ast.parse("mypyc_attr(native_class=False)", mode="eval").body)
    deleted = {
        target.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Delete)
        for target in each.targets
        if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self"
    }
    if deleted:
        node.body[0:0] = ast.parse(f"__deletable__ = {sorted(deleted)}").body
