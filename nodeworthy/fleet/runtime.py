"""Which runtime kubelet talks to on a pool's nodes: what its distribution and the snap's settings decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nodeworthy.known.containerd import Containerd, containerd_of, takes_base_dir
from nodeworthy.verdict import Known, Located, Unknown

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
    path = base_dir.state.value if base_dir is not None and isinstance(base_dir.state, Known) else None
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
