"""The NVIDIA driver's kernel modules fit the GPU, and their libraries stay of their version.

There are two flavours of the modules. The open ones run only on GPUs that have a GSP: Turing (T4) and later. On Volta
(V100), Pascal and older they load and take no GPU: `is not supported by open nvidia.ko`. Blackwell (B200, RTX PRO 6000)
and Grace Hopper run with the open ones alone: the proprietary ones say that the GPU `requires use of the NVIDIA open
kernel modules`. A script is judged by the names of the packages that it installs, the operator's values by
`driver.kernelModuleType` and `useOpenKernelModules`. Names that leave the flavour to the release (a runfile's,
`cuda-drivers`) are not judged.

Ubuntu's unattended-upgrades replaces the driver's libraries under a module that stays loaded until the next boot: every
new program then ends with `Driver/library version mismatch`. A script that switches it on beside a driver of packages
holds these packages, or keeps them out by `Package-Blacklist`.
"""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.effects import Runs, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.drivers import RUNFILE, NvidiaPackage, drivers
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.known.drivers import Flavour, flavour_for, flavour_of
from nodeworthy.known.gpus import Gpu, gpu_named
from nodeworthy.patterns import pattern
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Related, Severity, fail, need, skip, unknown

RULE = Rule(
    "driver-fits",
    severity=Severity.ERROR,
    title="The driver's modules are of the flavour that the GPU needs, and its libraries stay of their version",
    remedy="install the flavour that the GPU needs, and hold the driver's packages",
)

_TYPE, _OPEN = "kernelModuleType", "useOpenKernelModules"
_ON = pattern(r'APT::Periodic::Unattended-Upgrade\s+"[1-9]')
_KEPT_OUT = pattern(r"Package-Blacklist[^}]*nvidia|nvidia[^}]*Package-Blacklist")
_WHY = {
    Flavour.OPEN: "the open modules need the GPU's own processor (GSP), which came with Turing: they load, say that "
    "the GPU is not supported by open nvidia.ko, and leave it alone",
    Flavour.PROPRIETARY: "the proprietary modules do not drive it: they load, and say that it requires use of the "
    "NVIDIA open kernel modules",
}


@RULE.check
def the_script_installs_the_flavour(script: BootScript, pool: BootPool) -> Findings:
    gpu = gpu_named(need(pool.pool.gpu)) if pool.pool.gpu is not None else None
    if gpu is None:
        skip(f"{pool.title} has no GPUs")
    for package in drivers(script.timeline):
        flavour = None if package.effect.manager == RUNFILE else flavour_of(package.name)
        wanted = flavour_for(gpu.architecture, gpu.name)
        if flavour is None or wanted is None or flavour is wanted:
            continue
        yield _another_flavour(package, pool, gpu, flavour, wanted)


def _another_flavour(package: NvidiaPackage, pool: BootPool, gpu: Gpu, flavour: Flavour, wanted: Flavour) -> Draft:
    return fail(
        package.place,
        f"the script installs the {flavour} modules for a GPU that runs with the {wanted} ones alone",
        is_=package.name,
        should=f"a package of the {wanted} modules",
        on=pool.title,
        related=[pool.declared(f"has {gpu.name}, which is {gpu.architecture}")],
        cause=_WHY[flavour],
        remedy=f"install the {wanted} flavour of this branch: its packages' names "
        + ("end in -open" if wanted is Flavour.OPEN else "are without -open"),
    )


@RULE.check
def the_operator_builds_the_flavour(values: OperatorValues, pool: GpuPool) -> Findings:
    driver = values.tree.get("driver")
    if not need(values.brings_driver) or (driver.get(_TYPE).is_absent and driver.get(_OPEN).is_absent):
        skip("the operator's values leave the flavour of the modules to the driver, or bring none")
    said = _said_flavour(driver)
    if said is None:
        return
    tree, flavour = said
    for gpu in filter(None, map(gpu_named, dict.fromkeys(_gpus(pool)))):
        wanted = flavour_for(gpu.architecture, gpu.name)
        if wanted is None or wanted is flavour:
            continue
        yield fail(
            tree.located(),
            f"the operator is to build the {flavour} modules for a GPU that runs with the {wanted} ones alone",
            should=f"kernelModuleType: {wanted}, or auto",
            on=pool.title,
            related=[Related(pool.place, f"{pool.title} has {gpu.name}, which is {gpu.architecture}")],
            cause=_WHY[flavour],
            remedy="set driver.kernelModuleType: auto, which looks at the GPU",
        )


def _gpus(pool: GpuPool) -> Iterator[str]:
    told = pool.machines.gpu
    if told is not None and isinstance(told.state, Known):
        yield told.state.value
    yield from pool.machines.gpus_told()


def _said_flavour(driver: Tree) -> tuple[Tree, Flavour] | None:
    """The newer key has the word; `auto` chooses by the GPU."""
    kind, is_open = driver.get(_TYPE), driver.get(_OPEN)
    if kind.text in (Flavour.OPEN, Flavour.PROPRIETARY):
        return kind, Flavour(kind.text)
    if kind.is_absent and is_open.value is True:
        return is_open, Flavour.OPEN
    return None


@RULE.check
def nothing_replaces_its_libraries(script: BootScript) -> Findings:
    installed = [each for each in drivers(script.timeline) if each.effect.manager.startswith("apt")]
    switch = _switch(script.timeline)
    if not installed or switch is None:
        skip("the script does not switch unattended-upgrades on beside a driver of packages")
    if _is_held(script.timeline):
        return
    if hidden := script.timeline.not_understood("apt-mark", "unattended"):
        yield unknown(
            hidden.place, "whether this step keeps the driver's packages from unattended-upgrades is not known"
        )
        return
    yield fail(
        switch.place,
        "unattended-upgrades is switched on, and may replace the driver's libraries under the loaded module",
        is_=switch.path.shown(),
        should=f"apt-mark hold {installed[0].name}, or a Package-Blacklist with nvidia",
        related=[Related(installed[0].place, "the driver is installed here")],
        cause="the module stays the old one until the next boot, and every program that starts after the upgrade ends "
        "with Driver/library version mismatch: the device plugin, and jobs with it",
        remedy="hold the driver's packages (apt-mark hold), or set Unattended-Upgrade::Package-Blacklist "
        '{ "nvidia-"; "libnvidia-"; }',
        severity=Severity.WARNING,
    )


def _switch(timeline: Timeline) -> Writes | None:
    return next((each for each in timeline.of(Writes) if _ON.search(_written(each))), None)


def _is_held(timeline: Timeline) -> bool:
    """By apt itself, or out of what is upgraded."""
    words = (" ".join(argument.shown() for argument in each.arguments) for each in timeline.of(Runs))
    held = any("apt-mark" in line and "hold" in line for line in words)
    return held or any(_KEPT_OUT.search(_written(each)) for each in timeline.of(Writes))


def _written(write: Writes) -> str:
    return write.content.text.shown() if write.content is not None else ""
