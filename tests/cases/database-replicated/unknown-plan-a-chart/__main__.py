"""The queue of jobs, from a chart of ours."""

from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs

Release("queue", ReleaseArgs(chart="oci://registry.example.com/charts/postgres-ha", version="1.4.0"))
