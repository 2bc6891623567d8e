"""A chart's values as a release has them: by the chart's name, by what is in them, under a parent chart's key."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from nodeworthy.documents.release import OF_ITS_CHART, Chart, Release, chart_name
from nodeworthy.documents.tree import absent, plain, plant
from nodeworthy.verdict import Place

AT = Place(path="release.yaml", line=1)
TEA = Chart(
    lambda name: name == "tea", lambda tree: "leaves" in tree.mapping, lambda name, _: name == "tea", ("herbal-tea",)
)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("gpu-operator", "gpu-operator"),
        ("nvidia/gpu-operator", "gpu-operator"),
        ("oci://mirror.example.com/charts/gpu-operator/", "gpu-operator"),
        ("./charts/gpu-operator-v25.3.4.tgz", "gpu-operator"),
        ("my-gpu-operator-2", "my-gpu-operator-2"),
        (None, ""),
    ],
)
def test_a_charts_name(written: str | None, name: str) -> None:
    assert chart_name(plant(written, AT)) == name


def release(chart: str | None, values: Any) -> Release:
    return Release("Helmfile", "Helmfile 'x'", AT, plant(chart, AT), absent(AT), plant(values, Place("values.yaml", 7)))


@pytest.mark.parametrize(
    ("chart", "values", "found"),
    [
        pytest.param("tea", {"cups": 2}, [{"cups": 2}], id="its own, whatever is in it"),
        pytest.param("tea", None, [{}], id="its own, with nothing said"),
        pytest.param("copy", {"leaves": 3}, [{"leaves": 3}], id="a copy of it under another name"),
        pytest.param("shop", {"tea": {"cups": 2}}, [{"cups": 2}], id="a part of another chart"),
        pytest.param("shop", {"tea": {"enabled": False, "cups": 2}}, [], id="a part that is off"),
        pytest.param("shop", {"a": {"b": {"c": {"tea": {}}}}}, [{}], id="a part of parts"),
        pytest.param("shop", {"a": {"b": {"c": {"d": {"e": {"tea": {}}}}}}}, [], id="too deep"),
        pytest.param("herbal-tea", {"leaves": 3}, [], id="a chart that shares its words"),
        pytest.param("shop", ["leaves"], [], id="no values at all"),
    ],
)
def test_a_product_in_a_release(chart: str, values: Any, found: list[Any]) -> None:
    assert [plain(each.values) for each in TEA.within(release(chart, values))] == found


def test_a_parent_chart_may_say_more_of_its_parts() -> None:
    [alone] = TEA.within(release("tea", {"cups": 2}))
    [part] = TEA.within(release("shop", {"tea": {"cups": 2}}))
    [hidden] = TEA.within(replace(release("shop", {"tea": {}}), elsewhere="a Secret may hold it"))
    assert (alone.elsewhere, part.elsewhere, hidden.elsewhere) == (None, OF_ITS_CHART, "a Secret may hold it")
    assert part.place == AT


def test_what_nobody_installs_stands_where_it_is_written() -> None:
    [found] = TEA.within(replace(release(None, {"tea": {"cups": 2}}), is_installed=False))
    assert (found.place.path, found.place.line, found.place.subject, found.elsewhere) == ("values.yaml", 7, "tea", None)
