"""Scripts that are fetched and run, by their address."""

from __future__ import annotations

import pytest

from nodeworthy.known.installers import installer_at


@pytest.mark.parametrize(
    ("url", "joins"),
    [
        ("https://get.k3s.io", "k3s"),
        ("https://get.k3s.io/", "k3s"),
        ("get.rke2.io", "rke2"),
        ("https://get.docker.com", ""),
        ("https://raw.githubusercontent.com/helm/helm/main/scripts/get-helm-3", ""),
    ],
)
def test_a_known_script(url: str, joins: str) -> None:
    found = installer_at(url)
    assert found is not None
    assert found.joins == joins
    assert found.installs
    assert found.source


@pytest.mark.parametrize("url", ["", "https://example.com/get.k3s.io", "https://get.k3s.io.example.com/x", "https://"])
def test_any_other_script_is_not_known(url: str) -> None:
    assert installer_at(url) is None
