"""Node pools of the other clouds that host Kubernetes: which GPUs, how many, of which cluster."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.documents.tree import plant
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.hosted_elsewhere import pools_elsewhere
from nodeworthy.facts.fleet.hosted_pools import HostedResource
from nodeworthy.fleet.model import Driver
from nodeworthy.known.hosted_elsewhere import gpus_elsewhere, types_elsewhere
from nodeworthy.known.terraform import OTHER_CLOUDS
from nodeworthy.verdict import Located, Place

PLACE = Place("main.tf")


def pools(*resources: tuple[str, dict[str, Any]]) -> list[GpuPool]:
    return pools_elsewhere([HostedResource(kind, "gpu", PLACE, plant(said, PLACE)) for kind, said in resources])


def shown(said: Located[Any] | None) -> str:
    return said.shown() if said is not None else ""


@pytest.mark.parametrize(
    ("cloud", "machine", "gpu", "count"),
    [
        ("digitalocean", "gpu-h100x8-640gb", "H100", 8),
        ("digitalocean", "gpu-4000adax1-20gb", "RTX4000-Ada", 1),
        ("linode", "g2-gpu-rtx4000a4-m", "RTX4000-Ada", 4),
        ("linode", "g1-gpu-rtx6000-2", "RTX6000", 2),
        ("ovh", "l40s-180", "L40S", 2),
        ("ovh", "t1-le-45", "V100", 1),
        ("scaleway", "H100-SXM-8-80G", "H100", 8),
        ("scaleway", "L4-1-24G", "L4", 1),
        ("vultr", "vcg-a100-12c-120g-80vram", "A100", None),
        ("civo", "an.g1.l40s.kube.x2", "L40S", 2),
        ("oracle", "BM.GPU.H100.8", "H100", 8),
        ("oracle", "BM.GPU4.8", "A100", 8),
        ("oracle", "BM.GPU.L40S-NC.4", "L40S", 4),
        ("oracle", "VM.GPU.A10.2", "A10", 2),
        ("yandex", "gpu-standard-v3", "A100", None),
        ("alibaba", "ecs.gn7i-c8g1.2xlarge", "A10", None),
        ("ibm", "gx3-64x320x4l4", "L4", 4),
        ("upcloud", "GPU-8xCPU-64GB-1xL40S", "L40S", 1),
        ("coreweave", "gd-8xh100ib-i128", "H100", 8),
        ("coreweave", "gb200-4x", "GB200", 4),
    ],
)
def test_a_machine_has_its_gpus(cloud: str, machine: str, gpu: str, count: int | None) -> None:
    found = gpus_elsewhere(cloud, machine)
    assert found is not None
    assert (found.gpu, found.count) == (gpu, count)


@pytest.mark.parametrize(
    ("cloud", "machine"),
    [("digitalocean", "s-2vcpu-4gb"), ("digitalocean", "gpu-mi300x8-1536gb"), ("oracle", "VM.Standard.E4.Flex")],
)
def test_what_has_none_of_nvidias_is_no_pool(cloud: str, machine: str) -> None:
    assert gpus_elsewhere(cloud, machine) is None


def test_a_pool_is_of_the_only_cluster_beside_it() -> None:
    cluster = ("digitalocean_kubernetes_cluster", {"name": "research", "version": "1.33.1-do.0"})
    pool = ("digitalocean_kubernetes_node_pool", {"name": "h100", "size": "gpu-h100x1-80gb", "node_count": 2})
    (found,) = pools(cluster, pool)
    assert (found.name, shown(found.cluster), shown(found.kubernetes)) == ("h100", "research", "1.33")
    assert (shown(found.machines.gpu), shown(found.machines.gpus), shown(found.machines.wanted)) == ("H100", "1", "2")
    assert (found.driver, found.distribution.state.why) == (  # type: ignore[union-attr]
        None,
        "what nodes of this DOKS node pool run is not known",
    )


def test_of_two_clusters_nobody_knows_which() -> None:
    clusters = [("scaleway_k8s_cluster", {"name": name, "version": "1.33"}) for name in ("one", "other")]
    (found,) = pools(*clusters, ("scaleway_k8s_pool", {"name": "gpu", "node_type": "L4-1-24G", "size": 1}))
    assert (found.cluster, found.kubernetes) == (None, None)


def test_a_cluster_has_pools_within_it() -> None:
    both = [{"type": "g6-standard-4", "count": 3}, {"type": "g2-gpu-rtx4000a1-s", "count": 2}]
    (found,) = pools(("linode_lke_cluster", {"label": "research", "k8s_version": "1.33", "pool": both}))
    assert (shown(found.cluster), shown(found.machines.wanted)) == ("research", "2")


def test_a_preset_counts_and_a_cloud_brings_its_driver() -> None:
    resources = {"platform": "gpu-h200-sxm", "preset": "8gpu-128vcpu-1600gb"}
    template = {"resources": resources, "gpu_settings": {"drivers_preset": "cuda12"}}
    (found,) = pools(("nebius_mk8s_v1_node_group", {"name": "gpu", "fixed_node_count": 4, "template": template}))
    assert (shown(found.machines.gpus), found.driver, found.driver_by) == ("8", Driver.AMI, "Nebius")


def test_without_a_preset_for_drivers_nobody_says_who_brings_it() -> None:
    resources = {"platform": "gpu-h200-sxm", "preset": "8gpu-128vcpu-1600gb"}
    (found,) = pools(("nebius_mk8s_v1_node_group", {"name": "gpu", "template": {"resources": resources}}))
    assert found.driver is None


def test_a_root_is_known_by_how_their_resources_begin() -> None:
    assert {f"{each.partition('_')[0]}_" for each in types_elsewhere()} == set(OTHER_CLOUDS)
