"""A file of Ansible's in which a value begins with `{{` is no YAML to Ansible, and is told as such."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import run_json

TASKS = """- name: Kubelet from an archive
  ansible.builtin.apt:
    name: kubelet={{{{ kubelet_release }}}}
    state: present
- name: Its service
  ansible.builtin.copy:
    dest: /etc/default/kubelet
    content: |
      node: {{{{ inventory_hostname }}}}
# name: {{{{ kubelet_package }}}}
- name: Kubelet is started
  ansible.builtin.systemd:
    name: {name}
    enabled: true
    state: started
"""


def test_a_filling_without_quotes_is_no_text(here: Path) -> None:
    (here / "main.yml").write_text(TASKS.format(name="{{ kubelet_service }}"))
    [found] = run_json("check", ".").findings
    assert (found["rule"], found["verdict"]) == ("input-readable", "error")
    assert (found["where"]["line"], found["where"]["column"]) == (13, 11)
    assert "stands in quotes" in found["message"]


@pytest.mark.parametrize("name", ['"{{ kubelet_service }}"', "kube{{ suffix }}", "kubelet"])
def test_quotes_make_a_text_of_it(here: Path, name: str) -> None:
    (here / "main.yml").write_text(TASKS.format(name=name))
    ran = run_json("check", ".")
    assert (ran.code, ran.findings) == (0, [])


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_text_that_goes_on_in_its_quotes_is_one(here: Path, quote: str) -> None:
    told = f"    fail_msg: {quote}Running: {{{{ up }}}}, it{quote}{quote}s\n      Failed: {{{{ down }}}}{quote}\n"
    text = TASKS.format(name="kubelet") + "- name: Told\n  assert:\n    that: [up]\n"
    (here / "main.yml").write_text(text + (told if quote == "'" else told.replace('""s', '\\"s')))
    assert run_json("check", ".").findings == []
    (here / "main.yml").write_text(text + told.replace(f", it{quote}{quote}s", quote).replace(f"}}}}{quote}\n", "}}\n"))
    assert [each["rule"] for each in run_json("check", ".").findings] == ["input-readable"]


def test_a_template_of_such_a_file_is_filled_in_first(here: Path) -> None:
    (here / "main.yml.j2").write_text(TASKS.format(name="{{ kubelet_service }}"))
    assert run_json("check", ".").findings == []
