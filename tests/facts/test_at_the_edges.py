"""What facts say at the edges of what they are asked: with nothing known, one thing too many, or a form nobody writes."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

import pytest

from nodeworthy.facts.aws.security_group import is_some_network
from nodeworthy.facts.cluster.admission_refusal import AdmissionRefusal, merge_refusals
from nodeworthy.facts.cluster.idle_holders import _samples
from nodeworthy.facts.cluster.refused_pod import RefusedPods
from nodeworthy.facts.cluster.telling_words import both_ends
from nodeworthy.facts.firewall.pod_needs import Pods
from nodeworthy.facts.firewall.ranges import Range, Route, private_block
from nodeworthy.facts.fleet.machines import Machines
from nodeworthy.facts.fleet.node_taint import written_taint
from nodeworthy.facts.node.firewall import NodeIpv6
from nodeworthy.facts.node.kernel_log import Blocked
from nodeworthy.facts.node.nodeadm import CONFIG, RUN, NodeNodeadm
from nodeworthy.facts.node.runtimes import IdleContainerd, SaidByContainerd
from nodeworthy.facts.node.units import NodeUnits, UnitState
from nodeworthy.facts.slurm.hostlist import names_of
from nodeworthy.known.containerd import defaults
from nodeworthy.verdict import Located, Place, Unknown

HERE = Place("here")


def unit(name: str = "a.service", **said: Any) -> UnitState:
    usual = {"load": "loaded", "active": "inactive", "sub": "dead", "enabled": "disabled", "result": "success"}
    return UnitState(HERE, name, **{**usual, **said})


@pytest.mark.parametrize(
    ("boot", "name", "asked_by", "triggered_by", "unreached"),
    [
        ({"b.service"}, "a.service", ("graphical.target",), (), "graphical.target"),
        ({"a.service"}, "a.service", ("graphical.target",), (), ""),
        ({"b.service"}, "a.service", ("graphical.target",), ("a.timer",), ""),
        ({"b.service"}, "a.service", (), (), ""),
        ({"graphical.target"}, "a.service", ("graphical.target",), (), ""),
        ({"b.service"}, "a.service", ("b.service",), (), ""),
    ],
)
def test_only_a_target_that_no_boot_reaches_leaves_a_unit_off(
    boot: set[str], name: str, asked_by: tuple[str, ...], triggered_by: tuple[str, ...], unreached: str
) -> None:
    said = unit(name, asked_by=asked_by, triggered_by=triggered_by, boot=frozenset(boot))
    assert said.unreached == unreached


@pytest.mark.parametrize(("asked_by", "starts"), [(("multi-user.target",), False), (("b.service",), None)])
def test_enabled_in_run_is_forgotten_unless_a_service_asks_for_it(
    asked_by: tuple[str, ...], starts: bool | None
) -> None:
    assert unit(enabled="enabled-runtime", asked_by=asked_by).starts_at_boot is starts


@pytest.mark.parametrize(
    ("config", "run", "writes"),
    [
        (None, None, False),
        (unit(CONFIG, load="not-found"), None, False),
        (unit(CONFIG, enabled="masked"), None, False),
        (unit(CONFIG, enabled="enabled"), None, True),
        (unit(CONFIG, asked_by=(RUN,)), None, False),
        (unit(CONFIG, asked_by=(RUN,)), unit(RUN, enabled="enabled"), True),
        (unit(CONFIG, asked_by=(RUN,)), unit(RUN), False),
        (unit(CONFIG, asked_by=(RUN,)), unit(RUN, enabled="static"), None),
        (unit(CONFIG, asked_by=("b.service",)), unit(RUN, enabled="enabled"), None),
    ],
)
def test_nodeadm_writes_at_boot_where_it_is_enabled_or_what_runs_it_is(
    config: UnitState | None, run: UnitState | None, writes: bool | None
) -> None:
    by_name: Mapping[str, UnitState] = {each.name: each for each in (config, run) if each is not None}
    nodeadm = NodeNodeadm(HERE, NodeUnits(HERE, Located.known(by_name, HERE)), Located.known(None, HERE), (), "")
    assert nodeadm.writes_at_boot() is writes


@pytest.mark.parametrize(
    ("active", "result", "tried"),
    [
        ("failed", "success", True),
        ("inactive", "exit-code", True),
        ("inactive", "success", False),
        ("inactive", "", False),
    ],
)
def test_a_containerd_has_tried_where_it_failed_or_left_a_result(active: str, result: str, tried: bool) -> None:
    assert _idle(unit("containerd.service", active=active, result=result)).has_tried is tried


@pytest.mark.parametrize(
    ("name", "address", "socket", "listens"),
    [
        ("containerd.service", None, str(defaults().socket), True),
        ("containerd.service", None, "/run/nobody.sock", False),
        ("nobodys.service", None, str(defaults().socket), False),
        ("nobodys.service", "/run/own.sock", "/run/own.sock", True),
    ],
)
def test_what_cant_be_asked_listens_where_its_distribution_does(
    name: str, address: str | None, socket: str, listens: bool
) -> None:
    assert _idle(unit(name), address).would_listen_on(socket) is listens


def _idle(of: UnitState, address: str | None = None) -> IdleContainerd:
    return IdleContainerd(HERE, of, str(defaults().config), address, None, SaidByContainerd(), None)


SIX, FOUR = ipaddress.ip_network("fd00:1::/48"), ipaddress.ip_network("10.1.0.0/16")


@pytest.mark.parametrize(
    ("declared", "uplink", "found"),
    [(SIX, "ens6", (SIX, "ens6")), (SIX, "", (SIX, "ens5")), (FOUR, "ens6", None), (None, "ens6", None)],
)
def test_pods_have_ipv6_where_a_range_of_it_is_declared(
    declared: Range | None, uplink: str, found: tuple[Range, str] | None
) -> None:
    ipv6 = NodeIpv6(Located.known((), HERE), uplink, (Route("lo", ipaddress.ip_network("fe80::/64"), True),))
    pods = ipv6.pods(Pods(pod_range=declared, uplink="ens5"))
    assert (None if pods is None else (pods.pod_range, pods.uplink)) == found


@pytest.mark.parametrize(
    ("seen", "block"),
    [(None, "10.0.0.0/8"), (ipaddress.ip_network("192.168.4.0/24"), "192.168.0.0/16"), (SIX, str(SIX))],
)
def test_a_rule_is_written_for_the_private_block_of_ipv4(seen: Range | None, block: str) -> None:
    assert str(private_block(seen)) == block


@pytest.mark.parametrize(("to", "way"), [("ens5", "from cni0 to ens5"), ("", "from cni0 to the node itself")])
def test_a_packet_without_a_way_out_is_for_the_node(to: str, way: str) -> None:
    assert Blocked("cni0", to, "10.1.0.2", "10.0.0.1", "line").way == way


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("gpu[1-2],login", ["gpu1", "gpu2", "login"]),
        ("gpu[1-", None),
        ("gpu1]", None),
        ("gpu[1-x]", None),
        ("gpu[1-,3]", None),
        ("gpu[0-65536]", None),
        ("gpu[0-65535]", [f"gpu{each}" for each in range(65536)]),
        ("gpu[0-65535],one", None),
    ],
)
def test_a_host_list_that_is_broken_or_endless_names_nobody(written: str, names: list[str] | None) -> None:
    assert names_of(written) == names


@pytest.mark.parametrize(
    ("written", "read"),
    [("a=b:NoExecute", "a=b:NoExecute"), ("a:", None), (":NoExecute", None), ("=b:NoExecute", None)],
)
def test_a_taint_has_a_key_and_an_effect(written: str, read: str | None) -> None:
    found = written_taint(written, HERE)
    assert (str(found) if found is not None else None) == read


UNSAID: Located[str] = Located.unknown("it is filled in", HERE)
P5, G5 = Located.known("p5.48xlarge", HERE), Located.known("g5.xlarge", HERE)


@pytest.mark.parametrize(
    ("types", "gpus", "same", "largest"),
    [
        ((P5,), ["H100"], 8, 8),
        ((P5, UNSAID), ["H100"], None, None),
        ((P5, G5), ["H100", "A10G"], None, 8),
        ((UNSAID,), [], None, None),
    ],
)
def test_machines_of_which_one_is_not_known_have_no_number(
    types: tuple[Located[str], ...], gpus: list[str], same: int | None, largest: int | None
) -> None:
    machines = Machines(types)
    numbers = [each.state.value if each is not None else None for each in (machines.same_count, machines.largest)]  # type: ignore[union-attr]
    assert ([*machines.gpus_told()], *numbers) == (gpus, same, largest)


@pytest.mark.parametrize(
    ("end", "some"), [("/32", True), ("/2", True), ("/1", False), ("/a", False), ("32", False), ("", False)]
)
def test_an_address_of_a_written_length_is_some_network(end: str, some: bool) -> None:
    assert is_some_network(Located(Unknown("it is filled in", end=end), HERE)) is some


def test_a_pod_and_an_event_complete_each_other() -> None:
    pod = AdmissionRefusal("Pod/x/p", "", "", None, amounts={"nvidia.com/gpu": 1})
    event = AdmissionRefusal("Pod/x/p", "gpu-1", "refused", None, reason="UnexpectedAdmissionError")
    for one, other in ((pod, event), (event, pod)):
        both = merge_refusals(one, other)
        assert (both.node, both.message, both.reason, both.amounts) == ("gpu-1", "refused", event.reason, pod.amounts)


@pytest.mark.parametrize(
    ("object_", "when", "started", "before"),
    [
        ("Job/x/j", "2026-03-01T08:00:00Z", "2026-03-01T08:00:01Z", True),
        ("Job/x/j", "2026-03-01T08:00:00Z", "2026-03-01T08:00:00Z", False),
        ("Job/x/j", "", "2026-03-01T08:00:01Z", False),
        ("Job/x/other", "2026-03-01T08:00:00Z", "2026-03-01T08:00:01Z", False),
        (None, "2026-03-01T08:00:00Z", "2026-03-01T08:00:01Z", False),
    ],
)
def test_a_refusal_is_over_where_its_maker_made_a_pod_since(
    object_: str | None, when: str, started: str, before: bool
) -> None:
    refused = RefusedPods(Place(object=object_), "refused", quantity="1", when=when)
    assert refused.is_before(("Job", "j"), "x", started) is before


@pytest.mark.parametrize(
    ("words", "begins", "ends"), [("a" * 500, "a" * 150, "a" * 250), (f"{'b ' * 300}end", "b b", "b end")]
)
def test_long_words_are_cut_where_a_word_ends_if_one_does(words: str, begins: str, ends: str) -> None:
    told = both_ends(words)
    assert told.startswith(begins)
    assert told.endswith(ends)
    assert " … " in told


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ([[1, "50"]], [(1.0, 50.0)]),
        ([[1, "50", "60"], 7, {}, "ab", [1, "x"]], []),
        ([[float("inf"), "50"], ["nan", "50"], [1, "101"], [1, "-1"]], []),
        ("none", []),
    ],
)
def test_a_sample_is_a_moment_with_a_share(written: object, read: list[tuple[float, float]]) -> None:
    assert [*_samples(written, 100)] == read
