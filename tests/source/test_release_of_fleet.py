"""Settings that don't say of which release they are have that of the fleet beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import run_json
from tests.source.texts import K3S, fleet, values

SETTINGS = values(K3S.socket or "")
FLUX = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: gpu-operator}\n"
CHART = "  chart: {spec: {chart: gpu-operator"
INSIDE = "".join(f"    {line}\n" for line in SETTINGS.splitlines())
CUSTOM_SOCKET = "it does not mount the folder of CONTAINERD_SOCKET into its toolkit"


def told(here: Path, text: str, operator: str, *paths: str) -> list[tuple[str, int]]:
    (here / "Pulumi.edge.yaml").write_text(fleet().replace("operator: false", f"operator: {operator}"))
    (here / "values.yaml").write_text(text)
    ran = run_json("check", *paths, "--rule", "operator-release-works")
    assert all(CUSTOM_SOCKET in each["message"] for each in ran.findings)
    return [(each["where"]["path"], each["where"]["line"]) for each in ran.findings]


def test_it_is_told_where_the_settings_are(here: Path) -> None:
    assert told(here, SETTINGS, "{chart: 25.3.3}", "values.yaml") == [("values.yaml", 4)]


def test_each_file_is_told_of_whichever_of_them_is_named(here: Path) -> None:
    assert told(here, SETTINGS, "{chart: 25.3.3}", ".") == [("Pulumi.edge.yaml", 4), ("values.yaml", 4)]


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        (SETTINGS, "{chart: 25.3.4}"),
        (SETTINGS, "false"),
        (f"{FLUX}spec:\n{CHART}}}}}\n  values:\n{INSIDE}", "{chart: 25.3.3}"),
        (f"{FLUX}spec:\n{CHART}, version: 25.3.4}}}}\n  values:\n{INSIDE}", "{chart: 25.3.3}"),
    ],
    ids=["another release", "no operator", "the newest", "a release of its own"],
)
def test_what_another_release_does_is_not_told(here: Path, text: str, operator: str) -> None:
    assert told(here, text, operator, "values.yaml") == []


def test_a_release_that_nobody_wrote_is_none(here: Path) -> None:
    told(here, SETTINGS, "{}", "values.yaml")
    ran = run_json("check", "values.yaml", "--rule", "operator-release-works", "--show-passed")
    assert [each["verdict"] for each in ran.findings] == ["skip"]
