"""Which machine images hold NVIDIA's driver: the table of `node_images.toml`, typed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache
from typing import TYPE_CHECKING

from nodeworthy.known.tables import table_of
from nodeworthy.known.versions import Span, numbers, read_span, span_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from datetime import date

# What nodes of Karpenter's and eksctl's families of images are: the table of `ami_families.toml`, typed.


@dataclass(frozen=True)
class AmiFamily:
    distribution: str
    driver: bool
    source: str
    karpenter: tuple[str, ...] = ()
    eksctl: tuple[str, ...] = ()
    is_default: bool = False


@cache
def ami_families() -> tuple[AmiFamily, ...]:
    table = table_of("ami_families")
    return tuple(
        AmiFamily(
            row["distribution"],
            row["driver"],
            row["source"],
            tuple(row.get("karpenter", ())),
            tuple(row.get("eksctl", ())),
            row.get("default", False),
        )
        for row in table["family"]
    )


def family_of_karpenter(name: str) -> AmiFamily | None:
    """The family of an alias (`al2023@v20250620`) or an amiFamily (`AL2023`)."""
    family = name.partition("@")[0].lower()
    return next((each for each in ami_families() if family in each.karpenter), None)


def family_of_eksctl(name: str | None) -> AmiFamily | None:
    """The family of an amiFamily, or the one that is taken where none is written."""
    return next((each for each in ami_families() if (each.is_default if name is None else name in each.eksctl)), None)


# Which images there are for which version of EKS: the table of `eks_images.toml`, typed.


@dataclass(frozen=True)
class EksImage:
    os: str
    made_for: Span
    parameters: tuple[str, ...]
    managed: tuple[str, ...]
    instead: str
    source: str
    # From which day on none is made; the old ones are still there.
    ended: date | None = None

    def exists_for(self, version: str) -> bool | None:
        """Whether there is one for this version of Kubernetes; None where that is no version."""
        asked = span_of(version)
        return None if asked is None else self.made_for.covers(asked) is not False

    @property
    def until(self) -> str:
        """The versions that have it, in a reader's words."""
        if self.made_for.before is not None:
            return f"versions before {_dotted(self.made_for.before)}"
        return f"versions from {_dotted(self.made_for.since or ())} on"


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


@cache
def images() -> tuple[EksImage, ...]:
    table = table_of("eks_images")
    return tuple(
        EksImage(
            os=name,
            made_for=read_span(row),
            parameters=(row["parameter"], *row.get("also", ())),
            managed=tuple(row.get("managed", ())),
            instead=row["instead"],
            source=row["source"],
            ended=row.get("ended"),
        )
        for name, row in table["image"].items()
    )


def image_of(os: str) -> EksImage | None:
    """What is known of the images of an operating system; None where they are made for every version."""
    return next((each for each in images() if each.os == os), None)


# Which versions of Kubernetes EKS has no more: of the same table.


@dataclass(frozen=True)
class GoneVersion:
    # When it was gone, at the latest.
    by: date
    # The oldest that could still be had when this was read.
    oldest_left: str
    source: str


def gone_from_eks(version: str) -> GoneVersion | None:
    """None of a version that EKS still has, and of what is none."""
    asked, table = span_of(version), table_of("eks_images")["gone"]
    if asked is None or asked.since is None:
        return None
    ended = {numbers(each): day for each, day in table["ended"].items()}
    own = asked.since[:2]
    day = ended.get(own) or (min(ended.values()) if own < min(ended) else None)
    return GoneVersion(day, table["oldest"], table["source"]) if day is not None else None


def named_by_parameter(text: str) -> tuple[EksImage, str] | None:
    """The image that an SSM parameter names, and the version of Kubernetes in it."""
    for each in images():
        for parameter in each.parameters:
            found = re.search(re.escape(parameter).replace(re.escape("{version}"), r"(\d+\.\d+)"), text)
            if found:
                return each, found[1]
    return None


def named_by_type(ami_type: str) -> EksImage | None:
    """The image that a managed node group's amiType names."""
    return next((each for each in images() if ami_type in each.managed), None)


# Where the publishers' parameters and names have it: behind the family, and for Canonical behind its release.
_VERSION = re.compile(
    r"(?:/optimized-ami/|aws-k8s-|/eks/\d\d\.\d\d/|/k8s_|-node-(?:al2023-\w+-(?:standard|nvidia|neuron)-)?)(1\.\d+)(?!\d)"
)


def kubernetes_of(named: str) -> str | None:
    """The version of Kubernetes that an image is made for, where its parameter or its name says it."""
    found = _VERSION.search(named)
    return found[1] if found is not None else None


@dataclass(frozen=True)
class ImageSign:
    """One family of images, by the ways in which it is named."""

    driver: bool
    source: str
    parameters: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    owners: frozenset[str] = frozenset()
    # What its nodes are, where that follows from it: a key of the table of distributions.
    distribution: str | None = None


@cache
def image_signs() -> tuple[ImageSign, ...]:
    table = table_of("node_images")
    return tuple(
        ImageSign(
            driver=row["driver"],
            source=row["source"],
            parameters=tuple(row.get("parameters", ())),
            types=tuple(row.get("types", ())),
            names=tuple(row.get("names", ())),
            owners=frozenset(row.get("owners", ())),
            distribution=row.get("distribution"),
        )
        for row in table["image"]
    )


def image_by_parameter(text: str) -> ImageSign | None:
    """The image that an SSM parameter names, also as `resolve:ssm:…`."""
    return next((each for each in image_signs() if any(_holds(one, text) for one in each.parameters)), None)


def image_by_type(ami_type: str) -> ImageSign | None:
    """The image of a managed node group, by its amiType."""
    return next((each for each in image_signs() if _is_one(ami_type, each.types)), None)


def image_by_name(name: str, owners: Collection[str]) -> ImageSign | None:
    """The image that is called so, where those who own it are those who call theirs so."""
    found = next((each for each in image_signs() if _is_one(name, each.names)), None)
    return found if found is not None and owners and found.owners.issuperset(owners) else None


def _is_one(text: str, patterns: Iterable[str]) -> bool:
    return any(_compiled(each).fullmatch(text) is not None for each in patterns)


def _holds(pattern: str, text: str) -> bool:
    return _compiled(pattern).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    anything = "[^/]*" if pattern.startswith("/") else ".*"
    quoted = re.escape(pattern).replace(re.escape("{version}"), r"\d+\.\d+")
    return re.compile(quoted.replace(re.escape("*"), anything))


# From which release on EKS' own images serve a family of EC2's.


@dataclass(frozen=True)
class FirstImage:
    family: str
    since: date
    because: str


# `al2023@v20260801`, and the name of an image: amazon-eks-node-al2023-x86_64-nvidia-1.35-v20260801.
_RELEASED = pattern(
    r"^(?:(?P<alias>[a-z0-9]{2,20})@|amazon-eks-node-(?P<name>[a-z0-9]{2,20})-[\w.-]{0,80}-)v(?P<day>20\d{6})$"
)


def first_image_for(family: str, image: str) -> FirstImage | None:
    """The first of EKS' images that serves a family, where this one is older."""
    released = _RELEASED.match(image)
    if released is None:
        return None
    of, day = released["alias"] or released["name"], released["day"]
    for row in table_of("eks_images")["first"]:
        if family in row["families"] and of == row["image"] and day < f"{row['since']:%Y%m%d}":
            return FirstImage(family, row["since"], row["because"])
    return None


# For which processors an image is: EC2's, EKS', ECS', Canonical's and NVIDIA's name them in their images' names and in
# the parameters that hold their ids. Of Windows EC2 has none for Arm.

_FOR_ARM = pattern(r"(?i)(?<![a-z0-9])(?:arm64|aarch64)(?![a-z0-9])")
_FOR_X86 = pattern(r"(?i)(?<![a-z0-9])(?:x86_64|amd64)(?![a-z0-9])|^/aws/service/ami-windows|^Windows_Server-")


def is_image_for_arm(named: str) -> bool | None:
    """None where its name does not say it, or says both."""
    for_arm, for_x86 = _FOR_ARM.search(named) is not None, _FOR_X86.search(named) is not None
    return for_arm if for_arm != for_x86 else None
