"""The variables by which the GPU operator's toolkit is told where containerd is."""

from __future__ import annotations

import difflib

SOCKET = "CONTAINERD_SOCKET"
CONFIG = "CONTAINERD_CONFIG"
RUNTIME_CLASS = "CONTAINERD_RUNTIME_CLASS"
# The newer spellings, which the installer inside the pod prefers.
RUNTIME_SOCKET = "RUNTIME_SOCKET"
RUNTIME_CONFIG = "RUNTIME_CONFIG"
PATHS = (SOCKET, RUNTIME_SOCKET, CONFIG, RUNTIME_CONFIG)
# No other variable of the toolkit is as near to one of these: RUNTIME_CONFIG_SOURCE is the nearest, with 0.8.
_AS_NEAR = 0.86


def meant(name: str) -> str | None:
    """The one of these that a name was meant to be and is not: containerd_socket, CONTAINER_CONFIG."""
    if name in PATHS:
        return None
    return next(iter(difflib.get_close_matches(name.strip().upper(), PATHS, 1, _AS_NEAR)), None)
