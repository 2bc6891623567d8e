"""NVIDIA's kernel module on a node's disk, and why a kernel that has cards does not have it loaded."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.facts.node.gpus import HostGpus, NodeSmi, others_have
from nodeworthy.known.chain import link_of_evidence
from nodeworthy.known.evidence import Evidence, in_text
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Known, Place, Related, fail

_SHOWN = 3
_OF_THE_MODULE = ("pci", "bound", "module")
# Another rule's: who holds a card the bus itself shows, and what only a program met is not the module's fault.
_TOLD_OTHERWISE = (
    "nouveau-holds-card",
    "nouveau-loaded",
    "probe-not-called",
    "smi-no-driver",
    "driver-versions-differ",
)


@dataclass(frozen=True)
class NodeModule:
    called: ClassVar[str] = "NVIDIA's module on a node's disk"

    place: Place
    kernel: str
    # Its files for the kernel that runs, and the other kernels that have one.
    here: tuple[str, ...]
    elsewhere: tuple[str, ...]
    secure_boot: bool | None
    # What DKMS says of it.
    built: tuple[str, ...] = ()
    # What the kernel's log says of the driver.
    refused: tuple[str, ...] = ()


def no_card_answers(module: NodeModule, gpus: HostGpus, smi: NodeSmi) -> Draft | None:
    """Why the driver has every card of the bus, and yet none that answers it."""
    there, driven = gpus.there.state, gpus.driven.state
    if not (isinstance(there, Known) and isinstance(driven, Known) and smi.none_answers):
        return None
    if smi.differs or not all(each.address in driven.value for each in there.value):
        return None
    told = [(line, each.evidence) for line in module.refused for each in in_text(line) if not each.evidence.is_symptom]
    of_it = [(line, known) for line, known in told if _is_the_modules(known)]
    line, known = next(iter(of_it or told), ("", None))
    return _draft_of_log_line(module, line, known) if known is not None else None


def module_fault(module: NodeModule, gpus: HostGpus) -> Draft | None:
    """Why it is not loaded, or has left a card alone; None where it has all of them, or nobody knows why."""
    there, driven = gpus.there.state, gpus.driven.state
    if not (isinstance(there, Known) and isinstance(driven, Known)) or others_have(gpus)[0]:
        return None
    if all(each.address in driven.value for each in there.value):
        return None
    return _by_the_kernels_words(module) or (_of_another_kernel(module) if gpus.without_driver else None)


def _by_the_kernels_words(module: NodeModule) -> Draft | None:
    for line in module.refused:
        known = next((each.evidence for each in in_text(line) if _is_the_modules(each.evidence)), None)
        if known is not None:
            return _draft_of_log_line(module, line, known)
    return None


def _is_the_modules(evidence: Evidence) -> bool:
    link = link_of_evidence(evidence.id, evidence.layer)
    return link in _OF_THE_MODULE and evidence.id not in _TOLD_OTHERWISE


def _draft_of_log_line(module: NodeModule, line: str, known: Evidence) -> Draft:
    booted = [Related(module.place, "Secure Boot is on")] if module.secure_boot else []
    return fail(
        module.place.about("kernel log"),
        f"NVIDIA's driver does not have the GPUs: {known.says}",
        is_=line,
        should="the nvidia module, loaded, with every GPU of the bus",
        related=[*booted, *_built(module)],
        cause=known.cause,
        remedy=known.mending,
        link=link_of_evidence(known.id, known.layer),
    )


def _built(module: NodeModule) -> list[Related]:
    return [Related(module.place, f"DKMS says: {each}") for each in module.built[:_SHOWN]]


def _of_another_kernel(module: NodeModule) -> Draft | None:
    """The kernel was updated under the driver, and nobody built it anew."""
    if module.here or not module.elsewhere:
        return None
    return fail(
        module,
        "the running kernel has no nvidia module: it was built for another one",
        is_=f"nvidia.ko for {', '.join(module.elsewhere[:_SHOWN])}",
        should=f"nvidia.ko for {module.kernel}",
        related=_built(module),
        cause="the kernel was updated, and the driver was not built for it: its headers or its compiler were missing, "
        "or the driver is one that nobody builds anew (a runfile, precompiled packages of the old kernel)",
        remedy=f"boot {module.elsewhere[0]} again, or install the headers of {module.kernel} and build the driver: "
        "dkms autoinstall; of precompiled packages install those of this kernel",
        link="module",
    )


def held_by_others(gpus: HostGpus) -> Draft | None:
    """Fails if another driver than NVIDIA's is bound to a card."""
    names, left = others_have(gpus)
    if not names:
        return None
    told = ", ".join(names)
    return fail(
        gpus,
        f"another driver has GPUs of this node: {told}",
        is_=f"{told} has {', '.join(left)}",
        should="nvidia",
        cause="a card has one driver at a time: NVIDIA's loads, finds it taken, and leaves it alone",
        remedy=f"keep {told} off them: blacklist it in /etc/modprobe.d and rebuild the initramfs "
        "(of vfio-pci: undo the binding), then reboot",
        link="bound",
    )


def versions_differ(said: NodeSmi) -> Draft | None:
    """The libraries were replaced under a loaded module."""
    if not said.differs:
        return None
    return fail(
        said,
        "the driver's libraries are not of the version of the loaded module",
        is_=said.differs,
        should="both of one version",
        cause="a package of the driver was updated (unattended-upgrades does so by itself), and the module stays the "
        "old one until it is loaded anew: every program that starts now ends with this error",
        remedy="drain the node and reboot it, which loads the new module; hold the packages: apt-mark hold "
        "'nvidia-*' 'libnvidia-*'",
        link="userland",
    )
