"""What watches the cluster."""

from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs

COMMUNITY = RepositoryOptsArgs(repo="https://prometheus-community.github.io/helm-charts")
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "50Gi"}}}

Release(
    "kube-prometheus-stack",
    ReleaseArgs(
        chart="kube-prometheus-stack",
        version="78.5.0",
        repository_opts=COMMUNITY,
        namespace="monitoring",
        create_namespace=True,
        values={
            "prometheus": {
                "prometheusSpec": {
                    "retention": "15d",
                    "retentionSize": "60GB",
                    "storageSpec": {"volumeClaimTemplate": {"spec": CLAIM}},
                },
            },
        },
    ),
)
