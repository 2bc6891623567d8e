"""Whether a boot script makes a node of Kubernetes, and what its pool says of the pods there."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from nodeworthy.boot.effects import Effect, Installs, Joins, Runs
from nodeworthy.boot.origin import Origin, Straight
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.kubelet_starts import families_in
from nodeworthy.facts.boot.made_ready import is_one_in_all_but_name, is_swapoff
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.facts.firewall.firewall import FirewallStep
from nodeworthy.facts.firewall.pod_needs import Pods
from nodeworthy.facts.firewall.ranges import Range, range_of
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.known.network_signs import (
    Choice,
    Sign,
    Usual,
    mark,
    mark_of_ranges,
    ranges,
    signs,
    usual,
    words,
    words_of_ranges,
)
from nodeworthy.known.pod_interfaces import Cni, is_uplink, network, networks_named_in, networks_of_distribution
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Known, Located, Place, Related, skip, value_if_known

# What a script and the files around it show of the pods on its node: their network, their addresses, the uplink.

S = TypeVar("S", Sign, Choice)

# More of one line nobody wrote.
_LONGEST = 2000
_VARIABLE = pattern(r"\$\{?(\w+)(?::?-([^}]*))?\}?")


# Not frozen: nobody changes one, and there are so many that freezing them is felt.
@dataclass(slots=True, unsafe_hash=True)
class Written:
    """One line of a script or a manifest; a key that stands alone goes on in the next one."""

    text: str
    line: int
    origin: Origin

    @property
    def place(self) -> Place:
        """The place of the line, computed on demand: few of thousands of lines are asked for it."""
        return self.origin.at(self.line, 1)

    @property
    def is_comment(self) -> bool:
        return self.text.lstrip().startswith(("#", "//"))


@dataclass(frozen=True)
class Shown:
    sign: Sign
    place: Place

    @property
    def networks(self) -> tuple[Cni, ...]:
        sign = self.sign
        if not sign.network:
            return networks_of_distribution(sign.distribution) if sign.distribution else ()
        one = network(sign.network)
        return (replace(one, forwards=True, in_front=True) if sign.in_front else one,)


@dataclass(frozen=True)
class Networks:
    """The networks that pods may have; none where nothing shows one."""

    any_of: tuple[Cni, ...] = ()
    by: tuple[Shown, ...] = ()
    # The ranges that somebody chose, and those that are usual.
    chosen: Mapping[str, Range] = field(default_factory=dict)
    usual: Usual = Usual()
    # The only one that is shown, also where somebody chose another network than it brings.
    distribution: str = ""
    # The script itself does not show it.
    is_guessed: bool = False


def lines_of(text: str, origin: Origin) -> Iterator[Written]:
    rows = text.splitlines()
    for index, row in enumerate(rows):
        goes_on = row.rstrip().endswith(":") and index + 1 < len(rows)
        whole = f"{row.rstrip()} {rows[index + 1].strip()}" if goes_on else row
        yield Written(whole[:_LONGEST], index + 1, origin)


# A key that stands alone, and what goes on in the next line.
_GOES_ON = pattern(r":[ \t]*\n[ \t]*")


@dataclass(frozen=True)
class FileBeside:
    """A file that lies beside a script."""

    text: str
    place: Place

    @cached_property
    def lines(self) -> list[Written]:
        return list(lines_of(self.text, Straight(Place(self.place.path))))

    @cached_property
    def _joined(self) -> str:
        return _GOES_ON.sub(": ", self.text)

    def may_show(self, sign: Sign) -> bool:
        return any(sign.anywhere.search(each) for each in (self.text, self._joined))


def _with_words(every: Sequence[S], lines: Iterable[Written]) -> list[S]:
    """The signs whose words stand in these lines. Most scripts have few of them, and only those are looked for line by
    line."""
    text = "\n".join([line.text for line in lines])
    small = text.lower()
    # A word in small letters may stand there in others.
    return [each for each in every if any(word in (small if word == word.lower() else text) for word in each.words)]


def _shown_in(lines: Sequence[Written]) -> list[Shown]:
    """Every sign at its first place. What only speaks of a network may do so in a comment."""
    found: dict[str, Shown] = {}
    worth_it = _with_words(signs(), lines)
    for line in lines if worth_it else ():
        for sign in worth_it:
            if sign.id not in found and not (sign.is_certain and line.is_comment) and sign.text.search(line.text):
                found[sign.id] = Shown(sign, line.place)
    return list(found.values())


def networks_in(own: Sequence[Written], around: Iterable[Shown] = ()) -> Networks:
    """What the script does comes first, then what it speaks of, then what the files around it show."""
    shown = _shown_in(own)
    certain, likely = ([each for each in shown if each.sign.is_certain is sure] for sure in (True, False))
    chosen = dict(_ranges(own))
    found = _networks_shown(certain, chosen)
    if not found.any_of:
        found = replace(_networks_shown(likely, chosen), is_guessed=True)
    if not found.any_of:
        found = replace(_networks_shown(list(around), chosen), is_guessed=True)
    return found


def shown_in_files(around: Iterable[FileBeside]) -> list[Shown]:
    """What the files beside the script may show, each at its first place. There may be thousands of files: a whole text
    is asked once whether it holds a sign, and only then line by line."""
    left = [each for each in signs() if each.is_certain and each.everywhere]
    found: list[Shown] = []
    for file in around:
        first = [(sign, _first(sign, file.lines)) for sign in left if file.may_show(sign)]
        found += [Shown(sign, place) for sign, place in first if place is not None]
        left = [each for each in left if all(each is not one.sign for one in found)]
        if not left:
            break
    return found


def _first(sign: Sign, lines: Sequence[Written]) -> Place | None:
    return next((line.place for line in lines if not line.is_comment and sign.text.search(line.text)), None)


def _networks_shown(shown: Sequence[Shown], chosen: Mapping[str, Range]) -> Networks:
    """A network that somebody chose stands in the place of that which the distribution brings."""
    named = [each for each in shown if each.sign.network]
    if not named and any(each.sign.without for each in shown):
        named = []
    elif not named:
        named = [each for each in shown if each.sign.distribution]
    any_of = {cni.key: cni for each in named for cni in each.networks}
    distributions = {each.sign.distribution for each in shown} - {""}
    only = distributions.pop() if len(distributions) == 1 else ""
    return Networks(tuple(any_of.values()), tuple(named), chosen, _usual(shown), only)


def _usual(shown: Sequence[Shown]) -> Usual:
    """Where all that is shown has one."""
    keys = [each.sign.distribution or each.sign.network for each in shown]
    found = {each for each in map(usual, keys) if each.pods}
    return found.pop() if len(found) == 1 else Usual()


def ranges_written(script: BootScript) -> dict[str, Located[str]]:
    """`pods` and `services`, as far as the script itself chooses them: the last one that is written counts."""
    lines = [line for part in script.userdata.parts for line in lines_of(part.text, part.origin)]
    return {of: Located.known(str(found), line.place) for of, found, line in _chosen_in(lines)}


def _ranges(lines: Sequence[Written]) -> Iterator[tuple[str, Range]]:
    yield from ((of, found) for of, found, _ in _chosen_in(lines))


def _chosen_in(lines: Sequence[Written]) -> Iterator[tuple[str, Range, Written]]:
    """The last one that is written counts; one of two families is its first."""
    for choice in _with_words(ranges(), lines):
        for line in lines:
            said = choice.text.search(line.text.partition(" #")[0]) if not line.is_comment else None
            value = next(filter(None, said.groups()), "") if said else ""
            found = _range_of_words(_valued(value, lines).split(",")[0])
            if found is not None:
                yield choice.of, found, line


def _valued(written: str, lines: Sequence[Written]) -> str:
    """What a variable is set to, where that is written out."""
    named = _VARIABLE.fullmatch(written)
    if named is None:
        return written
    name = f"{named[1]}="
    for line in lines:
        said = line.text.strip().removeprefix("export ").removeprefix("readonly ")
        if said.startswith(name):
            value = said.removeprefix(name).strip("\"'")
            default = _VARIABLE.fullmatch(value)
            return (default[2] or "") if default is not None else value
    return named[2] or ""


def _range_of_words(written: str) -> Range | None:
    if "/" not in written:
        return None
    try:
        return ipaddress.ip_network(written.strip("\"'"), strict=False)
    except ValueError:
        return None


# Files that say how a cluster is made.
_SUFFIXES = (".yaml", ".yml", ".sh", ".bash", ".tf", ".tofu", ".tpl", ".tftpl", ".j2", ".json", ".toml", ".hcl")
_WITH_RANGES = ("k3s", "rke2", "kubeadm", "kube_pods_subnet")
# Where a cluster's ranges are chosen.
_OF_CONFIG = (".yaml", ".yml", ".sh", ".bash", ".j2", ".tpl", ".tftpl")
# `IFACE=$(ip route get 1.1.1.1 | awk …)`
_ASKED = pattern(
    r"^\s*(?:export\s+|local\s+|readonly\s+)?([A-Za-z_]\w*)=[\"']?\$\(\s*(?:/sbin/)?ip\b[^)\n]{0,80}\broute\b"
)


def pods_shown_by(script: BootScript, said: Pods) -> Pods:
    """`said`, completed by what the script and the files around it show. What was declared stays as it is."""
    own = [line for part in (*script.userdata.parts, *script.told_in) for line in lines_of(part.text, part.origin)]
    said = replace(said, uplink=said.uplink or _uplink(own), server=_server_joined(script))
    if said.networks:
        return said
    found = networks_in(own, signs_around(script))
    networks = pods_of_networks(found.any_of)
    distribution = next((each.sign.distribution for each in found.by), "") or found.distribution
    around = {} if "pods" in found.chosen else ranges_chosen_around(script, distribution)
    chosen = {**{of: choice for of, (choice, _) in around.items()}, **found.chosen}
    return replace(
        said,
        networks=networks.networks,
        is_overlaid=networks.is_overlaid,
        shown=(
            *_related(found),
            *(Related(where, f"{of} have {choice} here") for of, (choice, where) in around.items()),
        ),
        is_guessed=found.is_guessed,
        distribution=distribution,
        pod_range=said.pod_range or chosen.get("pods"),
        usual_range=_shown_range(found.usual.pods),
        usual_services=chosen.get("services") or _shown_range(found.usual.services),
    )


_ADDRESS = pattern(r"(?:https://)?(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?/?")


def _server_joined(script: BootScript) -> Range | None:
    ends = (value_if_known(each.endpoint) for each in script.timeline.of(Joins) if each.endpoint is not None)
    named = (_ADDRESS.fullmatch(each) for each in ends if isinstance(each, str))
    return next((range_of(Text.of(each[1])) for each in named if each is not None), None)


_AROUND = "networks that files show"


def signs_around(script: BootScript) -> Iterator[Shown]:
    """What the files around a script show of a network: looked for once, when the first script asks that shows none."""
    around = script.surroundings
    if around is None:
        return
    if _AROUND not in around.remembered:
        around.remembered[_AROUND] = shown_in_files(_files_that_show(around))
    yield from around.remembered[_AROUND]


def _files_that_show(around: Surroundings) -> Iterator[FileBeside]:
    for held in around.holding(mark(), _SUFFIXES, words()):
        yield FileBeside(held.data.decode("utf-8", "replace"), Place(os.path.relpath(held.path)))


def ranges_chosen_around(script: BootScript, distribution: str) -> dict[str, tuple[Range, Place]]:
    """The ranges of the cluster of this distribution, where the nearest files that choose any agree: a node that joins
    does not name them itself."""
    if script.surroundings is None or not distribution:
        return {}
    own = Path(script.place.file).absolute().parent
    near: dict[int, dict[str, dict[Range, Place]]] = {}
    for held in script.surroundings.holding(mark_of_ranges(), _OF_CONFIG, words_of_ranges()):
        text = held.data.decode("utf-8", "replace")
        if _is_of(distribution, text, held.path):
            ranges_here = near.setdefault(len(os.path.commonpath([own, held.path.parent])), {})
            for of, found in _ranges(FileBeside(text, Place()).lines):
                ranges_here.setdefault(of, {})[found] = Place(os.path.relpath(held.path))
    nearest = near[max(near)] if near else {}
    return {of: next(iter(found.items())) for of, found in nearest.items() if len(found) == 1}


def _is_of(distribution: str, text: str, path: Path) -> bool:
    """Whether a file is of this distribution: its text says so; else its path, where nothing in it names another
    one."""
    if distribution in text:
        return True
    return distribution in os.fspath(path) and not any(each in text for each in _WITH_RANGES)


def _related(found: Networks) -> Iterator[Related]:
    for each in found.by:
        named = " or ".join(cni.key for cni in each.networks)
        by = f"{each.sign.distribution}, and it brings {named}" if each.sign.distribution else named
        sure = "this shows" if each.sign.is_certain else "this speaks of"
        yield Related(each.place, f"pods' network: {sure} {by}")


def _shown_range(written: str) -> Range | None:
    return ipaddress.ip_network(written) if written else None


def _uplink(lines: list[Written]) -> str:
    """The variable in which the script keeps its name. An interface that it only names may be a private network's."""
    asked = (said[1] for line in lines if not line.is_comment and (said := _ASKED.search(line.text)))
    return next((f"${name}" for name in asked), "")


# Ports that nobody but a node of Kubernetes has; the API's stands open on what balances its load as well.
_PORTS = ("10250", "30000:32767", "30000-32767")
_API = "6443"
_ADD_PORT = "--add-port="
# Snaps that are a whole distribution, by the name of their own way of joining.
_SNAPS = {"k8s": "k8s-snap", "microk8s": "microk8s"}
# What Rancher packs for machines that become its nodes.
_PACKAGES = (("rke2", "rke2-"), ("k3s", "k3s-selinux"))
# What begins a cluster on this machine, or makes it a node without a join in sight.
_BEGINS = (("k8s", "bootstrap"), ("kubeadm", "init"), ("microk8s", "enable"), ("k3s", "server"), ("rke2", "server"))
_KUBELET = ("kubelet", "kubeadm")
_OF_KUBERNETES = pattern(r"(?i)(?<![a-z])(?:kube(?:adm|let|rnetes|ctl)?|k8s|k3s|rke2?)(?![a-z])")
_COMMENT = pattern(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)


def joins(script: BootScript) -> bool:
    timeline = script.timeline
    return (
        any(True for _ in timeline.of(Joins))
        or bool(families_in(timeline))
        or any(True for _ in _makes(timeline))
        or is_one_in_all_but_name(timeline)
        or _is_made_ready(script)
    )


def _is_made_ready(script: BootScript) -> bool:
    """Whether the script makes a node ready that another script joins: it switches swap off, and speaks of Kubernetes
    outside of comments."""
    if not any(map(is_swapoff, script.timeline.of(Runs))):
        return False
    return any(_OF_KUBERNETES.search(_COMMENT.sub("", part.text)) for part in script.userdata.parts)


def _makes(timeline: Timeline) -> Iterator[str]:
    """The ways in which it makes a node beside joining, by the names of the ways to join."""
    for effect in timeline.effects:
        way = _made_by(effect)
        if way is not None:
            yield way


def _made_by(effect: Effect) -> str | None:
    if isinstance(effect, Installs) and not effect.removes:
        named = [each.known for each in effect.packages if each.known]
        if effect.manager == "snap":
            return next((_SNAPS[each] for each in named if each in _SNAPS), None)
        of_rancher = (way for each in named for way, package in _PACKAGES if each.startswith(package))
        if (way := next(of_rancher, None)) is not None:
            return way
        # `kubelet=1.34.1-1.1`, `kubelet-$VERSION`, `kubeadm`
        return "kubeadm" if any(each.shown().startswith(_KUBELET) for each in effect.packages) else None
    if isinstance(effect, Runs):
        words = tuple(each.known for each in effect.arguments)
        program = (words[0] or "").rpartition("/")[2] if words else ""
        return _SNAPS.get(program, program) if (program, *words[1:2]) in _BEGINS else None
    return None


def skip_unless_a_nodes(script: BootScript, pool: BootPool | None, steps: Sequence[FirewallStep]) -> None:
    """Skips a firewall that is no node's, as far as anybody says."""
    if pool is None and not joins(script) and not speaks_of_pods(steps) and not _serves_the_api(script, steps):
        skip("nothing here makes a node of Kubernetes: the script joins no cluster, and no pool is known that it is of")


def _serves_the_api(script: BootScript, steps: Sequence[FirewallStep]) -> bool:
    """Whether it opens the API's port, and something shows which network the pods there have."""
    opens = any(each.filter is not None and _API in each.filter.limits for each in steps)
    return opens and bool(pods_of(None, script).networks)


def speaks_of_pods(steps: Sequence[FirewallStep]) -> bool:
    rules = [each.filter for each in steps if each.filter is not None]
    ends = (end.known for rule in rules for end in (rule.in_, rule.out))
    return (
        any(end and networks_named_in(end) and not is_uplink(end) for end in ends)
        or any(port in rule.limits for rule in rules for port in _PORTS)
        or any(_opened_by_firewalld(step) in _PORTS for step in steps)
    )


def _opened_by_firewalld(step: FirewallStep) -> str:
    """`firewall-cmd --permanent --add-port=10250/tcp`: the port, without its protocol."""
    words = (each.shown() for each in step.asked)
    return next((each.removeprefix(_ADD_PORT).partition("/")[0] for each in words if each.startswith(_ADD_PORT)), "")


def pods_of(pool: BootPool | None, script: BootScript | None = None) -> Pods:
    """What the pool says; beyond that, what the script and the files around it show of the network."""
    said = pods_in(pool.fleet, pool.pool) if pool is not None else Pods()
    if script is None or script.read is None:
        return said

    return pods_shown_by(script, said)


def pods_in(fleet: Fleet, pool: Pool) -> Pods:
    distribution = value_if_known(pool.distribution)
    networks = networks_of_distribution(distribution) if distribution is not None else ()
    own, services = _range(fleet.cluster.pod_cidr), _range(fleet.cluster.service_cidr)
    return replace(pods_of_networks(networks), pod_range=own, service_range=services, network=fleet.network)


def pods_of_networks(networks: tuple[Cni, ...]) -> Pods:
    return Pods(networks=networks, is_overlaid=bool(networks) and all(each.overlays for each in networks))


def _range(located: Located[str]) -> Range | None:
    """A default that nobody wrote is no range to insist on."""
    if not isinstance(located.state, Known) or not located.written:
        return None
    return ipaddress.ip_network(located.state.value, strict=False)
