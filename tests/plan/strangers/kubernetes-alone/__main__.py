import pulumi
import pulumi_kubernetes as k8s

k8s.yaml.ConfigFile("inference", file="manifests/inference.yaml")
k8s.yaml.ConfigGroup("jobs", files=["manifests/train-*.yaml"])
k8s.yaml.v2.ConfigFile("quota", file="manifests/quota.yaml")
ns = k8s.core.v1.Namespace("gpu-operator", metadata={"name": "gpu-operator"})
k8s.helm.v3.Release(
    "gpu-operator",
    k8s.helm.v3.ReleaseArgs(
        chart="gpu-operator",
        version="v25.3.4",
        namespace=ns.metadata["name"],
        repository_opts=k8s.helm.v3.RepositoryOptsArgs(repo="https://helm.ngc.nvidia.com/nvidia"),
        value_yaml_files=[pulumi.FileAsset("values-gpu-operator.yaml")],
        values={"driver": {"enabled": False}},
    ),
)
