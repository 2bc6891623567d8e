"""How a boot script joins its cluster: with which coordinates, how often, and what of that can't be right."""

from __future__ import annotations

import base64
import ipaddress
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath

from nodeworthy.boot.conditions import Asks, together
from nodeworthy.boot.effects import Act, Fetches, Joins, NotUnderstood, Stage, Unit, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import PartKind
from nodeworthy.documents.settled import is_placeholder
from nodeworthy.facts.boot.families import BOOTSTRAP, BOTTLEROCKET, NODEADM
from nodeworthy.facts.boot.pools import named_pool
from nodeworthy.facts.boot.script import POOL_LABEL, BootScript, NotInFleet
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Findings, Known, Located, Place, Related, fail

# What has to be said, in the words of each way of joining: the name, the endpoint, the CA, the service range.
_NEEDS = {
    "nodeadm": ("name", "apiServerEndpoint", "certificateAuthority", "cidr"),
    "bottlerocket": ("cluster-name", "api-server", "cluster-certificate"),
}
_DROP_INS = "/etc/eks/nodeadm.d/"
# Installed, and then started: that is one.
_IN_STEPS = ("k3s", "rke2")
_DROP = "drop one of the two, or put each under the condition for which it is meant"
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
    """The coordinates of every way of joining. NodeConfigs are merged as nodeadm does it: what a later one says
    wins."""
    joins = list(timeline.of(Joins))
    told = [each for each in joins if each.tells]
    return [_coordinates_of(each) for each in joins if not each.tells] + ([_merged(told)] if told else [])


def joins_of(script: BootScript) -> frozenset[str] | None:
    """The ways in which a script joins a cluster; None where what was not understood may do it."""
    timeline = script.timeline
    if found := frozenset(each.how for each in timeline.of(Joins)):
        return found
    unread = timeline.not_understood(*JOINING) is not None or any(each.runs for each in timeline.of(Fetches))
    return None if unread else found


def _coordinates_of(joins: Joins) -> Coordinates:
    return Coordinates(
        joins.how, joins.place, joins.cluster, joins.endpoint, joins.authority, joins.service_cidr, joins.dns
    )


def _merged(told: list[Joins]) -> Coordinates:
    merged = _coordinates_of(told[0])
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


def joins_twice(timeline: Timeline) -> Findings:
    joins = [each for each in timeline.of(Joins) if not each.tells and each.stage < Stage.NODEADM_RUN]
    if any(is_no_cluster(each.how, each.authority) for each in joins):
        return
    for index, second in enumerate(joins):
        for first in joins[:index]:
            is_one_way = together(first.conditions, second.conditions) and not _on_other_hosts(first, second)
            if is_one_way and not _is_fallback(first, second):
                yield _second(
                    second, Related(first.place, "it joins here already"), f"{first.how}, then {second.how}", _DROP
                )
                break
    yield from _beside_nodeadm_run(timeline, joins)


# What Ansible asks of the host that it is at.
_OF_A_HOST = pattern(r"inventory_hostname|group_names|groups\[|groups\.|ansible_(?:hostname|host|fqdn|nodename)")


def _on_other_hosts(first: Joins, second: Joins) -> bool:
    """Whether each of them stands under a question of its own about who it is: `'manager2' in inventory_hostname`."""
    one, other = ({each.question.text for each in join.conditions} for join in (first, second))
    asked = [{text for text in said if _OF_A_HOST.search(text)} for said in (one, other)]
    return all(asked) and asked[0] != asked[1]


def is_no_cluster(how: str, authority: Located[str] | None) -> bool:
    """Whether bootstrap.sh is only tried out: its CA is a word in base64, as in the tests of whoever builds images."""
    if how != BOOTSTRAP:
        return False
    said = authority.state.value if authority is not None and isinstance(authority.state, Known) else ""
    try:
        word = base64.b64decode(said, validate=True)
    except ValueError:
        return False
    return 0 < len(word) < _SHORTER_THAN_ANY_CA and not word.startswith(b"-")


_SHORTER_THAN_ANY_CA = 32


def _beside_nodeadm_run(timeline: Timeline, joins: Sequence[Joins]) -> Findings:
    """`nodeadm init` in a script, where nodeadm's own units join with the NodeConfig of the user data as well."""
    told = [each for each in timeline.of(Joins) if each.tells and each.how == "nodeadm"]
    if not told or _merged(told).missing_for(hybrid=False) or _turns_off_nodeadm(timeline):
        return
    for each in joins:
        asks_first = any("nodeadm" in condition.question.text for condition in each.conditions)
        if each.how == "nodeadm" and not asks_first and not _ONLY_CONFIG.search(each.command):
            says = "with this nodeadm-run joins by itself, when cloud-init is done"
            remedy = "drop this call, or the NodeConfig"
            yield _second(each, Related(told[-1].place, says), "nodeadm init, then nodeadm-run", remedy)
            return


def _second(second: Joins, other: Related, how: str, remedy: str) -> Draft:
    """The one too many of two ways of joining that may both be gone in one boot."""
    return fail(
        second,
        "joins the cluster a second time on the same path",
        is_=how,
        should="joined once",
        related=[other],
        cause="kubelet is configured and started again while it runs, with what the last one says",
        remedy=remedy,
    )


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
    if script.place.urn is not None or PurePath(script.place.file).name.startswith(_USER_DATA):
        return True
    starts = (each for each in script.timeline.of(Unit) if each.act in (Act.ENABLE, Act.START))
    return any(each.unit.known == "kubelet.service" for each in starts)


def may_join(script: BootScript) -> NotUnderstood | Fetches | BootScript | None:
    """What was not read or understood, and may do it."""
    gap = script.timeline.not_understood(*JOINING)
    runs = next((each for each in script.timeline.of(Fetches) if each.runs), None)
    unread = script.userdata.unread or any(part.kind in _NOT_READ for part in script.userdata.parts)
    return gap or runs or (script if unread else None)


# What of a cluster's coordinates can't be right, whatever the cluster is.

_BEGINS = "-----BEGIN CERTIFICATE-----"
# That in base64.
_PACKED = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FUR"
_BASE64 = pattern(r"[A-Za-z0-9+/]+")
_MARK = pattern(r"\{\{|^(?:https?://)?(?:%[sdv]|<[^<>]+>)$|(?i:\byour[-_])")
# Who answers there is no cluster: what tests nodeadm.
_ITSELF = pattern(r"http://(?:localhost|127\.|0\.0\.0\.0|\[::1\])")
_OTHER_PEM = pattern(r"-----BEGIN (?P<what>[A-Z0-9 ]*(?:KEY|REQUEST|CRL))-----")
_NEVER_JOINS = "kubelet can't reach the cluster or does not trust it, and the node never joins"
StandsFor = Callable[[str], str | None]


def malformed_coordinates(at: Coordinates, stands_for: StandsFor) -> Findings:
    """Values that are known and can't be right; those that a preview made up are right by themselves."""
    checked = [(at.service_cidr, "the service range", _fault_of_range, "such as 172.20.0.0/16")]
    if at.how in (NODEADM, BOOTSTRAP, BOTTLEROCKET):
        pem = "base64 of the cluster's certificate (`certificateAuthority.data`)"
        checked += [
            (at.endpoint, "the endpoint", _fault_of_endpoint, "https://…"),
            (at.authority, "the CA", _fault_of_authority, pem),
        ]
    for located, called, fault_of, should in checked:
        if located is None or not isinstance(located.state, Known):
            continue
        value = str(located.state.value)
        fault = None if stands_for(value) or is_filled_in(value) else fault_of(value)
        if fault is not None:
            yield fail(located, f"{called} {fault}", is_=_shortened(value), should=should, cause=_NEVER_JOINS)
    yield from _of_two_clusters(at, stands_for)


def is_filled_in(value: str) -> bool:
    """Whether a program's format, a template or a person puts the value in its place: it is none."""
    return is_placeholder(value) or "${" in value or _MARK.search(value) is not None


def _of_two_clusters(at: Coordinates, stands_for: StandsFor) -> Findings:
    """Finds coordinates that belong to two clusters. A simulated output is made up, but the cluster it belongs to is
    known."""
    first = ""
    for each in at.said:
        origin = stands_for(str(each.state.value)) if each is not None and isinstance(each.state, Known) else None
        cluster = origin.rpartition(" of ")[2] if origin else ""
        if each is not None and first and cluster not in ("", first):
            both = f"{first} and {cluster}"
            message = f"joins with outputs of two clusters: {both}"
            yield fail(each, message, is_=both, should="outputs of one cluster", cause=_NEVER_JOINS)
            return
        first = first or cluster


def _fault_of_endpoint(value: str) -> str | None:
    if value.startswith("http://") and not _ITSELF.match(value):
        return "is http, and EKS answers https alone"
    return None if value.strip() else "is empty"


def _fault_of_range(value: str) -> str | None:
    try:
        ipaddress.ip_network(value.strip(), strict=False)
    except ValueError:
        return "is no range of addresses"
    return None if "/" in value else "is an address and no range of them: the mask is missing"


def same_range(one: str, other: str) -> bool:
    try:
        return ipaddress.ip_network(one, strict=False) == ipaddress.ip_network(other, strict=False)
    except ValueError:
        return one == other


def is_outside(address: str, range_: str) -> bool:
    """One of the link itself is of a cache that runs on the node, and is in no cluster's range."""
    try:
        of = ipaddress.ip_address(address)
        return of not in ipaddress.ip_network(range_, strict=False) and not of.is_link_local
    except ValueError:
        return False


def _fault_of_authority(value: str) -> str | None:
    """Why this can't be what nodeadm takes. A certificate that is cut short is let pass: examples have such ones."""
    if _BEGINS in value:
        return "is a certificate as it is, and must be in base64"
    encoded = "".join(value.split()).rstrip("=")
    if not _BASE64.fullmatch(encoded):
        return "is no base64"
    decoded = base64.b64decode(encoded[: len(encoded) // 4 * 4]).decode("latin-1")
    if decoded.startswith(_PACKED):
        return "is in base64 twice"
    other = _OTHER_PEM.match(decoded)
    return f"is base64 of another thing: {other['what'].lower()}" if other is not None else None


def _shortened(value: str) -> str:
    value = " ".join(value.split())
    return value if len(value) <= 60 else f"{value[:40]}… ({len(value)} characters)"


# The pool that a node says it is of, where it is not the one that it boots for.

_CAUSE = "nobody finds these nodes by their pool, and nothing is checked of them"


def another_pool(script: BootScript) -> Iterator[Draft]:
    named = named_pool(script.timeline)
    unheard_of = not script.pools and isinstance(script.no_pool, NotInFleet) and script.no_pool.pool == named
    others = [each.pool for each in script.pools if each.pool.name != named]
    if named is None or not (unheard_of or others):
        return
    labelled = next(each for each in script.timeline.of(Joins) if (POOL_LABEL, named) in each.labels)
    says = f"the node says that it is of the pool '{named}', "
    says += f"and what starts it that it is of '{others[0].name}'" if others else "which the fleet does not have"
    right = f"{POOL_LABEL}={others[0].name}" if others else ""
    yield fail(
        labelled.place,
        says,
        should=right or "a pool of the fleet",
        cause=_CAUSE,
        is_=f"{POOL_LABEL}={named}",
        remedy=f"label it {right}" if right else "name one of the pools that `nodeworthy fleet` shows",
        related=tuple(Related(each.place, f"pool '{each.name}' is declared here") for each in others),
    )
