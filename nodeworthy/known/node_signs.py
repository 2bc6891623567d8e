"""Which distribution a Kubernetes node is of, by what it says of itself: the table of `node_signs.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass

# Of a class with its vendor: pci-0302_10de.present.
_OF_A_VENDOR = "feature.node.kubernetes.io/pci-0302_"


@dataclass(frozen=True)
class Sign:
    """What a node shows, and what it then may be."""

    distributions: tuple[str, ...]
    runtime: str = ""
    kubelet: str = ""
    os_image: str = ""
    label: str = ""
    source: str = ""

    def holds(self, runtime: str, kubelet: str, os_image: str, labels: Mapping[str, str]) -> bool:
        return (
            runtime.startswith(self.runtime)
            and self.kubelet in kubelet
            and os_image.startswith(self.os_image)
            and (not self.label or self.label in labels)
        )


@dataclass(frozen=True)
class Trace:
    """What a distribution puts on its nodes."""

    path: str
    distributions: tuple[str, ...]
    source: str = ""


@dataclass(frozen=True)
class CriSocket:
    """The annotation in which kubeadm keeps the socket that kubelet uses."""

    annotation: str
    distribution: str
    source: str


@cache
def _table() -> Mapping[str, Any]:
    return table_of("node_signs")


@cache
def signs() -> tuple[Sign, ...]:
    return tuple(Sign(**{**row, "distributions": tuple(row["distributions"])}) for row in _table()["sign"])


@cache
def traces() -> tuple[Trace, ...]:
    return tuple(Trace(**{**row, "distributions": tuple(row["distributions"])}) for row in _table()["trace"])


@cache
def _gpu_labels() -> Mapping[str, str]:
    return {row["label"]: row.get("value", "") for row in _table()["gpu"]}


def is_labelled_with_a_gpu(labels: Mapping[str, str]) -> bool:
    """Whether a label says that there is a card, whoever set it."""
    return any(name in labels and value in ("", labels[name]) for name, value in _gpu_labels().items())


def has_a_card_of_no_vendor(labels: Mapping[str, str]) -> bool:
    """Whether a label tells of a card, and not whose it is: neither this label nor another one does."""
    return any(labels.get(row["label"]) == row["value"] for row in _table()["unnamed"]) and not any(
        name.startswith(_OF_A_VENDOR) for name in labels
    )


@cache
def cri_socket() -> CriSocket:
    return CriSocket(**_table()["cri_socket"])


@cache
def shows_itself(distribution: str) -> bool:
    """Whether every node of this distribution shows it."""
    return any(distribution in sign.distributions for sign in signs())
