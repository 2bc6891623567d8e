"""The RuntimeClasses of a repository, for pods that lie in another folder than what makes these classes.

Asked is only for a name that nobody else makes: the operator and k3s make `nvidia` and what they call beside it. One
that stands in any other file of the scope may be made by whatever that file is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nodeworthy.collect.source.files import Source, any_text, shown_path
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.cluster.classes import (
    BESIDE,
    EXPERIMENTAL,
    ClusterClasses,
    RuntimeClass,
    class_of,
    why_unnamed_too,
)
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.containerd import defaults
from nodeworthy.patterns import pattern
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place, value_if_known

_MAKES = pattern(rb"(?m)^kind: *[\"']?RuntimeClass\b", words=(b"RuntimeClass",))
_MANIFESTS = (".yaml", ".yml")
_NAMES_IT = "runtimeClassName"


def classes_around(facts: Sequence[Fact], source: Source) -> Iterator[ClusterClasses]:
    """All that there are, where one is asked for that is not among them."""
    base = defaults().runtime_class
    made = {base, *(f"{base}{each}" for each in (*BESIDE, EXPERIMENTAL))}
    named = {value_if_known(each.runtime_class) for each in facts if isinstance(each, (PodTemplate, DaemonSetManifest))}
    asked = {each for each in named if isinstance(each, str) and each.startswith(base)} - made
    found = list(_classes(source)) if asked and source.scope.root is not None else []
    missing = asked - {each.name for each in found}
    if found and not any(_stands_elsewhere(each, source) for each in missing):
        hidden = next(filter(None, map(why_unnamed_too, found)), None)
        yield ClusterClasses(found[0].place, tuple(found), hidden=hidden)


def _classes(source: Source) -> Iterator[RuntimeClass]:
    for held in source.scope.holding(_MAKES, _MANIFESTS):
        try:
            documents = read_all(any_text(held.data), Place(path=shown_path(held.path)))
        except NotYaml:
            continue
        for document in documents:
            yield from (each for each in class_of(document) if isinstance(each, RuntimeClass))


def _stands_elsewhere(name: str, source: Source) -> bool:
    """Whether a file says it otherwise than as what a pod asks for."""
    text = name.encode()
    for held in source.scope.holding(pattern(re.escape(text), words=(text,))):
        lines = (each for each in held.data.splitlines() if text in each)
        if any(_NAMES_IT.encode() not in each for each in lines):
            return True
    return False
