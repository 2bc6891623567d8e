"""The maker of an object, by what the object bears: a change that bypasses the maker is undone by its next run."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from nodeworthy.documents.plain import mappings_at, strings_at, text_at
from nodeworthy.records import dataclass

_HELM = "meta.helm.sh/release"
_FLUX_HELM = "helm.toolkit.fluxcd.io"
_FLUX_KUSTOMIZE = "kustomize.toolkit.fluxcd.io"
_ARGO = "argocd.argoproj.io/instance"
_ARGO_TRACKING = "argocd.argoproj.io/tracking-id"
_MANAGED_BY = "app.kubernetes.io/managed-by"
_CHART = "helm.sh/chart"


class Keeper(StrEnum):
    HELM = "Helm"
    FLUX = "Flux"
    ARGO = "Argo CD"
    OTHER = "another program"


@dataclass(frozen=True)
class Owner:
    keeper: Keeper
    name: str
    namespace: str = ""
    # `gpu-operator-v25.3.0`
    chart: str = ""
    # What holds the settings in git.
    kind: str = ""

    @property
    def title(self) -> str:
        where = f"{self.namespace}/{self.name}" if self.namespace else self.name
        if self.keeper is Keeper.HELM:
            return f"Helm's release {where}"
        if self.keeper is Keeper.OTHER:
            return self.name
        return f"{self.keeper}'s {self.kind} {where}"

    @property
    def chart_name(self) -> str:
        return self._chart_parts[0]

    @property
    def chart_version(self) -> str:
        return self._chart_parts[1]

    @property
    def _chart_parts(self) -> tuple[str, str]:
        """`gpu-operator-v25.3.0`: the version begins at the first part that begins with a number."""
        parts = self.chart.split("-")
        for index, part in enumerate(parts):
            if index and part.removeprefix("v")[:1].isdecimal():
                # A label may hold no plus: Helm writes it as an underscore.
                return "-".join(parts[:index]), "-".join(parts[index:]).replace("_", "+")
        return self.chart, ""


def owner_of(data: Mapping[str, Any]) -> Owner | None:
    """None where nobody claims it. Those who keep their state in git come first: they, too, use Helm."""
    labels, annotations = strings_at(data, "metadata", "labels"), strings_at(data, "metadata", "annotations")
    return _in_flux(labels) or _in_argo(labels, annotations) or _in_helm(labels, annotations) or _other(data, labels)


def _in_flux(labels: Mapping[str, str]) -> Owner | None:
    for prefix, kind in ((_FLUX_HELM, "HelmRelease"), (_FLUX_KUSTOMIZE, "Kustomization")):
        name = labels.get(f"{prefix}/name")
        if name:
            return Owner(Keeper.FLUX, name, labels.get(f"{prefix}/namespace", ""), labels.get(_CHART, ""), kind)
    return None


def _in_argo(labels: Mapping[str, str], annotations: Mapping[str, str]) -> Owner | None:
    # `APPLICATION:GROUP/KIND:NAMESPACE/NAME`, where the application may be `NAMESPACE_APPLICATION`
    tracked = annotations.get(_ARGO_TRACKING, "").partition(":")[0]
    name = tracked or labels.get(_ARGO) or annotations.get(_ARGO)
    if not name:
        return None
    return Owner(Keeper.ARGO, name, chart=labels.get(_CHART, ""), kind="Application")


def _in_helm(labels: Mapping[str, str], annotations: Mapping[str, str]) -> Owner | None:
    name, namespace = annotations.get(f"{_HELM}-name"), annotations.get(f"{_HELM}-namespace")
    if name and namespace:
        return Owner(Keeper.HELM, name, namespace, labels.get(_CHART, ""), "release")
    return None


def _other(data: Mapping[str, Any], labels: Mapping[str, str]) -> Owner | None:
    for each in mappings_at(data, "metadata", "ownerReferences"):
        if each.get("controller") is True:
            return Owner(Keeper.OTHER, f"{text_at(each, 'kind')}/{text_at(each, 'name')}")
    manager = labels.get(_MANAGED_BY)
    if manager == "Helm":
        return Owner(Keeper.OTHER, "whatever applied what `helm template` wrote", chart=labels.get(_CHART, ""))
    return Owner(Keeper.OTHER, manager) if manager else None
