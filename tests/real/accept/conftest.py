"""One cluster for the tests of a file: a real API server, scheduler and controllers, with the rights of --print-role and no
other, in a namespace that forbids all that Kubernetes' strictest standard forbids."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeworthy.collect.workload.live.running import Times
from nodeworthy.commands.accept import live
from tests.real.accept.stage import HOME, MERGE, RESTRICTED, kubeconfig, left
from tests.real.control_plane import ControlPlane
from tests.real.gpu_kubelets import GpuKubelets
from tests.real.kube_client import wait_for
from tests.real.test_control_plane_in_cluster import apply
from tests.real.tools import Tools
from tests.run import run


@pytest.fixture(scope="module")
def plane(tools: Tools) -> Iterator[ControlPlane]:
    with ControlPlane(tools, controllers=True) as plane:
        apply(plane, tools, run("accept", "--print-role", "--taint").out)
        labels = {"metadata": {"labels": {RESTRICTED: "restricted"}}}
        plane.client.expect("PATCH", f"/api/v1/namespaces/{HOME}", labels, content_type=MERGE)
        account = f"/api/v1/namespaces/{HOME}/serviceaccounts/default"
        wait_for(lambda: plane.client.answers(account), seconds=120)
        yield plane


@pytest.fixture(scope="module")
def kubelets(plane: ControlPlane) -> Iterator[GpuKubelets]:
    with GpuKubelets(plane) as kubelets:
        yield kubelets


@pytest.fixture
def nodes(
    plane: ControlPlane, kubelets: GpuKubelets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[GpuKubelets]:
    (tmp_path / "kubeconfig").write_text(kubeconfig(plane))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(live, "TIMES", Times(poll=0.2, opt_out=0.5))
    monkeypatch.setattr(live, "GONE_POLL_SECONDS", 0.1)
    yield kubelets
    kubelets.deaf.clear()
    wait_for(lambda: left(plane) == [], seconds=120)
    kubelets.forget()
