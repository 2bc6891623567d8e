"""The AWS resources of one stack, and how they refer to each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Located, Place, Unknown

# Properties by which AWS, or a program, may name a resource instead of by its id.
_NAMES = ("name", "groupName", "bucket")
_OUTPUTS = ("id", "arn", *_NAMES)


@dataclass(frozen=True, eq=False)
class AwsResource:
    """One resource, with its properties as the provider spells them. Its properties are read when they are asked for:
    most resources of a stack are of no kind that a rule looks into."""

    called: ClassVar[str] = "an AWS resource"

    type: str
    name: str
    urn: str
    place: Place
    plant: Callable[[], Tree]
    # By top-level property, the resources of whose outputs it was made.
    dependencies: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # What is known of it beside its inputs: its id and other outputs of one that exists already.
    outputs: Mapping[str, object] = field(default_factory=dict)
    # It exists already and is only read: nobody says here what it is.
    is_read: bool = False
    # It is told of as it runs: AWS has made it, and refuses nothing of it any more.
    is_made: bool = False
    # Its keys are another language's, told in the provider's words: which of them are needed, that language says.
    is_translated: bool = False
    # The properties that its program leaves as they are, whoever changed them.
    ignored: frozenset[str] = frozenset()

    @cached_property
    def inputs(self) -> Tree:
        return self.plant()

    @property
    def title(self) -> str:
        return f"{self.type.rsplit(':', 1)[-1]} '{self.name}'"

    def get(self, *path: str) -> Tree:
        return self.inputs.get(*path)

    @cached_property
    def known_as(self) -> frozenset[str]:
        """The texts by which another resource may name this one."""
        told = [self.outputs.get(name) for name in _OUTPUTS] + [self.get(name).text for name in _NAMES]
        return frozenset(each for each in told if isinstance(each, str) and each)


@dataclass(frozen=True)
class Links:
    """What a property refers to: the resources of this stack, and the values of which none could be told."""

    found: tuple[AwsResource, ...] = ()
    open: tuple[Located[str], ...] = ()

    @property
    def only(self) -> AwsResource | None:
        return self.found[0] if len(self.found) == 1 and not self.open else None


@dataclass(frozen=True)
class AskedImage:
    """What a program asked for when it was told the id of an image."""

    # An SSM parameter, or what the image is called.
    named: str
    owners: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class AwsStack:
    called: ClassVar[str] = "a stack of AWS resources"
    whole_stack: ClassVar[bool] = True

    place: Place
    resources: Sequence[AwsResource]
    # By id.
    images: Mapping[str, AskedImage] = field(default_factory=dict)

    @cached_property
    def by_type(self) -> Mapping[str, Sequence[AwsResource]]:
        found: dict[str, list[AwsResource]] = defaultdict(list)
        for each in self.resources:
            found[each.type].append(each)
        return found

    @cached_property
    def by_urn(self) -> Mapping[str, AwsResource]:
        return {each.urn: each for each in self.resources}

    def of(self, *types: str) -> Sequence[AwsResource]:
        return [each for name in types for each in self.by_type.get(name, ())]

    def links(self, holder: AwsResource, top: str, value: Tree, *types: str) -> Links:
        """The resources of these types that a value names, a text or a list of texts, somewhere in the property `top`
        of its holder."""
        if value.says_nothing:
            return Links()
        leaves = list(value.sequence) if value.is_sequence else [value]
        named = [self._named(leaf, types) for leaf in leaves]
        candidates = [each for each in self._candidates(holder, top, types) if each not in named]
        unsaid = [leaf for leaf in leaves if isinstance(leaf.value, Unknown) and not leaf.value.of]
        # As many outputs as there are values to come, or a list that is one value: it is these.
        matched = candidates if len(candidates) == len(unsaid) or (unsaid and not value.is_sequence) else []
        found, open_ = list(matched), []
        for leaf, target in zip(leaves, named, strict=True):
            if target is not None:
                found.append(target)
            elif not (matched and leaf in unsaid):
                open_.append(_open(leaf))
        return Links(tuple(dict.fromkeys(found)), tuple(open_))

    def _candidates(self, holder: AwsResource, top: str, types: Sequence[str]) -> list[AwsResource]:
        targets = (self.by_urn.get(urn) for urn in holder.dependencies.get(top, ()))
        return [each for each in targets if each is not None and each.type in types]

    def _named(self, leaf: Tree, types: Sequence[str]) -> AwsResource | None:
        if isinstance(leaf.value, Unknown):
            target = self.by_urn.get(leaf.value.of)
            return target if target is not None and target.type in types else None
        names = self._names(tuple(types))
        return names.get(leaf.text) if leaf.text else None

    def _names(self, types: tuple[str, ...]) -> Mapping[str, AwsResource]:
        if types not in self._by_name:
            self._by_name[types] = {name: each for each in self.of(*types) for name in each.known_as}
        return self._by_name[types]

    @cached_property
    def _by_name(self) -> dict[tuple[str, ...], Mapping[str, AwsResource]]:
        return {}

    def users(self, urn: str) -> Sequence[AwsResource]:
        """The resources of which some property was made of this one's outputs."""
        return self._users.get(urn, ())

    @cached_property
    def _users(self) -> Mapping[str, Sequence[AwsResource]]:
        found: dict[str, list[AwsResource]] = defaultdict(list)
        for each in self.resources:
            for urn in {urn for made_of in each.dependencies.values() for urn in made_of}:
                found[urn].append(each)
        return found

    def pointing_at(self, target: AwsResource, property_: str, types: Iterable[str]) -> list[AwsResource]:
        """The resources of these types whose property names this one: rules of a security group, say."""
        return list(self._pointing(tuple(types), property_).get(target.urn, ()))

    def _pointing(self, types: tuple[str, ...], property_: str) -> Mapping[str, list[AwsResource]]:
        key = (property_, *types)
        if key not in self._by_target:
            found: dict[str, list[AwsResource]] = defaultdict(list)
            targets = tuple(self.by_type)
            for each in self.of(*types):
                for target in self.links(each, property_, each.get(property_), *targets).found:
                    found[target.urn].append(each)
            self._by_target[key] = found
        return self._by_target[key]

    @cached_property
    def _by_target(self) -> dict[tuple[str, ...], Mapping[str, list[AwsResource]]]:
        return {}


def _open(leaf: Tree) -> Located[str]:
    if isinstance(leaf.value, Unknown):
        return Located(leaf.value, leaf.place)
    said = leaf.text or "an empty text"
    return Located.unknown(f"{said} is not of this stack", leaf.place)
