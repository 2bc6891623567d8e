"""Units of Terragrunt: what a module is given by one, by what it includes, and by files around it."""

from __future__ import annotations

import os
from pathlib import Path

from nodeworthy.hcl.disk import Disk
from nodeworthy.hcl.instances import Instance
from nodeworthy.hcl.root import Module, open_root
from nodeworthy.hcl.terragrunt import Unit
from nodeworthy.hcl.values import Hole, Obj, Str, Value
from tests.hcl.roots import write

MODULE = """
variable "name" {}
variable "types" { default = ["m6i.large"] }
variable "size" { default = 1 }
resource "aws_eks_node_group" "this" {
  node_group_name = var.name
  instance_types  = var.types
  labels          = { script = file("join.sh"), root = path.root }
  size            = var.size
}
"""
COMMON = """
terraform {
  source = "${dirname(find_in_parent_folders("common.hcl"))}/modules//nodes"
}
locals { family = "g6e" }
inputs = {
  name  = "of-all"
  types = ["${local.family}.xlarge"]
}
"""
UNIT = """
include "common" {
  path   = find_in_parent_folders("common.hcl")
  expose = true
}
locals {
  cluster = yamldecode(file("${get_terragrunt_dir()}/../cluster.yaml"))
  stage   = read_terragrunt_config(find_in_parent_folders("stage.hcl")).locals.stage
}
dependency "vpc" { config_path = "../vpc" }
inputs = {
  name = "${local.cluster.name}-${local.stage}-${include.common.locals.family}"
  size = dependency.vpc.outputs.size
}
"""
FILES = {
    "common.hcl": COMMON,
    "modules/nodes/main.tf": MODULE,
    "modules/nodes/join.sh": "#!/bin/bash\n",
    "live/stage.hcl": 'locals { stage = get_env("STAGE", "dev") }\n',
    "live/cluster.yaml": "name: serve\n",
    "live/nodes/terragrunt.hcl": UNIT,
}


def unit(tmp_path: Path, files: dict[str, str], folder: str = "live/nodes") -> Module:
    write(tmp_path, files)
    return open_root(str(tmp_path / folder), Disk(str(tmp_path), lambda path: os.path.relpath(path, tmp_path)))


def group(module: Module) -> Instance:
    made = next(iter(module.everything({"aws_eks_node_group"})))
    assert isinstance(made, Instance)
    return made


def said(module: Module, name: str) -> Value:
    values = group(module).values
    assert isinstance(values, Obj)
    return values.items[name]


def test_the_unit_counts_before_what_it_includes(tmp_path: Path) -> None:
    module = unit(tmp_path, FILES)
    name = said(module, "node_group_name")
    assert isinstance(name, Str)
    assert name.known == "serve-dev-g6e"
    types = said(module, "instance_types")
    assert [each.known for each in types.items] == ["g6e.xlarge"]  # type: ignore[union-attr]
    assert types.spot.place.path == "common.hcl"


def test_what_another_unit_makes_is_not_known(tmp_path: Path) -> None:
    size = said(unit(tmp_path, FILES), "size")
    assert isinstance(size, Hole)
    assert "another unit" in size.why


def test_the_module_is_the_root_of_what_is_run(tmp_path: Path) -> None:
    labels = said(unit(tmp_path, FILES), "labels")
    assert isinstance(labels, Obj)
    assert [each.known for each in labels.items.values()] == ["#!/bin/bash\n", "."]  # type: ignore[union-attr]


def test_a_pattern_of_units_makes_nothing_by_itself(tmp_path: Path) -> None:
    files = {**FILES, "catalog/terragrunt.hcl": UNIT}
    assert not list(unit(tmp_path, files, "catalog").everything())


def test_a_folder_with_terraform_of_its_own_is_a_root(tmp_path: Path) -> None:
    files = {**FILES, "live/nodes/main.tf": 'resource "aws_eks_node_group" "own" {\n  node_group_name = "own"\n}\n'}
    name = said(unit(tmp_path, files), "node_group_name")
    assert isinstance(name, Str)
    assert name.known == "own"


def test_one_that_includes_itself_ends(tmp_path: Path) -> None:
    round_and_round = 'include "me" { path = "terragrunt.hcl" }\nterraform { source = "../../modules/nodes" }\n'
    again = 'locals { me = read_terragrunt_config("terragrunt.hcl").locals.me }\n'
    module = unit(tmp_path, {**FILES, "live/nodes/terragrunt.hcl": round_and_round + again})
    assert group(module).address.startswith("module.nodes.")


def test_what_can_be_no_key_makes_nobody_knows_how_many(tmp_path: Path) -> None:
    files = {**FILES, "modules/nodes/main.tf": MODULE.replace("  size ", "  for_each = toset([{ a = 1 }])\n  size ")}
    made = list(unit(tmp_path, files).everything({"aws_eks_node_group"}))
    assert len(made) == 1
    assert isinstance(made[0], Hole)


def test_it_says_which_units_come_before(tmp_path: Path) -> None:
    more = UNIT + 'dependencies { paths = ["../dns", "${get_env("ELSEWHERE")}"] }\n'
    module = unit(tmp_path, {**FILES, "live/nodes/terragrunt.hcl": more})
    assert isinstance(module, Unit)
    assert [os.path.relpath(each, tmp_path) for each in module.before] == ["live/vpc", "live/dns"]


def test_it_says_which_folder_it_calls(tmp_path: Path) -> None:
    module = unit(tmp_path, FILES)
    assert isinstance(module, Unit)
    assert module.folder_called == str(tmp_path / "modules/nodes")


def test_what_it_includes_may_be_left_elsewhere(tmp_path: Path) -> None:
    alone = (
        'include "root" { path = find_in_parent_folders("root.hcl") }\nterraform { source = "../../modules/nodes" }\n'
    )
    module = unit(tmp_path, {**FILES, "live/nodes/terragrunt.hcl": alone + 'inputs = { name = "serve" }\n'})
    name = said(module, "node_group_name")
    assert isinstance(name, Str)
    assert name.known == "serve"
