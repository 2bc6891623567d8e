"""Values of objects are read, written and put back one by one."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.repair.edit import (
    ANNOTATIONS,
    LABELS,
    TAINTS,
    TOOLKIT_ENV,
    Edit,
    NotEditable,
    merge_json_patch,
    merge_patch,
    value_at,
)

NODE: dict[str, Any] = {
    "metadata": {"labels": {"a": "1", "b": "2"}, "annotations": {"lock": "mine"}, "resourceVersion": "7"},
    "spec": {"taints": [{"key": "k", "effect": "NoSchedule"}, {"key": "k", "value": "v", "effect": "NoExecute"}]},
}


def policy(env: Any) -> dict[str, Any]:
    return {"spec": {"toolkit": {"enabled": True, "env": env}}}


@pytest.mark.parametrize(
    ("within", "name", "value"),
    [
        (LABELS, "a", "1"),
        (LABELS, "c", None),
        (ANNOTATIONS, "lock", "mine"),
        (TAINTS, "k:NoSchedule", ""),
        (TAINTS, "k:NoExecute", "v"),
        (TAINTS, "k:PreferNoSchedule", None),
    ],
)
def test_what_stands_there(within: tuple[str, ...], name: str, value: str | None) -> None:
    assert value_at(NODE, within, name) == value


@pytest.mark.parametrize(
    "edit",
    [
        Edit(LABELS, "a", "1", "x"),
        Edit(LABELS, "c", None, "new"),
        Edit(ANNOTATIONS, "lock", "mine", None),
        Edit(TAINTS, "k:NoSchedule", "", None),
        Edit(TAINTS, "k:NoExecute", "v", "w"),
        Edit(TAINTS, "n/x:NoExecute", None, "1"),
    ],
    ids=lambda edit: edit.where,
)
def test_an_edit_is_made_and_its_reverse_undoes_it(edit: Edit) -> None:
    then = merge_json_patch(NODE, merge_patch(NODE, [edit]))
    assert value_at(then, edit.within, edit.name) == edit.after
    back = merge_json_patch(then, merge_patch(then, [edit.reversed]))
    assert sorted(back["spec"]["taints"], key=str) == sorted(NODE["spec"]["taints"], key=str)
    assert back["metadata"] == NODE["metadata"]


def test_a_patch_of_labels_names_no_others() -> None:
    patch = merge_patch(NODE, [Edit(LABELS, "a", "1", None), Edit(LABELS, "c", None, "3")])
    assert patch == {"metadata": {"labels": {"a": None, "c": "3"}}}


def test_a_list_keeps_its_order_and_what_is_not_ours() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "S", "valueFrom": {"secretKeyRef": {}}}, {"name": "B", "value": "2"}]
    edits = [Edit(TOOLKIT_ENV, "B", "2", "3"), Edit(TOOLKIT_ENV, "C", None, "4")]
    patch = merge_patch(policy(env), edits)
    assert patch["spec"]["toolkit"]["env"] == [*env[:2], {"name": "B", "value": "3"}, {"name": "C", "value": "4"}]


def test_of_duplicates_the_first_counts() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
    assert value_at(policy(env), TOOLKIT_ENV, "A") == "1"
    patch = merge_patch(policy(env), [Edit(TOOLKIT_ENV, "A", "1", "9")])
    assert [each["value"] for each in patch["spec"]["toolkit"]["env"]] == ["9", "2"]


@pytest.mark.parametrize("ours", [(), (TOOLKIT_ENV,)])
def test_a_list_of_our_own_making_goes_with_its_last_entry(ours: tuple[tuple[str, ...], ...]) -> None:
    now = policy([{"name": "A", "value": "1"}])
    patch = merge_patch(now, [Edit(TOOLKIT_ENV, "A", "1", None)], ours)
    assert patch == {"spec": {"toolkit": {"env": None if ours else []}}}


@pytest.mark.parametrize("env", ["text", {"A": "1"}, [{"name": "A", "valueFrom": {}}], [{"name": "A", "value": 1}]])
def test_what_has_another_shape_is_left(env: Any) -> None:
    with pytest.raises(NotEditable):
        value_at(policy(env), TOOLKIT_ENV, "A")


def test_entries_that_are_none_are_passed_over() -> None:
    assert value_at(policy(["A", None, {"name": "A"}]), TOOLKIT_ENV, "A") == ""
