"""What boot scripts and kubeadm's configs say of the cluster that they join."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodeworthy.boot.effects import Joins, RefusedCall, RefusedOptions, Unit
from nodeworthy.boot.userdata import PartKind
from nodeworthy.documents.settled import is_placeholder
from nodeworthy.facts.aws.node_group import NodeGroup, service_range
from nodeworthy.facts.boot.cluster_join import (
    Coordinates,
    adds_node_configs,
    another_pool,
    coordinates,
    is_filled_in,
    is_no_cluster,
    is_outside,
    joins_twice,
    makes_a_node,
    malformed_coordinates,
    may_join,
    same_range,
)
from nodeworthy.facts.boot.families import BOOTSTRAP, title, way_of_joining
from nodeworthy.facts.boot.kubeadm_config import Arguments, KubeadmConfig, OfAnotherTime, configs_written
from nodeworthy.facts.boot.remote_script import RemoteScript
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.fleet.os import EKS
from nodeworthy.rules.joins_its_cluster import RULE
from nodeworthy.verdict import (
    Draft,
    Findings,
    Known,
    Located,
    Related,
    Severity,
    Unknown,
    fail,
    need,
    skip,
    unknown,
    value_if_known,
)

if TYPE_CHECKING:
    from nodeworthy.facts.boot.settings_for_curl import LostSettings


# What an installer does that is not told it.
_SERVER = "without it the installer makes a server of its own, which begins a cluster instead of joining one"
_UNTOLD = {"K3S_URL": _SERVER, "INSTALL_RKE2_TYPE": "without it the installer installs a server, and no agent"}
_OF_K3S = ("k3s.service", "k3s-agent.service")
_NOTHING_JOINS = "nothing in it joins a cluster"
_CLUSTER, _RANGE = "the cluster", "the service range"
# Where the address of the cluster's DNS is said, if not behind bootstrap.sh's option.
_DNS = {"bottlerocket": "cluster-dns-ip"}
_WRONG = {
    _CLUSTER: "the node joins another cluster, or none",
    _RANGE: "kubelet tells its pods a DNS server that is not there",
}


@RULE.check
def it_joins_once_and_says_where(script: BootScript) -> Findings:
    found = coordinates(script.timeline)
    if script.on_its_own and not any(said for each in found for said in each.said):
        yield from _on_its_own(script)
        return
    if not found:
        skip(_NOTHING_JOINS)
    yield from joins_twice(script.timeline)
    run_together = {each.place: each.glued for each in script.timeline.of(Joins) if each.glued}
    is_hybrid = any("hybrid:" in part.text for part in script.userdata.parts)
    for each in found:
        if each.place in run_together:
            yield from _run_together(each, run_together[each.place])
            continue
        yield from _left_out(script, each, is_hybrid=is_hybrid)
        if not is_no_cluster(each.how, each.authority):
            yield from malformed_coordinates(each, script.stands_for)
    yield from another_pool(script)


@RULE.check
def it_names_the_cluster_that_it_is_of(script: BootScript) -> Findings:
    """Without a fleet; with one its own name is compared."""
    its_own = script.cluster
    if its_own is None or script.pools or not isinstance(its_own.state, Known) or not its_own.state.value:
        skip("a pool says what its cluster is called, or nothing beside the script does")
    for each in script.timeline.of(Joins):
        named = each.cluster
        if named is None or not isinstance(named.state, Known) or named.state == its_own.state:
            continue
        if "$" in named.state.value or is_placeholder(named.state.value):
            continue  # whoever applies it fills the name in
        yield fail(
            named,
            "joins a cluster of another name than the one that its nodes are made for",
            should=str(its_own.state.value),
            related=[Related(its_own.place, f"the cluster is called {its_own.state.value}")],
            cause="the machine asks for another cluster than its own: it finds none of this name, or its role may not "
            "join that one, and no node comes up",
            remedy=f"name {its_own.state.value}: with bootstrap.sh it is the first argument",
        )


@RULE.check
def kubeadm_takes_its_arguments(config: KubeadmConfig) -> Findings:
    yield from _refused_by_kubeadm(config)


@RULE.check
def kubeadm_takes_what_is_written_for_it(script: BootScript) -> Findings:
    found = list(configs_written(script))
    if not found:
        skip("it writes no arguments into a config of kubeadm's")
    for each in found:
        yield from _refused_by_kubeadm(each)


def _refused_by_kubeadm(config: KubeadmConfig) -> Findings:
    if config.refused:
        yield _of_another_shape(config.refused)
    if config.of_another_time is not None:
        yield _of_another_time(config.of_another_time)


def _of_another_time(config: OfAnotherTime) -> Draft:
    takes = "refuses it since" if config.is_gone else "knows it since"
    return fail(
        config.place,
        f"kubeadm refuses its config: {config.version} is not for Kubernetes {config.kubernetes}, kubeadm {takes} "
        f"{config.since}",
        is_=config.version,
        should="v1beta3, or v1beta4 from 1.31 on",
        cause="kubeadm ends at once: "
        + ("your configuration file uses an old API spec" if config.is_gone else "no kind of this name is registered"),
        remedy="kubeadm config migrate --old-config FILE --new-config FILE, with a kubeadm that knows both",
    )


def _of_another_shape(refused: Sequence[Arguments]) -> Draft:
    first, *others = refused
    mapping, listed = "a mapping of names to texts", "a list of name and value"
    is_, should = (listed, mapping) if first.takes_a_mapping else (mapping, listed)
    return fail(
        first.place,
        f"kubeadm refuses its config: {first.path} of {first.version} is {should}, and this is {is_}",
        is_=is_,
        should=should,
        related=[Related(each.place, f"the same holds for {each.path}") for each in others],
        cause=f"kubeadm ends at once: cannot unmarshal {'array' if first.takes_a_mapping else 'object'} into Go struct "
        f"field {first.path}; there is no node",
        remedy="write NAME: VALUE" if first.takes_a_mapping else "write - name: NAME, and value: VALUE below it",
    )


@RULE.check
def its_settings_reach_the_installer(script: BootScript) -> Findings:
    from nodeworthy.facts.boot.settings_for_curl import settings_for_curl

    found = list(settings_for_curl(script))
    if not found:
        skip("it gives no settings of an installer to what downloads it")
    yield from map(_lost, found)


def _lost(each: LostSettings) -> Draft:
    from nodeworthy.facts.boot.settings_for_curl import Lost

    names, first = " and ".join(each.names), each.names[0]
    verb, them = ("are", "them") if len(each.names) > 1 else ("is", "it")
    if each.how is Lost.RUN_BY_NOBODY:
        return fail(
            each.place,
            f"the installer of {each.installer} is fetched, and nothing runs it: {names} {verb} all that stands behind "
            "the pipe",
            is_=f"{each.program} … | {first}=…",
            should=f"{each.program} … | {first}=… sh -",
            cause=f"a shell that is given settings and no command sets them, and ends: no {each.installer} is there",
            remedy="write `sh -` behind the settings",
        )
    says, is_, remedy = {
        Lost.FOR_THE_DOWNLOAD: (
            f"set for {each.program} alone",
            f"{first}=… {each.program} … | sh",
            f"put {names} behind the pipe, in front of sh, or export {them} before",
        ),
        Lost.NOT_EXPORTED: (
            "exported nowhere",
            f"{first}=…, and then {each.program} … | sh",
            f"export {names}, or put {them} behind the pipe, in front of sh",
        ),
        Lost.BEHIND_SUDO: (
            "exported, and sudo hands on no such variable",
            f"export {first}=…, and then {each.program} … | sudo sh",
            f"put {names} behind the pipe (`| sudo {first}=… sh -`), or write `sudo -E sh -`",
        ),
    }[each.how]
    return fail(
        each.place,
        f"{names} {verb} {says}: the installer of {each.installer} behind the pipe never hears of {them}",
        is_=is_,
        should=f"{each.program} … | {first}=… sh -",
        cause=_UNTOLD.get(first, f"{each.installer} is installed as if nothing had been set"),
        remedy=remedy,
    )


@RULE.check
def nobody_ends_before_it_joins(script: BootScript) -> Findings:
    joins = any(script.timeline.of(Joins))
    found = list(script.timeline.of(RefusedCall))
    if not joins and not found:
        skip(_NOTHING_JOINS)
    for each in found:
        yield fail(each, each.says, is_=each.is_, should=each.should, cause=each.cause, remedy=each.remedy)


@RULE.check
def k3s_is_told_what_it_knows(script: BootScript) -> Findings:
    found = list(script.timeline.of(RefusedOptions))
    if not found and not any(each.unit.known in _OF_K3S for each in script.timeline.of(Unit)):
        skip("it starts no k3s")
    alike: dict[tuple[object, ...], list[RefusedOptions]] = {}
    for each in found:
        alike.setdefault((each.program, each.options, each.unless), []).append(each)
    yield from (_gone(each) if each[0].instead else _of_a_server(each[0]) for each in alike.values())


@RULE.check
def k3s_over_there_is_told_what_it_knows(script: RemoteScript) -> Findings:
    return k3s_is_told_what_it_knows(script)


def _of_a_server(refused: RefusedOptions) -> Draft:
    named, first = _listed(refused.options), refused.options[0]
    them = "them" if len(refused.options) > 1 else "it"
    return fail(
        refused,
        f"k3s agent is given {named}, which only k3s server knows: it does not start",
        is_=f"agent … {first}",
        should=f"server … {first}",
        cause=f"k3s ends with `flag provided but not defined: {first.removeprefix('-')}`; systemd starts it again and "
        "again, and the node never joins",
        remedy=f"take {named} out of what the agent is given; its server is told {them}",
    )


def _gone(alike: Sequence[RefusedOptions]) -> Draft:
    refused, *others = alike
    named, first, instead = _listed(refused.options), refused.options[0], refused.instead[0]
    if refused.unless:
        return unknown(
            refused, f"whether k3s still takes {named}, as it did before 1.25, is not known: {refused.unless}"
        )
    return fail(
        refused,
        f"{refused.program} is given {named}, which ends it since 1.25: it does not start",
        is_=first,
        should=instead,
        related=[Related(each.place, f"the same holds for {each.program} here") for each in others],
        cause=f"k3s ends with `{first.lstrip('-')} flag is deprecated. Use {instead.partition('=')[0]} instead.`; "
        "systemd starts it again and again, and there is no node",
        remedy=f"write {_listed(refused.instead)}, or name a release before 1.25, none of which is maintained",
    )


def _listed(names: Sequence[str]) -> str:
    *before, last = names
    return " and ".join(filter(None, (", ".join(before), last)))


def _run_together(at: Coordinates, options: Sequence[str]) -> Findings:
    """An option that is run together with the word before it. The rest of such a call is not judged: it says something
    else than was meant."""
    for option in options:
        yield fail(
            at.place,
            f"a blank is missing before {option}: to {at.how} it is a part of the word before it",
            is_=f"…{option}",
            should=f"… {option}",
            cause=f"{at.how} is never told the option, and the value before it is another than was meant",
            remedy=f"put a blank before {option}",
        )


def _on_its_own(script: BootScript) -> Findings:
    """Nodes that EKS starts from an image of the program's own."""
    gap = may_join(script)
    if gap is not None or adds_node_configs(script.timeline):
        also = "this may" if gap is not script else "not all of it was"
        yield unknown(gap or script, f"{_NOTHING_JOINS} that was read; {also}")
        return
    yield fail(
        script,
        "it never joins the cluster: EKS starts its nodes, and leaves joining to it",
        is_=_NOTHING_JOINS,
        should="the name, the endpoint, the CA and the service range of the cluster",
        cause=script.on_its_own,
        remedy="join in it as a node does that EKS does not start, or leave the image to EKS (ami_type)",
    )


def _left_out(script: BootScript, at: Coordinates, *, is_hybrid: bool) -> Findings:
    if at.how == BOOTSTRAP and (at.endpoint is None) is not (at.authority is None):
        options = ("--b64-cluster-ca", "--apiserver-endpoint")
        given, missing = options if at.endpoint is None else options[::-1]
        yield fail(
            at.place,
            f"{given} without {missing} is not used: bootstrap.sh asks EKS for both",
            is_=given,
            should="both or none",
            cause="the node joins only if its role may call eks:DescribeCluster, and if that answers in time",
            remedy=f"give {missing} as well",
        )
    left_out = at.missing_for(hybrid=is_hybrid)
    if left_out and any(at.said) and not script.is_completed and not adds_node_configs(script.timeline):
        yield fail(
            at.place,
            f"{at.document} leaves out {' and '.join(left_out)}",
            is_=", ".join(f"no {name}" for name in left_out),
            should=at.needs,
            cause="the node is not told where its cluster is or whom to trust, and never joins",
            remedy=f"add {' and '.join(left_out)}; `aws eks describe-cluster` says them",
        )


@RULE.check
def it_joins_the_fleets_cluster(script: BootScript, pool: BootPool) -> Findings:
    found = coordinates(script.timeline)
    if script.on_its_own and not found:
        skip(f"{_NOTHING_JOINS}, which is told of the script itself")
    if not found:
        yield from _nothing_joins(script, pool)
        return
    for at in found:
        yield from _differs(script, pool, at.cluster, pool.fleet.cluster.name, _CLUSTER)
        yield from _differs(script, pool, at.service_cidr, pool.fleet.cluster.service_cidr, _RANGE)
        yield from _dns(at, pool)


def _differs(
    script: BootScript, pool: BootPool, said: Located[str] | None, fleets: Located[str], called: str
) -> Findings:
    if said is None:
        return
    if isinstance(said.state, Unknown):
        yield unknown(said, f"{called} that it joins with is not known: {said.state.why}", on=pool.title)
        return
    is_, should = str(said.state.value), need(fleets)
    if is_filled_in(is_):
        why = f"{called} that it joins with is a placeholder, which somebody fills in"
        yield unknown(said, why, is_=is_, on=pool.title)
        return
    made_up = script.stands_for(is_)
    if made_up:
        why = f"{called} that it joins with is an output ({made_up}), which a preview does not know"
        yield unknown(said, why, is_="(unknown)", on=pool.title)
    elif not (is_ == should or ("/" in should and same_range(is_, should))):
        yield fail(
            said,
            f"{called} that it joins with is not the fleet's",
            is_=is_,
            should=should,
            on=pool.title,
            related=[Related(fleets.place, f"the fleet's {called.removeprefix('the ')} is {should}")],
            cause=_WRONG[called],
        )


def another_cluster(nodes: NodeGroup, script: BootScript, named: Located[str]) -> Findings:
    """Nodes that EKS does not start may be of a cluster that is made elsewhere, and that is told as a warning."""
    for at in coordinates(script.timeline):
        said = value_if_known(at.cluster)
        if at.cluster is None or said is None or is_filled_in(str(said)) or script.stands_for(str(said)):
            continue
        if said == need(named):
            yield from _another_range(nodes, at)
        else:
            yield fail(
                at.cluster,
                f"{_CLUSTER} that it joins with is not the one of {nodes.title}",
                is_=said,
                should=named.shown(),
                severity=Severity.ERROR if nodes.is_managed else Severity.WARNING,
                related=[Related(named.place, f"the cluster is called {named.shown()} here")],
                cause=_WRONG[_CLUSTER],
                remedy=f"join with {named.shown()}, by the cluster's own output where there is one",
            )


def _another_range(nodes: NodeGroup, at: Coordinates) -> Findings:
    """Where the cluster's own is written: one that EKS chose stands nowhere."""
    own = service_range(nodes)
    given, dns = value_if_known(at.service_cidr), value_if_known(at.dns)
    if own.text is None:
        return
    if at.service_cidr is not None and given is not None and "/" in given and not same_range(given, own.text):
        yield _not_of_its_cluster(nodes, at.service_cidr, _RANGE, own.located())
    if at.dns is not None and dns is not None and is_outside(dns, own.text):
        yield _not_of_its_cluster(nodes, at.dns, _DNS.get(at.how, "--dns-cluster-ip"), own.located())


def _not_of_its_cluster(nodes: NodeGroup, said: Located[str], what: str, own: Located[str]) -> Draft:
    return fail(
        said,
        f"{what} that it joins with is not of the cluster of {nodes.title}",
        is_=said.shown(),
        should=own.shown() if what == _RANGE else f"an address of {own.shown()}",
        severity=Severity.ERROR if nodes.is_managed else Severity.WARNING,
        related=[Related(own.place, f"the cluster's service range is {own.shown()} here")],
        cause=_WRONG[_RANGE],
        remedy="take it from the cluster, by its own output where there is one",
    )


def _dns(at: Coordinates, pool: BootPool) -> Findings:
    """The DNS address that is outside of the service range. An address that is filled in later is not judged;
    bootstrap.sh derives one where none is given."""
    fleets = pool.fleet.cluster.service_cidr
    if at.dns is not None and isinstance(at.dns.state, Known) and is_outside(at.dns.state.value, need(fleets)):
        yield fail(
            at.dns,
            f"{_DNS.get(at.how, '--dns-cluster-ip')} is not in the fleet's service range",
            is_=at.dns.state.value,
            should=f"an address of {need(fleets)}",
            on=pool.title,
            related=[Related(fleets.place, f"the fleet's service range is {need(fleets)}")],
            cause=_WRONG[_RANGE],
        )


def _nothing_joins(script: BootScript, pool: BootPool) -> Findings:
    parts = script.userdata.parts
    family = need(pool.pool.distribution)
    gap = may_join(script)
    if gap is not None:
        also = "this may" if gap is not script else "not all of it was"
        yield unknown(gap, f"{_NOTHING_JOINS} that was read; {also}", on=pool.title)
    elif family not in EKS or not pool.pool.provision or any(each.kind is PartKind.NODE_CONFIG for each in parts):
        skip(_NOTHING_JOINS)
    elif len(parts) > 1 or any(part.content_type for part in parts):
        skip(f"{_NOTHING_JOINS}; to the parts of a managed node group EKS adds the one that does")
    elif not makes_a_node(script):
        skip(f"{_NOTHING_JOINS}, and nothing says that it is all that a node boots with")
    else:
        yield fail(
            script,
            "it never joins the cluster",
            is_=_NOTHING_JOINS,
            should=way_of_joining(family),
            on=pool.title,
            related=[pool.declared(f"runs {title(family)}")],
            cause="the node runs and is paid for, and the cluster never hears of it",
            remedy=f"add {way_of_joining(family)}",
        )
