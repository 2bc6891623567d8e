"""What we write for Kubernetes is read by it as it was meant: also a name of random digits that looks like a number."""

from __future__ import annotations

import pytest
import yaml

from nodeworthy.documents.manifest import as_manifest

NUMBERS_TO_KUBECTL = ("31415926", "3141e592", "1E5", "-2e3", "1_0e5", ".5e7", "0o17", "0x1f", "1.5", "1e+9")
NAMES = ("a1e5", "1e5a", "0o18x", "e5", "1.30.4", "v1e5", "0b12g")


@pytest.mark.parametrize("said", NUMBERS_TO_KUBECTL)
def test_what_looks_like_a_number_is_quoted(said: str) -> None:
    assert as_manifest({"labels": {"nodeworthy/run": said}}) == f"labels:\n  nodeworthy/run: '{said}'\n"


@pytest.mark.parametrize("said", NAMES)
def test_a_plain_name_stays_plain(said: str) -> None:
    assert as_manifest({"name": said}) == f"name: {said}\n"


def test_numbers_stay_numbers() -> None:
    written = {"a": 5, "b": 1e20, "c": 0.5, "d": True, "e": None}
    assert yaml.safe_load(as_manifest(written)) == written
