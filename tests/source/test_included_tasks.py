"""Tasks that include others: what stands where, and what is left to itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from nodeworthy.collect.source.files import Source
from nodeworthy.collect.source.included_tasks import Play, play_of

MAIN, SWAP, JOIN = "roles/node/tasks/main.yml", "roles/node/tasks/swap.yml", "roles/node/tasks/join.yml"
FILES = {
    MAIN: "- command: modprobe overlay\n- import_tasks: swap.yml\n- command: reboot\n",
    SWAP: "- command: swapoff -a\n",
}
INCLUDED: dict[str, Mapping[str, str]] = {
    "imported": FILES,
    "by its full name": {**FILES, MAIN: "- ansible.builtin.include_tasks: swap.yml\n"},
    "by its file": {**FILES, MAIN: "- include_tasks:\n    file: swap.yml\n"},
    "under a condition": {**FILES, MAIN: "- include_tasks: swap.yml\n  when: worker\n"},
    "in a block": {**FILES, MAIN: "- block:\n  - include_tasks: 'swap.yml'\n"},
    "from a folder, by the role's": {
        "roles/node/tasks/more/it.yml": "- include_tasks: swap.yml\n",
        MAIN: "- include_tasks: more/it.yml\n",
        SWAP: FILES[SWAP],
    },
    "of a play": {
        "site.yml": "- hosts: all\n  tasks:\n  - include_tasks: roles/node/tasks/swap.yml\n",
        SWAP: FILES[SWAP],
    },
}
ALONE: dict[str, Mapping[str, str]] = {
    "nobody": {SWAP: FILES[SWAP]},
    "twice": {**FILES, JOIN: "- import_tasks: swap.yml\n"},
    "a name that is filled in": {**FILES, MAIN: "- include_tasks: '{{ what }}.yml'\n"},
    "a loop": {**FILES, MAIN: "- include_tasks: swap.yml\n  loop: '{{ disks }}'\n"},
    "where somebody asks for it": {**FILES, MAIN: "- include_tasks: swap.yml\n  tags: [never, reset]\n"},
    "what rescues": {**FILES, MAIN: "- block:\n  - command: a\n  rescue:\n  - include_tasks: swap.yml\n"},
    "another role, too": {
        **FILES,
        "roles/b/tasks/main.yml": "- include_role:\n    name: node\n    tasks_from: swap.yml\n",
    },
    "itself": {SWAP: "- command: swapoff -a\n- include_tasks: swap.yml\n"},
    "each other": {SWAP: "- command: swapoff -a\n- include_tasks: join.yml\n", JOIN: "- include_tasks: swap.yml\n"},
    "a play": {**FILES, SWAP: "- hosts: all\n  tasks:\n  - command: swapoff -a\n"},
}


def play(folder: Path, files: Mapping[str, str], asked: str = SWAP) -> Play | None:
    (folder / ".git").mkdir(parents=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    path = folder / asked
    return play_of(Source(path, str(path), True), path.read_bytes())


@pytest.mark.parametrize("called", INCLUDED)
def test_tasks_stand_where_they_are_included(called: str, tmp_path: Path) -> None:
    found = play(tmp_path, INCLUDED[called])
    assert found is not None
    assert found.is_of_a_node
    row = next(at for at, each in enumerate(found.whole.text.split("\n"), 1) if "swapoff -a" in each)
    place = found.whole.origin.at(row)
    assert (place.path, place.line) == (str(tmp_path / SWAP), 1)


@pytest.mark.parametrize("called", ALONE)
def test_what_nobody_knows_to_be_included_stays_alone(called: str, tmp_path: Path) -> None:
    assert play(tmp_path, ALONE[called]) is None


def test_each_task_stands_in_its_turn_under_what_it_is_included(tmp_path: Path) -> None:
    found = play(tmp_path, {**FILES, MAIN: FILES[MAIN].replace("swap.yml", "swap.yml\n  when: worker")})
    assert found is not None
    rows = [row for row in found.whole.text.split("\n") if row]
    assert rows == [
        "set -e; ( modprobe overlay )",
        'if [ -n "$worker" ]; then ( swapoff -a ); fi',
        "( reboot )",
    ]
    effects = found.script.timeline.effects
    assert [(Path(each.place.path or "").name, each.place.line) for each in effects if each.place.line != 1][-1] == (
        "main.yml",
        4,
    )


def test_what_an_include_is_given_is_filled_in(tmp_path: Path) -> None:
    files = {MAIN: "- include_tasks: swap.yml\n  vars: {size: '1'}\n", SWAP: "- command: swapoff -a {{ size }}\n"}
    found = play(tmp_path, files)
    assert found is not None
    assert "swapoff -a 1" in found.whole.text
    assert found.bare is None or "{{" not in found.bare.text


def test_one_script_is_made_of_a_role_whichever_file_is_asked_about(tmp_path: Path) -> None:
    first = play(tmp_path, FILES)
    assert first is not None
    path = tmp_path / MAIN
    source = Source(path, str(path), False, scopes=first.source.scopes)
    other = play_of(source, path.read_bytes())
    assert other is first
    assert first.script is other.script
    assert first.script.stands_in == {str(tmp_path / MAIN), str(tmp_path / SWAP)}
