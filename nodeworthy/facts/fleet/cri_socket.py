"""What nodes are that kubeadm makes: it takes whichever runtime its criSocket names."""

from __future__ import annotations

from nodeworthy.documents.tree import Tree
from nodeworthy.known.containerd import containerd_of
from nodeworthy.verdict import Located, Place

_KUBEADM = "kubeadm"


def with_kubeadm(place: Place, socket: Tree | None) -> Located[str]:
    named = socket.string.removeprefix("unix://") if socket is not None else ""
    if socket is None or socket.is_absent or containerd_of(_KUBEADM).accepts_socket(named):
        return Located.known(_KUBEADM, place)
    if "crio" in named:
        return Located.known("crio", socket.place)
    return Located.unknown(
        f"its criSocket is {socket.located().shown()}, of which no distribution is known", socket.place
    )
