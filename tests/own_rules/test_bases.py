"""What cases share is written once: a case is its bases, and over them what is its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.errors import InputError
from nodeworthy.own_rules.cases import Case, case_at, cases_in
from tests.own_rules.texts import PINNED, cases, rules, values
from tests.run import run


def table(root: Path, text: str) -> None:
    (root / "a-rule" / "cases.toml").write_text(text, encoding="utf-8")


def laid_out(case: Case, into: Path) -> dict[str, str]:
    whole = case.lay_out(into / case.name)
    return {path.relative_to(whole).as_posix(): path.read_text() for path in whole.rglob("*") if path.is_file()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "cases"
    for name, text in {
        "_shared/one.txt": "shared",
        "_shared/dump/two.txt": "shared",
        "a-rule/_own/dump/three.txt": "of the rule",
        "a-rule/bad-one/one.txt": "its own",
        "a-rule/bad-one/cmd": "node .",
        "a-rule/bad-one/expected.json": "{}",
        "a-rule/bad-one/dump/cmd": "no command",
    }.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text, encoding="utf-8")
    return made


def test_a_case_without_a_line_is_what_stands_in_it(root: Path, tmp_path: Path) -> None:
    (case,) = cases_in(root)
    assert (case.id, case.command) == ("a-rule/bad-one", ["node", "."])
    assert laid_out(case, tmp_path) == {"one.txt": "its own", "dump/cmd": "no command"}


def test_what_is_its_own_counts_and_the_later_base_before_the_earlier(root: Path, tmp_path: Path) -> None:
    (root / "a-rule" / "_own" / "dump" / "two.txt").write_text("of the rule")
    table(root, 'bad-one = {cmd = "check one.txt", base = ["_shared", "a-rule/_own"]}\n')
    (case,) = cases_in(root)
    assert case.command == ["check", "one.txt"]
    ours = {"one.txt": "its own", "dump/cmd": "no command"}
    assert laid_out(case, tmp_path) == {**ours, "dump/two.txt": "of the rule", "dump/three.txt": "of the rule"}


def test_a_case_over_a_case_has_all_that_is_beneath_it(root: Path, tmp_path: Path) -> None:
    table(
        root,
        'bad-one = {base = "_shared"}\ngood-two = {base = "a-rule/bad-one"}\ngood-three = {base = "a-rule/good-two"}\n',
    )
    whole = {"one.txt": "its own", "dump/cmd": "no command", "dump/two.txt": "shared"}
    found = {case.name: case for case in cases_in(root)}
    assert list(found) == ["bad-one", "good-three", "good-two"]
    assert laid_out(found["good-three"], tmp_path) == laid_out(case_at(root / "a-rule/bad-one"), tmp_path) == whole
    assert found["good-three"].command == ["check", "."], "a command is a case's own"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("bad-one = {", "can't be read"),
        ('bad-one = "_shared"', 'bad-one = {cmd = "…", base = ["…"]}'),
        ("bad-one = {cmd = 0}", 'bad-one = {cmd = "…", base = ["…"]}'),
        ("bad-one = {base = [1]}", 'bad-one = {cmd = "…", base = ["…"]}'),
        ('bad-one = {bases = "_shared"}', 'bad-one = {cmd = "…", base = ["…"]}'),
        ('bad-one = {base = "_gone"}', "bad-one has the base '_gone', which is none below cases/"),
        ('bad-one = {base = "../cases/_shared"}', "which is none below cases/"),
        ('bad-one = {base = "/tmp"}', "which is none below cases/"),
        ('bad-one = {base = "a-rule/bad-one"}', "would be laid over itself"),
        (
            'bad-one = {base = "a-rule/bad-two"}\nbad-two = {base = "a-rule/bad-one"}',
            "would be laid over itself",
        ),
        ('bad-tow = {cmd = "check ."}', "bad-tow has neither a folder nor a base"),
    ],
)
def test_what_is_wrong_in_the_table_is_said_with_its_place(root: Path, text: str, says: str) -> None:
    table(root, text)
    with pytest.raises(InputError, match=r"^cases/a-rule/cases\.toml") as told:
        cases_in(root)
    assert says in str(told.value)


def test_rules_of_ones_own_share_too(here: Path) -> None:
    folder = rules(here / "gpu_rules")
    cases(folder)
    shared = folder / "cases" / "_base" / "latest"
    shared.parent.mkdir()
    (folder / "cases" / PINNED / "bad-latest").rename(shared)
    values(folder / "cases" / PINNED / "good-later", "v1.20.0")
    lines = folder / "cases" / PINNED / "cases.toml"
    lines.write_text('bad-latest = {base = "_base/latest"}\ngood-later = {base = "_base/latest"}\n')
    ran = run("rules", "test", "gpu_rules")
    assert (ran.code, "4 cases, 4 hold" in ran.out) == (0, True), ran.out
    lines.write_text('bad-latest = {base = "_base/gone"}\n')
    ran = run("rules", "test", "gpu_rules")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "cases/toolkit-version-pinned/cases.toml: bad-latest has the base '_base/gone'" in ran.err
