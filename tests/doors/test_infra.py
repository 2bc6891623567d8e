"""The same fault of infrastructure by whatever source: of an operator beside nodes of any kind, and of the nodes that
each source asks for. A finding stands where the fault is, and nothing is told of the healthy twin."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from nodeworthy.known.containerd import containerd_of, defaults
from nodeworthy.known.operator_parts import NO_PLUGIN_OF_GKE
from tests.by_day import some
from tests.doors.infra_faults import FAULTS, Fault
from tests.doors.infra_kinds import NODES, Files, Nodes
from tests.doors.told import lay
from tests.run import run_json

# Of these nothing is told, or not yet, and why.
SILENT: Final = {
    "Karpenter, a chart of its own": "what a chart's template makes of its values, Helm knows",
    "Karpenter, Kustomize's patch": "a patch of a NodePool is not laid over it",
    "Ansible, amazon.aws.ec2_instance": "a machine in a task is no node of anything",
    "Karpenter, a script's heredoc: bootstrap.sh, which AL2023 does not have": "user data within a script's text",
    "Karpenter, v1alpha5": "no Karpenter of today takes these kinds",
}
_OPERATOR = "gpu-operator/values.yaml"
_STOCK, _OTHER = defaults().socket, containerd_of("k3s").socket
# There the operator is told no socket: the image brings the toolkit, or CRI-O has none.
_TOLD_NO_SOCKET = ("bottlerocket", "crio", "talos")


def _values(*, driver: bool, toolkit: bool, env: dict[str, str | None] | None = None) -> Files:
    rows = [f"    - name: {name}\n      value: {value}\n" for name, value in (env or {}).items() if value]
    told = "  env:\n" + "".join(rows) if rows else ""
    brings = f"driver:\n  enabled: {str(driver).lower()}\ntoolkit:\n  enabled: {str(toolkit).lower()}\n"
    return {_OPERATOR: brings + told}


def _with_sockets(nodes: Nodes, *, healthy: bool) -> Files:
    own = containerd_of(nodes.distribution)
    wrong = _OTHER if own.socket == _STOCK else _STOCK
    config = None if own.config_optional else own.config
    env = {"CONTAINERD_SOCKET": own.socket if healthy else wrong, "CONTAINERD_CONFIG": config}
    return {**nodes.files, **_values(driver=not nodes.has_driver, toolkit=True, env=env)}


def _found(files: Files, folder: Path) -> list[dict[str, Any]]:
    lay(files, folder)
    return run_json("check", ".", cwd=folder).findings


def _failed(found: list[dict[str, Any]], rule: str) -> list[tuple[str, int]]:
    fails = [each["where"] for each in found if each["rule"] == rule and each["verdict"] == "fail"]
    return [(each["path"], each["line"]) for each in fails]


def _errors(found: list[dict[str, Any]]) -> list[str]:
    return [each["message"] for each in found if each["verdict"] == "fail" and each["severity"] == "error"]


_OF_SOCKETS = [each for each in NODES if each.distribution not in _TOLD_NO_SOCKET and each.name not in SILENT]


@pytest.mark.parametrize("nodes", some(_OF_SOCKETS, 12, lambda each: each.name))
def test_a_foreign_socket_is_told_beside_these_nodes(nodes: Nodes, tmp_path: Path) -> None:
    ill = _failed(_found(_with_sockets(nodes, healthy=False), tmp_path / "ill"), "containerd-paths")
    assert (_OPERATOR, 7) in ill
    assert not _errors(_found(_with_sockets(nodes, healthy=True), tmp_path / "well"))


_OF_DRIVERS = [each for each in NODES if each.has_driver]


@pytest.mark.parametrize("nodes", some(_OF_DRIVERS, 12, lambda each: each.name))
def test_a_second_driver_is_told_beside_these_nodes(nodes: Nodes, tmp_path: Path) -> None:
    ill = _found({**nodes.files, **_values(driver=True, toolkit=False)}, tmp_path / "ill")
    assert _failed(ill, "one-driver") == ([] if nodes.name in SILENT else [(_OPERATOR, 2)])
    assert not _errors(_found({**nodes.files, **_values(driver=False, toolkit=False)}, tmp_path / "well"))


@pytest.mark.parametrize(("label", "is_told"), [("", True), (f" --node-labels={NO_PLUGIN_OF_GKE}=true", False)])
def test_gkes_own_plugin_is_kept_away_by_a_label(label: str, is_told: bool, tmp_path: Path) -> None:
    files = next(each.files for each in NODES if each.name == "GKE, gcloud")
    files = {path: text.replace(" --num-nodes", f"{label} --num-nodes") for path, text in files.items()}
    values = {_OPERATOR: "driver: {enabled: false}\ntoolkit: {enabled: false}\ndevicePlugin: {enabled: true}\n"}
    found = _found({**files, **values}, tmp_path / "one")
    assert _failed(found, "one-device-plugin") == ([(_OPERATOR, 3)] if is_told else [])


@pytest.mark.parametrize("fault", some(FAULTS, 20, lambda each: f"{each.source}: {each.name}"))
def test_a_fault_is_told_where_it_stands(fault: Fault, tmp_path: Path) -> None:
    told = _failed(_found(fault.written(healthy=False), tmp_path / "ill"), fault.rule)
    is_silent = not SILENT.keys().isdisjoint((fault.source, f"{fault.source}: {fault.name}"))
    # The same door may be silent of one fault and not of another.
    assert told == [fault.where] or (is_silent and not told)
    well = _found(fault.written(healthy=True), tmp_path / "well")
    assert not _failed(well, fault.rule)
    assert not _errors(well)


def test_what_is_silent_is_of_a_source_that_there_is() -> None:
    named = {each.name for each in NODES} | {each.source for each in FAULTS}
    assert set(SILENT) <= named | {f"{each.source}: {each.name}" for each in FAULTS}
