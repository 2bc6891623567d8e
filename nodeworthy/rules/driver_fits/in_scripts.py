"""Which flavour and branch of the driver a boot script installs, and whether its libraries stay of its version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.effects import Runs, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.node_types import instance_types
from nodeworthy.facts.boot.drivers import RUNFILE, NvidiaPackage, drivers
from nodeworthy.facts.boot.kernel_left_behind import by_installer, kernel_left_behind, module_of_one_kernel
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.known.drivers import Flavour, first_branch, flavour_for, flavour_of, last_branch, newest_branch
from nodeworthy.known.gpus import Gpu, gpu_named
from nodeworthy.known.instances import gpus_of
from nodeworthy.patterns import pattern
from nodeworthy.rules.driver_fits import RULE, WHY
from nodeworthy.verdict import (
    Draft,
    Findings,
    Located,
    Related,
    Severity,
    fail,
    need,
    skip,
    unknown,
    value_if_known,
)

_ON = pattern(r'APT::Periodic::Unattended-Upgrade\s+"[1-9]')
_IN_ITS_NAME = pattern(r"nvidia-(?:driver|dkms|headless(?:-no-dkms)?)-(\d{3})(?:-server)?(?:-open)?(?:=.*)?")
_KEPT_OUT = pattern(r"Package-Blacklist[^}]*nvidia|nvidia[^}]*Package-Blacklist")


@RULE.check
def the_script_installs_the_flavour(script: BootScript, pool: BootPool) -> Findings:
    gpu = gpu_named(need(pool.pool.gpu)) if pool.pool.gpu is not None else None
    if gpu is None:
        skip(f"{pool.title} has no GPUs")
    said = pool.declared(f"has {gpu.name}, which is {gpu.architecture}")
    yield from _that_does_not_drive(script, gpu, pool.title, said)


@RULE.check
def it_installs_that_of_what_a_stack_starts(script: BootScript, groups: Sequence[NodeGroup]) -> Findings:
    """Where no fleet says which nodes boot with it, the group does that hands it to its machines."""
    if script.pools or not script.holder:
        skip("it is of a declared pool, or no resource of a stack hands it to its machines")
    if not drivers(script.timeline):
        skip("it installs no driver")
    for nodes in (each for each in groups if each.template is not None and each.template.urn == script.holder):
        found = [(said, gpu) for said in instance_types(nodes) if (gpu := _gpu_of(said)) is not None]
        if found and len({gpu.name for _, gpu in found}) == 1 and len(found) == len(instance_types(nodes)):
            said, gpu = found[0]
            says = Related(said.place, f"{nodes.title} has {gpu.name}, which is {gpu.architecture}")
            yield from _that_does_not_drive(script, gpu, nodes.title, says)
            return
    skip("which GPU its machines have is not known")


def _gpu_of(said: Located[str | None]) -> Gpu | None:
    kind = value_if_known(said)
    has = gpus_of(kind or "")
    return gpu_named(has.gpu) if has is not None else None


def _that_does_not_drive(script: BootScript, gpu: Gpu, title: str, said: Related) -> Iterator[Draft]:
    for package in drivers(script.timeline):
        flavour = None if package.effect.manager == RUNFILE else flavour_of(package.name)
        wanted = flavour_for(gpu.architecture, gpu.name)
        if flavour is not None and wanted is not None and flavour is not wanted:
            yield _another_flavour(package, flavour, wanted).with_more(on=title, related=[said])
            continue
        branch, last = _branch(package), last_branch(gpu.architecture)
        if branch is not None and last is not None and branch > last:
            yield _newer_branch(package, gpu, last).with_more(on=title, related=[said])
            continue
        named, first = _named_branch(package), first_branch(gpu.architecture)
        if named is not None and first is not None and named < first:
            yield _older_branch(package, gpu, first).with_more(on=title, related=[said])


def _branch(package: NvidiaPackage) -> int | None:
    """At least which one it is; None where the script does not say it."""
    said = package.version.split(".")[0]
    return int(said) if said.isdigit() else newest_branch(package.name)


def _newer_branch(package: NvidiaPackage, gpu: Gpu, last: int) -> Draft:
    return fail(
        package.place,
        f"the script installs a driver of a branch that does not drive {gpu.architecture} any more",
        is_=package.name,
        should=f"branch {last}, the last one that does",
        cause="its module finds no GPU: the kernel's log says that the GPU is `supported through the NVIDIA "
        f"{last}.xx Legacy drivers`, and that this one `will ignore this GPU`",
        remedy=f"install branch {last} by its number",
    )


def _named_branch(package: NvidiaPackage) -> int | None:
    """By its version, or by its name: `nvidia-driver-470-server`."""
    said = package.version.split(".")[0]
    if said.isdigit():
        return int(said)
    found = _IN_ITS_NAME.fullmatch(package.name)
    return int(found[1]) if found is not None else None


def _older_branch(package: NvidiaPackage, gpu: Gpu, first: int) -> Draft:
    return fail(
        package.place,
        f"the script installs a driver of a branch that is older than {gpu.name}",
        is_=package.name,
        should=f"branch {first} or later",
        cause="its module loads and takes no GPU that it does not know: nvidia-smi finds none",
        remedy="install a branch that NVIDIA still maintains",
    )


def _another_flavour(package: NvidiaPackage, flavour: Flavour, wanted: Flavour) -> Draft:
    return fail(
        package.place,
        f"the script installs the {flavour} modules for a GPU that runs with the {wanted} ones alone",
        is_=package.name,
        should=f"a package of the {wanted} modules",
        cause=WHY[flavour],
        remedy=f"install the {wanted} flavour of this branch: its packages' names "
        + ("end in -open" if wanted is Flavour.OPEN else "are without -open"),
    )


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


@RULE.check
def its_module_is_built_for_the_next_kernel(script: BootScript) -> Findings:
    if not by_installer(script.timeline):
        skip("NVIDIA's installer brings no driver here")
    found = kernel_left_behind(script.timeline)
    if found is None:
        driver = module_of_one_kernel(script)
        if driver is not None:
            yield _gone_with_the_next_kernel(driver)
        return
    yield fail(
        found.driver.place,
        "the driver's module is built for the running kernel alone, and the script upgrades the kernel",
        is_=f"{found.driver.name} without --dkms",
        should="--dkms (and the package dkms), or the kernel's packages held",
        related=[Related(found.upgrade.place, "all packages are upgraded here, those of the kernel, too")],
        cause="the next boot takes the new kernel, for which nobody has built the module: modprobe finds no nvidia in "
        "/lib/modules, and nvidia-smi does not reach the driver",
        remedy="install dkms and the headers of the kernels to come (linux-headers-generic, -aws, -gcp, -azure), and "
        "give the installer --dkms; or restart the machine behind the upgrade and install the driver then; or "
        "apt-mark hold the kernel's packages before the upgrade",
        severity=Severity.WARNING,
    )


def _gone_with_the_next_kernel(driver: NvidiaPackage) -> Draft:
    return fail(
        driver.place,
        "the driver's module is built for the running kernel alone: the next one that apt installs has none",
        is_=f"{driver.name} without --dkms",
        should="--dkms, and the package dkms before it",
        cause="unattended-upgrades, which Ubuntu has on, brings the next security update's kernel, for which nobody "
        "builds the module: behind the restart nvidia-smi does not reach the driver",
        remedy="apt install dkms, and give the installer --dkms; or apt-mark hold the kernel's packages",
        severity=Severity.WARNING,
    )


def _switch(timeline: Timeline) -> Writes | None:
    return next((each for each in timeline.of(Writes) if _ON.search(_content_shown(each))), None)


def _is_held(timeline: Timeline) -> bool:
    """Whether the package is held, by apt itself or because it is left out of upgrades."""
    words = (" ".join(argument.shown() for argument in each.arguments) for each in timeline.of(Runs))
    held = any("apt-mark" in line and "hold" in line for line in words)
    return held or any(_KEPT_OUT.search(_content_shown(each)) for each in timeline.of(Writes))


def _content_shown(write: Writes) -> str:
    return write.content.text.shown() if write.content is not None else ""
