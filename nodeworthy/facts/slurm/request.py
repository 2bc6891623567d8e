"""What a job asks Slurm for: nodes, tasks, GPUs, memory, time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from nodeworthy.facts.slurm.lines import Option
from nodeworthy.known.slurm import says_mig
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import NotKnown, Place, need, value_if_known

# Times, memory and counts as Slurm spells them.

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_ALONE = {1: (_MINUTE,), 2: (_MINUTE, 1), 3: (_HOUR, _MINUTE, 1)}
_MEMORY = pattern(r"(\d+)([KMGT])?B?", re.IGNORECASE)
_UNITS = {"K": 1 / 1024, "M": 1, "G": 1024, "T": 1024 * 1024}
ENDLESS = ("infinite", "unlimited", "0", "-1")


def seconds(text: str) -> int | None:
    """Reads `minutes`, `m:s`, `h:m:s`, `days-h`, `days-h:m` and `days-h:m:s`. None for any other form."""
    days, dash, rest = text.strip().partition("-")
    if not dash:
        days, rest = "0", text.strip()
    parts = rest.split(":")
    if not days.isdigit() or not all(part.isdigit() for part in parts) or len(parts) > 3:
        return None
    numbers = [int(part) for part in parts]
    # A number alone is minutes, one behind days is hours.
    weights = _ALONE[len(numbers)] if not dash else _ALONE[3]
    return int(days) * _DAY + sum(number * weight for number, weight in zip(numbers, weights, strict=False))


def megabytes(text: str) -> int | None:
    """The memory in megabytes, which Slurm assumes without a unit."""
    found = _MEMORY.fullmatch(text.strip())
    return int(int(found[1]) * _UNITS[(found[2] or "M").upper()]) if found else None


def least(text: str) -> int | None:
    """The smallest number of `4`, `2-4`, `1k`."""
    found = re.fullmatch(r"(\d+)(k)?(?:-\d+k?)?(?::\d+)?", text.strip())
    return int(found[1]) * (1024 if found[2] else 1) if found else None


def duration_in_words(duration: int) -> str:
    """A duration for a reader."""
    if duration % _HOUR == 0 and duration:
        return f"{duration // _HOUR} h"
    return f"{duration // _MINUTE} min" if duration % _MINUTE == 0 and duration > _MINUTE else f"{duration} s"


# Where GPUs are asked for, and of what the number is.
_PER = {"gres": "node", "gpus-per-node": "node", "gpus": "job", "gpus-per-task": "task", "gpus-per-socket": "socket"}
# Slurm sets each of them for the option of its name only, whatever else gives the job its GPUs (sbatch(1)).
_SET_FOR = {
    "SLURM_GPUS": "gpus",
    "SLURM_GPUS_PER_NODE": "gpus-per-node",
    "SLURM_GPUS_PER_TASK": "gpus-per-task",
}
_IN_LIST = ("gres", "tres-per-task", "tres-per-job", "tres-per-node")
# Without one of them there is nothing to judge.
_AT_LEAST_ONE = ("nodes", "ntasks", "ntasks-per-node")
_GRES_GPU = pattern(r"(?:gres[/:])?gpu(?:[:=](?P<rest>[^()]*))?(?:\([^)]*\))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GpuAsk:
    option: Option
    type: str | None
    count: int
    # node, job, task or socket
    per: str

    @property
    def place(self) -> Place:
        return self.option.place


@dataclass(frozen=True)
class SlurmRequest:
    place: Place
    options: Sequence[Option]

    def option(self, *names: str) -> Option | None:
        """The last one counts."""
        return next((each for each in reversed(self.options) if each.name in names and not each.dead), None)

    def dead(self, *names: str) -> Option | None:
        return next((each for each in self.options if each.name in names and each.dead), None)

    def text(self, name: str) -> str | None:
        """None where nobody asks for it; ends the judgement where it is filled in later."""
        option = self.option(name)
        return need(option.value) if option is not None else None

    def shown(self, name: str) -> str:
        """What is known of it: empty where nothing is."""
        option = self.option(name)
        return (value_if_known(option.value) or "") if option is not None else ""

    def count(self, name: str) -> int | None:
        text = self.text(name)
        if text is None:
            return None
        number = least(text)
        option = self.option(name)
        place = option.place if option is not None else self.place
        if number is None:
            raise NotKnown(f"--{name}={text} is no number", place)
        if number == 0 and name in _AT_LEAST_ONE:
            # Some releases refuse it, and others take it for a job that starts nothing (of burst buffers).
            raise NotKnown(f"--{name}=0 asks for none", place)
        return number

    @cached_property
    def nodes(self) -> int:
        """The number of nodes that the job gets at least."""
        nodes = self.count("nodes")
        if nodes is not None:
            return nodes
        for whole, each in (("ntasks", "ntasks-per-node"), ("gpus", "gpus-per-node")):
            total, per_node = self._number(whole), self._number(each)
            if total and per_node:
                return -(-total // per_node)
        return 1

    def _number(self, name: str) -> int | None:
        if name.startswith("gpus"):
            asked = [each.count for each in self.gpus if each.option.name == name]
            return sum(asked) or None
        return self.count(name)

    @cached_property
    def tasks_per_node(self) -> int:
        per_node, tasks, gpus = (self.count(each) for each in ("ntasks-per-node", "ntasks", "ntasks-per-gpu"))
        if tasks is not None:
            # Where both are said, the number per node is the most that it may be.
            shared = -(-tasks // self.nodes)
            return min(shared, per_node) if per_node is not None else shared
        if per_node is not None:
            return per_node
        return gpus * max(1, self.gpus_per_node or 1) if gpus is not None else 1

    @cached_property
    def tasks(self) -> int:
        return self.count("ntasks") or self.tasks_per_node * self.nodes

    @cached_property
    def gpus(self) -> tuple[GpuAsk, ...]:
        return tuple(ask for option in self.options if self.option(option.name) is option for ask in _asks(option))

    @cached_property
    def gpus_per_node(self) -> int | None:
        """None where it asks for none, or says no number."""
        for per in ("node", "task", "job"):
            count = sum(each.count for each in self.gpus if each.per == per)
            if count and per == "node":
                return count
            if count and per == "task" and self.option("ntasks", "ntasks-per-node") is None:
                # How many tasks there are is said where it is submitted.
                return None
            if count and per == "task":
                return count * (self.count("ntasks-per-node") or -(-(self.count("ntasks") or 1) // self.nodes))
            if count:
                return -(-count // self.nodes)
        return None

    @cached_property
    def empty(self) -> Mapping[str, str]:
        """Variables that Slurm does not set for this job, and the option that each is for. A job that asks for GPUs
        only where it is submitted may do so by any of them."""
        asked = {option.name for option in self.options if option.name in _PER or option.name in _IN_LIST}
        return {name: option for name, option in _SET_FOR.items() if option not in asked} if asked else {}

    @cached_property
    def mig(self) -> Option | None:
        """What says that it wants a slice of a GPU."""
        for ask in self.gpus:
            if ask.type is not None and says_mig(ask.type):
                return ask.option
        names = ("partition", "constraint")
        return next((self.option(name) for name in names if any(map(says_mig, self.named(name)))), None)

    @property
    def mig_said(self) -> bool:
        """Whether anything in it speaks of slices; nothing ends here that is filled in later."""
        return any(says_mig(word) for option in self.options for word in re.findall(r"[\w.+-]+", option.written))

    def named(self, name: str) -> tuple[str, ...]:
        """The words of a list: `gpu-a100,gpu-v100`; `a100|v100`, `[a100&nvlink]`."""
        return tuple(re.findall(r"[\w.+-]+", self.shown(name)))


def _asks(option: Option) -> Iterator[GpuAsk]:
    if option.name in _IN_LIST:
        for part in re.split(r",(?![^()]*\))", need(option.value)):
            found = _GRES_GPU.fullmatch(part.strip())
            if found is not None:
                yield _ask(option, found["rest"] or "", "task" if option.name == "tres-per-task" else "node")
    elif option.name in _PER:
        for part in need(option.value).split(","):
            yield _ask(option, part.strip(), _PER[option.name])


def _ask(option: Option, rest: str, per: str) -> GpuAsk:
    """`4`, `a100`, `a100:4`."""
    kind, _, count = rest.rpartition(":") if ":" in rest else ("", "", rest)
    if count and not count.isdigit():
        kind, count = (f"{kind}:{count}" if kind else count), "1"
    return GpuAsk(option, kind or None, int(count or "1"), per)


# How many CPUs and how much memory a job asks for beside its slice of a GPU, and what its site seems to allow.

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
    """The memory in megabytes; nought is all that a node has."""
    each = megabytes(need(option.value))
    return each * _times(request, option) if each is not None else None


def _times(request: SlurmRequest, option: Option) -> int:
    if option.name == "mem":
        return request.nodes
    if option.name == "mem-per-gpu":
        return sum(each.count for each in request.gpus) or 1
    return (request.count("cpus-per-task") or 1) * request.tasks


def allowed_slices(requests: Iterable[SlurmRequest]) -> Slices:
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
