"""GPUs that are shared."""

import json

from pulumi_kubernetes.core.v1 import ConfigMap

NODES = [{"name": "gpu-01", "operatingmode": "mig-core"}]

ConfigMap(
    "hami-device-plugin",
    metadata={"name": "hami-device-plugin", "namespace": "hami-system"},
    data={"config.json": json.dumps({"nodeconfig": NODES})},
)
