"""Firewalls: commands, files, what a kernel lists, and what all of them leave open for pods."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import replace

from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.origin import Straight
from nodeworthy.boot.text import Hole, Text
from nodeworthy.boot.unpack import unpack
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.firewall.effective import firewall_of_iptables, written_by_people
from nodeworthy.facts.firewall.firewall import Chains, Does, Filter, FirewallStep, Side
from nodeworthy.facts.firewall.hooked import firewall_of_nft, firewall_of_other_tables
from nodeworthy.facts.firewall.iptables import act_of
from nodeworthy.facts.firewall.nft import NftReader
from nodeworthy.facts.firewall.pod_needs import Pods, covers, is_gone, needs
from nodeworthy.facts.firewall.pod_traffic import BlockedTraffic, blocked_traffic, lets, why_almost, why_not_known
from nodeworthy.facts.firewall.pods import (
    FileBeside,
    lines_of,
    networks_in,
    pods_shown_by,
    shown_in_files,
    speaks_of_pods,
)
from nodeworthy.facts.firewall.runs import runs
from nodeworthy.facts.firewall.state import Firewall
from nodeworthy.facts.firewall.steps import steps_in, unread_step_amid
from nodeworthy.facts.firewall.too_wide import flaws_of
from nodeworthy.facts.firewall.ufw_command import ufw_command
from nodeworthy.facts.firewall.ufw_files import KINDS, UfwFile, firewalls
from nodeworthy.fleet.model import Network, OpenPort
from nodeworthy.known.pod_interfaces import network, networks_of_distribution, there
from nodeworthy.verdict import Draft, Known, Located, Place
from tests.facts.shown import shown

RANGE = ipaddress.ip_network("10.1.0.0/16")
SERVICES = ipaddress.ip_network("10.96.0.0/12")
HERE, HOST = Place("boot.sh"), Place(host="n1")
_DECLARED = Network(
    HERE,
    vpc_cidr=Located(Known("10.0.0.0/20"), HERE),
    zone=Located(Known(None), HERE),
    node_ports_from=(Located(Known("10.40.8.0/21"), HERE),),
    open_to_the_world=(OpenPort(HERE, 30080, "the ingress"),),
)
# Whose pods are asked about, by the word that a table begins with.
PODS = {
    "anybody": Pods(),
    "ranges": Pods(RANGE, SERVICES),
    "cilium": Pods(RANGE, networks=networks_of_distribution("k8s-snap")),
    "flannel": Pods(networks=(network("flannel"),), uplink="$UPLINK"),
    "calico": Pods(networks=(network("calico"),)),
    "either": Pods(networks=(network("flannel"), network("calico"))),
    "usual": Pods(
        networks=networks_of_distribution("k3s"),
        usual_range=ipaddress.ip_network("10.42.0.0/16"),
        usual_services=ipaddress.ip_network("10.43.0.0/16"),
        distribution="k3s",
        is_guessed=True,
    ),
    "seen": Pods(
        RANGE, None, there(["lxc1234"]), are_seen=True, uplink="eno1", neighbours=ipaddress.ip_network("192.0.2.0/24")
    ),
    "overlaid": Pods(RANGE, None, there(["lxc1234"]), are_seen=True, uplink="eno1", is_overlaid=True),
    "routes": Pods(networks=(network("flannel"),), seen_range=ipaddress.ip_network("10.42.0.0/24"), are_seen=True),
    # A fleet says who reaches NodePorts, and opens one port to everybody.
    "declared": Pods(RANGE, SERVICES, network=_DECLARED),
}


def words_of(line: str) -> list[Text]:
    return [Text.of(Hole(word, "it is given") if word.startswith("$") else word) for word in line.split()]


def _ufw(line: str) -> Iterator[str]:
    yield shown(ufw_command(words_of(line)))


def _iptables(line: str) -> Iterator[str]:
    yield shown(act_of(words_of(line)))


def _nft(text: str) -> Iterator[str]:
    """Several commands in the order in which they are given."""
    reader = NftReader()
    pieces = [Hole(piece, "it is given") if piece.startswith("$") else piece for piece in _with_holes(text)]
    yield from map(shown, reader.read(Text.of(*pieces)))


def _with_holes(text: str) -> list[str]:
    before, dollar, behind = text.partition("$")
    name, blank, rest = behind.partition(" ")
    return [before, *([f"${name}", f"{blank}{rest}"] if dollar else [])]


def filter_in_words(rule: Filter) -> str:
    ends = (("in", rule.in_), ("out", rule.out), ("from", rule.source), ("to", rule.to))
    told = [f"{name} {end.shown()}" for name, end in ends if end]
    told += [rule.limits] if rule.limits else []
    told += ["narrowed"] if rule.is_narrowed else []
    told += [f"unless ({filter_in_words(each)})" for each in rule.unless]
    does = {True: "lets", False: "drops", None: "asks elsewhere"}[rule.allows]
    return f"{does} {rule.side.value}: {', '.join(told) or 'everything'}"


def _chains(chains: Chains) -> Iterator[str]:
    owner = f" of {chains.owner}" if chains.owner else ""
    yield f"= {chains.name}{owner}{f' at {chains.hook}' if chains.hook else ''}"
    for side in Side:
        is_open, step = chains.policy(side)
        if step is not None:
            yield f"policy {side.value}: {'open' if is_open else 'closed'} by {_step(step)}"
    for rule, step in chains.rules:
        yield f"{filter_in_words(rule)} | {_step(step)}"


def _step(step: FirewallStep) -> str:
    why = f" ({step.why})" if step.why else ""
    return f"{shown(step.place)} {step.does.name} {step.command!r}{why}"


def _left(firewall: Firewall) -> Iterator[str]:
    for chains in firewall.closed():
        yield from _chains(chains)
    for name, steps in (("refused", firewall.refused), ("unread", firewall.unread), ("removed", firewall.removed)):
        yield from (f"{name}: {_step(each)}" for each in steps)


def _draft(draft: Draft) -> str:
    related = [f"see {shown(each.place)}: {each.says}" for each in draft.related]
    parts = [f"{name}: {said}" for name, said in (("is", draft.is_), ("should", draft.should)) if said]
    parts += [f"cause: {draft.cause}"] if draft.cause else []
    parts += [f"remedy: {draft.remedy}"] if draft.remedy and draft.remedy != draft.should else []
    said = f"{draft.verdict} {shown(draft.where)} {draft.message}"
    return " | ".join([said, *parts, *related])


def _story(story: BlockedTraffic, *, is_sure: bool) -> Iterator[str]:
    parts = [f"is: {story.is_}", f"should: {story.should}", f"cause: {story.cause}"]
    parts += [f"remedy: {story.remedy}"] if story.remedy != story.should else []
    parts += [f"see {shown(each.place)}: {each.says}" for each in story.related()]
    ways = ", ".join(dict.fromkeys(each.way.name for each in story.lacking))
    yield " | ".join([f"{'sure' if is_sure else 'maybe'} {shown(story.place)} {ways}: {story.message}", *parts])
    if not is_sure:
        yield from (f"doubt {shown(place)}: {why}" for place, why in story.doubts())


def _judged(firewall: Firewall, pods: Pods) -> Iterator[str]:
    for story, is_sure in blocked_traffic(firewall, pods, HERE):
        yield from _story(story, is_sure=is_sure)
    yield from (f"wide: {_draft(each)}" for each in flaws_of(firewall, pods))


def _about(given: str) -> tuple[Pods, str]:
    """Its first line names whose pods are asked about."""
    name, _, rest = given.partition("\n")
    return PODS[name], rest


def _script(given: str) -> Iterator[str]:
    pods, script = _about(given)
    timeline = unpack(f"#!/bin/bash\n{script}\n".encode(), HERE, name="boot.sh").timeline
    steps = steps_in(timeline)
    amid = unread_step_amid(timeline, steps)
    if amid is not None:
        yield f"amid {shown(amid[0])}: {amid[1]}"
    if speaks_of_pods(steps):
        yield "speaks of pods"
    found = runs(steps)
    if found is None:
        yield "too many runs"
    for run in found or ():
        if run.when:
            yield f"when {' and '.join(each.shown() for each in run.when)}"
        yield from _left(run.firewall)
        yield from _judged(run.firewall, pods)


def _files(given: str) -> Iterator[str]:
    """Each file begins with a line `== /its/path`."""
    files = []
    for part in given.split("== ")[1:]:
        path, _, text = part.partition("\n")
        place = Place(path.rpartition("/")[2])
        rows = [Line(Text.of(row), replace(place, line=at)) for at, row in enumerate(text.splitlines(), 1)]
        files.append(UfwFile(place, KINDS[path], Content(tuple(rows))))
    for each in firewalls(files, None, "no fleet is there"):
        yield f"is on: {each.is_on}, for {each.judged_by(type(None))}, {each.no_pool}"
        firewall = each.left()
        yield from _left(firewall)
        yield from _judged(firewall, PODS["ranges"])
        each.of_a_node()


def _listed_by_nft(given: str) -> Iterator[str]:
    name, _, printed = given.partition("\n")
    firewall = firewall_of_nft(printed, HOST, of_ipv6=name == "ipv6")
    for chains in firewall.nft.values():
        yield from _chains(chains)
    if name != "ipv6":
        for story, is_sure in blocked_traffic(firewall, PODS[name], HERE):
            yield from _story(story, is_sure=is_sure)


def _saved(given: str) -> Iterator[str]:
    pods, printed = _about(given)
    firewall = firewall_of_iptables(printed, HOST)
    yield from _chains(firewall._of_the_kernel())
    people = written_by_people(firewall)
    kept = [step.command for _, step in [*people.before, *people.behind]]
    yield f"written by people: {kept}"
    for each in (firewall, firewall_of_other_tables(printed, HOST)):
        if each is not firewall:
            yield from (line for chains in each.nft.values() for line in _chains(chains))
        for story, is_sure in blocked_traffic(each, pods, HERE):
            yield from _story(story, is_sure=is_sure)


def _covers(given: str) -> Iterator[str]:
    """A rule of ufw, whose pods are asked about, and what the rule is for them each way."""
    pods, line = _about(given)
    asked = ufw_command(words_of(line)).rule
    assert asked is not None, ufw_command(words_of(line)).why
    rule = asked.filter
    chains = Chains("ufw", dict.fromkeys(Side, (False, None)), [(rule, FirewallStep(Does.ADD, "ufw", HERE, "ufw"))])
    answers = {need: covers(need, rule, pods) for need in needs(pods)}
    for need, about in answers.items():
        said = f"about {about} | gone {is_gone(need, rule, pods)} | lets {lets(chains, need, pods)}"
        near = why_almost(need, rule)
        if about is not False or near:
            yield " | ".join([f"{need.way.name} {need.range}", said, *([near] if near else [])])
    if None in answers.values():
        yield f"not known: {why_not_known(rule, pods)}"


def _networks(given: str) -> Iterator[str]:
    """What stands behind a line `== around` is in files beside the script."""
    own, _, around = given.partition("== around\n")
    found = networks_in(list(lines_of(own, Straight(HERE))), shown_in_files([FileBeside(around, Place("around.yaml"))]))
    yield f"any of {[each.key for each in found.any_of]}{' by guess' if found.is_guessed else ''}"
    yield from (f"{shown(each.place)} {each.sign.id}" for each in found.by)
    yield f"chosen {shown(found.chosen)}, usual {found.usual.pods} {found.usual.services}"
    read = unpack(f"#!/bin/bash\n{own}".encode(), HERE, name="boot.sh")
    pods = pods_shown_by(BootScript(HERE, read), Pods())
    yield f"uplink {pods.uplink!r}, overlaid {pods.is_overlaid}, {[each.says for each in pods.shown]}"


READERS = {
    "ufw": _ufw,
    "iptables": _iptables,
    "nft": _nft,
    "firewall_script": _script,
    "ufw_files": _files,
    "nft_listing": _listed_by_nft,
    "iptables_save": _saved,
    "rule_for_pods": _covers,
    "networks_shown": _networks,
}
