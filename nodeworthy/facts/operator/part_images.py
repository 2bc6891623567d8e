"""The image of each part that a version is written for, as the operator puts it together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# The chart's own repository and image of each part of whose tags something is known.
_OF_THE_CHART: Mapping[str, str] = {
    "toolkit": "nvcr.io/nvidia/k8s/container-toolkit",
    "devicePlugin": "nvcr.io/nvidia/k8s-device-plugin",
    "dcgmExporter": "nvcr.io/nvidia/k8s/dcgm-exporter",
    "migManager": "nvcr.io/nvidia/cloud-native/k8s-mig-manager",
}
_DRIVER, _DRIVERS_IMAGE = "driver", "nvcr.io/nvidia/driver"
# A release of the driver and a system behind it, as NVIDIA's registry lists its tags.
_WITH_A_SYSTEM = pattern(
    r"(\d{3}\.\d{1,3}(?:\.\d{1,2})?)-((?:ubuntu|rhel|rhcos|sles|rocky|centos|flatcar|sl-micro)[\d.]*)"
)


@dataclass(frozen=True)
class PartImage:
    part: str
    # Where its tag is written.
    version: Tree
    image: str


def part_images(values: OperatorValues) -> Iterator[PartImage]:
    for part, own in _OF_THE_CHART.items():
        version = values.tree.get(part, "version")
        if (image := _image(values.tree.get(part), own)) is not None:
            yield PartImage(part, version, image)


def _image(part: Tree, own: str) -> str | None:
    version, repository, image = (part.get(name) for name in ("version", "repository", "image"))
    if not version.text or part.get("enabled").value is False or repository.is_unknown or image.is_unknown:
        return None
    folder, _, name = own.rpartition("/")
    put = f"{repository.text or folder}/{image.text or name}"
    # Releases moved some of them from one folder of NVIDIA's registry to another.
    put = own if put.startswith("nvcr.io/nvidia/") and put.endswith(f"/{name}") else put
    return f"{put}:{version.text}"


def system_said_twice(values: OperatorValues) -> tuple[Tree, str, str] | None:
    """The driver's version with a system behind it, where the operator writes that of each node behind it again: its
    place, the release alone, the system."""
    driver = values.tree.get(_DRIVER)
    version = driver.get("version")
    found = _WITH_A_SYSTEM.fullmatch(version.text or "")
    if found is None or driver.get("enabled").value is False or driver.get("usePrecompiled").value is True:
        return None
    folder, name = driver.get("repository"), driver.get("image")
    if folder.is_unknown or name.is_unknown:
        return None
    own, _, called = _DRIVERS_IMAGE.rpartition("/")
    is_nvidias = (folder.text or own) == own and (name.text or called) == called
    return (version, found[1], found[2]) if is_nvidias else None
