"""Without a fleet: a config and a socket that no distribution has together."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.known.containerd import Containerd, containerd_of, distributions
from tests.run import Ran, run_json

STRICT = containerd_of("k8s-snap", strict=True)
ALL = [each for each in [*map(containerd_of, distributions()), STRICT] if each.socket]
STOCK, K3S, RKE2 = map(containerd_of, ("kubeadm", "k3s", "rke2"))
K0S_DROP_IN = "/".join((*containerd_of("k0s").config_folders, "nvidia.toml"))


def judged(here: Path, config: str | None, socket: str | None, *more: str) -> Ran:
    env = [("CONTAINERD_CONFIG", config), ("CONTAINERD_SOCKET", socket)]
    given = "".join(f"    - name: {name}\n      value: {value}\n" for name, value in env if value)
    (here / "values.yaml").write_text(f"toolkit:\n{''.join(more)}  env:\n{given}")
    return run_json("check", "values.yaml", "--rule", "containerd-paths")


@pytest.mark.parametrize("runtime", ALL, ids=lambda each: each.distribution)
def test_what_one_distribution_has_is_not_apart(here: Path, runtime: Containerd) -> None:
    for socket in (runtime.socket, *runtime.older_sockets):
        assert judged(here, runtime.config, socket).code == 3, "nothing says whether it is right, so nothing passes"


@pytest.mark.parametrize(
    ("config", "socket", "line"),
    [
        (STOCK.config, K3S.socket, 4),
        (K3S.config, STOCK.socket, 6),
        (K3S.config, f"/var{STOCK.socket}", 6),
        (RKE2.config, containerd_of("k0s").socket, 4),
        (RKE2.config, None, 4),
        (None, containerd_of("k0s").socket, 4),
    ],
)
def test_what_no_distribution_has_fails_at_the_one_to_change(
    here: Path, config: str | None, socket: str | None, line: int
) -> None:
    ran = judged(here, config, socket)
    assert ran.code == 1
    assert [(each["where"]["line"], len(each["related"])) for each in ran.findings] == [(line, 1)]


@pytest.mark.parametrize("socket", [STOCK.socket, K3S.socket, None])
def test_a_template_is_no_config_beside_any_socket(here: Path, socket: str | None) -> None:
    ran = judged(here, K3S.templates[0], socket)
    assert [(each["where"]["line"], each["should"]) for each in ran.findings] == [(4, K3S.config)]


@pytest.mark.parametrize(
    ("config", "socket"),
    [
        (None, K3S.socket),
        (K0S_DROP_IN, containerd_of("k0s").socket),
        ("/opt/acme/config.toml", STOCK.socket),
        (STOCK.config, "/opt/acme/containerd.sock"),
    ],
)
def test_what_nobody_knows_is_left_alone(here: Path, config: str | None, socket: str) -> None:
    assert judged(here, config, socket).findings == []


@pytest.mark.parametrize("setting", ["  enabled: false\n", "  # nothing\n"])
def test_paths_without_effect_are_not_judged(here: Path, setting: str) -> None:
    ran = judged(here, STOCK.config, K3S.socket, setting)
    assert bool(ran.findings) is (setting != "  enabled: false\n")
