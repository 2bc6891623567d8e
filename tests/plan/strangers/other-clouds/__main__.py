import pulumi


class Gke(pulumi.CustomResource):
    endpoint: pulumi.Output[str]

    def __init__(self, name, opts=None, **props):
        super().__init__("gcp:container/cluster:Cluster", name, {"endpoint": None, **props}, opts)


class NodePool(pulumi.CustomResource):
    def __init__(self, name, opts=None, **props):
        super().__init__("gcp:container/nodePool:NodePool", name, props, opts)


class Aks(pulumi.CustomResource):
    def __init__(self, name, opts=None, **props):
        super().__init__("azure-native:containerservice:ManagedCluster", name, props, opts)


cluster = Gke("ml", initialNodeCount=1, removeDefaultNodePool=True, location="europe-west4-a", minMasterVersion="1.31")
NodePool(
    "a100",
    cluster=cluster.id,
    nodeCount=2,
    nodeConfig={
        "machineType": "a2-highgpu-1g",
        "guestAccelerators": [{"type": "nvidia-tesla-a100", "count": 1}],
        "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
    },
)
Aks(
    "aks",
    resourceGroupName="ml",
    agentPoolProfiles=[{"name": "gpu", "count": 1, "vmSize": "Standard_NC6s_v3"}],
    dnsPrefix="ml",
    servicePrincipalProfile={"clientId": "msi"},
)
pulumi.export("endpoint", cluster.endpoint)
