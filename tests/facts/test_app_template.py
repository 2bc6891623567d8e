"""Pods as bjw-s' app-template makes them of its values."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.documents.tree import Tree, plant
from nodeworthy.facts.pod.app_template import pod_of_one_container, pods_of_controllers
from nodeworthy.facts.pod.chart_resources import is_app_template
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.verdict import Place

GPU = {"limits": {"nvidia.com/gpu": 1}}
IMAGE = {"repository": "ghcr.io/x/y", "tag": "1.2"}


def tree(data: Any) -> Tree:
    return plant(data, Place())


def pods(controllers: dict[str, Any], **more: Any) -> list[PodTemplate]:
    values = tree({"controllers": controllers, **more})
    return list(pods_of_controllers(values, tree({"name": "media"}), None))


def containing(**container: Any) -> dict[str, Any]:
    return {"containers": {"app": {"image": IMAGE, "resources": GPU, **container}}}


def value(pod: PodTemplate, name: str) -> object:
    said = pod.containers[0].variable(name)
    return said.state if said is not None else None


def test_a_controller_is_a_pod() -> None:
    (pod,) = pods({"main": {**containing(env={"A": "1", "B": {"value": 2}}), "type": "daemonset", "replicas": 0}})
    assert (pod.kind, pod.name, pod.containers[0].name) == ("DaemonSet", "media", "app")
    assert pod.containers[0].image.shown() == "ghcr.io/x/y:1.2"
    assert [str(value(pod, name)) for name in "AB"] == ["Known(value='1')", "Known(value=2)"]


def test_variables_of_either_form() -> None:
    (listed,) = pods({"main": containing(env=[{"name": "A", "value": "1"}])})
    (secret,) = pods({"main": containing(env={"A": {"secretKeyRef": {"name": "s", "key": "k"}}})})
    assert "1" in str(value(listed, "A"))
    assert "another object" in str(value(secret, "A"))


def test_several_are_told_apart_by_their_names() -> None:
    named = pods({"media": containing(), "worker": containing(), "off": {**containing(), "enabled": False}})
    assert [each.name for each in named] == ["media", "media-worker"]


def test_what_all_pods_are_to_have() -> None:
    defaults = {"runtimeClassName": "nvidia", "nodeSelector": {"a": "b"}}
    own = {**containing(), "pod": {"nodeSelector": {"c": "d"}}}
    (pod,) = pods({"main": own}, defaultPodOptions=defaults)
    assert pod.runtime_class.shown() == "nvidia"
    assert list(pod.spec.get("nodeSelector").mapping) == ["c"]
    (pod,) = pods({"main": own}, defaultPodOptions=defaults, defaultPodOptionsStrategy="merge")
    assert list(pod.spec.get("nodeSelector").mapping) == ["a", "c"]


def test_what_all_containers_are_to_have() -> None:
    bare = {"containers": {"app": {"image": IMAGE}}, "initContainers": {"first": {"image": IMAGE}}}
    (pod,) = pods({"main": {**bare, "defaultContainerOptions": {"resources": GPU}}})
    assert [each.gpu_resources for each in pod.containers] == [("nvidia.com/gpu",)] * 2
    off = {"containers": {"app": {"image": IMAGE, "resources": GPU}, "no": {"image": IMAGE, "enabled": False}}}
    assert len(pods({"main": off})[0].containers) == 1


def test_what_has_nothing_to_do_with_gpus_is_none() -> None:
    assert pods({"main": {"containers": {"app": {"image": IMAGE}}}, "list": {"containers": [{"name": "x"}]}}) == []


def test_a_chart_of_1_x() -> None:
    values = tree({"image": IMAGE, "env": {"A": "1"}, "resources": GPU, "runtimeClassName": "nvidia"})
    (pod,) = pod_of_one_container(values, tree({"name": "plex"}), None)
    assert (pod.name, pod.runtime_class.shown(), pod.containers[0].gpu_resources) == (
        "plex",
        "nvidia",
        ("nvidia.com/gpu",),
    )


@pytest.mark.parametrize(
    ("values", "is_one"),
    [
        ({"controllers": {"a": containing()}}, True),
        ({"controllers": {"a": {"containers": {"b": {"env": {}}}}}}, True),
        ({"controllers": {"a": {"containers": [{"image": IMAGE}]}}}, False),
        ({"controllers": {"a": {"image": IMAGE}}}, False),
        ({"containers": {"b": {"image": IMAGE}}}, False),
        ({}, False),
    ],
)
def test_its_shape(values: dict[str, Any], is_one: bool) -> None:
    assert is_app_template(tree(values)) is is_one
