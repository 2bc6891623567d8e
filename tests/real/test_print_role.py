"""The role that `diagnose --print-role` prints, applied by kubectl to a real API server: enough, and no more."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.cluster.kinds import ASKED_FOR
from tests.run import Ran, run, run_json

from .control_plane import ControlPlane
from .daemon import PATIENCE
from .kube_client import KubeClient
from .tools import Tools

NAME, HOME, TEAM = "nodeworthy-diagnose", "nodeworthy", "team-a"
WRITES = ("create", "update", "patch", "delete", "deletecollection")
# Kinds that a cluster has only where somebody brought them.
BROUGHT = [kind for kind in ASKED_FOR if "." in kind.groups[0] and not kind.groups[0].endswith(".k8s.io")]
_CLUSTER_WIDE = ("clusterroles", "clusterrolebindings")


@pytest.fixture(scope="module")
def cluster(control_plane: ControlPlane) -> Iterator[ControlPlane]:
    """One that knows every kind that a diagnosis asks for."""
    client = control_plane.client
    for kind in BROUGHT:
        if client.request("GET", kind.url(None)).status != 200:
            group, _, version = kind.api_version.partition("/")
            client.create_crd(group, version, kind.kind, plural=kind.plural, namespaced=kind.namespaced)
    client.create("/api/v1/namespaces", {"metadata": {"name": TEAM}})
    yield control_plane
    for plural in _CLUSTER_WIDE:
        client.request("DELETE", f"/apis/rbac.authorization.k8s.io/v1/{plural}/{NAME}")
    for plural in ("roles", "rolebindings"):
        client.request("DELETE", f"/apis/rbac.authorization.k8s.io/v1/namespaces/{TEAM}/{plural}/{NAME}")
    for kind in BROUGHT:
        client.remove_crd(kind.full_name, kind.url(None))


def applied(cluster: ControlPlane, tools: Tools, *arguments: str) -> str:
    kubectl = [str(tools.path("kubectl")), f"--kubeconfig={cluster.kubeconfig}", "apply", "-f", "-"]
    role = run("diagnose", "--print-role", *arguments)
    told = subprocess.run(kubectl, input=role.out, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert told.returncode == 0, told.stderr
    return told.stdout


def as_account(cluster: ControlPlane, home: str) -> KubeClient:
    """By a token of its own, as `kubectl create token` asks for it."""
    path = f"/api/v1/namespaces/{home}/serviceaccounts/{NAME}/token"
    made = cluster.client.create(path, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    return KubeClient(cluster.url, made["status"]["token"], cluster.ca_file)


def may(account: KubeClient, verb: str, group: str, resource: str, namespace: str = "") -> bool:
    resource, _, part = resource.partition("/")
    asked = {"verb": verb, "group": group, "resource": resource, "subresource": part, "namespace": namespace}
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    answer: dict[str, Any] = account.create(path, {"spec": {"resourceAttributes": asked}})
    return bool(answer["status"]["allowed"])


def diagnose(
    cluster: ControlPlane, account: KubeClient, folder: Path, patch: pytest.MonkeyPatch, *arguments: str
) -> Ran:
    written = json.loads(cluster.kubeconfig_for())
    written["users"][0]["user"] = {"token": account.token}
    (folder / "kubeconfig").write_text(json.dumps(written))
    patch.setenv("KUBECONFIG", str(folder / "kubeconfig"))
    patch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    patch.chdir(folder)
    return run_json("diagnose", "--record", "kept", *arguments)


def refused(folder: Path) -> list[str]:
    kept = {path.stem: json.loads(path.read_text()) for path in (folder / "kept").glob("*.json")}
    assert len(kept) > len(ASKED_FOR)  # and the recording itself
    return sorted(name for name, data in kept.items() if data["kind"] == "Status")


def test_with_it_everything_is_read(
    cluster: ControlPlane, tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "clusterrole" in applied(cluster, tools)
    assert set(applied(cluster, tools).split()[1::2]) == {"unchanged"}
    ran = diagnose(cluster, as_account(cluster, HOME), tmp_path, monkeypatch)
    assert ran.out, ran.err
    assert refused(tmp_path) == []
    assert "looked-at" not in {found["rule"] for found in ran.findings}


def test_with_it_nothing_is_written(cluster: ControlPlane, tools: Tools) -> None:
    applied(cluster, tools)
    account = as_account(cluster, HOME)
    rights = [(group, kind.plural) for kind in ASKED_FOR for group in kind.groups]
    assert [each for each in rights if not may(account, "list", *each)] == []
    assert [(verb, each) for verb in WRITES for each in rights if may(account, verb, *each)] == []
    assert may(account, "get", "", "pods/log")
    for verb, resource in (("get", "secrets"), ("create", "pods/exec"), ("get", "nodes/proxy")):
        assert not may(account, verb, "", resource)
    assert not may(account, "*", "*", "*")
    body = {"metadata": {"name": "mine"}}
    assert account.request("POST", "/api/v1/namespaces/default/configmaps", body).status == 403
    assert account.request("PATCH", "/api/v1/nodes/mine", {}, content_type="application/merge-patch+json").status == 403


def test_in_one_namespace_it_reads_that_and_no_other(
    cluster: ControlPlane, tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    applied(cluster, tools, "--namespace", TEAM)
    account = as_account(cluster, TEAM)
    assert may(account, "list", "", "pods", TEAM)
    assert not may(account, "list", "", "pods", "default")
    assert not may(account, "create", "", "pods", TEAM)
    diagnose(cluster, account, tmp_path, monkeypatch, "--namespace", TEAM)
    assert refused(tmp_path) == sorted(kind.key for kind in ASKED_FOR if not kind.namespaced)
