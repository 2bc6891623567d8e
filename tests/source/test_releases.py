"""A release's values, wherever a document keeps them, with the place where each was written."""

from __future__ import annotations

import pytest

from nodeworthy.collect.objects import facts_of, objects
from nodeworthy.documents.set_syntax import NotSetSyntax, steps
from nodeworthy.documents.yaml import read
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.verdict import Known, Place, Unknown

HERE = Place(path="f.yaml")


def values(text: str) -> list[OperatorValues]:
    document = read(text, HERE)
    assert document is not None
    facts = (fact for each in objects(document) for fact in facts_of(each))
    return [each for each in facts if isinstance(each, OperatorValues)]


ENV = "env: [{name: CONTAINERD_SOCKET, value: /s.sock}]"
KEPT = {
    "values file": f"toolkit: {{{ENV}}}",
    "parent chart": f"other: 1\ngpu-operator: {{toolkit: {{{ENV}}}}}",
    "parent of a parent": f"platform: {{nvidia: {{toolkit: {{{ENV}}}}}}}",
    "ClusterPolicy": f"apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nspec: {{toolkit: {{{ENV}}}}}",
    "List": "kind: List\napiVersion: v1\n"
    f"items: [{{apiVersion: nvidia.com/v1, kind: ClusterPolicy, spec: {{toolkit: {{{ENV}}}}}}}]",
    "a list of the API server": "kind: ClusterPolicyList\napiVersion: nvidia.com/v1\n"
    f"items: [{{spec: {{toolkit: {{{ENV}}}}}}}]",
    "a list as Jsonnet writes it": f"[{{apiVersion: nvidia.com/v1, kind: ClusterPolicy, spec: {{toolkit: {{{ENV}}}}}}}]",
    "Flux": f"apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec: {{values: {{toolkit: {{{ENV}}}}}}}",
    "Argo valuesObject": "apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
    f"spec: {{source: {{helm: {{valuesObject: {{toolkit: {{{ENV}}}}}}}}}}}",
    "Argo values": "apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
    f"spec:\n  sources:\n    - helm:\n        values: |\n          toolkit:\n            {ENV}\n",
    "Argo parameters": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec:\n  source:\n"
    "    chart: gpu-operator\n    helm:\n      parameters:\n"
    "        - {name: 'toolkit.env[0].name', value: CONTAINERD_SOCKET}\n"
    "        - {name: 'toolkit.env[0].value', value: /s.sock}\n",
    "ApplicationSet": "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\n"
    f"spec: {{template: {{spec: {{source: {{helm: {{valuesObject: {{toolkit: {{{ENV}}}}}}}}}}}}}}}",
    "HelmChart": "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nspec:\n  chart: gpu-operator\n"
    f"  valuesContent: |\n    toolkit: {{{ENV}}}\n",
    "HelmChartConfig": "apiVersion: helm.cattle.io/v1\nkind: HelmChartConfig\nmetadata: {name: gpu-operator}\n"
    f"spec:\n  valuesContent: |\n    toolkit: {{{ENV}}}\n",
    "Kustomize": f"kind: Kustomization\nhelmCharts: [{{name: gpu-operator, valuesInline: {{toolkit: {{{ENV}}}}}}}]",
    "Helmfile": f"releases: [{{name: g, chart: nvidia/gpu-operator, values: [{{toolkit: {{{ENV}}}}}]}}]",
    "stack config": f"config:\n  site:operator: {{toolkit: {{{ENV}}}}}\n",
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT.keys())
def test_the_toolkits_socket_is_found(text: str) -> None:
    [found] = values(text)
    assert found.toolkit.socket.state == Known("/s.sock")
    assert found.toolkit.socket.place.subject == "toolkit.env[CONTAINERD_SOCKET]"
    line = found.toolkit.socket.place.line
    assert line is not None
    assert "/s.sock" in text.splitlines()[line - 1]


@pytest.mark.parametrize(
    "text",
    [
        "gpu-operator: {enabled: false, toolkit: {env: []}}",
        "driver: {enabled: true}\noperator: {replicas: 1}",
        "apiVersion: v1\nkind: ConfigMap\ndata: {a: b}",
        "toolkit: hammer",
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nspec: {rules: []}",
        "- toolkit: {env: []}",
        "just text",
        # The device plugin's own chart has parts of the same names.
        "devicePlugin: {enabled: true}\ngfd: {enabled: true}\nmigStrategy: single",
        # So has AMD's operator.
        "deviceConfig:\n  spec:\n    driver: {enable: false, blacklist: false}\n    devicePlugin: {enableNodeLabeller: true}",
        "deviceConfig: {spec: {driver: {enable: true}, devicePlugin: {}, metricsExporter: {enable: true}}}",
        "kind: Kustomization\nhelmCharts:\n  - name: gpu-operator-charts\n"
        "    valuesInline: {deviceConfig: {spec: {driver: {enable: true}, devicePlugin: {kubeletSocketPath: /x}}}}",
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec:\n  chart: {spec: {chart: nvidia-device-plugin}}\n"
        "  values: {devicePlugin: {enabled: true}, gfd: {enabled: true}}",
        "kind: Kustomization\nhelmCharts:\n  - name: nvidia-dra-driver-gpu\n"
        "    valuesInline: {toolkit: {enabled: true}, driver: {enabled: true}}",
    ],
)
def test_what_is_not_the_operators_is_left_alone(text: str) -> None:
    assert values(text) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n"
            "spec: {chart: {spec: {chart: gpu-operator}}, valuesFrom: [{kind: Secret, name: s}]}",
            "valuesFrom",
        ),
        (
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
            "spec: {source: {chart: gpu-operator, helm: {valueFiles: [$values/gpu.yaml]}}}",
            "valueFiles",
        ),
        (
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
            "spec: {source: {chart: gpu-operator, helm: {values: '{{ .Values.gpu }}'}}}",
            "template",
        ),
        (
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
            "spec: {source: {chart: gpu-operator, helm: {values: 'toolkit: ['}}}",
            "not YAML",
        ),
    ],
)
def test_what_stands_elsewhere_is_unknown(text: str, why: str) -> None:
    [found] = values(text)
    state = found.toolkit.socket.state
    assert isinstance(state, Unknown)
    assert why in state.why


@pytest.mark.parametrize("template", ["{{ .Values.socket }}", "${containerd_socket}", "$(SITE_SOCKET)"])
def test_what_a_template_fills_in_is_unknown(template: str) -> None:
    [found] = values(f"toolkit: {{env: [{{name: CONTAINERD_SOCKET, value: '{template}'}}]}}")
    assert isinstance(found.toolkit.socket.state, Unknown)


def test_a_chart_reference_names_its_chart() -> None:
    [found] = values(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n"
        "spec: {chartRef: {kind: OCIRepository, name: gpu-operator}, values: {driver: {enabled: false}}}"
    )
    assert not found.toolkit.socket.written


def test_inline_values_win_over_what_stands_elsewhere() -> None:
    [found] = values(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n"
        f"spec: {{valuesFrom: [{{kind: Secret, name: s}}], values: {{toolkit: {{{ENV}}}}}}}"
    )
    assert found.toolkit.socket.state == Known("/s.sock")


def test_a_range_of_versions_is_no_version() -> None:
    def chart(version: str) -> str:
        return (
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n"
            f"spec: {{chart: {{spec: {{chart: gpu-operator, version: '{version}'}}}}}}"
        )

    [exact] = values(chart("v25.3.4"))
    assert exact.release.state == Known("v25.3.4")
    [ranged] = values(chart(">=25.3.0 <26"))
    assert isinstance(ranged.release.state, Unknown)


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("toolkit.env[0].name", ["toolkit", "env", 0, "name"]),
        (r"nodeSelector.nvidia\.com/gpu", ["nodeSelector", "nvidia.com/gpu"]),
        ("a[1][2]", ["a", 1, 2]),
    ],
)
def test_the_way_of_a_set_name(name: str, way: list[object]) -> None:
    assert steps(name) == way


@pytest.mark.parametrize("name", ["", "a[", "a[x]", "a[99999999]"])
def test_what_helm_would_refuse(name: str) -> None:
    with pytest.raises(NotSetSyntax):
        steps(name)
