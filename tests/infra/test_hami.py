"""A fleet that shares its GPUs has what hands them out: HAMi, and not the operator's device plugin beside it."""

from __future__ import annotations

import pytest

from tests.infra.plans import RELEASE, all_of, boot_script, inputs, of_fleet, of_stack

MIXED = "hami: {namespace: shares}\npools:\n  t4: {instanceType: g4dn.12xlarge}\n  cpu: {instanceType: c7i.4xlarge}\n"


def test_one_plugin_hands_out_gpus() -> None:
    plan = of_fleet(MIXED)
    told = inputs(plan, RELEASE)
    assert told["hami"]["namespace"] == "shares"
    assert told["gpu-operator"]["values"]["devicePlugin"]["enabled"] is False
    plugin = told["hami"]["values"]["devicePlugin"]
    assert {each["key"] for each in plugin["tolerations"]} == {"nvidia.com/gpu", "nodeworthy/unverified"}
    assert (plugin["runtimeClassName"], plugin["createRuntimeClass"]) == ("nvidia", False)
    releases = all_of(plan, RELEASE)
    assert releases["gpu-operator"].urn in releases["hami"].dependencies


def test_its_scheduler_speaks_with_an_api_server_of_its_own_version() -> None:
    told = inputs(of_fleet(MIXED), RELEASE)["hami"]["values"]["scheduler"]
    assert told["kubeScheduler"]["image"]["tag"] == "v1.34.0"
    assert "tolerations" not in told


def test_nodes_with_gpus_say_that_they_are_shared_when_they_register() -> None:
    plan = of_fleet(MIXED)
    assert "gpu=on" in boot_script(plan, "made-t4")
    assert "gpu=on" not in boot_script(plan, "made-cpu")


def test_it_brings_what_no_operator_does_and_runs_where_only_gpus_are() -> None:
    told = inputs(of_fleet("hami: {}\noperator: false\npools:\n  t4: {instanceType: g4dn.12xlarge}\n"), RELEASE)
    values = told["hami"]["values"]
    assert values["devicePlugin"]["createRuntimeClass"] is True
    assert values["scheduler"]["tolerations"] == values["scheduler"]["patch"]["tolerations"]


@pytest.mark.parametrize("stack", ["ci", "prod"])
def test_nobody_gets_it_unasked(stack: str) -> None:
    plan = of_stack(stack)
    assert "hami" not in inputs(plan, RELEASE)
    assert "gpu=on" not in boot_script(plan, f"gpu-{stack}-h100")
