"""The release that a chart of somebody's own has the operator in: its Chart.lock or Chart.yaml, beside the values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nodeworthy.collect.source.beside import Beside
from nodeworthy.collect.source.files import STDIN, Source
from nodeworthy.documents.release import LOOSE
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.recognition import CHART, chart_version
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.scene import Fact
from nodeworthy.verdict import Known

# The lock says which release a range has led to.
_FILES = ("Chart.lock", "Chart.yaml")


def with_release_of_chart(facts: Sequence[Fact], beside: Beside) -> list[Fact]:
    """The facts, the values of a subchart among them with its release."""
    waiting = any(isinstance(each, OperatorValues) and _says_no_release(each) for each in facts)
    version = _version(beside) if waiting else None
    if version is None:
        return list(facts)
    return [_told(each, version) if isinstance(each, OperatorValues) else each for each in facts]


def is_charts_own(source: Source) -> bool:
    """Whether these are the values that a chart with templates of its own gives. What only wraps other charts is
    somebody's installation of them."""
    if source.shown == STDIN or not source.path.name.startswith("values"):
        return False
    folder = source.path.parent
    return (folder / "Chart.yaml").is_file() and (folder / "templates").is_dir()


def _told(values: OperatorValues, version: Tree) -> OperatorValues:
    if not _says_no_release(values):
        return values
    return replace(values, release=chart_version(version), asked_release=str(version.value))


def _says_no_release(values: OperatorValues) -> bool:
    return values.origin == LOOSE and values.release.state == Known(None)


def _version(beside: Beside) -> Tree | None:
    for name in _FILES:
        for document in beside.documents(beside.folder / name) or ():
            for each in document.get("dependencies").sequence:
                if each.get("name").text == CHART and each.get("version").text:
                    return each.get("version")
    return None
