"""GPUs that are shared."""

from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs

Release(
    "hami",
    ReleaseArgs(
        chart="hami",
        version="2.10.0",
        namespace="hami-system",
        repository_opts=RepositoryOptsArgs(repo="https://project-hami.github.io/HAMi"),
        values={"scheduler": {"defaultSchedulerPolicy": {"gpuSchedulerPolicy": "Spread"}}},
    ),
)
