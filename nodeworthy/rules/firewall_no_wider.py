"""A node's firewall is opened for pods, and no wider: it stays on, denies by default, and lets nobody else in.

Where pods' traffic is kept back, `ufw disable` helps, and so do `ufw default allow routed` and `ufw allow from any`:
the pod resolves again, and every port of the node is open to whoever reaches it, kubelet's and the container
runtime's with it. What pods need are rules for their own interfaces and ranges (`pod-egress-forwarded` names them).
Kubelet's port (10250) is for the control plane, NodePorts are for those whom the fleet names (`network.nodePortsFrom`,
`network.openToTheWorld`). Any other single port that is opened is no matter of this rule.

firewalld is held to the same: it stays on, and the zone by which everybody's packets come is not one that lets all
through (`--set-default-zone=trusted`, the uplink or `0.0.0.0/0` in a trusted zone).

`ufw enable` below ssh asks whether to go on. Where nobody answers, as in a script that is given to ssh, it takes the
rest of that script for the answer and stays off: `ufw --force enable`. Nobody is asked at boot. What is let in by an
interface that is not known to lead out, a private network's, is let in from nobody else. Where a distribution's own
pages ask for it to be off (firewalld beside RKE2 and k3s, ufw beside k3s: "It is recommended to turn off ufw"), that it
is switched off is no fault, unless the fleet says that its nodes have ufw.

A node whose firewall is off fails where its pool says `firewall: ufw`, and where its boot script switches it off; a
script or tasks that switch swap off and speak of Kubernetes make one, though another joins it. On the node it is the
kernel that is asked whether ufw filters, and ufw's own file and unit whether it will after a reboot. Rules that
programs of Kubernetes write for themselves, in chains of their own, are theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.conditions import Guard
from nodeworthy.facts.boot.final_files import speaking_of
from nodeworthy.facts.boot.flaw import agreed_drafts
from nodeworthy.facts.boot.guards import guard_in_words
from nodeworthy.facts.boot.remote_script import RemoteScript
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.facts.boot.unread_steps import gaps
from nodeworthy.facts.firewall.firewall import FIREWALLD, Does, FirewallStep
from nodeworthy.facts.firewall.pod_needs import Pods
from nodeworthy.facts.firewall.pods import joins, pods_of, skip_unless_a_nodes
from nodeworthy.facts.firewall.runs import Run, runs
from nodeworthy.facts.firewall.steps import steps_in
from nodeworthy.facts.firewall.too_wide import flaws_of
from nodeworthy.facts.firewall.ufw_files import UfwFirewall
from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.firewall import (
    NodeFirewall,
    declared_firewall,
    once_booted,
    open_to_others,
    pods_behind,
    pool_with_ufw,
)
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.fleet.model import Firewall as Wanted
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Severity, fail, skip, unknown

RULE = Rule(
    "firewall-no-wider",
    severity=Severity.ERROR,
    incident="A",
    title="The firewall is open for pods, and no wider",
    remedy="ufw --force enable; ufw default deny incoming; ufw default deny routed; and rules for what pods need",
)

OFF = "a fresh Ubuntu has ufw installed, and off: every port of the node is open to whoever reaches it"
_WORDS = ("ufw", "firewall")


@RULE.check
def a_script_opens_no_more(script: BootScript, pool: BootPool | None) -> Findings:
    yield from _of_script(script, pool)


def _of_script(script: BootScript, pool: BootPool | None) -> Iterator[Draft]:
    steps = _steps_that_count(pool, steps_in(script.timeline))
    wanted = pool is not None and pool.pool.firewall is Wanted.UFW
    if not steps and not wanted:
        skip("this script does nothing to a firewall, and no pool asks for one")
    skip_unless_a_nodes(script, pool, steps)
    found = runs(steps)
    on = pool.title if pool is not None else ""
    if found is None:
        yield unknown(script.place, "the firewall depends on too many conditions to be decided").with_more(on=on)
        return
    flaws = _flaws(found, pods_of(pool, script), is_declared=wanted)
    if wanted and joins(script) and not flaws:
        flaws = _never_on(script, found)
    for flaw in flaws or _not_understood(steps):
        yield flaw.with_more(on=on, related=declared_firewall(pool) if wanted else ())


@RULE.check
def another_machines_script_opens_no_more(script: RemoteScript) -> Findings:
    yield from _of_script(script, None)


@RULE.check
def the_files_open_no_more(ufw: UfwFirewall, pool: BootPool | None) -> Findings:
    ufw.of_a_node()
    flaws = list(flaws_of(ufw.left(), pods_of(pool)))
    if pool is not None and not ufw.is_on and ufw.switch is not None:
        flaws.append(
            fail(
                ufw.switch.place, "ufw is off", should="ENABLED=yes", cause=OFF, is_="ENABLED=no", remedy="ENABLED=yes"
            )
        )
    for flaw in flaws or _not_understood(ufw.steps):
        yield flaw.with_more(on=pool.title if pool is not None else "", related=declared_firewall(pool))


@RULE.check
def the_node_is_open_to_nobody_else(firewall: NodeFirewall, identity: NodeIdentity, end: BootEnd) -> Findings:
    pods, pool = pods_behind(firewall, identity), pool_with_ufw(identity, firewall)
    flaws = open_to_others(firewall, pods, pool)
    yield from once_booted(end, [each.with_more(related=declared_firewall(pool)) for each in flaws])


def _steps_that_count(pool: BootPool | None, steps: Sequence[FirewallStep]) -> Sequence[FirewallStep]:
    """Where a pool says its system, that is one without firewalld: switching off what is not there opens nothing."""
    own = [each for each in steps if each.table == FIREWALLD]
    is_there = (
        pool is None or not isinstance(pool.pool.os.state, Known) or any(each.does is not Does.OFF for each in own)
    )
    return steps if is_there else [each for each in steps if each.table != FIREWALLD]


def _flaws(found: Sequence[Run], pods: Pods, *, is_declared: bool) -> list[Draft]:
    """Each fault once, however many runs have it; what only some fillings of a template have is a doubt."""
    filled: dict[Guard, list[Draft]] = {}
    for run in found:
        answers = tuple(each for each in run.when if each.question.is_of_template)
        filled.setdefault(answers, []).extend(flaws_of(run.firewall, pods, is_declared=is_declared))
    flaws = agreed_drafts(list(filled.values()))
    return list({(each.where, each.message): each for each in flaws}.values())


def _never_on(script: BootScript, found: Sequence[Run]) -> list[Draft]:
    off = next((each for each in found if not each.firewall.is_up), None)
    if off is None:
        return []
    gap = next(gaps(script.timeline, *_WORDS), None) or speaking_of(script.timeline, *_WORDS)
    if gap is not None:
        return [unknown(gap.place, "whether this step switches ufw on is not known")]
    when = guard_in_words(off.when) if len(found) > 1 else ""
    says = f"this script leaves ufw off if {when}" if when else "this script leaves ufw off"
    remedy = "behind its rules: ufw --force enable"
    return [fail(script.place, says, should="ufw --force enable", cause=OFF, is_="ufw is off", remedy=remedy)]


def _not_understood(steps: Sequence[FirewallStep]) -> list[Draft]:
    unread = next((each for each in steps if each.does.name == "UNREAD"), None)
    if unread is None:
        return []
    return [unknown(unread.place, f"whether this opens more than pods need is not known: {unread.why}")]
