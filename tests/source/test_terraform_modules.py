"""Modules of registries that nobody here knows: what they make is looked at by nobody, and that is said by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import run

_CALL = """\
module "nodes" {
  source  = "acme/gpu-nodes/aws"
  version = "1.2.0"
  %s
}
"""
_INSTANCE = """\
resource "aws_instance" "gpu" {
  ami           = "ami-0123456789abcdef0"
  instance_type = "g6.xlarge"
  metadata_options { http_tokens = "required" }
}
"""


def told(folder: Path) -> list[str]:
    ran = run("check", ".", "--rule", "looked-at", "--format", "json", "--no-cache", cwd=folder)
    assert ran.code in (0, 3)
    return [each["message"] for each in ran.findings if each["verdict"] == "unknown"]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ('groups = { gpu = { instance_types = ["g6.12xlarge"], size = 2 } }', "g6.12xlarge"),
        ('ami_type = "AL2023_x86_64_NVIDIA"', "AL2023_x86_64_NVIDIA"),
        ("instance_type = var.type", "p5.48xlarge"),
        ('node_pools = [{ name = "gpu", accelerator_type = "nvidia-l4" }]', "nvidia-l4"),
        ('node_pools = [{ name = "gpu", machine_type = "a3-megagpu-8g" }]', "a3-megagpu-8g"),
        ('agents_size = "Standard_NC24ads_A100_v4"', "Standard_NC24ads_A100_v4"),
    ],
)
def test_one_that_is_given_gpus_is_named(tmp_path: Path, given: str, named: str) -> None:
    variable = 'variable "type" { default = "p5.48xlarge" }\n'
    (tmp_path / "main.tf").write_text(_CALL % given + variable, encoding="utf-8")
    assert told(tmp_path) == [
        f"what module.nodes makes with {named} was not looked at: "
        "what the module acme/gpu-nodes/aws makes in version 1.2.0 is not known here"
    ]


def test_one_within_a_module_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text('module "all" { source = "./all" }\n', encoding="utf-8")
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "main.tf").write_text(_CALL % 'types = ["g6.12xlarge"]', encoding="utf-8")
    assert len(told(tmp_path)) == 1


@pytest.mark.parametrize(
    "given",
    [
        'name = "ml"',
        'types = ["m6i.large"]',
        'domain = "g6.example.com"',
        "types = var.types",
        'chart = "nvidia-device-plugin"',
        'machine_type = "n2-standard-16"',
        'agents_size = "Standard_D4s_v5"',
    ],
)
def test_one_that_is_given_none_is_nothing_of_ours(tmp_path: Path, given: str) -> None:
    (tmp_path / "main.tf").write_text(_CALL % given + _INSTANCE, encoding="utf-8")
    assert told(tmp_path) == []


def test_one_that_init_has_put_there_is_read(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(_CALL % 'types = ["g6.12xlarge"]' + _INSTANCE, encoding="utf-8")
    there = tmp_path / ".terraform" / "modules"
    (there / "nodes").mkdir(parents=True)
    (there / "nodes" / "main.tf").write_text('variable "types" {}\n', encoding="utf-8")
    manifest = '{"Modules": [{"Key": "nodes", "Source": "acme/gpu-nodes/aws", "Dir": ".terraform/modules/nodes"}]}'
    (there / "modules.json").write_text(manifest, encoding="utf-8")
    assert told(tmp_path) == []
