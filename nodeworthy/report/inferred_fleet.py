"""A fleet that follows from evidence, as a stack's file that can be committed: behind each line what it follows from,
and as a question what nothing says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from nodeworthy.documents.yaml import read
from nodeworthy.facts.fleet.brought import Brought, driver_of, firewall_of, plugin_of, toolkit_of
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.inferred import InferredFleet
from nodeworthy.fleet.model import KEY
from nodeworthy.known.gpus import gpu_named
from nodeworthy.known.instances import exists, gpus_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.report.printable import on_one_line
from nodeworthy.verdict import Located, Place, Unknown, value_if_known

_MINOR = pattern(r"v?(1\.\d+)(?:[.+-].*)?")
_UNFIT = pattern(r"[^A-Za-z0-9_.-]+")
_PLAIN = pattern(r"[A-Za-z][A-Za-z0-9_./@-]*")
_LONGEST_NAME = 63
# Those by which whoever makes nodes tells his groups apart.
_OF_ITS_MAKER = ("alpha.eksctl.io/", "karpenter.sh/")
_HEAD = (
    "# Inferred, not declared: behind each line stands what it follows from; a line with `?` asks what nothing says.",
    "# Kept as Pulumi.<stack>.yaml, or given with --fleet, it is the fleet to judge by.",
)


@dataclass(frozen=True)
class _Line:
    """A key of the fleet: what it is and what says so, or the question that nothing answers."""

    indent: int
    name: str
    value: Any = None
    says: str = ""
    is_open: bool = False
    is_quoted: bool = False
    # What a fleet has no key for: said as a comment.
    is_aside: bool = False

    def __str__(self) -> str:
        start, says = " " * self.indent, on_one_line(self.says)
        if self.is_open:
            return f"{start}# {self.name}: ? {says}"
        written = "" if self.value is None else f" {_as_yaml(self.value, quote=self.is_quoted)}"
        start += "# " if self.is_aside else ""
        return f"{start}{_as_yaml(self.name)}:{written}{f'  # {says}' if says else ''}"


def text(fleets: Sequence[InferredFleet]) -> str:
    return "---\n".join("\n".join(_document(each, len(fleets))) + "\n" for each in fleets)


def as_data(fleets: Sequence[InferredFleet]) -> list[dict[str, Any]]:
    """The same for programs: each value beside what says so (`from`), and what nothing says (`asks`)."""
    return [_nested(list(_lines(each))) for each in fleets]


def _nested(lines: Sequence[_Line]) -> dict[str, Any]:
    """What stands below a line is indented more than it."""
    made: dict[str, Any] = {}
    for at, line in enumerate(lines):
        if line.indent > lines[0].indent:
            continue
        ends = next((n for n in range(at + 1, len(lines)) if lines[n].indent <= line.indent), len(lines))
        made[line.name] = _entry(line, lines[at + 1 : ends])
    return made


def _entry(line: _Line, below: Sequence[_Line]) -> dict[str, Any]:
    if line.is_open:
        return {"asks": line.says}
    told = {"from": line.says} if line.says else {}
    return {**told, **_nested(below)} if below else {"value": line.value, **told}


def _document(fleet: InferredFleet, of: int) -> Iterator[str]:
    yield from _HEAD
    if of > 1:
        yield f"# {of} clusters are in reach: each document is one, and a stack's file holds one."
    yield "config:"
    yield f"  {KEY}:"
    yield from map(str, _lines(fleet))


def _lines(fleet: InferredFleet) -> Iterator[_Line]:
    yield from _cluster(fleet)
    yield from _operator(fleet)
    yield _Line(4, "pools")
    names: set[str] = set()
    for pool in fleet.pools:
        yield from _pool(pool, _name(pool.name, names))
        yield from _brought(pool, fleet)


def _cluster(fleet: InferredFleet) -> Iterator[_Line]:
    yield _Line(4, "cluster")
    if fleet.name is not None:
        yield _line(6, "name", value_if_known(fleet.name), _at(fleet.name.place))
    else:
        yield _question(6, "name", "how is the cluster called? nothing here names it, and a fleet must")
    versions = fleet.versions
    if len(versions) == 1:
        yield _line(6, "version", _minor(versions[0]), f"{versions[0].shown()} in {_at(versions[0].place)}", quote=True)
    elif versions:
        told = " and ".join(f"{each.shown()} in {_at(each.place)}" for each in versions)
        yield _question(6, "version", f"which Kubernetes is it? there are {told}")
    else:
        yield _question(6, "version", 'which Kubernetes is it? nothing here says it, and "1.34" is taken')
    for key, said, of in (("serviceCidr", fleet.services, "services"), ("podCidr", fleet.pods, "pods")):
        if said is not None:
            yield _line(6, key, value_if_known(said), _at(said.place))
        else:
            yield _question(6, key, f"from which range do {of} get their addresses? nothing here says it")


def _operator(fleet: InferredFleet) -> Iterator[_Line]:
    if len(fleet.releases) == 1:
        release = fleet.releases[0]
        yield _Line(4, "operator")
        yield _line(6, "chart", value_if_known(release), _at(release.place), quote=True)
    elif fleet.releases:
        told = " and ".join(f"{each.shown()} in {_at(each.place)}" for each in fleet.releases)
        yield _question(4, "operator", f"which release of the GPU operator is it? there are {told}")
    elif fleet.has_operator:
        yield _question(4, "operator", 'which release of the GPU operator is it? {chart: "25.3.0"}')
    else:
        yield _question(4, "operator", "is there a GPU operator? nothing here installs one; false, if there is none")


def _pool(pool: GpuPool, name: str) -> Iterator[_Line]:
    yield _line(6, name, None, f"{pool.title} in {_at(pool.place)}")
    yield from _hardware(pool)
    yield from _sizes(pool)
    yield from _system(pool)
    yield from _capacity(pool)
    yield from _registers_with(pool)


def _brought(pool: GpuPool, fleet: InferredFleet) -> Iterator[_Line]:
    """The lines of what brings driver, toolkit and device plugin; a fleet has no key for the latter two."""
    driver = driver_of(pool, fleet.settings)
    if driver is not None:
        yield _line(8, "driver", driver.by, _said_by(driver) if driver.says else "")
    else:
        yield _question(8, "driver", "who brings NVIDIA's driver: ami, user-data or operator?")
    plugin = plugin_of(pool, fleet.settings, fleet.daemonsets)
    if (toolkit := toolkit_of(pool, fleet.settings)) is not None:
        yield _Line(8, "toolkit", toolkit.by, _said_by(toolkit), is_quoted=True, is_aside=True)
    elif plugin is None or plugin.by != "gke":
        yield _question(8, "toolkit", "who brings the container toolkit: image, user-data or operator?")
    if plugin is not None:
        yield _Line(8, "devicePlugin", plugin.by, _said_by(plugin), is_quoted=True, is_aside=True)
    else:
        yield _question(8, "devicePlugin", "who hands out the GPUs: image, operator or a DaemonSet of its own?")
    firewall = firewall_of(pool)
    if firewall is not None:
        is_aside = firewall.by not in ("none", "ufw")
        yield _Line(8, "firewall", firewall.by, _said_by(firewall), is_aside=is_aside)
    else:
        yield _question(8, "firewall", "which firewall is active on its nodes? none is taken")


def _said_by(brought: Brought) -> str:
    return f"{brought.says}, in {_at(brought.place)}"


def _hardware(pool: GpuPool) -> Iterator[_Line]:
    machines = pool.machines
    named = value_if_known(machines.type) if machines.type is not None else None
    if machines.type is not None and exists(str(named)):
        yield _line(8, "instanceType", named, _at(machines.type.place))
        if gpus_of(str(named)) is not None:
            return
    elif len(machines.types) > 1:
        told = " or ".join(each.shown() for each in machines.types)
        yield _question(8, "instanceType", f"which one? its nodes may be {told}, and those of a pool are alike")
    gpus = list(dict.fromkeys(machines.gpus_told()))
    if machines.gpu is not None and machines.gpu.shown() not in gpus:
        gpus.append(machines.gpu.shown())
    gpu = gpu_named(gpus[0]) if len(gpus) == 1 else None
    if gpu is not None:
        place = machines.gpu.place if machines.gpu is not None else machines.types[0].place
        yield _line(8, "gpu", gpu.name, _at(place))
    else:
        told = f"its types have {' or '.join(gpus)}, and " if gpus else ""
        yield _question(8, "gpu", f"which GPU do its nodes have? {told}without one it is a pool of CPU nodes")
    count = machines.gpus or machines.same_count
    if count is not None and value_if_known(count) is not None:
        yield _line(8, "gpusPerNode", value_if_known(count), _at(count.place))
    elif count is not None or gpu is None or not machines.types:
        yield _question(8, "gpusPerNode", "how many of them has a node?")


def _sizes(pool: GpuPool) -> Iterator[_Line]:
    machines = pool.machines
    least, most = (each if each is not None and value_if_known(each) is not None else None for each in _ends(pool))
    wanted = machines.wanted or (least if least is not None else most)
    if wanted is None or value_if_known(wanted) is None:
        yield _question(8, "nodes", "how many nodes has it? 1 is taken")
        return
    yield _line(8, "nodes", value_if_known(wanted), _at(wanted.place))
    for name, said in (("min", least), ("max", most)):
        if said is not None and value_if_known(said) != value_if_known(wanted):
            yield _line(8, name, value_if_known(said), _at(said.place))


def _ends(pool: GpuPool) -> tuple[Located[int] | None, Located[int] | None]:
    return pool.machines.least, pool.machines.most


def _system(pool: GpuPool) -> Iterator[_Line]:
    distribution = pool.distribution
    if isinstance(distribution.state, Unknown):
        yield _question(8, "distribution", f"what do its nodes run? {distribution.state.why}")
    else:
        likely = "likely, and not certain: " if pool.is_likely else ""
        said = f"{likely}{pool.evidence or 'as it joins'}, in {_at(distribution.place)}"
        yield _line(8, "distribution", distribution.state.value, said)
    if pool.containerd is not None and value_if_known(pool.containerd) is not None:
        yield _line(8, "containerd", value_if_known(pool.containerd), _at(pool.containerd.place), quote=True)


def _capacity(pool: GpuPool) -> Iterator[_Line]:
    reserved = pool.machines.reserved
    if reserved is None:
        return
    kind = value_if_known(reserved.kind)
    if kind is None:
        called = value_if_known(reserved.id) or "it"
        yield _question(8, "capacity", f"is {called} a block, or a reservation? only AWS says it")
        return
    yield _Line(8, "capacity", None, _at(reserved.kind.place))
    yield _Line(10, "kind", kind)
    if value_if_known(reserved.id) is not None:
        yield _Line(10, "id", value_if_known(reserved.id))
    else:
        yield _question(10, "id", f"which {kind} is it? a fleet must name it, such as cr-0123")


def _registers_with(pool: GpuPool) -> Iterator[_Line]:
    """Pods and DaemonSets are judged by them; a fleet has no key for either."""
    machines = pool.machines
    known = [name for name, said in machines.labels.items() if value_if_known(said) is not None]
    labels = [name for name in known if not name.startswith(_OF_ITS_MAKER)]
    if labels:
        told = ", ".join(f"{name}={machines.labels[name].shown()}" for name in labels)
        yield _Line(8, "labels", told, _at(machines.labels[labels[0]].place), is_quoted=True, is_aside=True)
    if machines.taints:
        told = ", ".join(map(str, machines.taints))
        yield _Line(8, "taints", told, _at(machines.taints[0].place), is_quoted=True, is_aside=True)


def _minor(said: Located[str]) -> str:
    found = _MINOR.fullmatch(said.shown())
    return found[1] if found is not None else said.shown()


def _name(name: str, taken: set[str]) -> str:
    """A name that a fleet may give a pool and that no other pool has."""
    fit = _UNFIT.sub("-", name).strip("-._")[:_LONGEST_NAME].strip("-._") or "gpu"
    told = next(each for each in (fit, *(f"{fit[:58]}-{at}" for at in range(2, 10_000))) if each not in taken)
    taken.add(told)
    return told


def _line(indent: int, name: str, value: Any, says: str, *, quote: bool = False) -> _Line:
    return _Line(indent, name, value, says, is_quoted=quote)


def _question(indent: int, name: str, asks: str) -> _Line:
    return _Line(indent, name, says=asks, is_open=True)


def _as_yaml(value: Any, *, quote: bool = False) -> str:
    """The value as YAML reads it back: whatever is no plain word is quoted."""
    if not isinstance(value, str):
        return str(value)
    is_plain = not quote and _PLAIN.fullmatch(value) is not None
    return value if is_plain and _reads_back(value) else json.dumps(value, ensure_ascii=True)


def _reads_back(word: str) -> bool:
    tree = read(f"a: {word}\n", Place())
    return tree is not None and tree.get("a").text == word


def _at(place: Place) -> str:
    return str(place)
