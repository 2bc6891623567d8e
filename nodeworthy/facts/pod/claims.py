"""Dynamic Resource Allocation: the claims that pods name, and who makes some of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.documents.release import Release, chart_name
from nodeworthy.documents.settled import settle, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.known.dra import GROUP, DraVersion, dra_versions, driver_charts
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Place, Placed

_NVIDIAS = "resource.nvidia.com/"


@dataclass(frozen=True)
class DeviceRequest:
    """One entry of a claim's `devices.requests`, and the part of it that says the class."""

    tree: Tree
    # The request itself, what is below `exactly`, or each of `firstAvailable`.
    asks: tuple[Tree, ...]

    @property
    def name(self) -> Tree:
        return self.tree.get("name")


@dataclass(frozen=True, eq=False)
class ResourceClaim:
    """A claim, or a template of one."""

    called: ClassVar[str] = "a ResourceClaim, or a template of one"
    origin: ClassVar[str] = "a manifest"

    place: Place
    document: Tree
    version: DraVersion | None

    @property
    def kind(self) -> str:
        return self.document.get("kind").string

    @property
    def is_template(self) -> bool:
        return self.kind == "ResourceClaimTemplate"

    @property
    def name(self) -> str:
        return self.document.get("metadata", "name").string

    @property
    def namespace(self) -> str:
        return self.document.get("metadata", "namespace").string

    @property
    def title(self) -> str:
        return f"{self.kind} '{self.name}'" if self.name else f"this {self.kind}"

    @property
    def outer(self) -> Tree:
        return self.document.get("spec")

    @property
    def spec(self) -> Tree:
        return self.outer.get("spec") if self.is_template else self.outer

    @property
    def requests(self) -> tuple[DeviceRequest, ...]:
        return tuple(DeviceRequest(each, tuple(_asks(each))) for each in self._entries("requests"))

    @property
    def names_of_requests(self) -> frozenset[str] | None:
        """The names by which containers and constraints refer to requests; None where not all are known."""
        if why_incomplete(self.spec) or why_incomplete(self.spec.get("devices", "requests")):
            return None
        names = [settle(each.name).state for each in self.requests]
        if any(not isinstance(each, Known) for each in names):
            return None
        inner = [
            f"{each.name.text}/{sub.get('name').text}"
            for each in self.requests
            for sub in each.tree.get("firstAvailable").sequence
        ]
        return frozenset((*(each.name.string for each in self.requests), *inner))

    def _entries(self, name: str) -> tuple[Tree, ...]:
        return tuple(each for each in self.spec.get("devices", name).sequence if each.is_mapping)


def _asks(request: Tree) -> Iterator[Tree]:
    exactly, first = request.get("exactly"), request.get("firstAvailable")
    if exactly.is_mapping:
        yield exactly
    elif first.is_sequence:
        yield from first.sequence
    else:
        yield request


@dataclass(frozen=True, eq=False)
class DeviceClass:
    called: ClassVar[str] = "a DeviceClass"
    origin: ClassVar[str] = "a manifest"

    place: Place
    name: str


@dataclass(frozen=True, eq=False)
class ComputeDomain:
    """NVIDIA's: several nodes that share memory over NVLink. Its controller makes the template that it names."""

    called: ClassVar[str] = "a ComputeDomain"
    origin: ClassVar[str] = "a manifest"

    place: Place
    document: Tree

    @property
    def name(self) -> str:
        return self.document.get("metadata", "name").string

    @property
    def template(self) -> Tree:
        return self.document.get("spec", "channel", "resourceClaimTemplate", "name")


@dataclass(frozen=True, eq=False)
class DraDriver:
    """The values of NVIDIA's DRA driver, whoever installs it."""

    called: ClassVar[str] = "values of NVIDIA's DRA driver"

    place: Place
    tree: Tree
    origin: str
    elsewhere: str | None = None

    @property
    def shares_gpus(self) -> Tree:
        return self.tree.get("resources", "gpus", "enabled")

    @property
    def override(self) -> Tree:
        return self.tree.get("gpuResourcesEnabledOverride")

    @property
    def root(self) -> Tree:
        return self.tree.get("nvidiaDriverRoot")


@dataclass(frozen=True, eq=False)
class ClaimsAround:
    """All of them that lie beside a pod, by their names."""

    called: ClassVar[str] = "a ResourceClaim, a template of one, or a ComputeDomain"

    claims: tuple[ResourceClaim, ...]
    domains: tuple[ComputeDomain, ...]
    classes: tuple[DeviceClass, ...] = ()

    @property
    def place(self) -> Place:
        some: Sequence[Placed] = self.claims or self.domains or self.classes
        return some[0].place

    @property
    def files(self) -> frozenset[str | None]:
        return frozenset((*(each.place.path for each in self.claims), *(each.place.path for each in self.domains)))

    def named(self, name: str, *, is_template: bool) -> list[ResourceClaim | ComputeDomain]:
        """The claims, or templates, of this name; the controller of a ComputeDomain makes a template, too."""
        found: list[ResourceClaim | ComputeDomain] = []
        found += [each for each in self.claims if each.name == name and each.is_template is is_template]
        if is_template:
            found += [each for each in self.domains if each.template.text == name]
        return found

    def names(self, *, is_template: bool) -> Iterator[str]:
        yield from (each.name for each in self.claims if each.name and each.is_template is is_template)
        if is_template:
            yield from (each.template.text for each in self.domains if each.template.text)


@derive
def claims_around(
    claims: Sequence[ResourceClaim], domains: Sequence[ComputeDomain], classes: Sequence[DeviceClass]
) -> Iterator[ClaimsAround]:
    yield ClaimsAround(tuple(claims), tuple(domains), tuple(classes))


def claims_in(document: Tree) -> Iterator[ResourceClaim | DeviceClass | ComputeDomain]:
    group, _, version = document.get("apiVersion").string.partition("/")
    kind = document.get("kind").text
    if kind == "ComputeDomain" and f"{group}/" == _NVIDIAS:
        yield ComputeDomain(document.place, document)
    elif group != GROUP:
        return
    elif kind in ("ResourceClaim", "ResourceClaimTemplate"):
        yield ResourceClaim(document.place, document, dra_versions().get(version))
    elif kind == "DeviceClass" and (name := document.get("metadata", "name").text):
        yield DeviceClass(document.place, name)


def has_keys_of_dra(values: Tree) -> bool:
    """Whether these are its chart's by their keys: the switch of its own, or what it hands out beside its root."""
    parts = (values.get("resources", each, "enabled") for each in ("gpus", "computeDomains"))
    has_parts = "nvidiaDriverRoot" in values.mapping and any(not each.is_absent for each in parts)
    return "gpuResourcesEnabledOverride" in values.mapping or has_parts


def dra_drivers(release: Release) -> Iterator[DraDriver]:
    """The DRA drivers, by the name of their chart or by what no other chart has."""
    is_its = chart_name(release.chart) in driver_charts() or has_keys_of_dra(release.values)
    if is_its and (release.values.is_mapping or release.values.is_absent):
        yield DraDriver(release.place, release.values, release.origin, release.elsewhere)
