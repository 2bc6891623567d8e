"""Which operating system and which distribution go together."""

from __future__ import annotations

from nodeworthy.fleet.pool_declaration import OSES
from nodeworthy.verdict import Known, Located, Place, Unknown

UBUNTU = ("ubuntu-22.04", "ubuntu-24.04")
# The distribution that an operating system means on EKS.
_ON_EKS = {
    "al2023": "eks-al2023",
    "al2": "eks-al2",
    "bottlerocket": "bottlerocket",
    **dict.fromkeys(UBUNTU, "eks-ubuntu"),
}
# Where a distribution decides the operating system, or leaves few. Any other runs on everything but Bottlerocket.
_FITS = {
    "eks-al2023": ("al2023",),
    "eks-al2": ("al2",),
    "bottlerocket": ("bottlerocket",),
    "eks-ubuntu": UBUNTU,
    "aks": UBUNTU,
    "microk8s": UBUNTU,
    "k8s-snap": UBUNTU,
    "gke-cos": (),
}
EKS = tuple(dict.fromkeys(_ON_EKS.values()))


def that_fit(distribution: str) -> tuple[str, ...]:
    return _FITS.get(distribution, tuple(each for each in OSES if each != "bottlerocket"))


def os_of(distribution: str, place: Place) -> Located[str]:
    """The operating system that a distribution means; unknown where it leaves a choice."""
    fitting = that_fit(distribution)
    if len(fitting) == 1:
        return Located(Known(fitting[0]), place, written=False)
    return Located(Unknown(f"{distribution} runs on several operating systems, and the pool does not say os"), place)


def distribution_of(os: str, place: Place, *, on_eks: bool) -> Located[str]:
    """The distribution that an operating system means; Ubuntu decides it on EKS alone."""
    if os in UBUNTU and not on_eks:
        return Located(Unknown(f"{os} alone does not say what brings kubelet: name the distribution"), place)
    return Located(Known(_ON_EKS[os]), place, written=False)
