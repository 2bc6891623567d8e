"""The JSON Schema says of a file what the reader says of it, as far as a schema can."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from nodeworthy.documents.tree import plant
from nodeworthy.fleet.declaration import FLEET
from nodeworthy.fleet.model import KEY
from nodeworthy.fleet.read import Malformed, read_fleet
from nodeworthy.fleet.schema import schema_of_stack
from nodeworthy.fleet.shape import Items, Named, Record
from nodeworthy.verdict import Place
from tests.fleet.reading import with_pool
from tests.fleet.test_refusals import OTHERS
from tests.fleet.test_refused_pools import POOLS
from tests.run import run

SCHEMA = schema_of_stack(FLEET, KEY)
VALIDATOR = Draft202012Validator(SCHEMA)
EXAMPLE = Path(__file__).with_name("Pulumi.example.yaml")
# What a schema can't know: two keys against each other, the world, or whether a string is a range.
BEYOND = {
    "min above nodes", "max below nodes", "GPUs of nothing", "key twice", "os against distribution",
    "snap on Amazon Linux", "os on COS", "base dir elsewhere", "confinement elsewhere",
    "base dir under strict confinement", "base dir not absolute", "block without id", "reservation without id",
    "id of nothing", "more profiling than nodes", "provision without a type",
}  # fmt: skip


def stack(text: str) -> Any:
    return {"config": {KEY: yaml.safe_load(text)}}


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_example_fits_it() -> None:
    VALIDATOR.validate(yaml.safe_load(EXAMPLE.read_text(encoding="utf-8")))


def test_the_least_fleet_fits_it() -> None:
    VALIDATOR.validate(stack("cluster: {name: x}\npools: {a: }\noperator: false\nstorage:"))


@pytest.mark.parametrize("name", sorted(set(POOLS) - BEYOND))
def test_it_refuses_what_the_reader_refuses(name: str) -> None:
    assert not VALIDATOR.is_valid(stack(with_pool(*POOLS[name][0])))


@pytest.mark.parametrize(
    "name", ["no cluster", "no pool", "pool as text", "system misspelt", "open port", "chart unquoted"]
)
def test_it_refuses_the_rest(name: str) -> None:
    assert not VALIDATOR.is_valid(stack(OTHERS[name][0]))


def test_an_encrypted_value_may_stand_for_another() -> None:
    assert VALIDATOR.is_valid(stack("cluster: {name: {secure: v1:abc=}}\npools: {a: {gpu: {secure: v1:abc=}}}"))


def test_every_key_is_described_and_every_example_reads() -> None:
    for path, field in _fields(FLEET, ""):
        assert field.about, path


def _fields(record: Record, path: str) -> Any:
    for name, field in record.fields.items():
        yield f"{path}.{name}", field
        kind = field.kind.of if isinstance(field.kind, (Items, Named)) else field.kind
        if isinstance(kind, Record):
            yield from _fields(kind, f"{path}.{name}")


def test_every_default_that_is_said_is_one_that_reads() -> None:
    """A fleet in which every default is written out reads, and is the fleet without them."""
    written = {"cluster": {"name": "x", **_defaults("cluster")}, "pools": {"a": _defaults("pools")}}
    for system in ("network", "operator", "storage", "monitoring", "queue", "hami"):
        written[system] = _defaults(system)
    written["pools"]["a"].pop("snapConfinement")  # of the k8s snap alone
    fleet = read_fleet(plant(written, Place(path="x")), None)
    least = read_fleet(plant({"cluster": {"name": "x"}, "pools": {"a": {}}}, Place(path="x")), None)
    assert fleet.cluster.version.state == least.cluster.version.state
    assert fleet.network.vpc_cidr.state == least.network.vpc_cidr.state
    assert [each.state for each in fleet.network.node_ports_from] == [
        each.state for each in least.network.node_ports_from
    ]
    assert (fleet.pools[0].nodes, fleet.pools[0].os.state) == (least.pools[0].nodes, least.pools[0].os.state)
    assert fleet.pools[0].capacity.kind == least.pools[0].capacity.kind


def _defaults(name: str) -> dict[str, Any]:
    kind = FLEET.fields[name].kind
    record = kind.of if isinstance(kind, Named) else kind
    assert isinstance(record, Record)
    return {key: field.default for key, field in record.fields.items() if field.default is not None}


def test_the_command_prints_it() -> None:
    ran = run("fleet", "schema")
    assert ran.code == 0
    assert json.loads(ran.out) == SCHEMA


def test_the_reader_and_the_schema_know_the_same_distributions() -> None:
    with pytest.raises(Malformed):
        read_fleet(plant({"cluster": {"name": "x"}, "pools": {"a": {"distribution": "k8s"}}}, Place()), None)
