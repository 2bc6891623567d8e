"""Which pods come to groups of nodes that nobody declares: what lies apart is a warning, what Kueue sends is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import run

GROUP = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {{name: {name}, region: eu-central-1, version: "1.33"}}
managedNodeGroups:
  - name: gpu
    instanceType: g5.12xlarge
    desiredCapacity: 1
    taints: [{{key: {taint}, value: "yes", effect: NoSchedule}}]
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: research, labels: {{{labels}}}}}
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {{{selector}}}
      containers:
        - {{name: train, image: registry.example.org/train:1, resources: {{limits: {{nvidia.com/gpu: 1}}}}}}
"""


def write(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)


def told(folder: Path) -> list[tuple[str, str]]:
    ran = run("check", ".", "--rule", "nodepool-can-serve", "--format", "json", cwd=folder)
    return [(each["verdict"], each["severity"]) for each in ran.report["findings"]]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    write(tmp_path, ".git/HEAD", "")
    write(tmp_path, "infra/cluster.yaml", GROUP.format(name="research", taint="dedicated"))
    return tmp_path


@pytest.mark.parametrize(
    ("path", "labels", "selector", "found"),
    [
        ("infra/job.yaml", "", "", [("fail", "error")]),
        ("jobs/job.yaml", "", "", [("fail", "warning")]),
        ("infra/job.yaml", "kueue.x-k8s.io/queue-name: research", "", []),
        ("infra/job.yaml", "", "node.example.org/rack: r1", []),
        ("infra/job.yaml", "", "node.kubernetes.io/instance-type: g5.12xlarge", [("fail", "error")]),
        ("infra/job.yaml", "", "alpha.eksctl.io/nodegroup-name: cpu", [("fail", "error")]),
    ],
)
def test_a_pod(repository: Path, path: str, labels: str, selector: str, found: list[tuple[str, str]]) -> None:
    write(repository, path, JOB.format(labels=labels, selector=selector))
    assert told(repository) == found


def test_two_clusters_leave_it_open(repository: Path) -> None:
    write(repository, "infra/other.yaml", GROUP.format(name="vision", taint="dedicated"))
    write(repository, "infra/job.yaml", JOB.format(labels="", selector=""))
    assert told(repository) == []


def test_one_group_that_takes_it_is_enough(repository: Path) -> None:
    write(repository, "infra/other.yaml", GROUP.format(name="research", taint="nvidia.com/gpu"))
    write(repository, "infra/job.yaml", JOB.format(labels="", selector=""))
    assert told(repository) == []
