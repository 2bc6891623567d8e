"""What a node is, and which pool of the fleet it belongs to, from what stands on the node itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from nodeworthy.collect.node.parts.kubelet import labels
from nodeworthy.collect.node.parts.processes import processes
from nodeworthy.collect.node.parts.units import lines, printed_value
from nodeworthy.collect.node.recording import Recording
from nodeworthy.errors import InputError
from nodeworthy.facts.cluster.node_labels import POOL
from nodeworthy.facts.fleet.gpu_pool import GpuPool, gpu_pools
from nodeworthy.facts.fleet.pool_membership import pool_of
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.runtimes import NodeRuntimes, RuntimeProcess
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.known.containerd import containerd_of, distributions, fits_os
from nodeworthy.known.gpus import gpu_named
from nodeworthy.known.node_signs import Sign, traces
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown, value_if_known


@dataclass(frozen=True)
class Belonging:
    """What the node shows of itself."""

    place: Place
    labels: Mapping[str, str]
    instance_type: str
    # As the driver names the GPU.
    model: str
    is_gpu: bool
    used: RuntimeProcess | None
    os: Mapping[str, str]
    # What distributions leave on their nodes, and is there.
    traces: tuple[str, ...] = ()

    @property
    def gpu(self) -> str | None:
        named = gpu_named(self.model)
        return named.name if named else None

    @property
    def sign(self) -> Sign | None:
        """What it may be by its runtime's unit and by what lies on it, as far as both go together."""
        by_unit, by_traces = self._by_unit, self._by_traces
        if by_unit is None or by_traces is None:
            return by_unit or by_traces
        both = tuple(each for each in by_unit.distributions if each in by_traces.distributions)
        return Sign(both) if both else None

    @property
    def contradiction(self) -> str:
        """What its runtime's unit and what lies on it say, where no distribution has both."""
        if self._by_unit is None or self._by_traces is None or self.sign is not None:
            return ""
        assert self.used is not None
        by_unit, there = " or ".join(self._by_unit.distributions), " and ".join(self.traces)
        by_traces = " or ".join(self._by_traces.distributions)
        return f"its runtime runs in {self.used.unit}, as {by_unit} has it, and {there} is of {by_traces}"

    @cached_property
    def _by_traces(self) -> Sign | None:
        named = (name for each in traces() if each.path in self.traces for name in each.distributions)
        found = tuple(each for each in dict.fromkeys(named) if fits_os(each, *self._system))
        return Sign(found) if found else None

    @property
    def _system(self) -> tuple[str, str]:
        return self.os.get("ID", ""), self.os.get("VERSION_ID", "")

    @cached_property
    def _by_unit(self) -> Sign | None:
        """The distributions whose unit runs this runtime, on this OS."""
        if self.used is None or self.used.unit is None:
            return None
        unit = self.used.unit.removesuffix(".service")
        fitting = [
            each for each in distributions() if unit in containerd_of(each).units and fits_os(each, *self._system)
        ]
        return Sign(tuple(fitting)) if fitting else None


@dataclass(frozen=True)
class Declared:
    """The fleet that nodes are judged by, if there is one, and the pool that somebody said they are of."""

    fleet: Fleet | None
    pool: str | None = None

    def __post_init__(self) -> None:
        if self.pool is None:
            return
        if self.fleet is None:
            raise InputError(f"--pool {self.pool} needs a fleet: give --fleet FILE or --stack NAME")
        names = [each.name for each in self.fleet.pools]
        if self.pool not in names:
            raise InputError(f"the fleet has no pool {self.pool!r}; there are {', '.join(names)}")

    def pool_of(self, node: Belonging) -> Located[GpuPool | None]:
        """None where there is no fleet, or where the pool has no GPUs."""
        member = self.member_of(node)
        if isinstance(member.state, Unknown):
            return Located(member.state, member.place)
        pool = member.state.value
        return Located(Known(self._gpu_pool(pool.name) if pool else None), member.place, written=member.written)

    def member_of(self, node: Belonging) -> Located[Pool | None]:
        """The pool, whatever it is of; None where there is no fleet."""
        where = node.place.about("pool")
        if self.fleet is None:
            return Located(Known(None), where, written=False)
        if self.pool is not None:
            return Located(Known(next(each for each in self.fleet.pools if each.name == self.pool)), where)
        membership = pool_of(node, self.fleet.pools)
        if node.contradiction and POOL not in node.labels:
            why = f"which pool of the fleet this node is of is not known: {node.contradiction}"
            return Located.unknown(why, where)
        if membership.pool is None:
            return Located.unknown(f"which pool of the fleet this node is of is not known: {membership.why}", where)
        return Located(Known(membership.pool), where)

    def _gpu_pool(self, name: str) -> GpuPool | None:
        assert self.fleet is not None
        return next((each for each in gpu_pools(self.fleet) if each.name == name), None)


_INSTANCE_TYPE = pattern(r"[a-z]\w*(?:-\w+)?\.\w[\w-]*")


def identity(recording: Recording, runtimes: NodeRuntimes, declared: Declared, host: Place) -> NodeIdentity:
    used = value_if_known(runtimes.used)
    node = _belonging(recording, used, host)
    return NodeIdentity(
        place=host,
        fleet=declared.fleet,
        pool=declared.member_of(node),
        gpu_pool=declared.pool_of(node),
        instance_type=node.instance_type,
        has_gpu=_has_gpu(recording, host.about("GPUs")),
    )


def _has_gpu(recording: Recording, place: Place) -> Located[bool]:
    said = printed_value(recording, "gpus", place, "whether there is a GPU")
    if said is None:
        return Located.unknown("whether there is a GPU was not read", place)
    return Located(said.state if isinstance(said.state, Unknown) else Known(bool(said.state.value.strip())), place)


def _belonging(recording: Recording, used: RuntimeProcess | None, host: Place) -> Belonging:
    product = "".join(lines(recording, "product"))
    models = [line.removeprefix("model ") for line in lines(recording, "gpus") if line.startswith("model ")]
    return Belonging(
        place=host,
        labels=labels(list(processes(recording))),
        instance_type=product if _INSTANCE_TYPE.fullmatch(product) else "",
        model=models[0] if models else "",
        is_gpu=bool(lines(recording, "gpus")),
        used=used,
        traces=tuple(lines(recording, "traces")),
        os=dict(line.replace('"', "").split("=", 1) for line in lines(recording, "os") if "=" in line),
    )
