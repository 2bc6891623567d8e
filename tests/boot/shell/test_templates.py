"""Terraform templates, read as the scripts that they become."""

from __future__ import annotations

import pytest

from nodeworthy.boot.shell import syntax
from nodeworthy.boot.shell.syntax import (
    Arithmetic,
    Assignment,
    Broken,
    Command,
    Filled,
    For,
    HereDocument,
    If,
    Literal,
    Parameter,
)
from nodeworthy.boot.shell.templates import looks_like_template
from nodeworthy.boot.unpack.kinds import Type, kind_of_template
from tests.boot.shell.reading import command, every, one, statements


def test_what_is_filled_in_and_what_is_the_shells_own() -> None:
    read = command("""a ${x} 'b${ join(",", [for k in y : "${k}"]) }' "$${HOME}$y" $${z:-${w}} %%{n""", template=True)
    assert [each.parts for each in read.words[1:4]] == [
        (Filled("${x}"),),
        (Literal("b", quoted=True), Filled('${ join(",", [for k in y : "${k}"]) }')),
        (Parameter("HOME", "$${HOME}", quoted=True), Parameter("y", "$y", quoted=True)),
    ]
    (default,) = read.words[4].parts
    assert isinstance(default, Parameter)
    assert default.argument is not None
    assert default.argument.parts == (Filled("${w}"),)
    assert read.words[5].parts == (Literal("%{n"),)


def test_without_a_template_it_is_the_shells() -> None:
    assert command("a ${x}").words[1].parts == (Parameter("x", "${x}"),)


def test_places_are_those_of_the_template() -> None:
    first, second = statements('a ${jsonencode({\n  b = "}"\n})} c $${d} e\nf ${g}h i\n', template=True)
    assert isinstance(first, Command)
    assert isinstance(second, Command)
    assert [(each.line, each.column) for each in first.words] == [(1, 1), (1, 3), (3, 5), (3, 7), (3, 13)]
    assert [(each.line, each.column) for each in second.words] == [(4, 1), (4, 3), (4, 9)]
    assert second.raw == "f ${g}h i"


def test_a_quoted_heredoc_is_filled_in_all_the_same() -> None:
    text = "cat <<'EOF' > f\na ${x} $y\n$${z}\n${multi(\n1)} b\nend\nEOF\nlast\n"
    read, last = statements(text, template=True)
    (body,) = (each for each in every(read, HereDocument) if isinstance(each, HereDocument))
    assert [each.line for each in body.lines] == [2, 3, 4, 6]
    assert body.lines[0].parts[1] == Filled("${x}")
    assert body.lines[1].parts == (Literal("${z}", quoted=True),)
    assert isinstance(last, Command)
    assert last.line == 8


def test_directives_on_lines_of_their_own() -> None:
    text = "a\n%{ if gpu ~}\nb\n%{ else ~}\n  c\n%{ endif ~}\nd\n"
    first, branch, last = statements(text, template=True)
    assert isinstance(branch, If)
    assert branch.of_template
    assert branch.line == 2
    (condition,) = branch.branches[0].condition
    assert isinstance(condition, syntax.Test)
    assert condition.raw == "%{ if gpu }"
    assert [each.raw for each in every(branch.branches[0].body, Command) if isinstance(each, Command)] == ["b"]
    assert [each.line for each in branch.otherwise if isinstance(each, Command)] == [5]
    assert isinstance(first, Command)
    assert isinstance(last, Command)


def test_a_directive_without_anything_to_do() -> None:
    assert isinstance(one("%{ if gpu }\n%{ endif }\n", template=True), If)


def test_a_loop_of_the_template() -> None:
    loop = one('%{ for name, host in hosts ~}\necho "${host} ${name}" >> /etc/hosts\n%{ endfor ~}\n', template=True)
    assert isinstance(loop, For)
    assert (loop.name, loop.raw_header) == ("host", "%{ for name, host in hosts }")
    assert loop.words is not None
    assert loop.words[0].parts == (Filled("hosts"),)


def test_directives_in_the_middle_of_a_line() -> None:
    read = command('a "x%{ if b }y%{ else }z%{ endif }" c', template=True)
    assert read.words[1].parts == (Literal("x", quoted=True), Filled("%{ if b }y%{ else }z%{ endif }"))


@pytest.mark.parametrize(
    "text",
    [
        "join \\\n%{ if a ~}\n  --b \\\n%{ endif ~}\n  --c\nd\n",
        "join \\\n%{ if a ~}\n  --b \\\n%{ endif ~}\n%{ for e in f ~}\n  ${e} \\\n%{ endfor ~}\n  --c\nd\n",
    ],
)
def test_a_command_that_goes_on_behind_its_directives(text: str) -> None:
    join, last = statements(text, template=True)
    assert isinstance(join, Command)
    assert join.words[-1].raw == "--c"
    assert isinstance(last, Command)
    assert last.words[0].raw == "d"


def test_a_directive_that_leaves_its_line_end_ends_the_command() -> None:
    join, rest = statements("join \\\n%{ if a }\n  --b \\\n%{ endif }\n  --c\n", template=True)
    assert isinstance(join, Command)
    assert len(join.words) == 2
    assert isinstance(rest, Command)
    assert rest.words[0].raw == "--c"


def test_directives_in_a_heredoc() -> None:
    read, last = statements("cat <<EOF\na\n%{ if b ~}\nc $d\n%{ endif ~}\ne $f\nEOF\ng\n", template=True)
    (body,) = (each for each in every(read, HereDocument) if isinstance(each, HereDocument))
    assert [(each.line, each.raw) for each in body.lines] == [(2, "a"), (4, "c $d"), (6, "e $f")]
    assert body.lines[1].parts == (Filled("c $d"),)
    assert Parameter("f", "$f", quoted=True) in body.lines[2].parts
    assert isinstance(last, Command)


def test_directives_around_a_heredoc() -> None:
    branch = one("%{ if a }\ncat <<EOF\nx\nEOF\n%{ endif }\n", template=True)
    assert isinstance(branch, If)


def test_a_directive_inside_of_the_shells_own_if() -> None:
    read = one("if a; then\n%{ if b }\nc\n%{ endif }\nd\nfi\n", template=True)
    assert isinstance(read, If)
    assert isinstance(read.branches[0].body[0], If)


@pytest.mark.parametrize("text", ["%{ if a }\nb\n", "b\n%{ endif }\nc\n", "a ${b\n", "%{ for a }\n%{ endif }\n"])
def test_directives_that_do_not_fit_together(text: str) -> None:
    assert statements(text, template=True)


def test_a_directive_that_cuts_through_a_construct_breaks_it() -> None:
    read = statements("x\n%{ if a }\nif b; then\n%{ endif }\nc\nfi\ny\n", template=True)
    assert any(every(read, Broken))
    assert [each.raw for each in every(read, Command) if isinstance(each, Command)][-1] == "y"


def test_in_arithmetic_and_names() -> None:
    assert command("a $((${n} + 1))", template=True).words[1].parts == (Arithmetic("$((${n} + 1))"),)
    (assignment,) = (each for each in every(statements("A=${b}\n", template=True), Assignment))
    assert isinstance(assignment, Assignment)
    assert assignment.value is not None
    assert assignment.value.parts == (Filled("${b}"),)


def test_own_marks_are_taken_out() -> None:
    assert "\ufffd" in command("a \ue000" + "1\ue001", template=True).words[1].raw


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("echo $${HOME}", "", True),
        ("%{ if gpu }", "", True),
        ("%{~ for a in b ~}", "", True),
        ('${join(",", x)}', "", True),
        ("${var.name}", "", True),
        ("${aws_eks_cluster.this.endpoint}", "", True),
        ("${cluster.name}", "", True),
        ("${hosts[0]}", "", False),
        ("${NAME}", "", False),
        ("${name}", "", False),
        ("${name%.*} ${x:-y}", "", False),
        ("${name}", "boot.sh.tftpl", True),
        ("${name}", "boot.tpl", True),
        ("${arr[@]} ${arr[1]}", "", False),
        ("date +%{x}", "", False),
        ("${host-a.b.c}", "", False),
        ("join ${serverUrl} ${pool}", "", True),
        ("ip=$(hostname -I)\njoin $ip ${server_url} ${pool}", "", True),
        ("join --server=${server} --pool=${pool}", "", True),
        ("join ${front-end} ${pool}", "", True),
        ("join ${front-end} ${back-end}", "", False),
        ("export POOL=${pool} SERVER=${server}", "", True),
        (". /etc/os-release\njoin $ID ${server} ${pool}", "", True),
        ("join ${pool} ${pool}", "", False),
        ("pool=gpu\njoin ${server} ${pool}", "", False),
        ("read -r server pool < /run/join\njoin ${server} ${pool}", "", False),
        ("for server in a b; do join ${server} ${pool}; done", "", False),
        ("printf -v pool %s gpu\njoin ${server} ${pool}", "", False),
        ("f() { local pool server; pool=$1; join ${server} ${pool}; }", "", False),
        ("join ${server} ${pool} ${ZONE}", "", False),
        ("join ${server} ${pool} ${zone:-a}", "", False),
        ("join ${server} ${pool}\necho \\${zone}", "", False),
        (". ./join.env\njoin ${server} ${pool}", "", False),
        ('eval "$(settings)"\njoin ${server} ${pool}', "", False),
        ("envsubst '${server} ${pool}' < in > out", "", False),
        ("curl -x ${http_proxy} ${https_proxy}", "", False),
        ("cat > app.js <<'EOF'\nlog(`${server} ${pool}`)\nEOF\n", "", False),
    ],
)
def test_what_looks_like_a_template(text: str, name: str, expected: bool) -> None:
    assert looks_like_template(text, name) is expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("${users}\nruncmd:\n  - id\n", Type.CLOUD_CONFIG),
        ("\n${users}\n${keys}\n\n# more\nwrite_files:\n  - path: /a\n", Type.CLOUD_CONFIG),
        ("${users}\npower_state:\n  mode: reboot\n", Type.CLOUD_CONFIG),
        ("${users}\nname: agent\nnode: gpu\n", None),
        ("${setup}\nsystemctl enable --now kubelet\n", None),
        ("runcmd:\n  - id\n", None),
    ],
)
def test_a_header_may_be_filled_in(text: str, kind: Type | None) -> None:
    assert kind_of_template(text) is kind
