"""What rules say reaches a reader in plain words: a not-known once, and no mark of ours."""

from __future__ import annotations

import pytest

from nodeworthy.markers import JOB_FOLDER, without_marks
from nodeworthy.telling import sign, unnest, what_and_why
from nodeworthy.verdict import Place, Related, fail, unknown
from tests.report.reports import PATHS


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (f"{JOB_FOLDER}/train.py is not there", "train.py is not there"),
        (f"it runs in {JOB_FOLDER}", "it runs in $SLURM_SUBMIT_DIR"),
        ("the port is \ue000\uf8ff\uf8ff", "the port is …"),
        ("Größe", "Größe"),
    ],
)
def test_marks_are_words(said: str, told: str) -> None:
    assert without_marks(said) == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("whether A is not known: B is not known: C", "whether A is not known, because B is not: C"),
        (
            "whether A are not known: which B it is, is not known: C",
            "whether A are not known, because which B it is is not: C",
        ),
        ("whether A is not known: the template fills it in", "whether A is not known: the template fills it in"),
        ("A is known", "A is known"),
    ],
)
def test_a_not_known_is_told_once(said: str, told: str) -> None:
    assert unnest(said) == told
    assert unnest(told) == told


def test_what_is_not_known_and_why() -> None:
    assert what_and_why("whether A is set is not known: b.sh sets it") == ("whether A is set", "b.sh sets it")
    assert what_and_why("whether A is set is not known, because B is not: C") == ("whether A is set", "B is not: C")
    assert what_and_why("the server refused") == ("", "the server refused")


def test_whatever_a_rule_says_is_put_into_words() -> None:
    place = Place(path="job.sh", line=1)
    said = f"{JOB_FOLDER}/a"
    found = sign(
        fail(place, said, is_=said, should=said, cause=said, remedy=said, related=[Related(place, said)]), PATHS
    )
    assert {found.message, found.is_, found.should, found.cause, found.remedy, found.related[0].says} == {"a"}


def test_of_whom_something_is_not_known_stands_with_what_that_is() -> None:
    found = unknown(Place(), "whether A is open is not known: a template fills it in", on="pool 'gpu'")
    assert found.sentence() == "whether A is open on pool 'gpu' is not known: a template fills it in"
