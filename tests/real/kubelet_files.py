"""What is written on a real node before it starts: the settings of its containerd and of its kubelet."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from nodeworthy.known.containerd import containerd_of
from tests.cluster.incident import BASE_DIR

from .control_plane import ControlPlane

UNVERIFIED = "nodeworthy/unverified"
# The containerd of the first incident, which the operator's toolkit does not look for.
SNAP = containerd_of("k8s-snap", BASE_DIR)
CONFIG, SOCKET = str(SNAP.config), str(SNAP.socket)
CONTAINERD = f"""\
version = 3
root = "{BASE_DIR}/var/lib/containerd"
state = "{Path(SOCKET).parent}"

[grpc]
  address = "{SOCKET}"

[plugins."io.containerd.nri.v1.nri"]
  disable = true

# Where nobody may set it lower than his own is, pods have this machine's.
[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true

[plugins."io.containerd.cri.v1.images".pinned_images]
"""
NETWORK = "/etc/cni/net.d/none.conflist"
# Nobody asks it for anything: pods here are in the network of their node.
NO_NETWORK = {"cniVersion": "1.0.0", "name": "none", "plugins": [{"type": "loopback"}]}
SETTINGS = "/etc/kubernetes/kubelet.yaml"
KUBECONFIG = "/etc/kubernetes/kubeconfig"


def files(plane: ControlPlane, pause: str, cgroup: str, port: int) -> dict[str, str]:
    return {
        CONFIG: f'{CONTAINERD}  sandbox = "{pause}"\n',
        NETWORK: json.dumps(NO_NETWORK),
        SETTINGS: json.dumps(_settings(cgroup, port)),
        KUBECONFIG: _kubeconfig(plane),
    }


def _kubeconfig(plane: ControlPlane) -> str:
    """The files of this machine's scratch are not on the node."""
    written = json.loads(plane.kubeconfig_for())
    cluster = written["clusters"][0]["cluster"]
    del cluster["certificate-authority"]
    cluster["certificate-authority-data"] = base64.b64encode(plane.ca_file.read_bytes()).decode()
    return json.dumps(written)


def _settings(cgroup: str, port: int) -> dict[str, Any]:
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": "127.0.0.1",
        "port": port,
        "healthzPort": 0,
        "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
        "authorization": {"mode": "AlwaysAllow"},
        "containerRuntimeEndpoint": f"unix://{SOCKET}",
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{cgroup}",
        "failCgroupV1": False,
        "failSwapOn": False,
        "makeIPTablesUtilChains": False,  # they would be this machine's
        "registerWithTaints": [{"key": UNVERIFIED, "effect": "NoSchedule"}],
        "nodeStatusUpdateFrequency": "2s",
        "evictionHard": {"memory.available": "1Mi", "nodefs.available": "0%", "imagefs.available": "0%"},
    }
