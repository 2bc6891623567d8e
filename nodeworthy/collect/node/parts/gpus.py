"""What a node shows of its GPUs: the devices on its buses, NVIDIA's module, and what nvidia-smi -q printed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from nodeworthy.collect.node.parts.units import lines, older, printed_value, rows, units
from nodeworthy.collect.node.recording import Recording
from nodeworthy.facts.node.driver import NodeDriver, OptionLine
from nodeworthy.facts.node.efa import NodeEfa
from nodeworthy.facts.node.fabric import NodeFabric
from nodeworthy.facts.node.gpus import AMAZON, Device, GpuLinks, HostGpus, LostGpu, NodeSmi, SaidGpu
from nodeworthy.facts.node.kernel_log import same_gpu
from nodeworthy.facts.node.module import NodeModule
from nodeworthy.known.profiling import loaded_parameter
from nodeworthy.patterns import pattern
from nodeworthy.scene import Missing
from nodeworthy.verdict import Known, Located, Place, Unknown

_PLACE, _BUS = "PCI bus", "the PCI bus"


def gpus(recording: Recording, host: Place) -> HostGpus | Missing:
    there = _on_the_bus(recording, host, lambda each: each.is_gpu)
    if there is None:
        return older(_BUS, host.about(_PLACE))
    module = driver(recording, host)
    return HostGpus(
        place=there.place,
        there=there,
        driven=_driven(recording, host),
        without_driver=isinstance(module, NodeDriver) and module.is_off,
    )


def efa(recording: Recording, host: Place) -> NodeEfa | Missing:
    place = host.about("EFA")
    there = _on_the_bus(recording, host, lambda each: each.is_efa)
    return NodeEfa(place, there, _offered(recording, host)) if there is not None else older(_BUS, place)


def _on_the_bus(
    recording: Recording, host: Place, is_meant: Callable[[Device], bool]
) -> Located[tuple[Device, ...]] | None:
    return rows(recording, "bus", host.about(_PLACE), _BUS, lambda line: _device_if(line, is_meant))


def _driven(recording: Recording, host: Place) -> Located[tuple[str, ...]]:
    place = host.about("/proc/driver/nvidia/gpus")
    part = recording.part("driven")
    if part is not None and (part.code, part.stderr) == (1, ""):  # there is no such folder
        return Located.known((), place)
    found = rows(recording, "driven", place, "which GPUs the driver has", lambda line: line.strip() or None)
    return found or Located.unknown("which GPUs the driver has was not read", place)


def _offered(recording: Recording, host: Place) -> Located[tuple[str, ...]]:
    place = host.about("/sys/class/infiniband")
    found = rows(recording, "rdma", place, "which EFA interfaces the kernel offers", _amazons)
    return found or Located.unknown("which EFA interfaces the kernel offers was not read", place)


def _amazons(line: str) -> str | None:
    words = line.split()
    return words[0] if words[1:] == [AMAZON] else None


def _device_if(line: str, is_meant: Callable[[Device], bool]) -> Device | None:
    found = _device(line)
    return found if found is not None and is_meant(found) else None


# A node has a hundred, each is asked for three times, and nodes of a pool have the same.
@lru_cache(maxsize=4096)
def _device(line: str) -> Device | None:
    words = line.split()
    return Device(words[0], words[1], words[2], words[3], "".join(words[4:5])) if len(words) >= 4 else None


_PART = "nvidia-smi"
_UNASKED = "unasked:"
# "GPU0000:CA:00.0: Unknown Error", "GPU 0000:CA:00.0: GPU is lost.  Reboot the system to recover this GPU".
_NO_HANDLE = pattern(r"Unable to determine the device handle for GPU ?(?P<gpu>[0-9A-Fa-f:.]+): (?P<why>.*)")
_GPU = pattern(r"GPU (?P<gpu>[0-9A-Fa-f]+:[0-9A-Fa-f]+:[0-9A-Fa-f]+\.[0-9A-Fa-f])\s*")
_LOST = "GPU is lost"
_BROKEN = ("No devices", "Failed to initialize", "communicate with")
_UNCORRECTABLE = "Uncorrectable"
# Behind all else it warns that the "infoROM is corrupted at gpu 0000:3B:00.0".
_INFOROM = pattern(r"infoROM is corrupted at gpu (?P<gpu>[0-9A-Fa-f:.]+)")
_WARNED = 14
_DIFFERS = "Driver/library version mismatch"
# A line for each GPU, "GPU 0: NVIDIA H100 80GB HBM3 (UUID: …)", and below it one for each link, "Link 4: <inactive>".
_NAMED = pattern(r"GPU (?P<number>\d{1,4}):")
_LINK = pattern(r"Link \d{1,3}: (?P<state>.*)")
_OF_DRIVER = pattern(r"NVRM: (?!Xid)|nvidia|nouveau|Lockdown|Loading of (?:unsigned )?module")
_NOTHING = ("None", "N/A", "Not Supported", "Unknown Error")


def smi(recording: Recording, host: Place) -> NodeSmi | Missing:
    part, place = recording.part(_PART), host.about("nvidia-smi -q")
    if part is None:
        return Missing("nvidia-smi was not asked: NVIDIA's driver is not loaded", place=place)
    if part.stdout.startswith(_UNASKED):
        return Missing(f"nvidia-smi was not asked: {part.stdout.removeprefix(_UNASKED).strip()}", place=place)
    lost = [LostGpu(found["gpu"], found[0].strip()) for found in _NO_HANDLE.finditer(part.stdout)]
    told: list[SaidGpu] = []
    for address, said in _blocks(part.stdout.splitlines()):
        if any(_LOST in line for line in said):
            lost.append(LostGpu(address, next(line.strip() for line in said if _LOST in line)))
        else:
            told.append(_gpu(address, said))
    broken = {found["gpu"].lower() for found in _INFOROM.finditer(part.stdout)}
    marked = (replace(each, inforom_broken=any(same_gpu(each.address, gpu) for gpu in broken)) for each in told)
    said_by_it = Located.known(tuple(marked), place)
    # Over an infoROM it ends with 14, and has said everything.
    if not lost and (part.code not in (0, _WARNED) or not told):
        why = next((line for line in lines(recording, _PART) if any(each in line for each in _BROKEN)), part.why)
        said_by_it = Located.unknown(f"what the driver says of its GPUs could not be read: {why}", place)
    differs = next((line for line in lines(recording, _PART) if _DIFFERS in line), "")
    return NodeSmi(place, said_by_it, tuple(lost), differs, _links(recording, host))


def _links(recording: Recording, host: Place) -> Located[tuple[GpuLinks, ...]] | None:
    place = host.about("nvidia-smi nvlink --status")
    said = printed_value(recording, "nvlink", place, "the state of the NVLinks")
    if said is None:
        return None
    if isinstance(said.state, Unknown):
        return Located(said.state, place)
    found: dict[str, list[bool]] = {}
    for line in said.state.value.splitlines():
        named, link = _NAMED.match(line), _LINK.search(line)
        if named is not None:
            found[named["number"]] = []
        elif link is not None and found:
            found[next(reversed(found))].append("inactive" in link["state"])
    return Located.known(tuple(_counted(gpu, links) for gpu, links in found.items() if links), place)


def _counted(gpu: str, down: Sequence[bool]) -> GpuLinks:
    return GpuLinks(gpu, len(down), tuple(number for number, is_down in enumerate(down) if is_down))


def _blocks(said: Sequence[str]) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in said:
        named = _GPU.fullmatch(line)
        if named is not None:
            found.append((named["gpu"], []))
        elif found and line.startswith(" "):
            found[-1][1].append(line)
    return found


def _gpu(address: str, said: Sequence[str]) -> SaidGpu:
    values = _values(said)
    ecc = (
        (name.rpartition("/")[2], value) for name, value in values.items() if name.startswith("ECC Errors/Volatile/")
    )
    counted = tuple((name, int(value)) for name, value in ecc if _UNCORRECTABLE in name and value[:18].isdecimal())
    return SaidGpu(
        address,
        fabric_state=_empty_if_unsupported(values.get("Fabric/State", "")),
        fabric_status=_empty_if_unsupported(values.get("Fabric/Status", "")),
        uncorrectable=tuple((name, count) for name, count in counted if count),
        remap_pending=values.get("Remapped Rows/Pending") == "Yes",
        remap_failed=values.get("Remapped Rows/Remapping Failure Occurred") == "Yes",
        wants="" if (wanted := values.get("GPU Recovery Action", "None")) in _NOTHING else wanted,
    )


def _empty_if_unsupported(value: str) -> str:
    return "" if value in ("N/A", "Not Supported") else value


def _values(said: Sequence[str]) -> Mapping[str, str]:
    """The values by the headings that each stands below."""
    values: dict[str, str] = {}
    above: list[tuple[int, str]] = []
    for line in said:
        indent = len(line) - len(line.lstrip())
        name, assigned, value = (each.strip() for each in line.partition(" : "))
        while above and above[-1][0] >= indent:
            above.pop()
        if assigned:
            values["/".join((*(each for _, each in above), name))] = value
        else:
            above.append((indent, name.removesuffix(":").strip()))
    return values


def module(recording: Recording, host: Place) -> NodeModule | Missing:
    place = host.about("/lib/modules")
    if recording.part("on disk") is None:
        return older("which kernels have NVIDIA's module", place)
    said = [line.split(maxsplit=2) for line in lines(recording, "on disk")]
    kernel = next((words[1] for words in said if words[0] == "kernel" and len(words) > 1), "")
    files = [(words[1], words[2]) for words in said if words[0] == "module" and len(words) == 3]
    secure = next((words[1] for words in said if words[0] == "secure-boot" and len(words) > 1), None)
    return NodeModule(
        place,
        kernel,
        here=tuple(file for one, file in files if one == kernel),
        elsewhere=tuple(one for one, _ in files if one != kernel),
        secure_boot=secure == "1" if secure is not None else None,
        built=tuple(" ".join(words[1:]) for words in said if words[0] == "dkms"),
        refused=tuple(line for line in lines(recording, "kernel log") if _OF_DRIVER.search(line)),
    )


# `NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024`, or the open one:
# `NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.172.08  Release Build`.
_VERSION = pattern(r"^NVRM version:.*?\s(\d+\.\d+(?:\.\d+)?)\s", re.MULTILINE)
_FABRIC = pattern(r"(\d+\.\d+(?:\.\d+)?)")
NOT_LOADED = "the nvidia module is not loaded"


def driver(recording: Recording, host: Place) -> NodeDriver | Missing:
    place = host.about("NVIDIA's driver")
    if recording.part("params") is None:
        return older("what the loaded driver shows", place)
    is_loaded = _is_loaded(recording, host)
    return NodeDriver(
        place=place,
        is_loaded=is_loaded,
        version=_matched_value(recording, "driver", _VERSION, host.about("/proc/driver/nvidia/version"), is_loaded),
        admin_only=_matched_value(
            recording, "params", _parameter(), host.about(f"/proc/driver/nvidia/params {loaded_parameter()}"), is_loaded
        ),
        options=tuple(_option(line, host) for line in lines(recording, "options") if ":" in line),
        options_unread=_unread(recording),
    )


def fabric(recording: Recording, host: Place) -> NodeFabric:
    place = host.about("fabric manager")
    switches = _on_the_bus(recording, host, lambda each: each.is_switch)
    age = lines(recording, "fabric age")
    return NodeFabric(
        place=place,
        units=units(recording, "fabric", host),
        elsewhere=tuple(lines(recording, "fabric elsewhere")),
        version=_version(recording, host.about("nv-fabricmanager --version")),
        age=int(age[0]) if age and age[0].isdecimal() and len(age[0]) < 12 else None,
        switches=switches or Located.unknown(f"{_BUS} was not read", place),
    )


def _unread(recording: Recording) -> str | None:
    part = recording.part("options")
    if part is None:
        return "the recording has nothing of it"
    return f"reading it ended with {part.code}" if part.code != 0 else None


def _is_loaded(recording: Recording, host: Place) -> Located[bool]:
    place = host.about("/proc/modules")
    said = printed_value(recording, "modules", place, "which modules are loaded")
    if said is None or isinstance(said.state, Unknown):
        # A kernel without modules has the driver's own folder all the same.
        there = [part for name in ("params", "driver") if (part := recording.part(name)) and part.code == 0]
        why = said.state.why if said is not None and isinstance(said.state, Unknown) else "it was not read"
        return Located.known(True, place) if there else Located.unknown(why, place)
    names = {line.split()[0] for line in said.state.value.splitlines() if line.strip()}
    return Located.known(
        "nvidia" in names or bool(recording.part("driver") and recording.by_name["driver"].stdout), place
    )


def _parameter() -> re.Pattern[str]:
    return re.compile(rf"^{loaded_parameter()}:\s*(\d+)\s*$", re.MULTILINE)


def _matched_value(
    recording: Recording, name: str, pattern: re.Pattern[str], place: Place, is_loaded: Located[bool]
) -> Located[str]:
    if is_loaded.state == Known(False):
        return Located.unknown(NOT_LOADED, place)
    said = printed_value(recording, name, place, str(place.subject))
    if said is None or isinstance(said.state, Unknown):
        return said if said is not None else Located.unknown("it was not read", place)
    found = pattern.search(said.state.value + "\n")
    return Located.known(found[1], place) if found else Located.unknown(f"{place.subject} does not say it", place)


def _option(line: str, host: Place) -> OptionLine:
    path, _, text = line.partition(":")
    return OptionLine(host.about(path), path, " ".join(text.split()))


def _version(recording: Recording, place: Place) -> Located[str]:
    said = printed_value(recording, "fabric version", place, "fabric manager's version")
    if said is None:
        return Located.unknown("fabric manager's version was not read: nv-fabricmanager is not on the PATH", place)
    if isinstance(said.state, Unknown):
        return said
    found = _FABRIC.search(said.state.value)
    return (
        Located.known(found[1], place) if found else Located.unknown("fabric manager does not say its version", place)
    )
