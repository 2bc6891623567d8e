"""Pools of GKE and AKS: which have GPUs, what their nodes are, and who brings the driver."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.documents.tree import plant
from nodeworthy.facts.fleet.gpu_pool import GpuPool, retired_machines
from nodeworthy.facts.fleet.hosted_pools import (
    AKS_CLUSTER,
    AKS_POOL,
    GKE_CLUSTER,
    GKE_POOL,
    HostedResource,
    hosted_pools,
)
from nodeworthy.known.cloud_gpus import gpus_of_machine, gpus_of_size
from nodeworthy.known.gpus import gpu_named
from nodeworthy.verdict import Place, Unknown

PLACE = Place("main.tf", 1, 1)


def pools(*resources: tuple[str, dict[str, Any]]) -> list[GpuPool]:
    return hosted_pools([HostedResource(kind, "r", PLACE, plant(said, PLACE)) for kind, said in resources])


def gke(config: dict[str, Any], **more: Any) -> list[GpuPool]:
    return pools((GKE_POOL, {"node_config": [config], **more}))


def told(found: list[GpuPool]) -> list[tuple[str, str | None, str, str]]:
    return [
        (
            each.distribution.shown(),
            each.driver.value if each.driver is not None else None,
            each.machines.gpu.shown() if each.machines.gpu is not None else "?",
            each.machines.gpus.shown() if each.machines.gpus is not None else "?",
        )
        for each in found
    ]


def accelerator(driver: str | None = None, **more: Any) -> dict[str, Any]:
    installs = {"gpu_driver_installation_config": [{"gpu_driver_version": driver}]} if driver else {}
    return {"guest_accelerator": [{"type": "nvidia-tesla-t4", "count": 2, **installs}], **more}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (accelerator(), ("gke-cos", None, "T4", "2")),
        (accelerator("DEFAULT"), ("gke-cos", "ami", "T4", "2")),
        (accelerator("LATEST", image_type="cos_containerd"), ("gke-cos", "ami", "T4", "2")),
        (accelerator("INSTALLATION_DISABLED"), ("gke-cos", None, "T4", "2")),
        (accelerator(image_type="UBUNTU_CONTAINERD"), ("gke-ubuntu", None, "T4", "2")),
        ({"machine_type": "a3-highgpu-8g"}, ("gke-cos", None, "H100", "8")),
        ({"machine_type": "a3-highgpu-16g"}, ("gke-cos", None, "H100", "?")),
    ],
)
def test_pools_of_gke(config: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert told(gke(config)) == [expected]


@pytest.mark.parametrize(
    "shares",
    [
        {"gpu_sharing_config": [{"gpu_sharing_strategy": "TIME_SHARING", "max_shared_clients_per_gpu": 8}]},
        {"gpu_partition_size": "1g.5gb"},
        {"gpu_partition_size": Unknown("later")},
    ],
)
def test_a_node_whose_gpus_are_shared_offers_more_than_it_has(shares: dict[str, Any]) -> None:
    """What a plan writes where nobody shares any is not that."""
    cards = {"type": "nvidia-tesla-a100", "count": 1, "gpu_sharing_config": [], "gpu_partition_size": None}
    whole = gke({"machine_type": "a2-highgpu-1g", "guest_accelerator": [cards]})
    assert told(whole) == [("gke-cos", None, "A100", "1")]
    cut = gke({"machine_type": "a2-highgpu-1g", "guest_accelerator": [{**cards, **shares}]})
    assert [type(each.machines.gpus.state) for each in cut if each.machines.gpus is not None] == [Unknown]
    by_accelerator = gke({"guest_accelerator": [{**cards, **shares}]})
    assert [type(each.machines.gpus.state) for each in by_accelerator if each.machines.gpus is not None] == [Unknown]


@pytest.mark.parametrize(
    "config",
    [{"machine_type": "e2-standard-4"}, {"guest_accelerator": []}, {}, {"machine_type": Unknown("later")}],
)
def test_a_pool_of_gke_without_gpus_is_none(config: dict[str, Any]) -> None:
    assert gke(config) == []


def test_an_image_that_nobody_knows_is_unknown() -> None:
    assert [type(each.distribution.state) for each in gke(accelerator(image_type="WINDOWS_LTSC"))] == [Unknown]
    assert [type(each.distribution.state) for each in gke(accelerator(image_type=Unknown("later")))] == [Unknown]


def test_versions_are_those_of_the_cluster() -> None:
    cluster = {"name": "c", "min_master_version": "1.33.5-gke.1080000", "node_pool": [{"node_config": [accelerator()]}]}
    found = pools((GKE_CLUSTER, cluster), (GKE_POOL, {"node_config": [accelerator()]}))
    assert [each.kubernetes.shown() for each in found if each.kubernetes is not None] == ["1.33", "1.33"]
    assert [each.cluster.shown() for each in found if each.cluster is not None] == ["c", "c"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({}, ("aks", "ami", "A100", "2")),
        ({"gpu_driver": "Install"}, ("aks", "ami", "A100", "2")),
        ({"gpu_driver": "None"}, ("aks", "operator", "A100", "2")),
        ({"tags": {"SkipGPUDriverInstall": "true"}}, ("aks", "operator", "A100", "2")),
        ({"gpu_driver": Unknown("later")}, ("aks", None, "A100", "2")),
        ({"vm_size": "standard_nc99_new"}, ("aks", "ami", "?", "?")),
    ],
)
def test_pools_of_aks(said: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert told(pools((AKS_POOL, {"vm_size": "Standard_NC48ads_A100_v4", **said}))) == [expected]
    cluster = {"default_node_pool": [{"vm_size": "Standard_NC48ads_A100_v4", **said}]}
    assert told(pools((AKS_CLUSTER, cluster))) == [expected]


@pytest.mark.parametrize(
    "said", [{"vm_size": "Standard_D4s_v5"}, {}, {"vm_size": "Standard_NV8as_v4"}, {"vm_size": Unknown("later")}]
)
def test_a_pool_of_aks_without_nvidias_gpus_is_none(said: dict[str, Any]) -> None:
    assert pools((AKS_POOL, said)) == []


def test_windows_takes_no_operator() -> None:
    assert pools((AKS_POOL, {"vm_size": "Standard_NC48ads_A100_v4", "os_type": "Windows"})) == []


@pytest.mark.parametrize(
    ("has", "gpu", "count"),
    [
        (gpus_of_size("Standard_NC64as_T4_v3"), "T4", 4),
        (gpus_of_size("Standard_NC8as_T4_v3"), "T4", 1),
        (gpus_of_size("Standard_NC24rs_v3"), "V100", 4),
        (gpus_of_size("Standard_ND96amsr_A100_v4"), "A100", 8),
        (gpus_of_size("Standard_ND96isr_H200_v5"), "H200", 8),
        (gpus_of_size("Standard_ND128isr_GB300_v6"), "GB300", 4),
        (gpus_of_size("Standard_NC128ds_xl_RTXPRO6000BSE_v6"), "RTX-PRO-6000", None),
        (gpus_of_size("Standard_NV24s_v3"), "M60", 2),
        (gpus_of_machine("a4x-maxgpu-4g-metal"), "GB300", 4),
        (gpus_of_machine("g2-standard-96"), "L4", 8),
        (gpus_of_machine("a4x-highgpu-4g"), "GB200", 4),
    ],
)
def test_what_machines_have(has: Any, gpu: str, count: int) -> None:
    assert (has.gpu, has.count) == (gpu, count)
    assert gpu_named(gpu) is not None


RETIRED = [
    pools((GKE_POOL, {"node_config": [{"guest_accelerator": [{"type": "nvidia-tesla-k80", "count": 1}]}]})),
    pools((AKS_POOL, {"vm_size": "Standard_NC6s_v3"})),
    pools((AKS_POOL, {"vm_size": "standard_nc24_promo"})),
    pools((AKS_CLUSTER, {"default_node_pool": [{"vm_size": "Standard_ND12s"}]})),
]
REFUSED = ["SStandard_ND96isr_H100_v5 VMs", "NC24ads_A100_v4", "Standard NC6s v3"]
NOT_REFUSED = [
    "Standard_NC24ads_A100_v4",
    "standard_nc99_new",
    "<Standard_NC6s_v3 or larger>",
    "NC_SIZE",
    "Standard_D4s_v5 NO",
]
OF_TODAY = [
    gke(accelerator()),
    pools((AKS_POOL, {"vm_size": "Standard_NC24rs_v3"})),
    pools((AKS_POOL, {"vm_size": "Standard_NC8as_T4_v3"})),
]


def test_what_a_cloud_has_retired_is_told_of_a_pool_that_asks_for_it() -> None:
    gone = [each.gone for found in RETIRED for each in retired_machines(found)]
    assert [(each.what.shown(), each.cloud, each.since) for each in gone] == [
        ("nvidia-tesla-k80", "Google Cloud", "2024-05-01"),
        ("Standard_NC6s_v3", "Azure", "2025-09-30"),
        ("standard_nc24_promo", "Azure", "2023-09-06"),
        ("Standard_ND12s", "Azure", "2023-09-06"),
    ]
    assert not [each for found in OF_TODAY for each in retired_machines(found)]


def test_what_is_no_size_of_azures_no_pool_can_have() -> None:
    refused = [each.machines.refused for size in REFUSED for each in pools((AKS_POOL, {"vm_size": size}))]
    assert [each.what.shown() for each in refused if each is not None] == REFUSED
    for size in NOT_REFUSED:
        assert all(each.machines.refused is None for each in pools((AKS_POOL, {"vm_size": size})))


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ({"autoscaling": [{"total_min_node_count": 0, "total_max_node_count": 4}]}, ("0", "0", "4")),
        ({"autoscaling": [{"min_node_count": 1, "max_node_count": 3}], "initial_node_count": 2}, ("2", "1", "3")),
        ({"node_count": 2}, ("2", None, None)),
        ({}, (None, None, None)),
    ],
)
def test_a_pool_of_gke_begins_with_what_it_says_or_scales_down_to(said: dict[str, Any], numbers: object) -> None:
    (found,) = gke(accelerator(), **said)
    machines = found.machines
    shown = (each.shown() if each is not None else None for each in (machines.wanted, machines.least, machines.most))
    assert tuple(shown) == numbers
