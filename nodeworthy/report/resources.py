"""The resources of a plan as a tree, for a person, and as data, for a program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from nodeworthy.report.text import Paint
from nodeworthy.verdict import Place


class Planned(Protocol):
    """A resource as this renderer sees it; its inputs are redacted already."""

    @property
    def urn(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def parent(self) -> str | None: ...
    @property
    def place(self) -> Place: ...
    @property
    def layer(self) -> str: ...
    @property
    def order(self) -> tuple[int | str, ...]: ...
    @property
    def remote(self) -> bool: ...
    @property
    def read(self) -> bool: ...
    @property
    def shown_inputs(self) -> Mapping[str, Any]: ...


_OPENED = ("cidrIpv4", "fromPort", "toPort", "description")
# What a reader wants to see at once, per type. Anything else is in the JSON report.
TELLING: Mapping[str, Sequence[str]] = {
    "aws:ec2/vpc:Vpc": ("cidrBlock",),
    "aws:ec2/subnet:Subnet": ("cidrBlock", "availabilityZone"),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": _OPENED,
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": _OPENED,
    "aws:eks/cluster:Cluster": ("version",),
    "aws:ec2/placementGroup:PlacementGroup": ("strategy",),
    "aws:ec2/launchTemplate:LaunchTemplate": ("instanceType", "imageId", "userData"),
    "aws:autoscaling/group:Group": ("minSize", "maxSize", "desiredCapacity"),
    "kubernetes:helm.sh/v3:Release": ("chart", "version", "namespace"),
}
LONGEST = 60


def render(resources: Sequence[Planned], paint: Paint) -> str:
    """The resources by layer (the module that the program's entry calls), then by parent, in the program's own
    order."""
    ordered = sorted(resources, key=lambda each: each.order)
    urns = {each.urn for each in ordered}
    children: dict[str | None, list[Planned]] = defaultdict(list)
    for each in ordered:
        children[each.parent if each.parent in urns else None].append(each)
    layers: dict[str, list[Planned]] = defaultdict(list)
    for each in children[None]:
        layers[each.layer or "(elsewhere)"].append(each)
    lines: list[str] = []
    for layer, its in layers.items():
        lines.append(paint("bold", layer))
        lines += _branch(its, children, "", paint)
    return "\n".join(lines) + "\n"


def _branch(
    its: Sequence[Planned], children: Mapping[str | None, list[Planned]], indent: str, paint: Paint
) -> Iterator[str]:
    for index, each in enumerate(its):
        last = index == len(its) - 1
        told = paint("dim", _telling(each))
        yield f"{indent}{'└─' if last else '├─'} {each.name}  {_kind(each.type)}{f'  {told}' if _telling(each) else ''}"
        yield from _branch(children.get(each.urn, []), children, indent + ("   " if last else "│  "), paint)


def _kind(token: str) -> str:
    """`aws:ec2/launchTemplate:LaunchTemplate` is aws ec2 LaunchTemplate to a reader."""
    package, module, name = (
        token.split(":", maxsplit=1)[0],
        token.split(":")[1] if token.count(":") > 1 else "",
        token.rsplit(":", 1)[-1],
    )
    return " ".join(filter(None, [package, module.split("/")[0] if module != "index" else "", name]))


def _telling(resource: Planned) -> str:
    marks = [word for word, on in (("not opened", resource.remote), ("exists", resource.read)) if on]
    inputs = resource.shown_inputs
    shown = [f"{name} {_short(name, inputs[name])}" for name in TELLING.get(resource.type, ()) if name in inputs]
    return ", ".join(marks + shown)


def _short(name: str, value: Any) -> str:
    if name == "userData" and isinstance(value, str) and not value.startswith("("):
        return f"{len(value)} characters"
    text = str(value)
    return text if len(text) <= LONGEST else f"…{text[-LONGEST:]}"


def as_data(resources: Sequence[Planned]) -> list[dict[str, Any]]:
    return [
        {
            "urn": each.urn,
            "type": each.type,
            "name": each.name,
            **({"parent": each.parent} if each.parent else {}),
            **({"path": each.place.path, "line": each.place.line} if each.place.path else {}),
            **({"remote": True} if each.remote else {}),
            **({"read": True} if each.read else {}),
            "inputs": each.shown_inputs,
        }
        for each in resources
    ]
