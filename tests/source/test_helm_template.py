"""A chart's templates are read as far as they say something; what they hide is unknown, at its line."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodeworthy.collect.source.helm_template import read_templated, without_actions
from nodeworthy.documents.settled import why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml
from nodeworthy.verdict import Place, Unknown
from tests.run import run_json


def only(text: str) -> Tree:
    documents = read_templated(text, Place(path="templates/x.yaml"))
    assert len(documents) == 1
    return documents[0]


def test_values_keep_their_line_and_column() -> None:
    tree = only("name: {{ .Release.Name }}\nspec: {a: {{ .Values.a }}, b: 2}\n")
    assert isinstance(tree.get("name").value, Unknown)
    assert isinstance(tree.get("spec", "a").value, Unknown)
    b = tree.get("spec", "b")
    assert (b.value, b.place.line, b.place.column) == (2, 2, 31)


def test_lines_that_steer_are_blank() -> None:
    tree = only("{{- if .Values.x }}\na: 1\n{{- else }}\nb: 2\n{{- end }}\nc: 3\n")
    assert {name: each.value for name, each in tree.mapping.items()} == {"a": 1, "b": 2, "c": 3}
    assert why_incomplete(tree) is None


def test_what_a_template_adds_makes_a_mapping_incomplete() -> None:
    labels = only('labels:\n  app: x\n  {{- include "labels" . | nindent 2 }}\n').get("labels")
    assert labels.get("app").value == "x"
    assert isinstance(labels.get("tier").value, Unknown)
    assert why_incomplete(labels) == "a template fills it in"


def test_what_a_template_adds_to_a_list_is_an_unknown_entry() -> None:
    args = only("args:\n  - --a\n  {{- toYaml .Values.more | nindent 2 }}\n").get("args")
    assert [each.value for each in args.sequence][:1] == ["--a"]
    assert isinstance(args.sequence[1].value, Unknown)


def test_what_a_template_writes_beneath_a_name_at_its_own_depth_need_not_be_a_list() -> None:
    pod = only("pod:\n  resources:\n  {{- toYaml .Values.r | nindent 2 }}\n  command:\n    - a\n").get("pod")
    assert isinstance(pod.get("resources").value, Unknown)
    assert [each.value for each in pod.get("command").sequence] == ["a"]


@pytest.mark.parametrize("indent", [0, 2])
def test_a_list_alone_or_beside_its_name(indent: int) -> None:
    text = f"a: 1\ntolerations:\n{{{{- toYaml .Values.t | nindent {indent} }}}}\nb: 2\n"
    tree = only(text)
    assert why_incomplete(tree.get("tolerations")) == "a template fills it in"
    assert tree.get("b").value == 2


def test_two_branches_that_disagree_are_unknown() -> None:
    tree = only("{{ if .Values.big }}\nn: 8\n{{ else }}\nn: 1\n{{ end }}\n")
    assert isinstance(tree.get("n").value, Unknown)


@pytest.mark.parametrize("otherwise", ["{{- else }}", "{{ else if .Values.b }}", "{% else %}"])
def test_entries_of_one_name_in_two_branches_are_one_that_is_not_known(otherwise: str) -> None:
    text = "volumes:\n{{- if .Values.a }}\n- {name: x, b: 1}\n%s\n- {name: x, c: {{ .c }}}\n{{- end }}\n- {name: y}\n"
    volumes = only(text % otherwise).get("volumes")
    assert [isinstance(each.value, Unknown) for each in volumes.sequence] == [True, False]
    assert why_incomplete(volumes) is not None


def test_entries_of_one_name_without_branches_stand_there_twice() -> None:
    volumes = only("volumes:\n- {name: x}\n- {name: x, c: {{ .c }}}\n").get("volumes")
    assert [each.get("name").text for each in volumes.sequence] == ["x", "x"]
    assert why_incomplete(volumes) is None


def test_an_action_over_several_lines() -> None:
    text = 'a: 1\n{{- include "x" (dict\n  "one" 1\n  "two" "}}"\n) | nindent 0 }}\nb: {{ .Values.b }}\n'
    tree = only(text)
    assert tree.get("a").value == 1
    assert tree.get("b").place.line == 6
    assert isinstance(tree.get("c").value, Unknown)


def test_comments_are_no_content() -> None:
    text = "{{/* a comment */}}\n{{- /*\na: {{ .Values.not }}\n*/ -}}\nb: 1\n"
    assert dict(only(text).mapping).keys() == {"b"}
    assert only(text).get("b").place.line == 5


def test_actions_inside_of_strings_are_left_to_who_reads_them() -> None:
    assert only('a: "{{inputs.parameters.gpus}}"\n').get("a").value == "{{inputs.parameters.gpus}}"


def test_what_is_no_yaml_without_its_actions_either() -> None:
    with pytest.raises(NotYaml):
        read_templated("{{ if .x }}\na: [\n{{ end }}\n", Place())


@given(st.text(alphabet=st.sampled_from('{}-"`: \nab.|'), max_size=80))
def test_lines_stay_lines(text: str) -> None:
    assert without_actions(text).count("\n") == text.count("\n")


@given(st.text(alphabet=st.sampled_from('{}-"`: \nab.|'), max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(NotYaml):
        read_templated(text, Place())


CLASS = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: NAME}\nhandler: HANDLER\n"


@pytest.mark.parametrize(("handler", "verdict"), [("nvidia", "pass"), ("{{ .Values.handler }}", "unknown")])
def test_a_runtime_class_that_a_template_names_is_one(tmp_path: Path, handler: str, verdict: str) -> None:
    (tmp_path / "class.yaml").write_text(CLASS.replace("NAME", "{{ .Values.name }}").replace("HANDLER", handler))
    ran = run_json("check", "class.yaml", "--rule", "runtime-class-agrees", "--show-passed", cwd=tmp_path)
    assert ran.report["evaluated"]["files"] == 1
    assert [each["verdict"] for each in ran.findings] == [verdict]


def test_it_may_be_the_one_that_a_pod_names(tmp_path: Path) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {runtimeClassName: nvidia-fast, containers: [{name: c}]}\n"
    whole = CLASS.replace("HANDLER", "nvidia")
    for name, verdict in (("nvidia-slow", "fail"), ("{{ .Values.name }}", "unknown")):
        (tmp_path / "all.yaml").write_text(f"toolkit: {{env: []}}\n---\n{whole.replace('NAME', name)}---\n{pod}")
        ran = run_json("check", "all.yaml", "--rule", "runtime-class-agrees", cwd=tmp_path)
        assert verdict in {each["verdict"] for each in ran.findings if each["where"]["line"] == 11}, name
