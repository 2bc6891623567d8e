"""The tools by which people ask EKS for GPU nodes: each writes one group as its users do."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from textwrap import indent
from typing import Any, Final

from tests.doors.infra_seeds import Group
from tests.doors.written import in_hcl, in_yaml

Files = dict[str, str]
Object = dict[str, Any]


@dataclass(frozen=True)
class Source:
    name: str
    # Nothing, where nobody writes it so.
    write: Callable[[Group], Files]
    # Whether what is asked for stands on a line of its own.
    shows: bool = True


_SOURCES: list[Source] = []


def _source(name: str, *, shows: bool = True) -> Callable[[Callable[[Group], Files]], Callable[[Group], Files]]:
    def named(write: Callable[[Group], Files]) -> Callable[[Group], Files]:
        _SOURCES.append(Source(name, write, shows))
        return write

    return named


def _mime(script: str) -> str:
    """A managed group takes several parts, of which EKS adds one."""
    head = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n--//\n'
    return f'{head}Content-Type: text/x-shellscript; charset="us-ascii"\n\n{script}\n--//--\n'


def _chart(group: Group) -> str:
    if group.values is None:
        return ""
    return f"""
resource "helm_release" "gpu_operator" {{
  name       = "gpu-operator"
  namespace  = "gpu-operator"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart      = "gpu-operator"
  version    = "v25.3.4"

  values = [yamlencode({in_hcl(group.values, 1)})]
}}
"""


# terraform-aws-modules/eks


def _argument(group: Group) -> Object:
    said: Object = {"ami_type": group.image, "instance_types": [group.machine]}
    said |= dict(zip(("min_size", "max_size", "desired_size"), _sizes(group), strict=True))
    said["taints"] = {"gpu": {"key": "nvidia.com/gpu", "value": "true", "effect": group.effect}}
    if group.capacity:
        said["capacity_type"] = group.capacity
    if group.own_image:
        said["ami_id"] = group.own_image
    if group.key:
        access = {"ec2_ssh_key": group.key} | ({"source_security_group_ids": [group.let_in]} if group.let_in else {})
        said |= {"use_custom_launch_template": False, "remote_access": access}
    if group.tokens:
        said["metadata_options"] = {"http_tokens": group.tokens, "http_put_response_hop_limit": group.hops}
    return said


def _sizes(group: Group) -> tuple[int, int, int]:
    return group.sizes.least, group.sizes.most, group.sizes.wanted


def _parts(group: Group, deep: int) -> str:
    """Heredocs stand no further in than their end."""
    if not group.script:
        return ""
    pad = "  " * deep
    text = indent(group.script, pad + "      ")
    return (
        f'{pad}cloudinit_pre_nodeadm = [{{\n{pad}  content_type = "text/x-shellscript; charset=\\"us-ascii\\""\n'
        f"{pad}  content      = <<-EOT\n{text}{pad}  EOT\n{pad}}}]\n"
    )


def _groups(group: Group, deep: int) -> str:
    pad = "  " * deep
    said = in_hcl(_argument(group), deep + 1).removesuffix("}").rstrip()
    return f"{{\n{pad}  gpu = {said}\n{_parts(group, deep + 2)}{pad}  }}\n{pad}}}"


def _module(group: Group, groups: str, version: int = 20, before: str = "") -> str:
    name, kubernetes = ("cluster_name", "cluster_version") if version < 21 else ("name", "kubernetes_version")
    return f"""{before}module "eks" {{
  source  = "terraform-aws-modules/eks/aws"
  version = "~> {version}.0"

  {name} = "train"
  {kubernetes} = "{group.version}"
  vpc_id = "vpc-0a1b2c3d4e5f60718"
  subnet_ids = ["subnet-0a1b2c3d4e5f60718"]

  eks_managed_node_groups = {groups}
}}
{_chart(group)}"""


@_source("plain: the EKS module, 20")
def _of_20(group: Group) -> Files:
    return {"main.tf": _module(group, _groups(group, 1))}


@_source("the EKS module, 21")
def _of_21(group: Group) -> Files:
    return {"main.tf": _module(group, _groups(group, 1), 21)}


@_source("the EKS module, groups in a local")
def _of_a_local(group: Group) -> Files:
    return {
        "main.tf": _module(group, "local.node_groups", before=f"locals {{\n  node_groups = {_groups(group, 1)}\n}}\n\n")
    }


@_source("the EKS module, groups in terraform.tfvars")
def _of_variables(group: Group) -> Files:
    return {
        "main.tf": _module(group, "var.node_groups"),
        "variables.tf": 'variable "node_groups" {\n  type    = any\n  default = {}\n}\n',
        "terraform.tfvars": f"node_groups = {_groups(group, 0)}\n",
    }


@_source("the EKS module, groups of a for over a local, merged with what they share")
def _of_a_for(group: Group) -> Files:
    shared = 'locals {\n  shared = { labels = { role = "gpu" } }\n  pools  = ' + _groups(group, 1) + "\n}\n\n"
    return {
        "main.tf": _module(group, "{ for name, each in local.pools : name => merge(local.shared, each) }", 20, shared)
    }


@_source("the EKS module, behind a switch")
def _of_a_switch(group: Group) -> Files:
    switch = 'variable "enable_gpu" {\n  default = true\n}\n\n'
    return {"main.tf": _module(group, f"merge({{}}, var.enable_gpu ? {_groups(group, 1)} : {{}})", 20, switch)}


# Resources


def _resources(group: Group, said: Mapping[str, str]) -> str:
    """`said` is what stands for a value, by its name: itself, or a variable."""
    template = _template(group)
    taint = f'  taint {{\n    key    = "nvidia.com/gpu"\n    value  = "true"\n    effect = "{group.effect}"\n  }}\n'
    access = f'    source_security_group_ids = ["{group.let_in}"]\n' if group.let_in else ""
    remote = f'  remote_access {{\n    ec2_ssh_key = "{group.key}"\n{access}  }}\n' if group.key else ""
    image = "" if group.own_image else f"  ami_type        = {said['image']}\n"
    paid = f'  capacity_type   = "{group.capacity}"\n' if group.capacity else ""
    started = "  launch_template {\n    id      = aws_launch_template.gpu.id\n    version = aws_launch_template.gpu.latest_version\n  }\n"
    return f"""resource "aws_eks_cluster" "train" {{
  name     = "train"
  version  = {said["kubernetes"]}
  role_arn = "arn:aws:iam::111111111111:role/cluster"
  vpc_config {{
    subnet_ids = ["subnet-0a1b2c3d4e5f60718"]
  }}
}}

{template}resource "aws_eks_node_group" "gpu" {{
  cluster_name    = aws_eks_cluster.train.name
  node_group_name = "gpu"
  node_role_arn   = "arn:aws:iam::111111111111:role/node"
  subnet_ids      = ["subnet-0a1b2c3d4e5f60718"]
  instance_types  = [{said["machine"]}]
{image}{paid}
  scaling_config {{
    min_size     = {said["least"]}
    max_size     = {said["most"]}
    desired_size = {said["wanted"]}
  }}
{remote}{taint}{started if template else ""}}}
{_chart(group)}"""


def _needs_template(group: Group) -> bool:
    return bool(group.own_image or group.tokens or group.script)


def _template(group: Group) -> str:
    if not _needs_template(group):
        return ""
    image = f'  image_id = "{group.own_image}"\n' if group.own_image else ""
    limits = f'    http_tokens = "{group.tokens}"\n    http_put_response_hop_limit = {group.hops}\n'
    metadata = f"  metadata_options {{\n{limits}  }}\n" if group.tokens else ""
    text = indent(_mime(group.script), "    ")
    boots = f"  user_data = base64encode(<<-EOT\n{text}  EOT\n  )\n" if group.script else ""
    return f'resource "aws_launch_template" "gpu" {{\n  name = "gpu"\n{image}{metadata}{boots}}}\n\n'


def _themselves(group: Group) -> Object:
    return {
        "kubernetes": group.version,
        "image": group.image,
        "machine": group.machine,
        "least": group.sizes.least,
        "most": group.sizes.most,
        "wanted": group.sizes.wanted,
    }


@_source("aws_eks_node_group")
def _node_group(group: Group) -> Files:
    return {"main.tf": _resources(group, {name: json.dumps(each) for name, each in _themselves(group).items()})}


@_source("aws_eks_node_group in a module of one's own")
def _own_module(group: Group) -> Files:
    values = _themselves(group)
    given = "".join(f"  {name} = {json.dumps(each)}\n" for name, each in values.items())
    return {
        "modules/gpu/main.tf": _resources(group, {name: f"var.{name}" for name in values}),
        "modules/gpu/variables.tf": "".join(f'variable "{name}" {{}}\n' for name in values),
        "envs/prod/main.tf": f'module "gpu" {{\n  source = "../../modules/gpu"\n{given}}}\n',
    }


@_source("aws_eks_node_group, defaults of variables")
def _defaults(group: Group) -> Files:
    values = _themselves(group)
    said = "".join(f'variable "{name}" {{\n  default = {json.dumps(each)}\n}}\n\n' for name, each in values.items())
    return {"main.tf": _resources(group, {name: f"var.{name}" for name in values}), "variables.tf": said}


@_source("cloudposse/eks-node-group")
def _cloudposse(group: Group) -> Files:
    if group.script:
        return {}
    said: Object = {"instance_types": [group.machine], "ami_type": group.image}
    said |= dict(zip(("min_size", "max_size", "desired_size"), _sizes(group), strict=True))
    said["kubernetes_taints"] = [{"key": "nvidia.com/gpu", "value": "true", "effect": group.effect}]
    if group.own_image:
        said["ami_image_id"] = [group.own_image]
    if group.capacity:
        said["capacity_type"] = group.capacity
    if group.key:
        said |= {
            "ec2_ssh_key_name": [group.key],
            "ssh_access_security_group_ids": [group.let_in] if group.let_in else [],
        }
    if group.tokens:
        said |= {"metadata_http_tokens_required": group.tokens == "required"}
        said |= {"metadata_http_put_response_hop_limit": group.hops}
    lines = "".join(f"  {name} = {in_hcl(each, 1)}\n" for name, each in said.items())
    return {
        "main.tf": f"""module "eks_cluster" {{
  source  = "cloudposse/eks-cluster/aws"
  version = "4.6.0"

  name               = "train"
  kubernetes_version = "{group.version}"
  subnet_ids         = ["subnet-0a1b2c3d4e5f60718"]
}}

module "gpu" {{
  source  = "cloudposse/eks-node-group/aws"
  version = "3.4.0"

  cluster_name = module.eks_cluster.eks_cluster_id
  subnet_ids   = ["subnet-0a1b2c3d4e5f60718"]
{lines}}}
{_chart(group)}"""
    }


# CloudFormation, the CDK's output, Pulumi


def _stack(group: Group) -> Object:
    said: Object = {
        "ClusterName": {"Ref": "Cluster"},
        "NodeRole": "arn:aws:iam::111111111111:role/node",
        "Subnets": ["subnet-0a1b2c3d4e5f60718"],
        "InstanceTypes": [group.machine],
        "ScalingConfig": dict(zip(("MinSize", "MaxSize", "DesiredSize"), _sizes(group), strict=True)),
        "Taints": [{"Key": "nvidia.com/gpu", "Value": "true", "Effect": group.effect}],
    }
    if not group.own_image:
        said["AmiType"] = group.image
    if group.capacity:
        said["CapacityType"] = group.capacity
    if group.key:
        said["RemoteAccess"] = {"Ec2SshKey": group.key} | (
            {"SourceSecurityGroups": [group.let_in]} if group.let_in else {}
        )
    cluster = {"Name": "train", "Version": group.version, "RoleArn": "arn:aws:iam::111111111111:role/cluster"}
    resources: Object = {"Cluster": {"Type": "AWS::EKS::Cluster", "Properties": cluster}}
    if _needs_template(group):
        data: Object = {"ImageId": group.own_image} if group.own_image else {}
        if group.tokens:
            data["MetadataOptions"] = {"HttpTokens": group.tokens, "HttpPutResponseHopLimit": group.hops}
        if group.script:
            data["UserData"] = {"Fn::Base64": _mime(group.script)}
        resources["Template"] = {"Type": "AWS::EC2::LaunchTemplate", "Properties": {"LaunchTemplateData": data}}
        said["LaunchTemplate"] = {
            "Id": {"Ref": "Template"},
            "Version": {"Fn::GetAtt": ["Template", "LatestVersionNumber"]},
        }
    resources["GpuNodes"] = {"Type": "AWS::EKS::Nodegroup", "Properties": said}
    return {"AWSTemplateFormatVersion": "2010-09-09", "Resources": resources}


@_source("CloudFormation")
def _cloudformation(group: Group) -> Files:
    return {} if group.values is not None else {"template.yaml": in_yaml(_stack(group)) + "\n"}


@_source("CloudFormation in JSON")
def _cloudformation_json(group: Group) -> Files:
    return {} if group.values is not None else {"template.json": json.dumps(_stack(group), indent=2) + "\n"}


@_source("the CDK's output")
def _cdk(group: Group) -> Files:
    stack = _stack(group)
    if group.values is not None:
        chart = {
            "ServiceToken": "arn:aws:lambda:us-east-1:111111111111:function:handler",
            "ClusterName": {"Ref": "Cluster"},
            "Release": "gpu-operator",
            "Chart": "gpu-operator",
            "Version": "v25.3.4",
            "Namespace": "gpu-operator",
            "Repository": "https://helm.ngc.nvidia.com/nvidia",
            "Values": json.dumps(group.values),
        }
        stack["Resources"]["Clusterchartgpuoperator"] = {"Type": "Custom::AWSCDK-EKS-HelmChart", "Properties": chart}
    artifact = {"type": "aws:cloudformation:stack", "properties": {"templateFile": "Gpu.template.json"}}
    return {
        "cdk.out/Gpu.template.json": json.dumps(stack, indent=1) + "\n",
        "cdk.out/manifest.json": json.dumps({"version": "39.0.0", "artifacts": {"Gpu": artifact}}) + "\n",
    }


def _lower(value: Any) -> Any:
    """Pulumi's names are CloudFormation's, with a small letter at the beginning."""
    if isinstance(value, dict):
        return {name[:1].lower() + name[1:]: _lower(each) for name, each in value.items()}
    return [_lower(each) for each in value] if isinstance(value, list) else value


@_source("Pulumi in YAML")
def _pulumi(group: Group) -> Files:
    said = _lower(_stack(group)["Resources"]["GpuNodes"]["Properties"])
    said |= {"clusterName": "${cluster.name}", "nodeRoleArn": said.pop("nodeRole"), "subnetIds": said.pop("subnets")}
    if group.key and group.let_in:
        said["remoteAccess"] = {"ec2SshKey": group.key, "sourceSecurityGroupIds": [group.let_in]}
    cluster = {"name": "train", "version": group.version, "roleArn": "arn:aws:iam::111111111111:role/cluster"}
    cluster |= {"vpcConfig": {"subnetIds": ["subnet-0a1b2c3d4e5f60718"]}}  # type: ignore[dict-item]
    resources: Object = {"cluster": {"type": "aws:eks:Cluster", "properties": cluster}}
    if _needs_template(group):
        data = _lower(_stack(group)["Resources"]["Template"]["Properties"]["LaunchTemplateData"])
        if group.script:
            data["userData"] = {"fn::toBase64": _mime(group.script)}
        resources["template"] = {"type": "aws:ec2:LaunchTemplate", "properties": data}
        said["launchTemplate"] = {"id": "${template.id}", "version": "${template.latestVersion}"}
    resources["gpu"] = {"type": "aws:eks:NodeGroup", "properties": said}
    if group.values is not None:
        chart: Object = {
            "chart": "gpu-operator",
            "version": "v25.3.4",
            "namespace": "gpu-operator",
            "values": group.values,
        }
        chart["repositoryOpts"] = {"repo": "https://helm.ngc.nvidia.com/nvidia"}
        resources["operator"] = {"type": "kubernetes:helm.sh/v3:Release", "properties": chart}
    return {"Pulumi.yaml": in_yaml({"name": "gpu", "runtime": "yaml", "resources": resources}) + "\n"}


# A plan


def _planned(type_: str, name: str, after: Object, *unknown: str) -> Object:
    change = {"actions": ["create"], "after": after, "after_unknown": dict.fromkeys(("id", *unknown), True)}
    return {"address": f"{type_}.{name}", "mode": "managed", "type": type_, "name": name, "change": change}


def _expressed(type_: str, name: str, expressions: Object) -> Object:
    head = {"address": f"{type_}.{name}", "mode": "managed", "type": type_, "name": name}
    return {**head, "expressions": expressions}


@_source("terraform show -json", shows=False)
def _plan(group: Group) -> Files:
    access = {"ec2_ssh_key": group.key, "source_security_group_ids": [group.let_in] if group.let_in else None}
    said: Object = {
        "cluster_name": "train",
        "node_group_name": "gpu",
        "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
        "instance_types": [group.machine],
        "ami_type": None if group.own_image else group.image,
        "capacity_type": group.capacity or None,
        "scaling_config": [dict(zip(("min_size", "max_size", "desired_size"), _sizes(group), strict=True))],
        "taint": [{"key": "nvidia.com/gpu", "value": "true", "effect": group.effect}],
        "remote_access": [access] if group.key else [],
    }
    made = [_planned("aws_eks_cluster", "train", {"name": "train", "version": group.version}, "endpoint")]
    refers: Object = {"cluster_name": {"references": ["aws_eks_cluster.train.name", "aws_eks_cluster.train"]}}
    told = [_expressed("aws_eks_cluster", "train", {})]
    if _needs_template(group):
        limits = {"http_tokens": group.tokens, "http_put_response_hop_limit": group.hops}
        boots = base64.b64encode(_mime(group.script).encode()).decode() if group.script else None
        data = {"name": "gpu", "image_id": group.own_image or None, "user_data": boots}
        made.append(
            _planned("aws_launch_template", "gpu", {**data, "metadata_options": [limits] if group.tokens else []})
        )
        told.append(_expressed("aws_launch_template", "gpu", {}))
        refers["launch_template"] = [{"id": {"references": ["aws_launch_template.gpu.id", "aws_launch_template.gpu"]}}]
        said["launch_template"] = [{}]
    group_made = _planned("aws_eks_node_group", "gpu", said)
    if _needs_template(group):
        group_made["change"]["after_unknown"]["launch_template"] = [{"id": True, "version": True}]
    made.append(group_made)
    told.append(_expressed("aws_eks_node_group", "gpu", refers))
    if group.values is not None:
        chart: Object = {
            "name": "gpu-operator",
            "namespace": "gpu-operator",
            "chart": "gpu-operator",
            "version": "v25.3.4",
        }
        chart |= {"repository": "https://helm.ngc.nvidia.com/nvidia", "values": [in_yaml(group.values) + "\n"]}
        made.append(_planned("helm_release", "gpu_operator", chart))
    plan = {"format_version": "1.2", "terraform_version": "1.11.4", "planned_values": {"root_module": {}}}
    configured = {"configuration": {"root_module": {"resources": told}}}
    return {"plan.json": json.dumps({**plan, "resource_changes": made, **configured}) + "\n"}


SOURCES: Final = tuple(_SOURCES)
