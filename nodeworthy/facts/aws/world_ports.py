"""What the fleet lets be open to everyone, laid beside what is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.facts.aws.security_group import ALL, Opening, is_the_world
from nodeworthy.facts.aws.stack import AwsStack
from nodeworthy.fleet.model import Fleet
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Related, Unknown

NODE_PORTS = (30000, 32767)
PREFIX_LIST = "aws:ec2/managedPrefixList:ManagedPrefixList"


@dataclass(frozen=True, eq=False)
class PlannedFleet:
    """The fleet by which a whole stack is judged."""

    called: ClassVar[str] = "the stack's fleet"

    fleet: Fleet

    @property
    def place(self) -> Place:
        return self.fleet.place

    def says_what_is_open(self, opening: Opening) -> Iterator[Related]:
        network = self.fleet.network
        wide = [each for each in network.node_ports_from if _is_everyone(each)]
        if wide and opening.touches("tcp", *NODE_PORTS) is not False:
            yield from (Related(each.place, "nodePortsFrom lets everyone reach NodePorts") for each in wide)
            return
        public = network.open_to_the_world
        ports = ", ".join(str(each.port) for each in public)
        told = f"ports {ports} are open to everyone, and no other" if ports else "the fleet opens nothing to everyone"
        yield Related(public[0].place if public else network.place, told)


def _is_everyone(located: Located[str]) -> bool:
    return isinstance(located.state, Known) and is_the_world(str(located.state.value))


def allowed_ports(opening: Opening, planned: PlannedFleet | None) -> bool:
    """Whether every port of it is one that the fleet says is public."""
    if planned is None or opening.protocol.state == Known(ALL):
        return False
    first, last = opening.first.state, opening.last.state
    if isinstance(first, Unknown) or isinstance(last, Unknown):
        return False
    public = {each.port for each in planned.fleet.network.open_to_the_world}
    return last.value - first.value < len(public) and set(range(first.value, last.value + 1)) <= public


def prefix_list_fault(named: Located[str], stack: AwsStack) -> str | None:
    """Why what a prefix list holds is not known; None where it is, and is not the world."""
    if isinstance(named.state, Unknown):
        holder = stack.by_urn.get(named.state.of)
        if holder is None or holder.type != PREFIX_LIST:
            return named.state.why
        entries = [each.get("cidr").located() for each in holder.get("entries").sequence]
        if all(isinstance(each.state, Known) and not is_the_world(str(each.state.value)) for each in entries):
            return None
        return f"its prefix list '{holder.name}' holds ranges that are not known, or everyone"
    return f"the prefix list {named.state.value} is not of this stack"
