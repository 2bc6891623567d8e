"""What `NVIDIA_DRIVER_CAPABILITIES` may hold (nvidia-container-toolkit: SupportedDriverCapabilities)."""

from __future__ import annotations

VARIABLE = "NVIDIA_DRIVER_CAPABILITIES"
ALL = "all"
SUPPORTED = ("compat32", "compute", "display", "graphics", "ngx", "utility", "video")


def split(value: str) -> tuple[str, ...]:
    """The capabilities that a value names, once each, in the order in which the runtime prints them."""
    return tuple(sorted({each for part in value.split(",") if (each := part.strip())}))
