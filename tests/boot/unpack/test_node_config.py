"""NodeConfigs are merged, the last wins; Bottlerocket's settings; both with the place of every value."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodeworthy.boot.bottlerocket import Settings, read_settings
from nodeworthy.boot.effects import How, Joins, Stage, Writes
from nodeworthy.boot.node_config import NodeConfig, joins_of
from nodeworthy.boot.origin import Straight
from nodeworthy.boot.toml_positions import key_positions
from nodeworthy.known.containerd import defaults
from nodeworthy.verdict import Known, Located, Place, Unknown
from tests.boot.userdatas import BOTTLEROCKET, NODE_CONFIG, mime

from .unpacked import faults, unpacked

HEAD = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n"
TYPE = "application/node.eks.aws"


def said(value: Located[Any] | None) -> tuple[object, int | None] | None:
    if value is None:
        return None
    return (value.state.value if isinstance(value.state, Known) else None), value.place.line


def config(*documents: str, template: bool = False) -> NodeConfig:
    text = mime(*((TYPE, document) for document in documents)) if len(documents) > 1 else documents[0]
    read = unpacked(text, template=template)
    assert faults(read) == []
    assert read.node_config is not None
    return read.node_config


def test_one_says_everything() -> None:
    read = config(NODE_CONFIG)
    assert said(read.cluster) == ("gpu-dev", 6)
    assert said(read.endpoint) == ("https://0123456789ABCDEF.gr7.us-east-2.eks.amazonaws.com", 7)
    assert said(read.authority) == ("Y2VydGlmaWNhdGVBdXRob3JpdHk=", 8)
    assert said(read.cidr) == ("172.20.0.0/16", 9)
    assert read.labels == (("nodeworthy/pool", "h100"), ("gpu", "on"))
    assert [(name, said(value)) for name, value in read.kubelet] == [("maxPods", (110, 12))]
    assert [[line.place.line for line in content.lines] for content in read.containerd] == [[17, 18]]
    assert read.hybrid is None


def test_the_last_of_several_wins_and_flags_add_up() -> None:
    first = f"{HEAD}  cluster: {{name: one, cidr: 10.0.0.0/16}}\n  kubelet: {{flags: [--node-labels=a=b]}}\n"
    second = f"{HEAD}  cluster: {{name: two, cidr: ''}}\n  kubelet: {{flags: ['--node-labels=c=d']}}\n  instance: {{localStorage: {{strategy: RAID0}}}}\n"
    read = config(first, second)
    assert said(read.cluster) == ("two", 19)
    assert said(read.cidr) == ("10.0.0.0/16", 10)
    assert read.labels == (("a", "b"), ("c", "d"))
    assert read.place.line == 19


def test_a_template_hides_what_it_fills_in() -> None:
    read = config(NODE_CONFIG.replace("gpu-dev", "${cluster.name}"), template=True)
    assert read.cluster is not None
    assert isinstance(read.cluster.state, Unknown)
    assert "${cluster.name}" in read.cluster.state.why


@pytest.mark.parametrize(
    ("directive", "told"), [("%{ if on ~}", []), ("%{ if on }", []), ("on", ["NO_BLANK_BEHIND_HEADER 3"])]
)
def test_a_directive_behind_the_headers_is_no_line_of_them(directive: str, told: list[str]) -> None:
    """`~` takes away the end of its own line and no more, so the blank line that follows stays."""
    head, _, parts = mime((TYPE, NODE_CONFIG)).partition("\n\n")
    text = f"{head}\n{directive}\n\n{parts}"
    assert faults(unpacked(text, template=True)) == told


def test_a_hybrid_node_says_so() -> None:
    read = config(f"{HEAD}  cluster: {{name: one, region: us-east-2}}\n  hybrid: {{ssm: {{}}}}\n")
    assert read.hybrid is not None
    assert read.hybrid.line == 5


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{NODE_CONFIG}---\n{NODE_CONFIG}", ["NOBODY_READS_IT 21"]),
        (NODE_CONFIG.replace("kind: NodeConfig", "kind: Node"), ["WRONG_TYPE 2"]),
        (NODE_CONFIG.replace("apiVersion: node.eks.aws/v1alpha1\n", ""), ["WRONG_TYPE 2"]),
        (f"{NODE_CONFIG}  cluster: [\n", ["NOT_READABLE 20"]),
    ],
)
def test_what_nodeadm_does_not_read(text: str, told: list[str]) -> None:
    assert faults(unpacked(text)) == told


def test_it_tells_how_to_join_and_what_containerd_gets() -> None:
    joins, writes = joins_of(unpacked(NODE_CONFIG).parts)
    assert isinstance(joins, Joins)
    assert (joins.how, joins.tells, joins.stage, joins.place.line) == ("nodeadm", True, Stage.NODEADM_CONFIG, 5)
    assert isinstance(writes, Writes)
    assert (writes.path.known, writes.how, writes.stage) == (
        defaults().config,
        How.APPEND,
        Stage.NODEADM_RUN,
    )


def settings(text: str, *, template: bool = False) -> Settings:
    return read_settings(text, Straight(Place("settings.toml")), template=template)


def test_settings_have_their_places() -> None:
    read = settings(BOTTLEROCKET)
    assert said(read.get("kubernetes", "cluster-name")) == ("gpu-dev", 3)
    assert said(read.get("kubernetes", "node-labels", "nodeworthy/pool")) == ("h100", 9)
    assert said(read.get("container-registry", "mirrors")) is not None
    assert read.get("kubernetes", "nothing") is None
    assert read.place_of("kubernetes", "nothing").line == 2


def test_settings_of_a_template() -> None:
    text = '[settings.kubernetes]\ncluster-name = "${name}"\nmax-pods = ${pods}\n%{ for x in y ~}\n"${x}" = "z"\n%{ endfor ~}\n'
    read = settings(text, template=True)
    assert said(read.get("kubernetes", "cluster-name")) == (None, 2)
    assert said(read.get("kubernetes", "max-pods")) == (None, 3)
    assert read.faults == ()
    assert [fault.is_doubt for fault in settings("[settings]\n${more}\n", template=True).faults] == [True]


def test_settings_that_are_no_toml() -> None:
    (fault,) = settings("[settings]\na = \n").faults
    assert (fault.kind.name, fault.place.line) == ("NOT_READABLE", 2)


KEYS = st.sampled_from(["a", "b-c", '"q.r"', "'s t'", "d.e", 'f."g"'])
VALUES = st.sampled_from(
    [
        "1",
        '"x"',
        "'''\n[y]\nk = 1\n'''",
        '"""\na = 2\n\\""" """',
        "[1,\n2, # ]\n[3]]",
        "{z = 1}",
        '"# no"',
        "true # a = b",
    ]
)


@given(st.lists(st.tuples(st.one_of(st.none(), KEYS), KEYS, VALUES), max_size=6))
def test_every_key_that_tomllib_reads_has_a_position(rows: list[tuple[str | None, str, str]]) -> None:
    text = "".join(
        f"[t{n}.{table}]\n{key} = {value}\n" if table else f"[u{n}]\n  {key}={value}\n"
        for n, (table, key, value) in enumerate(rows)
    )
    positions = key_positions(text)
    lines = text.split("\n")
    for path in _paths(tomllib.loads(text)):
        row, column = positions[path]
        assert lines[row - 1][column - 1 :]


def _paths(document: dict[str, Any], above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Of every value that is no table of another key's inside."""
    found = []
    for name, value in document.items():
        if isinstance(value, dict) and "z" not in value:
            found += _paths(value, (*above, name))
        else:
            found.append((*above, name))
    return found
