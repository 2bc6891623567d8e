"""Values as trees, which is what facts are made of; each with the place of its literal."""

from __future__ import annotations

from decimal import Decimal

from nodeworthy.documents.tree import Scalar as Plain
from nodeworthy.documents.tree import Tree, Value, join
from nodeworthy.hcl.calling import Calling
from nodeworthy.hcl.codings import yamldecode
from nodeworthy.hcl.scope import Scope
from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.values import Hole, Lit, Scalar, Seq, Str
from nodeworthy.hcl.values import Value as Said
from nodeworthy.verdict import Place, Unknown

# Of fewer nobody looks for the line.
_LINES = 2


def tree(value: Said, subject: str = "", key: Spot | None = None) -> Tree:
    place = _place(value.spot, subject)
    at = _place(key, subject) if key is not None else None
    if isinstance(value, Hole):
        return Tree(Unknown(value.why, value.of), place, at, value.secret)
    if isinstance(value, Str):
        return Tree(_text(value), place, at, value.secret, inside=_inside(value, subject))
    if isinstance(value, Scalar):
        return Tree(_plain(value), place, at)
    if isinstance(value, Seq):
        return Tree([tree(each, f"{subject}[{index}]") for index, each in enumerate(value.items)], place, at)
    items = value.items.items()
    return Tree({name: tree(each, join(subject, name), value.keys.get(name)) for name, each in items}, place, at)


def _place(spot: Spot, subject: str) -> Place:
    place = spot.place
    return place.about(subject) if subject else place


def _inside(value: Str, subject: str) -> Place | None:
    """Where the lines of a text stand that stand in the file as they are, one below the other: those of a heredoc."""
    pieces = [each for each in value.pieces if isinstance(each, Lit) and each.straight]
    if len(pieces) < _LINES or len(pieces) != len(value.pieces) or not all("\n" in each.text for each in pieces[:-1]):
        return None
    first, last = (_place(each.spot, subject) for each in (pieces[0], pieces[-1]))
    rows = sum(each.text.count("\n") for each in pieces[:-1])
    is_one_below_the_other = first.path == last.path and last.line == (first.line or 0) + rows
    return first if is_one_below_the_other and first.column == last.column else None


def _text(value: Str) -> Value:
    hole = value.hole
    if hole is not None:
        last = value.pieces[-1]
        end = "" if isinstance(last, Hole) else last.text
        return Unknown(f"{value.shown}: {hole.why}", hole.of if len(value.pieces) == 1 else "", end)
    return value.known


def _plain(value: Scalar) -> Plain:
    return float(value.value) if isinstance(value.value, Decimal) else value.value


def document(value: Said, scope: Scope) -> Said:
    """The document in a text. Raises Waits or Refusal."""
    return yamldecode(Calling(scope, value.spot), value)
