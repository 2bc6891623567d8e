"""The boot scripts of a plan: user data of launch templates and instances, and the pool that each is for."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from nodeworthy.boot.origin import Folded
from nodeworthy.boot.unpack import unpack
from nodeworthy.boot.userdata import Fault, FaultKind, UserData
from nodeworthy.collect.plan.plan import Resource
from nodeworthy.collect.plan.planted import Planter
from nodeworthy.collect.plan.standins import StandIns
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.cluster_join import joins_of
from nodeworthy.facts.boot.pools import POOL_LABEL, in_fleet, named_pool
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, NotKnown, Place, Unknown

MANAGED = "aws:eks/nodeGroup:NodeGroup"
_GROUPS = ("aws:autoscaling/group:Group", MANAGED)
_SaidBy = Callable[[Resource, Planter], str | None]
_TEMPLATES = ("launchTemplate", "mixedInstancesPolicy", "launchConfiguration")


@dataclass(frozen=True)
class PoolNames:
    """Of which pool a resource is: by its tags, the labels of its nodes, its instance type, or those of its group."""

    resources: Sequence[Resource]

    def tagged(self, resource: Resource, planter: Planter) -> str | None:
        return _tagged(resource, planter) or self._tags_of_groups.get(resource.urn)

    def instance_type(self, resource: Resource, planter: Planter) -> str | None:
        return _only_type(resource, planter) or self._types_of_groups.get(resource.urn)

    @cached_property
    def _tags_of_groups(self) -> Mapping[str, str]:
        """By launch template, the pool that the group which starts its nodes is tagged with."""
        return dict(self._by_template(_tagged))

    @cached_property
    def _types_of_groups(self) -> Mapping[str, str]:
        return dict(self._by_template(_only_type))

    def templates_of(self, kind: str) -> frozenset[str]:
        """The launch templates from which groups of this kind start nodes."""
        return frozenset(urn for group in self.resources if group.type == kind for urn in _started_from(group))

    def _by_template(self, said_by: _SaidBy) -> Iterable[tuple[str, str]]:
        for group in (each for each in self.resources if each.type in _GROUPS):
            said = said_by(group, Planter(group.place))
            if said is not None:
                yield from ((urn, said) for urn in _started_from(group))


def _started_from(group: Resource) -> Iterable[str]:
    return (urn for name in _TEMPLATES for urn in group.property_dependencies.get(name, ()))


def _tagged(resource: Resource, planter: Planter) -> str | None:
    """The pool that tags name, a mapping or the list that auto scaling groups take, or that the labels do which EKS
    gives the nodes of its groups."""
    tags = _input(resource, planter, "tags")
    named = [each.get("value") for each in tags.sequence if each.get("key").text == POOL_LABEL]
    named += [tags.get(POOL_LABEL)] if tags.is_mapping else []
    named += [each.get("tags", POOL_LABEL) for each in _input(resource, planter, "tagSpecifications").sequence]
    if resource.type in _GROUPS:
        named.append(_input(resource, planter, "labels").get(POOL_LABEL))
    return next((each.text for each in named if each.text is not None), None)


def _only_type(resource: Resource, planter: Planter) -> str | None:
    own = _input(resource, planter, "instanceType").text
    every = {each.text for each in _input(resource, planter, "instanceTypes").sequence}
    return own or (every.pop() if len(every) == 1 else None)


def _input(resource: Resource, planter: Planter, name: str) -> Tree:
    return planter.tree(resource.inputs.get(name), name)


# The inputs that hold user data, and whether they hold it in base64.
_INPUTS: dict[str, dict[str, bool]] = {
    "aws:ec2/launchTemplate:LaunchTemplate": {"userData": True},
    "aws:ec2/launchConfiguration:LaunchConfiguration": {"userData": False, "userDataBase64": True},
    "aws:ec2/instance:Instance": {"userData": False, "userDataBase64": True},
    "aws:ec2/spotInstanceRequest:SpotInstanceRequest": {"userData": False, "userDataBase64": True},
}
CALLED = "the user data"
# EKS User Guide, "Customize managed nodes with launch templates".
OWN_IMAGE = "its launch template names the image, and to one of these EKS adds nothing"


@dataclass(frozen=True)
class BootScripts:
    resources: tuple[Resource, ...]
    fleet: Fleet | None
    no_fleet: str
    made: StandIns | None = None

    def facts(self, resource: Resource, planter: Planter) -> Sequence[BootScript]:
        if resource.urn not in self._found:
            self._found[resource.urn] = list(self._scripts(resource, planter))
        return self._found[resource.urn]

    @cached_property
    def _found(self) -> dict[str, Sequence[BootScript]]:
        return {}

    def _scripts(self, resource: Resource, planter: Planter) -> Iterator[BootScript]:
        for name, encoded in _INPUTS.get(resource.type, {}).items():
            if name in resource.inputs and resource.inputs[name] is not None:
                yield self._placed(self._script(planter.tree(resource.inputs[name], name), encoded), resource, planter)

    def _script(self, tree: Tree, encoded: bool) -> BootScript:
        if isinstance(tree.value, Unknown) or tree.text is None:
            why = tree.value.why if isinstance(tree.value, Unknown) else f"it is {tree.kind()}"
            return BootScript(tree.place, None, f"the user data is not known: {why}", holds_secret=tree.secret)
        stands_for = self.made.origin if self.made is not None else None
        script = BootScript(tree.place, _read(tree.text, tree.place, encoded), holds_secret=tree.secret)
        return replace(script, stands_for=stands_for) if stands_for is not None else script

    def joins(self, urn: str) -> frozenset[str] | None:
        """The ways in which what this resource boots with joins a cluster; None where that can't be told."""
        resource = self._by_urn.get(urn)
        scripts = self.facts(resource, Planter(resource.place, self.made)) if resource is not None else ()
        try:
            ways = [joins_of(each) for each in scripts]
        except NotKnown:
            return None
        known = [each for each in ways if each is not None]
        return frozenset().union(*known) if known and len(known) == len(ways) else None

    def pool_of(self, urns: Sequence[str]) -> Pool | str:
        """The pool of what starts nodes, by these resources (its launch template before its group), or why of none."""
        told = "nothing says which pool it is for"
        for resource in (each for each in map(self._by_urn.get, urns) if each is not None):
            planter = Planter(resource.place, self.made)
            scripts = self.facts(resource, planter)
            if scripts and scripts[0].pools:
                return scripts[0].pools[0].pool
            pool = scripts[0].no_pool if scripts else self._pool(resource, planter, BootScript(resource.place, None))
            if not isinstance(pool, str):
                return pool
            told = pool
        return told

    @cached_property
    def _by_urn(self) -> dict[str, Resource]:
        return {each.urn: each for each in self.resources}

    def _placed(self, script: BootScript, resource: Resource, planter: Planter) -> BootScript:
        if resource.inputs.get("imageId") and resource.urn in self._names.templates_of(MANAGED):
            script = replace(script, on_its_own=OWN_IMAGE)
        if self.fleet is None:
            return in_fleet(script, None, self.no_fleet)
        pool = self._pool(resource, planter, script)
        if isinstance(pool, str):
            return replace(script, no_pool=pool)
        return replace(script, pools=(BootPool(pool, self.fleet),))

    def _pool(self, resource: Resource, planter: Planter, script: BootScript) -> Pool | str:
        """The pool that the tags or the node's own label name, else the only pool of its instance type."""
        assert self.fleet is not None
        tagged = self._names.tagged(resource, planter)
        named = tagged or (named_pool(script.timeline) if script.read is not None else None)
        if named is not None:
            found = next((pool for pool in self.fleet.pools if pool.name == named), None)
            says = "its tags name" if tagged else "its node label names"
            return found or f"{says} the pool '{named}', which the fleet does not have"
        kind = self._names.instance_type(resource, planter)
        fitting = [pool for pool in self.fleet.pools if kind is not None and _type_of(pool) == kind]
        if len(fitting) == 1:
            return fitting[0]
        return f"nothing says which pool it is for: no tag {POOL_LABEL}, and {_how_many(len(fitting), kind)}"

    @cached_property
    def _names(self) -> PoolNames:
        return PoolNames(self.resources)


def _type_of(pool: Pool) -> str | None:
    located = pool.instance_type
    return located.state.value if located is not None and isinstance(located.state, Known) else None


def _how_many(count: int, kind: str | None) -> str:
    if kind is None:
        return "its instance type is not known"
    return f"{'no pool is' if not count else f'{count} pools are'} of {kind}"


@lru_cache(maxsize=4096)
def _read(text: str, place: Place, encoded: bool) -> UserData:
    """The same script comes by again with every run of the program, and is read once."""
    origin = Folded(place, CALLED)
    if not encoded:
        return unpack(text.encode(), place, template=False, origin=origin)
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        fault = Fault(
            FaultKind.BAD_ENCODING,
            place,
            "the user data is no base64, which is what EC2 takes here",
            "encode it: base64.b64encode(script.encode()).decode()",
        )
        read = unpack(text.encode(), place, template=False, origin=origin)
        return replace(read, faults=(fault, *read.faults))
    return unpack(data, place, template=False, origin=origin, taken_off=("base64",))
