"""What is not there is told by all the names that would lead to it, and by the nearest place above it."""

from __future__ import annotations

import pytest

from nodeworthy.documents.yaml import read_all
from nodeworthy.verdict import Place

TEXT = "spec:\n  template: {image: one}\n  empty:\n  hidden: !vault x\nlist: [a]\n"


@pytest.mark.parametrize(
    "names",
    [
        ("spec", "template", "image"),
        ("spec", "other", "a", "b"),
        ("spec", "template", "image", "below", "it"),
        ("spec", "empty", "a", "b"),
        ("spec", "hidden", "a", "b"),
        ("nothing", "at", "all"),
        ("list", "a", "b"),
        (),
    ],
)
def test_names_at_once_lead_where_each_in_turn_leads(names: tuple[str, ...]) -> None:
    [tree] = read_all(TEXT, Place("values.yaml"))
    in_turn = tree
    for each in names:
        in_turn = in_turn.get(each)
    at_once = tree.get(*names)
    assert (at_once.place, at_once.key, str(at_once.value)) == (in_turn.place, in_turn.key, str(in_turn.value))


def test_what_is_not_there_is_called_by_all_names() -> None:
    [tree] = read_all(TEXT, Place("values.yaml"))
    found = tree.get("spec", "other", "a")
    assert (found.is_absent, found.place.subject, found.place.line) == (True, "spec.other.a", 1)
