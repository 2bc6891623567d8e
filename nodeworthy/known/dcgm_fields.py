"""The fields that NVIDIA's DCGM measures, by which its exporter calls its metrics."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

BEGINS = "DCGM_FI_"
# What people call a field that is called otherwise.
_MEANT: Mapping[str, str] = {
    "DEV_GPU_UTILIZATION": "DEV_GPU_UTIL",
    "DEV_MEMORY_FREE": "DEV_FB_FREE",
    "DEV_MEMORY_TOTAL": "DEV_FB_TOTAL",
    "DEV_MEMORY_USED": "DEV_FB_USED",
    "DEV_MEM_FREE": "DEV_FB_FREE",
    "DEV_MEM_TOTAL": "DEV_FB_TOTAL",
    "DEV_MEM_USED": "DEV_FB_USED",
    "DEV_MEM_UTIL": "DEV_MEM_COPY_UTIL",
    "DEV_MEMORY_UTIL": "DEV_MEM_COPY_UTIL",
    "DEV_MEMORY_UTILIZATION": "DEV_MEM_COPY_UTIL",
    "DEV_POWER": "DEV_POWER_USAGE",
    "DEV_TEMP": "DEV_GPU_TEMP",
    "DEV_TEMPERATURE": "DEV_GPU_TEMP",
    "DEV_XID": "DEV_XID_ERRORS",
    "DEV_XID_ERROR_COUNT": "DEV_XID_ERRORS",
}
_CLOSE = 0.75


@cache
def _fields() -> frozenset[str]:
    _, names = Path(__file__).with_name("dcgm_fields.txt").read_text(encoding="utf-8").split("\n", 1)
    return frozenset(names.split())


def is_field(name: str) -> bool:
    return name.removeprefix(BEGINS) in _fields()


def field_meant(name: str) -> str:
    """The field that was meant by a name that is none; empty where none is near."""
    said = name.removeprefix(BEGINS)
    near = [_MEANT[said]] if said in _MEANT else difflib.get_close_matches(said, sorted(_fields()), 1, _CLOSE)
    return f"{BEGINS}{near[0]}" if near else ""
