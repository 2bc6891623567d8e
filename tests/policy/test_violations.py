"""What the pack says of a stack, resource by resource and in the end."""

from __future__ import annotations

import pytest
import yaml

from nodeworthy import __version__
from nodeworthy.collect.plan.protocol import UNKNOWN
from nodeworthy.known.containerd import containerd_of, defaults
from nodeworthy.known.operator_parts import CONFIG, SOCKET
from nodeworthy.rules import catalogue, rule
from tests.policy.pack import PACK, PROJECT, STACK, Pack, Planned, fleet, pb, release, secret, urn

BASE_DIR = "/var/lib/k8s-containerd/k8s-containerd"  # the incident's
INCIDENT = {
    "gpu": "h200",
    "gpusPerNode": 8,
    "distribution": "k8s-snap",
    "containerdBaseDir": BASE_DIR,
    "provision": False,
}
PLAIN = {name: value for name, value in INCIDENT.items() if name != "containerdBaseDir"}
RUNTIME = containerd_of("k8s-snap", BASE_DIR)
RIGHT = {CONFIG: RUNTIME.config, SOCKET: RUNTIME.socket}
RULE = "containerd-paths"


def test_a_wrong_socket_is_blocked_with_what_is_what_should_be_and_the_remedy(pack: Pack) -> None:
    pack.configure_stack(fleet(onprem=INCIDENT))
    wrong = release({**RIGHT, SOCKET: defaults().socket})
    [told] = pack.deployment(wrong).told
    assert (told.policy, told.level, told.urn) == (RULE, "mandatory", wrong.urn)
    first, *lines = told.message.splitlines()
    assert first == f"{RULE}: {SOCKET} is not the socket of the containerd that kubelet uses on pool 'onprem'"
    assert f"  is      {defaults().socket}" in lines
    assert f"  should  {RUNTIME.socket}" in lines
    assert f"  fix     set {SOCKET} in toolkit.env to {RUNTIME.socket}" in lines
    assert any(line.startswith("  why     ") for line in lines)


def test_the_incident_is_blocked_and_its_fix_is_not(pack: Pack) -> None:
    pack.configure_stack(fleet(onprem=INCIDENT))
    assert {each.level for each in pack.deployment(release([])).of(RULE)} == {"mandatory"}
    assert pack.deployment(release(RIGHT)).told == []
    pack.configure_stack(fleet(onprem=PLAIN))
    assert pack.deployment(release([])).told == []


def test_an_update_blocks_before_the_resource_is_made(pack: Pack) -> None:
    """And what was said of a resource is not said again of the stack."""
    pack.configure_stack(fleet(onprem=INCIDENT))
    wrong = release([])
    assert pack.analyze(wrong).of(RULE)
    assert pack.analyze_stack(wrong).told == []


def test_an_unknown_blocks_and_says_that_it_is_one(pack: Pack) -> None:
    pack.configure_stack(fleet(onprem=INCIDENT))
    answer = pack.deployment(release({**RIGHT, SOCKET: UNKNOWN}))
    [told] = answer.of(RULE)
    assert told.level == "mandatory"
    assert told.message.startswith(f"{RULE}: cannot be verified yet: {SOCKET} is not known")
    assert "can't run policy" not in told.message


@pytest.mark.parametrize("sentinel", ["6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", "dd056dcd-154b-4c76-9bd3-c8f88648b5ff"])
def test_every_kind_of_unknown_is_one(pack: Pack, sentinel: str) -> None:
    """A list and a mapping have sentinels of their own, and the operator's defaults are not what they stand for."""
    pack.configure_stack(fleet(plain=PLAIN))
    told = pack.deployment(release(sentinel)).of(RULE)
    assert told
    assert all("cannot be verified yet" in each.message for each in told)


def test_an_unknown_on_one_setting_hides_no_failure_on_another(pack: Pack) -> None:
    pack.configure_stack(fleet(onprem=INCIDENT))
    told = pack.deployment(release({SOCKET: UNKNOWN, CONFIG: defaults().config})).of(RULE)
    assert sorted("cannot be verified yet" in each.message for each in told) == [False, True]


def test_a_secret_is_never_shown(pack: Pack) -> None:
    pack.configure_stack(fleet(onprem=INCIDENT))
    hidden = "/run/hush/containerd.sock"
    for env in ({**RIGHT, SOCKET: secret(hidden)}, secret([{"name": SOCKET, "value": hidden}])):
        told = pack.deployment(release(env)).of(RULE)
        assert told
        assert any(SOCKET in each.message for each in told)
        assert all("hush" not in each.message for each in told)


def test_a_wrong_secret_is_named_for_what_it_is(pack: Pack) -> None:
    pack.configure_stack(fleet(onprem=INCIDENT))
    [told] = pack.deployment(release({**RIGHT, SOCKET: secret(defaults().socket)})).of(RULE)
    assert "  is      (secret)" in told.message.splitlines()


def test_whole_numbers_are_numbers(pack: Pack) -> None:
    """Every number travels as a float, and 1.0 is not what the program wrote."""
    pack.configure_stack(fleet(onprem=INCIDENT))
    [told] = pack.deployment(release({**RIGHT, "DEBUG": 1})).of("toolkit-env-wellformed")
    assert '  should  "1"' in told.message


def test_what_does_not_apply_says_why(pack: Pack) -> None:
    answer = pack.deployment(release(RIGHT))
    assert answer.told == []
    assert RULE in {name for name, _ in answer.not_applicable}


def test_a_stack_with_nothing_to_judge_gets_an_advisory(pack: Pack) -> None:
    [told] = pack.deployment(Planned("aws:s3/bucket:Bucket", "logs", {"tags": {}})).told
    assert (told.policy, told.level) == ("looked-at", "advisory")
    assert "nothing of this stack could be judged" in told.message


def test_a_fleet_beside_a_program_that_makes_nothing_proves_nothing(pack: Pack) -> None:
    pack.configure_stack(fleet(onprem=INCIDENT))
    stack = Planned("pulumi:pulumi:Stack", f"{PROJECT}-{STACK}", {})
    provider = Planned("pulumi:providers:aws", "default", {"region": "us-east-2"})
    [told] = pack.deployment(stack, provider).told
    assert (told.policy, told.level) == ("looked-at", "advisory")


def test_the_stack_alone_is_judged_too(pack: Pack) -> None:
    """An engine that analyses a state that is there tells outputs, which are then all there is."""
    pack.configure_stack(fleet(onprem=INCIDENT))
    assert {each.level for each in pack.analyze_stack(release([])).of(RULE)} == {"mandatory"}


def test_two_releases_are_two_places(pack: Pack) -> None:
    pack.configure_stack(fleet(onprem=INCIDENT))
    told = pack.deployment(release([], name="one"), release(RIGHT, name="two"), release([], name="three")).of(RULE)
    kind = release([]).type
    assert {each.urn for each in told} == {urn(kind, "one"), urn(kind, "three")}


def test_an_impossible_fleet_is_told_once_and_of_the_stack(pack: Pack) -> None:
    pack.configure_stack(fleet(dev={"gpu": "h100", "instanceType": "g5.12xlarge", "nodes": 1}))
    [told] = pack.deployment(release([], name="one"), release([], name="two")).of("gpu-exists")
    assert (told.level, told.urn) == ("mandatory", "")


def test_the_policies_are_the_rules(pack: Pack) -> None:
    info = pack.info()
    written = yaml.safe_load((PACK / "PulumiPolicy.yaml").read_text())
    assert (info.name, info.version) == (written["name"], written["version"]) == ("nodeworthy", __version__)
    assert info.supportsConfig
    listed = {each.name: each for each in info.policies}
    assert {RULE, "toolkit-env-wellformed", "rule-crashed", "looked-at"} <= set(listed)
    assert set(listed) <= {each.id for each in catalogue()}
    assert listed[RULE].description == rule(RULE).title
    assert listed[RULE].remediation_steps == rule(RULE).remedy
    assert set(listed[RULE].configSchema.properties.fields) == {"unknown", "allow"}


def test_nothing_is_remediated(pack: Pack) -> None:
    request = pb.AnalyzeRequest(type="a:b:C", urn=urn("a:b:C", "c"))
    assert list(pack.analyzer.Remediate(request, timeout=60).remediations) == []


def _group(image: str) -> Planned:
    inputs = {
        "clusterName": "ml",
        "nodeRoleArn": "arn:aws:iam::111122223333:role/nodes",
        "subnetIds": ["subnet-0a1b2c3d"],
        "amiType": image,
        "instanceTypes": ["g5.12xlarge"],
        "scalingConfig": {"minSize": 2, "maxSize": 2, "desiredSize": 2},
    }
    return Planned("aws:eks/nodeGroup:NodeGroup", "gpu", inputs)


@pytest.mark.parametrize("image", ["AL2023_x86_64_NVIDIA", "AL2023_ARM_64_NVIDIA"])
def test_without_a_fleet_the_image_of_the_group_says_what_its_nodes_are(pack: Pack, image: str) -> None:
    k3s = containerd_of("k3s")
    wrong = release({CONFIG: k3s.config, SOCKET: k3s.socket})
    told = pack.deployment(_group(image), wrong).of(RULE)
    assert {(each.urn, each.level) for each in told} == {(wrong.urn, "mandatory")}
    assert all(f"NodeGroup 'gpu' runs eks-al2023: {image}" in each.message for each in told)
    assert pack.deployment(wrong).of(RULE) == []
