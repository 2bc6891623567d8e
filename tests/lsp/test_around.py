"""What lies around a file is looked through once, until something is saved."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from nodeworthy.collect.source import evidence
from nodeworthy.collect.source.files import Source
from nodeworthy.collect.source.parsing import FileContents
from nodeworthy.lsp import checking
from nodeworthy.lsp.checking import Workspace, check_text

# Which network pods have, only a file beside it says.
SCRIPT = "#!/bin/bash\nset -euo pipefail\nkubeadm join 10.0.0.1:6443\nufw default deny routed\nufw --force enable\n"


def said(path: Path, workspace: Workspace) -> str:
    found = check_text(path, SCRIPT, workspace).here
    told = [each for each in found if each.rule == "pod-egress-forwarded"]
    return f"{told[0].verdict.value}: {[each.says for each in told[0].related]}" if told else ""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "network.sh").write_text("cilium install --version 1.18.2\n", encoding="utf-8")
    return tmp_path / "node.sh"


def test_a_keystroke_looks_through_nothing_again(script: Path) -> None:
    workspace = Workspace()
    before = said(script, workspace)
    assert "cilium" in before
    (script.parent / "more.sh").write_text("kubectl apply -f kube-flannel.yml\n", encoding="utf-8")
    assert said(script, workspace) == before
    workspace.around.forget()
    assert said(script, workspace) != before


def test_after_a_while_it_looks_again(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace()
    before = said(script, workspace)
    (script.parent / "more.sh").write_text("kubectl apply -f kube-flannel.yml\n", encoding="utf-8")
    now = monotonic()
    monkeypatch.setattr(checking, "monotonic", lambda: now + checking.KEPT_S + 1)
    assert said(script, workspace) != before


VALUES = "driver: {enabled: false}\ntoolkit: {enabled: true, env: []}\n"
WITH_TOOLKIT = """\
#!/bin/bash
set -euo pipefail
apt-get install -y nvidia-driver-570-server nvidia-container-toolkit containerd.io kubelet kubeadm
nvidia-ctk runtime configure --runtime=containerd --set-as-default
systemctl restart containerd
kubeadm join 10.0.0.10:6443
"""


def test_a_file_beside_that_stands_alone_is_read_once_and_anew_when_it_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    values, read = tmp_path / "values.yaml", evidence._read_anew
    values.write_text(VALUES, encoding="utf-8")
    reads: list[str] = []

    def counted(source: Any, rules: Any) -> Any:
        reads.append(source.path.name)
        return read(source, rules)

    monkeypatch.setattr(evidence, "_read_anew", counted)
    workspace = Workspace()

    def told() -> bool:
        found = check_text(tmp_path / "user-data.sh", WITH_TOOLKIT, workspace).here
        return any(each.rule == "one-toolkit" for each in found)

    assert told()
    assert told()
    assert reads == ["values.yaml"]
    values.write_text(VALUES.replace("true", "false"), encoding="utf-8")
    assert not told()
    assert reads == ["values.yaml", "values.yaml"]


def test_what_is_read_with_the_file_that_changes_is_read_each_time(tmp_path: Path) -> None:
    for name in ("main.tf", "terraform.tfvars", "image.pkr.hcl"):
        assert not evidence._stands_alone(Source(tmp_path / name, name, named=False), None)
    script = Source(tmp_path / "node.sh", "node.sh", named=False)
    assert evidence._stands_alone(script, FileContents())
    assert not evidence._stands_alone(script, FileContents(root="gpu"))
    assert not evidence._stands_alone(script, FileContents(templates=frozenset({"node.sh"})))
    assert not evidence._stands_alone(script, FileContents(is_plan=True))
