"""What Talos, a talconfig and Omni say of the nodes that a fleet is inferred of."""

from __future__ import annotations

import json
from pathlib import Path

from tests.run import run

from .inferring import EKSCTL, TALCONFIG, put

TALOS_GPU = "machine:\n  network: {hostname: gpu-1}\n  install: {image: 'x/{{ ENV.ID }}:v1'}\n  kernel: {modules: [{name: nvidia}]}\n"


def test_nodes_of_talos_without_nvidias_modules_are_no_pool_beside_those_with_them(folder: Path) -> None:
    put(folder, "talos/gpu.yaml.j2", TALOS_GPU)
    put(folder, "talos/small.yaml", "machine: {network: {hostname: small}, install: {image: factory.talos.dev/x:v1}}\n")
    put(
        folder,
        "talos/talconfig.yaml",
        'clusterName: lab\ntalosVersion: "${v}"\nkubernetesVersion: "${k}"\nnodes: [{hostname: a}]\n',
    )
    put(folder, "talos/talenv.yaml", "talosVersion: v1.13.1\nkubernetesVersion: v1.36.2\n")
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["gpu-1"]
    assert (told["cluster"]["name"]["value"], told["cluster"]["version"]["value"]) == ("lab", "1.36")


PATCH = "machine: {kernel: {modules: [{name: nvidia}, {name: nvidia_uvm}]}}\n"


def test_a_patch_below_a_talconfig_with_gpus_is_no_pool_of_its_own(folder: Path) -> None:
    put(folder, "talos/talconfig.yaml", TALCONFIG.replace("NAME", "lab"))
    put(folder, "talos/patches/gpu/nvidia.yaml", PATCH)
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["gpu-1"]
    assert told["pools"]["gpu-1"]["nodes"]["value"] == 1
    assert told["cluster"]["version"]["value"] == "1.32"


def test_a_node_of_a_talconfig_has_what_its_patch_gives_it(folder: Path) -> None:
    labelled = """\
machine:
  kernel: {modules: [{name: nvidia}]}
  nodeLabels: {gpu: "yes"}
  nodeTaints: {lab.example/gpu: "true:NoSchedule"}
"""
    nodes = """\
clusterName: lab
talosVersion: v1.9.5
nodes:
  - {hostname: small, controlPlane: true}
  - {hostname: gpu-1, nodeLabels: {zone: a}, patches: ["@./patches/nvidia.yaml"]}
  - {hostname: gpu-2, nodeLabels: {zone: a}, patches: ["@./patches/nvidia.yaml"]}
  - {hostname: gpu-3, nodeLabels: {zone: b}, patches: ["@./patches/nvidia.yaml"]}
"""
    put(folder, "talos/talconfig.yaml", nodes)
    put(folder, "talos/patches/nvidia.yaml", labelled)
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert {name: each["nodes"]["value"] for name, each in told["pools"].items()} == {"lab": 2, "gpu-3": 1}
    shown = run("fleet", "infer", ".", cwd=folder).out
    assert '"zone=b, gpu=yes"' in shown
    assert '"lab.example/gpu=true:NoSchedule"' in shown
    (folder / "talos" / "patches" / "nvidia.yaml").write_text("machine: {sysctls: {vm.swappiness: 1}}\n", "utf-8")
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["lab"]


def test_a_patch_beside_no_talconfig_with_gpus_is_one(folder: Path) -> None:
    put(folder, "lab/talconfig.yaml", TALCONFIG.replace("NAME", "lab"))
    put(folder, "other/patches/nvidia.yaml", PATCH)
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["gpu-1", "talos"]
    put(
        folder,
        "lab/talconfig.yaml",
        TALCONFIG.replace("NAME", "lab").replace("siderolabs/nonfree-kmod-nvidia-lts", "a/b"),
    )
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert [*told["pools"]] == ["talos"]


def test_patches_of_one_version_are_one(folder: Path) -> None:
    put(folder, "a.yaml", EKSCTL.replace("NAME", "ml"))
    put(folder, "b.yaml", EKSCTL.replace("NAME", "ml").replace("1.33", "1.33.4").replace("a10g", "b10g"))
    assert 'version: "1.33"' in run("fleet", "infer", cwd=folder).out


_OMNI = """kind: Cluster
name: {name}
kubernetes:
  version: v{version}
talos:
  version: v1.11.5
---
kind: Workers
name: gpu
systemExtensions:
  - siderolabs/nonfree-kmod-nvidia-production
"""


def test_a_template_of_omni_says_the_version_of_its_own_workers(folder: Path) -> None:
    put(folder, "one.yaml", _OMNI.format(name="one", version="1.34.2"))
    out = run("fleet", "infer", cwd=folder).out
    assert [each in out for each in ("name: one  # one.yaml:1:1", 'version: "1.34"')] == [True, True]
    put(folder, "other.yaml", _OMNI.format(name="other", version="1.33.6"))
    out = run("fleet", "infer", cwd=folder).out
    assert "there are 1.34 in one.yaml:4:12 and 1.33 in other.yaml:4:12" in out


def test_an_image_of_talos_is_for_the_machine_that_has_its_modules(folder: Path) -> None:
    image = "customization: {systemExtensions: {officialExtensions: [siderolabs/nonfree-kmod-nvidia]}}\n"
    put(folder, "talos/schematic.yaml", image)
    put(folder, "talos/patches/name.yaml", "cluster:\n  clusterName: lab\n")
    (told,) = json.loads(run("fleet", "infer", ".", "--format", "json", cwd=folder).out)
    assert told["cluster"]["name"]["value"] == "lab"
    assert [*told["pools"]] == ["talos"]
    put(folder, "talos/nodes/a.yaml", PATCH.replace("machine: {", "machine: {nodeLabels: {zone: a}, "))
    shown = run("fleet", "infer", ".", cwd=folder).out
    assert "machine config 'talos'" in shown
    assert "image 'talos'" not in shown
