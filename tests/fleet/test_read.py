"""A fleet reads as it was written, and what it leaves out follows from what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nodeworthy.documents.tree import plant
from nodeworthy.documents.yaml import NotYaml
from nodeworthy.errors import InputError
from nodeworthy.fleet.model import CapacityKind, Driver, Firewall, Fleet, Pool, has_fleet
from nodeworthy.fleet.os import boot_script_kind
from nodeworthy.fleet.read import Malformed, read_fleet, read_fleet_file, refuse_impossible, stack_of
from nodeworthy.known.containerd import containerd_of
from nodeworthy.verdict import Known, Located, Place, Unknown, need
from tests.fleet.reading import fleet_of, with_pool

EXAMPLE = Path(__file__).with_name("Pulumi.example.yaml")


@pytest.fixture(scope="module")
def example() -> Fleet:
    return read_fleet_file(EXAMPLE, EXAMPLE.name)


def only_pool(*lines: str) -> Pool:
    return fleet_of(with_pool(*lines)).pools[0]


def is_unknown(located: Located[Any] | None) -> bool:
    assert located is not None
    return isinstance(located.state, Unknown)


def test_the_example_reads_whole(example: Fleet) -> None:
    assert (example.stack, example.region) == ("example", "us-east-2")
    assert need(example.cluster.name) == "gpu-dev"
    assert need(example.network.zone) == "us-east-2a"
    assert [need(each) for each in example.network.node_ports_from] == ["10.0.0.0/8"]
    assert [(each.port, each.why) for each in example.network.open_to_the_world] == [(443, "public API")]
    cache = example.registries[0]
    assert (need(cache.host), cache.plain_http, cache.mirrors) == (
        "registry-ghcr.gpu-controlplane.svc.cluster.local:5000",
        True,
        "ghcr.io",
    )
    assert example.operator is not None
    assert need(example.operator.chart) == "26.3.0"
    assert example.storage is not None
    assert (example.storage.kind, example.storage.mount) == ("efs", "/shared")
    assert example.monitoring is not None
    assert (example.monitoring.retention, example.monitoring.volume) == ("15d", "50Gi")
    assert example.monitoring.grafana_node_port == 30080
    assert example.queue is not None
    assert example.queue.volume == "100Gi"
    assert example.hami is not None
    assert example.hami.namespace == "hami-system"
    assert example.impossible == ()


def test_the_examples_pools(example: Fleet) -> None:
    h100, onprem, cpu = example.pools
    assert h100.gpu is not None
    assert (need(h100.gpu), need(h100.gpus_per_node), h100.nodes, h100.min, h100.max) == ("H100", 8, 2, 2, 2)
    assert (h100.driver, h100.capacity.kind, h100.capacity.id) == (Driver.AMI, CapacityKind.BLOCK, "cr-0123")
    assert (h100.firewall, h100.profiling_dedicated, h100.provision) == (Firewall.NONE, 1, True)
    assert need(onprem.runtime) == containerd_of("k8s-snap", "/var/lib/k8s-containerd/k8s-containerd")
    assert not onprem.provision
    assert is_unknown(onprem.gpus_per_node)
    assert (cpu.gpu, cpu.nodes, cpu.min, cpu.max) == (None, 2, 1, 4)
    assert [pool.name for pool in example.gpu_pools] == ["h100", "onprem"]


def test_places_are_those_of_the_file(example: Fleet) -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    place = example.pools[1].runtime.place
    assert (place.path, place.subject) == (EXAMPLE.name, "this base dir")
    assert lines[(place.line or 0) - 1][(place.column or 0) - 1 :].startswith("/var/lib/k8s-containerd")
    gpu = example.pools[0].gpu
    assert gpu is not None
    assert (gpu.place.subject, lines[(gpu.place.line or 0) - 1].strip()[:9]) == ("pools.h100.gpu", "gpu: h100")


def test_everything_but_a_name_and_a_pool_has_a_default() -> None:
    fleet = fleet_of("cluster: {name: x}\npools: {a: }")
    assert need(fleet.cluster.version) == "1.34"
    assert need(fleet.cluster.service_cidr) == "172.20.0.0/16"
    assert need(fleet.cluster.pod_cidr) == need(fleet.network.vpc_cidr) == "10.0.0.0/16"
    assert fleet.operator is not None
    assert fleet.registries == ()
    assert (fleet.storage, fleet.monitoring, fleet.queue, fleet.hami) == (None, None, None, None)
    pool = fleet.pools[0]
    assert (pool.nodes, pool.min, pool.max, need(pool.os), need(pool.distribution)) == (1, 1, 1, "al2023", "eks-al2023")
    assert not pool.os.written


def test_a_system_is_there_when_it_is_named() -> None:
    fleet = fleet_of("cluster: {name: x}\npools: {a: {}}\nstorage:\nqueue: {}\nhami: false\noperator: false")
    assert fleet.storage is not None
    assert (fleet.storage.kind, fleet.storage.mount) == ("efs", "/shared")
    assert fleet.queue is not None
    assert (fleet.operator, fleet.hami, fleet.monitoring) == (None, None, None)


@pytest.mark.parametrize(
    ("lines", "os", "distribution"),
    [
        (["os: al2"], "al2", "eks-al2"),
        (["os: bottlerocket"], "bottlerocket", "bottlerocket"),
        (["os: ubuntu-22.04", "instanceType: g4dn.12xlarge"], "ubuntu-22.04", "eks-ubuntu"),
        (["os: ubuntu-22.04"], "ubuntu-22.04", None),
        (["distribution: eks-al2"], "al2", "eks-al2"),
        (["distribution: bottlerocket"], "bottlerocket", "bottlerocket"),
        (["distribution: eks-ubuntu"], None, "eks-ubuntu"),
        (["distribution: k8s-snap"], None, "k8s-snap"),
        (["distribution: k8s-snap", "os: ubuntu-24.04"], "ubuntu-24.04", "k8s-snap"),
        (["distribution: {secure: v1:abc=}"], None, None),
    ],
)
def test_os_and_distribution_follow_from_each_other(lines: list[str], os: str | None, distribution: str | None) -> None:
    pool = only_pool(*lines)
    assert (None if is_unknown(pool.os) else need(pool.os)) == os
    assert (None if is_unknown(pool.distribution) else need(pool.distribution)) == distribution
    assert is_unknown(pool.runtime) == (distribution is None)


@pytest.mark.parametrize(
    ("lines", "gpu", "count"),
    [
        (["gpu: h100", "gpusPerNode: 8"], "H100", 8),
        (["gpu: A10g", "instanceType: g5.12xlarge"], "A10G", 4),
        (["instanceType: p6-b200.48xlarge"], "B200", 8),
        (["gpu: NVIDIA-H100-80GB-HBM3", "gpusPerNode: 8"], "H100", 8),
        (["gpu: Tesla T4", "gpusPerNode: 1"], "T4", 1),
        (["instanceType: c7i.4xlarge"], None, 0),
    ],
)
def test_gpus_follow_from_the_type(lines: list[str], gpu: str | None, count: int) -> None:
    pool = only_pool(*lines)
    assert (need(pool.gpu) if pool.gpu else None) == gpu
    assert need(pool.gpus_per_node) == count
    assert pool.is_gpu == (gpu is not None)


def test_the_driver_comes_from_the_image_where_it_has_one() -> None:
    assert only_pool("gpu: h100").driver is Driver.AMI
    assert only_pool("gpu: h100", "distribution: k8s-snap").driver is Driver.OPERATOR


def test_a_pool_is_built_where_it_has_an_instance_type() -> None:
    built, checked = only_pool("instanceType: p5.48xlarge"), only_pool("gpu: h100", "distribution: k8s-snap")
    assert (built.provision, checked.provision) == (True, False)
    assert (boot_script_kind(built), boot_script_kind(checked)) == ("NodeConfig", None)


def test_ranges_off_eks_are_not_ours_to_invent() -> None:
    fleet = fleet_of(with_pool("gpu: h200", "distribution: k8s-snap"))
    assert is_unknown(fleet.cluster.pod_cidr)
    given = fleet_of("cluster: {name: x, podCidr: 10.1.0.0/16}\npools: {a: {distribution: k8s-snap}}")
    assert need(given.cluster.pod_cidr) == "10.1.0.0/16"


def test_what_is_encrypted_is_unknown_and_secret() -> None:
    fleet = fleet_of(
        """\
        cluster: {name: {secure: v1:abc=}}
        operator:
          values:
            toolkit: {env: {secure: v1:def=}}
            license: {key: {secure: v1:ghi=}, list: [{secure: v1:jkl=}]}
        pools: {a: {gpu: {secure: v1:mno=}}}
        """
    )
    assert is_unknown(fleet.cluster.name)
    assert fleet.cluster.name.secret
    assert is_unknown(fleet.pools[0].gpu)
    assert fleet.operator is not None
    values = fleet.operator.values
    for hidden in (
        values.get("toolkit", "env"),
        values.get("license", "key"),
        values.get("license", "list").sequence[0],
    ):
        assert hidden.is_unknown
        assert hidden.secret
    assert "v1:" not in str(values.get("license", "key"))


def test_anchors_and_merge_keys_read_as_yaml_means_them() -> None:
    fleet = fleet_of(
        """\
        cluster: {name: x}
        pools:
          a: &a {gpu: h100, instanceType: p5.48xlarge, nodes: 2}
          b: {<<: *a, nodes: 4}
        """
    )
    assert [(pool.name, pool.nodes) for pool in fleet.pools] == [("a", 2), ("b", 4)]


def test_a_fleet_that_a_program_was_given_reads_the_same() -> None:
    data = {"cluster": {"name": "x"}, "pools": {"a": {"gpu": "t4", "instanceType": "g4dn.12xlarge", "nodes": 2}}}
    fleet = read_fleet(plant(data, Place(urn="urn:pulumi:dev::nodeworthy::pulumi:pulumi:Stack::x")), "dev")
    assert need(fleet.pools[0].gpus_per_node) == 4
    with pytest.raises(Malformed, match=r'pools\.a\.nodes is "two", and must be a whole number'):
        read_fleet(plant({**data, "pools": {"a": {"nodes": "two"}}}, Place(path="stack dev")), "dev")


def test_what_is_a_fleet() -> None:
    assert has_fleet(plant({"config": {"nodeworthy:fleet": {}}}, Place()))
    assert has_fleet(plant({"cluster": {"name": "x"}, "pools": {"a": {}}}, Place()))
    others: tuple[Any, ...] = (
        {"config": {"aws:region": "x"}},
        {"config": None},
        {"cluster": "x", "pools": {}},
        {"pools": {}},
        [],
        {"cluster": {}, "pools": {}, "provider": "other"},
    )
    for other in others:
        assert not has_fleet(plant(other, Place()))


def test_the_rest_of_the_config_is_kept() -> None:
    fleet = fleet_of(
        "config:\n  aws:region: eu-north-1\n  other:token: {secure: v1:abc=}\n"
        "  nodeworthy:fleet: {cluster: {name: x}, pools: {a: {}}}"
    )
    assert fleet.config["aws:region"].text == "eu-north-1"
    assert fleet.config["other:token"].is_unknown
    assert need(fleet.network.zone) == "eu-north-1a"


@pytest.mark.parametrize(
    ("name", "stack"),
    [("Pulumi.dev.yaml", "dev"), ("Pulumi.eu.prod.yml", "eu.prod"), ("Pulumi.yaml", None), ("fleet.yaml", None)],
)
def test_the_stack_stands_in_the_name(name: str, stack: str | None) -> None:
    assert stack_of(Path(name)) == stack


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "Pulumi.x.yaml: the file is empty"),
        (b"config: [", "Pulumi.x.yaml:2:1: not YAML: "),
        (b"\xff\xfec\x00", "Pulumi.x.yaml is UTF-16; save it as UTF-8"),
        (b"config: \x00", "Pulumi.x.yaml: not YAML: "),
        (b"just words", "Pulumi.x.yaml:1:1: there is no nodeworthy:fleet under config"),
        (b"\xef\xbb\xbfcluster: {name: x}\r\npools: {a: {nodes: -1}}\r\n", "Pulumi.x.yaml:2:20: pools.a.nodes is -1"),
        (b"a: " + b"[" * 30000, "Pulumi.x.yaml:"),
        (b"x" * 10_000_001, "Pulumi.x.yaml is larger than a fleet may be: 10 MB"),
    ],
)
def test_a_file_that_is_no_fleet_is_one_sentence(data: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.x.yaml"
    path.write_bytes(data)
    with pytest.raises(InputError) as refused:
        read_fleet_file(path, "Pulumi.x.yaml")
    assert str(refused.value).startswith(says)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"can't read gone\.yaml: No such file"):
        read_fleet_file(tmp_path / "gone.yaml", "gone.yaml")


@pytest.mark.parametrize(
    "values",
    [
        "    loop: &l {again: *l}\n",
        "    x: &a0 [1]\n" + "".join(f"    y{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)),
    ],
    ids=["in a circle", "multiplied"],
)
def test_endless_aliases_end(values: str) -> None:
    with pytest.raises(NotYaml, match=r"aliases|within what it names"):
        fleet_of(f"cluster: {{name: x}}\npools: {{a: {{}}}}\noperator:\n  values:\n{values}")


def test_an_impossible_fleet_is_refused_where_others_are_judged_by_it() -> None:
    fleet = fleet_of(with_pool("gpu: h1000"))
    assert is_unknown(fleet.pools[0].gpu)
    with pytest.raises(
        Malformed, match=r"Pulumi.dev.yaml:4:10: pool 'p': `h1000` is not a GPU we know; did you mean H100"
    ):
        refuse_impossible(fleet)
    refuse_impossible(fleet_of(with_pool("gpu: h100")))


def test_known_state_of_an_encrypted_instance_type() -> None:
    pool = only_pool("gpu: h100", "instanceType: {secure: v1:abc=}")
    assert is_unknown(pool.gpus_per_node)
    assert pool.gpu is not None
    assert pool.gpu.state == Known("H100")
