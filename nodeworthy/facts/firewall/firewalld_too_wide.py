"""What opens firewalld wider than pods need it: everybody's packets come by a zone that lets all through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.text import Text
from nodeworthy.facts.boot.flaw import Flaw, doubt
from nodeworthy.facts.firewall.firewall import FIREWALLD, Chains, Step
from nodeworthy.facts.firewall.firewalld import Firewalld, Zone
from nodeworthy.facts.firewall.needs import Pods, needs
from nodeworthy.facts.firewall.ranges import is_world
from nodeworthy.facts.firewall.remedies import Remedies
from nodeworthy.known.pod_interfaces import is_uplink

_OPEN = "everybody reaches every port of the node"


def narrow(pods: Pods) -> str:
    """What lets pods through, and nobody else."""
    return "; ".join(Remedies(Chains(FIREWALLD, owner=FIREWALLD), needs(pods), pods, "", {}).commands())


def flaws_of(firewalld: Firewalld, pods: Pods) -> Iterator[Flaw]:
    config = firewalld.now
    default = config.zone("")
    by = config.chosen or default.opened
    if default.accepts and by is not None:
        yield _flaw(by, f"the default zone lets everything through: {_OPEN}", pods)
    for name, zone in config.zones.items():
        if zone.accepts and zone is not default:
            yield from _ends(name, zone, pods)


def _ends(name: str, zone: Zone, pods: Pods) -> Iterator[Flaw]:
    for interface, step in zone.interfaces:
        if is_uplink(interface.known or ""):
            says = f"the zone {name} lets everything through, and {interface.known} is in it: {_OPEN}"
            yield _flaw(step, says, pods)
    for source, step in _known(zone.sources):
        if is_world(source):
            yield _flaw(step, f"the zone {name} lets everything through, and everybody is in it: {_OPEN}", pods)
    for source, step in zone.sources:
        if source.holes:
            yield doubt(step.place, f"whether {source.shown()} is everybody is not known: {source.why}")


def _known(sources: Sequence[tuple[Text, Step]]) -> Iterator[tuple[Text, Step]]:
    yield from (each for each in sources if each[0].known)


def _flaw(step: Step, says: str, pods: Pods) -> Flaw:
    cause = "pods need their own interfaces and ranges let through, and nobody else's"
    return Flaw(step.place, says, narrow(pods), cause, step.command, f"instead: {narrow(pods)}")
