"""Which part of the GPU stack an image is: the table of `gpu_stack.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass

INSTALLER, DRA_DRIVER, OPERATOR = "the driver's installer", "the DRA driver", "the GPU operator"
_OF_A_LEADER = ("job", "role", "leader", "leads", "job_is", "reaches", "remedy")
DRIVER, DEVICE_PLUGIN = "the driver", "the device plugin"
TOOLKIT, MIG_MANAGER = "the container toolkit", "the MIG manager"
VGPU_MANAGER = "the vGPU device manager"


@cache
def _parts() -> Mapping[str, str]:
    rows = table_of("gpu_stack")["part"]
    return {image: row["part"] for row in rows for image in row["images"]}


@cache
def part_of(image: str) -> str:
    """Empty where it is none. `driver` is anybody's name for a driver: NVIDIA's has its maker in the path."""
    *path, name = _parts_of(image)
    if name in ("driver", "precompiled-driver") and not any("nvidia" in each for each in path):
        return ""
    return _parts().get(name, "") or (INSTALLER if _installs(image.lower(), name.lower()) else "")


def _installs(image: str, name: str) -> bool:
    """Whether it is anybody's installer of NVIDIA's driver: distributions and installers of clusters have their own."""
    return "nvidia" in image and name.endswith(("driver-installer", "driver-install"))


def _parts_of(image: str) -> list[str]:
    *path, last = image.split("@", maxsplit=1)[0].split("/")
    return [*path, last.split(":", maxsplit=1)[0]]


@dataclass(frozen=True)
class NamedPart:
    """What a pod's name tells: which part of the stack it is, which DaemonSet made it, its init containers."""

    part: str
    daemonset: str = ""
    inits: tuple[str, ...] = ()


_NO_PART = NamedPart("")


@cache
def _by_name() -> Mapping[str, NamedPart]:
    return {
        name: NamedPart(row["part"], name if row.get("daemonset") else "", tuple(row.get("inits", ())))
        for row in table_of("gpu_stack")["pod"]
        for name in row["names"]
    }


def named_pod(name: str) -> NamedPart:
    """Without a part where its name is none of the stack's. Node feature discovery bears its release's name first."""
    if "-node-feature-discovery-" in f"-{name}":
        return NamedPart("node feature discovery")
    begins = max((each for each in _by_name() if name.startswith(f"{each}-")), key=len, default="")
    return _by_name().get(begins, _NO_PART)


# As the table calls it.
MULTUS = "Multus"


@cache
def controller_of(image: str) -> str:
    """The name of a controller that makes the pods of jobs; empty where it is none."""
    name = _parts_of(image)[-1]
    return name if name in _controllers() else ""


@cache
def _controllers() -> Mapping[str, tuple[str, ...]]:
    rows = table_of("gpu_stack")["controller"]
    return {image: tuple(row["kinds"]) for row in rows for image in row["images"]}


def kinds_of_controller(name: str) -> tuple[str, ...]:
    """The kinds of objects whose pods it makes."""
    return _controllers()[name]


@cache
def _bringers() -> Mapping[str, str]:
    return {resource: row["part"] for row in table_of("gpu_stack")["part"] for resource in row.get("brings", ())}


def bringer_of(resource: str) -> str:
    """The part that offers a resource which is no GPU; empty where none is known."""
    named = (
        part for of, part in _bringers().items() if resource == of or (of.endswith("/") and resource.startswith(of))
    )
    return next(named, "")


@cache
def bringers() -> frozenset[str]:
    """The parts that offer what is no GPU."""
    return frozenset(_bringers().values())


def brings_gpus(part: str) -> bool:
    """Whether a part is of what makes GPUs usable, and not of what pods with GPUs may want besides."""
    return part not in bringers() and part not in _besides()


@cache
def _besides() -> frozenset[str]:
    return frozenset(row["part"] for row in table_of("gpu_stack")["part"] if row.get("besides"))


@cache
def serves_others() -> frozenset[str]:
    """The parts that clusters without GPUs have as well."""
    return frozenset(row["part"] for row in table_of("gpu_stack")["part"] if row.get("with_gpus"))


@cache
def speakers() -> frozenset[str]:
    """The parts that run on over what is wrong with others, and say it in their logs."""
    return frozenset(row["part"] for row in table_of("gpu_stack")["part"] if row.get("speaks"))


@cache
def _waited() -> Mapping[str, str]:
    return {name: row["part"] for row in table_of("gpu_stack")["part"] for name in row.get("waited", ())}


def waits_for(init_container: str) -> str:
    """The part for which an init container of this name waits; empty where it waits for none."""
    return _waited().get(init_container, "")


@cache
def why_it_hangs(init_container: str) -> tuple[str, str]:
    """Why an init container runs on that should have ended, and what to do; empty where that is not known."""
    rows = (row for row in table_of("gpu_stack")["init"] if init_container in row["names"])
    return next(((row["hangs"], row["remedy"]) for row in rows), ("", ""))


@dataclass(frozen=True)
class Led:
    """How the workers of a job find the pod that leads them."""

    job: str
    role: str
    leader: str
    leads: str
    job_is: str
    reaches: str
    remedy: str


@cache
def leader_for(init_container: str) -> Led | None:
    """Whom an init container of this name waits for; None where it is none of a worker's."""
    rows = (row for row in table_of("gpu_stack")["led"] if init_container in row["names"])
    return next((Led(**{key: row[key] for key in _OF_A_LEADER}) for row in rows), None)


def why_it_is_killed(init_container: str) -> tuple[str, str]:
    """Why an init container that an operator put there runs out of memory, and what to do; empty for others."""
    rows = (row for row in table_of("gpu_stack")["injected"] if init_container in row["names"])
    return next(((row["killed"], row["remedy"]) for row in rows), ("", ""))
