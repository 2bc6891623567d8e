"""Who on a node is told of a registry: kubelet's own containerd, k3s's list, the Docker that runs."""

from __future__ import annotations

import pytest

from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.collector import scene
from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.engine import Judgement, judge
from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.known.containerd import defaults
from nodeworthy.rules import rule
from nodeworthy.verdict import Verdict
from tests.case_files import whole

from .recordings import but, part, without

TRUSTED = "registry-trusted"
GOOD = load(whole(f"{TRUSTED}/good-node-plain-http") / "node.json")
DOCKER = load(whole(f"{TRUSTED}/good-node-docker-too") / "node.json")
K3S = load(whole(f"{TRUSTED}/good-node-k3s") / "node.json")
HOST = "registry-ghcr.gpu-controlplane.svc.cluster.local:5000"
(HOSTS,) = (name.removeprefix("file ") for name in GOOD.by_name if name.endswith("/hosts.toml"))


def trusted(recording: Recording, case: str = "good-node-plain-http", pool: str | None = None) -> Judgement:
    fleet = whole(f"{TRUSTED}/{case}") / "Pulumi.dev.yaml"
    declared = Declared(read_fleet_file(fleet, fleet.name), pool)
    judged = judge(
        [scene(AskedHost(recording.host, recording), declared)], [rule("registry-trusted")], rule("rule-crashed")
    )
    return next(each for each in judged if each.rule.id == "registry-trusted")


def moved(recording: Recording, path: str) -> Recording:
    """The same hosts.toml, somewhere else."""
    return but(without(recording, f"file {HOSTS}"), part(f"file {path}", recording.by_name[f"file {HOSTS}"].stdout))


def test_a_folder_that_only_another_containerd_looks_in_tells_kubelets_nothing() -> None:
    found = trusted(moved(GOOD, f"/var/snap/microk8s/current/certs.d/{HOST}/hosts.toml"))
    assert [each.message for each in found.findings] == [f"containerd is not told of {HOST}"]


def test_a_folder_without_a_colon_is_as_good() -> None:
    assert trusted(moved(GOOD, HOSTS.replace(":5000", "_5000_"))).verdict is Verdict.PASS


def test_a_config_path_that_the_process_has_not_read_is_not_known() -> None:
    later = part("ages 2874", f"process 1204\nfile 60 {defaults().config}")
    assert trusted(but(GOOD, later)).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("told", "verdict"),
    [
        ('{"InsecureRegistryCIDRs":["172.20.0.0/16"],"IndexConfigs":{}}', Verdict.PASS),
        ('{"InsecureRegistryCIDRs":["127.0.0.0/8"],"IndexConfigs":null}', Verdict.FAIL),
        (f'{{"InsecureRegistryCIDRs":null,"IndexConfigs":{{"{HOST}":{{"Secure":true}}}}}}', Verdict.FAIL),
        ("null", Verdict.UNKNOWN),
        ("Cannot connect to the Docker daemon", Verdict.UNKNOWN),
        ('{"IndexConfigs":[]}', Verdict.UNKNOWN),
    ],
)
def test_what_docker_says_of_itself_counts(told: str, verdict: Verdict) -> None:
    assert trusted(but(DOCKER, part("docker", told))).verdict is verdict


def test_docker_without_a_file_is_told_which_one() -> None:
    quiet = but(
        without(DOCKER, "file /etc/docker/daemon.json"),
        part("docker", '{"InsecureRegistryCIDRs":[],"IndexConfigs":{}}'),
    )
    (found,) = trusted(quiet).findings
    assert (found.is_, found.verdict) == ("no daemon.json", Verdict.FAIL)


def test_a_recording_from_before_docker_was_asked_is_skipped_with_why() -> None:
    found = trusted(without(DOCKER, "docker"))
    assert (found.verdict, found.why) == (
        Verdict.SKIP,
        "this recording was made before what Docker is told of registries was read: record the node anew",
    )


def test_a_recording_from_before_k3s_list_was_read_is_skipped_with_why() -> None:
    found = trusted(without(K3S, "docker"), "good-node-k3s", "edge")
    assert found.verdict is Verdict.SKIP
    assert "k3s/registries.yaml" in (found.why or "")
