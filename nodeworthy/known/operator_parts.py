"""Labels of nodes that the GPU operator and those who profile agree on.

Source: gpu-operator, controllers/state_manager.go: a part is deployed where its label is not `false`.
"""

from __future__ import annotations

# Whoever profiles has the counters of such a node to himself.
PROFILING = ("gpu.monitoring/profiling-dedicated", "true")
_DEPLOY = "nvidia.com/gpu.deploy"
DEVICE_PLUGIN = f"{_DEPLOY}.device-plugin"
# A node with this label has a driver of its own.
OWN_DRIVER = (f"{_DEPLOY}.driver", "false")
# No part at all.
OPERANDS = f"{_DEPLOY}.operands"
# The parts that hold the counters, by their key in the values: their label, and whether they are on by default.
HOLDS_COUNTERS = {
    "dcgmExporter": (f"{_DEPLOY}.dcgm-exporter", True),
    "dcgm": (f"{_DEPLOY}.dcgm", False),
}
