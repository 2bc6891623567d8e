"""The values of one planned resource: what the plan knows, and for the rest what the source beside it knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nodeworthy.hcl.arithmetic import NoNumber, number, number_text
from nodeworthy.hcl.planned import AddressedFile, PlannedFile, without_keys
from nodeworthy.hcl.planned_references import references_of, split_module
from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.values import BLOCK, Hole, Lit, Obj, Scalar, Seq, Str, Value, hash_key
from nodeworthy.hcl.values import Waits as ValueWaits

if TYPE_CHECKING:
    from nodeworthy.hcl.planned import Planned, TerraformPlan

_LATER = "it is known only after it is applied"
_DEEPEST = 60
_KNOWN_TO_PLANS = ("path.", "each.", "count.", "terraform.")
# Provider 5 keeps no more of the user data of a machine than its SHA-1.
_HASHED = ("aws_instance", "user_data")
_HEX = frozenset("0123456789abcdef")
# Arguments that are lists, of which an unknown one stands for as many as it refers to.
_LISTS = frozenset({"security_groups", "vpc_zone_identifier"})


class Building:
    def __init__(self, plan: TerraformPlan, of: Planned) -> None:
        self._plan = plan
        self._of = of
        self._spot = Spot(of.block.file, 0)
        self._set = plan.configuration.expressions(without_keys(of.address))
        self._path = split_module(without_keys(of.address))[0]

    def values(self) -> Obj:
        change = self._of.said.get("change")
        change = change if isinstance(change, dict) else {}
        after, later = change.get("after"), change.get("after_unknown")
        made = self._block(
            after if isinstance(after, dict) else {},
            later if isinstance(later, dict) else {},
            change.get("after_sensitive"),
            self._set,
            0,
        )
        self._unhash(made)
        source = self._of.source
        if source is None:
            return made
        laid = self._laid(made, source.values)
        return laid if isinstance(laid, Obj) else made

    # What the plan says

    def _block(self, after: Mapping[str, Any], later: Mapping[str, Any], secret: Any, said: Any, depth: int) -> Obj:
        """An argument that nobody set, and of which the plan knows nothing, is not there."""
        items: dict[str, Value] = {}
        for name in dict.fromkeys([*after, *later]):
            inner = said.get(name) if isinstance(said, dict) else None
            is_set = inner is not None or not isinstance(said, dict)
            value, unknown = after.get(name), later.get(name)
            if unknown is True:
                if is_set:
                    items[name] = self._unknown(name, inner, _child(secret, name))
            elif value not in (None, []) or unknown not in (None, False, [], {}):
                items[name] = self._value(value, unknown, _child(secret, name), inner, depth + 1)
        return Obj(BLOCK, items, self._spot, {})

    def _value(self, value: Any, later: Any, secret: Any, said: Any, depth: int, *, is_plain: bool = False) -> Value:
        if depth > _DEEPEST:
            return Hole("it is nested deeper than is read", self._spot)
        if later is True:
            return self._hole(references_of(said), secret is True)
        if isinstance(value, list) or isinstance(later, list):
            listed = later if isinstance(later, list) else []
            of = value if isinstance(value, list) else []
            return (
                self._plain_list(of, listed, secret, said, depth)
                if is_plain
                else self._list(of, listed, secret, said, depth)
            )
        if isinstance(value, dict) or isinstance(later, dict):
            inside = later if isinstance(later, dict) else {}
            return self._map(value if isinstance(value, dict) else {}, inside, secret, said, depth)
        return self._scalar(value, is_secret=secret is True)

    def _list(self, values: Sequence[Any], later: Sequence[Any], secret: Any, said: Any, depth: int) -> Value:
        made: list[Value] = []
        spread = self._each_of(said) if later and all(each is True for each in later) else []
        for index, (value, unknown) in enumerate(_pairs(values, later)):
            one, inner = _element(secret, index), _element(said, index)
            if unknown is not True and (isinstance(value, dict) or isinstance(unknown, dict)):
                inside = unknown if isinstance(unknown, dict) else {}
                is_block = isinstance(inner, dict) and "references" not in inner and "constant_value" not in inner
                made.append(self._block(value or {}, inside, one, inner if is_block else None, depth + 1))
            elif unknown is True and len(spread) == len(later):
                made.append(spread[index])
            else:
                made.append(self._value(value, unknown, one, inner or said, depth + 1))
        return Seq("list", made, self._spot)

    def _plain_list(self, values: Sequence[Any], later: Sequence[Any], secret: Any, said: Any, depth: int) -> Value:
        made = [
            self._value(value, unknown, _element(secret, index), said, depth + 1, is_plain=True)
            for index, (value, unknown) in enumerate(_pairs(values, later))
        ]
        return Seq("list", made, self._spot)

    def _map(self, values: Mapping[str, Any], later: Mapping[str, Any], secret: Any, said: Any, depth: int) -> Value:
        """Labels, tags, a whole manifest: nobody but its author knows its names."""
        items = {
            name: self._value(values.get(name), later.get(name), _child(secret, name), said, depth + 1, is_plain=True)
            for name in dict.fromkeys([*values, *later])
        }
        return Obj("map", items, self._spot, {})

    def _scalar(self, value: Any, *, is_secret: bool) -> Value:
        if isinstance(value, str):
            return Str((Lit(value, self._spot),), self._spot, is_secret)
        if isinstance(value, bool) or value is None:
            return Scalar(value, self._spot)
        try:
            found = number(repr(value)) if isinstance(value, float) else int(value)
        except NoNumber:
            return Hole("a number that is not read here", self._spot)
        if is_secret:
            return Str((Lit(number_text(found), self._spot),), self._spot, True)
        return Scalar(found, self._spot)

    # What it does not

    def _unknown(self, name: str, said: Any, secret: Any) -> Value:
        if name.endswith("_ids") or name in _LISTS:
            each = self._each_of(said)
            if each:
                return Seq("list", each, self._spot)
        return self._hole(references_of(said), secret is True)

    def _hole(self, references: Sequence[str], is_secret: bool) -> Hole:
        shown = self._waits_for(references)
        why = f"{_LATER}: {shown}" if shown else _LATER
        found = self._referred(references)
        return Hole(why, self._spot, shown, found[0] if len(found) == 1 else "", is_secret)

    def _waits_for(self, references: Sequence[str]) -> str:
        """The first that leads to a resource: of the others the plan knows what they are."""
        named = [each for each in references if not each.startswith(_KNOWN_TO_PLANS)]
        return next((each for each in named if self._referred([each])), named[0] if named else "")

    def _each_of(self, said: Any) -> list[Value]:
        """A hole for each resource to which an unknown list refers."""
        found = self._referred(references_of(said))
        return [Hole(f"{_LATER}: {each}", self._spot, each, each) for each in found]

    def _referred(self, references: Sequence[str]) -> Sequence[str]:
        found: dict[str, None] = {}
        for each in self._plan.configuration.resources(self._path, references):
            for one in self._instances(each):
                found[one] = None
        return list(found)

    def _instances(self, address: str) -> Sequence[str]:
        """The instances of a block; of several, the one within the same instance of the module, with the same key."""
        block = without_keys(address)
        candidates = [each.address for each in self._plan.by_block.get(block, ())]
        if len(candidates) > 1:
            candidates = [each for each in candidates if each.startswith(self._of.prefix)] or candidates
        if len(candidates) > 1 and address != block:
            key = address[address.index("[") :]
            candidates = [each for each in candidates if each.endswith(key)] or candidates
        elif len(candidates) > 1 and self._of.address.endswith("]"):
            key = self._of.address[self._of.address.rindex("[") :]
            candidates = [each for each in candidates if each.endswith(key)] or candidates
        return candidates

    def _unhash(self, made: Obj) -> None:
        kind, name = _HASHED
        said = made.items.get(name)
        told = said.known if isinstance(said, Str) else None
        if self._of.type != kind or told is None or len(told) != 40 or not _HEX.issuperset(told):
            return
        assert isinstance(made.items, dict)
        literal = _child(_child(self._set, name), "constant_value")
        if isinstance(literal, str):
            made.items[name] = Str((Lit(literal, self._spot),), self._spot)
        else:
            made.items[name] = Hole("of the user data of a machine the plan keeps no more than a digest", self._spot)

    # What the source says

    def _laid(self, planned: Value, source: Value) -> Value:
        """The plan's value, at the place of the literal where the source says the same; the source's where the plan has
        none."""
        if isinstance(planned, Hole):
            return self._hole_laid(planned, source)
        if isinstance(planned, Obj) and isinstance(source, Obj):
            return self._object_laid(planned, source)
        if isinstance(planned, Seq) and isinstance(source, Seq) and len(planned.items) == len(source.items):
            each = [self._laid(one, other) for one, other in zip(planned.items, source.items, strict=True)]
            return Seq(planned.kind, each, self._at(source.spot))
        if isinstance(planned, (Str, Scalar)) and isinstance(source, (Str, Scalar)) and _same(planned, source):
            secret = isinstance(planned, Str) and planned.secret
            return self._moved(source, secret)
        return planned

    def _hole_laid(self, planned: Hole, source: Value) -> Value:
        if isinstance(source, Hole):
            return Hole(planned.why, self._at(source.spot), source.shown or planned.shown, planned.of, planned.secret)
        return self._moved(source, planned.secret)

    def _object_laid(self, planned: Obj, source: Obj) -> Obj:
        items = {
            name: self._laid(each, source.items[name]) if name in source.items else each
            for name, each in planned.items.items()
        }
        keys = {name: self._at(spot) for name, spot in source.keys.items() if name in items}
        return Obj(planned.kind, items, self._at(source.spot), keys, planned.rest)

    def _moved(self, value: Value, secret: bool) -> Value:
        """The source's value, as that of this address."""
        spot = self._at(value.spot)
        if isinstance(value, Hole):
            return Hole(value.why, spot, value.shown, value.of, value.secret or secret)
        if isinstance(value, Str):
            pieces = [
                Lit(each.text, self._at(each.spot), each.straight) if isinstance(each, Lit) else self._piece(each)
                for each in value.pieces
            ]
            made = Str(pieces, spot, value.secret or secret)
            if value.packs is not None:
                inner = self._moved(value.packs[1], secret)
                assert isinstance(inner, Str)
                made.packs = (value.packs[0], inner)
            return made
        if isinstance(value, Scalar):
            return Scalar(value.value, spot)
        if isinstance(value, Seq):
            return Seq(value.kind, [self._moved(each, secret) for each in value.items], spot)
        items = {name: self._moved(each, secret) for name, each in value.items.items()}
        return Obj(value.kind, items, spot, {name: self._at(each) for name, each in value.keys.items()}, value.rest)

    def _piece(self, hole: Hole) -> Hole:
        return Hole(hole.why, self._at(hole.spot), hole.shown, hole.of, hole.secret)

    def _at(self, spot: Spot) -> Spot:
        if isinstance(spot.file, (AddressedFile, PlannedFile)):
            return spot
        return Spot(self._of.addressed(spot.file), spot.at)


def _pairs(values: Sequence[Any], later: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """What is unknown in a list stands beside it, and may be the longer one."""
    for index in range(max(len(values), len(later))):
        yield (
            values[index] if index < len(values) else None,
            later[index] if index < len(later) else None,
        )


def _same(one: Str | Scalar, other: Str | Scalar) -> bool:
    try:
        return hash_key(one) == hash_key(other) or _text(one) == _text(other)
    except ValueWaits:
        return False


def _text(value: Str | Scalar) -> str:
    if isinstance(value, Str):
        return value.known or "\0"
    plain = value.value
    return str(plain).lower() if isinstance(plain, bool) or plain is None else number_text(plain)


def _child(said: Any, name: str) -> Any:
    """The mark of a part; where the whole is marked, each part is."""
    return said.get(name) if isinstance(said, dict) else said if said is True else None


def _element(said: Any, index: int) -> Any:
    if isinstance(said, list):
        return said[index] if index < len(said) else None
    return said if said is True else None
