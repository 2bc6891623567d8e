"""How a boot script joins its cluster: with which coordinates, how often, and what of that can't be right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from nodeworthy.boot.conditions import Asks, together
from nodeworthy.boot.effects import Act, Fetches, Joins, NotUnderstood, Stage, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import PartKind
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place

# What has to be said, in the words of each way of joining: the name, the endpoint, the CA, the service range.
_NEEDS = {
    "nodeadm": ("name", "apiServerEndpoint", "certificateAuthority", "cidr"),
    "bottlerocket": ("cluster-name", "api-server", "cluster-certificate"),
}
_DROP_INS = "/etc/eks/nodeadm.d/"
# Installed, and then started: that is one.
_IN_STEPS = ("k3s", "rke2")
_USER_DATA = ("user-data", "userdata", "user_data")
# `nodeadm init --skip run` writes the configuration and starts nothing.
_ONLY_CONFIG = pattern(r"(?:--skip|-s)[ =]\S*run")
_NOT_READ = (PartKind.OTHER_LANGUAGE, PartKind.INCLUDE, PartKind.OTHER)
# Words of what was not understood that may join a cluster.
JOINING = ("bootstrap", "nodeadm", "kubeadm", "join", "k3s", "rke2", "kubelet")


@dataclass(frozen=True)
class Coordinates:
    """What one way of joining says of the cluster; None for what it leaves out."""

    how: str
    place: Place
    cluster: Located[str] | None
    endpoint: Located[str] | None
    authority: Located[str] | None
    service_cidr: Located[str] | None
    dns: Located[str] | None = None

    @property
    def said(self) -> tuple[Located[str] | None, ...]:
        return self.cluster, self.endpoint, self.authority, self.service_cidr

    @property
    def document(self) -> str:
        return {"nodeadm": "the NodeConfig", "bottlerocket": "[settings.kubernetes]"}.get(self.how, self.how)

    @property
    def needs(self) -> str:
        return f"{', '.join(_NEEDS.get(self.how, ()))}"

    def missing_for(self, *, hybrid: bool) -> list[str]:
        """What must be said and is not. A hybrid node asks EKS for all but the name."""
        needs = _NEEDS.get(self.how, ())[: 1 if hybrid else None]
        return [name for name, said in zip(needs, self.said, strict=False) if said is None]


def coordinates(timeline: Timeline) -> list[Coordinates]:
    """Of every way of joining; NodeConfigs are merged, as nodeadm does it: what a later one says wins."""
    joins = list(timeline.of(Joins))
    told = [each for each in joins if each.tells]
    return [_of(each) for each in joins if not each.tells] + ([_merged(told)] if told else [])


def joins_of(script: BootScript) -> frozenset[str] | None:
    """The ways in which a script joins a cluster; None where what was not understood may do it."""
    timeline = script.timeline
    if found := frozenset(each.how for each in timeline.of(Joins)):
        return found
    unread = timeline.not_understood(*JOINING) is not None or any(each.runs for each in timeline.of(Fetches))
    return None if unread else found


def _of(joins: Joins) -> Coordinates:
    return Coordinates(
        joins.how, joins.place, joins.cluster, joins.endpoint, joins.authority, joins.service_cidr, joins.dns
    )


def _merged(told: list[Joins]) -> Coordinates:
    merged = _of(told[0])
    for each in told[1:]:
        merged = Coordinates(
            merged.how,
            merged.place if any(merged.said) else each.place,
            each.cluster or merged.cluster,
            each.endpoint or merged.endpoint,
            each.authority or merged.authority,
            each.service_cidr or merged.service_cidr,
        )
    return merged


def adds_node_configs(timeline: Timeline) -> bool:
    """Whether the script drops NodeConfigs that nodeadm-run merges over that of the user data."""
    return any(each.path.shown().startswith(_DROP_INS) for each in timeline.of(Writes))


@dataclass(frozen=True)
class Twice:
    """Two ways of joining that may both be gone in one boot."""

    # The one too many, and the one beside it.
    second: Joins
    other: Joins
    how: str
    says: str = "it joins here already"
    remedy: str = "drop one of the two, or put each under the condition for which it is meant"


def twice(timeline: Timeline) -> Iterator[Twice]:
    joins = [each for each in timeline.of(Joins) if not each.tells and each.stage < Stage.NODEADM_RUN]
    for index, second in enumerate(joins):
        for first in joins[:index]:
            if together(first.conditions, second.conditions) and not _is_fallback(first, second):
                yield Twice(second, first, f"{first.how}, then {second.how}")
                break
    yield from _beside_nodeadm_run(timeline, joins)


def _beside_nodeadm_run(timeline: Timeline, joins: Sequence[Joins]) -> Iterator[Twice]:
    """`nodeadm init` in a script, where nodeadm's own units join with the NodeConfig of the user data as well."""
    told = [each for each in timeline.of(Joins) if each.tells and each.how == "nodeadm"]
    if not told or _merged(told).missing_for(hybrid=False) or _turns_off_nodeadm(timeline):
        return
    for each in joins:
        asks_first = any("nodeadm" in condition.question.text for condition in each.conditions)
        if each.how == "nodeadm" and not asks_first and not _ONLY_CONFIG.search(each.command):
            says = "with this nodeadm-run joins by itself, when cloud-init is done"
            remedy = "drop this call, or the NodeConfig"
            yield Twice(each, told[-1], "nodeadm init, then nodeadm-run", says, remedy)
            return


def _turns_off_nodeadm(timeline: Timeline) -> bool:
    off = (Act.MASK, Act.DISABLE, Act.STOP)
    return any("nodeadm" in each.unit.shown() and each.act in off for each in timeline.of(Unit))


def _is_fallback(first: Joins, second: Joins) -> bool:
    """Tried because the first one failed, or when the script is left; or both are steps of one join."""
    if first.how == second.how and first.how in _IN_STEPS:
        return True
    for each in second.conditions:
        if each.question.asks is Asks.TRAP or (each.question.asks is Asks.SUCCESS and each.answer == "no"):
            return True
    return "--skip" in first.command and "--skip" in second.command


def makes_a_node(script: BootScript) -> bool:
    """Whether this is all that a node boots with, and not a script that helps with something."""
    if script.place.urn is not None or PurePath(script.place.path or "").name.startswith(_USER_DATA):
        return True
    starts = (each for each in script.timeline.of(Unit) if each.act in (Act.ENABLE, Act.START))
    return any(each.unit.known == "kubelet.service" for each in starts)


def may_join(script: BootScript) -> NotUnderstood | Fetches | BootScript | None:
    """What was not read or understood, and may do it."""
    gap = script.timeline.not_understood(*JOINING)
    runs = next((each for each in script.timeline.of(Fetches) if each.runs), None)
    unread = script.userdata.unread or any(part.kind in _NOT_READ for part in script.userdata.parts)
    return gap or runs or (script if unread else None)
