"""Which regions offer a GPU instance type."""

from __future__ import annotations

import pytest

from nodeworthy.known.instances import exists, may_be_newer
from nodeworthy.known.offerings import _list, is_offered, offerings_source, regions_of


@pytest.mark.parametrize(
    ("kind", "region", "offered"),
    [
        ("p5.48xlarge", "us-east-2", True),
        ("p6-b200.48xlarge", "eu-central-1", False),
        ("p6-b200.48xlarge", "mx-central-1", None),
        ("p3.2xlarge", "us-east-1", None),
        ("no.such", "us-east-1", None),
    ],
)
def test_only_of_what_was_asked_something_is_known(kind: str, region: str, offered: bool | None) -> None:
    assert is_offered(kind, region) is offered


def test_every_type_exists_and_every_region_was_asked() -> None:
    _, asked, offered = _list()
    assert offerings_source().startswith("moto ")
    assert all(map(exists, offered))
    assert all(regions and set(regions) <= set(asked) for regions in offered.values())
    assert regions_of("p5e.48xlarge") == offered["p5e.48xlarge"]


@pytest.mark.parametrize(
    ("instance_type", "may_be"),
    [
        ("g9.xlarge", True),
        ("p8e.48xlarge", True),
        ("g66.xlarge", False),
        ("g5.7xlarge", False),
        ("g9.13xlarge", False),
        ("gg9.xlarge", False),
        ("g9", False),
    ],
)
def test_what_may_be_newer_than_the_list(instance_type: str, may_be: bool) -> None:
    assert may_be_newer(instance_type) is may_be
