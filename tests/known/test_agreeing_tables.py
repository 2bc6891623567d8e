"""The tables agree with each other and with where they were read."""

from __future__ import annotations

import gzip
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from importlib import resources
from pathlib import Path

import pytest

from nodeworthy.known import efa, gpus, instances, releases
from nodeworthy.known.containerd import containerd_of
from nodeworthy.known.evidence import all_evidence
from nodeworthy.known.tables import table_of

# facts as they were read, of which the table must say nothing else
EC2 = {
    "p4d.24xlarge": (8, "A100", 4),
    "p4de.24xlarge": (8, "A100", 4),
    "p5.48xlarge": (8, "H100", 32),
    "p5e.48xlarge": (8, "H200", 32),
    "p5en.48xlarge": (8, "H200", 16),
    "p6-b200.48xlarge": (8, "B200", 8),
    "g4dn.12xlarge": (4, "T4", 1),
    "g5.12xlarge": (4, "A10G", 1),
    "g6.12xlarge": (4, "L4", 1),
    "g6.48xlarge": (8, "L4", 1),
}


@pytest.mark.parametrize("name", EC2)
def test_instance_types(name: str) -> None:
    has = instances.gpus_of(name)
    assert has is not None
    assert (has.count, has.gpu, has.efa) == EC2[name]


def test_every_type_with_gpus_exists_and_its_gpu_is_known() -> None:
    types = [each for gpu in gpus.gpu_names() for each in instances.types_with(gpu)]
    assert len(types) > 60
    for name in types:
        has = instances.gpus_of(name)
        assert instances.exists(name), name
        assert has is not None
        gpu = gpus.gpu_named(has.gpu)
        assert gpu is not None
        assert has.count > 0
        assert not has.nvswitch or gpu.nvswitch
        assert has.memory <= max(gpu.memory)


def test_how_many_gpus_a_type_has_is_as_ec2_tells_it() -> None:
    """As recorded of DescribeInstanceTypes; of the oldest families nothing is recorded any more."""
    import moto

    packed = Path(moto.__file__).with_name("ec2") / "resources" / "instance_types.json.gz"
    recorded = json.loads(gzip.decompress(packed.read_bytes()))
    told = {name: has for name, each in recorded.items() if (has := each.get("GpuInfo", {}).get("Gpus"))}
    compared = {name: instances.gpus_of(name) for name in told if instances.gpus_of(name) is not None}
    assert len(compared) > 50
    assert {name: has.count for name, has in compared.items() if has} == {n: told[n][0]["Count"] for n in compared}
    unknown = {name.partition(".")[0] for name, (has, *_) in told.items() if has["Manufacturer"] == "NVIDIA"}
    # Fractions of a GPU: how many a node offers, nobody says.
    assert unknown - {each.partition(".")[0] for each in compared} == {"g6f", "gr6f"}


def test_each_row_of_gpus_says_when_it_was_compared() -> None:
    folder = resources.files("nodeworthy.known")
    ec2, clouds = (
        tomllib.loads(folder.joinpath(name).read_text(encoding="utf-8"))
        for name in ("instances.toml", "cloud_gpus.toml")
    )
    rows = [*ec2["family"].values(), ec2["without_nvidia"], clouds["gke"], clouds["aks"]]
    assert all(isinstance(each.get("date"), date) and each["source"] for each in rows)


def test_the_list_of_types_is_botocores() -> None:
    import botocore

    assert re.fullmatch(r"botocore [0-9.]+, ec2, InstanceType", instances.instance_types_source())
    made = instances.regenerate().splitlines()
    if instances.instance_types_source() == f"botocore {botocore.__version__}, ec2, InstanceType":
        assert frozenset(made[1:]) == instances.instance_types()
    assert instances.instance_types() <= frozenset(made[1:]) or len(made) > 1400
    assert made[1:] == sorted(made[1:])


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("h100", "H100"), ("A10g", "A10G"), ("NVIDIA H200", "H200"), ("nvidia-l40s", "L40S"), ("Tesla-T4", "T4"),
        ("NVIDIA-H100-80GB-HBM3", "H100"), ("NVIDIA-A100-SXM4-40GB", "A100"), ("Tesla-V100-SXM2-16GB", "V100"),
        ("NVIDIA-A100-PCIE-40GB", "A100"), ("NVIDIA-RTX-A6000", "A6000"), ("rtx pro 6000", "RTX-PRO-6000"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX-PRO-6000"), ("GB200", "GB200"),
        ("H1000", None), ("H", None), ("", None), ("nvidia", None), ("80GB", None), ("100", None),
    ],
)  # fmt: skip
def test_gpu_names(written: str, name: str | None) -> None:
    gpu = gpus.gpu_named(written)
    assert (gpu.name if gpu else None) == name


def test_what_may_have_been_meant() -> None:
    assert gpus.near("H1000")[0] == "H100"
    assert instances.near("p5.48xlrge")[0] == "p5.48xlarge"
    assert instances.near("zzz") == ()


def test_the_operators_releases() -> None:
    versions = [releases.numbers(each.version) or () for each in releases.releases()]
    assert versions == sorted(versions)
    found = {asked: releases.release_of(asked) for asked in ("v25.3.3", "25.3.4", "25.10.1", "v26.3.0-rc.1", "latest")}
    assert {asked: row.version if row else None for asked, row in found.items()} == {
        "v25.3.3": "25.3.3",
        "25.3.4": None,
        "25.10.1": "25.10",
        "v26.3.0-rc.1": "26.3",
        "latest": None,
    }


def test_both_sockets_of_the_strict_snap_are_right() -> None:
    strict = containerd_of("k8s-snap", strict=True)
    assert len(strict.older_sockets) == 1
    assert strict.accepts_socket(str(strict.socket))
    assert strict.accepts_socket(strict.older_sockets[0])
    assert not containerd_of("k8s-snap").older_sockets


def test_efa_is_as_ec2_tells_it() -> None:
    import moto

    assert re.match(r"moto [0-9.]+, ec2, DescribeInstanceTypes", efa.efa_source())
    if efa.efa_source().startswith(f"moto {moto.__version__},"):
        table = resources.files("nodeworthy.known").joinpath(efa.TABLE).read_text(encoding="utf-8")
        assert efa.regenerate() == table


@pytest.mark.parametrize(
    ("name", "has"),
    [
        ("p5.48xlarge", efa.Efa(32)),
        ("p6-b300.48xlarge", efa.Efa(16, first_card=1)),
        ("c7i.4xlarge", efa.Efa(0)),
        ("p99.48xlarge", None),
    ],
)
def test_efa_of_a_type(name: str, has: efa.Efa | None) -> None:
    assert efa.efa_of(name) == has


def _rows_of_nodes() -> Iterator[tuple[str, Mapping[str, object]]]:
    """Whatever says of a machine or an image what its nodes are."""
    known = resources.files("nodeworthy.known")
    read = {name: tomllib.loads(known.joinpath(f"{name}.toml").read_text(encoding="utf-8")) for name in _OF_NODES}
    clouds = read["cloud_gpus"]
    yield from (("image", each) for each in read["node_images"]["image"])
    yield from (("family", each) for each in read["ami_families"]["family"])
    yield from read["instances"]["family"].items()
    runtimes = read["containerd"]
    yield from ((name, runtimes[name]) for name in ("defaults", "registry"))
    for name, row in runtimes["distribution"].items():
        yield from ((name, each) for each in (row, row.get("strict", row), row.get("with_base_dir", row)))
    yield "gone", read["eks_images"]["gone"]
    yield from ((name, {**clouds["gke"], **each}) for name, each in clouds["gke"]["accelerators"].items())
    yield from (*clouds["gke"]["machines"].items(), *clouds["aks"]["sizes"].items())


_OF_NODES = ("node_images", "ami_families", "instances", "cloud_gpus", "containerd", "eks_images")


def test_every_row_of_which_nodes_follow_says_where_it_was_read_and_when() -> None:
    rows = list(_rows_of_nodes())
    assert len(rows) > 80
    assert [name for name, row in rows if not (row.get("source") and isinstance(row.get("date"), date))] == []


def test_whose_words_they_are_is_said_of_entries_that_there_are() -> None:
    groups = table_of("own_words")
    there = {each.id for each in all_evidence()}
    assert [each for ids in groups.values() for each in ids if each not in there] == []
    assert set(groups["says_no_more"]) < set(groups["sees_no_gpu"])
    assert set(groups["of_the_program"]).isdisjoint(groups["sees_no_gpu"])
