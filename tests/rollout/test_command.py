"""What is said before anybody is asked: options that do not go together, files that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.cloud.calls import EVERY
from nodeworthy.commands.rollout import going
from nodeworthy.errors import InputError
from nodeworthy.rollout.cloud import WRITES
from nodeworthy.rollout.journal import Status, Terms
from tests.run import run

from .simulated import Simulated, journal


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "which nodes are meant is not said: --pool NAME, or --asg NAME"),
        (["--pool", "t4"], "a fresh node has to pass the node suite, which runs from an image of its own"),
        (["--pool", "t4", "--image", "i"], "rollout asks before it begins, and there is no terminal"),
        (["--pool", "t4", "--pause"], "--pause and --abort are about one group: --asg NAME"),
        (["--asg", "t4", "--pause", "--abort"], "--pause and --abort are two things: one at a time"),
        (["--resume", "x.json", "--dry-run"], "--dry-run and --resume are two things"),
        (["--resume", "x.json", "--asg", "t4"], "which group it is and to what version stands in the file"),
        (["--resume", "gone.json"], "gone.json: it can't be read: No such file or directory"),
        (["--rollback", "gone.json", "--dry-run"], "gone.json: it can't be read"),
        (["--asg", "t4", "--dry-run", "--to", "$Latest"], "--to $Latest: a version is a number (or newest"),
        (["--asg", "t4", "--dry-run", "--window", "at night"], "'at night' is no window: write it as 22:00-06:00"),
        (["--asg", "t4", "--dry-run", "--evict", "web"], "--evict web: a pod is named NAMESPACE/POD"),
        (["--asg", "t4", "--dry-run", "--drain-timeout", "soon"], "'soon' is no time: write it as 30s or 2m"),
        (
            ["--asg", "t4", "--format", "html"],
            "--format html is a page that is written anew at each step: --output FILE",
        ),
        (["--asg", "t4", "--dry-run", "--format", "brief"], "--format brief tells of a rollout that runs"),
        (["--asg", "t4", "--max-unavailable", "0"], "'0' nodes away at once: nothing could be replaced"),
        (["--asg", "t4", "--by", "refresh", "--surge", "1"], "an instance refresh ends a machine first: --by node"),
        (["--asg", "t4", "--canary", "many"], "'many' is no number of nodes"),
    ],
)
def test_what_does_not_go_together(words: list[str], told: str, tmp_path: Path) -> None:
    ran = run("rollout", *words, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_a_file_that_is_none_and_one_that_lacks_something(tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    for text, told in (
        ("{", "it is not JSON"),
        ("{}", "this is no file that a rollout has kept"),
        ('{"kind": "Rollout", "apiVersion": "nodeworthy/v1"}', "it says no id"),
    ):
        file.write_text(text)
        ran = run("rollout", "--resume", "kept.json", cwd=tmp_path)
        assert ran.code == 2
        assert told in ran.err


@pytest.mark.parametrize("name", ["lanes", "terms", "former", "aws", "originals", "status", "target"])
def test_every_part_of_a_file_is_needed(name: str, tmp_path: Path) -> None:
    data = journal(Simulated(), Terms()).as_data()
    del data[name]
    (tmp_path / "kept.json").write_text(json.dumps(data))
    ran = run("rollout", "--resume", "kept.json", cwd=tmp_path)
    assert ran.code == 2
    assert "kept.json: " in ran.err


def test_one_that_is_done_has_nothing_to_do(tmp_path: Path) -> None:
    data = journal(Simulated(), Terms()).as_data() | {"status": "done"}
    (tmp_path / "kept.json").write_text(json.dumps(data))
    ran = run("rollout", "--resume", "kept.json", cwd=tmp_path)
    assert (ran.code, ran.out) == (0, "rollout r1 of t4 is done: nothing to do\n")


def test_the_policy_is_what_an_audit_reads_and_eight_calls_more() -> None:
    ran = run("rollout", "--print-policy")
    statements = json.loads(ran.out)["Statement"]
    reads, writes, pins = (set(each["Action"]) for each in statements)
    assert reads == {each.action for each in EVERY}
    assert writes == {f"autoscaling:{each}" for each in WRITES}
    assert len(writes) == 8
    assert pins == {"ec2:RunInstances", "ec2:CreateTags", "iam:PassRole"}


def test_the_role_is_its_own_rights_and_those_of_its_gates_each_once() -> None:
    import yaml

    ran = run("rollout", "--print-role")
    made = list(yaml.safe_load_all(ran.out))
    named = [(each["kind"], each["metadata"]["name"], each["metadata"].get("namespace")) for each in made]
    assert (ran.code, len(set(named))) == (0, len(named))
    assert named[0] == ("Namespace", "nodeworthy", None)
    assert made[0]["metadata"]["labels"] == {"pod-security.kubernetes.io/enforce": "privileged"}
    [own] = [
        each["rules"] for each in made if each["kind"] == "ClusterRole" and each["metadata"]["name"].endswith("out")
    ]
    rights = {(name, verb) for rule in own for name in rule["resources"] for verb in rule["verbs"]}
    assert {each for each in rights if each[1] not in ("get", "list")} == {
        ("nodes", "patch"),
        ("pods/eviction", "create"),
    }
    bound = {each["roleRef"]["name"] for each in made if each["kind"] == "ClusterRoleBinding" and _is_rollouts(each)}
    assert bound == {"nodeworthy-rollout", "nodeworthy-in-cluster", "nodeworthy-accept"}


def _is_rollouts(binding: dict[str, Any]) -> bool:
    return bool(binding["subjects"][0]["name"] == "nodeworthy-rollout")


def test_two_that_begin_in_the_same_second_keep_what_they_do_in_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = {going._new_path() for _ in range(3)}
    assert sorted(made) == sorted(Path(each.name) for each in tmp_path.iterdir())
    assert {each.stat().st_mode & 0o777 for each in made} == {0o600}
    assert len(made) == 3


def test_where_nothing_can_be_kept_nothing_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(InputError, match=r"can't be written here: No such file or directory; nothing was changed"):
        going._new_path()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"sets_version": True}, "t4 is set to version 4 of its template, which named $Latest: the program that made"),
        ({"terms": Terms(by_refresh=True)}, "an instance refresh that comes to its end sets t4 to version 4 of its"),
        ({}, ""),
        ({"sets_version": True, "named_version": "4"}, ""),
    ],
)
def test_who_made_the_group_has_to_be_told_of_another_version(
    changes: dict[str, Any], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    made = journal(Simulated(), Terms())
    for name, value in {"status": Status.DONE, **changes}.items():
        setattr(made, name, value)
    assert going._tell_the_end(made, Path("kept.json")) == 0
    said = capsys.readouterr().err
    assert said.startswith(told)
    assert bool(said) is bool(told)
