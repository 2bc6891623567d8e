"""NVIDIA's driver on a node: whether it is loaded, and the profiling option as the loaded module has it, against what
stands in the files."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.fleet.model import Driver
from nodeworthy.known.profiling import loaded_parameter, option
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Known, Located, Place, Related, Unknown, fail, skip

CMDLINE = "/proc/cmdline"
AGAIN = "drain the node and reboot it"


@dataclass(frozen=True)
class OptionLine:
    """A line of a file of modprobe, or an option of the kernel's command line."""

    place: Place
    path: str
    text: str

    def related(self) -> Related:
        return Related(self.place, f"{self.path} has: {self.text}")


@dataclass(frozen=True)
class NodeDriver:
    called: ClassVar[str] = "a node's driver"

    place: Place
    is_loaded: Located[bool]
    version: Located[str]
    # RmProfilingAdminOnly, as the loaded module has it.
    admin_only: Located[str]
    options: tuple[OptionLine, ...]
    # Why what modprobe is told was not read; None where it was.
    options_unread: str | None

    @property
    def is_off(self) -> bool:
        """Whether it is surely not loaded: without the right to list modules, one still sees that its folder is not
        there."""
        unread = (self.is_loaded.state, self.version.state, self.admin_only.state)
        return self.is_loaded.state == Known(False) or all(isinstance(each, Unknown) for each in unread)

    def only_loaded(self) -> None:
        """Skips where it is not loaded: that is told once, by the count of GPUs that it has."""
        if self.is_loaded.state == Known(False):
            skip("the nvidia module is not loaded, which gpu-count-complete judges")


def lost_at_the_next_boot(driver: NodeDriver, identity: NodeIdentity) -> Draft | None:
    """A right value that nothing on disk sets any more. What an operator's container gives the module is not there."""
    said = _lines_with_the_option(driver)
    if not said or any(_sets_it(each) for each in said) or _is_the_operators(identity):
        return None
    last = said[-1]
    return fail(
        last.place,
        "the loaded module has the profiling option, and will not after the next boot",
        is_=f"{last.path}: {last.text}",
        should=option().line,
        related=[each.related() for each in said[:-1]],
        cause="a boot loads the module anew, with what then stands on disk",
        remedy=f"write `{option().line}` instead; the module that is loaded needs nothing",
    )


def option_draft(driver: NodeDriver, identity: NodeIdentity, cause: str) -> Draft:
    said = _lines_with_the_option(driver)
    right = [each for each in said if _sets_it(each)]
    message, why, remedy = _story(identity, said, right)
    return fail(
        driver.admin_only,
        message,
        is_=f"{loaded_parameter()}: {driver.admin_only.shown()}",
        should=f"{loaded_parameter()}: {option().value}",
        related=[each.related() for each in said],
        cause=f"{why}; {cause}" if why else cause,
        remedy=remedy,
    )


def _story(identity: NodeIdentity, said: list[OptionLine], right: list[OptionLine]) -> tuple[str, str, str]:
    if right and len(right) == len(said):
        return _not_taken(right)
    if right:
        return "files of modprobe contradict each other about the profiling option", "", f"keep one, and {AGAIN}"
    if said:
        return "the profiling option is not right on disk", "", f"write `{option().line}` instead, and {AGAIN}"
    if _is_the_operators(identity):
        remedy = (
            f"set driver.kernelModuleConfig of the operator to a ConfigMap whose nvidia.conf has {option().assignment}"
        )
    else:
        remedy = f"write `{option().line}` into /etc/modprobe.d/nvprof.conf, and {AGAIN}"
    return "the driver was loaded without the profiling option, which is in no file of modprobe", "", remedy


def _not_taken(right: list[OptionLine]) -> tuple[str, str, str]:
    file = next((each.path for each in right if each.path != CMDLINE), None)
    if file is None:
        return (
            "the profiling option is on the kernel's command line, and the loaded module does not have it",
            "the module was loaded with another value, or not by modprobe, which alone reads that line",
            f"{AGAIN}; let nothing but modprobe load the driver",
        )
    return (
        "the profiling option is on disk, and the loaded module does not have it",
        f"the module was loaded before {file} was written, or from an initramfs without it",
        f"{AGAIN}; in the boot script, write the file before anything loads the driver",
    )


def _lines_with_the_option(driver: NodeDriver) -> list[OptionLine]:
    return [each for each in driver.options if option().name in each.text]


def _is_the_operators(identity: NodeIdentity) -> bool:
    return identity.known_pool is not None and identity.known_pool.driver is Driver.OPERATOR


def _sets_it(line: OptionLine) -> bool:
    words = line.text.split()
    return option().kernel in words or (words[:2] == ["options", option().module] and option().assignment in words)
