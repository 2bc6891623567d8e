"""Resolves one pool: what it leaves out follows from what it says, and whether there is such hardware."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from nodeworthy.fleet import os as systems
from nodeworthy.fleet.model import Capacity, CapacityKind, Driver, Firewall, Impossible, Pool
from nodeworthy.fleet.os import BASE_DIR, CONFINEMENT, runtime_of
from nodeworthy.fleet.walk import Section
from nodeworthy.known import gpus, instances
from nodeworthy.verdict import Known, Located, Place, Unknown, value_if_known

# EKS' own images for GPU nodes bring the driver.
_DRIVER_IN_THE_IMAGE = ("eks-al2023", "eks-al2", "bottlerocket")

T = TypeVar("T")
Refuse = Callable[[Place, str], None]


def resolve(name: str, section: Section, refuse: Refuse) -> tuple[Pool, list[Impossible]]:
    return _Pool(name, section, refuse).resolved()


class _Pool:
    def __init__(self, name: str, section: Section, refuse: Refuse) -> None:
        self.name = name
        self.section = section
        self.refuse = refuse
        self.instance_type: Located[str] | None = self._given("instanceType")
        self.provision = self._provision()

    def resolved(self) -> tuple[Pool, list[Impossible]]:
        os, distribution = self._system()
        gpu, written = self._gpu(), self._given("gpu")
        nodes, least, most = self._sizes()
        impossible = list(impossible_in(self.name, written, self.instance_type, self._given("gpusPerNode")))
        pool = Pool(
            name=self.name,
            place=self.section.place,
            gpu=gpu,
            instance_type=self.instance_type,
            nodes=nodes,
            min=least,
            max=most,
            gpus_per_node=self._gpus_per_node(gpu),
            os=os,
            distribution=distribution,
            runtime=runtime_of(distribution, self._given(BASE_DIR), self._given(CONFINEMENT), self._says),
            containerd_version=self._containerd_version(),
            driver=self._driver(distribution),
            capacity=self._capacity(),
            firewall=Firewall(self.section.plain("firewall")),
            profiling_dedicated=self._profiling(most),
            provision=self.provision,
            driver_is_said=self.section.wrote("driver"),
        )
        return pool, impossible

    def _given(self, name: str) -> Located[Any] | None:
        return self.section.located(name) if self.section.wrote(name) else None

    def _says(self, name: str, message: str) -> None:
        """Refuses what is written under a name of this pool."""
        self.refuse(self.section.located(name).place, f"{self.section.path}.{name} {message}")

    def _unsaid(self, name: str) -> Place:
        return self.section.place.about(f"{self.section.path}.{name}")

    def _provision(self) -> bool:
        if not self.section.wrote("provision"):
            return self.instance_type is not None
        wanted = self.section.plain("provision") is True
        if wanted and self.instance_type is None:
            self._says("provision", "is true, and must be false: without an instanceType no node can be built")
        return wanted

    def _gpu(self) -> Located[str] | None:
        """The canonical name; that of the instance type where only that is given."""
        written = self._given("gpu")
        if written is not None:
            if isinstance(written.state, Unknown):
                return written
            known = gpus.gpu_named(written.state.value)
            named = written.state.value
            return (
                Located.known(known.name, written.place)
                if known
                else Located.unknown(f"`{named}` is not a GPU we know", written.place)
            )
        has = self._type_has()
        if has is not None:
            return Located(Known(has.gpu), self._unsaid("gpu"), written=False)
        named = self.instance_type.state if self.instance_type is not None else None
        if isinstance(named, Known) and _may_exist(named.value) and instances.has_gpus(named.value):
            why = f"{named.value} has GPUs, and which and how many is not known: say it with gpu and gpusPerNode"
            return Located(Unknown(why), self._unsaid("gpu"), written=False)
        return None

    def _type_has(self) -> instances.InstanceGpus | None:
        state = self.instance_type.state if self.instance_type is not None else None
        return instances.gpus_of(state.value) if isinstance(state, Known) else None

    def _gpus_per_node(self, gpu: Located[str] | None) -> Located[int]:
        written = self._given("gpusPerNode")
        if written is not None:
            if gpu is None:
                self._says("gpusPerNode", "is given, and the pool has no gpu: say which")
            return written
        place = self._unsaid("gpusPerNode")
        if gpu is None:
            return Located(Known(0), place, written=False)
        has = self._type_has()
        if has is not None:
            return Located(Known(has.count), place, written=False)
        return Located(
            Unknown("neither gpusPerNode nor an instance type says how many GPUs a node has"), place, written=False
        )

    def _sizes(self) -> tuple[int, int, int]:
        nodes: int = self.section.plain("nodes")
        least, most = self.section.plain("min"), self.section.plain("max")
        if not self.section.wrote("nodes") and least is not None and least > nodes:
            nodes = least
        if least is not None and least > nodes:
            self._says("min", f"is {least}, and must be no more than nodes, which is {nodes}")
        if most is not None and most < nodes:
            self._says("max", f"is {most}, and must be no less than nodes, which is {nodes}")
        return nodes, nodes if least is None else least, nodes if most is None else most

    def _system(self) -> tuple[Located[str], Located[str]]:
        os, distribution = self._given("os"), self._given("distribution")
        if distribution is None:
            os = os or Located(Known("al2023"), self._unsaid("os"), written=False)
            if isinstance(os.state, Unknown):
                return os, os
            return os, systems.distribution_of(os.state.value, os.place, on_eks=self.provision)
        if isinstance(distribution.state, Unknown):
            return os or Located(distribution.state, self._unsaid("os")), distribution
        if os is None:
            return systems.os_of(distribution.state.value, distribution.place), distribution
        self._agree(os, distribution.state.value)
        return os, distribution

    def _agree(self, os: Located[str], distribution: str) -> None:
        fitting = systems.that_fit(distribution)
        if isinstance(os.state, Known) and os.state.value not in fitting:
            right = " or ".join(fitting) if fitting else "left out: none of these systems runs it"
            self._says("os", f"is {os.state.value}, and distribution is {distribution}: os must be {right}")

    def _containerd_version(self) -> Located[str]:
        written = self._given("containerd")
        return written or Located(
            Unknown("the pool does not say which containerd it runs"), self._unsaid("containerd"), written=False
        )

    def _driver(self, distribution: Located[str]) -> Driver:
        written = self.section.plain("driver")
        if written is not None:
            return Driver(written)
        in_the_image = isinstance(distribution.state, Known) and distribution.state.value in _DRIVER_IN_THE_IMAGE
        return Driver.AMI if in_the_image else Driver.OPERATOR

    def _capacity(self) -> Capacity:
        section = self.section.section("capacity")
        kind, identifier = CapacityKind(section.plain("kind")), section.plain("id")
        if kind is CapacityKind.ON_DEMAND and identifier is not None:
            self.refuse(
                section.located("id").place,
                f"{section.path}.id is given, and kind is on-demand, which has none: kind must be block or reservation",
            )
        if kind is not CapacityKind.ON_DEMAND and not section.wrote("id"):
            self.refuse(
                section.located("kind").place,
                f"{section.path}.id is missing: a {kind.value} has an id, such as cr-0123",
            )
        return Capacity(section.place, kind, identifier)

    def _profiling(self, most: int) -> int:
        dedicated: int = self.section.plain("profilingDedicated")
        if dedicated > most:
            self._says("profilingDedicated", f"is {dedicated}, and must be no more than the pool's {most} nodes")
        return dedicated


# Whether the hardware that a pool names exists and goes together


def impossible_in(
    pool: str, gpu: Located[str] | None, instance_type: Located[str] | None, count: Located[int] | None
) -> Iterator[Impossible]:
    """What can't be so in a pool as it was written: its GPU, its instance type, these two together, or their number."""
    named = value_if_known(gpu)
    known_gpu = gpus.gpu_named(named) if named is not None else None
    if gpu is not None and named is not None and known_gpu is None:
        yield _no_such_gpu(gpu, named, pool)
    kind = value_if_known(instance_type)
    if instance_type is None or kind is None:
        return
    if not _may_exist(kind):
        yield _no_such_type(instance_type, kind, known_gpu, pool)
        return
    has = instances.gpus_of(kind)
    if has is None:
        return
    if gpu is not None and known_gpu is not None and known_gpu.name != has.gpu:
        yield _not_together(gpu, known_gpu.name, has, pool)
    written = value_if_known(count)
    if count is not None and count.written and written is not None and written != has.count:
        should = f"{has.count}, or no gpusPerNode at all"
        message = f"{kind} has {has.count} × {has.gpu}, not {written}"
        yield Impossible(count.place, message, str(written), should, pool)


def _may_exist(kind: str) -> bool:
    """The list of types has a date, and the next of a series may be newer."""
    return instances.exists(kind) or instances.may_be_newer(kind)


def not_offered(pool: Pool, region: str | None) -> Iterator[Impossible]:
    """A pool that is to be built where AWS does not have its instance type."""
    kind = value_if_known(pool.instance_type)
    if pool.instance_type is None or kind is None or region is None or not pool.provision:
        return
    from nodeworthy.known import offerings

    if offerings.is_offered(kind, region) is False:
        named = ", ".join(offerings.regions_of(kind))
        message = f"{kind} is not offered in {region} ({offerings.offerings_source()}); it is in {named}"
        yield Impossible(pool.instance_type.place, message, f"{kind} in {region}", f"one of {named}", pool.name)


def _no_such_gpu(gpu: Located[str], named: str, pool: str) -> Impossible:
    near = gpus.near(named)
    meant = f"did you mean {' or '.join(near[:2])}? EC2 has" if near else "EC2 has"
    message = f"`{named}` is not a GPU we know; {meant} {', '.join(instances.gpus_on_ec2())}"
    return Impossible(
        gpu.place, message, named, ", ".join((*near, *(each for each in gpus.gpu_names() if each not in near))), pool
    )


def _no_such_type(place: Located[str], kind: str, gpu: gpus.Gpu | None, pool: str) -> Impossible:
    meant = instances.near(kind)
    fitting = instances.types_with(gpu.name) if gpu is not None else ()
    offered = meant or fitting
    should = ", ".join(offered) or "an instance type that EC2 has"
    hint = f"did you mean {should}?" if meant else _where(gpu, fitting)
    message = f"`{kind}` is not an instance type that EC2 has ({instances.instance_types_source()}); {hint}"
    return Impossible(place.place, message, kind, should, pool)


def _where(gpu: gpus.Gpu | None, fitting: tuple[str, ...]) -> str:
    return f"{gpu.name} is in {', '.join(fitting)}" if gpu is not None and fitting else "nothing we know is near it"


def _not_together(gpu: Located[str], name: str, has: instances.InstanceGpus, pool: str) -> Impossible:
    types = instances.types_with(name)
    where = f"{name} is in {', '.join(types)}" if types else f"no instance type we know has {name}"
    message = f"{has.type} has {has.count} × {has.gpu}, not {name}; {where}"
    return Impossible(gpu.place, message, name, has.gpu, pool)
