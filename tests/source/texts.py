"""Values and fleets as text, right or wrong in one place."""

from __future__ import annotations

from nodeworthy.known.containerd import containerd_of, defaults

STOCK = defaults()
K3S = containerd_of("k3s")


def values(socket: str, comment: str = "") -> str:
    return f"toolkit:\n  env:\n    - name: CONTAINERD_SOCKET\n      value: {socket}{comment}\n"


def fleet(distribution: str = "k3s", gpu: str = "a10g") -> str:
    return (
        "config:\n  nodeworthy:fleet:\n    cluster: {name: edge}\n    operator: false\n    pools:\n"
        f"      edge: {{gpu: {gpu}, distribution: {distribution}, provision: false}}\n"
    )
