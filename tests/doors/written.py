"""The same data as each language writes it: YAML, HCL, TypeScript, Python, Helm's `--set`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from textwrap import indent
from typing import Any

import yaml


class _Block(yaml.SafeDumper):
    """As people write it: texts of several lines as blocks, lists below their keys."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Block.add_representer(str, _text)


def in_yaml(value: Any, deep: int = 0) -> str:
    """A document of YAML, moved in by so many blanks."""
    written = yaml.dump(value, Dumper=_Block, sort_keys=False, width=200)
    return indent(str(written), " " * deep).rstrip("\n")


def in_hcl(value: Any, deep: int = 0) -> str:
    """An expression of Terraform's."""
    pad = "  " * (deep + 1)
    if isinstance(value, dict):
        lines = (f"{pad}{_hcl_key(name)} = {in_hcl(each, deep + 1)}" for name, each in value.items())
        return "\n".join(("{", *lines, "  " * deep + "}"))
    if isinstance(value, list):
        return "[" + ", ".join(in_hcl(each, deep) for each in value) + "]"
    if isinstance(value, str) and "\n" in value:
        return "<<-EOT\n" + indent(value, pad + "  ") + f"{pad}EOT"
    return json.dumps(value)


def _hcl_key(name: str) -> str:
    return name if name.replace("_", "").isalnum() else json.dumps(name)


def in_typescript(value: Any, deep: int = 0) -> str:
    pad = "    " * (deep + 1)
    if isinstance(value, dict):
        lines = (f"{pad}{_script_key(name)}: {in_typescript(each, deep + 1)}," for name, each in value.items())
        return "\n".join(("{", *lines, "    " * deep + "}"))
    if isinstance(value, list):
        return "[" + ", ".join(in_typescript(each, deep) for each in value) + "]"
    if isinstance(value, str) and "\n" in value:
        return f"`{value}`"
    return json.dumps(value)


def _script_key(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name)


def in_python(value: Any, deep: int = 0) -> str:
    pad = "    " * (deep + 1)
    if isinstance(value, dict):
        lines = (f"{pad}{json.dumps(name)}: {in_python(each, deep + 1)}," for name, each in value.items())
        return "\n".join(("{", *lines, "    " * deep + "}"))
    if isinstance(value, list):
        return "[" + ", ".join(in_python(each, deep) for each in value) + "]"
    if isinstance(value, str):
        return f'"""{value}"""' if "\n" in value else json.dumps(value)
    return repr(value)


def as_sets(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Names and values as `helm --set` takes them."""
    if isinstance(value, dict) and value:
        for name, each in value.items():
            escaped = name.replace(".", "\\.")
            yield from as_sets(each, f"{path}.{escaped}" if path else escaped)
    elif isinstance(value, list) and value:
        for at, each in enumerate(value):
            yield from as_sets(each, f"{path}[{at}]")
    else:
        yield path, value


def word(value: Any) -> str:
    """A value as one word of `--set`."""
    return json.dumps(value) if not isinstance(value, str) else value.replace(",", "\\,")
