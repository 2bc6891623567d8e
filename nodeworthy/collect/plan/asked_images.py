"""The images whose ids a program asked AWS for, by what it asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nodeworthy.facts.aws.stack import AskedImage

_PARAMETER = "aws:ssm/getParameter:getParameter"
_IMAGE = "aws:ec2/getAmi:getAmi"


def asked_images(
    asked: Iterable[tuple[str, Mapping[str, Any], Mapping[str, Any]]],
) -> Iterator[tuple[str, AskedImage]]:
    for call, arguments, answer in asked:
        if call == _PARAMETER and isinstance(answer.get("value"), str):
            yield answer["value"], AskedImage(str(arguments.get("name") or answer.get("name")))
        elif call == _IMAGE:
            told = AskedImage(_name(arguments, answer), _owners(arguments, answer))
            yield from ((each, told) for name in ("id", "imageId") if isinstance(each := answer.get(name), str))


def _name(arguments: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    """What it is called, else what it was to be called."""
    if isinstance(answer.get("name"), str):
        return str(answer["name"])
    for each in arguments.get("filters") or ():
        if isinstance(each, Mapping) and each.get("name") == "name" and each.get("values"):
            return str(each["values"][0])
    return str(arguments.get("nameRegex") or answer.get("id"))


def _owners(arguments: Mapping[str, Any], answer: Mapping[str, Any]) -> frozenset[str]:
    owner = answer.get("ownerId") or answer.get("imageOwnerAlias")
    return frozenset(map(str, [owner] if owner else arguments.get("owners") or ()))
