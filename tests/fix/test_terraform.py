"""Literals of Terraform's are mended where they stand; what is put together is not touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fix.folder import CONFIG, K3S, SOCKET, STOCK, STOCK_CONFIG, fix, laid


def release(values: str) -> str:
    return f"""\
resource "helm_release" "gpu_operator" {{
  name       = "gpu-operator"
  repository = "https://helm.ngc.nvidia.com/nvidia"
  chart      = "gpu-operator"
  version    = "v25.3.4"
{values}}}
"""


def set_(path: str, value: str) -> str:
    return f'  set {{\n    name  = "{path}"\n    value = {value}\n  }}\n'


SETS = release(
    set_("driver.enabled", "false")
    + set_("toolkit.env[0].name", '"CONTAINERD_SOCKET"')
    + set_("toolkit.env[0].value", f'"{STOCK}" # stock')
    + set_("toolkit.env[1].name", '"CONTAINERD_CONFIG"')
    + set_("toolkit.env[1].value", "local.config")
)
LOCAL = f'locals {{ config = "{STOCK_CONFIG}" }}\n'
HEREDOC = release(
    "  values = [<<-EOT\n    driver: {enabled: false}\n    toolkit:\n      env:\n"
    f"        - {{name: CONTAINERD_SOCKET, value: {STOCK}}}\n"
    f"        - name: CONTAINERD_CONFIG\n          value: '{STOCK_CONFIG}'\n    EOT\n  ]\n"
)
MENDED = {
    "in quotes, and where a local says it": (
        SETS + LOCAL,
        SETS.replace(STOCK, SOCKET) + LOCAL.replace(STOCK_CONFIG, CONFIG),
    ),
    "in a heredoc": (HEREDOC, HEREDOC.replace(STOCK_CONFIG, CONFIG).replace(STOCK, SOCKET)),
}


@pytest.mark.parametrize(("before", "after"), MENDED.values(), ids=MENDED.keys())
def test_a_literal(tmp_path: Path, before: str, after: str) -> None:
    laid(tmp_path, {"main.tf": before, "Pulumi.dev.yaml": K3S})
    ran = fix(tmp_path)
    assert (tmp_path / "main.tf").read_text() == after, ran.err
    assert ran.code == 0, ran.err


def test_what_is_put_together_is_left(tmp_path: Path) -> None:
    before = SETS.replace(f'"{STOCK}"', '"/run/${local.folder}/containerd.sock"') + LOCAL
    before += 'locals { folder = "containerd" }\n'
    laid(tmp_path, {"main.tf": before, "Pulumi.dev.yaml": K3S})
    ran = fix(tmp_path, ".", "--rule", "containerd-paths")
    assert ran.code == 1
    assert "it is put together" in ran.err
    assert (tmp_path / "main.tf").read_text() == before.replace(STOCK_CONFIG, CONFIG)


def test_a_list_is_changed_by_hand(tmp_path: Path) -> None:
    before = release(set_("toolkit.env[0].name", '"CONTAINERD_CONFIG"') + set_("toolkit.env[0].value", f'"{CONFIG}"'))
    laid(tmp_path, {"main.tf": before, "Pulumi.dev.yaml": K3S})
    ran = fix(tmp_path, ".", "--rule", "containerd-paths")
    assert "changed by hand" in ran.err
    assert (tmp_path / "main.tf").read_text() == before
