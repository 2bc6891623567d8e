"""`diagnose --fix` with the rights that a user has: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.cluster.objects import Object
from tests.run import run

from .control_plane import ControlPlane
from .kube_client import KubeClient
from .repaired_cluster import fix, incident_here, kept, leave_a_lock, locks, said, undo
from .stand_in_operator import RIGHT, Operator


@pytest.fixture
def cluster(control_plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ControlPlane]:
    with incident_here(control_plane, tmp_path, monkeypatch):
        yield control_plane


def test_who_may_only_read_changes_nothing(
    cluster: ControlPlane, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    allow(cluster.client, "reader", {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]})
    (tmp_path / "reader").write_text(cluster.kubeconfig_for("reader"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "reader"))
    ran = fix("--yes")
    assert ran.code == 3
    assert "nothing was changed" in ran.err
    assert "cannot patch resource" in ran.err
    dry = fix("--dry-run")
    assert dry.code == 1
    assert "the server's dry run: refused:" in dry.out
    assert (said(cluster.client), kept(), locks(cluster.client)) == (set(), [], [])


def test_who_may_not_take_the_lock_changes_nothing(
    cluster: ControlPlane, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    reads = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}
    patches = {"apiGroups": ["nvidia.com"], "resources": ["clusterpolicies"], "verbs": ["patch"]}
    allow(cluster.client, "patcher", reads, patches)
    (tmp_path / "patcher").write_text(cluster.kubeconfig_for("patcher"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "patcher"))
    ran = fix("--yes")
    assert ran.code == 3
    assert "the lock of repairs" in ran.err
    assert (said(cluster.client), kept()) == (set(), [])


def test_who_may_make_one_of_two_changes_makes_none(
    cluster: ControlPlane, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    leave_a_lock(cluster.client)
    reads = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}
    patches = {"apiGroups": ["nvidia.com"], "resources": ["clusterpolicies"], "verbs": ["patch"]}
    locks_too = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["*"]}
    allow(cluster.client, "half", reads, patches, locks_too)
    (tmp_path / "half").write_text(cluster.kubeconfig_for("half"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "half"))
    ran = fix("--yes")
    assert ran.code == 3, ran.out
    assert "2 changes\n" in ran.out
    assert 'cannot patch resource "nodes"' in ran.err
    assert (said(cluster.client), kept(), locks(cluster.client)) == (set(), [], [])


def test_with_the_rights_of_the_page_it_mends_and_undoes(
    cluster: ControlPlane, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And with those of --print-role, to look."""
    client, group = cluster.client, "/apis/rbac.authorization.k8s.io/v1"
    page = (Path(__file__).parents[2] / "docs" / "repair.md").read_text()
    writes = list(yaml.safe_load_all(page.partition("```yaml\n")[2].partition("```")[0]))
    looks = [each for each in yaml.safe_load_all(run("diagnose", "--print-role").out) if each["kind"] == "ClusterRole"]
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "mender"}
    for role in (*writes, *looks):
        home, kind = role["metadata"].get("namespace"), role["kind"]
        where, name = f"{group}/namespaces/{home}" if home else group, f"{role['metadata']['name']}-of-mender"
        client.create(f"{where}/{kind.lower()}s", {**role, "metadata": {"name": name}})
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name}
        binding = {"metadata": {"name": name}, "roleRef": reference, "subjects": [subject]}
        client.create(f"{where}/{kind.lower()}bindings", binding)
    (tmp_path / "mender").write_text(cluster.kubeconfig_for("mender"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "mender"))
    leave_a_lock(client)
    with Operator(cluster):
        ran = fix("--yes", "--wait", "60")
        assert "verified after" in ran.out, ran.out + ran.err
        assert said(client) == RIGHT
        assert undo(str(kept()[0])).code == 0
    assert locks(client) == []


def allow(client: KubeClient, user: str, *rules: Object) -> None:
    group = "/apis/rbac.authorization.k8s.io/v1"
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": user}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}
    client.create(f"{group}/clusterroles", {"metadata": {"name": user}, "rules": list(rules)})
    binding = {"metadata": {"name": user}, "roleRef": role, "subjects": [subject]}
    client.create(f"{group}/clusterrolebindings", binding)
