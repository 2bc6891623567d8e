"""Where values may stand that belong to no release."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.collect.releases import releases
from nodeworthy.documents.tree import plain, plant
from nodeworthy.verdict import Place

VALUES = {"devicePlugin": {"deviceSplitCount": 10}}
OF_A_PROGRAM = {"config": {"aws:region": "us-east-2", "gpu:hami": VALUES, "nodeworthy:fleet": {"hami": VALUES}}}


@pytest.mark.parametrize(
    ("document", "found"),
    [
        pytest.param(VALUES, [VALUES], id="a values file"),
        pytest.param({"config": {"hami": VALUES}}, [{"config": {"hami": VALUES}}], id="a parent chart of that name"),
        pytest.param(OF_A_PROGRAM, ["us-east-2", VALUES], id="stack config, but for the fleet"),
        pytest.param({"apiVersion": "v1", "kind": "Secret", **VALUES}, [], id="an object of Kubernetes"),
    ],
)
def test_what_may_hold_values(document: dict[str, Any], found: list[object]) -> None:
    planted = plant(document, Place(path="some.yaml"))
    assert [plain(each.values) for each in releases(planted)] == found
