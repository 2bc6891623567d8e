"""One cluster for the tests of a file, and an account that is empty for each of them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeworthy.commands.rollout import going
from tests.real.control_plane import ControlPlane
from tests.real.kube_client import wait_for
from tests.real.rollout.stage import LEASES, Stage, staged
from tests.real.stand_in_kubelet import StandInKubelet
from tests.real.tools import Tools
from tests.run import run


@pytest.fixture(scope="module")
def plane(tools: Tools) -> Iterator[ControlPlane]:
    with ControlPlane(tools, controllers=True) as plane:
        manifests = run("rollout", "--print-role").out
        kubectl = [str(tools.path("kubectl")), f"--kubeconfig={plane.kubeconfig}", "apply", "-f", "-"]
        subprocess.run(kubectl, input=manifests, text=True, capture_output=True, check=True, timeout=300)
        account = "/api/v1/namespaces/nodeworthy/serviceaccounts/default"
        wait_for(lambda: plane.client.answers(account), seconds=120)
        yield plane


@pytest.fixture
def reachable(plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An account and a cluster, with the rights of --print-role and no others."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "made-up")
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(plane.kubeconfig_for("system:serviceaccount:nodeworthy:nodeworthy-rollout"))
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(going, "POLL_SECONDS", 0.5)
    yield
    for each in plane.client.get(LEASES)["items"]:
        if each["metadata"]["name"].startswith("nodeworthy"):
            plane.client.request("DELETE", f"{LEASES}/{each['metadata']['name']}")


@pytest.fixture
def stage(plane: ControlPlane, reachable: None) -> Iterator[Stage]:
    with staged(StandInKubelet(plane)) as stage:
        yield stage
