"""What is written into a config that its distribution makes anew: who loses it, and where it stays, one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.known.containerd import containerd_of, defaults
from tests.run import run

FLEET = """
config:
  nodeworthy:fleet:
    cluster: {name: gpu-dev, version: "1.34"}
    pools:
      gpu: {gpu: t4, gpusPerNode: 1, provision: false, distribution: %s}
"""
OF_MICROK8S = str(containerd_of("microk8s").config).removesuffix("containerd-template.toml")
OF_K3S = str(containerd_of("k3s").config).removesuffix("config.toml")
STOCK, OF_AL2 = defaults().config, containerd_of("eks-al2").written_from
START = {
    "microk8s": "snap install microk8s --classic",
    "k3s": "curl -sfL https://get.k3s.io | sh -",
    "eks-al2": "/etc/eks/bootstrap.sh gpu-dev",
    "kubeadm": "kubeadm join c.internal:6443 --config /etc/kubernetes/join.yaml",
}


def told(folder: Path, distribution: str, script: str) -> list[tuple[str, str, str]]:
    """What is told of a script that writes, and what should be done, by each finding."""
    if distribution:
        (folder / "Pulumi.dev.yaml").write_text(FLEET % distribution, encoding="utf-8")
    (folder / "user-data.sh").write_text(f"#!/bin/bash\nset -euo pipefail\n{script}\n", encoding="utf-8")
    ran = run("check", ".", "--format", "json", cwd=folder)
    found = [each for each in ran.told_by("containerd-edit-survives") if each["verdict"] not in ("pass", "skip")]
    return [(each["verdict"], each.get("should", ""), each.get("remedy", "")) for each in found]


@pytest.mark.parametrize(
    ("distribution", "path", "should", "remedy"),
    [
        ("microk8s", f"{OF_MICROK8S}containerd.toml", f"{OF_MICROK8S}containerd-template.toml",
         f"edit {OF_MICROK8S}containerd-template.toml, its template"),
        ("k3s", f"{OF_K3S}config.toml", f"{OF_K3S}config.toml.tmpl or {OF_K3S}config-v3.toml.tmpl",
         f"write {OF_K3S}config.toml.tmpl (config-v3.toml.tmpl from containerd 2 on) before it starts"),
    ],
)  # fmt: skip
def test_what_is_made_of_a_template_is_written_into_that(
    tmp_path: Path, distribution: str, path: str, should: str, remedy: str
) -> None:
    script = f"{START[distribution]}\necho 'version = 2' > {path}"
    assert told(tmp_path, distribution, script) == [("fail", should, remedy)]
    (tmp_path / "Pulumi.dev.yaml").unlink()
    assert told(tmp_path, "", script) == [("fail", should, remedy)]


@pytest.mark.parametrize("fleet", ["eks-al2", ""])
def test_what_stands_before_bootstrap_sh_is_lost(tmp_path: Path, fleet: str) -> None:
    script = f"echo 'version = 2' > {STOCK}\n{START['eks-al2']}"
    ((verdict, should, remedy),) = told(tmp_path, fleet, script)
    assert (verdict, should) == ("fail", OF_AL2)
    assert remedy == "edit it behind bootstrap.sh and restart containerd"


@pytest.mark.parametrize(
    ("distribution", "path"),
    [
        ("microk8s", f"{OF_MICROK8S}containerd-template.toml"),
        ("k3s", f"{OF_K3S}config.toml.tmpl"),
        ("kubeadm", STOCK),
    ],
)
def test_what_its_owner_writes_stays(tmp_path: Path, distribution: str, path: str) -> None:
    script = f"mkdir -p {path.rpartition('/')[0]}\necho 'version = 2' > {path}\n{START[distribution]}"
    assert told(tmp_path, distribution, script) == []
    (tmp_path / "Pulumi.dev.yaml").unlink()
    assert told(tmp_path, "", script) == []


def test_a_default_that_is_written_behind_an_edit_takes_it_away(tmp_path: Path) -> None:
    edit = f"sed -i 's/SystemdCgroup = false/SystemdCgroup = true/' {STOCK}"
    script = f"{edit}\ncontainerd config default > {STOCK}\n{START['kubeadm']}"
    assert [each[2] for each in told(tmp_path, "kubeadm", script)] == ["write the default first, and edit it then"]
