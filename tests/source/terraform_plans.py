"""A plan of a root with GPU nodes, as `terraform show -json` writes it: small, and with one of everything."""

from __future__ import annotations

import base64
from typing import Any

BOOT = "#!/bin/bash\nset -e\n/etc/eks/bootstrap.sh training\n"
SENSITIVE = ("wort-der-woche-42", "geheim-77-wort", "sieben-mal-sieben-49", "vom-speicher-geholt-8")
_LATER = {"id": True, "arn": True}


def change(
    address: str, after: Any, later: Any = None, marked: Any = None, actions: tuple[str, ...] = ("create",)
) -> Any:
    kind, name = address.rsplit(".", 2)[-2:]
    module = address.removesuffix(f".{kind}.{name}") if address.count(".") > 1 else None
    changed = {"actions": list(actions), "before": None, "after": after, "after_unknown": later or _LATER}
    changed |= {"before_sensitive": False, "after_sensitive": marked or {}}
    said = {"address": address, "mode": "managed", "type": kind, "name": name.split("[")[0], "change": changed}
    return {**said, "module_address": module} if module else said


def block(address: str, **expressions: Any) -> Any:
    kind, name = address.split(".")
    return {"address": address, "mode": "managed", "type": kind, "name": name, "expressions": expressions}


def refers(*references: str) -> Any:
    return {"references": list(references)}


def a_plan(user_data: str | None = BOOT, **over: Any) -> dict[str, Any]:
    """Where nothing of the user data is known, it waits for the cluster's endpoint."""
    cluster = {"name": "training", "version": "1.33", "role_arn": "arn:aws:iam::111122223333:role/eks", "tags": None}
    packed = {"user_data": base64.b64encode(user_data.encode()).decode()} if user_data is not None else {}
    template: dict[str, Any] = {
        "image_id": "ami-0abc",
        "instance_type": "g6e.12xlarge",
        "network_interfaces": [],
        **packed,
    }
    template["metadata_options"] = [{"http_tokens": "optional"}]
    later = {"vpc_security_group_ids": [True], **_LATER, **({} if user_data is not None else {"user_data": True})}
    group: dict[str, Any] = {
        "scaling_config": [{"desired_size": 2, "max_size": 2, "min_size": 2}],
        "launch_template": [{}],
    }
    doors = [{"from_port": 22, "to_port": 22, "protocol": "tcp", "cidr_blocks": ["0.0.0.0/0"], "self": False}]
    release: dict[str, Any] = {
        "chart": "gpu-operator",
        "name": "gpu-operator",
        "version": "v25.3.4",
        "values": ["driver: {enabled: true}\ntoolkit: {enabled: false}\n"],
        "set": [{"name": "driver.enabled", "value": "true", "type": ""}],
        "set_sensitive": [{"name": "driver.licensingConfig.secretName", "value": SENSITIVE[1]}],
    }
    changes = [
        change("aws_eks_cluster.this", cluster, {"endpoint": True, **_LATER}),
        change("aws_security_group.nodes", {"name": "nodes", "ingress": doors}, {"egress": True, **_LATER}),
        change("aws_launch_template.gpu", template, later),
        change(
            "aws_eks_node_group.gpu",
            {**group, "subnet_ids": ["subnet-1"], "node_role_arn": "arn:aws:iam::111122223333:role/node"},
            {"cluster_name": True, "ami_type": True, "launch_template": [{"id": True, "version": True}]},
        ),
        change("aws_instance.gone", None, actions=("delete",)),
        change("helm_release.operator", release, marked={"set_sensitive": [{"value": True}]}),
        change("aws_db_instance.metrics", {"password": SENSITIVE[2]}, marked={"password": True}),
    ]
    image = {
        "id": "ami-0abc",
        "name": "amazon-eks-node-al2023-x86_64-nvidia-1.33-v20250620",
        "owner_id": "602401143452",
    }
    looked_up: dict[str, Any] = {
        "address": "data.aws_ami.gpu",
        "mode": "data",
        "type": "aws_ami",
        "name": "gpu",
        "values": image,
    }
    fetched: dict[str, Any] = {"address": "data.vault_secret.a", "mode": "data", "type": "vault_secret", "name": "a"}
    fetched |= {"values": {"data": SENSITIVE[3]}, "sensitive_values": {"data": True}}
    blocks = [
        block("aws_eks_cluster.this", name={}, version={}, role_arn={}),
        block("aws_security_group.nodes", name={}, ingress={}),
        block(
            "aws_launch_template.gpu",
            image_id=refers("data.aws_ami.gpu.id", "data.aws_ami.gpu"),
            instance_type={},
            user_data=refers("aws_eks_cluster.this.endpoint", "aws_eks_cluster.this"),
            vpc_security_group_ids=refers("aws_security_group.nodes.id", "aws_security_group.nodes"),
            metadata_options=[{"http_tokens": {}}],
        ),
        block(
            "aws_eks_node_group.gpu",
            cluster_name=refers("aws_eks_cluster.this.name", "aws_eks_cluster.this"),
            launch_template=[{"id": refers("aws_launch_template.gpu.id", "aws_launch_template.gpu"), "version": {}}],
            scaling_config=[{"desired_size": {}, "max_size": {}, "min_size": {}}],
            subnet_ids={},
            node_role_arn={},
        ),
        block("helm_release.operator", chart={}, name={}, version={}, values={}, set={}, set_sensitive={}),
    ]
    return {
        "format_version": "1.2",
        "terraform_version": "1.11.4",
        "variables": {"token": {"value": SENSITIVE[0]}},
        "planned_values": {},
        "resource_changes": changes,
        "prior_state": {"values": {"root_module": {"resources": [looked_up, fetched]}}},
        "configuration": {"root_module": {"variables": {"token": {"sensitive": True}}, "resources": blocks}},
        **over,
    }
