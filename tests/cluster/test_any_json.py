"""Whatever a dump holds: it is read as json.loads would read it, and no rule and no reader of ours crashes."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nodeworthy.documents.json_objects import Item, NotJson, Whole, read_objects
from nodeworthy.verdict import Place
from tests.cluster import incident
from tests.run import run_json

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
ANY = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
LISTS = st.fixed_dictionaries(
    {"kind": st.just("List")}, optional={"items": st.lists(ANY, max_size=4), "metadata": ANY, "x": ANY}
)


def read(text: str) -> tuple[list[Any], dict[str, Any]]:
    items, whole = [], None
    for part in read_objects(text, Place(path="x.json")):
        if isinstance(part, Item):
            items.append(part.data)
        else:
            whole = part
    assert isinstance(whole, Whole)
    return items, dict(whole.data)


# How fast inputs are made says how busy the machine is, and nothing of what is tested.
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(LISTS, st.sampled_from([None, 1, 4]))
def test_it_reads_what_json_reads(document: dict[str, Any], indent: int | None) -> None:
    items, rest = read(json.dumps(document, indent=indent))
    assert items == document.get("items", [])
    assert rest == {name: value for name, value in document.items() if name != "items"}


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(LISTS, st.data())
def test_what_json_refuses_it_refuses(document: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(document)
    cut = data.draw(st.integers(0, len(text) - 1))
    put = data.draw(st.sampled_from(["", ",", "}", "]", "{", '"', ":", "x", "\\"]))
    broken = text[:cut] + put + text[cut + 1 :]
    try:
        json.loads(broken)
    except ValueError:
        with pytest.raises(NotJson, match=r"x\.json"):
            read(broken)


def spoilt(data: Any, path: list[int], value: Any) -> Any:
    """A copy with something else at one place."""
    if not path or not isinstance(data, dict | list) or not data:
        return value
    keys = list(data) if isinstance(data, dict) else list(range(len(data)))
    key = keys[path[0] % len(keys)]
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[key] = spoilt(data[key], path[1:], value)
    return copy


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.integers(0, 40), min_size=2, max_size=9), ANY, st.booleans())
def test_no_shape_makes_us_crash(path: list[int], value: Any, fleet: bool) -> None:
    """Any one value of the incident's dump is anything: a verdict comes of it, and never a traceback."""
    kinds = spoilt(incident.incident(), path, value)
    with tempfile.TemporaryDirectory() as folder:
        for name, objects in kinds.items() if isinstance(kinds, dict) else ():
            written = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
            Path(folder, f"{name}.json").write_text(written)
        Path(folder, "Pulumi.onprem.yaml").write_text(incident.FLEET)
        with_fleet = ("--fleet", "Pulumi.onprem.yaml") if fleet else ()
        ran = run_json("diagnose", "--from", ".", *with_fleet, cwd=Path(folder))
    assert ran.code in (0, 1, 3), ran.err
    assert [each for each in ran.findings if each["rule"] == "rule-crashed"] == []
