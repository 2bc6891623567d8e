"""The range of a cluster's services, as its own program writes it: nodes join with it, and a fleet that follows has it."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from tests.run import run

_URN = "urn:pulumi:dev::ml::{type}::ml"
BOOTSTRAP = "#!/bin/bash\nset -e\n/etc/eks/bootstrap.sh ml --dns-cluster-ip {dns}\n"
NODE_CONFIG = (
    "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  cluster:\n    name: ml\n"
    "    apiServerEndpoint: https://4A5B.gr7.us-east-2.eks.amazonaws.com\n    certificateAuthority: LS0tLS1CRUdJTg==\n"
    "    cidr: {cidr}\n"
)


def _step(kind: str, inputs: dict[str, object], **of: list[str]) -> dict[str, object]:
    urn = _URN.format(type=kind)
    state = {"urn": urn, "custom": True, "type": kind, "inputs": inputs, "propertyDependencies": of}
    return {"op": "create", "urn": urn, "newState": state}


def previewed(folder: Path, script: str, services: str | None) -> None:
    network = {"kubernetesNetworkConfig": {"serviceIpv4Cidr": services}} if services else {}
    template, cluster = "aws:ec2/launchTemplate:LaunchTemplate", "aws:eks/cluster:Cluster"
    steps = [
        _step(cluster, {"name": "ml", "roleArn": "arn:aws:iam::123456789012:role/eks", "version": "1.33", **network}),
        _step(
            template,
            {
                "imageId": "resolve:ssm:/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/nvidia/"
                "recommended/image_id",
                "instanceType": "g5.12xlarge",
                "userData": base64.b64encode(script.encode()).decode(),
            },
        ),
        _step(
            "aws:eks/nodeGroup:NodeGroup",
            {
                "clusterName": "ml",
                "amiType": "CUSTOM",
                "nodeRoleArn": "arn:aws:iam::123456789012:role/nodes",
                "subnetIds": ["subnet-0a"],
                "launchTemplate": {"id": "04da6b54-80e4-46f7-96ec-b56ff0331ba9", "version": "1"},
                "scalingConfig": {"desiredSize": 1, "minSize": 1, "maxSize": 1},
            },
            launchTemplate=[_URN.format(type=template)],
            clusterName=[_URN.format(type=cluster)],
        ),
    ]
    (folder / "preview.json").write_text(json.dumps({"steps": steps}))


@pytest.mark.parametrize(
    ("script", "services", "found"),
    [
        (NODE_CONFIG.format(cidr="172.20.0.0/16"), "10.100.0.0/16", ["172.20.0.0/16"]),
        (NODE_CONFIG.format(cidr="10.100.0.0/16"), "10.100.0.0/16", []),
        (NODE_CONFIG.format(cidr="172.20.0.0/16"), None, []),
        (BOOTSTRAP.format(dns="172.20.0.10"), "10.100.0.0/16", ["172.20.0.10"]),
        (BOOTSTRAP.format(dns="10.100.0.10"), "10.100.0.0/16", []),
        (BOOTSTRAP.format(dns="169.254.20.10"), "10.100.0.0/16", []),
    ],
)
def test_nodes_join_with_the_range_of_their_cluster(
    tmp_path: Path, script: str, services: str | None, found: list[str]
) -> None:
    previewed(tmp_path, script, services)
    ran = run("check", "preview.json", "--rule", "joins-its-cluster", "--format", "json", cwd=tmp_path)
    assert [each["is"] for each in ran.report["findings"] if "cluster of" in each["message"]] == found


def test_a_fleet_that_follows_has_it(tmp_path: Path) -> None:
    previewed(tmp_path, NODE_CONFIG.format(cidr="10.100.0.0/16"), "10.100.0.0/16")
    assert 'serviceCidr: "10.100.0.0/16"' in run("fleet", "infer", "preview.json", cwd=tmp_path).out


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: ml, region: us-east-2}\n"
            "kubernetesNetworkConfig: {serviceIPv4CIDR: 10.100.0.0/16}\n"
            "managedNodeGroups: [{name: gpu, instanceType: g5.12xlarge}]\n",
            ['serviceCidr: "10.100.0.0/16"'],
        ),
        (
            "apiVersion: containerservice.azure.com/v1api20240901\nkind: ManagedCluster\nmetadata: {name: ml}\nspec:\n"
            "  networkProfile: {serviceCidr: 10.2.0.0/16, podCidr: 10.244.0.0/16}\n"
            "  agentPoolProfiles: [{name: gpu, vmSize: Standard_NC24ads_A100_v4, count: 2}]\n",
            ['serviceCidr: "10.2.0.0/16"', 'podCidr: "10.244.0.0/16"'],
        ),
        (
            "apiVersion: controlplane.cluster.x-k8s.io/v1beta1\nkind: KubeadmControlPlane\nmetadata: {name: ml}\nspec:\n"
            "  kubeadmConfigSpec:\n    clusterConfiguration: {networking: {podSubnet: 10.244.0.0/16}}\n",
            ['podCidr: "10.244.0.0/16"'],
        ),
    ],
    ids=["eksctl", "azure", "kubeadm"],
)
def test_as_files_write_it(tmp_path: Path, text: str, lines: list[str]) -> None:
    (tmp_path / "cluster.yaml").write_text(text)
    told = run("fleet", "infer", "cluster.yaml", cwd=tmp_path).out
    assert [each for each in lines if each not in told] == []
