"""What kind of boot script the nodes of a pool get."""

from __future__ import annotations

from nodeworthy.fleet.model import Pool
from nodeworthy.verdict import Unknown

_KINDS = {
    "eks-al2023": "NodeConfig",
    "eks-al2": "bootstrap.sh",
    "eks-ubuntu": "bootstrap.sh",
    "bottlerocket": "Bottlerocket TOML",
}


def boot_script_kind(pool: Pool) -> str | None:
    """What this pool's image family reads; None where the nodes are not built here, or we know no script for them."""
    if not pool.provision or isinstance(pool.distribution.state, Unknown):
        return None
    return _KINDS.get(pool.distribution.state.value)
