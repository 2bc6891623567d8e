"""Spans of versions, and the breakages that are told by them."""

from __future__ import annotations

import pytest

from nodeworthy.known.containerd import distributions
from nodeworthy.known.node_images import image_of, named_by_parameter
from nodeworthy.known.releases import breakages
from nodeworthy.known.versions import Span, range_of, span_of
from nodeworthy.rules.operator_release_works.known_breakages import SETTINGS


@pytest.mark.parametrize(
    ("version", "covered"),
    [
        ("25.3.2", False),
        ("25.3.3", True),
        ("v25.3.3", True),
        ("25.3.4", False),
        ("25.3", None),
        ("25", None),
        ("26", False),
        ("24.9", False),
    ],
)
def test_a_version_is_in_a_span_or_not_or_only_some_of_it(version: str, covered: bool | None) -> None:
    asked = span_of(version)
    assert asked is not None
    assert Span((25, 3, 3), (25, 3, 4)).covers(asked) is covered


@pytest.mark.parametrize("version", ["", "latest", "25.3.x", "{{ .Values.version }}", "1..2"])
def test_what_is_no_version_is_none(version: str) -> None:
    assert span_of(version) is None


@pytest.mark.parametrize(
    ("written", "span"),
    [
        ("*", Span()),
        ("25.3.x", Span((25, 3), (25, 4))),
        ("v25.10.*", Span((25, 10), (25, 11))),
        ("~25.3.1", Span((25, 3, 1), (25, 4))),
        ("^25.3.1", Span((25, 3, 1), (26,))),
        (">=25.3.4 <25.4", Span((25, 3, 4), (25, 4))),
        (">= 25.3.4, < 26", Span((25, 3, 4), (26,))),
        (">25.3.3", Span((25, 3, 4))),
        ("<=25.3.3", Span(None, (25, 3, 4))),
    ],
)
def test_ranges_as_helm_takes_them(written: str, span: Span) -> None:
    assert range_of(written) == span


@pytest.mark.parametrize("written", ["25.3 || 26", "{{ version }}", "", "stable"])
def test_a_range_that_is_not_understood_is_none(written: str) -> None:
    assert range_of(written) is None


def test_every_breakage_speaks_of_what_there_is() -> None:
    for each in breakages():
        assert set(each.needs) <= set(SETTINGS), each.id
        assert {*each.distributions, *each.not_on} <= set(distributions()), each.id
        assert all((each.says, each.because, each.remedy, each.source)), each.id
        assert not each.says.endswith("."), each.id
    assert len({each.id for each in breakages()}) == len(breakages())
    assert {each.told_by for each in breakages()} - {""} <= {each.id for each in breakages()}


@pytest.mark.parametrize(
    ("os", "version", "exists"),
    [("al2", "1.32", True), ("al2", "1.33", False), ("ubuntu-24.04", "1.30", False), ("ubuntu-24.04", "1.34", True)],
)
def test_images_of_eks(os: str, version: str, exists: bool) -> None:
    image = image_of(os)
    assert image is not None
    assert image.exists_for(version) is exists


def test_an_image_is_named_by_its_parameter() -> None:
    named = named_by_parameter(
        "resolve:ssm:/aws/service/eks/optimized-ami/1.33/amazon-linux-2-gpu/recommended/image_id"
    )
    assert named is not None
    assert (named[0].os, named[1]) == ("al2", "1.33")
    newer = "resolve:ssm:/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/nvidia/recommended/image_id"
    assert named_by_parameter(newer) is None
