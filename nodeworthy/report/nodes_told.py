"""Which nodes with GPUs are well, and which are not and why: whoever was woken wants both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.offered_gpus import is_for_machines
from nodeworthy.report.chain import Chain
from nodeworthy.report.printable import on_one_line

# So many are named.
_NAMED = 8
# These links are about who holds the GPUs and who asks for them: a node that is full is well.
_OF_PODS = ("held", "pod")


def nodes_told(nodes: Sequence[NodeGpus], chains: Sequence[Chain], *, saw_all: bool, by_claims: bool = False) -> str:
    """`chains` are those of which something was found. `by_claims`: a driver of dynamic resources hands GPUs out, and
    no node need offer any. Empty where no node has GPUs."""
    found = {each.walk.name: each for each in chains}
    claimed = [each.name for each in nodes if by_claims and each.is_ready and not any(each.allocatable.values())]
    why = {each.name: _why(each, found) for each in nodes if each.name not in claimed or each.name in found}
    lines = [*_lines(why, saw_all=saw_all), *_claimed([name for name in claimed if name not in found])]
    return "".join(f"{on_one_line(line)}\n" for line in lines)


def _claimed(names: Sequence[str]) -> Iterator[str]:
    if names:
        yield f"Not counted: {_few(names)} (what their GPUs are is in ResourceSlices, and pods have them by claims)"


def _lines(why: Mapping[str, str], *, saw_all: bool) -> Iterator[str]:
    well, ill = [name for name, said in why.items() if not said], {name: said for name, said in why.items() if said}
    of = f"{len(well):,} of {len(why):,} nodes with GPUs"
    if well:
        yield f"{'Well' if saw_all else 'Nothing wrong was found, but not everything was seen'}: {_few(well)} ({of})"
    if ill:
        yield f"Not well: {_few([f'{name} ({said})' for name, said in ill.items()])}"


def _why(node: NodeGpus, found: Mapping[str, Chain]) -> str:
    chain = found.get(node.name)
    broken = chain.broken if chain is not None else None
    if broken is not None and broken.finding is not None and broken.link.id not in _OF_PODS:
        return broken.finding.rule
    if not node.is_ready:
        return "not ready"
    if not any(node.allocatable.values()) and not is_for_machines(node):
        return "offers no GPUs"
    if any(node.unhealthy(resource) for resource in node.capacity):
        return "some of its GPUs are unhealthy"
    return "something of it is not known or a warning" if chain is not None and broken is None else ""


def _few(words: Iterable[str]) -> str:
    every = list(words)
    more = f" and {len(every) - _NAMED:,} more" if len(every) > _NAMED else ""
    return f"{', '.join(every[:_NAMED])}{more}"
