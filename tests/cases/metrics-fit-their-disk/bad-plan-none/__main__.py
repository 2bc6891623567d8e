"""A namespace, and whatever is still to come."""

from pulumi_kubernetes.core.v1 import Namespace

Namespace("monitoring", metadata={"name": "monitoring"})
