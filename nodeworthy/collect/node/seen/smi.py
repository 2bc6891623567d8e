"""What nvidia-smi -q printed: a block for each GPU, and a line of its own for one that does not answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.seen.parts import lines
from nodeworthy.facts.node.smi import LostGpu, NodeSmi, SaidGpu
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Located, Place

_PART = "nvidia-smi"
_UNASKED = "unasked:"
# "GPU0000:CA:00.0: Unknown Error", "GPU 0000:CA:00.0: GPU is lost.  Reboot the system to recover this GPU".
_NO_HANDLE = pattern(r"Unable to determine the device handle for GPU ?(?P<gpu>[0-9A-Fa-f:.]+): (?P<why>.*)")
_GPU = pattern(r"GPU (?P<gpu>[0-9A-Fa-f]+:[0-9A-Fa-f]+:[0-9A-Fa-f]+\.[0-9A-Fa-f])\s*")
_LOST = "GPU is lost"
_BROKEN = ("No devices", "Failed to initialize", "communicate with")
_UNCORRECTABLE = "Uncorrectable"


def smi(recording: Recording, host: Place) -> NodeSmi | None:
    """None where it was not asked: the driver is not loaded, it is not there, or nothing has the GPUs open."""
    part = recording.part(_PART)
    if part is None or part.stdout.startswith(_UNASKED):
        return None
    place = host.about("nvidia-smi -q")
    lost = [LostGpu(found["gpu"], found[0].strip()) for found in _NO_HANDLE.finditer(part.stdout)]
    told: list[SaidGpu] = []
    for address, said in _blocks(part.stdout.splitlines()):
        if any(_LOST in line for line in said):
            lost.append(LostGpu(address, next(line.strip() for line in said if _LOST in line)))
        else:
            told.append(_gpu(address, said))
    gpus = Located.known(tuple(told), place)
    if not lost and (part.code != 0 or not told):
        why = next((line for line in lines(recording, _PART) if any(each in line for each in _BROKEN)), part.why)
        gpus = Located.unknown(f"what the driver says of its GPUs could not be read: {why}", place)
    age = lines(recording, "fabric age")
    return NodeSmi(place, gpus, tuple(lost), int(age[0]) if age and age[0].isdecimal() and len(age[0]) < 12 else None)


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
        fabric_state=_said(values.get("Fabric/State", "")),
        fabric_status=_said(values.get("Fabric/Status", "")),
        uncorrectable=tuple((name, count) for name, count in counted if count),
        remap_pending=values.get("Remapped Rows/Pending") == "Yes",
        remap_failed=values.get("Remapped Rows/Remapping Failure Occurred") == "Yes",
    )


def _said(value: str) -> str:
    return "" if value in ("N/A", "Not Supported") else value


def _values(said: Sequence[str]) -> Mapping[str, str]:
    """By the headings that each stands below."""
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
