"""The labels and taints with which a node registers: from the fleet, and in every family's own words."""

from __future__ import annotations

import tomllib

import pytest
import yaml

from nodeworthy.documents.yaml import read
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.fleet.read import read_fleet
from nodeworthy.verdict import Place
from tests.userdata.families import NODE_CONFIG, fleet, parts_of, script_of
from userdata import boot_script, made_up
from userdata.plan import plan
from userdata.registration import labels, taints

EVERY_GPU = {"nodeworthy/unverified": "", "nvidia.com/gpu": "present"}


def pools_of(text: str) -> tuple[Fleet, dict[str, Pool]]:
    tree = read(f"cluster: {{name: c}}\npools:\n{text}", Place(path="fleet.yaml"))
    assert tree is not None
    read_one = read_fleet(tree, None)
    return read_one, {pool.name: pool for pool in read_one.pools}


def in_flags(taints: dict[str, str]) -> str:
    return ",".join(f"{key}={value}:NoSchedule" if value else f"{key}:NoSchedule" for key, value in taints.items())


def test_a_node_config_has_them_in_kubelets_own_config() -> None:
    kubelet = yaml.safe_load(parts_of(script_of("al2023-h100"))[NODE_CONFIG])["spec"]["kubelet"]
    told = {each["key"]: each.get("value", "") for each in kubelet["config"]["registerWithTaints"]}
    assert told == EVERY_GPU
    assert {each["effect"] for each in kubelet["config"]["registerWithTaints"]} == {"NoSchedule"}


@pytest.mark.parametrize("pool", ["al2-a100", "ubuntu24-l4", "ubuntu22-t4"])
def test_bootstrap_gets_them_as_an_argument_of_kubelet(pool: str) -> None:
    assert f" --register-with-taints={in_flags(EVERY_GPU)}'\n" in script_of(pool)


def test_bottlerocket_gets_them_as_settings() -> None:
    settings = tomllib.loads(script_of("bottlerocket-l4"))["settings"]["kubernetes"]
    assert settings["node-taints"] == {key: [f"{value}:NoSchedule"] for key, value in EVERY_GPU.items()}
    assert settings["node-labels"]["nvidia.com/gpu.deploy.container-toolkit"] == "false"


@pytest.mark.parametrize("pool", ["al2023-cpu", "al2-cpu", "ubuntu22-cpu", "bottlerocket-cpu"])
def test_a_pool_without_gpus_has_none(pool: str) -> None:
    assert "taint" not in script_of(pool).lower()


def test_what_needs_no_gpu_is_kept_off_only_where_it_has_another_place() -> None:
    fleet, pools = pools_of("  t4: {instanceType: g4dn.12xlarge}\n")
    assert [each.key for each in taints(fleet, pools["t4"])] == ["nodeworthy/unverified"]


def test_a_node_for_profiling_says_so_and_has_no_dcgm() -> None:
    pool = next(each for each in fleet().pools if each.name == "al2023-h100")
    script = boot_script.of(plan(fleet(), pool, made_up.told(fleet()), profiling=True))
    [flag] = yaml.safe_load(parts_of(script)[NODE_CONFIG])["spec"]["kubelet"]["flags"]
    said = dict(label.split("=") for label in flag.removeprefix("--node-labels=").split(","))
    assert said["gpu.monitoring/profiling-dedicated"] == "true"
    assert said["nvidia.com/gpu.deploy.dcgm-exporter"] == "false"
    assert said["nodeworthy/pool"] == "al2023-h100"
    assert "profiling-dedicated" not in script_of("al2023-h100")


def test_the_operators_driver_stays_off_the_pools_that_bring_theirs() -> None:
    fleet, pools = pools_of(
        "  a: {instanceType: p5.48xlarge}\n  b: {gpu: l4, os: ubuntu-24.04, distribution: eks-ubuntu}\n"
    )
    assert labels(fleet, pools["a"])["nvidia.com/gpu.deploy.driver"] == "false"
    assert "nvidia.com/gpu.deploy.driver" not in labels(fleet, pools["b"])


def test_one_toolkit_is_enough_where_the_paths_are_the_same() -> None:
    fleet, pools = pools_of("  a: {instanceType: p5.48xlarge}\n  b: {instanceType: g6.12xlarge, os: ubuntu-24.04}\n")
    for pool in pools.values():
        assert "nvidia.com/gpu.deploy.container-toolkit" not in labels(fleet, pool)
