"""What modules of the registry make whose files are not here: by their versions, at the places of what they are given."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from nodeworthy.documents.tree import Tree
from nodeworthy.hcl.instances import Instance
from nodeworthy.hcl.trees import tree
from nodeworthy.known.terraform_modules import known_module
from tests.hcl.roots import root, told

EKS = "terraform-aws-modules/eks/aws"
GROUP = 'module.eks.module.eks_managed_node_group["gpu"]'


def made(folder: Path, version: str, group: str, kind: str, address: str = GROUP, *, more: str = "") -> Tree:
    says = f'  version = "{version}"\n' if version else ""
    groups = "self_managed_node_groups" if "self" in address else "eks_managed_node_groups"
    text = (
        f'module "eks" {{\n  source = "{EKS}"\n{says}{more}\n  {groups} = {{\n    gpu = {{\n{group}\n    }}\n  }}\n}}\n'
    )
    for each in root(folder, {"main.tf": text}).everything({kind}):
        assert isinstance(each, Instance)
        if each.address == f"{address}.{kind}.this[0]":
            return tree(each.values)
    raise AssertionError(f"no {kind}")


@pytest.mark.parametrize(
    ("version", "image", "hops"),
    [
        ("~> 18.0", None, 2),
        ("19.21.0", None, 2),
        (">= 19.0, < 21.0", None, 2),
        ("~> 20.8", None, 2),
        ("~> 21.0", "AL2023_x86_64_STANDARD", 1),
        (">= 21", "AL2023_x86_64_STANDARD", 1),
        (">= 20.0", "?", "?"),
        ("", "?", "?"),
    ],
)
def test_defaults_are_those_of_the_version(tmp_path: Path, version: str, image: str | None, hops: object) -> None:
    group = made(tmp_path, version, '      instance_types = ["g5.xlarge"]', "aws_eks_node_group")
    template = made(tmp_path, version, "", "aws_launch_template").get("metadata_options").sequence[0]
    for said, expected in ((group.get("ami_type"), image), (template.get("http_put_response_hop_limit"), hops)):
        assert (said.is_unknown, said.value) == (True, said.value) if expected == "?" else said.value == expected
    scaling = group.get("scaling_config").sequence[0]
    assert [scaling.get(f"{each}_size").value for each in ("min", "desired", "max")] == [1, 1, 3]


def test_what_differs_between_versions_is_not_known_by_the_modules_name(tmp_path: Path) -> None:
    said = made(tmp_path, "", "", "aws_eks_node_group").get("ami_type").located()
    assert "the versions of terraform-aws-modules/eks/aws that it may be differ in it: ami type" in str(said.state)


def test_what_is_given_stands_where_it_was_written(tmp_path: Path) -> None:
    group = made(tmp_path, "~> 20.0", '      ami_type = "AL2023_x86_64_NVIDIA"', "aws_eks_node_group")
    assert str(group.get("ami_type").place).startswith("main.tf:7:18")
    assert str(group.get("scaling_config").place).startswith("main.tf:6:5")


def test_a_group_of_ones_own_image_has_no_type_of_eks(tmp_path: Path) -> None:
    said = '      ami_id = "ami-1"\n      ami_type = "AL2023_x86_64_NVIDIA"'
    assert made(tmp_path, "~> 20.0", said, "aws_eks_node_group").get("ami_type").is_null
    assert made(tmp_path, "~> 20.0", said, "aws_launch_template").get("image_id").value == "ami-1"


def test_defaults_of_all_groups_lie_under_each(tmp_path: Path) -> None:
    more = '  eks_managed_node_group_defaults = { ami_type = "BOTTLEROCKET_x86_64", max_size = 7 }'
    group = made(tmp_path, "~> 19.0", '      ami_type = "AL2_x86_64_GPU"', "aws_eks_node_group", more=more)
    assert group.get("ami_type").value == "AL2_x86_64_GPU"
    assert group.get("scaling_config").sequence[0].get("max_size").value == 7


def test_a_self_managed_group_takes_the_image_of_a_parameter(tmp_path: Path) -> None:
    address = 'module.eks.module.self_managed_node_group["gpu"]'
    more = '  kubernetes_version = "1.34"'
    said = '      instance_type = "p5.48xlarge"\n      ami_type = "AL2023_x86_64_NVIDIA"'
    template = made(tmp_path, "~> 21.0", said, "aws_launch_template", address, more=more)
    assert template.get("image_id").is_unknown
    assert template.get("instance_type").value == "p5.48xlarge"
    sizes = made(tmp_path, "~> 21.0", said, "aws_autoscaling_group", address, more=more)
    assert (sizes.get("min_size").value, sizes.get("max_size").value) == (1, 3)


@pytest.mark.parametrize(
    ("source", "version", "majors"),
    [
        (EKS, "~> 21.0", 1),
        (f"registry.terraform.io/{EKS}", "20.37.2", 1),
        (f"{EKS}//modules/karpenter", "20.37.2", 1),
        ("git::https://github.com/terraform-aws-modules/terraform-aws-eks.git?ref=v20.8.4", "", 1),
        ("github.com/terraform-aws-modules/terraform-aws-eks//modules/eks-managed-node-group?ref=v21.0.0", "", 1),
        ("git@github.com:terraform-aws-modules/terraform-aws-eks.git", "", 1),
        (EKS, "17.24.0", 0),
        (EKS, "> 21.0, < 21.0", 0),
        (f"{EKS}//modules/fargate-profile", "", 0),
        ("git::https://github.com/somebody/terraform-aws-eks.git", "", 0),
    ],
)
def test_a_module_is_known_by_its_source_and_version(source: str, version: str, majors: int) -> None:
    assert (known_module(source, version) is not None) is bool(majors)


@pytest.mark.parametrize(
    ("version", "hops"),
    [("< 21", 2), ("< 21.0.1", None), ("<= 20.9", 2), ("> 20.99", None), ("!= 20.1.0, ~> 20", None), ("~>20.0.1", 2)],
)
def test_conditions_on_versions(version: str, hops: int | None) -> None:
    known = known_module(EKS, version)
    assert known is not None
    assert known.by_version["hop_limit"] == hops


def test_outputs_of_a_module_that_is_not_here(tmp_path: Path) -> None:
    module = root(tmp_path, {"main.tf": f'module "eks" {{\n source = "{EKS}"\n name = "a"\n}}\n'})
    assert told(module, "module.eks.cluster_name") == '"a"'
    assert told(module, "module.eks.oidc_provider_arn").startswith("HOLE it is known only after it is applied")


def test_releases_of_addons(tmp_path: Path) -> None:
    text = """
module "more" {
  source        = "aws-ia/eks-blueprints-addons/aws"
  helm_releases = { op = { chart = "gpu-operator", chart_version = "v25.3.4", values = ["a: 1"] } }
}
module "data" {
  source                          = "aws-ia/eks-data-addons/aws"
  enable_nvidia_gpu_operator      = true
  nvidia_gpu_operator_helm_config = { set = [{ name = "driver.enabled", value = "false" }] }
}
"""
    found = list(root(tmp_path, {"main.tf": text}).everything({"helm_release"}))
    assert [each.address for each in found if isinstance(each, Instance)] == [
        'module.more.helm_release.this["op"]',
        "module.data.helm_release.nvidia_gpu_operator[0]",
    ]


def test_a_group_of_cloudposse(tmp_path: Path) -> None:
    text = """
module "gpu" {
  source         = "cloudposse/eks-node-group/aws"
  cluster_name   = "a"
  instance_types = ["g5.xlarge"]
  ami_type       = "AL2_x86_64_GPU"
  min_size       = 2
}
"""
    [group] = list(root(tmp_path, {"main.tf": text}).everything({"aws_eks_node_group"}))
    assert isinstance(group, Instance)
    assert (group.title, tree(group.values).get("ami_type").value) == ("gpu", "AL2_x86_64_GPU")


@pytest.mark.parametrize(
    ("more", "begins"),
    [
        ("", None),
        ('  before_cluster_joining_userdata = ["mkdir -p /data"]', "MIME-Version: 1.0"),
        ('  userdata_override_base64 = ["IyEvYmluL3NoCg=="]', "#!/bin/sh"),
        ('  kubelet_additional_options = ["--max-pods=30"]', "?"),
    ],
)
def test_what_nodes_of_cloudposse_boot_with(tmp_path: Path, more: str, begins: str | None) -> None:
    text = f"""
module "gpu" {{
  source   = "cloudposse/eks-node-group/aws"
  ami_type = "AL2023_x86_64_NVIDIA"
{more}
}}
"""
    [template] = list(root(tmp_path, {"main.tf": text}).everything({"aws_launch_template"}))
    assert isinstance(template, Instance)
    said = tree(template.values).get("user_data")
    if begins == "?":
        assert said.is_unknown
    elif begins is None:
        assert said.is_absent or said.is_null
    else:
        assert base64.b64decode(said.text or "").decode().startswith(begins)


@pytest.mark.parametrize(
    ("more", "templates"),
    [
        ("", 1),
        ("      use_custom_launch_template = false", 0),
        ('      create_launch_template = false\n      launch_template_name = ""', 0),
    ],
)
def test_a_group_may_leave_its_template_to_eks(tmp_path: Path, more: str, templates: int) -> None:
    group = made(tmp_path, "~> 20.0", more, "aws_eks_node_group")
    assert len(group.get("launch_template").sequence) == templates


@pytest.mark.parametrize(
    ("more", "types"),
    [
        ("", ["aws_eks_node_group", "aws_launch_template"]),
        ('  launch_template_id = ["lt-0aaaaaaaaaaaaaaaa"]\n  ec2_ssh_key_name = ["ops"]', ["aws_eks_node_group"]),
        (
            '  ec2_ssh_key_name = ["ops"]',
            [
                *("aws_eks_node_group", "aws_launch_template", "aws_security_group"),
                *("aws_vpc_security_group_egress_rule", "aws_vpc_security_group_ingress_rule"),
            ],
        ),
    ],
)
def test_a_group_of_cloudposse_has_doors_for_ssh(tmp_path: Path, more: str, types: list[str]) -> None:
    text = f'module "gpu" {{\n  source   = "cloudposse/eks-node-group/aws"\n  cluster_name = "a"\n{more}\n}}\n'
    made_of_it = list(root(tmp_path, {"main.tf": text}).everything(set(_OF_CLOUDPOSSE)))
    assert sorted(each.type for each in made_of_it if isinstance(each, Instance)) == types


_OF_CLOUDPOSSE = (
    *("aws_eks_node_group", "aws_launch_template", "aws_security_group"),
    *("aws_vpc_security_group_egress_rule", "aws_vpc_security_group_ingress_rule"),
)


def test_a_cluster_of_cloudposse(tmp_path: Path) -> None:
    text = 'module "eks" {\n  source = "cloudposse/eks-cluster/aws"\n  kubernetes_version = "1.33"\n}\n'
    [cluster] = list(root(tmp_path, {"main.tf": text}).everything({"aws_eks_cluster"}))
    assert isinstance(cluster, Instance)
    assert tree(cluster.values).get("version").value == "1.33"
