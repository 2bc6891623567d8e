"""`ansible://`: the hosts of an inventory, as Ansible's own program lists them, and nothing passed over in silence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.node import specs
from nodeworthy.errors import InputError
from tests.run import run

HOSTS: dict[str, dict[str, Any]] = {
    "gpu-01": {"ansible_host": "10.0.0.7", "ansible_port": 2222, "ansible_user": "ec2-user"},
    "gpu-02": {"ansible_ssh_private_key_file": "~/keys/gpu 2", "ansible_host": "fd00::7"},
    "here": {"ansible_connection": "local"},
    "windows": {"ansible_connection": "winrm"},
    "jumps": {"ansible_ssh_common_args": "-J bastion"},
    "template": {"ansible_host": "{{ inventory_hostname }}.internal"},
}
LISTED = {
    "_meta": {"hostvars": HOSTS},
    "all": {"children": ["ungrouped", "gpu", "odd", "every_gpu"]},
    "gpu": {"hosts": ["gpu-01", "gpu-02", "gpu-03"]},
    "every_gpu": {"children": ["gpu", "every_gpu"]},
    "odd": {"hosts": ["here", "windows", "jumps", "template"]},
}
GPU = ["ssh://ec2-user@10.0.0.7:2222", "ssh://[fd00::7]?ssh_identity_file=~/keys/gpu%202", "ssh://gpu-03"]

Says = Callable[[str], None]


@pytest.fixture
def ansible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Says:
    """What stands for the program: it keeps its arguments, and says this."""

    def says(script: str) -> None:
        program = tmp_path / "ansible-inventory"
        program.write_text(f'#!/bin/sh\necho "$*" >{tmp_path}/asked\n{script}\n')
        program.chmod(0o755)

    (tmp_path / "listed").write_text(json.dumps(LISTED))
    says(f"/bin/cat {tmp_path}/listed")
    monkeypatch.setenv("PATH", str(tmp_path))
    return says


def named(*wanted: str, inventory: str | None = None) -> list[str]:
    return [each.text for each in specs.parse_all(wanted, inventory)]


@pytest.mark.parametrize(
    ("wanted", "hosts"),
    [("gpu", GPU), ("every_gpu", GPU), ("gpu-03", GPU[2:]), ("gpu-*", GPU), ("here", ["local://"])],
)
def test_a_group_a_host_or_a_pattern(ansible: Says, wanted: str, hosts: list[str]) -> None:
    assert named(f"ansible://{wanted}") == hosts


def test_beside_others_and_each_once(ansible: Says) -> None:
    assert named("ansible://gpu-03,ssh://a", "ssh://gpu-03") == ["ssh://gpu-03", "ssh://a"]


def test_the_inventory_is_that_of_the_spec_else_of_the_run(ansible: Says, tmp_path: Path) -> None:
    named("ansible://gpu?ansible_inventory=mine.ini", inventory="theirs.ini")
    assert (tmp_path / "asked").read_text() == "-i mine.ini --list\n"
    named("ansible://gpu", inventory="theirs.ini")
    assert (tmp_path / "asked").read_text() == "-i theirs.ini --list\n"


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ("windows", "ansible_connection winrm is not offered"),
        ("jumps", "has ansible_ssh_common_args: say it to ssh itself"),
        ("template", "is filled in by a play"),
        ("nobody", "has no such host or group"),
    ],
)
def test_what_can_not_be_reached_as_it_says_is_refused(ansible: Says, wanted: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        named(f"ansible://{wanted}")


@pytest.mark.parametrize("script", ["echo no >&2; exit 1", "echo no >&2; echo '[1]'", "echo no >&2; echo nonsense"])
def test_an_inventory_that_can_not_be_listed(ansible: Says, script: str) -> None:
    ansible(script)
    ran = run("node", "ansible://gpu")
    assert (ran.code, "ansible-inventory can't list its inventory: no" in ran.err) == (2, True)


def test_without_ansible_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "install it, or name the hosts as ssh://" in run("node", "ansible://gpu").err
