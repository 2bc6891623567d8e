"""A registry that is mirrored, and the cache that mirrors it: each by its own name."""

from __future__ import annotations

import pytest

from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.known.containerd import registries
from nodeworthy.verdict import Verdict
from tests.case_files import whole

from .recordings import but, part, without
from .test_rules import judged

FOLDER = whole("registry-trusted/good-node-plain-http")
CACHE = "registry-ghcr.gpu-controlplane.svc.cluster.local:5000"
CERTS = f"file {registries().hosts[0]}"
OWN = f"{CERTS}/{CACHE}/hosts.toml"


def verdict(recording: Recording) -> tuple[Verdict, list[str]]:
    fleet = read_fleet_file(FOLDER / "Pulumi.dev.yaml", "Pulumi.dev.yaml")
    found = judged(recording, Declared(fleet))["registry-trusted"]
    return found.verdict, [each.message for each in found.findings]


def mirror(scheme: str) -> str:
    return f'server = "https://ghcr.io"\n\n[host."{scheme}://{CACHE}"]\n  capabilities = ["pull", "resolve"]\n'


@pytest.mark.parametrize(
    ("own", "scheme", "expected"), [(True, "http", True), (True, "https", False), (False, "http", False)]
)
def test_both_are_judged(own: bool, scheme: str, expected: bool) -> None:
    node = load(FOLDER / "node.json")
    node = but(node if own else without(node, OWN), part(f"{CERTS}/ghcr.io/hosts.toml", mirror(scheme)))
    assert (verdict(node)[0] is Verdict.PASS) is expected


def test_it_says_which_way_is_told() -> None:
    node = but(without(load(FOLDER / "node.json"), OWN), part(f"{CERTS}/ghcr.io/hosts.toml", mirror("http")))
    assert verdict(node)[1] == [f"containerd is told of {CACHE} for images of ghcr.io alone, and not by its own name"]
