"""A file of another kind that somebody names is told in one sentence what to give in its place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.run import run

TERRAFORM = """\
# The GPU operator.
resource "helm_release" "gpu_operator" {
  name   = "gpu-operator"
  chart  = "gpu-operator"
  values = [file("values.yaml"), "toolkit: {env: []}"]
}
"""
NODE_CLASS = """\
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: gpu}
spec:
  userData: |
    MIME-Version: 1.0
    Content-Type: multipart/mixed; boundary="BOUNDARY"

    --BOUNDARY
    Content-Type: text/x-shellscript; charset="us-ascii"

    #!/bin/bash
    echo made
    --BOUNDARY--
"""


@pytest.mark.parametrize("name", ["main.tf", "gpu-operator.tofu", "user-data.tpl", "-"])
def test_boot_reads_no_terraform_as_shell(name: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = _boot(name, TERRAFORM, here)
    assert (ran.returncode, ran.stdout) == (2, "")
    told = "is Terraform, and no user data: give the file that its user_data names, a script or a template"
    assert ran.stderr == f"nodeworthy boot: {name} {told}\n"


@pytest.mark.parametrize("text", [NODE_CLASS, f"# ours\n---\n{NODE_CLASS}"])
def test_boot_reads_no_object_as_user_data(text: str, here: Path) -> None:
    ran = _boot("nodeclass.yaml", text, here)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert "nodeclass.yaml is Kubernetes' EC2NodeClass, and no user data: give what it holds" in ran.stderr
    assert ran.stderr.endswith("yq -r .spec.userData nodeclass.yaml | nodeworthy boot -\n")


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/bash\nterraform apply\n",
        "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {cluster: {name: a}}\n",
        "#cloud-config\nkind: x\n",
        "resource=$(hostname)\necho $resource\n",
        "%{ if gpu }\n#!/bin/bash\n%{ endif }\n",
    ],
)
def test_boot_reads_what_a_node_is_given(text: str, here: Path) -> None:
    assert _boot("user-data", text, here).returncode in (0, 3)


def _boot(name: str, text: str, here: Path) -> subprocess.CompletedProcess[str]:
    if name != "-":
        (here / name).write_text(text)
    command = [sys.executable, "-m", "nodeworthy", "boot", name]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)


def test_check_says_what_of_terraform_it_reads(here: Path) -> None:
    (here / "gpu-operator.tf").write_text(TERRAFORM)
    ran = run("check", "gpu-operator.tf")
    assert (ran.code, ran.err) == (0, "")
    assert "2 rules on 2 subjects of 1 file: 3 pass" in ran.out
    (here / "empty.tf").write_text('resource "null_resource" "x" {}\n')
    (here / "gpu-operator.tf").unlink()
    ran = run("check", "empty.tf")
    assert (ran.code, ran.err.startswith("nodeworthy check: empty.tf: its root of Terraform installs no chart")) == (
        2,
        True,
    )


def test_a_folder_that_is_gone_is_no_fault_of_ours(tmp_path: Path) -> None:
    words = (
        f"mkdir {tmp_path}/gone && cd {tmp_path}/gone && rmdir {tmp_path}/gone && exec {sys.executable} -m nodeworthy"
    )
    for command in ("check .", "preview", "fleet", "rules", "node local://", "diagnose --from .", "baseline ."):
        ran = subprocess.run(
            ["sh", "-c", f"{words} {command}"], capture_output=True, text=True, timeout=60, check=False
        )
        name = command.split()[0]
        told = f"nodeworthy {name}: the folder that it runs in is gone; change to another one\n"
        assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", told)
