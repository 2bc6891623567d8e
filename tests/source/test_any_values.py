"""Whatever stands where settings should be, it is judged or it is unknown; no rule crashes on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nodeworthy.collect.objects import facts_of, objects
from nodeworthy.collect.source.files import Unreadable, as_text
from nodeworthy.documents.yaml import read_all
from nodeworthy.engine import judge
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.known.containerd import containerd_of, distributions
from nodeworthy.known.operator_parts import CONFIG, RUNTIME_CONFIG, RUNTIME_SOCKET, SOCKET
from nodeworthy.rules import catalogue, rule
from nodeworthy.scene import make_scene
from nodeworthy.verdict import Located, Place
from tests.run import run

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(["/x.sock"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from([SOCKET, CONFIG, RUNTIME_SOCKET, RUNTIME_CONFIG, "NVIDIA_VISIBLE_DEVICES"]) | anything
variables = st.fixed_dictionaries({}, optional={"name": names, "value": anything, "valueFrom": anything}) | anything
toolkits = st.fixed_dictionaries({}, optional={"enabled": anything, "env": st.lists(variables, max_size=4) | anything})
charts = st.fixed_dictionaries({"toolkit": toolkits | anything}, optional={"cdi": anything, "driver": anything})
kept = st.one_of(
    charts,
    charts.map(lambda values: {"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "spec": values}),
    st.tuples(charts | anything, anything).map(
        lambda pair: {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "spec": {
                "source": {
                    "chart": "gpu-operator",
                    "helm": {"values": yaml.safe_dump(pair[0]), "parameters": pair[1], "valueFiles": pair[1]},
                }
            },
        }
    ),
    st.tuples(charts | anything, anything).map(
        lambda pair: {
            "apiVersion": "helm.toolkit.fluxcd.io/v2",
            "kind": "HelmRelease",
            "spec": {"values": pair[0], "valuesFrom": pair[1], "chart": {"spec": {"chart": "gpu-operator"}}},
        }
    ),
)
HERE = Place(path="any.yaml")
POOLS = [
    GpuPool(name, HERE, Located.known(name, HERE), Located.known(containerd_of(name), HERE)) for name in distributions()
]


@given(kept)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_rule_crashes(document: Any) -> None:
    trees = read_all(yaml.safe_dump(document), HERE)
    facts = [fact for tree in trees for each in objects(tree) for fact in facts_of(each)]
    judgements = judge([make_scene([*facts, *POOLS])], catalogue(), rule("rule-crashed"))
    assert [each.findings for each in judgements if each.crashed] == []


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_say_why_not(data: bytes) -> None:
    try:
        as_text(data)
    except Unreadable as problem:
        assert problem.why


@given(st.binary(max_size=400) | st.text(max_size=400).map(str.encode))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_file_ends_with_an_exit_code_of_the_contract(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "values.yaml").write_bytes(b"toolkit:\n  env: []\n" + data)
    ran = run("check", "values.yaml", cwd=tmp_path)
    assert ran.code in (0, 1, 2, 3)
    assert "a fault of nodeworthy's own" not in ran.err
