"""The twenty styles turned over: a faulty script is mended and clean, a right one gets a fault and is caught."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

from tests.run import run_json

STYLES = Path(__file__).parent / "styles"
HTTP, HTTPS = "http://$CACHE", "https://$CACHE"
# Replacements of texts of the script, one behind the other.
MENDED: dict[str, list[tuple[str, str]]] = {
    "terraform_al2": [
        ("%{ if enable_profiling ~}\n# Nsight", "# Nsight"),
        ("EOF\n%{ endif ~}\n\nDRIVER", "EOF\n\nDRIVER"),
    ],
    "karpenter": [("https://$REG", "http://$REG")],
    "parallelcluster": [("noatime,flock 0 0", "noatime,flock,_netdev,nofail 0 0")],
    "incident_d": [("systemctl enable containerd", "systemctl enable containerd kubelet")],
    "kubeadm": [("9vr73a.a8uxyaju799qwdjv", '"$TOKEN"')],
    "k3s": [('>> "$AGENT_DIR/config.toml"', '>> "$AGENT_DIR/config.toml.tmpl"')],
    "cloud_config": [("    defer: true\n", "")],
    "gcp": [("env bash -x", "env -S bash -x")],
    "packer": [("gpu-health >/dev/null <<EOF", "gpu-health >/dev/null <<'EOF'"), ("\\$", "$")],
    "onprem": [("set -eu\n", "set -euo pipefail\n")],
    "ubuntu_eks": [
        ("nvidia-ctk runtime configure --runtime=containerd --set-as-default\n", ""),
        ("snap set ", "nvidia-ctk runtime configure --runtime=containerd\nsystemctl restart containerd\nsnap set "),
    ],
}
# And by which rules each is caught, on top of those that object already.
BROKEN: list[tuple[str, list[tuple[str, str]], set[str]]] = [
    ("karpenter", [(">> /etc/hosts", ">> /tmp/hosts")], {"registry-resolvable"}),
    ("karpenter", [("text/cloud-boothook", "text/x-shellscript")], {"profiling-before-driver"}),
    (
        "gcp",
        [("  profiling_option\n  install_driver\n", "  install_driver\n  profiling_option\n")],
        {"profiling-before-driver"},
    ),
    (
        "gcp",
        [('|| die "driver $VERSION"', "|| :"), ('  nvidia-smi || die "driver does not answer"\n', "")],
        {"failure-is-loud"},
    ),
    ("onprem", [("systemctl enable --now nvidia-fabricmanager.service\n", "")], {"fabric-manager-runs"}),
    ("onprem", [('"nvidia-fabricmanager-$DRIVER"', "nvidia-fabricmanager-550")], {"fabric-manager-runs"}),
    ("rke2", [('- "http://', '- "https://')], {"registry-trusted"}),
    ("rke2", [("      systemctl enable rke2-agent.service\n", "")], {"kubelet-survives-reboot"}),
    ("rke2", [("profiling.conf\n", "profiling.conf.off\n")], {"profiling-before-driver"}),
    ("k8s_snap", [("tee -a /etc/hosts", "tee -a /etc/hosts.new")], {"registry-resolvable"}),
    ("k8s_snap", [(HTTP, HTTPS)], {"registry-trusted"}),
    ("k8s_snap", [("    exit 1\n", "    true\n")], {"failure-is-loud"}),
    ("k8s_snap", [('step "profiling"', "modprobe nvidia")], {"profiling-before-driver"}),
    ("ubuntu_eks", [("AdminUsers=0", "AdminUser=0")], {"profiling-before-driver"}),
    ("nodeadm_docs", [("io.containerd.cri.v1.images", "io.containerd.grpc.v1.cri")], {"containerd-config-read"}),
    ("nodeadm_docs", [("name: my-cluster", "name: my-clster")], {"joins-its-cluster"}),
    ("nodeadm_docs", [("set -o nounset", "/etc/eks/bootstrap.sh my-cluster")], {"user-data-format"}),
    ("bottlerocket", [('"gpu-br"', '"gpu-br2"')], {"joins-its-cluster"}),
    ("bottlerocket", [("172.20.0.10", "10.100.0.10")], {"joins-its-cluster"}),
    (
        "jinja",
        [
            ("cat > /etc/modprobe.d", "{% if v1.region %}\ncat > /etc/modprobe.d"),
            ("=0\nEOF\n", "=0\nEOF\n{% endif %}\n"),
        ],
        {"profiling-before-driver"},
    ),
    ("hpc", [("_netdev,nofail,tls", "_netdev,tls")], {"shared-storage-mounted"}),
]


@pytest.mark.parametrize("style", MENDED)
def test_mended(style: str, tmp_path: Path) -> None:
    assert _objections(style, MENDED[style], tmp_path) == set()


@pytest.mark.parametrize(("style", "changes", "rules"), BROKEN)
def test_broken(style: str, changes: list[tuple[str, str]], rules: set[str], tmp_path: Path) -> None:
    expected = tomllib.loads((STYLES / style / "expected.toml").read_text(encoding="utf-8"))
    assert rules <= _objections(style, changes, tmp_path) <= rules | set(expected.get("fails", {}))


def _objections(style: str, changes: list[tuple[str, str]], folder: Path) -> set[str]:
    alone = shutil.copytree(STYLES / style, folder / style)
    expected = tomllib.loads((alone / "expected.toml").read_text(encoding="utf-8"))
    script = alone / expected["file"]
    text = script.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    script.write_text(text, encoding="utf-8")
    fleet = ("--fleet", expected["fleet"]) if "fleet" in expected else ()
    return {each["rule"] for each in run_json("check", expected["file"], *fleet, cwd=alone).findings}
