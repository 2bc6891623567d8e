"""Films are transcoded beside the models."""

from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs

IMAGE = {"repository": "docker.io/linuxserver/ffmpeg", "tag": "7.1"}
HALF = {"limits": {"nvidia.com/gpu": "500m"}}

Release(
    "transcode",
    ReleaseArgs(
        chart="app-template",
        version="3.7.3",
        repository_opts=RepositoryOptsArgs(repo="https://bjw-s-labs.github.io/helm-charts"),
        namespace="media",
        values={"controllers": {"films": {"containers": {"main": {"image": IMAGE, "resources": HALF}}}}},
    ),
)
