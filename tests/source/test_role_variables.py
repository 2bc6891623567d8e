"""What a role's variables are: by its own files, by an inventory, and where somebody else decides, by nobody."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from nodeworthy.boot.playbook.variables import fill_in
from nodeworthy.collect.source.files import Source
from nodeworthy.collect.source.role_variables import variables_around

TASKS = "roles/gpu/tasks/main.yml"
DEFAULT = {"roles/gpu/defaults/main.yml": "driver: '550'\n"}
STRONG = {"roles/gpu/vars/main.yml": "driver: '550'\n"}

KNOWN: dict[str, Mapping[str, str]] = {
    "a default": DEFAULT,
    "a default in a folder": {"roles/gpu/defaults/main/driver.yaml": "driver: '550'\n"},
    "made of another one": {"roles/gpu/defaults/main.yml": "driver: '{{ branch }}'\nbranch: '550'\n"},
    "what an inventory says of all": {
        **DEFAULT,
        "roles/gpu/defaults/main.yml": "driver: x\n",
        "group_vars/all.yml": "driver: '550'",
    },
    "all in a folder": {"roles/gpu/defaults/main.yml": "driver: x\n", "lab/group_vars/all/gpu.yml": "driver: '550'"},
    "a group that says the same": {**DEFAULT, "group_vars/gpu.yml": "driver: '550'"},
    "the role outranks inventories": {**STRONG, "group_vars/all.yml": "driver: x", "host_vars/a.yml": "driver: y"},
    "the role outranks what is encrypted": {**STRONG, "group_vars/all.yml": "$ANSIBLE_VAULT;1.1;AES256\n6162\n"},
    "another role's default": {**DEFAULT, "roles/cuda/defaults/main.yml": "driver: x\n"},
    "a comment": {**DEFAULT, "group_vars/all.yml": "# driver: x\nother: 1\n"},
    "a page that tells of it": {**DEFAULT, "roles/gpu/README.md": "    driver: x\n"},
    "the role's own tests": {**DEFAULT, "roles/gpu/molecule/default/converge.yml": "- vars: {driver: x}\n"},
    "its options described": {**DEFAULT, "roles/gpu/meta/argument_specs.yml": "options:\n  driver: {type: str}\n"},
    "asked, and not set": {**DEFAULT, "roles/gpu/tasks/more.yml": "- debug: {msg: a}\n  when: driver == 'x'\n"},
    "a template that has it": {**DEFAULT, "roles/gpu/templates/a.conf.j2": "driver = {{ driver }}\n"},
}
NOT_KNOWN: dict[str, Mapping[str, str]] = {
    "nobody says it": {"roles/gpu/defaults/main.yml": "other: x\n"},
    "a group says otherwise": {**DEFAULT, "group_vars/gpu.yml": "driver: x"},
    "a host says otherwise": {**DEFAULT, "host_vars/gpu-1.yml": "driver: x"},
    "all, and one host": {**DEFAULT, "group_vars/all.yml": "driver: '550'", "host_vars/a.yml": "driver: x"},
    "two inventories": {"lab/group_vars/all.yml": "driver: '550'", "prod/group_vars/all.yml": "driver: x"},
    "one inventory of two": {**DEFAULT, "lab/group_vars/all.yml": "driver: x", "prod/group_vars/all.yml": "other: x"},
    "an inventory that is encrypted": {**DEFAULT, "group_vars/all.yml": "$ANSIBLE_VAULT;1.1;AES256\n6162\n"},
    "an encrypted value": {"roles/gpu/defaults/main.yml": "driver: !vault x\n"},
    "a play": {**STRONG, "site.yml": "- hosts: all\n  roles:\n  - {role: gpu, driver: x}\n"},
    "a fact": {**STRONG, "roles/gpu/tasks/facts.yml": "- set_fact:\n    driver: x\n"},
    "what a task prints": {**STRONG, "roles/gpu/tasks/facts.yml": "- command: a\n  register: driver\n"},
    "a question to whoever runs it": {**DEFAULT, "site.yml": "- hosts: all\n  vars_prompt:\n  - name: driver\n"},
    "one of the role's other files": {**STRONG, "roles/gpu/vars/Debian.yml": "driver: x\n"},
    "another role's own": {**DEFAULT, "roles/cuda/vars/main.yml": "driver: x\n"},
    "a makefile": {**STRONG, "Makefile": "all:\n\tansible-playbook site.yml -e driver=x\n"},
    "an inventory of hosts": {**DEFAULT, "hosts": "[gpu]\ngpu-1 driver=x\n"},
    "an inventory of any name": {**DEFAULT, "hosts.lab": "[gpu:vars]\ndriver = x\n"},
    "a call of ansible-playbook with JSON": {**DEFAULT, "run.sh": 'ansible-playbook a.yml -e \'{"driver": "x"}\'\n'},
    "no YAML": {"roles/gpu/defaults/main.yml": "driver: 'x\n"},
}


def driver(folder: Path, files: Mapping[str, str], tasks: str) -> str:
    (folder / ".git").mkdir()
    for name, text in {**files, tasks: "- apt: {name: 'nvidia-driver-{{ driver }}'}\n"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    path = folder / tasks
    return fill_in("{{ driver }}", variables_around(Source(path, str(path), named=True), path.read_bytes()))


@pytest.mark.parametrize("files", KNOWN.values(), ids=KNOWN)
def test_what_the_files_around_it_agree_on_is_known(tmp_path: Path, files: Mapping[str, str]) -> None:
    assert driver(tmp_path, files, TASKS) == "550"


@pytest.mark.parametrize("files", NOT_KNOWN.values(), ids=NOT_KNOWN)
def test_what_somebody_else_may_decide_is_not(tmp_path: Path, files: Mapping[str, str]) -> None:
    assert driver(tmp_path, files, TASKS) == "{{ driver }}"


def test_of_a_playbook_the_inventory_says_it_and_no_role(tmp_path: Path) -> None:
    assert driver(tmp_path, {**DEFAULT, "group_vars/all.yml": "driver: x"}, "site.yml") == "x"


def test_a_role_says_nothing_of_a_playbook(tmp_path: Path) -> None:
    assert driver(tmp_path, DEFAULT, "site.yml") == "{{ driver }}"


@pytest.mark.parametrize(("written", "is_said"), [("535", True), ("12.6", True), ("1.30", False), ("0755", False)])
def test_a_number_is_what_ansible_prints_of_it(tmp_path: Path, written: str, *, is_said: bool) -> None:
    files = {"roles/gpu/defaults/main.yml": f"driver: {written}\n"}
    assert driver(tmp_path, files, TASKS) == (written if is_said else "{{ driver }}")


def test_a_secret_is_not_carried_to_where_it_is_used(tmp_path: Path) -> None:
    files = {"roles/gpu/defaults/main.yml": "driver: '{{ k3s_token }}'\nk3s_token: 8f1c2d9e7ab34c55d0\n"}
    assert driver(tmp_path, files, TASKS) == "{{ k3s_token }}"
