"""Nodes as Slurm sees them: what each has, who holds which of its GPUs, and why nothing is tried on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.collect.workload.live.ledger import Holder, NodeLedger
from nodeworthy.collect.workload.live.slurm_clients import ask, fields, queue_records
from nodeworthy.collect.workload.recording import LeftOut
from nodeworthy.collect.workload.room import slice_profile
from nodeworthy.collect.workload.watcher import Record
from nodeworthy.errors import CouldNotLook
from nodeworthy.facts.accept.measure import Shape, Slices
from nodeworthy.facts.slurm.hostlist import names_of
from nodeworthy.known.acceptance import TESTS, NotRun
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# Of a node whose owner keeps real work of ours off it.
OPTED_OUT = "nodeworthy_verify_disabled"
# By which whoever reads sinfo -R knows that it was us.
MARK = "nodeworthy: "
_GPUS = pattern(r"(?:^|,)gpu(?::([A-Za-z0-9_.+-]*[A-Za-z_.+-][A-Za-z0-9_.+-]*))?:(\d+)")
_CLOSED = frozenset({"DRAIN", "DRAINED", "DRAINING"})
_GONE = frozenset({"DOWN", "FAIL", "FAILING", "NOT_RESPONDING", "UNKNOWN", "FUTURE", "INVALID_REG"})
_ASLEEP = frozenset({"POWERED_DOWN", "POWERING_DOWN", "POWERING_UP", "POWER_DOWN", "POWER_UP"})
_KEPT = frozenset({"RESERVED", "MAINTENANCE", "MAINT", "PLANNED_MAINT", "REBOOT_ISSUED", "REBOOT_REQUESTED"})
_HOLD = frozenset({"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "CONFIGURING"})


@dataclass(frozen=True)
class SlurmNode:
    name: str
    states: frozenset[str]
    # Of each type, as gres.conf calls it, how many GPUs or slices of them; the type is empty where nobody says it.
    gres: tuple[tuple[str, int], ...]
    used: int
    features: frozenset[str]
    partitions: tuple[str, ...]
    boot: str
    reason: str
    cpus: int | None = None

    @property
    def gpus(self) -> int:
        return sum(count for _, count in self.gres)

    @property
    def shape(self) -> Shape:
        whole = [(kind, count) for kind, count in self.gres if not slice_profile(kind)]
        return Shape(
            self.name,
            next((kind for kind, _ in whole if kind), None),
            sum(count for _, count in whole) or None,
            cpus=self.cpus,
            slices=tuple(Slices(profile, count, kind) for kind, count in self.gres if (profile := slice_profile(kind))),
        )

    @property
    def is_ours(self) -> bool:
        """Whether it was us who drained it."""
        return self.reason.startswith(MARK)


def nodes_now() -> dict[str, SlurmNode]:
    """All of the cluster, by one question. Raises CouldNotLook."""
    told = ask("scontrol", "--details", "--oneliner", "show", "nodes").splitlines()
    found = (_node(fields(each)) for each in told if each.startswith("NodeName="))
    return {each.name: each for each in found}


def _node(said: Mapping[str, str]) -> SlurmNode:
    has, used = _GPUS.findall(said.get("Gres", "")), _GPUS.findall(said.get("GresUsed", ""))
    return SlurmNode(
        name=said["NodeName"],
        states=frozenset(said.get("State", "UNKNOWN").replace("*", "+NOT_RESPONDING").split("+")),
        gres=tuple((kind, int(count)) for kind, count in has if int(count)),
        used=sum(int(count) for _, count in used),
        features=frozenset(said.get("ActiveFeatures", "").split(",")),
        partitions=tuple(filter(None, said.get("Partitions", "").split(","))),
        boot=said.get("BootTime", ""),
        reason=said.get("Reason", ""),
        cpus=_count(said.get("CPUEfctv") or said.get("CPUTot", "")),
    )


def _count(said: str) -> int | None:
    return int(said) if said.isdecimal() else None


def why_closed(node: SlurmNode, *, reserved: bool) -> tuple[NotRun, str] | None:
    """Why nothing is tried on it, whoever holds its GPUs. `reserved`: within a reservation that somebody named."""
    if OPTED_OUT in node.features:
        return NotRun.OPTED_OUT, f"by its feature {OPTED_OUT}"
    if not node.gpus:
        return NotRun.NO_HARDWARE, "Slurm knows no GPU of it (Gres)"
    return _by_state(node, reserved=reserved)


def _by_state(node: SlurmNode, *, reserved: bool) -> tuple[NotRun, str] | None:
    why = f"Slurm says {'+'.join(sorted(node.states))}{f': {node.reason}' if node.reason else ''}"
    if node.states & _GONE:
        return NotRun.NODE_GONE, why
    if node.states & _CLOSED:
        back = f"; scontrol update nodename={node.name} state=resume gives it back" if node.is_ours else ""
        return NotRun.IN_USE, f"{why}{back}"
    if node.states & _ASLEEP or (node.states & _KEPT and not reserved):
        return NotRun.IN_USE, why
    return None


def why_leave(node: SlurmNode | None, boot: str) -> tuple[NotRun, str] | None:
    """Why whoever runs on it makes room."""
    if node is None:
        return NotRun.NODE_GONE, "the node is gone from the cluster"
    if OPTED_OUT in node.features:
        return NotRun.OPTED_OUT, f"the node has opted out meanwhile, by its feature {OPTED_OUT}"
    if node.states & _GONE:
        return NotRun.NODE_GONE, f"Slurm says {'+'.join(sorted(node.states))}: {node.reason}"
    if node.states & _CLOSED:
        return NotRun.OPTED_OUT, f"somebody has drained it meanwhile: {node.reason}"
    if node.boot != boot:
        return NotRun.NOT_HEARD, "it was booted again since the run began"
    return None


def ledger_of(nodes: Mapping[str, SlurmNode], run: str, prefix: str) -> dict[str, NodeLedger]:
    """What is held of all nodes with GPUs. Raises CouldNotLook where nobody tells who holds them."""
    by_node: dict[str, list[Record]] = {}
    for each in queue_records():
        if each.state in _HOLD:
            for name in names_of(each.nodes) or ():
                by_node.setdefault(name, []).append(each)
    own = f"{prefix}{run}-"
    return {each.name: _ledger(each, by_node.get(each.name, ()), run, own) for each in nodes.values() if each.gpus}


def _ledger(node: SlurmNode, jobs: Sequence[Record], run: str, own: str) -> NodeLedger:
    is_open = not node.states & (_CLOSED | _GONE | _ASLEEP | _KEPT)
    offers = 0 if node.states & (_CLOSED | _GONE) else node.gpus
    pool = node.partitions[0] if node.partitions else ""
    return NodeLedger(node.name, pool, offers, node.boot, "", is_open, tuple(_holders(node, jobs, run, own)))


def _holders(node: SlurmNode, jobs: Sequence[Record], run: str, own: str) -> Iterator[Holder]:
    """The jobs that hold GPUs of a node, each with what it asked for per node, or without a number."""
    if not node.used:
        return
    asked = [each for each in jobs if "gpu" in each.asked] or list(jobs)
    for each in asked:
        count = each.asked.rpartition(":")[2]
        gpus = int(count) if count.isdecimal() else node.used
        ours = run if each.name.startswith(own) else ""
        yield Holder(f"job {each.id} of {each.user}", min(gpus, node.used), ours)
    if not asked:
        yield Holder("a job that squeue does not show", node.used, "")


def choose_nodes(
    nodes: Mapping[str, SlurmNode], names: Sequence[str], partition: str | None, *, reserved: bool
) -> tuple[list[Shape], list[LeftOut]]:
    """The nodes that are named, or all nodes of a partition with GPUs. Raises CouldNotLook where it has none."""
    wanted = list(dict.fromkeys(names)) or [
        each.name for each in nodes.values() if each.gpus and partition in each.partitions
    ]
    if not wanted:
        raise CouldNotLook(f"partition {partition} has no node with GPUs: nothing was evaluated")
    shapes, left = [], list[LeftOut]()
    for name in wanted:
        node = nodes.get(name)
        why = why_closed(node, reserved=reserved) if node is not None else (NotRun.NODE_GONE, "no such node")
        if node is None or why is not None:
            left += [LeftOut(test, (name,), *(why or (NotRun.NODE_GONE, ""))) for test in TESTS]
        else:
            shapes.append(node.shape)
    return shapes, left
