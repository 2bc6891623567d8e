"""What a job asks Slurm for: nodes, tasks, GPUs, memory, time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from nodeworthy.facts.slurm.lines import Option
from nodeworthy.facts.slurm.quantities import least
from nodeworthy.known.slurm import says_mig
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, NotKnown, Place, need

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
        return option.value.state.value if option is not None and isinstance(option.value.state, Known) else ""

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
        """As many as it gets at least."""
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
