"""What a template may come to be, branch by branch."""

from __future__ import annotations

import pytest

from nodeworthy.documents.branches import branches


def test_each_branch_is_taken_once() -> None:
    text = "{% if a %}\n1\n{% elif b %}\n2\n{% else %}\n3\n{% endif %}\n"
    assert branches(text) == ["\n1\n\n\n\n\n\n", "\n\n\n2\n\n\n\n", "\n\n\n\n\n3\n\n"]


def test_a_condition_that_stands_there_twice_is_decided_once() -> None:
    text = "a{{ if .X }}1{{ else }}2{{ end }}b{{ if not .X }}3{{ end }}"
    assert branches(text) == ["a1b", "a2b3"]


def test_terraforms_conditions_are_read_beside_its_values() -> None:
    assert branches("${a}%{ if b ~}1%{ else ~}2%{ endif ~}") == ["${a}1", "${a}2"]


def test_what_stands_in_a_loop_is_taken_once() -> None:
    assert branches("{% for x in y %}{% if x %}1{% else %}2{% endif %}{% endfor %}") == ["1", "2"]


@pytest.mark.parametrize(
    "text",
    [
        "no template",
        "{{ .Values.a }}",
        "{% if a %}never ended",
        "{% endif %}",
        "{% if a %}" * 100 + "{% endif %}" * 100,
        "".join(f"{{% if a{number} %}}x{{% endif %}}" for number in range(1000)),
    ],
    ids=["none", "a-value", "unclosed", "unopened", "too-deep", "too-many"],
)
def test_of_what_has_none_or_can_not_be_told_apart_there_are_none(text: str) -> None:
    assert branches(text) == []


def test_many_conditions_are_each_held_against_the_others() -> None:
    text = "".join(f"{{% if a{number} %}}{number}{{% endif %}}" for number in range(6))
    found = branches(text)
    assert {"012345", ""} <= set(found)
    assert len(found) == 14
