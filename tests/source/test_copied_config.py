"""A configuration of containerd that a script copies: what lies beside it is judged as a file of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.known.containerd import defaults
from tests.run import run

_CONFIG = 'version = 2\n[plugins."io.containerd.grpc.v1.cri"]\n  sandbox_image = "pause:3.10"\n'


@pytest.mark.parametrize(
    ("copies", "verdict"),
    [
        ("cp -f ../containerd/config.toml /etc/containerd/", "skip"),
        ('cp "$HERE/../containerd/config.toml" TARGET', "skip"),
        ("cp /root/config.toml TARGET", "unknown"),
        # It is the script's own, and is not here: whoever reads the script alone can't say.
        ("cp ../elsewhere/config.toml TARGET", "skip"),
        ("sudo sh -c 'cat ./elsewhere/config.toml >TARGET'", "skip"),
    ],
)
def test_what_is_copied(tmp_path: Path, copies: str, verdict: str) -> None:
    copies = copies.replace("TARGET", str(defaults().config))
    for name, text in {
        ".git/HEAD": "",
        "containerd/config.toml": _CONFIG,
        "setup/node.sh": f"#!/bin/bash\nset -e\napt-get install -y containerd.io kubelet\n{copies}\nkubeadm join a:6443\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    asked = ("--rule", "containerd-config-read", "--format", "json", "--show-passed", "--show-skipped")
    ran = run("check", "setup/node.sh", *asked, cwd=tmp_path)
    told = {each["verdict"] for each in ran.report["findings"]}
    assert (told - {"skip"} or told) == {verdict}


@pytest.mark.parametrize(("name", "verdict"), [("config.toml.tmpl", "unknown"), ("config.toml", "unknown")])
def test_a_template_without_a_version_line_is_for_containerd_1(tmp_path: Path, name: str, verdict: str) -> None:
    (tmp_path / name).write_text('[plugins.cri]\n  stream_server_port = "10010"\n[plugins.cri.containerd]\n')
    asked = ("--rule", "containerd-config-read", "--format", "json", "--show-passed", "--show-skipped")
    ran = run("check", name, *asked, cwd=tmp_path)
    assert {each["verdict"] for each in ran.report["findings"]} == {verdict}
