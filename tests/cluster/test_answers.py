"""How a diagnosis takes what API servers answer under load: pages that expire, and `later`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.real.api import Api
from tests.run import Ran, run_json

NODES = "/api/v1/nodes"
EXPIRED = {"kind": "Status", "status": "Failure", "reason": "Expired", "message": "the continue token is too old"}


class Cluster:
    """Two nodes on two pages, nothing else; `answers` come before its own, each once."""

    def __init__(self, *answers: tuple[int, Any], on: str = "") -> None:
        self.answers = list(answers)
        self.on = on
        self.asked: Counter[str] = Counter()

    def __call__(self, method: str, path: str, headers: Mapping[str, str], sent: Any) -> tuple[int, Any]:
        parts = urlsplit(path)
        token = "".join(parse_qs(parts.query).get("continue", []))
        name = f"{parts.path}{'?' if token else ''}{token}"
        self.asked[name] += 1
        if name == self.on and self.answers:
            return self.answers.pop(0)
        if parts.path != NODES:
            return 200, {"metadata": {}, "items": []}
        one = {"metadata": {"name": f"n-{token or 'first'}", "resourceVersion": "1"}}
        return 200, {"metadata": {} if token else {"continue": "second"}, "items": [one]}


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    pauses: list[float] = []
    monkeypatch.setattr("nodeworthy.collect.cluster.connection.sleep", pauses.append)
    return pauses


def diagnosed(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ran:
    with Api(cluster) as api:
        config = {
            "clusters": [{"name": "c", "cluster": {"server": api.url}}],
            "users": [{"name": "u", "user": {"token": "t"}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
        (tmp_path / "config").write_text(json.dumps(config))
        monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
        return run_json("diagnose", "--rule", "gpu-count-complete", "--record", str(tmp_path / "kept"))


def nodes(tmp_path: Path) -> set[str]:
    kept = json.loads((tmp_path / "kept/nodes.json").read_text())
    return {each["metadata"]["name"] for each in kept["items"]}


@pytest.mark.parametrize(
    "expired", [EXPIRED, {**EXPIRED, "metadata": {"continue": "second"}}], ids=["from the beginning", "from here"]
)
def test_a_list_that_expires_is_read_to_its_end(
    expired: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = diagnosed(Cluster((410, expired), on=f"{NODES}?second"), tmp_path, monkeypatch)
    assert "looked-at" not in {each["rule"] for each in ran.findings}
    assert ran.report["evaluated"]["objects"] == 2
    assert nodes(tmp_path) == {"n-first", "n-second"}


def test_a_list_that_always_expires_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(*[(410, EXPIRED)] * 100, on=f"{NODES}?second")
    ran = diagnosed(cluster, tmp_path, monkeypatch)
    found = next(each for each in ran.findings if each["rule"] == "looked-at")
    assert "the continue token is too old" in found["message"]
    assert cluster.asked[NODES] == 6


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_server_that_has_too_much_to_do_is_asked_again(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster((status, {}), (status, "busy"), on=NODES)
    ran = diagnosed(cluster, tmp_path, monkeypatch)
    assert "looked-at" not in {each["rule"] for each in ran.findings}
    assert cluster.asked[NODES] == 3


def test_one_that_goes_on_so_is_said_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slept: list[float]
) -> None:
    cluster = Cluster(*[(503, {"message": "etcd has no leader"})] * 100, on=NODES)
    ran = diagnosed(cluster, tmp_path, monkeypatch)
    assert ran.code == 3
    assert any("etcd has no leader" in each["message"] for each in ran.findings)
    assert cluster.asked[NODES] == 4
    assert slept == [1.0, 2.0, 4.0]
    assert cluster.asked["/api/v1/pods"] == 1


def test_a_fault_of_the_server_is_not_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(*[(500, {"message": "boom"})] * 9, on=NODES)
    ran = diagnosed(cluster, tmp_path, monkeypatch)
    assert (ran.code, cluster.asked[NODES]) == (3, 1)


def test_http_where_https_is_spoken_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(*[(400, "Client sent an HTTP request to an HTTPS server.")] * 99, on=NODES)
    ran = diagnosed(cluster, tmp_path, monkeypatch)
    assert (ran.code, ran.out) == (3, "")
    assert "must begin with https://" in ran.err
