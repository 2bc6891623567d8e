"""A template of Azure's, with the parameters that lie beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.collect.source.files import Source, any_text
from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.documents.bicep import Declared, parameters_of_bicep, resources_of_arm, resources_of_bicep
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.verdict import Place

_BICEP, _PARAMETERS = ".bicep", ".bicepparam"
# A module that calls itself is refused by whoever deploys it.
_MOST_DEEP = 4


def resources_in(source: Source, data: bytes) -> list[Declared]:
    """The resources of a template; none of one that cannot be read: Azure tells whoever deploys it."""
    place, text = Place(source.shown), any_text(data)
    if source.path.name.endswith(_BICEP):
        declared = resources_of_bicep(text, place, _parameters_beside(source))
        return list(_with_modules(declared, FilesBeside(source)))
    try:
        document = read(text, place)
    except NotYaml:
        return []
    return list(resources_of_arm(document)) if document is not None else []


def _with_modules(declared: Sequence[Declared], beside: FilesBeside, depth: int = 0) -> Iterator[Declared]:
    """The resources together with those of the modules in its folder, each with what it is given."""
    for each in declared:
        yield each
        path = beside.path(each.type) if each.type.endswith(_BICEP) and depth < _MOST_DEEP else None
        text = beside.text(path) if path is not None else None
        if path is not None and text is not None:
            made = resources_of_bicep(text, Place(beside.shown(path)), each.body.get("params").mapping)
            yield from _with_modules(made, beside, depth + 1)


def _parameters_beside(source: Source) -> Mapping[str, Tree]:
    """The parameters in the file of the same name. Where several files use one template, each is a deployment of its
    own."""
    path = source.path.with_suffix(_PARAMETERS)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    FilesBeside(source).asked.append(path)
    return parameters_of_bicep(text, Place(source.shown.removesuffix(source.path.suffix) + _PARAMETERS))
