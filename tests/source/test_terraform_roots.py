"""What a root of Terraform consists of: the files that are named, variables, modules, roots beside it, JSON."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.case_files import whole as case_folder
from tests.run import run_json
from tests.source.terraform_roots import CLUSTER, DOORS, GROUP, TEMPLATE, check, spots, told
from tests.userdata.families import FLEET, GOLDEN


def test_who_names_one_file_hears_of_that_file(tmp_path: Path) -> None:
    files = {"main.tf": CLUSTER + GROUP, "nodes.tf": DOORS + TEMPLATE.replace("MORE", "")}
    assert spots(told(check(tmp_path, files, paths=("nodes.tf",)), "disks-encrypted")) == [("nodes.tf", 17)]
    assert not told(check(tmp_path, files, paths=("main.tf",)), "disks-encrypted")
    assert spots(told(check(tmp_path, files, paths=("main.tf", "nodes.tf")), "disks-encrypted")) == [("nodes.tf", 17)]


_BY_VARIABLE = 'variable "tokens" { type = string }\n' + CLUSTER + GROUP + DOORS


def test_a_file_of_variables_says_what_is_given(tmp_path: Path) -> None:
    text = _BY_VARIABLE + TEMPLATE.replace("MORE", "metadata_options {\n    http_tokens = var.tokens\n  }")
    files = {"root/main.tf": text, "prod.tfvars": 'tokens = "optional"\n', "dev.tfvars": 'tokens = "required"\n'}
    rule = "instance-metadata-guarded"
    words = ("--rule", rule)
    assert told(check(tmp_path, files, *words, paths=("root",)), rule, "unknown")
    found = told(check(tmp_path, files, *words, "--var-file", "prod.tfvars", paths=("root",)), rule)
    assert spots(found) == [("prod.tfvars", 1)]
    both = ("--var-file", "prod.tfvars", "--var-file", "dev.tfvars")
    ran = check(tmp_path, files, *words, *both, paths=("root",))
    assert ran.code == 0
    assert not ran.findings


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("none.tfvars", None, "none.tfvars: it is not there"),
        ("bad.tfvars", "tokens = \n", "bad.tfvars:1:10: this is no HCL that Terraform reads"),
        ("values.yaml", "tokens: x\n", "values.yaml: a file of variables ends with .tfvars"),
    ],
)
def test_a_file_of_variables_that_is_none_is_refused(tmp_path: Path, name: str, text: str | None, says: str) -> None:
    files = {"main.tf": CLUSTER, **({name: text} if text is not None else {})}
    ran = check(tmp_path, files, "--var-file", name)
    assert ran.code == 2
    assert says in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_a_root_beside_is_evidence_and_nobody_is_told_of_its_modules(tmp_path: Path) -> None:
    """Scripts are judged by what lies around them, with all the folders that a root calls."""
    (tmp_path / ".git").mkdir()
    shutil.copytree(case_folder("containerd-paths/bad-source-terraform"), tmp_path / "stack")
    shutil.copytree(GOLDEN, tmp_path / "scripts")
    modules = {each["where"]["path"] for each in run_json("check", ".", cwd=tmp_path).findings}
    assert "stack/modules/nodes/main.tf" in modules
    of_a_folder = run_json("check", "scripts", "--fleet", str(FLEET), "--show-passed", cwd=tmp_path)
    assert {each["where"]["path"].split("/")[0] for each in of_a_folder.findings if each["verdict"] != "skip"} == {
        "scripts"
    }


CALLED = """
variable "types" {}
resource "aws_eks_node_group" "gpu" {
  cluster_name   = "training"
  instance_types = var.types
  remote_access { ec2_ssh_key = "ops" }
  scaling_config {
    min_size     = 2
    max_size     = 2
    desired_size = 2
  }
}
"""


@pytest.mark.parametrize("folder", ["a/nodes", "z/nodes"])
@pytest.mark.parametrize(("count", "times"), [("1", 1), ("0", 0)])
def test_a_module_is_a_part_of_who_calls_it_wherever_it_lies(
    tmp_path: Path, folder: str, count: str, times: int
) -> None:
    """It is read before its caller or behind it, and no instance of it may be there."""
    call = f'module "nodes" {{\n  source = "../{folder}"\n  count  = {count}\n  types  = ["p4d.24xlarge"]\n}}\n'
    for name, text in ((f"{folder}/main.tf", CALLED), ("live/main.tf", call + CLUSTER)):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    found = run_json("check", ".", cwd=tmp_path).findings
    opened = [each for each in found if each["rule"] == "not-open-to-the-world" and each["verdict"] == "fail"]
    assert [each["where"]["path"] for each in opened] == [f"{folder}/main.tf"] * times
    assert not [each for each in found if each["verdict"] == "unknown"]


def test_what_is_no_hcl_is_told_of_a_module_too(tmp_path: Path) -> None:
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes" / "main.tf").write_text('resource "aws_instance" "x" {\n  ami = ;\n}\n')
    (tmp_path / "main.tf").write_text('module "nodes" {\n  source = "./nodes"\n}\n' + CLUSTER)
    (found,) = [each for each in run_json("check", ".", cwd=tmp_path).findings if each["verdict"] == "error"]
    assert (found["where"]["path"], found["where"]["line"]) == ("nodes/main.tf", 2)


@pytest.mark.parametrize("where", ["group", "access", "elsewhere", "list"])
def test_json_has_blocks_and_comments_of_its_own(tmp_path: Path, where: str) -> None:
    """A block is an object there, as a map is; what stands under `//` speaks of the object around it."""
    said = "nodeworthy: ignore not-open-to-the-world until the bastion is there"
    access: dict[str, object] = {"ec2_ssh_key": "ops"}
    cluster: dict[str, object] = {"name": "ml", "version": "1.33"}
    group: dict[str, object] = {
        "cluster_name": "${aws_eks_cluster.this.name}",
        "instance_types": ["g6.12xlarge"],
        "remote_access": access,
    }
    {"group": group, "access": access, "elsewhere": cluster, "list": group}[where]["//"] = (
        ["a note", said] if where == "list" else said
    )
    written = {"resource": {"aws_eks_cluster": {"this": cluster}, "aws_eks_node_group": {"gpu": group}}}
    text = json.dumps(written, indent=2)
    ran = check(tmp_path, {"main.tf.json": text}, "--rule", "not-open-to-the-world")
    [found] = told(ran, "not-open-to-the-world")
    assert found["suppressed"] is (where != "elsewhere")
    assert found["where"]["line"] == text.splitlines().index('        "remote_access": {') + 1
