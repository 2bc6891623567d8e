"""What objects of a cluster name that is not there, and who waits for it."""

from __future__ import annotations

import difflib
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.documents.plain import at, mapping_at, mappings_at, strings_at, text_at
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.known.references import Reference, named_kinds, references
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

# An object by its kind, namespace and name.
Id = tuple[str, str, str]
# How deep an object is looked into for GPUs.
_DEEPEST = 14
# Words by which an object that asks for no resources is about GPUs all the same: a metric, a chart, an image.
OF_GPUS = pattern(r"(?i:nvidia|dcgm_fi_|\bgpu|\bvllm)")
_OVER = ("Running", "Succeeded", "Failed")
_NETWORKS = "networks"


@dataclass(frozen=True, slots=True)
class Named:
    """What one object names."""

    by: Reference
    # The kinds that it may be of.
    kinds: tuple[str, ...]
    namespace: str
    # Empty where it names none, and gets the default one.
    name: str
    # What the named one has to say as well, where there is anything.
    says: str = ""


@dataclass(frozen=True)
class Dangling:
    """A reference to what is not there."""

    namer: Id
    named: Named
    # What is there of that kind, the likeliest first; and where else there is one of this name.
    others: tuple[str, ...]
    elsewhere: tuple[str, ...]
    # Who waits for the one that names.
    victims: tuple[str, ...]
    # It is there, and says this where both have to say alike.
    otherwise: str | None = None

    @property
    def place(self) -> Place:
        return Place(object=object_of(self.namer))


@dataclass(frozen=True)
class NamedObjects:
    dangling: tuple[Dangling, ...]
    # How many names were looked for.
    looked_for: int = 0

    @property
    def victims(self) -> frozenset[str]:
        """All of whom is told here why they wait."""
        return frozenset(name for each in self.dangling for name in (object_of(each.namer), *each.victims))


@dataclass
class References:
    """The names of objects, and what they name; no more of them: a large cluster has many."""

    # By kind, by namespace and name: the values by which it is named.
    there: dict[str, dict[tuple[str, str], frozenset[str]]] = field(default_factory=dict)
    naming: dict[Id, tuple[Named, ...]] = field(default_factory=dict)
    # What those say of whom something is asked beside their name.
    saying: dict[tuple[Id, tuple[str, ...]], str] = field(default_factory=dict)
    of_gpus: set[Id] = field(default_factory=set)

    def add(self, kind: str, key: tuple[str, str], data: Mapping[str, Any]) -> None:
        if kind in named_kinds():
            self.there.setdefault(kind, {})[key] = frozenset(_values_of(kind, key[1], data))
            for row in named_kinds()[kind]:
                if row.agree:
                    self.saying[(kind, *key), row.agree] = text_at(data, *row.agree)
        rows = references().get(kind, ())
        if not rows or (kind == "Pod" and text_at(data, "status", "phase") in _OVER):
            return
        one: Id = (kind, *key)
        names = tuple(each for row in rows if not _is_well(row, data) for each in _names_in(row, key[0], data))
        self.naming.pop(one, None)
        self.of_gpus.discard(one)
        if not names:
            return
        self.naming[one] = names
        if any(each.by.is_ours for each in names) or is_about_gpus(data, by_words=any(row.by_words for row in rows)):
            self.of_gpus.add(one)

    def add_all(self, other: References) -> None:
        for kind, objects in other.there.items():
            self.there.setdefault(kind, {}).update(objects)
        self.naming |= other.naming
        self.saying |= other.saying
        self.of_gpus |= other.of_gpus


def named_objects(found: References, is_whole: Callable[[str, str], bool]) -> NamedObjects:
    """What work with GPUs names, or waits for that names it. `is_whole` says of a kind whether all of it that a
    namespace has was read."""
    namers, dangling, looked_for = _namers(found), [], 0
    for namer, names in found.naming.items():
        known = [each for each in names if all(is_whole(kind, each.namespace) for kind in each.kinds)]
        waiting = _waiting_for(namer, namers) if known else ()
        if not known or found.of_gpus.isdisjoint((namer, *waiting)):
            continue
        looked_for += len(known)
        victims = tuple(sorted(map(object_of, waiting)))
        missing = (each for each in known if not _resolves(each, found))
        dangling += [Dangling(namer, each, *_others(each, found), victims) for each in missing]
        dangling += [
            Dangling(namer, each, (), (), victims, said)
            for each in known
            if (said := _said_otherwise(each, found)) is not None
        ]
    return NamedObjects(tuple(dangling), looked_for)


def object_of(one: Id) -> str:
    return "/".join(filter(None, (kind_of(one[0]), *one[1:])))


def kind_of(known_as: str) -> str:
    """The kind without the group that tells it from others of the name."""
    return known_as.partition(".")[0]


def _resolves(named: Named, found: References) -> bool:
    wanted = named.name or named.by.or_default
    for kind in named.kinds:
        for (namespace, _), values in found.there.get(kind, {}).items():
            if wanted in values and namespace in ("", named.namespace):
                return True
    return False


def _said_otherwise(named: Named, found: References) -> str | None:
    """What the named one says where it has to say the same; None where it does, or is not there."""
    one = (named.kinds[0], "", named.name)
    said = found.saying.get((one, named.by.agree)) if named.by.agree else None
    return said if said != named.says else None


def _others(named: Named, found: References) -> tuple[tuple[str, ...], tuple[str, ...]]:
    there = [key for kind in named.kinds[:1] for key in found.there.get(kind, {})]
    near = sorted({name for namespace, name in there if namespace in ("", named.namespace)})
    likely = difflib.get_close_matches(named.name, near, 1, 0.5) if named.name else []
    elsewhere = sorted(namespace for namespace, name in there if name == named.name)
    return tuple(dict.fromkeys((*likely, *near))), tuple(elsewhere)


def _namers(found: References) -> Mapping[Id, Sequence[Id]]:
    namers: dict[Id, list[Id]] = defaultdict(list)
    for namer, names in found.naming.items():
        for each in names:
            for kind in each.kinds:
                for namespace in {each.namespace, ""}:
                    namers[kind, namespace, each.name].append(namer)
    return namers


def _waiting_for(named: Id, namers: Mapping[Id, Sequence[Id]]) -> Collection[Id]:
    """Who names it, and who names those."""
    waiting: dict[Id, None] = {}
    left = [named]
    while left:
        for each in namers.get(left.pop(), ()):
            if each not in waiting and each != named:
                waiting[each] = None
                left.append(each)
    return waiting


def _values_of(kind: str, name: str, data: Mapping[str, Any]) -> Iterator[str]:
    for row in named_kinds()[kind]:
        yield text_at(data, *row.by[kind].split(".")) if kind in row.by else name
        if row.or_default and strings_at(data, "metadata", "annotations").get(row.or_default) == "true":
            yield row.or_default


def _names_in(row: Reference, namespace: str, data: Mapping[str, Any]) -> Iterator[Named]:
    if row.unless and at(data, *row.unless.split(".")) not in (None, "", False):
        return
    if any(_text_on(data, way) not in some for way, some in row.only.items()):
        return
    if row.within:
        namespace = text_at(data, *row.within)
        if not namespace:
            return
    found = [each for each in values_at(data, row.at) if row.group in ("", text_at(each, "group"))]
    if row.form == _NETWORKS:
        found = [network for each in found for network in networks(each)]
    if not found and row.or_default:
        yield Named(row, row.names, namespace, "")
    for each in found:
        name = each if isinstance(each, str) else text_at(each, "name")
        kind = text_at(each, "kind")
        kinds = tuple(one for one in row.names if one == kind) if kind else row.names
        if not isinstance(each, str) and len(kinds) > 1:
            kinds = kinds[:1]
        if name and kinds:
            says = text_at(data, *row.agree) if row.agree else ""
            yield Named(row, kinds, text_at(each, "namespace") or namespace, name, says)


def values_at(data: Any, names: Sequence[str]) -> Iterator[Any]:
    if not names:
        if isinstance(data, str | dict):
            yield data
        return
    name, rest = names[0], names[1:]
    if name.endswith("[]"):
        listed = at(data, name[:-2])
        for each in listed if isinstance(listed, list) else ():
            yield from values_at(each, rest)
    else:
        yield from values_at(at(data, name), rest)


def _text_on(data: Mapping[str, Any], way: str) -> str:
    return text_at(data, *way.split("."))


def networks(said: Any) -> Iterator[Mapping[str, str]]:
    """The networks of Multus' annotation: NAMESPACE/NAME@INTERFACE with commas between them, or a list in JSON."""
    if not isinstance(said, str):
        return
    if said.lstrip().startswith("["):
        try:
            listed = json.loads(said)
        except ValueError:
            return
        yield from (each for each in listed if isinstance(each, dict))
        return
    for each in said.split(","):
        namespace, _, name = each.strip().partition("@")[0].rpartition("/")
        yield {"name": name, "namespace": namespace}


def _is_well(row: Reference, data: Mapping[str, Any]) -> bool:
    phase = f"phase={text_at(data, 'status', 'phase')}"
    told = {text_at(each, "type") for each in mappings_at(data, "status", "conditions") if each.get("status") == "True"}
    return phase in row.well or not told.isdisjoint(row.well)


def is_about_gpus(data: Mapping[str, Any], *, by_words: bool = True) -> bool:
    """Whether it asks for GPUs; or, `by_words`, says no more than a word of them."""
    of_it = [data.get("spec")]
    if by_words:
        of_it += [data.get("apiVersion"), text_at(data, "metadata", "name"), mapping_at(data, "metadata", "labels")]
    return any(_asks_for_gpus(each, by_words, 0) for each in of_it)


def _asks_for_gpus(said: Any, by_words: bool, depth: int) -> bool:
    if depth > _DEEPEST:
        return False
    if isinstance(said, dict):
        names = (name for name in said if isinstance(name, str))
        return any(map(is_gpu_resource, names)) or any(_asks_for_gpus(v, by_words, depth + 1) for v in said.values())
    if isinstance(said, list):
        return any(_asks_for_gpus(each, by_words, depth + 1) for each in said)
    return by_words and isinstance(said, str) and OF_GPUS.search(said) is not None
