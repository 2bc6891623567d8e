"""The extensions that an image of Talos is made with: all of one branch of the driver, and of the GPU's flavour."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.talos import TALOS
from nodeworthy.facts.fleet.talos_extensions import TOOLKIT, NvidiaExtensions
from nodeworthy.known.drivers import Flavour, flavour_for
from nodeworthy.known.gpus import gpu_named
from nodeworthy.rules.driver_fits import RULE, WHY, gpus_of_pool
from nodeworthy.verdict import Findings, Known, Related, fail, skip

_FLAVOURS = {
    "nonfree-kmod-nvidia": Flavour.PROPRIETARY,
    "nvidia-open-gpu-kernel-modules": Flavour.OPEN,
}
_OF_FLAVOUR = {flavour: kind for kind, flavour in _FLAVOURS.items()}


@RULE.check
def they_drive_the_gpus(
    extensions: NvidiaExtensions, images: Sequence[NvidiaExtensions], pools: Sequence[GpuPool]
) -> Findings:
    """Of two images nobody says which is for which machine, nor of two GPUs."""
    first = extensions.modules
    if first is None:
        skip("it has no modules")
    of_talos = [each for each in pools if each.distribution.state == Known(TALOS)]
    told = {gpu.name: (gpu, pool) for pool in of_talos for each in gpus_of_pool(pool) if (gpu := gpu_named(each))}
    if len({each.modules.kind for each in images if each.modules is not None}) != 1 or len(told) != 1:
        skip("which modules are for which GPU nobody says")
    [(gpu, pool)] = told.values()
    wanted = flavour_for(gpu.architecture, gpu.name)
    if wanted is None or _FLAVOURS[first.kind] is wanted:
        return
    yield fail(
        first.tree.located(),
        f"the image has the {_FLAVOURS[first.kind]} modules, and its GPU runs with the {wanted} ones alone",
        is_=first.tree.string,
        should=f"siderolabs/{_OF_FLAVOUR[wanted]}-{first.branch}",
        on=pool.title,
        related=[Related(pool.place, f"{pool.title} has {gpu.name}, which is {gpu.architecture}")],
        cause=WHY[_FLAVOURS[first.kind]],
        remedy=f"name siderolabs/{_OF_FLAVOUR[wanted]}-{first.branch} and make the image anew",
    )


@RULE.check
def they_are_of_one_branch(extensions: NvidiaExtensions) -> Findings:
    modules = extensions.modules
    if modules is None:
        yield from _without_any(extensions)
        return
    for each in extensions.every:
        if each.branch != modules.branch and not each.holds_modules:
            yield fail(
                each.tree.located(),
                f"the image has {each.kind} of the branch {each.branch}, and modules of {modules.branch}",
                is_=each.tree.string,
                should=f"{each.kind}-{modules.branch}",
                related=[Related(modules.tree.place, f"the modules are {modules.tree.string}")],
                cause="each branch has a version of the driver of its own, and the libraries of one do not talk to the "
                "module of another: `Driver/library version mismatch`, and the node offers no GPU",
                remedy="name both with the same ending, -lts or -production, and make the image anew",
            )


def _without_any(extensions: NvidiaExtensions) -> Findings:
    """The toolkit's extension brings the driver's libraries; modules come from another one, and from nowhere else."""
    toolkit = next((each for each in extensions.every if each.kind == TOOLKIT), None)
    if toolkit is None or not extensions.is_whole:
        skip("no modules of a branch are among them, and what they are for is not said here")
    yield fail(
        toolkit.tree.located(),
        "the image has the driver's libraries and none of its modules",
        is_=f"{toolkit.tree.string} alone",
        should=f"siderolabs/{_OF_FLAVOUR[Flavour.OPEN]}-{toolkit.branch} beside it, or "
        f"{_OF_FLAVOUR[Flavour.PROPRIETARY]}-{toolkit.branch} for GPUs before Turing",
        cause="no module drives the GPU, and the operator can bring none, for the root of Talos is read-only",
        remedy="name the extension with the modules, too, and make the image anew",
    )
