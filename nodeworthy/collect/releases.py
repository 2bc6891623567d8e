"""Which releases a document asks for: Flux, Argo CD, k3s' HelmChart, Cluster API's HelmChartProxy, Kustomize,
Helmfile, a task of Ansible's, the patches of one.

A document that asks for none may hold values all the same: a values file, the stack config of somebody's own program,
a ConfigMap that keeps them for Helm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nodeworthy.documents.release import HELM_CHART, LOOSE, STACK_CONFIG, Release, document_inside
from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree, absent, merge
from nodeworthy.fleet.model import KEY
from nodeworthy.records import replace
from nodeworthy.verdict import Unknown

# As Argo CD calls the cluster in which it runs.
_ITS_OWN = "in-cluster"
# Of a Kustomization.
LISTS_OF_PATCHES = ("patches", "patchesStrategicMerge", "patchesJson6902")
OF_A_PATCH = "the release that this patch changes may hold it"
_OF_A_CHART = "the HelmChart that it changes may hold it"
_FILLED_BY_ANSIBLE = "what Ansible fills in may hold it"
# By what other installers keep a chart under: Fleet, Kustomize's generator, k0s, Sveltos, Crossplane, KubeVela…
_OF_OTHERS = frozenset(("helm", "targetCustomizations"))


# What the values of our charts hold; the texts of most ConfigMaps are something else, and long.
_YAML = (".yaml", ".yml")
_MARKS = ("toolkit", "devicePlugin", "dcgmExporter", "prometheusSpec", "nvidia")


def releases(document: Tree) -> Iterator[Release]:
    found = list(_asked_for(document))
    yield from found or (_loose(document, each) for each in _loose_values(document))
    if holds_patches(document):
        from nodeworthy.collect.patches import merge_patches

        for part in merge_patches(document):
            yield from (replace(each, elsewhere=each.elsewhere or OF_A_PATCH) for each in _asked_for(part))


def holds_patches(document: Tree) -> bool:
    return any(document.get(name).is_sequence for name in LISTS_OF_PATCHES)


def _asked_for(document: Tree) -> Iterator[Release]:
    api, kind = document.get("apiVersion").string, document.get("kind").text
    read = _READERS.get((api.split("/")[0], kind or ""))
    if read is not None:
        yield from read(document)
    elif not _OF_OTHERS.isdisjoint(document.mapping):
        yield from _by_others(document)
    elif not api and document.get("releases").is_sequence:
        yield from _helmfile(document)
    elif not api and document.get("chart_ref").text:
        yield _ansible(document)
    if document.get("helmCharts").is_sequence:
        yield from _kustomization(document)


def _flux(document: Tree) -> Iterator[Release]:
    spec = document.get("spec")
    chart = spec.get("chart", "spec")
    # A chartRef names the source instead (an OCIRepository, say), usually by the name of its chart.
    name = chart.get("chart") if not spec.get("chart").is_absent else spec.get("chartRef", "name")
    elsewhere = "valuesFrom may hold it, which is not in this file" if some(spec.get("valuesFrom")) else None
    if spec.get("chart").is_absent and spec.get("chartRef").is_absent:
        elsewhere = OF_A_PATCH
    made = release_of("Flux HelmRelease", document, name, chart.get("version"), spec.get("values"), elsewhere=elsewhere)
    config = spec.get("kubeConfig", "secretRef", "name").string
    namespace = spec.get("targetNamespace").text or made.metadata.get("namespace").string
    cluster = _filled_in(config.removesuffix("-kubeconfig"))
    yield replace(made, cluster=cluster, namespace=_filled_in(namespace))


def _argo_application(document: Tree) -> Iterator[Release]:
    yield from _argo(document, document.get("spec"))


def _argo_application_set(document: Tree) -> Iterator[Release]:
    yield from _argo(document, document.get("spec", "template", "spec"))


def _argo(document: Tree, spec: Tree) -> Iterator[Release]:
    for source in (spec.get("source"), *spec.get("sources").sequence):
        helm = source.get("helm")
        if source.is_mapping and (helm.is_mapping or source.get("chart").text):
            named, namespace = (spec.get("destination", each).string for each in ("name", "namespace"))
            cluster = "" if named == _ITS_OWN else _filled_in(named)
            yield replace(_argo_source(document, source, helm), cluster=cluster, namespace=_filled_in(namespace))


def _filled_in(name: str) -> str:
    """A name that a template fills in says nothing."""
    return "" if "{" in name else name


def _argo_source(document: Tree, source: Tree, helm: Tree) -> Release:
    # Argo CD's own order: parameters over valuesObject over values over valueFiles.
    values = helm.get("valuesObject")
    filled = settle(values).state if values.text is not None or values.is_unknown else None
    if not values.is_mapping:
        values = document_inside(helm.get("values"))
    for parameter in helm.get("parameters").sequence:
        values = _with_parameter(values, parameter)
    elsewhere = "valueFiles may hold it, which are not in this file" if some(helm.get("valueFiles")) else None
    if isinstance(filled, Unknown):
        elsewhere = filled.why
    chart, version = source.get("chart"), source.get("targetRevision")
    return release_of("Argo CD Application", document, chart, version, values, elsewhere=elsewhere)


def _with_parameter(values: Tree, parameter: Tree) -> Tree:
    name = parameter.get("name").text
    if name is None:
        return values
    return with_set(values, name, parameter.get("value"), as_string=parameter.get("forceString").value is True)


def with_set(values: Tree, name: str, value: Tree, *, as_string: bool = False) -> Tree:
    """The values with what `--set name=value` lays over them. A name that Helm would not take lays nothing."""
    from nodeworthy.documents.set_syntax import NotSetSyntax, lay_at, steps, type_value

    under = values if values.is_mapping else Tree({}, value.place, value.key)
    try:
        return lay_at(under, steps(name), type_value(value, as_string=as_string))
    except NotSetSyntax:
        return values


def _helm_chart(document: Tree) -> Iterator[Release]:
    spec = document.get("spec")
    values = document_inside(spec.get("valuesContent"))
    for name, value in spec.get("set").mapping.items():
        values = with_set(values, name, value)
    made = release_of(HELM_CHART, document, spec.get("chart"), spec.get("version"), values)
    yield replace(made, namespace=_filled_in(spec.get("targetNamespace").string))


def _helm_chart_config(document: Tree) -> Iterator[Release]:
    """It changes the chart of its own name."""
    spec = document.get("spec")
    if spec.is_mapping:  # else the HelmChart beside it has its values
        chart, values = document.get("metadata", "name"), document_inside(spec.get("valuesContent"))
        yield release_of(HELM_CHART, document, chart, absent(document.place), values, elsewhere=_OF_A_CHART)


def _helm_chart_proxy(document: Tree) -> Iterator[Release]:
    """Cluster API's: it is installed into the clusters that it selects, and its values are a template."""
    spec = document.get("spec")
    template = spec.get("valuesTemplate")
    elsewhere = "its valuesTemplate is filled in for each cluster" if "{{" in template.string else None
    values = document_inside(template)
    yield release_of(
        "HelmChartProxy", document, spec.get("chartName"), spec.get("version"), values, elsewhere=elsewhere
    )


def _kustomization(document: Tree) -> Iterator[Release]:
    for chart in document.get("helmCharts").sequence:
        yield _of_kustomize(document, chart)


def _inflated(document: Tree) -> Iterator[Release]:
    """The generator that `helmCharts` stands for, in a file of its own."""
    yield _of_kustomize(document, document)


def _of_kustomize(document: Tree, chart: Tree) -> Release:
    elsewhere = "valuesFile may hold it, which is another file" if chart.get("valuesFile").text else None
    name, version, values = chart.get("name"), chart.get("version"), chart.get("valuesInline")
    return release_of("Kustomize helmCharts", document, name, version, values, elsewhere=elsewhere)


def _by_others(document: Tree) -> Iterator[Release]:
    from nodeworthy.collect.other_installers import asked_for_by_others

    yield from asked_for_by_others(document)


def _helmfile(document: Tree) -> Iterator[Release]:
    for release in document.get("releases").sequence:
        values, elsewhere = absent(release.place), None
        for layer in release.get("values").sequence:
            if layer.is_mapping:
                values = merge(values, layer)
            else:
                elsewhere = "a values file of the Helmfile may hold it"
        for each in (*release.get("set").sequence, *release.get("setString").sequence):
            values, elsewhere = _with_set_of_helmfile(values, each, elsewhere)
        yield release_of(
            "Helmfile", document, release.get("chart"), release.get("version"), values, elsewhere=elsewhere
        )


def _with_set_of_helmfile(values: Tree, entry: Tree, elsewhere: str | None) -> tuple[Tree, str | None]:
    name, value = entry.get("name").text, entry.get("value")
    if name is None or value.is_absent or "{{" in value.string:  # a file of it, several values, a template
        return values, "what the Helmfile sets may hold it"
    return with_set(values, name, value), elsewhere


def _ansible(document: Tree) -> Release:
    """The arguments of `kubernetes.core.helm`."""
    values = next((each for each in map(document.get, ("release_values", "values")) if not each.is_absent), document)
    elsewhere = "values_files may hold it, which are not in this file" if some(document.get("values_files")) else None
    if not (values.is_mapping or values.is_null):
        elsewhere = _FILLED_BY_ANSIBLE
    if values is document or not values.is_mapping:
        values = absent(document.place)
    for each in document.get("set_values").sequence:
        values, elsewhere = _with_set_of_ansible(values, each, elsewhere)
    named = next((text for each in ("release_name", "name") if (text := document.get(each).text)), None)
    made = release_of("Ansible's helm", document, document.get("chart_ref"), document.get("chart_version"), values)
    return replace(made, title=f"Ansible's helm '{named or made.chart.text}'", name=named, elsewhere=elsewhere)


def _with_set_of_ansible(values: Tree, entry: Tree, elsewhere: str | None) -> tuple[Tree, str | None]:
    """`name=value`, as one `--set` or `--set-string` has it."""
    said, kind = entry.get("value"), entry.get("value_type").text or "raw"
    name, equals, value = said.string.partition("=")
    if not equals or "{{" in said.string or "," in value or kind not in ("raw", "string"):
        return values, _FILLED_BY_ANSIBLE
    return with_set(values, name, replace(said, value=value), as_string=kind == "string"), elsewhere


def release_of(
    origin: str, document: Tree, chart: Tree, version: Tree, values: Tree, *, elsewhere: str | None = None
) -> Release:
    metadata = document.get("metadata")
    called = metadata.get("name").text
    name = document.get("spec", "releaseName").text or called
    title = f"{origin} '{called or chart.text}'"
    return Release(origin, title, document.place, chart, version, values, elsewhere, name, metadata)


def _loose_values(document: Tree) -> Iterator[Tree]:
    """Trees that may hold a chart's values, and belong to no release."""
    if document.get("kind").text == "ConfigMap" and document.place.object is None:
        yield from _of_config_map(document)
    elif not document.get("apiVersion").is_absent:
        return
    elif _is_stack_config(document):
        yield from (child for name, child in document.get("config").mapping.items() if name != KEY)
    else:
        yield document


def _of_config_map(document: Tree) -> Iterator[Tree]:
    for name, child in document.get("data").mapping.items():
        text = child.string
        if name.endswith(_YAML) and "\n" in text and any(mark in text for mark in _MARKS):
            yield document_inside(child)


def _is_stack_config(document: Tree) -> bool:
    config = document.get("config")
    return config.is_mapping and ":" in next(iter(config.mapping), "")


def _loose(document: Tree, values: Tree) -> Release:
    origin, none = STACK_CONFIG if _is_stack_config(document) else LOOSE, absent(values.place)
    return Release(origin, origin, values.place, none, none, values, is_installed=False)


def some(tree: Tree) -> bool:
    """Whether it says anything."""
    return not tree.says_nothing and not (tree.is_sequence and not tree.sequence)


_READERS: dict[tuple[str, str], Callable[[Tree], Iterator[Release]]] = {
    ("helm.toolkit.fluxcd.io", "HelmRelease"): _flux,
    ("argoproj.io", "Application"): _argo_application,
    ("argoproj.io", "ApplicationSet"): _argo_application_set,
    ("helm.cattle.io", "HelmChart"): _helm_chart,
    ("helm.cattle.io", "HelmChartConfig"): _helm_chart_config,
    ("addons.cluster.x-k8s.io", "HelmChartProxy"): _helm_chart_proxy,
    ("builtin", "HelmChartInflationGenerator"): _inflated,
    **dict.fromkeys(
        (
            ("k0s.k0sproject.io", "ClusterConfig"),
            ("k0sctl.k0sproject.io", "Cluster"),
            ("helm.k0sproject.io", "Chart"),
            ("config.projectsveltos.io", "ClusterProfile"),
            ("config.projectsveltos.io", "Profile"),
            ("helm.crossplane.io", "Release"),
            ("helm.m.crossplane.io", "Release"),
            ("core.oam.dev", "Application"),
        ),
        _by_others,
    ),
}
