"""Two notebooks to a GPU."""

from pulumi_kubernetes.core.v1 import ConfigMap

SHARED = """\
version: v1
sharing:
  timeSlicing:
    resources:
      - name: nvidia.com/gpu
        replicas: 2
      - name: nvidia.com/mig-1g.10gb
"""

ConfigMap("notebooks", metadata={"name": "notebooks", "namespace": "gpu-operator"}, data={"any": SHARED})
