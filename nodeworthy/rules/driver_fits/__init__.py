"""The NVIDIA driver's kernel modules fit the GPU, and their libraries stay of their version.

There are two flavours of the modules. The open ones run only on GPUs that have a GSP: Turing (T4) and later. On Volta
(V100), Pascal and older they load and take no GPU: `is not supported by open nvidia.ko`. Blackwell (B200, RTX PRO 6000)
and Grace Hopper run with the open ones alone: the proprietary ones say that the GPU `requires use of the NVIDIA open
kernel modules`. A script is judged by the names of the packages that it installs, the operator's values by
`driver.kernelModuleType` and `useOpenKernelModules`. Names that leave the flavour to the release (a runfile's,
`cuda-drivers`) are not judged. Branch 580 is the last that drives Volta and older, 470 the last for Kepler: a younger
one, or `latest`, ignores the GPU. Nor does one drive a GPU that came after it: 470 no H100. The operator's is read
from `driver.version`.

Ubuntu's unattended-upgrades replaces the driver's libraries under a module that stays loaded until the next boot: every
new program then ends with `Driver/library version mismatch`. A script that switches it on beside a driver of packages
holds these packages, or keeps them out by `Package-Blacklist`.

NVIDIA's installer builds the module for the kernel that runs. A script that upgrades all packages as well leaves a
newer kernel behind, which the next boot takes and for which there is no module: with `--dkms` it is built for each.

Talos gets its driver as extensions of its image: the modules, and the libraries with nvidia-container-toolkit. Both
are published as `-lts` and as `-production`, which are two versions: an image has them of one, and both of them. Which
flavour an image has, its extension's name says; it is compared with what a machine config beside it says of the card.

On a node the bus shows whether another driver (nouveau, vfio-pci) has the cards; the kernel's log, why it refused the
module (Secure Boot, another kernel's build, a flavour that does not drive the card); the disk, whether the running
kernel has a module at all; and nvidia-smi, whether its libraries are of the loaded module's version.
"""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.driver_flavour import DriverBranch, DriverFlavour
from nodeworthy.known.drivers import Flavour, first_branch, flavour_for, last_branch
from nodeworthy.known.gpus import gpu_named
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Related, Severity, fail, need, skip, value_if_known

RULE = Rule(
    "driver-fits",
    severity=Severity.ERROR,
    title="The driver's modules are of the flavour that the GPU needs, and its libraries stay of their version",
    remedy="install the flavour that the GPU needs, and hold the driver's packages",
)

# By which GPU feature discovery tells nodes apart, and people before it.
PRODUCT = "nvidia.com/gpu.product"
WHY = {
    Flavour.OPEN: "the open modules need the GPU's own processor (GSP), which came with Turing: they load, say that "
    "the GPU is not supported by open nvidia.ko, and leave it alone",
    Flavour.PROPRIETARY: "the proprietary modules do not drive it: they load, and say that it requires use of the "
    "NVIDIA open kernel modules",
}

_NO_GPU = "its module loads and takes no GPU that it does not know: nvidia-smi finds none"


@RULE.check
def the_operator_builds_the_flavour(said: DriverFlavour, pool: GpuPool) -> Findings:
    if not need(said.values.brings_driver):
        skip("the operator brings no driver")
    need(said.tree.located())
    flavour, named = said.flavour, list(dict.fromkeys(gpus_of_pool(pool)))
    if not named:
        skip(f"which GPUs {pool.title} has nobody says")
    for gpu in filter(None, map(gpu_named, named)):
        wanted = flavour_for(gpu.architecture, gpu.name)
        if flavour is None or wanted is None or wanted is flavour:
            continue
        yield fail(
            said.tree.located(),
            f"the operator is to build the {flavour} modules for a GPU that runs with the {wanted} ones alone",
            should=f"kernelModuleType: {wanted}, or auto",
            on=pool.title,
            related=[Related(pool.place, f"{pool.title} has {gpu.name}, which is {gpu.architecture}")],
            cause=WHY[flavour],
            remedy="set driver.kernelModuleType: auto, which looks at the GPU",
        )


@RULE.check
def the_operator_builds_a_branch_that_drives_it(said: DriverBranch, pool: GpuPool) -> Findings:
    if not need(said.values.brings_driver):
        skip("the operator brings no driver")
    need(said.tree.located())
    named = list(dict.fromkeys(gpus_of_pool(pool)))
    if said.branch is None or not named:
        skip(f"which branch it is, or which GPUs {pool.title} has, nobody says")
    for gpu in filter(None, map(gpu_named, named)):
        first, last = first_branch(gpu.architecture), last_branch(gpu.architecture)
        if (first is None or said.branch >= first) and (last is None or said.branch <= last):
            continue
        is_old = first is not None and said.branch < first
        yield fail(
            said.tree.located(),
            f"the operator's driver is of a branch that {'is older than' if is_old else 'no longer drives'} the GPU",
            should=f"branch {first} or later" if is_old else f"branch {last}, the last one that does",
            on=pool.title,
            related=[Related(pool.place, f"{pool.title} has {gpu.name}, which is {gpu.architecture}")],
            severity=pool.severity,
            cause=_NO_GPU,
            remedy="leave driver.version out, and the chart takes one that it was tested with"
            if is_old
            else f"set driver.version to a release of branch {last}",
        )


def gpus_of_pool(pool: GpuPool) -> Iterator[str]:
    for told in (pool.gpu, pool.machines.gpu):
        if (gpu := value_if_known(told)) is not None:
            yield gpu
    product = pool.machines.labels.get(PRODUCT)
    if product is not None and (gpu := value_if_known(product)) is not None:
        yield gpu
    yield from pool.machines.gpus_told()
