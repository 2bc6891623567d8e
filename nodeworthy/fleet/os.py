"""What runs on the nodes of a pool: operating system, distribution, runtime, and the kind of their boot script."""

from __future__ import annotations

from collections.abc import Callable

from nodeworthy.fleet.model import Pool
from nodeworthy.known.containerd import Containerd, containerd_of, takes_base_dir
from nodeworthy.records import replace
from nodeworthy.verdict import Known, Located, Place, Unknown, value_if_known

UBUNTU = ("ubuntu-22.04", "ubuntu-24.04")
OSES = ("al2023", "al2", *UBUNTU, "bottlerocket")
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
    "gke-ubuntu": UBUNTU,
    "microk8s": UBUNTU,
    "k8s-snap": UBUNTU,
    "gke-cos": (),
    "talos": (),
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


BASE_DIR = "containerdBaseDir"
CONFINEMENT = "snapConfinement"
STRICT = Known("strict")
# Says what is wrong under a key of the pool.
Says = Callable[[str, str], None]


def runtime_of(
    distribution: Located[str], base_dir: Located[str] | None, confinement: Located[str] | None, says: Says
) -> Located[Containerd]:
    """The runtime, at the place that decides it; unknown where a part of that is."""
    _belong(distribution, {BASE_DIR: base_dir, CONFINEMENT: confinement}, says)
    strict = confinement is not None and confinement.state == STRICT
    if strict and base_dir is not None:
        says(BASE_DIR, "can't be given where snapConfinement is strict: the snap then keeps its own")
    for part in (base_dir, confinement):
        if part is not None and isinstance(part.state, Unknown):
            return Located(part.state, part.place)
    if isinstance(distribution.state, Unknown):
        return Located(distribution.state, distribution.place)
    path = value_if_known(base_dir)
    runtime = containerd_of(distribution.state.value, path, strict=strict)
    if strict and confinement is not None:
        return Located.known(runtime, confinement.place.about("strict confinement"))
    if base_dir is not None:
        return Located.known(runtime, base_dir.place.about("this base dir"))
    return Located.known(runtime, replace(distribution.place, subject=None))


def _belong(distribution: Located[str], settings: dict[str, Located[str] | None], says: Says) -> None:
    """Both settings are the k8s snap's own."""
    if isinstance(distribution.state, Unknown) or takes_base_dir(distribution.state.value):
        return
    for name, given in settings.items():
        if given is not None:
            says(name, f"belongs to distribution k8s-snap alone, and this one is {distribution.state.value}")
