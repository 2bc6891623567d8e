"""The GPU operator's settings in a plan: Helm releases, ClusterPolicy resources, what Flux or Argo CD would install."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from nodeworthy.collect.charts import facts_of_release
from nodeworthy.collect.plan.manifests import CHART, facts_of_object
from nodeworthy.collect.plan.plan import Resource
from nodeworthy.collect.plan.planted import Planter
from nodeworthy.collect.plan.project import shown_path
from nodeworthy.collect.plan.protocol import Wire
from nodeworthy.documents.release import Release
from nodeworthy.documents.tree import Tree, absent, merge
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.facts.not_seen import NotLookedAt, UnreadableInput
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.secrets.planned_secret import in_plain_sight, perhaps_in_plain_sight
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.operator import effective_values
from nodeworthy.records import dataclass
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place, Unknown

RELEASES = {
    "kubernetes:helm.sh/v3:Release": "Helm release",
    CHART: "Helm chart",
    "kubernetes:helm.sh/v4:Chart": "Helm chart",
}


@dataclass(frozen=True)
class Releases:
    """Reads resources; `folder` is where the program runs, to which the paths of its values files are relative."""

    folder: Path
    fleet: Fleet | None

    def facts(self, resource: Resource, planter: Planter) -> Iterator[Fact]:
        if resource.type in RELEASES:
            yield from self._release(resource, planter)
        elif resource.type.startswith("kubernetes:") and resource.custom:
            yield from facts_of_object(self._document(resource, planter), resource.name)

    def _document(self, resource: Resource, planter: Planter) -> Tree:
        """A Kubernetes resource as the object that it becomes; its type says what its inputs may leave out."""
        _, api, kind = resource.type.split(":", 2)
        return planter.tree({"apiVersion": api.removeprefix("core/"), "kind": kind, **resource.inputs})

    def _release(self, resource: Resource, planter: Planter) -> Iterator[Fact]:
        near = effective_values(self.fleet) if self.fleet is not None else absent(planter.place)
        values, faults, elsewhere = self._values(resource, planter, near)
        yield from faults
        release = self._asked_for(resource, planter, values, elsewhere)
        found = list(facts_of_release(release))
        yield from found
        operators = any(isinstance(each, OperatorValues) for each in found)
        if isinstance(release.chart.value, Unknown) and not operators:
            why = release.chart.value.why
            yield NotLookedAt(planter.place, f"which chart {resource.name} installs is not known: {why}")
        if resource.type == CHART:
            yield from perhaps_in_plain_sight(values, release.origin)
        elif not operators:
            yield from in_plain_sight(values, release.origin)

    def _asked_for(self, resource: Resource, planter: Planter, values: Tree, elsewhere: str | None) -> Release:
        title = f"{RELEASES[resource.type]} '{resource.name}'"
        at = values.place  # the stack's file, where they follow from it
        place = replace(at, subject=at.subject or None) if at.path else planter.place
        chart, version = planter.tree(resource.inputs.get("chart"), "chart"), self._version(resource, planter)
        told = resource.inputs.get("name")
        name = told if isinstance(told, str) else resource.name
        named = Tree({"name": Tree(name, planter.place)}, planter.place)
        return Release(title, title, place, chart, version, values, elsewhere, name, metadata=named)

    def _version(self, resource: Resource, planter: Planter) -> Tree:
        written = self.fleet.operator.chart if self.fleet is not None and self.fleet.operator is not None else None
        version = planter.tree(resource.inputs.get("version"), "version")
        if written is not None and written.shown() == version.text:
            return replace(version, place=replace(written.place, urn=planter.place.urn))
        return version

    def _values(self, resource: Resource, planter: Planter, near: Tree) -> tuple[Tree, list[Fact], str | None]:
        """The values of a release: its files in their order, its own over them."""
        faults: list[Fact] = []
        elsewhere, merged = None, absent(planter.place)
        files = planter.tree(resource.inputs.get("valueYamlFiles") or [], "valueYamlFiles")
        if isinstance(files.value, Unknown):
            elsewhere = f"valueYamlFiles may hold it, and {files.value.why}"
        for asset in files.sequence:
            try:
                merged = merge(merged, self._file(asset, planter))
            except NotYaml as problem:
                faults.append(UnreadableInput(problem.place, problem.why))
                merged, elsewhere = absent(planter.place), f"a values file may hold it, and is {problem.why}"
            except _Elsewhere as why:
                # It may say otherwise than the files before it; only what is laid over it is sure.
                merged, elsewhere = absent(planter.place), str(why)
        own: Wire = resource.inputs.get("values")
        if own is not None:
            merged = merge(merged, planter.tree(own, near=near))
        if merged.is_absent:
            merged = planter.tree({})
        return merged, faults, elsewhere

    def _file(self, asset: Tree, planter: Planter) -> Tree:
        place = asset.place
        text = asset.get("text").text
        path = asset.get("path").text
        if path is not None:
            origin = Path(self.folder, path)
            place = Place(path=shown_path(origin), urn=planter.place.urn)
            try:
                text = origin.read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError) as problem:
                raise _Elsewhere(f"the values file {path} may hold it, and can't be read: {problem}") from None
        if text is None:
            raise _Elsewhere("a values file may hold it, which is not known before deployment or lies elsewhere")
        found = read(text, place)
        return found if found is not None else absent(place)


class _Elsewhere(Exception):
    """Some values of a release stand where this preview can't look."""
