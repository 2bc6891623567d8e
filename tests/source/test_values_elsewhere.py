"""A release's values in files beside it: they are read, laid in the release's own order, and judged once."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.collect.source import cache_stamps
from tests.run import run
from tests.source.texts import K3S, STOCK, fleet, values

WRONG, RIGHT = values(str(STOCK.socket)), values(str(K3S.socket))


def indented(text: str, columns: int) -> str:
    return "".join(f"{' ' * columns}{line}\n" for line in text.splitlines())


def argo(more: str = "") -> str:
    return (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: gpu}\nspec:\n  sources:\n"
        "    - chart: gpu-operator\n      targetRevision: v25.3.4\n      helm:\n"
        f"        valueFiles: [$values/gpu/values.yaml]\n{more}"
        "    - {repoURL: https://git.example.com/ops.git, ref: values}\n"
    )


def flux(more: str = "") -> str:
    return (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: gpu, namespace: gpu}\nspec:\n"
        "  chart: {spec: {chart: gpu-operator, version: v25.3.4}}\n"
        f"  valuesFrom:\n    - {{kind: ConfigMap, name: gpu-values}}\n{more}"
    )


def config_map(text: str, namespace: str = "gpu") -> str:
    named = f"metadata: {{name: gpu-values, namespace: {namespace}}}"
    return f"apiVersion: v1\nkind: ConfigMap\n{named}\ndata:\n  values.yaml: |\n{indented(text, 4)}"


def kustomization(more: str = "") -> str:
    return f"helmCharts:\n  - name: gpu-operator\n    version: v25.3.4\n    valuesFile: gpu.yaml\n{more}"


GENERATOR = "configMapGenerator:\n  - name: gpu-values\n    files: [values.yaml=gpu.yaml]\n"
HELMFILE = "releases:\n  - name: gpu\n    chart: nvidia/gpu-operator\n    values: [./gpu.yaml]\n"

PATCH = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: gpu}\nspec:\n  values:\n"

Files = dict[str, str]
# The files of a folder, and where the one fault stands.
FAULTS: dict[str, tuple[Files, str]] = {
    "Argo's $values": ({"app.yaml": argo(), "gpu/values.yaml": WRONG}, "gpu/values.yaml:4"),
    "Argo's own over its files": (
        {"app.yaml": argo(f"        valuesObject:\n{indented(WRONG, 10)}"), "gpu/values.yaml": RIGHT},
        "app.yaml:14",
    ),
    "a ConfigMap of the same file": ({"r.yaml": f"{config_map(WRONG)}---\n{flux()}"}, "r.yaml:9"),
    "a ConfigMap of another file": ({"r.yaml": flux(), "values.cm.yaml": config_map(WRONG)}, "values.cm.yaml:9"),
    "a ConfigMap of nobody": ({"cm.yaml": config_map(WRONG)}, "cm.yaml:9"),
    "a ConfigMap that Kustomize makes": (
        {"r.yaml": flux(), "Kustomization": GENERATOR, "gpu.yaml": WRONG},
        "gpu.yaml:4",
    ),
    "Kustomize's chart": ({"kustomization.yaml": kustomization(), "gpu.yaml": WRONG}, "gpu.yaml:4"),
    "an overlay": ({"values.yaml": RIGHT, "values-prod.yaml": WRONG}, "values-prod.yaml:4"),
    "an overlay of nothing": ({"values-prod.yaml": "toolkit: {version: v1.17.8}\n"}, "values-prod.yaml:1"),
    "a patch in a file": ({"patch.yaml": PATCH + indented(WRONG, 4)}, "patch.yaml:9"),
    "a patch in a Kustomization": (
        {"kustomization.yaml": f"patches:\n  - patch: |\n{indented(PATCH + indented(WRONG, 4), 6)}"},
        "kustomization.yaml:11",
    ),
    "a Helmfile": ({"helmfile.yaml": HELMFILE, "gpu.yaml": WRONG}, "gpu.yaml:4"),
}


def lay(here: Path, files: Files) -> None:
    (here / "Pulumi.edge.yaml").write_text(fleet())
    for name, text in files.items():
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(text)


@pytest.mark.parametrize(("files", "place"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_found_where_it_was_written_and_once(here: Path, files: Files, place: str) -> None:
    lay(here, files)
    found = run("check", ".", "--format", "json").report["findings"]
    assert [(each["rule"], f"{each['where']['path']}:{each['where']['line']}") for each in found] == [
        ("containerd-paths", place)
    ]


def test_it_is_mended_where_it_was_written(here: Path) -> None:
    lay(here, {"app.yaml": argo(), "gpu/values.yaml": WRONG})
    assert run("check", ".", "--fix", "--yes").code == 0
    assert (here / "gpu" / "values.yaml").read_text() == RIGHT


def test_what_is_suppressed_there_is_suppressed(here: Path) -> None:
    accepted = values(str(STOCK.socket), "  # nodeworthy: ignore containerd-paths until June")
    lay(here, {"app.yaml": argo(), "gpu/values.yaml": f"{accepted}# nodeworthy: ignore one-driver not here\n"})
    alone = run("check", "app.yaml", "--format", "json").report["findings"]
    assert [(each["rule"], each["suppressed"]) for each in alone] == [("containerd-paths", True)]
    together = run("check", ".", "--format", "json").report["findings"]
    assert [each["rule"] for each in together] == ["containerd-paths", "suppression-unused"]
    assert together[0]["suppressed"]


HAMI = "devicePlugin: {deviceSplitCount: 4, runtimeClassName: nvidia}\nresourceName: nvidia.com/gpu\n"
OWN = f"  values:\n{indented(RIGHT, 4)}"
GOOD: dict[str, Files] = {
    "a base under its overlay": {"values.yaml": RIGHT, "values.prod.yaml": "toolkit: {version: v1.17.8}\n"},
    "values of two charts": {
        "values.yaml": f"{RIGHT}devicePlugin: {{migStrategy: half, enabled: false}}\n",
        "hami-values.yaml": HAMI,
    },
    "Flux's own over its ConfigMap": {"r.yaml": f"{config_map(WRONG)}---\n{flux(OWN)}"},
    "Kustomize's own over its file": {
        "kustomization.yaml": kustomization(f"    valuesInline:\n{indented(RIGHT, 6)}"),
        "gpu.yaml": WRONG,
    },
    "more files over Kustomize's own": {
        "kustomization.yaml": kustomization(
            f"    valuesInline:\n{indented(WRONG, 6)}    additionalValuesFiles: [more.yaml]\n"
        ),
        "gpu.yaml": WRONG,
        "more.yaml": RIGHT,
    },
    "parameters over Argo's files": {
        "app.yaml": argo(
            "        parameters:\n          - {name: 'toolkit.env[0].name', value: CONTAINERD_SOCKET}\n"
            f"          - {{name: 'toolkit.env[0].value', value: {K3S.socket}}}\n"
        ),
        "gpu/values.yaml": WRONG,
    },
}


@pytest.mark.parametrize("files", GOOD.values(), ids=GOOD)
def test_what_lies_over_a_value_wins(here: Path, files: Files) -> None:
    lay(here, files)
    assert run("check", ".").code == 0


AROUND = (
    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec:\n  source:\n    path: charts/gpus\n"
    "    helm: {valuesObject: {gpu-operator: {toolkit: {version: v1.17.8}}}}\n"
)
UNKNOWN: dict[str, Files] = {
    "no such file": {"app.yaml": argo()},
    "a patch of a release": {"patch.yaml": PATCH + "    toolkit: {version: v1.17.8}\n"},
    "a chart around it": {"app.yaml": AROUND},
    "a file of the chart": {"app.yaml": argo().replace("$values/gpu/", ""), "values.yaml": "# none\n"},
    "a template": {"app.yaml": argo(), "gpu/values.yaml": "toolkit: {{ .Values.toolkit }}\n"},
    "a ConfigMap of another namespace": {"r.yaml": flux(), "cm.yaml": config_map(RIGHT, "elsewhere")},
    "a Secret": {"r.yaml": flux().replace("ConfigMap", "Secret")},
    "names that are none": {"helmfile.yaml": HELMFILE.replace("./gpu.yaml", '"a\\0b", /etc/passwd, "..", 7')},
    "more files": {"kustomization.yaml": kustomization("    additionalValuesFiles: [no.yaml]\n"), "gpu.yaml": RIGHT},
}


@pytest.mark.parametrize("files", UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_not_to_be_found_is_not_known(here: Path, files: Files) -> None:
    lay(here, files)
    first = next(iter(files))
    assert run("check", first).code == 3


def test_a_file_that_a_release_names_is_asked_for_again(
    here: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr(cache_stamps, "COARSEST_NS", -60_000_000_000)
    lay(here, {"r.yaml": flux()})
    assert run("check", "r.yaml").code == 3
    (here / "cm.yaml").write_text(config_map(RIGHT))
    assert run("check", "r.yaml").code == 0
    (here / "cm.yaml").write_text(config_map(WRONG))
    assert run("check", "r.yaml").code == 1


CHART = "name: gpus\ndependencies:\n  - {name: gpu-operator, version: %s}\n"


@pytest.mark.parametrize(
    ("version", "lock", "code"), [("v25.3.3", "", 1), ("~25.3.0", "", 3), ("~25.3.0", "v25.3.4", 0), ("v26.3.0", "", 0)]
)
def test_the_chart_around_them_says_which_release_they_are_for(here: Path, version: str, lock: str, code: int) -> None:
    (here / "values.yaml").write_text(f"gpu-operator:\n{indented(RIGHT, 2)}")
    (here / "Chart.yaml").write_text(f"apiVersion: v2\n{CHART % version}")
    if lock:
        (here / "Chart.lock").write_text(CHART % lock)
    assert run("check", "values.yaml", "--rule", "operator-release-works").code == code
