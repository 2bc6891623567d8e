"""What data sources come to that look nothing up: the parts of a cloud-init configuration, and a template as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nodeworthy.hcl.calling import Calling
from nodeworthy.hcl.codings import base64encode, base64gzip, render_template
from nodeworthy.hcl.scope import Scope
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
    boolean,
    is_null,
    string,
    text_of,
)

RENDERED = "rendered"
_BOUNDARY = "MIMEBOUNDARY"
_ENCODED = {True: base64gzip, False: base64encode}


def render(kind: str, said: Obj, scope: Scope) -> Mapping[str, Value]:
    """What a data source of this kind has beside what is set in it; nothing for all that look something up."""
    try:
        return _rendered(kind, said, Calling(scope, said.spot))
    except Waits as waits:
        return {RENDERED: waits.hole}
    except Refusal as refusal:
        return {RENDERED: Hole(f"Terraform refuses it: {refusal}", said.spot)}


def _rendered(kind: str, said: Obj, c: Calling) -> Mapping[str, Value]:
    if kind in _RENDERERS:
        return {RENDERED: _RENDERERS[kind](c, said)}
    from nodeworthy.hcl.kubectl_documents import DOCUMENTS, attributes

    return attributes(kind, said, c) if kind in DOCUMENTS else {}


# cloud-init


def _cloud_config(c: Calling, said: Obj) -> Value:
    """The parts as the provider writes them: packed with gzip, and that in base64, unless told otherwise."""
    parts = said.items.get("part")
    if isinstance(parts, Hole):
        return parts
    boundary = string(_argument_or_default(said, "boundary", _BOUNDARY))
    pieces: list[Piece] = [Lit('Content-Type: multipart/mixed; boundary="', said.spot), *boundary.pieces]
    pieces.append(Lit('"\nMIME-Version: 1.0\r\n\r\n', said.spot))
    for each in parts.items if isinstance(parts, Seq) else ():
        pieces += _part(each, boundary)
    pieces += [Lit("--", said.spot), *boundary.pieces, Lit("--\r\n", said.spot)]
    made = c.string(pieces, any(_is_secret(each) for each in (parts.items if isinstance(parts, Seq) else ())))
    is_packed, is_encoded = (boolean(_argument_or_default(said, name, True)) for name in ("gzip", "base64_encode"))
    found: Value = _ENCODED[is_packed](c, made) if is_encoded or is_packed else made
    return found


def _part(said: Value, boundary: Str) -> Sequence[Piece]:
    if not isinstance(said, Obj):
        return [said] if isinstance(said, Hole) else []
    at = said.spot
    kind = string(_argument_or_default(said, "content_type", "text/plain"))
    pieces = [Lit("--", at), *boundary.pieces, Lit("\r\nContent-Transfer-Encoding: 7bit\r\nContent-Type: ", at)]
    pieces += [*kind.pieces, Lit("\r\nMime-Version: 1.0\r\n", at)]
    for name, header in (("filename", "Content-Disposition: attachment; filename="), ("merge_type", "X-Merge-Type: ")):
        given = said.items.get(name)
        if given is not None and not is_null(given):
            pieces += [Lit(header, at), *string(given).pieces, Lit("\r\n", at)]
    return [*pieces, Lit("\r\n", at), *string(_argument_or_default(said, "content", "")).pieces, Lit("\r\n", at)]


def _is_secret(part: Value) -> bool:
    content = part.items.get("content") if isinstance(part, Obj) else None
    return isinstance(content, Str) and content.secret


def _argument_or_default(said: Obj, name: str, default: str | bool) -> Value:
    found = said.items.get(name)
    if found is not None and not is_null(found):
        return found
    return Scalar(default, said.spot) if isinstance(default, bool) else text_of(default, said.spot)


# Templates


def _template(c: Calling, said: Obj) -> Value:
    """The older `template_file`: its template is a text, mostly that of a file."""
    given = said.items.get("vars")
    written = string(_argument_or_default(said, "template", ""))
    if written.known is None:
        hole = written.hole
        assert hole is not None
        return hole
    return render_template(c, written, given if isinstance(given, Obj) else Obj("map", {}, said.spot, {}))


_RENDERERS: Mapping[str, Callable[[Calling, Obj], Value]] = {
    "cloudinit_config": _cloud_config,
    "template_cloudinit_config": _cloud_config,
    "template_file": _template,
}
