"""What an editor is told, as its user types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fix.folder import K3S, SOCKET, STOCK, laid
from tests.lsp.client import Editor

ERROR, WARNING, INFORMATION = 1, 2, 3
WRONG = f"""\
driver: {{enabled: false}}
toolkit:
  env:
    - name: CONTAINERD_SOCKET
      value: "{STOCK}" # stock
"""
RIGHT = WRONG.replace(STOCK, SOCKET)


def test_it_says_what_it_can(editor: Editor) -> None:
    assert editor.can["textDocumentSync"]["change"] == 1
    assert editor.can["hoverProvider"]
    assert editor.can["codeActionProvider"]["codeActionKinds"] == ["quickfix", "source.fixAll.nodeworthy"]


def test_a_file_is_underlined_when_it_is_opened(editor: Editor) -> None:
    (found,) = editor.open("opened.yaml", WRONG)
    assert found["range"] == {"start": {"line": 4, "character": 13}, "end": {"line": 4, "character": 46}}
    assert (found["severity"], found["code"], found["source"]) == (ERROR, "containerd-paths", "nodeworthy")
    assert found["codeDescription"]["href"].endswith("/docs/rules/containerd-paths.md")
    assert f"should: {SOCKET}" in found["message"]
    assert f"fix: set CONTAINERD_SOCKET in toolkit.env to {SOCKET}" in found["message"]
    (other,) = found["relatedInformation"]
    assert other["location"]["uri"] == editor.uri("Pulumi.dev.yaml")
    assert other["location"]["range"]["start"] == {"line": 4, "character": 40}
    assert other["message"] == "pool 'onprem' runs k3s"


def test_what_counts_is_the_text_in_the_editor(editor: Editor) -> None:
    laid(editor.root, {"on-disk.yaml": WRONG, "as-well.yaml": RIGHT})
    assert editor.open("on-disk.yaml", RIGHT) == []
    assert len(editor.open("as-well.yaml", WRONG)) == 1


def test_a_keystroke_is_heard(editor: Editor) -> None:
    editor.open("typed.yaml", WRONG)
    path = {"start": {"line": 4, "character": 14}, "end": {"line": 4, "character": 45}}
    assert editor.type("typed.yaml", {"range": path, "text": SOCKET}) == []
    assert len(editor.type("typed.yaml", {"text": WRONG})) == 1


def test_who_types_fast_gets_the_last_word(editor: Editor) -> None:
    editor.open("fast.yaml", RIGHT)
    for number in range(30):
        editor.keystroke("fast.yaml", {"text": RIGHT if number % 2 else WRONG})
    assert len(editor.type("fast.yaml", {"text": f"# {WRONG}"})) == 1


def test_a_closed_file_is_forgotten(editor: Editor) -> None:
    editor.open("closed.yaml", WRONG)
    editor.close("closed.yaml")
    said = editor.published()
    assert (said["uri"], said["diagnostics"]) == (editor.uri("closed.yaml"), [])


def test_a_file_of_no_known_kind(editor: Editor) -> None:
    assert editor.open("notes.md", "# toolkit\n") == []
    assert editor.open("other.yaml", "a: 1\n") == []


SCRIPT = """\
#!/bin/sh
curl -sfL https://get.rke2.io | sh -
systemctl start rke2-agent
cat <<EOF > /usr/local/bin/x
echo $later
EOF
"""


def test_a_script_with_all_three_severities(editor: Editor) -> None:
    unknown = "/usr/local/bin/mount-$KIND\n. /etc/unread\n"
    found = {each["code"]: each["severity"] for each in editor.open("user-data.sh", SCRIPT + unknown)}
    assert found["heredoc-expands-late"] == WARNING
    found = {each["code"]: each["severity"] for each in editor.open("user-data-2.sh", SCRIPT)}
    assert found["kubelet-survives-reboot"] == ERROR
    values = WRONG.replace(f'"{STOCK}"', "!vault socket")
    assert INFORMATION in {each["severity"] for each in editor.open("unknown.yaml", values)}


@pytest.mark.parametrize("typed", ['"open\n', "key: [\n", "\tx: 1\n", "toolkit: *nowhere\n", "- 1\n", "a: b: c\n"])
def test_what_is_wrong_elsewhere_stays_underlined(editor: Editor, typed: str) -> None:
    name = f"half-{abs(hash(typed))}.yaml"
    editor.open(name, WRONG)
    end = {"start": {"line": 5, "character": 0}, "end": {"line": 5, "character": 0}}
    codes = {each["code"]: each["range"]["start"]["line"] for each in editor.type(name, {"range": end, "text": typed})}
    assert codes["containerd-paths"] == 4
    assert codes["input-readable"] >= 4
    above = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    codes = {
        each["code"]: each["range"]["start"]["line"] for each in editor.type(name, {"range": above, "text": "# x\n"})
    }
    assert codes["containerd-paths"] == 5
    last = {"start": {"line": 6, "character": 0}, "end": {"line": 6 + typed.count("\n"), "character": 0}}
    (found,) = editor.type(name, {"range": last, "text": ""})
    assert (found["code"], found["range"]["start"]["line"]) == ("containerd-paths", 5)


def test_what_is_mended_while_the_file_is_broken_is_no_longer_underlined(editor: Editor) -> None:
    editor.open("both.yaml", WRONG)
    editor.type("both.yaml", {"text": WRONG + '"open\n'})
    found = editor.type("both.yaml", {"text": RIGHT + '"open\n'})
    assert [each["code"] for each in found] == ["input-readable"]


def test_a_script_that_is_half_a_command(editor: Editor) -> None:
    editor.open("user-data-3.sh", SCRIPT)
    found = {each["code"] for each in editor.type("user-data-3.sh", {"text": SCRIPT + "if [ -f 'x\n"})}
    assert "kubelet-survives-reboot" in found


def test_saved_means_judged_afresh(editor: Editor) -> None:
    editor.open("saved.yaml", WRONG)
    editor.type("saved.yaml", {"text": WRONG + '"open\n'})
    editor.save("saved.yaml")
    assert [each["code"] for each in editor.diagnostics("saved.yaml")] == ["input-readable"]


def test_another_fleet_is_seen_when_it_is_saved(editor: Editor, folder: Path) -> None:
    laid(folder, {"Pulumi.here.yaml": K3S})
    name = f"{folder.name}/values.yaml"
    assert editor.open(name, RIGHT) == []
    laid(folder, {"Pulumi.here.yaml": K3S.replace("k3s", "microk8s")})
    editor.save(f"{folder.name}/Pulumi.here.yaml")
    assert [each["code"] for each in editor.diagnostics(name)] == ["containerd-paths", "containerd-paths"]


JOINS = "#!/bin/bash\nset -euo pipefail\nkubeadm join 10.0.0.1:6443\nufw default deny routed\nufw --force enable\n"


@pytest.mark.parametrize("how", ["save", "changed"])
def test_what_nodes_are_is_learnt_anew_when_a_file_beside_changes(editor: Editor, folder: Path, how: str) -> None:
    """Which interfaces pods have, the file beside says: saved in this editor, or written by something else."""
    laid(folder, {"network.sh": "cilium install --version 1.18.2\n", ".git/HEAD": ""})
    name, beside = f"{folder.name}/node.sh", f"{folder.name}/network.sh"

    def network(found: Sequence[Mapping[str, Any]]) -> set[str]:
        (forwarded,) = [each for each in found if each["code"] == "pod-egress-forwarded"]
        return {each["message"] for each in forwarded["relatedInformation"]}

    assert any("cilium" in each for each in network(editor.open(name, JOINS)))
    laid(folder, {"network.sh": "kubectl apply -f https://example.com/kube-flannel.yml\n"})
    getattr(editor, how)(beside)
    assert any("flannel" in each for each in network(editor.diagnostics(name)))


def test_a_fleet_that_is_malformed_is_told_where_it_is_missed(editor: Editor, folder: Path) -> None:
    laid(folder, {"Pulumi.here.yaml": K3S.replace("pools", "polls")})
    found = editor.open(f"{folder.name}/values.yaml", RIGHT)
    assert [each["severity"] for each in found] == [WARNING]
    assert "polls" in found[0]["message"]


def test_the_settings_of_the_repository_hold(editor: Editor, folder: Path) -> None:
    told = "skip-rules:\n  - {rule: containerd-paths, why: another team's}\nexclude: [third_party]\n"
    laid(folder, {".nodeworthy.yaml": told})
    assert editor.open(f"{folder.name}/values.yaml", WRONG) == []
    laid(folder, {".nodeworthy.yaml": "exclude: [third_party]\n"})
    assert editor.open(f"{folder.name}/third_party/values.yaml", WRONG) == []
    assert len(editor.open(f"{folder.name}/values-2.yaml", WRONG)) == 1


def test_hover_says_why(editor: Editor) -> None:
    editor.open("hover.yaml", WRONG)
    at = {"textDocument": {"uri": editor.uri("hover.yaml")}, "position": {"line": 4, "character": 20}}
    said = editor.ask("textDocument/hover", at)["contents"]
    assert said["kind"] == "markdown"
    assert "Why: the operator writes the NVIDIA runtime" in said["value"]
    assert "The GPU operator's toolkit must write" in said["value"]
    assert editor.ask("textDocument/hover", {**at, "position": {"line": 0, "character": 1}}) is None


BOOT = """\
#!/bin/bash
set -e
join() {
  /etc/eks/bootstrap.sh gpu-dev
}
if [ -e /dev/nvme1n1 ]; then
  mkfs.ext4 /dev/nvme1n1
fi
join
mysql --user root --password=kX8vQ2mZr7Lw reports
"""


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (4, ["scripts, at the end of cloud-init", "joins", "gpu-dev", "(from line 9)"]),
        (7, ["if [ -e /dev/nvme1n1 ]", "runs       mkfs.ext4"]),
        (9, ["joins", "gpu-dev"]),
    ],
)
def test_hover_says_what_the_boot_does_by_a_line(editor: Editor, line: int, says: list[str]) -> None:
    editor.open(f"user-data-{line}.sh", BOOT)
    at = {"textDocument": {"uri": editor.uri(f"user-data-{line}.sh")}, "position": {"line": line - 1, "character": 4}}
    told = editor.ask("textDocument/hover", at)["contents"]["value"]
    assert all(each in told for each in says), told
    assert "````text\n" in told
    assert editor.ask("textDocument/hover", {**at, "position": {"line": 0, "character": 0}}) is None


def test_hover_over_a_step_with_a_secret_does_not_show_it(editor: Editor) -> None:
    editor.open("user-data-secret.sh", BOOT)
    at = {"textDocument": {"uri": editor.uri("user-data-secret.sh")}, "position": {"line": 9, "character": 4}}
    told = editor.ask("textDocument/hover", at)["contents"]["value"]
    assert "mysql --user root" in told
    assert "kX8vQ2mZr7Lw" not in told
