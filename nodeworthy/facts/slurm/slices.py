"""How many CPUs and how much memory a job asks for beside its slice of a GPU, and what its site seems to allow."""

from __future__ import annotations

from collections.abc import Iterable

from nodeworthy.facts.slurm.lines import Option
from nodeworthy.facts.slurm.quantities import megabytes
from nodeworthy.facts.slurm.request import SlurmRequest
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import NotKnown, need

CPUS, MEMORY = ("cpus-per-task", "cpus-per-gpu"), ("mem", "mem-per-cpu", "mem-per-gpu")
# What sites allow that say little of it; memory in megabytes.
MOST_CPUS, MOST_MEMORY = 1, 16 * 1024
_SEVENTHS = pattern(r"(?<!\d)(\d)g[._]\d+gb")
# So many other jobs that ask for more are no slip.
_ENOUGH = 3


@dataclass(frozen=True, slots=True)
class Slices:
    """What other jobs of the same site ask for; nought where they say nothing."""

    cpus: int = 0
    memory: int = 0


def is_large(says: Option) -> bool:
    """A slice of several sevenths of a GPU: who makes those gives them more than a CPU."""
    found = _SEVENTHS.search(says.written)
    return found is not None and int(found[1]) > 1


def cpus_of(request: SlurmRequest, option: Option) -> tuple[int, int]:
    """All together, and of how many tasks."""
    tasks = request.tasks if option.name == "cpus-per-task" else sum(each.count for each in request.gpus) or 1
    return (request.count(option.name) or 1) * tasks, tasks


def memory_of(request: SlurmRequest, option: Option) -> int | None:
    """In megabytes; nought is all that a node has."""
    each = megabytes(need(option.value))
    return each * _times(request, option) if each is not None else None


def _times(request: SlurmRequest, option: Option) -> int:
    if option.name == "mem":
        return request.nodes
    if option.name == "mem-per-gpu":
        return sum(each.count for each in request.gpus) or 1
    return (request.count("cpus-per-task") or 1) * request.tasks


def allowed(requests: Iterable[SlurmRequest]) -> Slices:
    """What at least so many jobs ask for is what the site allows."""
    cpus, memory = list[int](), list[int]()
    for request in requests:
        try:
            if request.mig is None:
                continue
            asked, held = request.option(*CPUS), request.option(*MEMORY)
            cpus += [cpus_of(request, asked)[0]] if asked is not None else []
            memory += [memory_of(request, held) or 0] if held is not None else []
        except NotKnown:
            continue
    return Slices(_common(cpus, MOST_CPUS), _common(memory, MOST_MEMORY))


def _common(numbers: list[int], most: int) -> int:
    more = [each for each in numbers if each > most]
    return max(more) if len(more) >= _ENOUGH else 0
