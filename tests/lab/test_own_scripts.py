"""The scripts that `userdata/` writes are run in booted nodes: each makes the node that its timeline tells of."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.known.containerd import defaults

from .comparing import boot_and_compare
from .expects import Expects

GOLDEN = Path(__file__).parents[1] / "userdata" / "golden"

ANSWERS = {
    "command -v docker": "no",
    'grep -qxF "$address $name" /etc/hosts': "no",
    'grep -qxF "$entry" /etc/fstab': "no",
    'mountpoint -q "$STORAGE_MOUNT"': "no",
    'grep -q config_path "$IMAGE_CONTAINERD_CONFIG"': "yes",
}
KUBELET = {"al2023": "kubelet.service", "eks-ubuntu": "snap.kubelet-eks.daemon.service"}
# What nodeadm and bootstrap.sh do by themselves.
OTHERS = (
    defaults().config,
    "/etc/kubernetes/kubelet/config.json",
    "/etc/systemd/system/multi-user.target.wants/containerd.service",
)
# The image, and what the module is loaded with: the operator's driver comes after the boot.
POOLS = {
    "al2023-a100": ("al2023", "0"),
    "al2023-cpu": ("al2023", ""),
    "al2023-h100": ("al2023-nvidia", "0"),
    "al2023-t4": ("al2023", "0"),
    "ubuntu22-cpu": ("eks-ubuntu", ""),
    "ubuntu22-t4": ("eks-ubuntu", "0"),
    "ubuntu24-h100": ("eks-ubuntu", "0"),
    "ubuntu24-l4": ("eks-ubuntu", ""),
    "ubuntu24-own-image": ("eks-ubuntu-nvidia", "0"),
}


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.usefixtures("lab")
def test_our_own_scripts_make_the_nodes_that_they_promise(pool: str) -> None:
    image, profiling = POOLS[pool]
    kubelet = KUBELET[image.removesuffix("-nvidia")]
    expected = Expects(
        image,
        ANSWERS,
        profiling=profiling,
        others=OTHERS,
        enabled={kubelet: "enabled"},
        active={kubelet: "active", "containerd.service": "active"},
    )
    differences = boot_and_compare((GOLDEN / f"{pool}.txt").read_bytes(), expected)
    assert not differences, "\n".join(differences)
