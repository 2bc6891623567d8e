"""Which keys containerd takes where in its CRI's sections: the table `keys` of `containerd_schema.toml`, typed."""

from __future__ import annotations

from typing import Any

from nodeworthy.known.containerd_schema import KEPT, NEW, schema_table

_KEYS: dict[str, Any] = schema_table()["keys"]

KEYS_OF: dict[str, frozenset[str]] = {name: frozenset(_KEYS[name]) for name in NEW}
OF_CONTAINERD = frozenset[str](_KEYS["containerd"])
OPTIONS: tuple[str, ...] = tuple(_KEYS["options"])
RUNTIME_V1: str = _KEYS["of_runtime_v1"]["type"]
OF_RUNTIME_V1 = frozenset[str](_KEYS["of_runtime_v1"]["section"])
# What of the CRI still stands in the section of the old name: its server's.
SERVER = KEPT
SANDBOX_IMAGE = "sandbox_image"
PINNED: str = _KEYS["sandbox_image"]["now"]


def is_default(key: str, value: object) -> bool:
    """Whether nothing is lost with it: an empty value, or what containerd takes by itself."""
    defaults: dict[str, object] = _KEYS["defaults"]
    return value in (None, False, 0, "", [], {}) or defaults.get(key.lower()) == value


def is_default_image(image: str) -> bool:
    return image.startswith(_KEYS["sandbox_image"]["default"])


def decides(key: str) -> bool:
    """Whether a node or a pod does not work without it."""
    return key in _KEYS["weight"]["decide"]
