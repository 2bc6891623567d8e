"""What lies around a file is looked through once, until something is saved."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

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
