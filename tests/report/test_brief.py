"""The messages to people, from the incidents' own clusters: read them aloud. `--update-goldens` writes them anew."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nodeworthy.engine import Judgement
from nodeworthy.facts.cluster.sighting import Sighting, Sign
from nodeworthy.report.brief import render
from nodeworthy.report.brief_causes import RULES, TROUBLES
from nodeworthy.report.printable import printable
from nodeworthy.report.report import Report
from nodeworthy.rule import Moment
from nodeworthy.rules import ids
from nodeworthy.verdict import Place, Verdict
from tests.case_files import command, whole
from tests.report.reports import DISKS, HOSTILE, PATHS, finding, hostile, judged
from tests.run import run

GOLDENS = Path(__file__).parent / "briefs"
TOLD = {
    "incident-a": "containerd-paths/bad-cluster-incident",
    "incident-a-before-it-hits": "containerd-paths/bad-cluster-policy-before-its-daemonset",
    "incident-b": "verification-yields/bad-cluster-incident",
    "incident-b-longer-than-its-bound": "verification-yields/bad-cluster-longer-than-its-bound",
}
POD = Place(object="Pod/ml/train-0")
NOON = datetime(2025, 10, 14, 12, tzinfo=UTC)


def brief(case: str, *arguments: str) -> str:
    ran = run(*command(case), "--format", "brief", *arguments, cwd=whole(case))
    assert ran.out, ran.err
    return ran.out


def of(*judgements: Judgement, sightings: tuple[Sighting, ...] = ()) -> str:
    return render(Report(Moment.CLUSTER, judgements, {"objects": 2}, sightings=sightings))


@pytest.mark.parametrize(("name", "case"), TOLD.items(), ids=list(TOLD))
def test_what_people_read(name: str, case: str, pytestconfig: pytest.Config) -> None:
    told = brief(case, "--rule", case.split("/", maxsplit=1)[0])
    golden = GOLDENS / f"{name}.txt"
    if pytestconfig.getoption("update_goldens"):
        golden.write_text(told, encoding="utf-8")
    assert told == golden.read_text(encoding="utf-8")


def test_every_time_is_one_of_the_evidence() -> None:
    case = "containerd-paths/bad-cluster-incident"
    told = brief(case).partition("FOR THE PLATFORM TEAM")[0]
    times = {word for word in told.replace(",", " ").split() if word.count(":") == 2 and word[0].isdigit()}
    evidence = "".join(path.read_text() for path in (whole(case) / "dump").glob("*.json"))
    assert times
    assert [each for each in times if f"T{each}Z" not in evidence] == []


def test_people_are_not_asked_to_start_what_a_daemonset_starts() -> None:
    again = next(line for line in brief(TOLD["incident-a"]).splitlines() if line.startswith("Start again"))
    assert "gpu-textgen" in again
    assert "toolkit" not in again


def test_nothing_broken_is_short_and_says_what_was_looked_at() -> None:
    told = brief("containerd-paths/good-cluster-incident-fixed")
    assert told.startswith("Nothing is broken that we looked at.\n\nLooked at: 17 objects, by ")
    assert "containerd-paths" in told
    assert "FIRST MESSAGE" not in told


def test_what_was_not_seen_is_said_whether_something_is_broken_or_not() -> None:
    unseen = judged(finding(Verdict.UNKNOWN, where=POD, message="nobody may list events"))
    silent = of(unseen)
    assert silent.startswith("Nothing broken was found, but not everything was seen.\n")
    for told in (silent, of(unseen, judged(finding(where=POD)))):
        assert "  - Pod/ml/train-0: nobody may list events\n" in told


def test_nothing_looked_at_is_no_good_news() -> None:
    assert of() == "Nothing was evaluated, so nothing is proven.\n"
    assert of(judged(why="no fleet")) == "Nothing was evaluated, so nothing is proven.\n"


def test_a_warning_alarms_nobody() -> None:
    told = of(judged(finding(rule=DISKS, where=POD, message="one disk is plain"), rule=DISKS), judged())
    assert told.startswith("Nothing is broken that we looked at.\n")
    assert "1 warning besides:\n  - Pod/ml/train-0: one disk is plain\n" in told


def test_a_rule_without_plain_words_speaks_for_itself() -> None:
    found = replace(finding(where=POD, message="the disk is full"), rule="not-in-the-table", remedy=None)
    told = of(judged(found))
    assert "Why: the disk is full.\nWhat you can do: not known yet.\n" in told
    assert "Next: what mends it is not known" in told
    assert "Since when: not known; nothing that was read tells a time.\n" in told
    assert "TIMELINE\n\nNothing that was read tells a time.\n" in told


def test_a_job_that_is_itself_the_fault_is_hit_by_it() -> None:
    told = brief("gpu-quantity/bad-cluster-refused-by-the-api")
    assert "  - 1 PyTorchJob cannot make pods: they are refused (FailedCreatePod): ml/llama-finetune\n" in told
    assert "What you can do: change the job: correct the resources in its template" in told


def test_what_hits_nobody_has_a_place() -> None:
    told = brief(TOLD["incident-b-longer-than-its-bound"])
    assert (
        "Nothing was seen that suffers from it.\n\nWhere: Pod/cw-hpc-verification/hpc-verification-29341-x8k2p.\n"
        in told
    )
    assert "no warning about it was read. Given to its node at 2025-10-14 18:01:00 UTC.\n" in told


def test_many_victims_are_counted() -> None:
    pods = tuple(f"Pod/ml/train-{number}" for number in range(400))
    warned = (Sighting(pod, Sign.WARNED, "FailedScheduling", NOON, NOON.replace(hour=13), 3) for pod in pods)
    told = of(judged(replace(finding(), victims=pods)), sightings=(*warned,))
    assert "400 pods cannot do their work, in namespace ml.\n" in told
    assert "400 pods must wait in Pending: no node to run on (FailedScheduling): ml/train-0, ml/train-1," in told
    assert "2025-10-14 12:00:00 UTC  Pod/ml/train-0: FailedScheduling, the first of 1200 (about 400 objects)\n" in told
    assert len(told) < 5_000


def test_many_causes_are_counted() -> None:
    found = (judged(finding(where=Place(object=f"Pod/ml/{n}"), message=f"fault {n}"), rule=PATHS) for n in range(3))
    others = [replace(each, findings=tuple(replace(f, rule="other") for f in each.findings)) for each in found]
    told = of(*others)
    assert "1 of 3\n" in told
    assert "3 causes are found" in told
    many = of(*(judged(replace(finding(message=f"fault {n}"), rule="other")) for n in range(9)))
    assert "And 4 more, which hit fewer.\n" in many


def test_what_a_cluster_holds_is_only_text() -> None:
    victim = Sighting(HOSTILE, Sign.WARNED, HOSTILE, NOON, NOON)
    own = Sighting(HOSTILE, Sign.OWN)
    for sightings in ((), (victim,), (victim, own)):
        found = replace(hostile(), on=(HOSTILE,))
        told = of(judged(found), judged(hostile(Verdict.UNKNOWN)), sightings=sightings)
        assert told == printable(told)
        assert not any(line.startswith(("::", "```", "##[")) for line in told.splitlines())


def test_words_are_of_rules_that_exist() -> None:
    assert set(RULES) <= set(ids())
    assert not any(
        each.says.endswith(".") or each.says[0].isupper() for each in RULES.values() if each.says[:4] != "HAMi"
    )
    assert not any(phrase.endswith(".") for phrase in TROUBLES.values())


def test_only_a_diagnosis_has_somebody_to_tell(tmp_path: Path) -> None:
    for option in ("--format=brief", "--also=brief=x"):
        ran = run("check", ".", option, cwd=tmp_path)
        assert ran.code == 2
        assert "brief" in ran.err


def test_beside_another_format(tmp_path: Path) -> None:
    told, file = TOLD["incident-b"], tmp_path / "brief.txt"
    ran = run(*command(told), "--format=json", f"--also=brief={file}", cwd=whole(told))
    assert ran.code == 1
    assert file.read_text(encoding="utf-8") == brief(told)
    assert "sightings" not in ran.report
