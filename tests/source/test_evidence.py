"""What a file is judged with: files that nobody named, and of which nothing is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.collect.source import cache_stamps
from tests.run import run, run_json
from tests.source.texts import STOCK, values

PLUGIN = (
    "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: nvidia-device-plugin, namespace: kube-system}\n"
    "spec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec:\n"
    "      containers: [{name: p, image: nvcr.io/nvidia/k8s-device-plugin:v0.17.1,\n"
    "                    volumeMounts: [{name: d, mountPath: /var/lib/kubelet/device-plugins}]}]\n"
    "      volumes: [{name: d, hostPath: {path: /var/lib/kubelet/device-plugins}}]\n"
)
CHART = "apiVersion: v2\nname: gpus\nversion: 1.0.0\n"
POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  runtimeClassName: nvidia-2\n"
    "  containers: [{name: a, image: b, resources: {limits: {nvidia.com/gpu: 1}}}]\n"
)
CLASS = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: nvidia}\nhandler: nvidia\n"


def lay(here: Path, **files: str) -> None:
    for name, text in files.items():
        path = here / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def told(*asked: str) -> list[tuple[str, str]]:
    return [(each["rule"], each["where"]["path"]) for each in run_json("check", *asked, "--no-cache").findings]


def test_what_collides_lies_in_one_folder(here: Path) -> None:
    lay(here, a__plugin_dot_yaml=PLUGIN, a__values_dot_yaml=values(STOCK.socket))
    collides = [("one-device-plugin", "a/values.yaml")]
    assert [each for each in told(".") if each[0] == "one-device-plugin"] == collides
    assert [each for each in told("a/values.yaml") if each[0] == "one-device-plugin"] == collides


FLEET = (
    "cluster: {name: gpu-dev}\noperator: {chart: 26.3.0, values: {devicePlugin: {enabled: true}}}\n"
    "pools: {a10g: {gpu: a10g, distribution: kubeadm, provision: false}}\n"
)


def test_the_operator_of_a_fleet_collides_with_what_lies_in_a_folder(here: Path) -> None:
    lay(here, fleet_dot_yaml=FLEET, a__plugin_dot_yaml=PLUGIN)
    ran = run_json("check", "a", "--fleet", "fleet.yaml", "--rule", "one-device-plugin")
    assert [(each["where"]["path"], each["verdict"]) for each in ran.findings] == [("fleet.yaml", "fail")]


def test_two_clusters_of_one_repository_do_not_collide(here: Path) -> None:
    lay(here, east__plugin_dot_yaml=PLUGIN, west__values_dot_yaml=values(STOCK.socket))
    assert "one-device-plugin" not in {rule for rule, _ in told(".")}


def test_a_chart_is_one_whatever_its_folders(here: Path) -> None:
    lay(here, c__Chart_dot_yaml=CHART, c__templates__class_dot_yaml=CLASS, c__templates__pods__a_dot_yaml=POD)
    whole = [each for each in told(".") if each[0] == "runtime-class-agrees"]
    assert whole == [each for each in told("c/templates/pods/a.yaml") if each[0] == "runtime-class-agrees"] != []


def test_what_is_evidence_is_not_told_of(here: Path) -> None:
    lay(here, pod_dot_yaml=POD, class_dot_yaml=CLASS, broken_dot_yaml="toolkit: [\n", bad_dot_yaml=values("x.sock"))
    assert {path for _, path in told("pod.yaml")} == {"pod.yaml"}
    assert run("check", "class.yaml", "--no-cache").err == ""


def test_a_file_that_is_added_beside_it_is_looked_at_again(
    here: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr(cache_stamps, "COARSEST_NS", -60_000_000_000)
    lay(here, a__values_dot_yaml=values(STOCK.socket))
    assert run("check", "a/values.yaml").code == 0
    lay(here, a__plugin_dot_yaml=PLUGIN)
    assert run("check", "a/values.yaml").code == 1


def test_values_that_a_release_names_are_its_own_though_they_are_named_alone(here: Path) -> None:
    release = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: gpu}\nspec:\n  sources:\n"
        "    - {repoURL: https://helm.ngc.nvidia.com/nvidia, chart: gpu-operator, targetRevision: v25.3.4,\n"
        "       helm: {valueFiles: [$own/gpu/values.yaml]}}\n    - {repoURL: https://a, ref: own}\n"
    )
    lay(here, apps__gpu_dot_yaml=release, gpu__values_dot_yaml=values("relative.sock"))
    whole = [each for each in told(".") if each[1] == "gpu/values.yaml"]
    assert whole == [each for each in told("gpu/values.yaml") if each[1] == "gpu/values.yaml"] != []


def test_what_comes_through_a_pipe_has_no_fleet(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    from tests.source.texts import fleet

    lay(here, Pulumi_dot_edge_dot_yaml=fleet())
    for options, code in (((), 0), (("--stack", "edge"), 1)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(values(STOCK.socket).encode())))
        ran = run("check", "-", "--no-cache", *options)
        assert ran.code == code
        assert ("what comes through a pipe lies beside no fleet" in ran.out) == (not options)


def test_where_not_everything_was_looked_at_it_is_said(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodeworthy.collect.source.scope.MOST_FILES", 2)
    script = "#!/bin/bash\nset -e\nsystemctl enable --now kubelet\n"
    lay(here, node_dot_sh=script, a_dot_tf="", b_dot_tf="", deep__c_dot_tf='user_data = file("node.sh")\n')
    assert "more than 2 files" in run("check", "node.sh", "--no-cache").err


def test_a_file_that_is_named_thousands_of_times_is_looked_at_in_time(here: Path) -> None:
    script = "#!/bin/bash\nset -e\nsystemctl enable --now kubelet\n"
    lay(here, node_dot_sh=script, all_dot_sh="bash node.sh\n" * 20_000)
    assert run("check", "node.sh", "--no-cache").code in (0, 3)
