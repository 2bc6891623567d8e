"""Suppressions are comments, never the text of a value, and only a reasoned one has an effect."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from nodeworthy.collect.source.comments import annotation_suppressions, comments
from nodeworthy.documents.yaml import read
from nodeworthy.suppression import Suppressed, Suppression
from nodeworthy.verdict import Finding, Place, fail
from tests.work import calls

HERE = Place(path="values.yaml")
KNOWN = frozenset({"containerd-paths", "toolkit-env-wellformed"})


def found(text: str) -> list[Suppression]:
    return list(comments(text, HERE, KNOWN, is_yaml=True))


def test_a_blank_more_or_less_is_no_other_comment() -> None:
    [one] = found("a: 1\nb: 2  #nodeworthy:ignore containerd-paths the old site\n")
    assert (one.rule, one.reason, one.fault) == ("containerd-paths", "the old site", None)


def test_at_the_end_of_the_line_it_speaks_of_that_line() -> None:
    [one] = found("a: 1\nb: 2  # nodeworthy: ignore containerd-paths the old site, until June\n")
    assert (one.rule, one.reason, list(one.lines or ())) == ("containerd-paths", "the old site, until June", [2])
    assert (one.place.line, one.place.column, one.fault) == (2, 7, None)


def test_alone_on_its_line_it_speaks_of_the_line_beneath() -> None:
    [one] = found("a: 1\n  # nodeworthy: ignore containerd-paths why not\nb: 2\n")
    assert list(one.lines or ()) == [3]


@pytest.mark.parametrize(
    ("entry", "lines"),
    [
        ("  - name: A\n    value: b\n  - name: C\n    value: d\n", [2, 3]),
        ("- value: b\n  name: A\n", [2, 3]),
        ("  -   name: A\n      value: b\n", [2, 3]),
        ("  - name: A\n    env:\n      - name: B\n    image: c\n", [2]),
        ("  - name: A\n    image: b\n    resources:\n      limits: {}\n", [2, 3]),
        ("  - name: A\n\n    value: b\n", [2, 3, 4]),
        ("  - name: A\n    # what it is for\n    value: b\n\n  - name: C\n", [2, 3, 4]),
        ("  - name: A\n    value: |-\n      b\n\n      c\n    other: d\n", [2, 3, 4, 5, 6, 7]),
        ("  - name: A\n    value: >\n      b\n  - name: C\n", [2, 3, 4]),
        ("  - name: A\n    value:\n      b\n", [2, 3, 4]),
        ("  - name: A\n    value: b\n      c\n    d: e\n", [2, 3, 4, 5]),
        ("  -\n    name: A\n    value: b\n  - name: C\n", [2, 3, 4]),
        ("  -  # the first\n    name: A\n    value: b\n", [2, 3, 4]),
        ("  - {name: A,\n     value: b}\n  - {name: C}\n", [2, 3]),
        ("  - name: A\n    valueFrom:\n      secretKeyRef: {name: x}\n", [2]),
        ("  - name: A\n    args:\n      - b\n    value: c\n", [2]),
        ("  - A\n  - B\n", [2]),
        ("  - name: A\nb: c\n", [2]),
        ("a: 1\nb: 2\n", [2]),
    ],
)
def test_above_an_entry_of_a_list_it_speaks_of_the_entrys_own_values(entry: str, lines: list[int]) -> None:
    [one] = found(f"# nodeworthy: ignore containerd-paths why not\n{entry}")
    assert list(one.lines or ()) == lines


def test_at_the_end_of_an_entrys_first_line_it_speaks_of_that_line() -> None:
    [one] = found("- name: A  # nodeworthy: ignore containerd-paths why not\n  value: b\n")
    assert list(one.lines or ()) == [1]


def test_several_alone_speak_of_the_same_line() -> None:
    both = found("# nodeworthy: ignore containerd-paths one\n# nodeworthy: ignore toolkit-env-wellformed two\nb: 2\n")
    assert [list(each.lines or ()) for each in both] == [[3], [3]]


@pytest.mark.parametrize(
    ("comment", "fault"),
    [
        ("# nodeworthy: ignore containerd-paths", "it gives no reason"),
        ("# nodeworthy: ignore", "it names no rule"),
        ("# nodeworthy: ignore containerd-path because", "there is no rule 'containerd-path'"),
    ],
)
def test_what_can_never_have_an_effect_says_why(comment: str, fault: str) -> None:
    [one] = found(f"a: 1 {comment}\n")
    assert one.fault == fault
    assert not one.covers(Place(path="values.yaml", line=1), one.rule)


@pytest.mark.parametrize(
    "text",
    [
        'a: "x # nodeworthy: ignore containerd-paths no comment"\n',
        "a: 'x # nodeworthy: ignore containerd-paths no comment'\n",
        'a: "x\n  # nodeworthy: ignore containerd-paths still in the string\n  y"\n',
        "a: x#nodeworthy: ignore\n",
        "a: 1  # see nodeworthy: ignore in its manual\n",
    ],
)
def test_what_is_no_comment_suppresses_nothing(text: str) -> None:
    assert found(text) == []


def test_inside_a_block_that_holds_a_document_it_is_a_comment() -> None:
    [one] = found("values: |\n  a: 1  # nodeworthy: ignore containerd-paths inside\n")
    assert list(one.lines or ()) == [2]


def test_an_annotation_speaks_of_the_whole_object() -> None:
    document = read(
        "metadata:\n  annotations:\n    nodeworthy/ignore.containerd-paths: legacy\n    nodeworthy/ignore.nothing: x\n",
        HERE,
    )
    assert document is not None
    one, other = annotation_suppressions(document, KNOWN, range(1, 50))
    assert one.covers(Place(path="values.yaml", line=40), "containerd-paths")
    assert not one.covers(Place(path="values.yaml", line=60), "containerd-paths")
    assert not one.covers(Place(path="other.yaml", line=40), "containerd-paths")
    assert other.fault == "there is no rule 'nothing'"


IGNORED = "# nodeworthy: ignore toolkit-env-wellformed of a test\n"
MANY = {
    "below each other": lambda n: IGNORED * n + "a: 1\n",
    "each above its line": lambda n: f"{IGNORED}a: 1\n" * n,
    "each at the end of its line": lambda n: f"a: 1  {IGNORED}" * n,
    "above an entry with many settings": lambda n: IGNORED * n + "- name: a\n" + "  b: c\n" * n,
}


@pytest.mark.parametrize("shape", MANY.values(), ids=MANY)
def test_twice_as_many_comments_take_twice_as_long(shape: Callable[[int], str]) -> None:
    """Found, and laid over as many findings."""

    def judged(count: int) -> int:
        found = list(comments(shape(count), Place("values.yaml"), frozenset({"toolkit-env-wellformed"}), is_yaml=True))
        laid = Suppressed(found)
        for line in range(1, count):
            failed = fail(Place("values.yaml", line), "it is so")
            laid.applied(Finding.of(failed, "toolkit-env-wellformed"))
        assert len(found) == count
        return len(list(laid.without_effect({"toolkit-env-wellformed"}, ())))

    judged(10)
    few, many = (calls(partial(judged, count)) for count in (200, 800))
    assert many < 6 * few
