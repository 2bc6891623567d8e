"""Writes nodeworthy/known/aws_models.json: what the provider takes for each resource, and what AWS accepts of it.

The keys and their types are those of the pulumi_aws that is installed, the limits those of botocore's models. Neither
is imported where something is judged: only this file is read.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import json
import re
import sys
import tomllib
import types
import typing
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import botocore
import botocore.session
from botocore.model import ListShape, MapShape, Shape, StringShape, StructureShape
from pulumi import Output
from pulumi._types import input_type_py_to_pulumi_names, input_type_types, is_input_type

HERE = Path(__file__).resolve()
TABLE = HERE.with_suffix(".toml")
OUT = HERE.parents[1] / "nodeworthy" / "known" / "aws_models.json"
NOT_VALUES = (type(None), Output)
SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean"}
# Kept once, elsewhere: nodeworthy/known/ec2_instance_types.txt.
KEPT_ELSEWHERE = frozenset({"InstanceType"})
# Of these names only some shapes list the values; they are those of all.
NAMED = {"instanceType": "InstanceType", "instanceTypes": "InstanceType"}
# Texts that the provider shortens, completes or takes in another form than AWS.
FREE = frozenset({"tags", "tagSpecifications", "userData"})
Found = dict[str, Any]


class Models:
    def __init__(self) -> None:
        self._session = botocore.session.get_session()
        self.enums: dict[str, list[str]] = {}

    def shape(self, named: str) -> Shape:
        service, name = named.split(":")
        model = self._session.get_service_model(service)
        found = model.operation_model(name).input_shape if name in model.operation_names else model.shape_for(name)
        if found is None:
            raise SystemExit(f"{named} takes nothing")
        return found

    def of(self, token: str, row: Mapping[str, Any]) -> Found:
        shapes = [self.shape(each) for each in row["shapes"]]
        return self._structure(_arguments(token), shapes, row.get("rename", {}))

    def _structure(self, kind: type, shapes: list[Shape], rename: Mapping[str, str]) -> Found:
        required = {
            name
            for name, parameter in inspect.signature(kind).parameters.items()
            if parameter.default is inspect.Parameter.empty
        }
        names = input_type_py_to_pulumi_names(kind)
        found: Found = {
            pulumi: _named(
                pulumi,
                self._value(hint, list(_members(shapes, rename.get(pulumi, pulumi))) if pulumi not in FREE else []),
            )
            for pulumi, hint in sorted(input_type_types(kind).items())
        }
        told: Found = {"type": "structure", "properties": found}
        needed = sorted(pulumi for python, pulumi in names.items() if python in required)
        return {**told, "required": needed} if needed else told

    def _value(self, hint: Any, shapes: list[Shape]) -> Found:
        if typing.get_origin(hint) in (typing.Union, types.UnionType):
            return self._value(_plain(typing.get_args(hint)), shapes)
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in (list, Sequence):
            inner = [each.member for each in shapes if isinstance(each, ListShape)]
            return {"type": "list", "of": self._value(arguments[0], inner)}
        if origin in (dict, Mapping):
            inner = [each.value for each in shapes if isinstance(each, MapShape)]
            return {"type": "map", "of": self._value(arguments[1], inner)}
        if hint in SCALARS:
            return {"type": SCALARS[hint], **self._limits(hint, shapes)}
        if inspect.isclass(hint) and is_input_type(hint):
            return self._structure(hint, [each for each in shapes if isinstance(each, StructureShape)], {})
        return {"type": "any"}

    def _limits(self, kind: type, shapes: list[Shape]) -> Found:
        shape = next((each for each in shapes if _fits(kind, each)), None)
        if shape is None:
            return {}
        limits: Found = {}
        if isinstance(shape, StringShape) and shape.enum and shape.name not in KEPT_ELSEWHERE:
            self.enums[shape.name] = sorted(shape.enum)
            limits["enum"] = shape.name
        elif isinstance(shape, StringShape) and shape.enum:
            limits["enum"] = shape.name
        for name in ("min", "max"):
            if name in shape.metadata and shape.metadata[name] < 1 << 31:
                limits[name] = shape.metadata[name]
        pattern = shape.metadata.get("pattern")
        if pattern and kind is str and _compiles(pattern):
            limits["pattern"] = pattern
        return limits


def _named(name: str, found: Found) -> Found:
    """With the values that its name tells, where the shape does not list them."""
    value = found["of"] if found["type"] == "list" else found
    if name not in NAMED or value["type"] != "string":
        return found
    told = {"type": "string", "enum": NAMED[name]}
    return {**found, "of": told} if found["type"] == "list" else told


def _plain(choices: Sequence[Any]) -> Any:
    """The value itself, of all that it may be handed over as (awaited, as an output, as one of an enumeration)."""
    plain = [each for each in choices if typing.get_origin(each) not in (Awaitable, Output) and each not in NOT_VALUES]
    scalar = [each for each in plain if each in SCALARS]
    classes = [each for each in plain if inspect.isclass(each) and is_input_type(each)]
    return next(iter([*scalar, *classes, *plain]), object)


def _arguments(token: str) -> type:
    module, name = token.removeprefix("aws:").split("/")
    file, name = name.split(":")
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", file).lower()
    found: type = getattr(importlib.import_module(f"pulumi_aws.{module}.{snake}"), f"{name}Args")
    return found


def _members(shapes: list[Shape], name: str) -> Iterator[Shape]:
    """Those that the property is, by its name: the provider writes lists in the plural, and AWS sometimes does."""
    wanted = {name.lower(), name.lower().removesuffix("s")} - {""}
    for shape in shapes:
        if isinstance(shape, StructureShape):
            yield from (each for member, each in shape.members.items() if member.lower() in wanted)


def _fits(kind: type, shape: Shape) -> bool:
    wanted = {str: ("string",), int: ("integer", "long"), float: ("float", "double"), bool: ("boolean",)}
    return shape.type_name in wanted.get(kind, ())


def _compiles(pattern: str) -> bool:
    r"""Some are of another dialect (`\p{L}`)."""
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def main() -> None:
    models = Models()
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    resources = {token: models.of(token, row) for token, row in sorted(table.items())}
    versions = {"botocore": botocore.__version__, "pulumi_aws": importlib.metadata.version("pulumi_aws")}
    written = {"from": versions, "enums": dict(sorted(models.enums.items())), "resources": resources}
    OUT.write_text(json.dumps(written, sort_keys=True, separators=(",", ":")) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(resources)} resources, {len(models.enums)} enumerations, {OUT.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
