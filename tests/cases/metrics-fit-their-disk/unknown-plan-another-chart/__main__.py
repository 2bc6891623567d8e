"""What watches the cluster, in a chart of our own."""

from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs

Release("observability", ReleaseArgs(chart="oci://registry.example.com/charts/observability", version="2.1.0"))
