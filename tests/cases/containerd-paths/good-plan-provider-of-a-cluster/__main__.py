"""Two clusters of different nodes, and an operator in one of them, which is right for its nodes alone."""

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

cluster = aws.eks.Cluster(
    "ml",
    role_arn="arn:aws:iam::111122223333:role/ml-cluster",
    version="1.33",
    vpc_config={"subnet_ids": ["subnet-0a1b2c3d", "subnet-4e5f6a7b"]},
)
aws.eks.NodeGroup(
    "a10g",
    cluster_name=cluster.name,
    node_role_arn="arn:aws:iam::111122223333:role/ml-nodes",
    subnet_ids=["subnet-0a1b2c3d"],
    ami_type="AL2023_x86_64_NVIDIA",
    instance_types=["g5.12xlarge"],
    scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
)
aws.eks.NodeGroup(
    "web",
    cluster_name=cluster.name,
    node_role_arn="arn:aws:iam::111122223333:role/ml-nodes",
    subnet_ids=["subnet-0a1b2c3d"],
    ami_type="BOTTLEROCKET_x86_64",
    instance_types=["m7i.large"],
    scaling_config={"min_size": 1, "max_size": 4, "desired_size": 1},
)
other = aws.eks.Cluster(
    "batch",
    role_arn="arn:aws:iam::111122223333:role/ml-cluster",
    version="1.33",
    vpc_config={"subnet_ids": ["subnet-0a1b2c3d", "subnet-4e5f6a7b"]},
)
aws.eks.NodeGroup(
    "batch-l4",
    cluster_name=other.name,
    node_role_arn="arn:aws:iam::111122223333:role/ml-nodes",
    subnet_ids=["subnet-0a1b2c3d"],
    ami_type="BOTTLEROCKET_x86_64_NVIDIA",
    instance_types=["g6.12xlarge"],
    scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
)


def installed(name: str, of: aws.eks.Cluster, values: dict[str, object]) -> None:
    kubeconfig = pulumi.Output.json_dumps(
        {"clusters": [{"name": "eks", "cluster": {"server": of.endpoint}}], "current-context": of.name}
    )
    provider = kubernetes.Provider(f"{name}-k8s", kubeconfig=kubeconfig)
    kubernetes.helm.v3.Release(
        f"{name}-gpu-operator",
        chart="gpu-operator",
        version="v25.3.4",
        namespace="gpu-operator",
        repository_opts={"repo": "https://helm.ngc.nvidia.com/nvidia"},
        values={"driver": {"enabled": False}, **values},
        opts=pulumi.ResourceOptions(provider=provider),
    )


ENV = [{"name": "CONTAINERD_SOCKET", "value": "/run/containerd/containerd.sock"}]
installed("ml", cluster, {"toolkit": {"env": ENV}})
