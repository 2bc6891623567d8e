"""The boot script of a pool: which family of images reads which format."""

from __future__ import annotations

from userdata import bootstrap_sh, bottlerocket, node_config
from userdata.joining import Joining

FAMILIES = {
    "al2023": node_config.script,
    "al2": bootstrap_sh.script,
    "ubuntu-22.04": bootstrap_sh.script,
    "ubuntu-24.04": bootstrap_sh.script,
    "bottlerocket": bottlerocket.settings,
}
# The distributions whose nodes these scripts make.
DISTRIBUTIONS = frozenset({"eks-al2023", "eks-al2", "eks-ubuntu", "bottlerocket"})
# The disk that images and logs live on; Bottlerocket keeps its own system apart.
ROOT_DEVICE = {
    "al2023": "/dev/xvda",
    "al2": "/dev/xvda",
    "ubuntu-22.04": "/dev/sda1",
    "ubuntu-24.04": "/dev/sda1",
    "bottlerocket": "/dev/xvdb",
}


def of(os: str, joining: Joining) -> str:
    return FAMILIES[os](joining)
