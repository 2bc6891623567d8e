"""What the fleet lets be open to everyone, laid beside what is; what a script has another cloud open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.facts.aws.security_group import ALL, Opening, is_the_world
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.fleet.model import Fleet
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Related, Unknown

NODE_PORTS = (30000, 32767)
PREFIX_LIST = "aws:ec2/managedPrefixList:ManagedPrefixList"
PREFIX_LIST_ENTRY = "aws:ec2/managedPrefixListEntry:ManagedPrefixListEntry"


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
        wide = [each for each in network.node_ports_from if is_everyone(each)]
        if wide and opening.touches("tcp", *NODE_PORTS) is not False:
            yield from (Related(each.place, "nodePortsFrom lets everyone reach NodePorts") for each in wide)
            return
        public = network.open_to_the_world
        ports = ", ".join(str(each.port) for each in public)
        told = f"ports {ports} are open to everyone, and no other" if ports else "the fleet opens nothing to everyone"
        yield Related(public[0].place if public else network.place, told)


def is_everyone(located: Located[str]) -> bool:
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


def listed_ranges(named: Located[str], stack: AwsStack) -> Sequence[Located[str]]:
    """The ranges that a prefix list of this stack holds, written in it or beside it; one that is not known where the
    list is of another stack, or holds nothing."""
    holder = _holder(named, stack)
    if holder is None:
        state = named.state
        why = state.why if isinstance(state, Unknown) else f"the prefix list {state.value} is not of this stack"
        return [Located.unknown(why, named.place)]
    ranges = [each.get("cidr").located() for each in holder.get("entries").sequence]
    ranges += [each.get("cidr").located() for each in stack.pointing_at(holder, "prefixListId", (PREFIX_LIST_ENTRY,))]
    empty = f"nothing says what its prefix list '{holder.name}' holds"
    return [_range(each) for each in ranges] or [Located.unknown(empty, named.place)]


def _holder(named: Located[str], stack: AwsStack) -> AwsResource | None:
    """A list of AWS's own (pl-…, of S3 say) and one of another stack are none of these."""
    if not isinstance(named.state, Unknown):
        return next((each for each in stack.of(PREFIX_LIST) if named.state.value in each.known_as), None)
    holder = stack.by_urn.get(named.state.of)
    return holder if holder is not None and holder.type == PREFIX_LIST else None


def _range(located: Located[object]) -> Located[str]:
    if isinstance(located.state, Unknown):
        return Located(located.state, located.place)
    return Located.known(str(located.state.value), located.place)


@dataclass(frozen=True)
class OpenedPort:
    """One that a script has a cloud open, Google's or Azure's, of a machine with GPUs that it makes there; or that a
    rule of its firewall opens beside machines and pools of Terraform's."""

    called: ClassVar[str] = "a port that a cloud's client opens"

    place: Place
    # What opens it, as its cloud calls it: `firewall rule 'jupyter'`.
    title: str
    ports: str
    # As it is written; empty where the client's default is everyone.
    source: str
    is_to_everyone: bool
    machine: Place
    machine_title: str
    is_of_a_script: bool = True
    # Why it is not known to whom.
    why: str = ""
