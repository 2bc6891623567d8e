"""A template of CloudFormation: its parameters, mappings and conditions, and the resources that they make.

What nobody knows before it is deployed is a hole with its reason. A parameter is what its default says, and nothing
else is known of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from nodeworthy.collect.source.cloudformation.functions import FUNCTIONS, Calling, holes_in
from nodeworthy.collect.source.cloudformation.nodes import (
    Function,
    Node,
    child,
    function_in,
    function_of,
    items,
    pairs,
    scalar,
    scalar_text,
    spot_of,
)
from nodeworthy.hcl.scope import Budget, MadeOnce, TooMuch
from nodeworthy.hcl.source import File, Spot
from nodeworthy.hcl.values import Hole, Lit, Obj, Refusal, Scalar, Seq, Str, Value, Waits
from nodeworthy.limits import HCL_MOST_ELEMENTS
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

NO_VALUE = "AWS::NoValue"
FOR_EACH = "Fn::ForEach::"
_OF_SSM = "AWS::SSM::Parameter::Value<"
# Of these types CloudFormation looks for what it is given, in the account that it deploys to.
_OF_AWS = "AWS::EC2::"
_DEEPEST = 60
# Macros of AWS' own that make resources of others than those that are judged here, or none.
_OWN_MACROS = frozenset({"AWS::Serverless-2016-10-31", "AWS::LanguageExtensions", "AWS::SecretsManager-2020-07-23"})
_OWN_MACROS |= {"AWS::SecretsManager-2024-09-16", "AWS::CodeDeployBlueGreen", "AWS::Include"}
_DEPLOYED = "it is known only when the stack is deployed"
_PSEUDO = {
    "AWS::Region": "the template does not say to which region it is deployed",
    "AWS::AccountId": "the template does not say to which account it is deployed",
    "AWS::StackName": "the template does not say what its stack is called",
    "AWS::StackId": _DEPLOYED,
    "AWS::NotificationARNs": "who deploys it says so",
    "AWS::Partition": "the template does not say to which partition of AWS it is deployed",
    "AWS::URLSuffix": "the template does not say to which partition of AWS it is deployed",
}
_BY_COMMA = pattern(r"\s*,\s*")


@dataclass(slots=True)
class Resource:
    name: str
    type: str
    node: Node
    # Where its name stands.
    spot: Spot
    # What stands for the words of a loop that makes it.
    names: Mapping[str, Value]


class DefaultFile(File):
    """The template, where the default of a parameter stands in it."""

    def __init__(self, file: File, parameter: str) -> None:
        super().__init__(file.shown, file.text)
        self._file = file
        self.parameter = parameter

    def place(self, at: int) -> Place:
        return self._file.place(at)


class Template:
    """One template. `given` is what a stack around it gives its parameters."""

    def __init__(self, file: File, root: Node, given: Mapping[str, Callable[[], Value]] | None = None) -> None:
        self.file = file
        self.root = root
        self.given = given or {}
        self.budget = Budget()
        self._parameters = pairs(child(root, "Parameters"))
        self._conditions = pairs(child(root, "Conditions"))
        self._values = MadeOnce()
        self._depth = 0

    # Resources

    @cached_property
    def resources(self) -> Mapping[str, Resource]:
        """The resources that are made, or may be: a condition that is not known may hold."""
        found: dict[str, Resource] = {}
        for each in self._listed(child(self.root, "Resources"), {}):
            condition = child(each.node, "Condition")
            if condition is not None and self.holds(condition) is False:
                continue
            found[each.name] = each
        return found

    def _listed(self, node: Node, names: Mapping[str, Value]) -> Iterator[Resource]:
        for name, (key, value) in pairs(node).items():
            self.budget.step(1)
            if name.startswith(FOR_EACH):
                for filled, inner in self._loop(value, names):
                    yield from self._listed(inner, filled)
                continue
            said = scalar_text(child(value, "Type"))
            if said is not None:
                told = _filled(name, names)
                if told is not None:
                    yield Resource(told, said, value, spot_of(key, self.file), names)

    def _loop(self, node: Node, names: Mapping[str, Value]) -> Iterator[tuple[Mapping[str, Value], Node]]:
        """`[name, collection, what it makes]`; nothing where the collection is not known."""
        said = items(node)
        if len(said) != 3 or (name := scalar_text(said[0])) is None:
            return
        over = self.value(said[1], names)
        for each in over.items if isinstance(over, Seq) else ():
            if isinstance(each, Str) and each.known is not None:
                self.budget.step(1)
                yield {**names, name: each}, said[2]

    @cached_property
    def macros(self) -> Sequence[tuple[str, Place]]:
        """The macros that are not AWS' own: they may make anything of what is written."""
        said = child(self.root, "Transform")
        each = items(said) if said is not None and scalar_text(said) is None else [said] if said is not None else []
        named = [(scalar_text(one) or scalar_text(child(one, "Name")) or "", one) for one in each]
        return [(name, spot_of(one, self.file).place) for name, one in named if name and name not in _OWN_MACROS]

    # Values

    def properties(self, resource: Resource) -> Value:
        said = child(resource.node, "Properties")
        if said is None:
            return Obj("object", {}, resource.spot, {})
        return self.value(said, resource.names)

    def value(self, node: Node, names: Mapping[str, Value] | None = None) -> Value:
        """What a node comes to; a hole for what can't be told, and for AWS::NoValue where nothing may be left out."""
        names = names or {}
        self.budget.step(1)
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                return Hole("it is nested deeper than is read", spot_of(node, self.file))
            return self._value(node, names)
        finally:
            self._depth -= 1

    def _value(self, node: Node, names: Mapping[str, Value]) -> Value:
        called = function_of(node)
        if called is not None:
            return self.call(called, node, names)
        mapping = pairs(node)
        if mapping or str(node.tag).endswith(":map"):
            return self._mapping(node, mapping, names)
        if str(node.tag).endswith(":seq"):
            made = [self.value(each, names) for each in items(node)]
            return Seq("tuple", [each for each in made if not is_no_value(each)], spot_of(node, self.file))
        return self._scalar(node)

    def _scalar(self, node: Node) -> Value:
        """An empty mapping behind a tag, or YAML's own sets, are no text."""
        if scalar_text(node) is None:
            return Hole("it is nothing that CloudFormation takes", spot_of(node, self.file))
        return scalar(node, self.file)

    def _mapping(self, node: Node, mapping: Mapping[str, tuple[Node, Node]], names: Mapping[str, Value]) -> Value:
        found: dict[str, Value] = {}
        keys: dict[str, Spot] = {}
        for name, (key, each) in mapping.items():
            if name.startswith(FOR_EACH) or name == "Fn::Transform":
                return Hole("a transform makes it", spot_of(key, self.file), name)
            value = self.value(each, names)
            if not is_no_value(value):
                found[name] = value
                keys[name] = spot_of(key, self.file)
        return Obj("object", found, spot_of(node, self.file), keys)

    def call(self, called: Function, node: Node, names: Mapping[str, Value]) -> Value:
        spot = spot_of(node, self.file)
        function = FUNCTIONS.get(called.name)
        if function is None:
            return Hole(f"{called.name} is no function that is read here", spot, called.name)
        try:
            return function(Calling(self, spot, names, called.is_tag), called.argument)
        except Waits as waits:
            return waits.hole
        except Refusal as refusal:
            return Hole(f"CloudFormation refuses it: {refusal}", spot, called.name)

    def untagged(self, node: Node, names: Mapping[str, Value]) -> Value:
        """The argument of a function that is written as a tag: the same node, without it."""
        mapping = pairs(node)
        if mapping:
            inner = function_in(mapping)
            return self.call(inner, node, names) if inner is not None else self._mapping(node, mapping, names)
        if items(node):
            return Seq("tuple", [self.value(each, names) for each in items(node)], spot_of(node, self.file))
        return self._scalar(node)

    # What Ref and Fn::GetAtt name

    def reference(self, name: str, spot: Spot, names: Mapping[str, Value]) -> Value:
        if name in names:
            return names[name]
        if name == NO_VALUE:
            return Hole(NO_VALUE, spot, NO_VALUE)
        if name in _PSEUDO:
            return Hole(_PSEUDO[name], spot, name)
        if name in self._parameters:
            return self._values.once(f"Ref {name}", lambda: self._parameter(name), spot)
        if name in self.resources:
            return Hole(f"{_DEPLOYED}: {name}", spot, name, name)
        return Hole(f"the template has no parameter and no resource {name}", spot, name)

    def attribute(self, name: str, attribute: str, spot: Spot) -> Value:
        shown = f"{name}.{attribute}"
        if name in self.resources:
            return Hole(f"{_DEPLOYED}: {shown}", spot, shown, name)
        return Hole(f"the template has no resource {name}", spot, shown)

    def parameter_type(self, name: str) -> str:
        found = self._parameters.get(name)
        return (scalar_text(child(found[1], "Type")) or "") if found is not None else ""

    @property
    def parameters(self) -> Mapping[str, tuple[Node, Node]]:
        return self._parameters

    def is_secret(self, name: str) -> bool:
        """Whether CloudFormation itself hides it."""
        found = self._parameters.get(name)
        return found is not None and (scalar_text(child(found[1], "NoEcho")) or "").lower() == "true"

    def _parameter(self, name: str) -> Value:
        key, node = self._parameters[name]
        spot, secret = spot_of(key, self.file), self.is_secret(name)
        if name in self.given:
            return self.given[name]()
        said = child(node, "Default")
        if said is None or secret:
            why = f"the parameter {name} has no default" if said is None else f"the parameter {name} is secret"
            return Hole(why, spot, name, of=self._names_what_there_is(name), secret=secret)
        if scalar_text(said) is None:  # a list, or what a tool of the user's fills in: {{ … }}
            return Hole(f"the default of the parameter {name} is no text", spot, name)
        kind = self.parameter_type(name)
        told = scalar(said, DefaultFile(self.file, name))
        if kind.startswith(_OF_SSM):
            # The name of the parameter stands under the same key in `images`.
            return Hole("it is looked up when the stack is deployed", told.spot, name, name)
        if kind.startswith("List<") or kind == "CommaDelimitedList":
            return _list_of(told)
        return told

    def _names_what_there_is(self, name: str) -> str:
        """CloudFormation takes a key pair, an image or a network that exists, and nothing empty in its place. A text
        has to be given as well, and is empty only where the template asks whether it is."""
        kind = self.parameter_type(name)
        return name if kind.startswith(_OF_AWS) or (kind == "String" and name not in self._asked_about) else ""

    @cached_property
    def _asked_about(self) -> frozenset[str]:
        """The parameters that its conditions name."""
        return frozenset(each for _, node in self._conditions.values() for each in _named_in(node))

    def looked_up(self, name: str) -> str | None:
        """The name in the parameter store that a parameter's default says."""
        found = self._parameters.get(name)
        if found is None or not self.parameter_type(name).startswith(_OF_SSM):
            return None
        said = child(found[1], "Default")
        return (scalar_text(said) or None) if said is not None else None

    def mapping(self, name: str, top: str, second: str) -> Value | None:
        found = child(self.root, "Mappings", name, top, second)
        return self.value(found) if found is not None else None

    def mapped(self, name: str) -> Mapping[str, tuple[Node, Node]]:
        return pairs(child(self.root, "Mappings", name))

    # Conditions

    def holds(self, node: Node, names: Mapping[str, Value] | None = None) -> bool | None:
        """Whether the condition holds that a resource, or Fn::If, names. None where that is not known."""
        name = scalar_text(node)
        if name is None:
            return None
        return self.condition(name, spot_of(node, self.file), names)

    def condition(self, name: str, spot: Spot, names: Mapping[str, Value] | None = None) -> bool | None:
        found = self._conditions.get(name)
        if found is None:
            return None
        value = self._values.once(f"Condition {name}", lambda: self.value(found[1], names), spot)
        told = value.value if isinstance(value, Scalar) else None
        return told if isinstance(told, bool) else None

    def why_open(self, name: str) -> str:
        """Why a condition is not known."""
        value = self._values.made(f"Condition {name}")
        return value.why if isinstance(value, Hole) else "it is not known"

    def spend(self, value: Value) -> Value:
        if isinstance(value, Str):
            self.budget.spend(sum(len(each.text) for each in value.pieces if isinstance(each, Lit)) + len(value.pieces))
        if isinstance(value, Seq) and len(value.items) > HCL_MOST_ELEMENTS:
            raise TooMuch("it comes to more elements than are read")
        return value


def _named_in(node: Node) -> Iterator[str]:
    """What `Ref` names, however deep."""
    found = function_of(node)
    if found is not None and found.name == "Ref":
        yield scalar_text(found.argument) or ""
    for each in (*items(node), *(value for _, value in pairs(node).values())):
        yield from _named_in(each)


def is_no_value(value: Value) -> bool:
    return isinstance(value, Hole) and value.why == NO_VALUE


def _list_of(told: Scalar | Str) -> Value:
    if isinstance(told, Str) and told.known is not None:
        texts = _BY_COMMA.split(told.known.strip()) if told.known.strip() else []
        return Seq("tuple", [Str((Lit(each, told.spot),), told.spot) for each in texts], told.spot)
    return Seq("tuple", [told], told.spot)


def _filled(name: str, names: Mapping[str, Value]) -> str | None:
    """A logical name within a loop; None where its words are not known."""
    for each, value in names.items():
        told = value.known if isinstance(value, Str) else None
        if told is None:
            return None
        name = name.replace(f"${{{each}}}", told).replace(f"&{{{each}}}", told)
    return name


__all__ = ["NO_VALUE", "Resource", "Template", "holes_in", "is_no_value"]
