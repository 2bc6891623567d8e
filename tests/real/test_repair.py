"""`diagnose --fix` and `--undo` against a real API server: its dry runs, its conflicts, its refusals."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.known.containerd import defaults
from tests.cluster.objects import NODE, Object, cluster_policy
from tests.run import run

from .control_plane import ControlPlane
from .daemon import PATIENCE
from .kube_client import KubeClient, wait_for
from .repaired_cluster import LEASES, MERGE, fix, incident_here, kept, leave_a_lock, locks, said, undo
from .stand_in_operator import POLICY, RIGHT, Operator, env_now


@pytest.fixture
def cluster(control_plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ControlPlane]:
    with incident_here(control_plane, tmp_path, monkeypatch):
        yield control_plane


def told_policy(client: KubeClient, env: list[Object] | None, **metadata: Any) -> None:
    patch: Object = (
        {"metadata": metadata, "spec": {"toolkit": {"env": env}}} if env is not None else {"metadata": metadata}
    )
    client.expect("PATCH", POLICY, patch, content_type=MERGE)


def test_a_dry_run_shows_the_change_and_makes_none(cluster: ControlPlane) -> None:
    before = cluster.client.get(POLICY)
    ran = fix("--dry-run")
    assert ran.code == 1, ran.err
    for name, value in RIGHT:
        assert f"   +    - name: {name}\n   +      value: {value}\n" in ran.out
    assert "   -    env: []\n" in ran.out
    assert "the server's dry run: accepted\n" in ran.out
    assert cluster.client.get(POLICY) == before
    assert (kept(), locks(cluster.client)) == ([], [])


def test_the_incident_is_mended_verified_and_undone(cluster: ControlPlane) -> None:
    client = cluster.client
    before = client.get(POLICY)["spec"]
    with Operator(cluster):
        ran = fix("--yes", "--wait", "60")
        assert ran.code == 0, ran.out + ran.err
        assert "verified after" in ran.out
        assert said(client) == RIGHT
        (file,) = kept()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert json.loads(file.read_text())["state"] == "applied"
        managers = [each["manager"] for each in client.get(POLICY)["metadata"]["managedFields"]]
        assert "nodeworthy" in managers
        assert run("diagnose", "--fleet", "Pulumi.onprem.yaml").code == 0
        assert fix("--dry-run").code == 0
        dry = undo(str(file), "--dry-run")
        assert (dry.code, said(client)) == (1, RIGHT), dry.out + dry.err
        undone = undo(str(file))
    assert (undone.code, undone.out) == (0, "put back: ClusterPolicy/cluster-policy\n"), undone.err
    assert client.get(POLICY)["spec"] == before
    again = undo(str(file))
    assert (again.code, again.out) == (0, "as it was already: ClusterPolicy/cluster-policy\n")
    assert locks(client) == []


def test_what_did_not_help_is_put_back(cluster: ControlPlane) -> None:
    """No operator is there to follow."""
    before = cluster.client.get(POLICY)["spec"]
    ran = fix("--yes", "--wait", "2")
    assert ran.code == 1, ran.err
    assert "failed: after" in ran.out
    assert "put back: ClusterPolicy/cluster-policy\n" in ran.out
    assert cluster.client.get(POLICY)["spec"] == before
    (file,) = kept()
    assert json.loads(file.read_text())["state"] == "put back"


def test_a_list_that_was_not_there_goes_again(cluster: ControlPlane) -> None:
    cluster.client.expect("PATCH", POLICY, {"spec": {"toolkit": {"env": None}}}, content_type=MERGE)
    assert fix("--yes", "--wait", "1").code == 1
    assert "env" not in cluster.client.get(POLICY)["spec"]["toolkit"]


def test_other_variables_stay_and_other_changes_too(cluster: ControlPlane) -> None:
    client = cluster.client
    proxy = {"name": "HTTPS_PROXY", "value": "http://user:hunter2hunter2@proxy:3128"}
    told_policy(client, [proxy, {"name": "CONTAINERD_SOCKET", "value": defaults().socket}])
    with Operator(cluster):
        ran = fix("--yes", "--wait", "60")
        # The password is a finding that nobody mends.
        assert (ran.code, "verified after" in ran.out) == (1, True), ran.out + ran.err
        assert said(client) == {*RIGHT, ("HTTPS_PROXY", proxy["value"])}
        (file,) = kept()
        assert "hunter2" not in file.read_text() + ran.out
        client.expect("PATCH", POLICY, {"spec": {"driver": {"enabled": True}}}, content_type=MERGE)
        assert undo(str(file)).code == 0
    assert env_now(client) == [proxy, {"name": "CONTAINERD_SOCKET", "value": defaults().socket}]
    assert client.get(POLICY)["spec"]["driver"] == {"enabled": True}


def test_undo_refuses_what_is_not_as_it_was_left(cluster: ControlPlane) -> None:
    with Operator(cluster):
        assert fix("--yes", "--wait", "60").code == 0
        (file,) = kept()
        mine = [{"name": "CONTAINERD_SOCKET", "value": "/run/mine.sock"}]
        told_policy(cluster.client, mine)
        ran = undo(str(file))
    assert ran.code == 3
    assert "somebody else has changed ClusterPolicy/cluster-policy" in ran.out
    assert env_now(cluster.client) == mine


def test_undo_refuses_another_object_of_the_same_name(cluster: ControlPlane) -> None:
    client = cluster.client
    with Operator(cluster):
        assert fix("--yes", "--wait", "60").code == 0
    (file,) = kept()
    spec = client.get(POLICY)["spec"]
    client.request("DELETE", POLICY)
    client.create(
        "/apis/nvidia.com/v1/clusterpolicies",
        {**cluster_policy(), "metadata": {"name": "cluster-policy"}, "spec": spec},
    )
    ran = undo(str(file))
    assert ran.code == 3
    assert "another object of the same name" in ran.out
    assert said(client) == RIGHT


@pytest.fixture
def on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Answers with what is done while the question is open."""

    class Terminal:
        def __init__(self, answer: Any) -> None:
            self.answer = answer

        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return str(self.answer())

    return lambda answer: monkeypatch.setattr("sys.stdin", Terminal(answer))


def test_who_is_asked_and_says_nothing_has_said_no(cluster: ControlPlane, on_a_terminal: Any) -> None:
    on_a_terminal(lambda: "\n")
    ran = fix()
    assert ran.code == 1
    assert ran.out.endswith("nothing was changed\n")
    assert "[y/N]" in ran.err
    assert (said(cluster.client), kept()) == (set(), [])


def test_without_a_terminal_it_wants_a_yes(cluster: ControlPlane) -> None:
    ran = fix()
    assert (ran.code, ran.out) == (2, "")
    assert "--yes" in ran.err
    assert said(cluster.client) == set()


@pytest.mark.parametrize(
    "meanwhile",
    [
        {"spec": {"toolkit": {"env": [{"name": "CONTAINERD_SOCKET", "value": "/run/theirs.sock"}]}}},
        {"spec": {"driver": {"enabled": True}}},
    ],
    ids=["the same value", "the same object"],
)
def test_a_change_of_somebody_else_meanwhile_is_a_refusal(
    cluster: ControlPlane, on_a_terminal: Any, meanwhile: Object
) -> None:
    client = cluster.client

    def somebody_else() -> str:
        client.expect("PATCH", POLICY, meanwhile, content_type=MERGE)
        return "y\n"

    on_a_terminal(somebody_else)
    ran = fix("--wait", "5")
    assert ran.code == 3, ran.out
    assert "somebody else has changed ClusterPolicy/cluster-policy" in ran.err
    assert not said(client) & RIGHT
    assert (kept(), locks(client)) == ([], [])


def test_two_at_once_refuse_each_other(cluster: ControlPlane, on_a_terminal: Any) -> None:
    """While the first one is asked, another begins, and waits for an operator that never follows."""
    argv = [
        sys.executable,
        "-m",
        "nodeworthy",
        "diagnose",
        "--fleet",
        "Pulumi.onprem.yaml",
        "--fix",
        "--yes",
        "--wait",
        "9",
    ]
    others: list[subprocess.Popen[str]] = []

    def another_begins() -> str:
        others.append(subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        wait_for(lambda: bool(locks(cluster.client)))
        return "y\n"

    on_a_terminal(another_begins)
    ran = fix("--wait", "5")
    out, err = others[0].communicate(timeout=PATIENCE)
    assert ran.code == 3, ran.out
    assert "another repair of this cluster is under way" in ran.err
    assert (others[0].returncode, "put back" in out) == (1, True), out + err
    assert (said(cluster.client), len(kept()), locks(cluster.client)) == (set(), 1, [])


def lease(minutes_ago: int) -> Object:
    then = datetime.fromtimestamp(datetime.now(UTC).timestamp() - minutes_ago * 60, UTC)
    spec = {"holderIdentity": "lea@desk", "leaseDurationSeconds": 300, "renewTime": f"{then:%Y-%m-%dT%H:%M:%S.%fZ}"}
    return {"metadata": {"name": "nodeworthy-repair"}, "spec": spec}


def test_the_lock_of_somebody_who_died_ends(cluster: ControlPlane) -> None:
    cluster.client.create(LEASES, lease(minutes_ago=1))
    ran = fix("--yes")
    assert ran.code == 3
    assert "by lea@desk" in ran.err
    cluster.client.request("DELETE", f"{LEASES}/nodeworthy-repair")
    cluster.client.create(LEASES, lease(minutes_ago=6))
    with Operator(cluster):
        assert fix("--yes", "--wait", "60").code == 0
    assert locks(cluster.client) == []


OWNED = {
    "Flux": {"labels": {"helm.toolkit.fluxcd.io/name": "gpu", "helm.toolkit.fluxcd.io/namespace": "infra"}},
    "Argo CD": {
        "annotations": {"argocd.argoproj.io/tracking-id": "gpu:nvidia.com/ClusterPolicy:gpu-operator/cluster-policy"}
    },
}


@pytest.mark.parametrize("keeper", OWNED)
def test_what_is_kept_in_git_is_only_printed(cluster: ControlPlane, keeper: str) -> None:
    told_policy(cluster.client, None, **OWNED[keeper])
    before = cluster.client.get(POLICY)
    for ran in (fix("--dry-run"), fix("--yes")):
        assert ran.code == 1, ran.err
        assert f"not applied: {keeper}'s" in ran.out
        assert "in git" in ran.out
        assert all(f"    - name: {name}\n" in ran.out and value in ran.out for name, value in RIGHT)
    assert cluster.client.get(POLICY) == before
    assert kept() == []


def test_a_state_that_can_not_be_kept_changes_nothing(cluster: ControlPlane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodeworthy.repair.run.new_state_path", lambda: Path("/proc/nothing/kept.json"))
    ran = fix("--yes")
    assert ran.code == 2
    assert "nothing was changed" in ran.err
    assert (said(cluster.client), locks(cluster.client)) == (set(), [])


def test_a_lock_that_hami_left_is_taken_from_the_node(cluster: ControlPlane) -> None:
    """By hand: kubelet refused a pod while the lock of another, which is gone, was on the node."""
    client = cluster.client
    leave_a_lock(client)
    ran = fix("--rule", "admission-explained", "--yes", "--wait", "5")
    assert ran.code == 0, ran.out + ran.err
    annotations = client.get(f"/api/v1/nodes/{NODE}")["metadata"]["annotations"]
    assert "hami.io/mutex.lock" not in annotations
    assert annotations  # the others
    assert undo(str(kept()[0])).code == 0
    assert client.get(f"/api/v1/nodes/{NODE}")["metadata"]["annotations"]["hami.io/mutex.lock"].endswith("gone-1")
