"""The shape of a fleet as JSON Schema, for editors."""

from __future__ import annotations

from typing import Any

from nodeworthy.fleet.shape import Anything, Field, Items, Kind, Named, Record, Text, Truth, Whole

DRAFT = "https://json-schema.org/draft/2020-12/schema"
# A value that `pulumi config set --secret` encrypted may stand for any other.
_SECURE = {
    "type": "object",
    "properties": {"secure": {"type": "string"}},
    "required": ["secure"],
    "additionalProperties": False,
}


def schema_of_stack(record: Record, key: str) -> dict[str, Any]:
    """The schema of a whole Pulumi.<stack>.yaml; what others keep in it is left alone."""
    return {
        "$schema": DRAFT,
        "title": "Pulumi stack config with a fleet of GPU nodes",
        "type": "object",
        "properties": {
            "config": {"type": "object", "properties": {key: {"$ref": "#/$defs/fleet"}}, "additionalProperties": True}
        },
        "additionalProperties": True,
        "$defs": {"fleet": _schema_of(record), "secure": _SECURE},
    }


def schema_of_record(record: Record) -> dict[str, Any]:
    """The schema of a file that is such a record and nothing else."""
    return {"$schema": DRAFT, **_record(record)}


def _schema_of(kind: Kind) -> dict[str, Any]:
    match kind:
        case Text():
            return _text(kind)
        case Whole():
            return {"type": "integer", "minimum": kind.minimum, **({"maximum": kind.maximum} if kind.maximum else {})}
        case Truth():
            return {"type": "boolean"}
        case Items():
            return {"type": "array", "items": _schema_of(kind.of)}
        case Named():
            return {
                "type": "object",
                "minProperties": 1,
                "propertyNames": {"pattern": f"^{kind.name.pattern}$"},
                "additionalProperties": {"anyOf": [_schema_of(kind.of), {"type": "null"}]},
            }
        case Anything():
            return {"type": ["object", "null"], "additionalProperties": True}
        case Record():
            return _record(kind)


def _text(kind: Text) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    if kind.choices:
        schema["enum"] = list(kind.choices)
    if kind.pattern is not None:
        schema["pattern"] = f"^{kind.pattern}$"
    return schema


def _record(kind: Record) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "title": kind.title,
        "type": "object",
        "properties": {name: _field(each) for name, each in kind.fields.items()},
        "additionalProperties": False,
    }
    required = [name for name, each in kind.fields.items() if each.required]
    return {**schema, "required": required} if required else schema


def _field(field: Field) -> dict[str, Any]:
    schema = _schema_of(field.kind)
    said: dict[str, Any] = {"description": field.about}
    if field.default is not None:
        said["default"] = field.default
    if field.example is not None:
        said["examples"] = [field.example, *field.offered]
    alternatives = _alternatives(field)
    return {**said, "anyOf": [schema, *alternatives]} if alternatives else {**schema, **said}


def _alternatives(field: Field) -> list[dict[str, Any]]:
    if isinstance(field.kind, Record):
        return [{"type": "null"}, *([{"const": False, "description": field.kind.false}] if field.kind.false else [])]
    return [{"$ref": "#/$defs/secure"}] if isinstance(field.kind, (Text, Whole, Truth)) and not field.decides else []
