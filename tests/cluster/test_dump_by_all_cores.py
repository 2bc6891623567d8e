"""A large list of pods is read in parts by several processes: the same is seen of it, however it was printed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from nodeworthy import workers
from nodeworthy.collect.cluster import divided
from nodeworthy.collect.cluster.dump import look
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.errors import CouldNotLook
from tests.case_files import CASES
from tests.cluster.dumps import diagnose, dumped
from tests.cluster.objects import Object

# How many pods were taken of each file that was read in parts.
Divided = list[int]


@pytest.fixture
def by_three(monkeypatch: pytest.MonkeyPatch) -> Divided:
    monkeypatch.setattr(workers, "cores", lambda: 3)
    monkeypatch.setattr(divided, "LEAST_BYTES", 0)
    counts: Divided = []
    read = divided.read_pods

    def noted(*arguments: Any) -> int:
        counts.append(read(*arguments))
        return counts[-1]

    monkeypatch.setattr(divided, "read_pods", noted)
    return counts


def every_pod() -> Iterator[Object]:
    """The pods of all dumps among the cases, each with a name of its own."""
    for number, path in enumerate(sorted(CASES.glob("*/*/dump/pods.json"))):
        for each in json.loads(path.read_text(encoding="utf-8")).get("items") or ():
            if each.get("kind") == "Pod" and each.get("metadata", {}).get("name"):
                each["metadata"]["name"] += f"-{number}"
                yield each


def printed(pods: list[Object]) -> str:
    """As kubectl prints them."""
    return json.dumps(
        {"apiVersion": "v1", "items": pods, "kind": "List", "metadata": {"resourceVersion": ""}}, indent=4
    )


def as_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> ClusterObjects:
    with monkeypatch.context() as patched:
        patched.setattr(workers, "cores", lambda: 1)
        return look(str(path), None)


def test_the_pods_of_all_cases(tmp_path: Path, by_three: Divided, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pods.json"
    path.write_text(printed([*every_pod()]), encoding="utf-8")
    seen = look(str(path), None)
    assert any(by_three)
    assert len(seen.pods) > 200
    assert seen == as_whole(path, monkeypatch)
    assert list(seen.pods) == list(as_whole(path, monkeypatch).pods)


@pytest.mark.parametrize("cut", range(1, 40, 4))
def test_pods_of_one_template_are_one_wherever_the_list_is_cut(cut: int, tmp_path: Path, by_three: Divided) -> None:
    pods = [*every_pod()][:120]
    (tmp_path / "pods.json").write_text(printed(pods[cut:] + pods[:cut]), encoding="utf-8")
    seen = look(str(tmp_path / "pods.json"), None)
    assert any(by_three)
    choices = [each.choice for each in (*seen.capacity.holders, *seen.capacity.waiting)]
    assert len({id(each) for each in choices}) == len({each.written for each in choices})


def _with_another_kind(text: str) -> str:
    return text.replace('"kind": "Pod"', '"kind": "Event"', 1)


def _with_one_twice(text: str) -> str:
    names = re.findall(r'\n            "metadata": \{[^}]*?"name": "([^"]*)"', text)
    return text.replace(f'"name": "{names[-1]}"', f'"name": "{names[0]}"')


def _cut_off(text: str) -> str:
    return text[: -len(text) // 3]


def _without_kinds(text: str) -> str:
    return text.replace('            "kind": "Pod",\n', "").replace('"kind": "List"', '"kind": "PodList"')


def _nameless(text: str) -> str:
    return re.sub(r'(\n            "metadata": \{[^}]*?)"name"', r'\1"noname"', text, count=1)


@pytest.mark.parametrize(
    "turned", [_with_another_kind, _with_one_twice, _cut_off, _without_kinds, _nameless], ids=lambda each: each.__name__
)
def test_what_is_not_as_expected_is_read_as_a_whole(
    turned: Callable[[str], str], tmp_path: Path, by_three: Divided, monkeypatch: pytest.MonkeyPatch
) -> None:
    pods = [_pod(number) for number in range(60)]
    path = tmp_path / "pods.json"
    text = turned(printed(pods))
    assert text != printed(pods)
    path.write_text(text, encoding="utf-8")
    assert look(str(tmp_path), None) == as_whole(tmp_path, monkeypatch)
    assert not any(by_three)


@pytest.mark.parametrize("indent", [None, 2])
def test_another_indentation_is_nobodys_to_divide(indent: int | None, tmp_path: Path, by_three: Divided) -> None:
    text = json.dumps({"kind": "List", "items": [_pod(number) for number in range(60)]}, indent=indent)
    (tmp_path / "pods.json").write_text(text, encoding="utf-8")
    assert len(look(str(tmp_path), None).pods) == 60
    assert not any(by_three)


def test_pods_that_were_seen_before_are_read_as_a_whole(tmp_path: Path, by_three: Divided) -> None:
    """The newer of two wins, whichever file holds it."""
    older, newer = [[_pod(number, version) for number in range(60)] for version in ("7", "8")]
    for name, pods in (("a.json", newer), ("b.json", older)):
        (tmp_path / name).write_text(printed(pods), encoding="utf-8")
    assert len(look(str(tmp_path), None).pods) == 60
    assert by_three == [60, 0]


def test_lists_of_others_are_read_once(tmp_path: Path, by_three: Divided, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies before the pods is read while others read these, and is not divided itself."""
    begun = list[Path]()
    parts = divided._parts

    def noted(path: Path) -> object:
        begun.append(path)
        return parts(path)

    monkeypatch.setattr(divided, "_parts", noted)
    nodes = [{**_pod(number), "kind": "Node"} for number in range(60)]
    (tmp_path / "nodes.json").write_text(printed(nodes), encoding="utf-8")
    (tmp_path / "pods.json").write_text(printed([_pod(number) for number in range(60)]), encoding="utf-8")
    assert not parts(tmp_path / "nodes.json")
    seen = look(str(tmp_path), None)
    assert by_three == [0, 60]
    assert (len(seen.nodes), len(seen.pods)) == (60, 60)
    assert begun[:2] == [tmp_path / "nodes.json", tmp_path / "pods.json"]


def test_a_diagnosis_says_the_same(by_three: Divided, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    folder = dumped()
    pods = json.loads((folder / "pods.json").read_text(encoding="utf-8"))["items"]
    (folder / "pods.json").write_text(printed([*pods, *(_pod(number) for number in range(60))]), encoding="utf-8")
    told = diagnose()
    assert any(by_three)
    monkeypatch.setattr(workers, "cores", lambda: 1)
    assert diagnose().out == told.out


def test_a_worker_that_is_killed_ends_the_run(
    tmp_path: Path, by_three: Divided, monkeypatch: pytest.MonkeyPatch
) -> None:
    del by_three
    (tmp_path / "pods.json").write_text(printed([_pod(number) for number in range(60)]), encoding="utf-8")

    def killed(*_: object) -> list[object]:
        raise CouldNotLook("a process that did a part of the work was killed")

    monkeypatch.setattr(workers, "in_turns", killed)
    with pytest.raises(CouldNotLook):
        look(str(tmp_path), None)


def _pod(number: int, version: str = "7") -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"web-{number}", "namespace": "default", "resourceVersion": version},
        "spec": {"containers": [{"name": "web", "image": "nginx:1.29"}], "nodeName": f"node-{number % 7}"},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }
