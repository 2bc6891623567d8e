"""One fact is judged the same, whichever moment brought it: the same rules, verdicts, words and remedies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from nodeworthy.known.containerd import containerd_of, defaults
from nodeworthy.known.operator_parts import CONFIG, RUNTIME_SOCKET, SOCKET
from tests.policy.pack import Pack, release
from tests.run import Ran, run_json

K3S = containerd_of("k3s")
Values = dict[str, Any]
FLEET: Values = {
    "cluster": {"name": "edge"},
    "operator": False,
    "pools": {"edge": {"gpu": "a10g", "distribution": "k3s", "provision": False}},
}
# Wrong in as many ways as one list of variables can be, and one that nobody can know.
VALUES: Values = {
    "toolkit": {
        "enabled": True,
        "env": [
            {"name": SOCKET, "value": f"unix://{defaults().socket}"},
            {"name": CONFIG, "value": defaults().config},
            {"name": SOCKET, "value": K3S.socket},
            {"name": RUNTIME_SOCKET, "value": K3S.socket},
            {"name": "CONTAINERD_SET_AS_DEFAULT", "value": True},
            {"name": "CONTAINERD_RESTART_MODE", "valueFrom": {"configMapKeyRef": {"name": "site", "key": "mode"}}},
        ],
    }
}
POLICY = {
    "apiVersion": "nvidia.com/v1",
    "kind": "ClusterPolicy",
    "metadata": {"name": "cluster-policy"},
    "spec": VALUES,
}
Said = set[tuple[Any, ...]]


def said(ran: Ran) -> Said:
    """What is told of the operator's settings, less its place."""
    told = [found for found in ran.findings if found["rule"] in ("containerd-paths", "toolkit-env-wellformed")]
    parts = ("rule", "verdict", "severity", "message", "is", "should", "cause", "remedy")
    return {(*(found[part] for part in parts), found["where"].get("subject")) for found in told}


def write(path: Path, document: Any) -> None:
    path.write_text(yaml.safe_dump(document, sort_keys=False))


def fleet_file(folder: Path, fleet: Values = FLEET) -> None:
    write(folder / "Pulumi.edge.yaml", {"config": {"nodeworthy:fleet": fleet}})


def checked(document: Any) -> Callable[[Path], Ran]:
    def look(folder: Path) -> Ran:
        fleet_file(folder)
        write(folder / "kept.yaml", document)
        return run_json("check", "kept.yaml", cwd=folder)

    return look


def argo(**helm: Any) -> Values:
    source = {"chart": "gpu-operator", "targetRevision": "v25.3.4", "helm": helm}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {"source": source}}


def stack_file(folder: Path) -> Ran:
    fleet_file(folder, {**FLEET, "operator": {"values": VALUES}})
    return run_json("check", "Pulumi.edge.yaml", cwd=folder)


def planned(resource: str) -> Callable[[Path], Ran]:
    def look(folder: Path) -> Ran:
        fleet_file(folder)
        (folder / "Pulumi.yaml").write_text("name: same\nruntime: python\n")
        program = (
            f"import json\nimport pulumi_kubernetes as k8s\nVALUES = json.loads({json.dumps(VALUES)!r})\n{resource}\n"
        )
        (folder / "__main__.py").write_text(program)
        return run_json("preview", "--no-simulate", cwd=folder)

    return look


RELEASE = 'k8s.helm.v3.Release("gpu-operator", chart="gpu-operator", version="v25.3.4", values=VALUES)'
RESOURCE = """k8s.apiextensions.CustomResource(
    "policy", api_version="nvidia.com/v1", kind="ClusterPolicy", spec=VALUES)"""


def dumped(folder: Path) -> Ran:
    fleet_file(folder)
    labels = {"nodeworthy/pool": "edge", "nvidia.com/gpu.present": "true"}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "edge-1", "labels": labels}}
    dump = folder / "dump"
    dump.mkdir()
    for version, kind, items in [
        ("v1", "Node", [node]),
        ("v1", "Pod", []),
        ("v1", "Event", []),
        ("apps/v1", "DaemonSet", []),
        ("nvidia.com/v1", "ClusterPolicy", [POLICY]),
    ]:
        listed = {"apiVersion": version, "kind": f"{kind}List", "items": items}
        (dump / f"{kind}.json").write_text(json.dumps(listed))
    return run_json("diagnose", "--from", "dump", "--fleet", "Pulumi.edge.yaml", cwd=folder)


KEPT: dict[str, Callable[[Path], Ran]] = {
    "a parent chart's values": checked({"gpu-operator": VALUES, "other": {}}),
    "Flux": checked({"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "spec": {"values": VALUES}}),
    "Argo CD's valuesObject": checked(argo(valuesObject=VALUES)),
    "Argo CD's values": checked(argo(values=yaml.safe_dump(VALUES, sort_keys=False))),
    "a ClusterPolicy": checked(POLICY),
    "the fleet's operator": stack_file,
    "a planned Release": planned(RELEASE),
    "a planned ClusterPolicy": planned(RESOURCE),
    "a live ClusterPolicy": dumped,
}


@pytest.fixture(scope="module")
def by_a_values_file(tmp_path_factory: pytest.TempPathFactory) -> Said:
    return said(checked(VALUES)(tmp_path_factory.mktemp("values")))


def test_the_values_file_is_wrong_in_many_ways(by_a_values_file: Said) -> None:
    assert {each[1] for each in by_a_values_file} == {"fail", "unknown"}
    assert len(by_a_values_file) >= 6


@pytest.mark.parametrize("look", KEPT.values(), ids=KEPT.keys())
def test_it_is_judged_the_same_elsewhere(look: Callable[[Path], Ran], tmp_path: Path, by_a_values_file: Said) -> None:
    assert said(look(tmp_path)) == by_a_values_file


def test_the_policy_pack_says_the_same(by_a_values_file: Said) -> None:
    with Pack() as pack:
        pack.configure()
        pack.configure_stack(FLEET)
        answer = pack.deployment(release(VALUES["toolkit"]["env"]))
    told = "\n".join(each.message for each in answer.told)
    for rule, verdict, _, message, is_, should, *_ in by_a_values_file:
        first = f"{rule}: {'cannot be verified yet: ' if verdict == 'unknown' else ''}{message}"
        assert first in told
        # That it is not known is in the sentence already.
        assert is_ in (None, "(unknown)") or f"is      {is_}" in told
        assert should is None or f"should  {should}" in told
