"""What HAMi's devices, selectors, settings and sums come to, in the small."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nodeworthy.collect.releases import releases
from nodeworthy.documents.tree import plant
from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.cluster.selector import selects
from nodeworthy.facts.hami.cluster import Role, installations, role_of
from nodeworthy.facts.hami.fault import Dimension, HamiSums
from nodeworthy.facts.hami.policies import Policy
from nodeworthy.facts.hami.setup import HamiSetup
from nodeworthy.facts.hami.shares import devices_of, total
from nodeworthy.facts.hami.values import HamiNodeConfigs, HamiValues, hami_settings, values_of_device_config
from nodeworthy.rules.hami_plugin_configured import its_node_settings_can_be_read
from nodeworthy.verdict import Known, Located, Place, Unknown

AT = Place(path="values.yaml", line=1)
REGISTERED = "hami.io/node-nvidia-register"
OLD = "GPU-a,10,32768,100,NVIDIA-Tesla V100-PCIE-32GB,0,true:GPU-b,10,32768,100,NVIDIA-Tesla V100-PCIE-32GB,0,false:"
NEW = json.dumps([{"id": "GPU-a", "count": 4, "devmem": 23034, "devcore": 100, "type": "NVIDIA L4", "health": True}])


def node(written: str) -> ClusterNode:
    return ClusterNode("gpu-1", annotations={REGISTERED: written})


def values(**tree: object) -> HamiValues:
    return HamiValues(AT, plant(tree, AT), "Helm values")


@pytest.mark.parametrize(("written", "count"), [(OLD, 2), (NEW, 1), ("", 0), ("[", 0), ("[1]", 0), ("GPU-a,ten:", 0)])
def test_devices_in_either_spelling(written: str, count: int) -> None:
    assert len(devices_of(node(written))) == count


def test_an_unhealthy_gpu_is_nothing_to_give() -> None:
    has = total([node(OLD), node(NEW)])
    assert (has.slots, has.memory, has.cores) == (14, 32768 + 23034, 200)


@pytest.mark.parametrize(
    ("name", "labels", "role"),
    [
        ("x", {"app.kubernetes.io/component": "hami-scheduler"}, Role.SCHEDULER),
        ("x", {"app": "hami-device-plugin"}, Role.DEVICE_PLUGIN),
        ("x", {"app": "hami-vgpu-monitor"}, Role.MONITOR),
        ("vgpu-hami-scheduler-7d9f", {}, Role.SCHEDULER),
        ("hami-vgpu-device-plugin-zz", {}, Role.DEVICE_PLUGIN),
        ("hamilton-scheduler", {}, None),
        ("hami-webui-1", {"app": "hami-webui"}, None),
    ],
)
def test_roles(name: str, labels: dict[str, str], role: Role | None) -> None:
    assert role_of(name, labels) is role


def test_what_names_no_release_belongs_to_the_one_beside_it() -> None:
    def pod(name: str, namespace: str, release: str) -> dict[str, object]:
        labels = {"app": name, **({"app.kubernetes.io/instance": release} if release else {})}
        return {"metadata": {"name": name, "namespace": namespace, "labels": labels}}

    parts = [pod("hami-scheduler", "hami", "one"), pod("hami-device-plugin", "hami", "")]
    assert [each.title for each in installations(parts, {})] == ["release 'one' in namespace hami"]
    twice = [*parts, pod("hami-scheduler", "kube-system", "two")]
    assert len(installations(twice, {})) == 2


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [
        ({"key": "a", "operator": "In", "values": ["1"]}, True),
        ({"key": "a", "operator": "NotIn", "values": ["1"]}, False),
        ({"key": "b", "operator": "NotIn", "values": ["1"]}, True),
        ({"key": "a", "operator": "Exists"}, True),
        ({"key": "b", "operator": "Exists"}, False),
        ({"key": "b", "operator": "DoesNotExist"}, True),
    ],
)
def test_selectors(expression: dict[str, object], chosen: bool) -> None:
    assert selects({"matchExpressions": [expression]}, {"a": "1"}) is chosen


def test_values_of_another_chart_are_not_hamis() -> None:
    def settings(values: dict[str, Any]) -> list[object]:
        return [found for each in releases(plant(values, AT)) for found in hami_settings(each)]

    assert settings({"devicePlugin": {"enabled": True}, "toolkit": {"env": []}}) == []
    assert len(settings({"hami": {"devicePlugin": {"deviceSplitCount": 4}}, "web": {"replicas": 1}})) == 1


def test_a_config_map_says_the_same_as_values() -> None:
    config = plant({"nvidia": {"deviceMemoryScaling": 2, "resourceCountName": "nvidia.com/vgpu"}}, AT)
    found = values_of_device_config(config, AT, "ConfigMap")
    assert found is not None
    setup = HamiSetup(AT, (found,))
    assert setup.memory_scaling.state == Known(2)
    assert setup.names.count == "nvidia.com/vgpu"
    assert setup.names.memory == "nvidia.com/gpumem"


def test_two_sets_of_values_that_differ_are_no_answer() -> None:
    one = values(devicePlugin={"deviceMemoryScaling": 1})
    other = values(devicePlugin={"deviceMemoryScaling": 2})
    assert HamiSetup(AT, (one, one)).memory_scaling.state == Known(1)
    assert isinstance(HamiSetup(AT, (one, other)).memory_scaling.state, Unknown)


@pytest.mark.parametrize(
    ("of", "written", "known"),
    [
        ("gpu", "mutex,topology-aware", True),
        ("gpu", "Spread", False),
        ("node", "binpack,spread", False),
        ("node", "numa", False),
        ("node", " spread", True),
    ],
)
def test_policies(of: str, written: str, known: bool) -> None:
    assert Policy(of, Located.known(written, AT)).is_known(written) is known


@pytest.mark.parametrize(
    ("entry", "count"),
    [
        ({"name": "gpu-1", "operatingmode": "mps", "migstrategy": "none"}, 0),
        ({"name": "gpu-1", "filterdevices": {"uuid": ["GPU-a", "MIG-b"], "index": [0]}}, 0),
        ({"name": "gpu-1", "filterdevices": []}, 1),
        ({"name": "gpu-1", "filterdevices": {"uuid": "GPU-a", "index": [True, -1, "0"]}}, 4),
        ({"operatingmode": "hami-core"}, 1),
    ],
)
def test_entries_of_the_node_config(entry: dict[str, object], count: int) -> None:
    configs = HamiNodeConfigs(AT, plant({"nodeconfig": [entry]}, AT), "ConfigMap")
    assert len(list(its_node_settings_can_be_read(configs))) == count


def test_what_runs_out_the_most_is_named_first() -> None:
    """By how many times it is short; what there is none of at all counts as one."""
    memory = Dimension("memory", 60_000, 40_000, "")
    cores = Dimension("cores", 400, 100, "")
    slots = Dimension("slots", 10, 20, "")
    assert HamiSums(AT, (memory, cores, slots)).first_short is cores
    assert HamiSums(AT, (slots,)).first_short is None
