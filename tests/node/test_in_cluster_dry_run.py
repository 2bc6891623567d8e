"""`node --in-cluster --dry-run`: all that a run would make is shown, and nothing is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.run import run

from .test_in_cluster_nodes import InMemory, node

DRY = ("node", "--in-cluster", "--dry-run", "--image", "registry.example/nodeworthy:1", "--selector", "gpu=yes")
NODES = [node("a"), node("b", nodeworthy__verify="disabled"), node("c", coreweave__com="x")]


class Shown(InMemory):
    """One to which nothing may be written."""

    def __init__(self, nodes: list[dict[str, Any]], *, is_home: bool = True) -> None:
        super().__init__(nodes={"gpu=yes": nodes}, node=None, create=AssertionError("a Job is made"))
        self.is_home = is_home

    def has_namespace(self) -> bool:
        return self.is_home

    def priority(self, name: str) -> int | None:
        return -1000


def cluster(monkeypatch: pytest.MonkeyPatch, nodes: list[dict[str, Any]], *, is_home: bool = True) -> None:
    monkeypatch.setattr("nodeworthy.collect.in_cluster.cluster.Cluster", lambda *_: Shown(nodes, is_home=is_home))


def test_each_job_is_shown_and_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster(monkeypatch, NODES)
    ran = run(*DRY)
    assert (ran.code, ran.err) == (0, "")
    made = list(yaml.safe_load_all(ran.out))
    assert [each["kind"] for each in made[:3]] == ["Job", "Job", "Namespace"]
    assert {"PriorityClass", "ServiceAccount", "Role", "ClusterRole"} <= {each["kind"] for each in made}
    assert [each["metadata"]["annotations"]["nodeworthy/node"] for each in made[:2]] == ["a", "c"]
    pod = made[0]["spec"]["template"]["spec"]
    assert pod["priorityClassName"] == "nodeworthy-verification"
    assert pod["containers"][0]["image"] == "registry.example/nodeworthy:1"
    assert "# left out, for they opted out: node://b (nodeworthy/verify=disabled)" in ran.out.splitlines()
    assert "marks each node" not in ran.out


def test_it_is_written_where_it_is_wanted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cluster(monkeypatch, NODES)
    assert run(*DRY, "--output", str(tmp_path / "jobs.yaml")).out == ""
    assert len(list(yaml.safe_load_all((tmp_path / "jobs.yaml").read_text()))) > 2


@pytest.mark.parametrize(
    ("nodes", "more", "why"),
    [
        (NODES[1:2], (), "# no Job is made"),
        (NODES[:1], ("node://gone",), "# there is no such node in https://here: node://gone"),
    ],
)
def test_a_node_that_would_not_be_looked_at(
    monkeypatch: pytest.MonkeyPatch, nodes: list[dict[str, Any]], more: tuple[str, ...], why: str
) -> None:
    cluster(monkeypatch, nodes)
    ran = run(*DRY, *more)
    assert (ran.code, why in ran.out.splitlines()) == (3, True), ran.out


def test_without_its_namespace_it_says_what_a_run_would(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster(monkeypatch, NODES, is_home=False)
    ran = run(*DRY)
    assert ran.code == 2
    assert "there is no namespace nodeworthy in https://here" in ran.err
    assert "kind: Job" in ran.out


def test_with_taint_it_says_that_nodes_are_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster(monkeypatch, NODES)
    monkeypatch.setattr("nodeworthy.repair.server.Server", lambda _: None)
    ran = run(*DRY, "--taint")
    assert ran.code == 0
    assert "marks each node by its verdict" in ran.out
    assert "verbs: [patch]" in ran.out
