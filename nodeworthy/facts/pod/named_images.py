"""Images that are begun with or run outside of Kubernetes, and what NVIDIA's runtime is told there: of Dockerfiles, and
what scripts pull."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from nodeworthy.boot.effects import PullsImage
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.known.driver_capabilities import VARIABLE
from nodeworthy.known.images_gone import may_be_gone
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import NotKnown, Place


@dataclass(frozen=True)
class NamedImage:
    called: ClassVar[str] = "an image that a Dockerfile or a script names"

    place: Place
    image: str
    # What is done with it, in a reader's words: `the build begins with`.
    used: str


@dataclass(frozen=True)
class SaidCapabilities:
    called: ClassVar[str] = "what a Dockerfile says to NVIDIA's runtime"

    place: Place
    value: Tree


def images_of_script(script: BootScript) -> Iterator[NamedImage]:
    """The images that a script pulls, also by commands that it runs elsewhere."""
    try:
        pulled = list(script.timeline.of(PullsImage))
    except NotKnown:  # what can't be read of it, other rules tell
        return
    for each in pulled:
        if each.image.known is not None and may_be_gone(each.image.known):
            yield NamedImage(each.place, each.image.known, f"{each.tool} {'runs' if each.runs else 'pulls'}")


Found = NamedImage | SaidCapabilities

_FROM = pattern(r"(?i)[ \t]*FROM[ \t]+(?:--platform=\S+[ \t]+)?(\S+)(?:[ \t]+AS[ \t]+(\S+))?[ \t]*\r?")
_ARGUMENT = pattern(r"(?i)[ \t]*ARG[ \t]+(\w+)(?:=[\"']?([^\s\"']*)[\"']?)?[ \t]*\r?")
_VARIABLE = pattern(r"\$(?:\{(\w+)(?::?-([^{}]*))?\}|(\w+))")
_SAID = pattern(rf"(?:^|[ \t]){VARIABLE}(?:=|[ \t]+)[\"']?([\w,]+)", words=(VARIABLE,))


def in_dockerfile(text: str, shown: str) -> Iterator[Found]:
    """The images that stages of a Dockerfile begin with; one whose name is a build argument without a default has none
    here."""
    arguments: dict[str, str | None] = {}
    stages: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if "ARG" in line.upper() and (argument := _ARGUMENT.fullmatch(line)) and not stages:
            arguments[argument[1]] = argument[2]
        begun = _FROM.fullmatch(line) if "FROM" in line.upper() else None
        if begun is not None:
            image = _filled_in(begun[1], arguments)
            if image is not None and image.lower() not in stages and may_be_gone(image):
                yield NamedImage(Place(shown, number, begun.start(1) + 1), image, "the build begins with")
            stages.add((begun[2] or f"stage {number}").lower())
        elif not line.lstrip().startswith("#") and (said := _SAID.search(line)) is not None:
            place = Place(shown, number, said.start(1) + 1)
            yield SaidCapabilities(place, Tree(said[1], place))


def _filled_in(image: str, arguments: Mapping[str, str | None]) -> str | None:
    """The image with the defaults of its arguments; None where one has none."""
    told: list[str] = []
    at = 0
    for found in _VARIABLE.finditer(image):
        value = arguments.get(found[1] or found[3]) or found[2]
        if value is None:
            return None
        told += (image[at : found.start()], value)
        at = found.end()
    return "".join([*told, image[at:]])
