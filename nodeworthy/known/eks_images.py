"""Which images there are for which version of EKS: the table of `eks_images.toml`, typed."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from nodeworthy.known.versions import Span, read_span, span_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class EksImage:
    os: str
    made_for: Span
    parameters: tuple[str, ...]
    managed: tuple[str, ...]
    instead: str
    source: str

    def exists_for(self, version: str) -> bool | None:
        """Whether there is one for this version of Kubernetes; None where that is no version."""
        asked = span_of(version)
        return None if asked is None else self.made_for.covers(asked) is not False

    @property
    def until(self) -> str:
        """The versions that have it, in a reader's words."""
        if self.made_for.before is not None:
            return f"versions before {_told(self.made_for.before)}"
        return f"versions from {_told(self.made_for.since or ())} on"


def _told(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


@cache
def images() -> tuple[EksImage, ...]:
    table = tomllib.loads(files(__package__).joinpath("eks_images.toml").read_text(encoding="utf-8"))
    return tuple(
        EksImage(
            os=name,
            made_for=read_span(row),
            parameters=(row["parameter"], *row.get("also", ())),
            managed=tuple(row.get("managed", ())),
            instead=row["instead"],
            source=row["source"],
        )
        for name, row in table["image"].items()
    )


def image_of(os: str) -> EksImage | None:
    """What is known of the images of an operating system; None where they are made for every version."""
    return next((each for each in images() if each.os == os), None)


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
