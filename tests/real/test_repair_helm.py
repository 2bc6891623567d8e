"""`diagnose --fix` of what a release of Helm made, through the real helm: its values, its history, its rollback."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.incident import FLEET
from tests.run import Ran, run

from .control_plane import ControlPlane
from .daemon import PATIENCE
from .repaired_cluster import prepare
from .stand_in_operator import POLICY, RIGHT, Operator, env_now, put_incident, remove
from .tools import Tools

POLICY_TEMPLATE = """\
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata:
  name: cluster-policy
  labels:
    app.kubernetes.io/managed-by: {{ .Release.Service }}
    helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
spec:
  driver: {{ toYaml .Values.driver | nindent 4 }}
  operator: {{ toYaml .Values.operator | nindent 4 }}
  toolkit: {{ toYaml .Values.toolkit | nindent 4 }}
"""
DEFAULTS = {
    "driver": {"enabled": True},
    "operator": {"defaultRuntime": "containerd", "runtimeClass": "nvidia"},
    "toolkit": {"enabled": True, "env": [], "version": "v1.17.5-ubuntu20.04"},
}
# What the user told it, and must not be lost.
TOLD = {"driver": {"enabled": False}, "toolkit": {"env": [{"name": "LOG_LEVEL", "value": "debug"}]}}


@pytest.fixture
def helm(control_plane: ControlPlane, tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The program; the incident's cluster, whose ClusterPolicy a release has made."""
    program = tools.path("helm")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setenv("KUBECONFIG", str(control_plane.kubeconfig))
    for name in ("CACHE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"HELM_{name}_HOME", str(tmp_path / "helm"))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    Path("Pulumi.onprem.yaml").write_text(FLEET)
    client = control_plane.client
    prepare(client)
    remove(client)
    put_incident(client)
    client.request("DELETE", POLICY)
    write_chart(tmp_path / "chart")
    ask(program, "install", "gpu", "./chart", "--values", "-", given=json.dumps(TOLD))
    yield program
    ask(program, "uninstall", "gpu")
    remove(client)


def write_chart(folder: Path) -> None:
    (folder / "templates").mkdir(parents=True)
    chart = {"apiVersion": "v2", "name": "gpu-operator", "version": "v25.3.0"}
    (folder / "Chart.yaml").write_text(json.dumps(chart))
    (folder / "values.yaml").write_text(json.dumps(DEFAULTS))
    (folder / "templates" / "clusterpolicy.yaml").write_text(POLICY_TEMPLATE)


def ask(helm: Path, *arguments: str, given: str = "") -> str:
    argv = [str(helm), *arguments, "--namespace", "gpu-operator"]
    ran = subprocess.run(argv, input=given, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def values(helm: Path) -> Any:
    return json.loads(ask(helm, "get", "values", "gpu", "--output", "json"))


def revisions(helm: Path) -> list[tuple[int, str]]:
    return [(each["revision"], each["status"]) for each in json.loads(ask(helm, "history", "gpu", "--output", "json"))]


def fix(*arguments: str) -> Ran:
    return run("diagnose", "--fleet", "Pulumi.onprem.yaml", "--fix", *arguments)


def said(plane: ControlPlane) -> set[tuple[str, Any]]:
    return {(each["name"], each.get("value")) for each in env_now(plane.client)}


MINE = ("LOG_LEVEL", "debug")


@pytest.fixture
def repository(helm: Path, tmp_path: Path) -> Iterator[None]:
    """One of helm's own, which has the installed chart and a newer one."""
    shelf = tmp_path / "shelf"
    ask(helm, "package", "./chart", "--destination", str(shelf))
    ask(helm, "package", "./chart", "--version", "v26.3.0", "--destination", str(shelf))
    ask(helm, "repo", "index", str(shelf))
    web = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(shelf)))
    threading.Thread(target=web.serve_forever, daemon=True).start()
    ask(helm, "repo", "add", "ours", f"http://127.0.0.1:{web.server_port}")
    yield
    web.shutdown()
    web.server_close()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""


@pytest.mark.usefixtures("repository")
def test_the_very_chart_is_found_in_helms_own_repositories(control_plane: ControlPlane, helm: Path) -> None:
    with Operator(control_plane):
        ran = fix("--yes", "--wait", "60")
    assert ran.code == 0, ran.out + ran.err
    assert "chart ours/gpu-operator)" in ran.out
    (now,) = json.loads(ask(helm, "list", "--output", "json"))
    assert (now["chart"], now["revision"]) == ("gpu-operator-v25.3.0", "2")


def test_a_release_is_upgraded_with_its_current_values_and_rolled_back(control_plane: ControlPlane, helm: Path) -> None:
    with Operator(control_plane):
        ran = fix("--yes", "--wait", "60", "--chart", "./chart")
        assert ran.code == 0, ran.out + ran.err
        assert "through Helm's release gpu-operator/gpu (revision 1, chart ./chart)" in ran.out
        assert said(control_plane) == {*RIGHT, MINE}
        assert values(helm)["driver"] == TOLD["driver"]
        assert {(each["name"], each["value"]) for each in values(helm)["toolkit"]["env"]} == {*RIGHT, MINE}
        ask(helm, "upgrade", "gpu", "./chart", "--reuse-values", "--set", "driver.version=570")
        assert said(control_plane) == {*RIGHT, MINE}
        (file,) = Path.cwd().glob("nodeworthy-fix-*.json")
        refused = run("diagnose", "--undo", str(file))
        assert (refused.code, "at revision 3: somebody else" in refused.out) == (3, True), refused.out + refused.err
        ask(helm, "rollback", "gpu", "2")
    assert said(control_plane) == {*RIGHT, MINE}


def test_what_was_upgraded_is_undone_by_a_rollback(control_plane: ControlPlane, helm: Path) -> None:
    with Operator(control_plane):
        assert fix("--yes", "--wait", "60", "--chart", "./chart").code == 0
        (file,) = Path.cwd().glob("nodeworthy-fix-*.json")
        undone = run("diagnose", "--undo", str(file))
    assert undone.code == 0, undone.out + undone.err
    assert said(control_plane) == {MINE}
    assert values(helm) == TOLD
    assert revisions(helm) == [(1, "superseded"), (2, "superseded"), (3, "deployed")]


def test_a_dry_run_asks_helm_and_makes_no_revision(control_plane: ControlPlane, helm: Path) -> None:
    ran = fix("--dry-run", "--chart", "./chart")
    assert ran.code == 1, ran.err
    assert "the server's dry run: accepted" in ran.out
    assert "+    - name: CONTAINERD_SOCKET" in ran.out
    assert revisions(helm) == [(1, "deployed")]
    assert said(control_plane) == {MINE}


def test_a_chart_that_helm_refuses_changes_nothing(control_plane: ControlPlane, helm: Path) -> None:
    ran = fix("--yes", "--chart", "./no-such-chart")
    assert ran.code == 3, ran.out
    assert "helm upgrade refused" in ran.err
    assert (revisions(helm), said(control_plane)) == ([(1, "deployed")], {MINE})


def test_what_did_not_help_is_rolled_back(control_plane: ControlPlane, helm: Path) -> None:
    ran = fix("--yes", "--wait", "1", "--chart", "./chart")
    assert ran.code == 1, ran.err
    assert "put back: ClusterPolicy/cluster-policy (Helm's release gpu-operator/gpu)" in ran.out
    assert said(control_plane) == {MINE}
    assert values(helm) == TOLD


@pytest.mark.parametrize("there_is_helm", [True, False])
def test_without_helm_or_its_chart_the_exact_command_is_printed(
    control_plane: ControlPlane, helm: Path, monkeypatch: pytest.MonkeyPatch, there_is_helm: bool
) -> None:
    if not there_is_helm:
        monkeypatch.setenv("PATH", "/nonexistent")
    ran = fix("--yes")
    assert ran.code == 1, ran.err
    command = (
        "helm upgrade gpu nvidia/gpu-operator --version v25.3.0 --namespace gpu-operator --reuse-values --values -"
    )
    assert f"\n{command} <<'VALUES'\ntoolkit:\n  env:\n  - name: LOG_LEVEL\n" in ran.out
    assert "\nVALUES\n" in ran.out
    assert said(control_plane) == {MINE}
    assert revisions(helm) == [(1, "deployed")]


def test_where_the_release_says_the_right_thing_already_the_object_is_corrected(
    control_plane: ControlPlane, helm: Path
) -> None:
    """Somebody went past the release, with kubectl."""
    ask(helm, "upgrade", "gpu", "./chart", "--reuse-values", "--values", "-", given=json.dumps(right_values()))
    past = {"spec": {"toolkit": {"env": [{"name": "LOG_LEVEL", "value": "debug"}]}}}
    control_plane.client.expect("PATCH", POLICY, past, content_type="application/merge-patch+json")
    with Operator(control_plane):
        assert fix("--yes", "--wait", "60").code == 0
    assert said(control_plane) == {*RIGHT, MINE}
    assert [number for number, _ in revisions(helm)] == [1, 2]


def right_values() -> dict[str, Any]:
    env = [{"name": name, "value": value} for name, value in sorted({*RIGHT, MINE})]
    return {"toolkit": {"env": env}}
