"""What a DaemonSet is, by what runs in it, and whether two of them meet on a node."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.documents.release import Release
from nodeworthy.documents.tree import absent, plant
from nodeworthy.facts.operator.daemonset_manifest import (
    DaemonSetManifest,
    Part,
    daemonsets,
    daemonsets_of_chart,
    overlap,
)
from nodeworthy.verdict import Known, Place

HERE = Place(path="gpu.yaml")


def daemonset(
    image: str, name: str = "gpu", selector: dict[str, str] | None = None, **container: Any
) -> dict[str, Any]:
    pods = {"containers": [{"name": name, "image": image, **container}], "nodeSelector": selector or {}}
    return {"kind": "DaemonSet", "metadata": {"name": name}, "spec": {"template": {"spec": pods}}}


def read(document: dict[str, Any]) -> DaemonSetManifest | None:
    return next(daemonsets(plant(document, HERE)), None)


@pytest.mark.parametrize(
    ("image", "container", "part"),
    [
        ("nvcr.io/nvidia/k8s-device-plugin:v0.17.1", {}, Part.DEVICE_PLUGIN),
        ("nvcr.io/nvidia/k8s-device-plugin@sha256:0123abcd", {}, Part.DEVICE_PLUGIN),
        ("mirror.example.com:5000/nvidia/k8s-device-plugin", {}, Part.DEVICE_PLUGIN),
        ("nvcr.io/nvidia/k8s-device-plugin:v0.17.1", {"command": ["/usr/bin/gpu-feature-discovery"]}, None),
        ("docker.io/rocm/k8s-device-plugin:1.31.0.10@sha256:0123abcd", {}, None),
        ("mirror.example.com/rocm/k8s-device-plugin:labeller-latest", {}, None),
        ("nvcr.io/nvidia/k8s-device-plugin:v0.17.1", {"command": ["mps-control-daemon"]}, None),
        ("nvcr.io/nvidia/k8s/dcgm-exporter:4.4.2-4.7.0-distroless", {}, Part.DCGM_EXPORTER),
        ("projecthami/hami:v2.6.1", {}, Part.HAMI),
        ("quay.io/prometheus/node-exporter:v1.9.0", {}, None),
    ],
)
def test_it_is_told_by_its_image_and_command(image: str, container: dict[str, Any], part: Part | None) -> None:
    found = read(daemonset(image, **container))
    assert (found.part if found else None) is part


def test_other_kinds_are_none() -> None:
    assert read({**daemonset("nvcr.io/nvidia/k8s-device-plugin:v0.17.1"), "kind": "Deployment"}) is None


def test_what_it_advertises_may_be_said() -> None:
    named = read(daemonset("projecthami/hami:v2.6.1", args=["--resource-name=hami.io/vgpu"]))
    assert named is not None
    assert named.resource.state == Known("hami.io/vgpu")


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ({}, {}, True),
        ({}, {"gpu": "on"}, True),
        ({"gpu": "on"}, {"gpu": "off"}, False),
        ({"team": "vision"}, {"zone": "b"}, None),
        ({"nvidia.com/gpu.present": "true"}, {"team": "vision"}, True),
    ],
)
def test_whether_two_meet(one: dict[str, str], other: dict[str, str], meet: bool | None) -> None:
    image = "nvcr.io/nvidia/k8s-device-plugin:v0.17.1"
    first, second = (read(daemonset(image, selector=each)) for each in (one, other))
    assert first is not None
    assert second is not None
    assert overlap(first, second) is meet
    assert overlap(second, first) is meet


@pytest.mark.parametrize(
    ("chart", "values", "part"),
    [
        ("nvidia-device-plugin", {}, Part.DEVICE_PLUGIN),
        ("oci://mirror.example.com/charts/dcgm-exporter", {}, Part.DCGM_EXPORTER),
        ("hami", {}, Part.HAMI),
        ("hami", {"devicePlugin": {"enabled": False}}, None),
        ("kube-prometheus-stack", {}, None),
    ],
)
def test_charts(chart: str, values: dict[str, Any], part: Part | None) -> None:
    release = Release("Helmfile", "a release", HERE, plant(chart, HERE), absent(HERE), plant(values, HERE))
    found = next(daemonsets_of_chart(release), None)
    assert (found.part if found else None) is part


@pytest.mark.parametrize(("chosen", "meets"), [({"gpu": "on"}, False), ({}, True)])
def test_to_which_nodes_hamis_plugin_comes(chosen: dict[str, str], meets: bool) -> None:
    values = {"devicePlugin": {"nvidianodeSelector": chosen}} if chosen else {}
    release = Release("Helmfile", "a release", HERE, plant("hami", HERE), absent(HERE), plant(values, HERE))
    elsewhere = read(daemonset("nvcr.io/nvidia/k8s-device-plugin:v0.17.1", selector={"gpu": "off"}))
    assert elsewhere is not None
    assert overlap(next(daemonsets_of_chart(release)), elsewhere) is meets
