"""For which nodes values are meant, where no fleet says it: by the nearest folder that asks for nodes, or makes some."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.known.containerd import containerd_of
from tests.run import Ran, run

K3S, RKE2 = containerd_of("k3s"), containerd_of("rke2")
VALUES = (
    "driver: {{enabled: false}}\ntoolkit:\n  env:\n"
    "    - {{name: CONTAINERD_CONFIG, value: {config}}}\n    - {{name: CONTAINERD_SOCKET, value: {socket}}}\n"
)
JOINS = (
    "#!/bin/bash\nset -e\ncurl -sfL https://get.{how}.io -o /root/install.sh\nsh /root/install.sh agent\n"
    "systemctl enable --now {how}-agent\n"
)


def told(folder: Path, path: str) -> Ran:
    return run("check", path, "--rule", "containerd-paths", "--format", "json", cwd=folder)


def write(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    write(tmp_path, ".git/HEAD", "")
    write(tmp_path, "rack/apps/values.yaml", VALUES.format(config=RKE2.config, socket=RKE2.socket))
    return tmp_path


def test_the_nearest_folder_decides(repository: Path) -> None:
    write(repository, "edge/node.sh", JOINS.format(how="k3s"))
    write(repository, "rack/nodes/node.sh", JOINS.format(how="rke2"))
    assert told(repository, "rack/apps/values.yaml").code == 0


def test_many_scripts_of_one_kind_say_it_once(repository: Path) -> None:
    for number in range(5):
        write(repository, f"node-{number}/node.sh", JOINS.format(how="k3s"))
    [found] = told(repository, "rack/apps/values.yaml").report["findings"]
    assert (found["verdict"], found["should"], len(found["related"])) == ("fail", K3S.config, 1)


def test_a_folder_that_is_nobodys_project_says_nothing_of_what_lies_below(tmp_path: Path) -> None:
    write(tmp_path, "values.yaml", VALUES.format(config=K3S.config, socket=K3S.socket))
    write(tmp_path, "somebody/elses/node.sh", JOINS.format(how="rke2"))
    assert told(tmp_path, "values.yaml").code == 3


def test_without_a_script_nobody_knows_it(repository: Path) -> None:
    assert told(repository, "rack/apps/values.yaml").code == 3


GROUP = """apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {{name: {name}, region: eu-west-1, version: "1.34"}}
managedNodeGroups:
  - {{name: {name}, instanceType: g5.xlarge, desiredCapacity: 1, {image}}}
"""
BRINGS_ONE = (
    "driver: {enabled: true}\ntoolkit:\n  enabled: true\n"
    f"  env:\n    - {{name: CONTAINERD_SOCKET, value: {containerd_of('k3s').socket}}}\n"
)


def test_whose_driver_it_would_be_is_not_known_where_one_of_two_clusters_has_its_own(tmp_path: Path) -> None:
    write(tmp_path, "values.yaml", BRINGS_ONE)
    write(tmp_path, "a.yaml", GROUP.format(name="a", image="amiFamily: AmazonLinux2023"))
    write(tmp_path, "b.yaml", GROUP.format(name="b", image="amiFamily: Ubuntu2204"))
    ran = run("check", ".", "--rule", "one-driver", "--format", "json", cwd=tmp_path)
    assert [each["verdict"] for each in ran.report["findings"]] == []


def test_two_clusters_that_have_one_agree(tmp_path: Path) -> None:
    write(tmp_path, "values.yaml", BRINGS_ONE)
    write(tmp_path, "a.yaml", GROUP.format(name="a", image="amiFamily: AmazonLinux2023"))
    write(tmp_path, "b.yaml", GROUP.format(name="b", image="amiFamily: Bottlerocket"))
    ran = run("check", ".", "--rule", "one-driver", "--format", "json", cwd=tmp_path)
    assert [each["verdict"] for each in ran.report["findings"]] == ["fail"]
