"""Whatever stands in a file, it is a fleet or it is refused with a place; never a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nodeworthy.documents.tree import plant
from nodeworthy.documents.yaml import read
from nodeworthy.errors import InputError
from nodeworthy.facts.fleet.pool_claim import pool_claims
from nodeworthy.facts.operator.fleet_operator import operator_of_fleet
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.read import Malformed, read_fleet, read_fleet_file
from nodeworthy.report import fleet as report
from nodeworthy.verdict import Place
from tests.fleet.made_up import ANYTHING, FLEETS, SOUND


def outcome(tree: Any) -> Fleet | Malformed:
    try:
        return read_fleet(tree, "dev")
    except Malformed as refused:
        return refused


@settings(max_examples=60, deadline=None)
@given(SOUND)
def test_a_sound_fleet_reads(data: dict[str, Any]) -> None:
    assert isinstance(read_fleet(plant(data, Place(path="x")), None), Fleet)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(FLEETS)
def test_a_fleet_or_a_refusal(data: dict[str, Any]) -> None:
    read_as = outcome(plant(data, Place(path="Pulumi.dev.yaml")))
    if isinstance(read_as, Malformed):
        assert all(fault.message and fault.place.path == "Pulumi.dev.yaml" for fault in read_as.faults)
        assert "v1:AAAA" not in str(read_as)
        return
    json.dumps(report.as_data(read_as))
    assert read_as.pools
    assert report.text(read_as)
    assert len(pool_claims(read_as)) == len(read_as.pools)
    operator_of_fleet(read_as)
    for pool in read_as.pools:
        assert pool.min <= pool.nodes <= pool.max


@settings(max_examples=35, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(FLEETS)
def test_written_as_yaml_it_is_the_same(data: dict[str, Any]) -> None:
    plain = outcome(plant(data, Place(path="Pulumi.dev.yaml")))
    tree = read(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), Place(path="Pulumi.dev.yaml"))
    assert tree is not None
    written = outcome(tree)
    if isinstance(plain, Malformed):
        assert isinstance(written, Malformed)
        assert sorted(fault.message for fault in written.faults) == sorted(fault.message for fault in plain.faults)
        assert all(fault.place.line and fault.place.column for fault in written.faults)
        return
    assert isinstance(written, Fleet)
    assert _placeless(written) == _placeless(plain)


def _placeless(fleet: Fleet) -> Any:
    data = report.as_data(fleet)
    return {
        **data,
        "pools": [{**pool, "where": None} for pool in data["pools"]],
        "impossible": [{**each, "where": None} for each in data["impossible"]],
    }


@settings(max_examples=35, deadline=None)
@given(ANYTHING)
def test_anything_else_is_refused(data: Any) -> None:
    tree = plant(data, Place(path="x"))
    assert isinstance(outcome(tree), Malformed)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(alphabet="config:nodewrthyfl \n-{}[]&*<!'\"|>%@`1", max_size=120).map(str.encode),
    )
)
def test_any_bytes_end_in_a_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "Pulumi.x.yaml"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"^Pulumi\.x\.yaml"):
        read_fleet_file(path, "Pulumi.x.yaml")
