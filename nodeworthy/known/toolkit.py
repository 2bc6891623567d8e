"""The variables by which the GPU operator's toolkit is told where containerd is."""

from __future__ import annotations

SOCKET = "CONTAINERD_SOCKET"
CONFIG = "CONTAINERD_CONFIG"
RUNTIME_CLASS = "CONTAINERD_RUNTIME_CLASS"
# The newer spellings, which the installer inside the pod prefers.
RUNTIME_SOCKET = "RUNTIME_SOCKET"
RUNTIME_CONFIG = "RUNTIME_CONFIG"
