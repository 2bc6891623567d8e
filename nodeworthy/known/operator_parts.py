"""What the GPU operator and others agree on: labels of nodes, and the variables of its toolkit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from nodeworthy.known.tables import table_of

# The variables by which the GPU operator's toolkit is told where containerd is.

SOCKET = "CONTAINERD_SOCKET"
CONFIG = "CONTAINERD_CONFIG"
RUNTIME_CLASS = "CONTAINERD_RUNTIME_CLASS"
# The newer spellings, which the installer inside the pod prefers.
RUNTIME_SOCKET = "RUNTIME_SOCKET"
RUNTIME_CONFIG = "RUNTIME_CONFIG"
PATHS = (SOCKET, RUNTIME_SOCKET, CONFIG, RUNTIME_CONFIG)
# No other variable of the toolkit is as near to one of these: RUNTIME_CONFIG_SOURCE is the nearest, with 0.8.
_AS_NEAR = 0.86
# Nor are other keys of the device plugin's chart, which are known by their whole names.
_AS_NEAR_AS_KEYS = 0.85


def meant_variable(name: str) -> str | None:
    """The one of these that a name was meant to be and is not: containerd_socket, CONTAINER_CONFIG."""
    if name in PATHS:
        return None
    from difflib import get_close_matches

    return next(iter(get_close_matches(name.strip().upper(), PATHS, 1, _AS_NEAR)), None)


# Labels of nodes that the GPU operator and those who profile agree on.
#
# Source: gpu-operator, controllers/state_manager.go: a part is deployed where its label is not `false`.

# Whoever profiles has the counters of such a node to himself.
PROFILING = ("gpu.monitoring/profiling-dedicated", "true")
DEPLOY = "nvidia.com/gpu.deploy"
DEVICE_PLUGIN = f"{DEPLOY}.device-plugin"
# GKE's own plugin leaves out nodes with this label, whatever its value.
NO_PLUGIN_OF_GKE = "gke-no-default-nvidia-gpu-device-plugin"
# A node with this label has a driver of its own.
OWN_DRIVER = (f"{DEPLOY}.driver", "false")
# By one of which the operator knows that a node has GPUs: gpu-operator, controllers/state_manager.go, gpuNodeLabels.
GPU_SIGNS = tuple(
    (f"feature.node.kubernetes.io/pci-{each}.present", "true") for each in ("10de", "0302_10de", "0300_10de")
)
# No part at all.
OPERANDS = f"{DEPLOY}.operands"
# The parts that hold the counters, by their key in the values: their label, and whether they are on by default.
HOLDS_COUNTERS = {
    "dcgmExporter": (f"{DEPLOY}.dcgm-exporter", True),
    "dcgm": (f"{DEPLOY}.dcgm", False),
}


@cache
def chart_tolerations(part: str) -> Sequence[Mapping[str, str]]:
    """What a chart's pods tolerate where its values say nothing: `operator`, `feature-discovery`, `device-plugin`,
    `dcgm-exporter`."""
    table = table_of("operator_tolerations")
    found: Sequence[Mapping[str, str]] = table[part]["tolerations"]
    return found


# The settings that the operator's chart reads: rows of `operator_keys.toml`.

_ALWAYS_THERE = frozenset("dcgmExporter devicePlugin driver gfd migManager nfd toolkit".split())


@cache
def keys_read(part: str) -> frozenset[str]:
    """What the chart reads in a part of its values; nothing where it is no part of it."""
    return frozenset(table_of("operator_keys")["keys"].get(part, ()))


def read_instead(part: str, key: str) -> str | None:
    """Where the chart reads what stands in a part under a key that it does not have there."""
    table = table_of("operator_keys")
    of_a_part: str | None = table["instead"].get(key)
    of_nfd: str = table["instead-of-nfd"].get(key, f"node-feature-discovery.{key}")
    return of_nfd if part == "nfd" else of_a_part


def read_instead_of(key: str) -> str | None:
    """Where the chart reads what stands beside its parts; None where that is not known to be meant for it."""
    table = table_of("operator_keys")
    by_letters = {each.lower(): each for each in table["keys"]}
    meant = by_letters.get(key.lower().replace("_", "").replace("-", ""))
    told: str | None = table["instead-at-the-top"].get(key, meant)
    return told if key not in table["keys"] else None


def read_below(key: str) -> str | None:
    """Where the chart reads what stands under the name of a path, as `--set` takes it: `driver.enabled` as one key."""
    part, is_path, rest = key.partition(".")
    return f"{part}: {{{rest.partition('.')[0]}: …}}" if is_path and rest.partition(".")[0] in keys_read(part) else None


@cache
def plugin_keys() -> frozenset[str]:
    """What the device plugin's own chart reads at the top of its values, in any of its releases."""
    return frozenset(table_of("operator_keys")["plugin-chart"]["keys"])


def plugins_key(name: str) -> str | None:
    """The one of these that a key was meant to be: `runtimeClass`, `toleration`, `nodeSelectors`."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, plugin_keys(), 1, _AS_NEAR_AS_KEYS)), None)


def oldest_with_these_keys() -> str:
    oldest: str = table_of("operator_keys")["oldest"]
    return oldest


def is_there_by_default(part: str) -> bool:
    """Whether the chart deploys a part, in every release, where nobody says it."""
    return part in _ALWAYS_THERE


# Systems for which NVIDIA has no container of the driver, so that the operator can bring none to them.
# NVIDIA/gpu-operator issues 170, 227, 686, 1492 (2026-09: not on the roadmap); NVIDIA/gpu-driver-container builds for
# RHEL and Ubuntu.
WITHOUT_CONTAINER = frozenset(("eks-al2023", "eks-al2"))
# Nor for Talos, whose modules are extensions of its image.
OF_EXTENSIONS = "talos"
