"""`node --taint` against a real API server: its objects, its conflicts, its refusals. What the nodes say is recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.node.recording import Recording, load
from tests.node.recordings import INCIDENT, MENDED
from tests.run import Ran, run

from .control_plane import ControlPlane
from .kube_client import KubeClient

NODES = "/api/v1/nodes"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
FRESH = {"key": "nodeworthy/unverified", "effect": "NoSchedule"}
MERGE = "application/merge-patch+json"
SAYS = {
    "node://fit": load(MENDED),
    "node://unfit": load(INCIDENT),
    "node://gone": Recording("", unreached="no route to host"),
    "ssh://elsewhere": load(MENDED),
}
# What its recording says.
HOSTNAME = "gpu-01"


def observe(host: Any) -> Recording:
    name = host.backend.get_pytest_id()
    return replace(SAYS[name], host=name)


@pytest.fixture
def client(control_plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[KubeClient]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KUBECONFIG", str(control_plane.kubeconfig))
    monkeypatch.setattr("nodeworthy.collect.node.asked.observe", observe)
    names = ("fit", "unfit", "gone", HOSTNAME)
    for name in names:
        labels = {"team": "ml"}
        node = {"kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": {"taints": [FRESH]}}
        control_plane.client.create(NODES, node)
    yield control_plane.client
    for name in names:
        control_plane.client.request("DELETE", f"{NODES}/{name}")


@dataclass
class Terminal:
    """Somebody who does something before he answers."""

    before: Callable[[], object]

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        self.before()
        return "y\n"


def taint(*arguments: str) -> Ran:
    return run("node", *arguments, "--taint")


def ours(client: KubeClient, name: str) -> tuple[str | None, str | None, str | None]:
    """The taint's value, the label and the annotation; None where there is none."""
    node = client.get(f"{NODES}/{name}")
    taints = {each["key"]: each.get("value", "") for each in node["spec"].get("taints", ())}
    labels, annotations = node["metadata"]["labels"], node["metadata"].get("annotations", {})
    assert labels["team"] == "ml"
    # The server's own, which a whole list must not lose.
    assert "node.kubernetes.io/not-ready" in taints
    return (
        taints.get(FRESH["key"]),
        labels.get("nodeworthy/verified"),
        annotations.get("nodeworthy/unverified-because"),
    )


def test_each_gets_its_own_mark(client: KubeClient) -> None:
    ran = taint("node://fit", "node://unfit", "node://gone", "--yes")
    assert ran.code == 1, ran.err
    value, verified, why = ours(client, "fit")
    assert (value, why) == (None, None)
    assert re.fullmatch(r"\d{8}T\d{6}Z", verified or "")
    assert ours(client, "unfit") == (
        "containerd-paths",
        None,
        "containerd-paths: the runtime nvidia is in a containerd that kubelet does not use",
    )
    assert ours(client, "gone") == ("", None, "looked-at: the host was not reached: no route to host")
    managers = {each["manager"] for each in client.get(f"{NODES}/fit")["metadata"]["managedFields"]}
    assert "nodeworthy" in managers
    again = taint("node://gone", "--yes")
    assert (again.code, "is marked so already" in again.err) == (3, True)


def test_a_dry_run_changes_nothing(client: KubeClient) -> None:
    before = client.get(f"{NODES}/fit")
    ran = taint("node://fit", "--dry-run")
    assert ran.code == 0, ran.err
    assert "- taint nodeworthy/unverified:NoSchedule" in ran.err
    assert client.get(f"{NODES}/fit") == before


def test_nobody_is_changed_unasked(client: KubeClient) -> None:
    ran = taint("node://fit")
    assert (ran.code, "there is no terminal" in ran.err) == (2, True)
    assert run("node", "node://fit").code == 0
    assert ours(client, "fit") == ("", None, None)


def test_who_opted_out_is_left(client: KubeClient) -> None:
    write(client, "unfit", {"metadata": {"labels": {"nodeworthy/verify": "disabled"}}})
    ran = taint("node://unfit", "--yes")
    assert (ran.code, "left as it is: it has the label nodeworthy/verify=disabled" in ran.err) == (1, True)
    assert ours(client, "unfit") == ("", None, None)


def test_a_host_by_the_name_that_it_says(client: KubeClient) -> None:
    ran = taint("ssh://elsewhere", "--yes")
    assert ran.code == 0, ran.err
    assert ours(client, HOSTNAME)[0] is None


def test_a_host_that_is_no_node_is_refused_and_the_others_are_not(client: KubeClient) -> None:
    client.request("DELETE", f"{NODES}/{HOSTNAME}")
    ran = taint("ssh://elsewhere", "node://fit", "--yes")
    assert ran.code == 3
    assert "ssh://elsewhere: no node is changed: no node has its name" in ran.err
    assert ours(client, "fit")[0] is None


def test_who_was_faster_wins(client: KubeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = {"spec": {"taints": [{**FRESH, "value": "theirs"}, *client.get(f"{NODES}/fit")["spec"]["taints"][1:]]}}
    monkeypatch.setattr("sys.stdin", Terminal(lambda: write(client, "fit", theirs)))
    ran = taint("node://fit")
    assert ran.code == 3
    assert "node fit is not changed: somebody else has changed Node/fit since it was looked at" in ran.err
    assert ours(client, "fit") == ("theirs", None, None)


def test_what_others_add_meanwhile_stays(client: KubeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    more = {"key": "team", "value": "ml", "effect": "NoExecute"}
    theirs = {"spec": {"taints": [more, *client.get(f"{NODES}/fit")["spec"]["taints"]]}}
    monkeypatch.setattr("sys.stdin", Terminal(lambda: write(client, "fit", theirs)))
    ran = taint("node://fit")
    assert ran.code == 0, ran.err
    assert more in client.get(f"{NODES}/fit")["spec"]["taints"]
    assert ours(client, "fit")[0] is None


def test_who_may_only_read_changes_nothing(
    client: KubeClient, control_plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.request("POST", f"{RBAC}/clusterroles", ROLE)
    client.request("POST", f"{RBAC}/clusterrolebindings", BINDING)
    (tmp_path / "looks-at-nodes").write_text(control_plane.kubeconfig_for("looks-at-nodes"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "looks-at-nodes"))
    ran = taint("node://fit", "--yes")
    assert ran.code == 3
    assert 'the server would refuse it: nodes "fit" is forbidden' in ran.err
    assert ours(client, "fit") == ("", None, None)


METADATA = {"metadata": {"name": "looks-at-nodes"}}
ROLE = {**METADATA, "rules": [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list"]}]}
BINDING = {
    **METADATA,
    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "looks-at-nodes"},
    "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "looks-at-nodes"}],
}


def write(client: KubeClient, name: str, patch: dict[str, Any]) -> None:
    client.expect("PATCH", f"{NODES}/{name}", patch, content_type=MERGE)
