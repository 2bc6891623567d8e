"""Where a file lies on a node: told from its name, and from the distribution that reads it."""

from __future__ import annotations

import pytest

from nodeworthy.boot.content import Content, lines_of
from nodeworthy.boot.effects import Writes
from nodeworthy.boot.text import Text
from nodeworthy.facts.node.files import NodeFile, NodeFiles, path_on
from nodeworthy.facts.node.paths import NodeFileKind, spot_of
from nodeworthy.known.containerd import containerd_of, defaults
from nodeworthy.verdict import Place

CONFIG, HOSTS, REGISTRIES, DOCKER = (
    *(NodeFileKind.CONFIG, NodeFileKind.HOSTS),
    *(NodeFileKind.REGISTRIES, NodeFileKind.DOCKER),
)
STOCK, OF_K3S, OF_RKE2 = (
    str(each.config).removesuffix("config.toml") for each in (defaults(), containerd_of("k3s"), containerd_of("rke2"))
)
K3S, RKE2 = containerd_of("k3s").registries, containerd_of("rke2").registries
STRICT = containerd_of("k8s-snap", strict=True)


@pytest.mark.parametrize(
    ("kind", "shown", "distribution", "path"),
    [
        (CONFIG, "config.toml", "", f"{STOCK}config.toml"),
        (CONFIG, "config.toml", "kubeadm", f"{STOCK}config.toml"),
        (CONFIG, "config.toml", "rke2", f"{STOCK}config.toml"),
        (CONFIG, "config.toml", "crio", f"{STOCK}config.toml"),
        # A template is its distribution's own, where nobody says another one.
        (CONFIG, "config.toml.tmpl", "", f"{OF_K3S}config.toml.tmpl"),
        (CONFIG, "config.toml.tmpl", "kubeadm", f"{OF_K3S}config.toml.tmpl"),
        (CONFIG, "config.toml.tmpl", "rke2", f"{OF_RKE2}config.toml.tmpl"),
        (CONFIG, "config-v3.toml.tmpl", "rke2", f"{OF_RKE2}config-v3.toml.tmpl"),
        (REGISTRIES, "registries.yaml", "", K3S),
        (REGISTRIES, "registries.yaml", "rke2", RKE2),
        (REGISTRIES, "registries.yaml", "kubeadm", K3S),
        # Laid out, it lies where it says.
        (REGISTRIES, f"files{K3S}", "rke2", K3S),
        (CONFIG, f"files{STOCK}config.toml", "rke2", f"{STOCK}config.toml"),
        (CONFIG, f"files{OF_RKE2}config.toml.tmpl", "k3s", f"{OF_RKE2}config.toml.tmpl"),
    ],
)  # fmt: skip
def test_where_it_lies(kind: NodeFileKind, shown: str, distribution: str, path: str) -> None:
    assert path_on(_file(kind, shown), containerd_of(distribution) if distribution else None) == path


@pytest.mark.parametrize(
    ("kind", "shown", "path"),
    [
        (CONFIG, "config.toml", f"/srv/k8s{STOCK}config.toml"),
        (CONFIG, f"srv/k8s{STOCK}config.toml", f"/srv/k8s{STOCK}config.toml"),
        (HOSTS, "certs.d/docker.io/hosts.toml", f"/srv/k8s{STOCK}certs.d/docker.io/hosts.toml"),
        (DOCKER, "daemon.json", "/etc/docker/daemon.json"),
    ],
)
def test_what_lies_below_a_folder_of_ones_own(kind: NodeFileKind, shown: str, path: str) -> None:
    assert path_on(_file(kind, shown), containerd_of("k8s-snap", "/srv/k8s")) == path


def test_what_lies_there_already_is_moved_no_further() -> None:
    path = STRICT.config
    assert path_on(_file(CONFIG, f"files{path}"), STRICT) == path
    assert path_on(_file(CONFIG, "config.toml"), STRICT) == path


@pytest.mark.parametrize(
    ("imports", "drop_in", "path"),
    [
        ("/srv/conf.d/*.toml", "conf.d/nvidia.toml", "/srv/conf.d/nvidia.toml"),
        ("/etc/other.d/*.toml", "conf.d/nvidia.toml", f"{STOCK}conf.d/nvidia.toml"),
        ("/srv/conf.d/*.toml", f"files{STOCK}conf.d/nvidia.toml", f"{STOCK}conf.d/nvidia.toml"),
        ("/srv/containerd/*.toml", "config.toml", f"{STOCK}config.toml"),
    ],
)
def test_a_drop_in_lies_where_the_root_file_imports_it_from(imports: str, drop_in: str, path: str) -> None:
    root = _file(CONFIG, f"{STOCK[1:]}config.toml", f'imports = ["/opt/none/*.toml", "{imports}"]\n')
    files = NodeFiles(Place("."), (_file(CONFIG, drop_in), root))
    written = [each.path.shown() for each in files.timeline.of(Writes)]
    assert sorted(written) == sorted([f"{STOCK}config.toml", path])


def _file(kind: NodeFileKind, shown: str, text: str = "") -> NodeFile:
    return NodeFile(Place(shown), kind, Content(lines_of(Text.of(text), Place(shown))), spot_of(kind, shown))
