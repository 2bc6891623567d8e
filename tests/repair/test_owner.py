"""Who makes an object is seen from what stands on it."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.repair.owner import Keeper, owner_of

HELM = {"meta.helm.sh/release-name": "gpu", "meta.helm.sh/release-namespace": "gpu-operator"}
CHART = {"app.kubernetes.io/managed-by": "Helm", "helm.sh/chart": "gpu-operator-v25.3.0"}
FLUX = {"helm.toolkit.fluxcd.io/name": "gpu", "helm.toolkit.fluxcd.io/namespace": "infra"}


def owned(labels: dict[str, str] | None = None, annotations: dict[str, str] | None = None, **more: Any) -> Any:
    return owner_of({"metadata": {"labels": labels or {}, "annotations": annotations or {}, **more}})


def test_nobody_claims_it() -> None:
    assert owned({"app.kubernetes.io/component": "gpu-operator"}) is None
    assert owner_of({}) is None


def test_helm_by_its_release() -> None:
    owner = owned(CHART, HELM)
    assert (owner.keeper, owner.name, owner.namespace) == (Keeper.HELM, "gpu", "gpu-operator")
    assert (owner.chart_name, owner.chart_version) == ("gpu-operator", "v25.3.0")
    assert owner.title == "Helm's release gpu-operator/gpu"


@pytest.mark.parametrize(
    ("labels", "annotations", "keeper", "title"),
    [
        # Flux and Argo CD use Helm, whose marks are there, too.
        ({**CHART, **FLUX}, HELM, Keeper.FLUX, "Flux's HelmRelease infra/gpu"),
        ({"kustomize.toolkit.fluxcd.io/name": "apps"}, {}, Keeper.FLUX, "Flux's Kustomization apps"),
        (
            CHART,
            {"argocd.argoproj.io/tracking-id": "gpu:nvidia.com/ClusterPolicy:x/y"},
            Keeper.ARGO,
            "Argo CD's Application gpu",
        ),
        ({"argocd.argoproj.io/instance": "gpu"}, {}, Keeper.ARGO, "Argo CD's Application gpu"),
        (CHART, {}, Keeper.OTHER, "whatever applied what `helm template` wrote"),
        ({"app.kubernetes.io/managed-by": "pulumi"}, {}, Keeper.OTHER, "pulumi"),
    ],
)
def test_who_keeps_it_in_git(labels: dict[str, str], annotations: dict[str, str], keeper: Keeper, title: str) -> None:
    owner = owned(labels, annotations)
    assert (owner.keeper, owner.title) == (keeper, title)


def test_a_controller_owns_what_it_made() -> None:
    reference = {"kind": "NvidiaStack", "name": "one", "controller": True}
    assert owned(ownerReferences=[reference]).title == "NvidiaStack/one"
    assert owned(ownerReferences=[{**reference, "controller": False}]) is None


@pytest.mark.parametrize(
    ("chart", "name", "version"),
    [
        ("gpu-operator-v25.3.0", "gpu-operator", "v25.3.0"),
        ("gpu-operator-24.9.2-rc.1_build5", "gpu-operator", "24.9.2-rc.1+build5"),
        ("platform-2-stack-1.0.0", "platform", "2-stack-1.0.0"),
        ("umbrella", "umbrella", ""),
    ],
)
def test_a_chart_and_its_version(chart: str, name: str, version: str) -> None:
    owner = owned({"helm.sh/chart": chart}, HELM)
    assert (owner.chart_name, owner.chart_version) == (name, version)
