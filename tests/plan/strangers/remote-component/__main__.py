import pulumi
import pulumi_kubernetes as k8s


class Cluster(pulumi.ComponentResource):
    """What the pulumi_eks SDK's Cluster is: a component that its own provider opens."""

    def __init__(self, name, args, opts=None):
        super().__init__("eks:index:Cluster", name, {**args, "kubeconfig": None, "core": None}, opts, True)


class NodeGroup(pulumi.ComponentResource):
    def __init__(self, name, args, opts=None):
        super().__init__("eks:index:NodeGroupV2", name, {**args, "autoScalingGroup": None}, opts, True)


cluster = Cluster(
    "ml", {"instanceType": "m5.xlarge", "desiredCapacity": 2, "minSize": 1, "maxSize": 4, "createOidcProvider": True}
)
NodeGroup("gpu", {"cluster": cluster, "instanceType": "g5.2xlarge", "gpu": True, "desiredCapacity": 2})
provider = k8s.Provider("eks", kubeconfig=cluster.kubeconfig if hasattr(cluster, "kubeconfig") else None)
ns = k8s.core.v1.Namespace("ml", metadata={"name": "ml"}, opts=pulumi.ResourceOptions(provider=provider))
k8s.helm.v3.Release(
    "nvidia-device-plugin",
    chart="nvidia-device-plugin",
    namespace=ns.metadata.name,
    repository_opts={"repo": "https://nvidia.github.io/k8s-device-plugin"},
    version="0.17.1",
    opts=pulumi.ResourceOptions(provider=provider, depends_on=[cluster]),
)
pulumi.export("kubeconfig", cluster.kubeconfig if hasattr(cluster, "kubeconfig") else None)
