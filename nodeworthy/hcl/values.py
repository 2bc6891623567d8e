"""What expressions come to. Every value knows the spot of the literal that it came from.

A string is a row of pieces, each from its own place; a piece that nobody knows is a hole. So is any other value of
which nobody knows anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from nodeworthy.hcl.arithmetic import Number, number_text
from nodeworthy.hcl.source import Spot
from nodeworthy.records import dataclass

# None of these is frozen, for the same reason as in `syntax`; nobody changes one.


@dataclass(slots=True)
class Hole:
    """What can't be known from files: why, and as which expression it stands there."""

    why: str
    spot: Spot
    shown: str = ""
    # The address of the resource or the data source whose attribute it is.
    of: str = ""
    secret: bool = False
    # Of what is a map or null: what its keys are like.
    keys: Sequence[Str] | None = None


@dataclass(slots=True)
class Lit:
    """A piece of text from one place. `straight`: its characters stand in the file as they stand here."""

    text: str
    spot: Spot
    straight: bool = False

    def spot_at(self, index: int) -> Spot:
        return Spot(self.spot.file, self.spot.at + index) if self.straight and index else self.spot


Piece: TypeAlias = Lit | Hole


class Str:
    __slots__ = ("_known", "encodes", "packs", "pieces", "secret", "spot")

    def __init__(self, pieces: Sequence[Piece], spot: Spot, secret: bool = False) -> None:
        self.pieces = pieces
        self.spot = spot
        self.secret = secret
        # What it is the base64 or the gzip of: nobody reads that in the packed text, and some of it may be a hole.
        self.packs: tuple[str, Str] | None = None
        # What it is the YAML of: whoever reads it as YAML has that at once.
        self.encodes: Value | None = None
        self._known: str | None = pieces[0].text if len(pieces) == 1 and isinstance(pieces[0], Lit) else None

    @property
    def known(self) -> str | None:
        """All of it, or None where a part is a hole."""
        if self._known is None and self.hole is None:
            self._known = "".join([each.text for each in self.pieces if isinstance(each, Lit)])
        return self._known

    @property
    def hole(self) -> Hole | None:
        return next((each for each in self.pieces if isinstance(each, Hole)), None)

    @property
    def shown(self) -> str:
        return "".join([each.text if isinstance(each, Lit) else f"${{{each.shown}}}" for each in self.pieces])

    def could_be(self, text: str) -> bool:
        at, last = 0, len(self.pieces) - 1
        for index, piece in enumerate(self.pieces):
            if isinstance(piece, Hole):
                continue
            if index == last and index:
                return len(text) - len(piece.text) >= at and text.endswith(piece.text)
            found = text.find(piece.text, at)
            if found < 0 or (index == 0 and found):
                return False
            at = found + len(piece.text)
        return last >= 0 or not text


@dataclass(slots=True)
class Scalar:
    """A number, a boolean, or null."""

    value: Number | bool | None
    spot: Spot


@dataclass(slots=True)
class Seq:
    """A tuple, a list, or a set."""

    kind: str
    items: Sequence[Value]
    spot: Spot


@dataclass(slots=True)
class Obj:
    """An object, or a map. Where it has a `rest`, it may have more keys than those that are known; each of these is
    like one of `others`, where that is known."""

    kind: str
    items: Mapping[str, Value]
    spot: Spot
    keys: Mapping[str, Spot]
    rest: Hole | None = None
    others: Sequence[Str] | None = None

    def sorted(self) -> Iterator[tuple[str, Value]]:
        """Terraform goes through its keys by their bytes."""
        return iter(sorted(self.items.items(), key=lambda each: each[0].encode("utf-8", "surrogatepass")))

    def may_hold(self, name: str) -> bool:
        """Whether one of the keys that are not known may be this."""
        return self.rest is not None and (self.others is None or any(each.could_be(name) for each in self.others))

    def key_spot(self, name: str) -> Spot:
        return self.keys.get(name) or self.items[name].spot


@dataclass(slots=True)
class InnerBlock(Obj):
    """A block of a resource: what is not written in it is known only later."""

    later: Hole | None = None


Value: TypeAlias = Hole | Str | Scalar | Seq | Obj


# What a body comes to: an object whose names a provider has given, and which may say more once it is applied.
BLOCK = "block"


class Refusal(Exception):
    """What Terraform itself refuses: it never becomes a value."""


class Waits(Exception):
    """What can't be worked out, because of a hole in it."""

    def __init__(self, hole: Hole) -> None:
        super().__init__(hole.why)
        self.hole = hole


def text_of(text: str, spot: Spot) -> Str:
    return Str((Lit(text, spot),), spot)


def is_an_id(value: Value) -> bool:
    """What a resource is told apart by once it is there: a text, not empty, and no other resource's."""
    return isinstance(value, Hole) and bool(value.of) and value.shown.endswith((".id", ".arn", "_id", "_arn"))


def is_null(value: Value) -> bool:
    return isinstance(value, Scalar) and value.value is None


def first_hole(value: Value) -> Hole | None:
    """One that stands anywhere in it."""
    if isinstance(value, Hole):
        return value
    if isinstance(value, Str):
        return value.hole
    if isinstance(value, Seq):
        return next((found for each in value.items if (found := first_hole(each))), None)
    if isinstance(value, Obj):
        return value.rest or next((found for each in value.items.values() if (found := first_hole(each))), None)
    return None


def need_known(value: Value) -> Value:
    """Raises Waits for what is a hole as a whole."""
    if isinstance(value, Hole):
        raise Waits(value)
    return value


def words(value: Value) -> str:
    """What it is, in a reader's words."""
    if isinstance(value, Str):
        return "a string"
    if isinstance(value, Scalar):
        return {bool: "a boolean", type(None): "null"}.get(type(value.value), "a number")
    return f"{'an' if value.kind == 'object' else 'a'} {value.kind}" if not isinstance(value, Hole) else "unknown"


def string(value: Value) -> Str:
    """The value as text, as Terraform converts it. A hole becomes a text with a hole in it."""
    if isinstance(value, Str):
        return value
    if isinstance(value, Hole):
        return Str((value,), value.spot, value.secret)
    if isinstance(value, Scalar) and value.value is not None:
        plain = value.value
        told = ("true" if plain else "false") if isinstance(plain, bool) else number_text(plain)
        return text_of(told, value.spot)
    raise Refusal(f"{words(value)} is no string")


def text(value: Value) -> str:
    """All of a string. Raises Waits where a part of it is not known."""
    made = string(value)
    if made.known is None:
        hole = made.hole
        assert hole is not None
        raise Waits(hole)
    return made.known


def num(value: Value) -> Number:
    """The value as a number. A text may be one."""
    value = need_known(value)
    if isinstance(value, Scalar) and not isinstance(value.value, bool) and value.value is not None:
        return value.value
    if isinstance(value, Str):
        from nodeworthy.hcl.arithmetic import NoNumber, number

        try:
            return number(text(value))
        except NoNumber as problem:
            raise Refusal(str(problem)) from None
    raise Refusal(f"{words(value)} is no number")


def whole_num(value: Value) -> int:
    found = num(value)
    if not isinstance(found, int):
        raise Refusal("this must be a whole number")
    return found


def boolean(value: Value) -> bool:
    value = need_known(value)
    if isinstance(value, Scalar) and isinstance(value.value, bool):
        return value.value
    if isinstance(value, Str) and (told := text(value)) in ("true", "false"):
        return told == "true"
    raise Refusal(f"{words(value)} is no boolean")


def elements(value: Value) -> Sequence[Value]:
    """What a list, a tuple or a set holds; of an object, its values."""
    value = need_known(value)
    if isinstance(value, Seq):
        return value.items
    if isinstance(value, Obj):
        if value.rest is not None:
            raise Waits(value.rest)
        return [each for _, each in value.sorted()]
    raise Refusal(f"{words(value)} is no list")


def need_list(value: Value) -> Sequence[Value]:
    value = need_known(value)
    if not isinstance(value, Seq):
        raise Refusal(f"{words(value)} is no list")
    return value.items


def need_mapping(value: Value) -> Obj:
    value = need_known(value)
    if not isinstance(value, Obj):
        raise Refusal(f"{words(value)} is no map")
    return value


def plain(value: Value) -> object:
    """The value as Python has it. Raises Waits where anything in it is not known."""
    if isinstance(value, Str):
        return text(value)
    if isinstance(value, Scalar):
        return value.value
    if isinstance(value, Seq):
        return [plain(each) for each in value.items]
    if isinstance(value, Obj):
        if value.rest is not None:
            raise Waits(value.rest)
        return {name: plain(each) for name, each in value.sorted()}
    raise Waits(value)


def join_pieces(pieces: Iterable[Piece], spot: Spot, secret: bool = False) -> Str:
    return Str(tuple([each for each in pieces if isinstance(each, Hole) or each.text]), spot, secret)


# Sets


def as_set(items: Iterable[Value], spot: Spot) -> Seq:
    """Each once, in Terraform's order where there is one: texts by their bytes, numbers by their size."""
    found: dict[object, Value] = {}
    for each in items:
        found.setdefault(hash_key(each), each)
    return Seq("set", sorted(found.values(), key=_rank), spot)


def hash_key(value: Value) -> object:
    """Equal for what is equal, and never of one kind with another."""
    if isinstance(value, Str):
        return ("text", text(value))
    if isinstance(value, Scalar):
        return (type(value.value) is bool, value.value)
    if isinstance(value, Seq):
        return (value.kind == "set", tuple([hash_key(each) for each in value.items]))
    if isinstance(value, Obj) and value.rest is None:
        return tuple([(name, hash_key(each)) for name, each in value.sorted()])
    if isinstance(value, Hole) and is_an_id(value):
        return ("id", value.shown)
    raise Waits(value if isinstance(value, Hole) else first_hole(value) or Hole("", value.spot))


def _rank(value: Value) -> tuple[int, object]:
    if isinstance(value, Str):
        return (2, text(value).encode("utf-8", "surrogatepass"))
    if isinstance(value, Scalar) and value.value is not None:
        return (0, value.value)
    return (3, b"")


def as_lines(said: Value) -> Iterator[Piece]:
    """What a list of commands, or a single text, is as a script: each is a line, or several."""
    lines: Sequence[Value] = said.items if isinstance(said, Seq) else [said]
    for each in lines:
        if isinstance(each, Str):
            yield from each.pieces
        else:
            yield each if isinstance(each, Hole) else Hole("it is no text", each.spot)
        yield Lit("\n", each.spot)


def hide_sensitive(value: Value) -> Value:
    """The value of a sensitive variable: every text in it is secret."""
    if isinstance(value, Str):
        return Str(value.pieces, value.spot, True)
    if isinstance(value, Seq):
        return Seq(value.kind, [hide_sensitive(each) for each in value.items], value.spot)
    if isinstance(value, Obj):
        items = {name: hide_sensitive(each) for name, each in value.items.items()}
        return Obj(value.kind, items, value.spot, value.keys, value.rest, value.others)
    return Hole(value.why, value.spot, value.shown, value.of, True) if isinstance(value, Hole) else value
