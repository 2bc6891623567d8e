"""What a fleet's pools ask of their boot scripts, the form in which they get it, and what nobody can write."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace

import pytest

from nodeworthy.fleet.model import Driver
from nodeworthy.rules import registry_resolvable
from tests.userdata.families import BOOTHOOK, NODE_CONFIG, SHELL, fleet, parts_of, plan_of, script_of
from userdata import boot_script, made_up
from userdata.boot_script import TooLarge
from userdata.plan import CannotWrite, Gpus, plan


@pytest.mark.parametrize(
    ("pool", "parts"),
    [
        ("al2023-h100", [NODE_CONFIG, BOOTHOOK, SHELL]),
        ("al2023-t4", [NODE_CONFIG, SHELL]),
        ("al2023-cpu", [NODE_CONFIG, SHELL]),
        ("al2-a100", [BOOTHOOK, SHELL]),
        ("al2-cpu", [SHELL]),
        ("ubuntu22-t4", [SHELL]),
        ("ubuntu24-own-image", [BOOTHOOK, SHELL]),
    ],
)
def test_each_reader_gets_its_part(pool: str, parts: list[str]) -> None:
    assert list(parts_of(script_of(pool))) == parts


def test_bottlerocket_gets_settings() -> None:
    settings = tomllib.loads(script_of("bottlerocket-l4"))["settings"]
    assert settings["kubernetes"]["node-labels"]["nodeworthy/pool"] == "bottlerocket-l4"
    assert settings["kubernetes"]["node-taints"]["nodeworthy/unverified"] == [":NoSchedule"]
    first = settings["container-registry"]["mirrors"][0]
    assert first["endpoint"] == [f"http://{first['registry']}"]
    assert settings["network"]["hosts"][0] == ["172.20.0.11", [registry_resolvable.name_of(first["registry"])]]


def test_the_operators_driver_is_left_to_the_operator() -> None:
    script = script_of("ubuntu24-l4")
    assert plan_of("ubuntu24-l4").driver is Driver.OPERATOR
    assert not re.search("nvidia(?!.com/gpu)", script.lower())


def test_one_that_ec2_does_not_take_says_by_how_much_and_why() -> None:
    plan = plan_of("al2023-h100")
    much = replace(plan, labels={**plan.labels, "much": "x" * 20_000})
    with pytest.raises(TooLarge) as refused:
        boot_script.of(much)
    size = len(script_of("al2023-h100")) + len(",much=") + 20_000
    told = str(refused.value)
    assert f"pool 'al2023-h100' has {size:,} bytes, and EC2 takes 16,384: that is {size - 16_384:,} too many" in told
    assert told.index("application/node.eks.aws has 2") < told.index("text/x-shellscript has ")


def test_what_can_not_be_written_is_refused_in_a_sentence() -> None:
    ufw = plan_of("ubuntu22-cpu").firewall
    with pytest.raises(CannotWrite, match="ufw is Ubuntu's firewall, and the pool's os is al2023"):
        boot_script.of(replace(plan_of("al2023-cpu"), firewall=ufw))
    for gpu, why in (("B200", "its NVSwitches need"), ("V100", "NVIDIA's open modules do not drive it")):
        with pytest.raises(CannotWrite, match=f"driver of a {gpu}, for {why}"):
            boot_script.of(replace(plan_of("al2023-a100"), gpus=Gpus(gpu, Driver.USER_DATA, nvswitch=True)))
    nobody = replace(made_up.told(fleet()), file_system=None)
    with pytest.raises(CannotWrite, match="nobody told which file system"):
        plan(fleet(), fleet().pools[0], nobody)


@pytest.mark.parametrize(
    ("host", "name", "inside"),
    [
        ("cache.ns.svc.cluster.local:5000", "cache.ns.svc.cluster.local", True),
        ("cache.ns.svc", "cache.ns.svc", True),
        ("cache.ns.svc.gpu.internal:5000", "cache.ns.svc.gpu.internal", True),
        ("ghcr.example.com:443", "ghcr.example.com", False),
        ("svc", "svc", False),
        ("10.0.0.7:5000", "10.0.0.7", False),
    ],
)
def test_only_the_clusters_own_names_need_an_address(host: str, name: str, inside: bool) -> None:
    assert registry_resolvable.name_of(host) == name
    assert registry_resolvable.is_in_cluster(host) is inside


def test_caches_have_addresses_behind_the_dns() -> None:
    hosts = ["a.ns.svc:5000", "ghcr.io", "b.ns.svc:5000", "a.ns.svc:5001"]
    assert registry_resolvable.registry_addresses(hosts, "10.100.0.0/24") == {
        "a.ns.svc": "10.100.0.11",
        "b.ns.svc": "10.100.0.12",
    }
    assert registry_resolvable.dns("10.100.4.0/22") == "10.100.4.10"
