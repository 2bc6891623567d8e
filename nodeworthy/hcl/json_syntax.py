"""Terraform's JSON: what it says as the same syntax. Texts in it are templates; where one begins is all that is told of
its parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.hcl.parse import parse_expression, parse_template
from nodeworthy.hcl.source import File, Malformed
from nodeworthy.hcl.syntax import Block, Body, Expression, Literal, Object, Setting, Template, Tuple
from nodeworthy.known.terraform import is_block
from nodeworthy.verdict import Place, Unknown

_LABELS = {"resource": 2, "data": 2, "ephemeral": 2, "module": 1, "variable": 1, "output": 1, "provider": 1}
# Whose blocks have blocks within.
_RESOURCES = ("resource", "data")


def body_of(file: File, *, is_flat: bool) -> Body:
    """`is_flat`: a file of variables, which has no blocks. Raises Malformed."""
    try:
        tree = read(file.text, Place(file.shown))
    except NotYaml as problem:
        raise Malformed(problem.why, problem.place) from None
    if tree is None or not tree.is_mapping:
        raise Malformed("a JSON object is expected here", Place(file.shown, 1, 1))
    if is_flat:
        return Body({name: _setting(file, name, each) for name, each in tree.mapping.items()})
    body = Body()
    for kind, said in tree.mapping.items():
        if kind != "//":
            body.blocks += _blocks(file, kind, said, [], _LABELS.get(kind, 0))
    return body


def _blocks(file: File, kind: str, said: Tree, labels: Sequence[str], left: int) -> Iterator[Block]:
    """An object, or a list of them; of each label one more within."""
    for each in said.sequence if said.is_sequence else [said]:
        if left:
            for name, inner in each.mapping.items():
                yield from _blocks(file, kind, inner, [*labels, name], left - 1)
        elif each.is_mapping:
            yield Block(_at(file, each), kind, labels, _body(file, each, kind in _RESOURCES), file)


def _body(file: File, said: Tree, is_resources: bool) -> Body:
    body = Body()
    for name, each in said.mapping.items():
        if name == "dynamic":
            body.blocks += _dynamics(file, each)
        elif is_resources and _is_block(name, each):
            inner = each.sequence if each.is_sequence else [each]
            body.blocks += [Block(_at(file, one), name, [], _body(file, one, is_resources), file) for one in inner]
        elif name != "//":
            body.settings[name] = _setting(file, name, each)
    return body


def _is_block(name: str, said: Tree) -> bool:
    """JSON writes blocks and maps alike: a block is what the provider calls so."""
    held = said.sequence if said.is_sequence else [said]
    return bool(held) and all(each.is_mapping for each in held) and is_block(name)


def _dynamics(file: File, said: Tree) -> Iterator[Block]:
    for block in _blocks(file, "dynamic", said, [], 1):
        content = block.body.settings.pop("content", None)
        if content is not None and isinstance(content.expression, Object):
            items = content.expression.items
            inner = {
                str(key.value): Setting(key.at, str(key.value), value)
                for key, value in items
                if isinstance(key, Literal)
            }
            block.body.blocks.append(Block(content.at, "content", [], Body(inner), file))
        yield block


def _setting(file: File, name: str, said: Tree) -> Setting:
    return Setting(_at(file, said), name, _type(said, file) if name == "type" else _expression(file, said))


def _type(said: Tree, file: File) -> Expression:
    """The type of a variable is no template."""
    if said.text is not None and "${" not in said.text:
        try:
            return parse_expression(File(file.shown, said.text))
        except Malformed:
            pass
    return _expression(file, said)


def _at(file: File, tree: Tree) -> int:
    place = tree.heading
    return file.offset(place.line or 1, place.column or 1)


def _expression(file: File, said: Tree) -> Expression:
    at = file.offset(said.place.line or 1, said.place.column or 1)
    if said.is_mapping:
        return Object(
            at, [(Literal(_at(file, each), name), _expression(file, each)) for name, each in said.mapping.items()]
        )
    if said.is_sequence:
        return Tuple(at, [_expression(file, each) for each in said.sequence])
    if isinstance(said.value, str):
        return _template(said.value, at)
    if isinstance(said.value, Unknown):
        raise Malformed(said.value.why, said.place)
    return Literal(at, _plain(said.value))


def _plain(value: object) -> str | int | bool | None:
    if isinstance(value, float):
        from decimal import Decimal

        return Decimal(repr(value))  # type: ignore[return-value]
    return value if isinstance(value, (str, int, bool)) else None


def _template(text: str, at: int) -> Expression:
    """A template in JSON. Its parts stand somewhere after its beginning, where they are placed."""
    if "${" not in text and "%{" not in text:
        return Literal(at, text)
    found = parse_template(File("", text))
    return _moved(found, at)


def _moved(found: Template, at: int) -> Template:
    from dataclasses import fields, is_dataclass

    def move(node: object) -> None:
        if isinstance(node, (list, tuple)):
            for each in node:
                move(each)
        elif is_dataclass(node) and not isinstance(node, (type, File)):
            for each in fields(node):
                if each.name in ("at", "end"):
                    setattr(node, each.name, at)
                else:
                    move(getattr(node, each.name))

    move(found)
    return found
