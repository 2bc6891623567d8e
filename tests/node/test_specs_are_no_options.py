"""A host's name is data, whoever wrote it: nothing of it is run here, and nothing of it is an option of a program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nodeworthy.collect.node import specs
from nodeworthy.errors import InputError
from tests.run import run

PROXY = "-oProxyCommand=touch"


@pytest.mark.parametrize(
    "spec",
    [
        *(f"{scheme}://{PROXY}" for scheme in specs.SCHEMES if scheme not in ("local", "replay")),
        *(f"{scheme}://u@{PROXY}" for scheme in ("ssh", "docker", "kubectl", "ssm", "node")),
        *(f"{scheme}://u%40{PROXY}" for scheme in ("ssh", "docker")),
        *(
            f"ssh://{each}"
            for each in (f"[{PROXY}]", f"u@[{PROXY}]:22", f"u@%2d{PROXY}", f"u:p@{PROXY}", f"-l@{PROXY}")
        ),
        *("ssh://-l@h", "docker://-v@c", "ssh://u@", "ssh://@h", "ssh://h:0", "ssh://[]", "ssh://u@:22"),
        *(
            "kubectl://p?namespace=-n",
            "kubectl://p?container=--x",
            "ssh://h?ssh_config=-x",
            "ssh://h?ssh_identity_file=%2dx",
        ),
        *("nsenter://--help", "nsenter://1;id"),
    ],
)
def test_a_name_that_a_program_would_take_for_an_option_is_refused(spec: str) -> None:
    with pytest.raises(InputError) as refused:
        specs.parse(spec)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "spec",
    [
        *(
            "ssh://h",
            "ssh://u@h-1",
            "ssh://u:p-@h:22",
            "ssh://[fe80::1]:22",
            "ssh://u@[::1]",
            "ssh://h?ssh_config=/x-y",
        ),
        *(
            "docker://u@c-1",
            "kubectl://p-0?namespace=gpu-operator&container=a-b",
            "local://",
            "node://n-1.x",
            "ssm://i-0a",
        ),
    ],
)
def test_names_with_hyphens_in_them_are_names(spec: str) -> None:
    assert specs.parse(spec).text == spec


def _program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize("option", ["kubeconfig", "context", "namespace", "container"])
def test_kubectl_is_given_words_and_no_shell_reads_them(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(tmp_path, "kubectl", f'printf "%s\\n" "$@" >{tmp_path}/said; exit 1')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.chdir(tmp_path)
    value = "$(echo>ran)`echo>ran`\"'x"
    run("node", f"kubectl://p?{option}={value}")
    assert not (tmp_path / "ran").exists()
    said = (tmp_path / "said").read_text().splitlines()
    assert f"--{option}={value}" in said
    assert said[said.index("exec") :][:5] == ["exec", "p", "--", "/bin/sh", "-c"]


@pytest.mark.parametrize(
    "told",
    [
        {"ansible_host": PROXY},
        {"ansible_host": PROXY, "ansible_user": "u"},
        {"ansible_host": "h", "ansible_user": "-oProxyCommand=x"},
        {"ansible_host": "h", "ansible_port": "22?ssh_config=/tmp/evil"},
        {"ansible_host": "h", "ansible_ssh_private_key_file": "-oProxyCommand=x"},
    ],
)
def test_an_inventorys_host_is_data_too(told: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {"_meta": {"hostvars": {"n": told}}, "all": {"hosts": ["n"]}}
    (tmp_path / "listed.json").write_text(json.dumps(listed))
    _program(tmp_path, "ansible-inventory", f"cat {tmp_path}/listed.json")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(InputError):
        specs.parse_all(["ansible://all"])


def test_a_question_mark_in_an_inventorys_address_begins_no_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"ansible_host": "h?ssh_config=/tmp/evil", "ansible_user": "u?x"}
    (tmp_path / "listed.json").write_text(json.dumps({"_meta": {"hostvars": {"n": told}}, "all": {"hosts": ["n"]}}))
    _program(tmp_path, "ansible-inventory", f"cat {tmp_path}/listed.json")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    (spec,) = specs.parse_all(["ansible://all"])
    assert spec.text == "ssh://u%3Fx@h%3Fssh_config%3D%2Ftmp%2Fevil"
