"""Slurm's own files, read line by line."""

from __future__ import annotations

import pytest

from nodeworthy.facts.slurm.configuration import (
    Gpus,
    gpus_in_partition,
    gpus_of_node,
    gpus_of_row,
    gres_conf,
    most_of_type,
    partition_of,
    rows,
    short_nodes,
    slurm_conf,
    unknown_nodes,
)
from nodeworthy.facts.slurm.hostlist import names_of
from nodeworthy.verdict import NotKnown, Place

CONF, GRES = Place("slurm.conf"), Place("gres.conf")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gpu1", ["gpu1"]),
        ("gpu[08-10,2],cpu1", ["gpu08", "gpu09", "gpu10", "gpu2", "cpu1"]),
        ("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
        ("/dev/nvidia[0-1]", ["/dev/nvidia0", "/dev/nvidia1"]),
        ("gpu[1-", None),
        ("gpu[a-b]", None),
        ("gpu[1-99999999]", None),
        ("", []),
    ],
)
def test_names(text: str, expected: list[str] | None) -> None:
    assert names_of(text) == expected


def test_a_line_goes_on_and_a_comment_ends_it() -> None:
    (row,) = rows("# all of them\nNodeName=a CPUs=4 \\\n  Gres=gpu:2 # two\n\n", CONF)
    assert (row.text("gres"), row.pairs["gres"].place, row.place) == (
        "gpu:2",
        Place("slurm.conf", 3, 8),
        Place("slurm.conf", 2, 1),
    )


@pytest.mark.parametrize(
    ("gres", "expected"),
    [
        ("gpu", [Gpus(None, 1)]),
        ("gpu:8", [Gpus(None, 8)]),
        ("gpu:a100:4,mps:400,gpu:a100_1g.5gb:7(S:0)", [Gpus("a100", 4), Gpus("a100_1g.5gb", 7)]),
        ("shard:8", []),
        ("gpu:1g.10gb:7", [Gpus("1g.10gb", 7)]),
        ("gpu:3g.40gb", [Gpus("3g.40gb", 1)]),
    ],
)
def test_what_a_node_is_said_to_have(gres: str, expected: list[Gpus]) -> None:
    (row,) = rows(f"NodeName=a Gres={gres}", CONF)
    assert gpus_of_node(row) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Name=gpu File=/dev/nvidia[0-7]", Gpus(None, 8)),
        ("Name=gpu Type=a100 File=/dev/nvidia0,/dev/nvidia2", Gpus("a100", 2)),
        ("Name=gpu Count=3", Gpus(None, 3)),
        ("Name=gpu", Gpus(None, 1)),
        ("Name=gpu MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap21", None),
        ("Name=gpu Count=1K", None),
        ("Name=gpu File=/dev/nvidia[x]", None),
    ],
)
def test_what_a_line_of_gres_conf_has(line: str, expected: Gpus | None) -> None:
    (row,) = gres_conf(line, GRES).gpus
    assert gpus_of_row(row) == expected


def test_a_number_that_nobody_understands_is_not_known() -> None:
    (row,) = rows("NodeName=a Gres=gpu:a100:2K", CONF)
    with pytest.raises(NotKnown, match="not understood"):
        gpus_of_node(row)


def test_what_is_filled_in_later_is_not_known() -> None:
    (row,) = gres_conf("Name=gpu File=/dev/nvidia[0-{{ last }}]", GRES).gpus
    with pytest.raises(NotKnown, match="filled in later"):
        gpus_of_row(row)


def short(conf: str, gres: str) -> list[tuple[int, int]]:
    return [(each.has, each.said.count) for each in short_nodes(slurm_conf(conf, CONF), gres_conf(gres, GRES))]


@pytest.mark.parametrize(
    ("conf", "gres", "expected"),
    [
        ("NodeName=a[1-2] Gres=gpu:8", "Name=gpu File=/dev/nvidia[0-7]", []),
        ("NodeName=a[1-2] Gres=gpu:8", "Name=gpu File=/dev/nvidia[0-6]", [(7, 8)]),
        ("NodeName=a[1-2] Gres=gpu:8", "Name=gpu File=/dev/nvidia[0-8]", []),
        ("NodeName=a[1-2] Gres=gpu:a100:2", "Name=gpu Type=A100 File=/dev/nvidia[0-1]", []),
        ("NodeName=a[1-2] Gres=gpu:a100:2", "Name=gpu Type=h100 File=/dev/nvidia[0-1]", [(0, 2)]),
        # Whoever says no type takes any.
        ("NodeName=a[1-2] Gres=gpu:2", "Name=gpu Type=h100 File=/dev/nvidia[0-1]", []),
        ("NodeName=a[1-2] Gres=gpu:a100:2", "Name=gpu File=/dev/nvidia[0-1]", []),
        ("NodeName=a[1-2] Gres=gpu:2", "NodeName=a2 Name=gpu File=/dev/nvidia0", [(1, 2)]),
        ("NodeName=a[1-2] Gres=gpu:2", "NodeName=b1 Name=gpu File=/dev/nvidia0", []),
        ("NodeName=DEFAULT Gres=gpu:2\nNodeName=a", "Name=gpu File=/dev/nvidia0", [(1, 2)]),
        # The file of one kind of node, and of which one nobody says.
        ("NodeName=a Gres=gpu:2\nNodeName=b Gres=gpu:4", "Name=gpu File=/dev/nvidia[0-1]", []),
        ("NodeName=a Gres=gpu:2\nNodeName=b Gres=gpu:4", "NodeName=a,b Name=gpu File=/dev/nvidia[0-1]", [(2, 4)]),
        ("NodeName=a Gres=gpu:8", "Name=gpu MultipleFiles=/dev/nvidia0", []),
    ],
)
def test_nodes_with_fewer_than_promised(conf: str, gres: str, expected: list[tuple[int, int]]) -> None:
    assert short(conf, gres) == expected


@pytest.mark.parametrize(
    ("line", "detects"), [("AutoDetect=nvml", True), ("AutoDetect=off", False), ("Name=gpu AutoDetect=nvidia", True)]
)
def test_slurm_may_find_them_by_itself(line: str, detects: bool) -> None:
    assert gres_conf(line, GRES).detects is detects


CLUSTER = """\
NodeName=a[1-4] Gres=gpu:a100:4
NodeName=h1 Gres=gpu:h100:8
NodeName=c1
PartitionName=ampere Nodes=a[1-4]
PartitionName=every Nodes=ALL
PartitionName=cpu Nodes=c1
"""


@pytest.mark.parametrize(
    ("name", "kind", "most"),
    [
        ("ampere", None, 4),
        ("ampere", "h100", 0),
        ("every", None, 8),
        ("every", "a100", 4),
        ("every", "h100", 8),
        # Asked of Slurm 22.05: a type is its whole name, letter by letter.
        ("every", "nvidia_h100_80gb_hbm3", 0),
        ("every", "H100", 0),
        ("cpu", None, 0),
    ],
)
def test_the_most_that_a_node_of_a_partition_has(name: str, kind: str | None, most: int) -> None:
    conf = slurm_conf(CLUSTER, CONF)
    partition = partition_of(conf, name)
    assert partition is not None
    assert most_of_type(gpus_in_partition(conf, partition), kind) == most


@pytest.mark.parametrize("more", ["Include nodes.conf\n", "{% include 'nodes.j2' %}\n"])
def test_nothing_is_told_of_partitions_where_more_is_said_elsewhere(more: str) -> None:
    assert partition_of(slurm_conf(CLUSTER + more, CONF), "ampere") is None
    assert partition_of(slurm_conf(CLUSTER, CONF), "hopper") is None


@pytest.mark.parametrize(
    ("nodes", "partition", "most"),
    [("a1", "a1", 4), ("a2", "a1", 0), ("a[1-", "a1", 4), ("a1", "a[1-", 4), ("a[1-", "a[1-", 4)],
)
def test_a_node_whose_name_cannot_be_told_may_be_in_any_partition(nodes: str, partition: str, most: int) -> None:
    """And a partition whose nodes can't be told may have any of them."""
    conf = slurm_conf(f"NodeName={nodes} Gres=gpu:4\nPartitionName=p Nodes={partition}", CONF)
    (only,) = conf.partitions
    assert most_of_type(gpus_in_partition(conf, only), None) == most


@pytest.mark.parametrize(
    ("partition", "unknown"),
    [("Nodes=a1", []), ("Nodes=a1,b[1-2]", ["b1", "b2"]), ("Nodes=all", []), ("Nodes=a[1-", []), ("MaxTime=1-0", [])],
)
def test_nodes_of_a_partition_that_nobody_defines(partition: str, unknown: list[str]) -> None:
    conf = slurm_conf(f"NodeName=a[1-2] CPUs=64\nPartitionName=p {partition}", CONF)
    (only,) = conf.partitions
    assert unknown_nodes(conf, only) == unknown


@pytest.mark.parametrize(
    ("name", "more", "is_included"),
    [
        ("partition.conf", "", True),
        ("slurm.conf", "", False),
        ("slurm.conf.j2", "", False),
        ("cluster.conf", "ClusterName=train\n", False),
        ("cluster.conf", "SlurmctldHost=head\n", False),
        ("cluster.conf", "ControlMachine=head\n", False),
    ],
)
def test_a_part_says_nothing_of_the_whole(name: str, more: str, *, is_included: bool) -> None:
    """Another file includes it, and has what every slurm.conf must have."""
    text = f"{more}NodeName=a1 Gres=gpu:8\nPartitionName=p Nodes=a1\n"
    assert slurm_conf(text, Place(path=f"etc/{name}")).is_included is is_included
