"""Whether the node can resolve a cache's name, on boots told by hand."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import Act, Effect, How
from nodeworthy.boot.text import Text
from nodeworthy.engine import Judgement
from nodeworthy.known.containerd import registries
from nodeworthy.rules.registry_resolvable import RULE
from tests.boot.rules.boots import gap, given, hole, joins, judged, runs, script, text, unit, write
from tests.boot.rules2.fleets import HOST, in_fleet

NAME = HOST.partition(":")[0]
AL2023 = "instanceType: p5.48xlarge"
FILE = f"{registries().hosts[0]}/{HOST}/hosts.toml"
DROP_IN = "/etc/systemd/resolved.conf.d/cluster.conf"
RESTART = unit(9, "systemd-resolved", Act.RESTART)


def of(*effects: Effect | list[Effect], more: str | None = None) -> Judgement:
    made = script(*effects)
    return judged(RULE, in_fleet(made, AL2023, *([more] if more is not None else [])))


def appends(*lines: str | Text, path: str = "/etc/hosts", **what: object) -> Effect:
    return write(4, *lines, path=path, how=How.APPEND, **what)


def test_nothing_resolves_it() -> None:
    (finding,) = of(joins(3)).findings
    assert finding.message == f"the node can't resolve {NAME}"


@pytest.mark.parametrize("host", ["registry.example.com", "10.0.3.4:5000", "ghcr-cache.internal.example.local:5000"])
def test_names_that_others_answer(host: str) -> None:
    assert of(more=f"registries: [{{host: '{host}', plainHttp: true}}]").verdict == "pass"


@pytest.mark.parametrize(
    "way",
    [
        [appends(f"172.20.44.7 {NAME} cache")],
        [appends(text(hole("IP"), f"  {NAME}"))],
        [write(4, path="/etc/hosts", how=How.EDIT, content=None, expressions=(Text.of(f"$ a 172.20.4.4 {NAME}"),))],
        [appends("nameserver 172.20.0.10", path="/etc/resolv.conf")],
        [write(4, "[Resolve]", "DNS=172.20.0.10", "Domains=~cluster.local", path=DROP_IN), *RESTART],
        [write(4, "server=/cluster.local/172.20.0.10", path="/etc/dnsmasq.d/k8s.conf")],
        [runs(4, "resolvectl", "dns", "ens5", "172.20.0.10")],
        [write(4, '[host."http://127.0.0.1:30500"]', path=FILE)],
        [write(4, 'server = "http://cache.example.com:5000"', path=FILE)],
    ],
)
def test_ways_that_work(way: list[Effect]) -> None:
    assert of(way).verdict == "pass"


@pytest.mark.parametrize(
    ("way", "says"),
    [
        ([appends("172.20.44.7 cache")], "can't resolve"),
        ([appends(f"# 172.20.44.7 {NAME}")], "can't resolve"),
        ([appends("nameserver 8.8.8.8", path="/etc/resolv.conf")], "can't resolve"),
        ([write(4, "[Resolve]", "Domains=~cluster.local", path=DROP_IN), *RESTART], "names no DNS"),
        ([write(4, "[Resolve]", "DNS=172.20.0.10", "Domains=~cluster.local", path=DROP_IN)], "not restarted"),
        ([write(4, "[Resolve]", "DNS=172.20.0.10", "Domains=~corp.example", path=DROP_IN), *RESTART], "only"),
        ([appends(f"172.20.44.7 {NAME}", conditions=given("$DEBUG"))], "only if $DEBUG"),
        ([write(4, f'server = "http://{HOST}"', path=FILE)], "can't resolve"),
    ],
)
def test_ways_that_do_not(way: list[Effect], says: str) -> None:
    judgement = of(way, joins(12))
    assert judgement.verdict == "fail"
    assert says in judgement.findings[0].message


def test_what_asks_for_itself() -> None:
    guard = given(f"! grep -q {NAME} /etc/hosts", files=["/etc/hosts"])
    assert of(appends(f"172.20.44.7 {NAME}", conditions=guard)).verdict == "pass"


def test_what_is_not_known() -> None:
    assert of(appends(text(hole("ENTRIES")))).verdict == "unknown"
    assert of(gap(4, "cat >> /etc/hosts <<")).verdict == "unknown"


def test_without_a_fleet() -> None:
    made = write(4, f'server = "http://{HOST}"', path=FILE)
    assert judged(RULE, script(made)).verdict == "fail"
    assert judged(RULE, script(made, appends(f"172.20.44.7 {NAME}"))).verdict == "pass"
    assert judged(RULE, script(joins(3))).verdict == "skip"
