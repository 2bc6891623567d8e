"""What the settings decide, what they can't, and how malformed ones end."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.settings.model import exclusion_of
from tests.baseline.texts import pod, values
from tests.run import run, run_json

OWN = ".nodeworthy.yaml"
SKIP = "skip-rules:\n  - {rule: gpu-quantity, why: they are halves here}\n"


@pytest.fixture
def wrong(here: Path) -> Path:
    pod(here)
    return here


def settings(folder: Path, text: str, form: str = OWN) -> None:
    (folder / form).write_text(text)


class TestWhatTheyLeaveOut:
    def test_a_rule_is_skipped_and_every_report_says_why(self, wrong: Path) -> None:
        settings(wrong, SKIP)
        ran = run_json("check", ".", "--show-passed")
        (told,) = (each for each in ran.findings if each["rule"] == "gpu-quantity")
        assert (told["verdict"], told["where"]["line"]) == ("skip", 2)
        assert told["cause"] == ".nodeworthy.yaml leaves it out: they are halves here"
        for form in ("text", "junit", "html"):
            assert "they are halves here" in run("check", ".", "--format", form, "--show-skipped").out
        assert "1 rule left out by the settings (--show-skipped)" in run("check", ".").out

    def test_with_nothing_else_to_judge_nothing_is_proven(self, wrong: Path) -> None:
        others = ("no-secret-in-plain-sight", "pod-can-use-gpus")
        left_out = (SKIP.replace("gpu-quantity", each).partition("\n")[2] for each in others)
        settings(wrong, "".join((SKIP, *left_out)))
        assert run("check", ".").code == 3

    def test_who_asks_for_the_rule_gets_it(self, wrong: Path) -> None:
        settings(wrong, SKIP)
        assert run("check", ".", "--rule", "gpu-quantity").code == 1
        assert run("check", ".", "--no-settings").code == 1

    def test_files_are_excluded_and_counted(self, wrong: Path) -> None:
        (wrong / "third_party" / "deep").mkdir(parents=True)
        (wrong / "pod.yaml").rename(wrong / "third_party" / "deep" / "pod.yaml")
        (wrong / "values.yaml").write_text("toolkit: {env: []}\n")
        assert run("check", ".").code == 1
        settings(wrong, "exclude: [third_party]\n")
        ran = run_json("check", ".")
        assert (ran.code, ran.report["evaluated"]["excluded"]) == (0, 1)
        assert "1 file excluded by the settings" in run("check", ".").out
        assert run("check", "third_party").code == 3

    def test_a_file_that_is_named_is_looked_at(self, wrong: Path) -> None:
        settings(wrong, "exclude: [pod.yaml]\n")
        assert run("check", "pod.yaml").code == 1
        assert run("check", ".").code == 3
        assert run("check", "--changed", "pod.yaml").code == 0

    @pytest.mark.parametrize("rule", ["input-readable", "looked-at", "rule-crashed", "suppression-unused"])
    def test_what_says_that_nothing_was_seen_stays(self, wrong: Path, rule: str) -> None:
        settings(wrong, SKIP.replace("gpu-quantity", rule))
        ran = run("check", ".")
        assert ran.code == 2
        assert "can't be left out" in ran.err


class TestWhatTheyDecide:
    def test_warnings_and_unknowns(self, here: Path) -> None:
        (here / "values.yaml").write_text("toolkit:\n  env:\n    - {name: CONTAINERD_SOCKET, value: !vault s}\n")
        assert run("check", ".").code == 3
        settings(here, "allow-unknown: true\n")
        assert run("check", ".").code == 0
        assert run_json("check", ".").report["summary"]["unknown"] > 0
        assert run("check", ".", "--no-allow-unknown").code == 3

    def test_strict_and_its_opposite(self, here: Path) -> None:
        (here / "values.yaml").write_text("toolkit:\n  env: []  # nodeworthy: ignore toolkit-env-wellformed no\n")
        assert run("check", ".").code == 0
        settings(here, "strict: true\n")
        assert run("check", ".").code == 1
        assert run("check", ".", "--no-strict").code == 0

    def test_the_place_of_the_baseline(self, wrong: Path) -> None:
        settings(wrong, "baseline: ci/known.json\n")
        assert run("check", ".").code == 2
        (wrong / "ci").mkdir()
        assert run("baseline").code == 0
        assert (wrong / "ci" / "known.json").exists()
        assert run("check", ".").code == 0

    def test_they_hold_below_their_folder_and_not_beyond_the_repository(
        self, wrong: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings(wrong, SKIP)
        for name in ("below", "inner"):
            (wrong / name).mkdir()
            pod(wrong / name)
        (wrong / "inner" / ".git").mkdir()
        monkeypatch.chdir(wrong / "below")
        assert run("check", ".", "--strict").code != 1
        monkeypatch.chdir(wrong / "inner")
        assert run("check", ".").code == 1

    def test_those_of_what_is_looked_at_decide_nothing(
        self, here: Path, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        stranger = tmp_path_factory.mktemp("stranger")
        pod(stranger)
        (stranger / "rules").mkdir()
        (stranger / "rules" / "evil.py").write_text(f"open({str(stranger / 'ran')!r}, 'w')\n")
        settings(stranger, SKIP + "rules: rules\n")
        assert run("check", str(stranger)).code == 1
        assert not (stranger / "ran").exists()

    def test_those_below_are_said_not_to_hold(self, wrong: Path) -> None:
        (wrong / "team").mkdir()
        settings(wrong / "team", "strict: true\nexclude: [a]\n")
        told = "team/.nodeworthy.yaml: exclude, strict: holds only for what is run in that folder\n"
        assert run("check", ".").err == told
        (wrong / "team/pyproject.toml").write_text("[project]\nname = 'team'\n", encoding="utf-8")
        assert run("check", ".").err == told
        assert run("check", ".", "--no-settings").err == ""
        settings(wrong / "team", "stack: prod\n")
        assert run("check", "pod.yaml").err == ""

    def test_a_pyproject_beside_them_says_nothing_of_them(self, wrong: Path) -> None:
        settings(wrong, "exclude: [third_party]\n")
        (wrong / "pyproject.toml").write_text("[project]\nname = 'platform'\n", encoding="utf-8")
        assert run("check", ".").err == ""

    def test_in_pyproject_they_are_the_same(self, wrong: Path) -> None:
        text = (
            '[tool.nodeworthy]\nstrict = true\n[[tool.nodeworthy.skip-rules]]\nrule = "gpu-quantity"\nwhy = "halves"\n'
        )
        settings(wrong, text, "pyproject.toml")
        ran = run_json("check", ".", "--show-passed")
        (told,) = (each for each in ran.findings if each["rule"] == "gpu-quantity")
        assert told["cause"] == "pyproject.toml leaves it out: halves"

    def test_a_pyproject_of_others_is_passed_over(self, wrong: Path) -> None:
        settings(wrong, "[tool.black]\nline-length = 100\n[project]\nname = 'nodeworthy'\n", "pyproject.toml")
        assert run("check", ".").code == 1

    def test_the_cache_asks_them(self, wrong: Path) -> None:
        assert run("check", ".").code == 1
        settings(wrong, SKIP)
        assert run("check", ".").code != 1


MALFORMED = {
    "an unknown key": ("exclud: []\n", ":1:1: exclud: there is no such key; did you mean exclude?"),
    "a key as options are written": ("skip_rule: []\n", "did you mean skip-rules?"),
    "a word for a truth": ("strict: always\n", ':1:9: strict is "always", and must be true or false'),
    "a list that is none": ("exclude: vendor\n", ':1:10: exclude is "vendor", and must be a list'),
    "no reason": ("skip-rules:\n- {rule: gpu-quantity}\n", ":2:3: skip-rules[0].why is missing"),
    "an empty reason": ("skip-rules:\n- {rule: gpu-quantity, why: ' '}\n", "must be a reason"),
    "a rule that does not exist": (SKIP.replace("quantity", "quantty"), "did you mean gpu-quantity?"),
    "a way out of its folder": ("exclude: [../other]\n", "must not hold '..'"),
    "a way back in": ("exclude: ['!keep']\n", "must not begin with '!'"),
    "a pattern of nothing": ("exclude: ['/']\n", "must be a path or a pattern"),
    "a list of settings": ("- strict\n", "should be a mapping"),
    "no YAML": ("strict: [\n", "2:1"),
    "a key twice": ("strict: true\nstrict: false\n", "stands twice"),
    "a folder of rules that is not there": ("rules: gone\n", "gone: there is no such folder of rules"),
}


@pytest.mark.parametrize(("text", "told"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_they_end_the_run_with_a_sentence(wrong: Path, text: str, told: str) -> None:
    settings(wrong, text)
    ran = run("check", ".")
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert len(ran.err.splitlines()) == 1


def test_so_do_those_of_a_pyproject(wrong: Path) -> None:
    settings(wrong, "[project]\nname = 'x'\n\n[tool.nodeworthy]\nstrict = true\nexclud = []\n", "pyproject.toml")
    assert "pyproject.toml:6:1: exclud: there is no such key; did you mean exclude?" in run("check", ".").err
    settings(wrong, "[tool.nodeworthy]\nstrict =\n", "pyproject.toml")
    assert "pyproject.toml is no TOML" in run("check", ".").err


def test_two_of_them_are_one_too_many(wrong: Path) -> None:
    settings(wrong, "strict: true\n")
    settings(wrong, "[tool.nodeworthy]\nstrict = true\n", "pyproject.toml")
    ran = run("check", ".")
    assert ran.code == 2
    assert "keep one of the two" in ran.err


@pytest.mark.parametrize(
    ("pattern", "path", "is_left_out"),
    [
        ("vendor", "vendor/a.yaml", True),
        ("vendor", "deep/vendor/b/a.yaml", True),
        ("vendor", "vendored/a.yaml", False),
        ("vendor/", "deep/vendor/a.yaml", True),
        ("charts/vendor", "charts/vendor/a.yaml", True),
        ("charts/vendor", "deep/charts/vendor/a.yaml", False),
        ("/pod.yaml", "pod.yaml", True),
        ("/pod.yaml", "deep/pod.yaml", False),
        ("*.gen.yaml", "deep/a.gen.yaml", True),
        ("charts/*/a.yaml", "charts/x/a.yaml", True),
        ("charts/*/a.yaml", "charts/x/y/a.yaml", False),
        ("charts/**/a.yaml", "charts/x/y/a.yaml", True),
        ("charts/**/a.yaml", "charts/a.yaml", True),
        ("charts/**", "charts/x/y.yaml", True),
        ("**/test", "a/b/test/c.yaml", True),
        ("a?c", "abc", True),
        ("a.c", "abc", False),
        ("[ab]", "a", False),
    ],
)
def test_patterns(tmp_path: Path, pattern: str, path: str, is_left_out: bool) -> None:
    assert exclusion_of(tmp_path, [pattern]).holds(f"{tmp_path.resolve()}/{path}") is is_left_out


def test_what_lies_elsewhere_is_never_excluded(tmp_path: Path) -> None:
    assert not exclusion_of(tmp_path, ["**"]).holds("/elsewhere/a.yaml")
    assert not exclusion_of(tmp_path, ["**"]).holds(f"{tmp_path}-beside/a.yaml")


def test_of_most_runs_they_cost_two_looks_at_the_disk(here: Path) -> None:
    import subprocess
    import sys

    values(here)
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "nodeworthy", "check", "values.yaml"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    ).stderr
    assert "nodeworthy.settings.find" in told
    for module in ("nodeworthy.settings.read", "nodeworthy.own_rules", "nodeworthy.baseline"):
        assert module not in told
