"""Functions that encode and decode, and those that read files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nodeworthy.documents.tree import Tree
from nodeworthy.hcl.arithmetic import NoNumber, number, number_text
from nodeworthy.hcl.calling import Calling, Function
from nodeworthy.hcl.rendered import Rendered
from nodeworthy.hcl.source import File, Malformed, Spot
from nodeworthy.hcl.values import (
    Hole,
    Lit,
    Obj,
    Piece,
    Refusal,
    Scalar,
    Seq,
    Str,
    Value,
    Waits,
    need_mapping,
    string,
    text,
)
from nodeworthy.verdict import Place, Unknown

# JSON


def jsonencode(c: Calling, value: Value) -> Value:
    pieces: list[Piece] = []
    _json(value, pieces)
    made = c.string(pieces)
    made.encodes = value
    return made


def _json(value: Value, pieces: list[Piece]) -> None:
    if isinstance(value, Hole):
        pieces.append(value)
    elif isinstance(value, Str):
        pieces.append(Lit('"', value.spot))
        pieces += [each if isinstance(each, Hole) else _escaped(each) for each in value.pieces]
        pieces.append(Lit('"', value.spot))
    elif isinstance(value, Scalar):
        plain = value.value
        told = "null" if plain is None else str(plain).lower() if isinstance(plain, bool) else number_text(plain)
        pieces.append(Lit(told, value.spot))
    elif isinstance(value, Seq):
        _json_list(value, pieces)
    else:
        _json_object(value, pieces)


def _escaped(piece: Lit) -> Lit:
    from json import dumps

    made = dumps(piece.text, ensure_ascii=False)[1:-1]
    for each in "<>&\u2028\u2029\x7f":
        if each in made and each != "\x7f":
            made = made.replace(each, f"\\u{ord(each):04x}")
    return Lit(made, piece.spot, piece.straight and made == piece.text)


def _json_list(value: Seq, pieces: list[Piece]) -> None:
    pieces.append(Lit("[", value.spot))
    for index, each in enumerate(value.items):
        if index:
            pieces.append(Lit(",", each.spot))
        _json(each, pieces)
    pieces.append(Lit("]", value.spot))


def _json_object(value: Obj, pieces: list[Piece]) -> None:
    if value.rest is not None:
        raise Waits(value.rest)
    pieces.append(Lit("{", value.spot))
    for index, (name, each) in enumerate(value.sorted()):
        spot = value.key_spot(name)
        key = _escaped(Lit(name, spot)).text
        pieces.append(Lit(f'{"," if index else ""}"{key}":', spot))
        _json(each, pieces)
    pieces.append(Lit("}", value.spot))


def jsondecode(c: Calling, value: Value) -> Value:
    from json import loads

    made = string(value)
    if made.hole is None:
        try:
            loads(text(made))
        except (ValueError, RecursionError):
            raise Refusal("this is no JSON") from None
    return _decoded(c, made)


# YAML


def yamlencode(c: Calling, value: Value) -> Value:
    from nodeworthy.hcl.yaml_out import encode_yaml

    made = c.string(encode_yaml(value, c.spot))
    made.encodes = value
    return made


def yamldecode(c: Calling, value: Value) -> Value:
    made = string(value)
    return _decoded(c, made) if made.encodes is None else _as_decoded(made.encodes)


def _as_decoded(value: Value) -> Value:
    """What comes back of a value that was written as YAML: the same, but that YAML has no sets and no maps, and keeps
    its keys in the order in which they were written. A list stands where its first item does, an object where its
    first key does, and a text of one line where it begins."""
    if isinstance(value, Seq):
        begins = value.items[0].spot if value.items else value.spot
        return Seq("tuple", [_as_decoded(each) for each in value.items], begins)
    if isinstance(value, Obj):
        items = {name: _as_decoded(each) for name, each in value.sorted()}
        keys = {name: value.key_spot(name) for name in items}
        return Obj("object", items, next(iter(keys.values()), value.spot), keys)
    if isinstance(value, Str) and value.known is not None and "\n" not in value.known:
        return Str((Lit(value.known, value.spot),), value.spot)
    return value


def _documents(rendered: Rendered, made: Str) -> list[Tree]:
    """Raises Waits where the text has a hole, for which it may be no YAML; Refusal where it is none as it stands."""
    from nodeworthy.documents.yaml import NotYaml, read_all

    try:
        return read_all(rendered.text, Place())
    except NotYaml as problem:
        if made.hole is not None:
            raise Waits(made.hole) from None
        raise Refusal(problem.why) from None


def _decoded(c: Calling, made: Str) -> Value:
    """The decoded value, with the places of the pieces that each part came from."""
    rendered = Rendered(made)
    documents = _documents(rendered, made)
    if len(documents) > 1:
        raise Refusal("there are several documents")
    c.scope.world.budget.step(1 + len(rendered.text) // 8)
    if not documents:
        return Scalar(None, made.spot)
    return _value(documents[0], rendered)


def _value(tree: Tree, rendered: Rendered) -> Value:
    spot = rendered.spot(tree.place)
    if tree.is_mapping:
        return _mapping(tree, rendered, spot)
    if tree.is_sequence:
        return Seq("tuple", [_value(each, rendered) for each in tree.sequence], spot)
    if isinstance(tree.value, Unknown):
        raise Waits(Hole(tree.value.why, spot))
    if isinstance(tree.value, str):
        return _text(tree, rendered, spot)
    return _scalar(tree, spot)


def _mapping(tree: Tree, rendered: Rendered, spot: Spot) -> Value:
    items: dict[str, Value] = {}
    keys: dict[str, Spot] = {}
    rest: Hole | None = None
    for name, each in tree.mapping.items():
        hole = rendered.hole(str(name))
        if hole is not None:
            rest = hole
            continue
        items[str(name)] = _value(each, rendered)
        keys[str(name)] = rendered.spot(each.heading)
    return Obj("object", items, spot, keys, rest)


def _text(tree: Tree, rendered: Rendered, spot: Spot) -> Value:
    assert isinstance(tree.value, str)
    pieces = rendered.pieces(tree)
    if len(pieces) == 1 and isinstance(pieces[0], Hole) and not rendered.is_quoted(tree.place):
        return pieces[0]
    return Str(pieces, spot)


_NO_WORDS = frozenset("y Y yes Yes YES n N no No NO on On ON off Off OFF".split())


def _scalar(tree: Tree, spot: Spot) -> Value:
    told = tree.written or ""
    if tree.value is None or isinstance(tree.value, bool):
        if told in _NO_WORDS:
            return Str((Lit(told, spot, True),), spot)
        return Scalar(tree.value, spot)
    try:
        return Scalar(number(told), spot)
    except NoNumber:
        pass
    if isinstance(tree.value, int):
        return Scalar(tree.value, spot)
    raise Waits(Hole(f"the number {told} is not read here", spot))


# base64: what is packed is kept beside, for whoever asks what it says.


def base64encode(c: Calling, value: Value) -> Value:
    import base64

    made = string(value)
    if made.known is None:
        assert made.hole is not None
        hole = made.hole
        packed = Str((Hole(hole.why, made.spot, "base64encode(…)", hole.of),), made.spot, made.secret)
    else:
        encoded = base64.b64encode(made.known.encode("utf-8", "surrogateescape")).decode()
        packed = Str(c.told(encoded).pieces, made.spot, made.secret)
    packed.packs = ("base64", made)
    return packed


def base64gzip(c: Calling, value: Value) -> Value:
    made = string(value)
    packed = Str((Hole("its bytes depend on who packs them", made.spot, "base64gzip(…)"),), made.spot, made.secret)
    packed.packs = ("gzip", made)
    return packed


def base64decode(c: Calling, value: Value) -> Value:
    import base64
    import binascii

    made = string(value)
    if made.packs is not None and made.packs[0] == "base64":
        return made.packs[1]
    try:
        return c.told(base64.b64decode(text(made), validate=True).decode())
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise Refusal("this is no base64 of a text") from None


def _hash(c: Calling, value: Value, how: str) -> str:
    import hashlib

    return hashlib.new(how, text(value).encode(), usedforsecurity=False).hexdigest()


def md5(c: Calling, value: Value) -> Value:
    return c.told(_hash(c, value, "md5"))


def sha1(c: Calling, value: Value) -> Value:
    return c.told(_hash(c, value, "sha1"))


def sha256(c: Calling, value: Value) -> Value:
    return c.told(_hash(c, value, "sha256"))


def sha512(c: Calling, value: Value) -> Value:
    return c.told(_hash(c, value, "sha512"))


def base64sha256(c: Calling, value: Value) -> Value:
    import base64

    return c.told(base64.b64encode(bytes.fromhex(_hash(c, value, "sha256"))).decode())


# Files


def file(c: Calling, path: Value) -> Value:
    found = c.scope.world.open(text(path), c.spot)
    c.scope.world.budget.spend(len(found.text))
    spot = Spot(found, 0)
    return Str((Lit(found.text, spot, True),), spot)


def filebase64(c: Calling, path: Value) -> Value:
    return base64encode(c, file(c, path))


def fileexists(c: Calling, path: Value) -> Value:
    return Scalar(c.scope.world.exists(text(path), c.spot), c.spot)


def fileset(c: Calling, folder: Value, pattern: Value) -> Value:
    from nodeworthy.hcl.globs import matching

    found = c.scope.world.listed(text(folder), c.spot)
    return c.sequence("set", [c.told(each) for each in sorted(matching(found, text(pattern)))])


def templatefile(c: Calling, path: Value, variables: Value) -> Value:
    found = c.scope.world.open(text(path), c.spot)
    found.is_filled_in = True
    return _filled(c, found, need_mapping(variables))


def render_template(c: Calling, template: Str, variables: Obj) -> Value:
    """The text of a template that is known in full. A template that is a whole file keeps the file's lines."""
    first = template.pieces[0] if len(template.pieces) == 1 else None
    whole = first.spot.file if isinstance(first, Lit) and first.spot.file.text == first.text else None
    return _filled(c, whole or _FileOf(template), variables)


class _FileOf(File):
    """A text that stands somewhere in a file."""

    def __init__(self, template: Str) -> None:
        super().__init__(template.spot.file.shown, text(template))
        self._rendered = Rendered(template)

    def place(self, at: int) -> Place:
        return self._rendered.spot_at(at).place


def _filled(c: Calling, found: File, given: Obj) -> Value:
    from nodeworthy.hcl.evaluate import evaluate
    from nodeworthy.hcl.parse import parse_template
    from nodeworthy.hcl.scope import Scope

    try:
        template = parse_template(found)
    except Malformed as problem:
        raise Refusal(str(problem)) from None
    made = evaluate(template, Scope(found, Filled(c, given), given.items))
    if isinstance(made, (Hole, Str)):
        return made
    return string(made) if isinstance(made, Scalar) else made


class Filled:
    """What a template may refer to: what it is given, and nothing else."""

    def __init__(self, c: Calling, given: Obj) -> None:
        self._world, self._given = c.scope.world, given
        self.budget = self._world.budget

    def open(self, path: str, spot: Spot) -> Any:
        return self._world.open(path, spot)

    def listed(self, folder: str, spot: Spot) -> Sequence[str]:
        return self._world.listed(folder, spot)

    def exists(self, path: str, spot: Spot) -> bool:
        return self._world.exists(path, spot)

    def resolve(self, root: str, steps: Sequence[str | None], spot: Spot) -> tuple[Value, int] | None:  # noqa: ARG002
        return (self._given.rest, len(steps)) if self._given.rest is not None else None


# Provider functions that read manifests


def manifest_decode(c: Calling, value: Value) -> Value:
    return yamldecode(c, value)


def manifest_decode_multi(c: Calling, value: Value) -> Value:
    made = string(value)
    rendered = Rendered(made)
    documents = _documents(rendered, made)
    return c.sequence("tuple", [_value(each, rendered) for each in documents if not each.is_null])


FUNCTIONS: Mapping[str, Function] = {
    "base64decode": base64decode,
    "base64encode": base64encode,
    "base64gzip": base64gzip,
    "base64sha256": base64sha256,
    "file": file,
    "filebase64": filebase64,
    "fileexists": fileexists,
    "fileset": fileset,
    "jsondecode": jsondecode,
    "jsonencode": jsonencode,
    "md5": md5,
    "provider::kubernetes::manifest_decode": manifest_decode,
    "provider::kubernetes::manifest_decode_multi": manifest_decode_multi,
    "sha1": sha1,
    "sha256": sha256,
    "sha512": sha512,
    "templatefile": templatefile,
    "yamldecode": yamldecode,
    "yamlencode": yamlencode,
}
