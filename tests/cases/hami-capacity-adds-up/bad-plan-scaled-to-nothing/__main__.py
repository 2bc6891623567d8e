"""GPUs that are shared."""

from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs

Release(
    "hami",
    ReleaseArgs(
        chart="hami",
        version="2.10.0",
        namespace="hami-system",
        repository_opts=RepositoryOptsArgs(repo="https://project-hami.github.io/HAMi"),
        values={"devicePlugin": {"deviceSplitCount": 0.5, "deviceMemoryScaling": 1}},
    ),
)
