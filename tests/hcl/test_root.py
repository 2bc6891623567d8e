"""A root read from its files: what it says, where each value stands, and what can't be known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nodeworthy.hcl.disk import Disk
from nodeworthy.hcl.instances import Instance
from nodeworthy.hcl.rendered import Rendered
from nodeworthy.hcl.root import open_root
from nodeworthy.hcl.values import Hole, Obj, Refusal, Seq, Str, Value
from tests.hcl.roots import as_string, root, told, value, write

MAIN = """
variable "name" { default = "gpu" }
variable "unset" {}
variable "typed" {
  type    = object({ a = string, b = optional(number, 3), c = optional(list(string)) })
  default = { a = 1 }
}
locals {
  socket = "/run/site/gpu.sock"
  values = yamlencode({
    toolkit = { env = [{ name = "CONTAINERD_SOCKET", value = local.socket }] }
    host    = "https://${aws_eks_cluster.this.endpoint}/x"
  })
  script = templatefile("${path.module}/user.tftpl", { cluster = var.name, groups = ["a", "b"], host = var.unset })
}
resource "aws_eks_cluster" "this" { name = var.name }
resource "aws_eks_node_group" "these" {
  for_each       = { a = "g5.xlarge", b = var.unset }
  cluster_name   = aws_eks_cluster.this.name
  instance_types = [each.value]
  dynamic "taint" {
    for_each = ["x", "y"]
    content { key = taint.value }
  }
}
module "inner" {
  source = "./inner"
  count  = 2
  said   = "n${count.index}"
}
module "far" { source = "somebody/far/aws" }
"""
INNER = """
variable "said" {}
variable "more" { default = "d" }
output "both" { value = "${var.said}-${var.more}" }
resource "null_resource" "in" { triggers = { x = var.said } }
"""
TEMPLATE = """#!/bin/bash
echo ${cluster} $${HOME}
%{ for each in groups ~}
install ${each}
%{ endfor ~}
curl ${host}/x
"""
FILES = {"main.tf": MAIN, "inner/main.tf": INNER, "user.tftpl": TEMPLATE}


def place(made: object) -> str:
    assert isinstance(made, Str)
    return str(made.pieces[0].spot.place)


def test_types_fill_in_what_is_left_out(tmp_path: Path) -> None:
    assert json.loads(told(root(tmp_path, FILES), "var.typed")) == {"a": "1", "b": 3, "c": None}


def test_of_a_condition_within_a_condition_the_reason_is_said_once(tmp_path: Path) -> None:
    module = root(tmp_path, {"main.tf": 'variable "a" {}\nlocals { it = (var.a ? true : false) ? 1 : 3 }\n'})
    found = value(module, "local.it")
    assert isinstance(found, Hole)
    assert found.why == "it depends on a condition: the variable `a` has no default, and no file here sets it"


def test_instances_have_addresses_and_values(tmp_path: Path) -> None:
    found = [each for each in root(tmp_path, FILES).everything() if isinstance(each, Instance)]
    assert [each.address for each in found] == [
        "aws_eks_cluster.this",
        'aws_eks_node_group.these["a"]',
        'aws_eks_node_group.these["b"]',
        "module.inner[0].null_resource.in",
        "module.inner[1].null_resource.in",
    ]
    assert found[1].values.items["cluster_name"].known == "gpu"  # type: ignore[union-attr]
    assert str(found[1].place) == "main.tf:17:1"


def test_dynamic_blocks_stand_once_for_each(tmp_path: Path) -> None:
    module = root(tmp_path, FILES)
    assert json.loads(told(module, 'aws_eks_node_group.these["a"].taint')) == [{"key": "x"}, {"key": "y"}]


def test_a_local_module_says_its_outputs(tmp_path: Path) -> None:
    assert told(root(tmp_path, FILES), "module.inner[*].both") == '["n0-d","n1-d"]'


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("var.unset", "the variable `unset` has no default"),
        ("aws_eks_cluster.this.endpoint", "known only after it is applied: aws_eks_cluster.this.endpoint"),
        ("module.far.cluster_name", "the module somebody/far/aws"),
        ("timestamp()", "known only when it runs"),
        ("terraform.workspace", "which workspace it is"),
        ('file("/etc/passwd")', "out of the tree"),
        ('file("nowhere.txt")', "it is not there"),
        ("nosuchfunction(1)", "not worked out here"),
    ],
)
def test_what_no_file_says_is_a_hole_with_its_reason(tmp_path: Path, expression: str, why: str) -> None:
    made = value(root(tmp_path, FILES), expression)
    assert isinstance(made, Hole)
    assert why in made.why


def test_a_hole_is_a_part_of_a_string_and_never_the_whole(tmp_path: Path) -> None:
    made = as_string(value(root(tmp_path, FILES), "local.script"))
    assert made.known is None
    assert made.shown.splitlines()[-1] == "curl ${host}/x"
    assert [each.why for each in made.pieces if isinstance(each, Hole)] == [
        "the variable `unset` has no default, and no file here sets it"
    ]


def test_every_line_of_a_template_knows_where_it_stands(tmp_path: Path) -> None:
    rendered = Rendered(as_string(value(root(tmp_path, FILES), "local.script")))
    lines = rendered.text.splitlines()
    assert lines[:4] == ["#!/bin/bash", "echo gpu ${HOME}", "install a", "install b"]
    assert [str(rendered.at(line + 1)) for line in range(len(lines))] == [
        *("user.tftpl:1:1", "user.tftpl:2:1", "user.tftpl:4:1", "user.tftpl:4:1", "user.tftpl:6:1")
    ]
    # What is filled in stands where its literal does.
    assert str(rendered.at(2, 6)) == "main.tf:2:30"


def test_a_value_keeps_its_place_through_yaml_and_back(tmp_path: Path) -> None:
    module = root(tmp_path, FILES)
    made = value(module, "yamldecode(local.values).toolkit.env[0].value")
    assert as_string(made).known == "/run/site/gpu.sock"
    assert place(made) == "main.tf:9:12"
    again = value(module, 'yamldecode(indent(2, "a:\\n${local.values}")).a.toolkit.env[0].value')
    assert place(again) == "main.tf:9:12"
    packed = value(module, "yamldecode(base64decode(base64encode(local.values))).host")
    assert as_string(packed).shown == "https://${aws_eks_cluster.this.endpoint}/x"


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ('upper("a${var.unset}b")', "A${var.unset}B"),
        ('join(",", ["a", var.unset, "c"])', "a,${var.unset},c"),
        ('trimspace("  a ${var.unset}  ")', "a ${var.unset}"),
        ('replace("a-${var.unset}-b", "-", "_")', "a_${var.unset}_b"),
        ('indent(2, "a\\n${var.unset}")', "a\n  ${var.unset}"),
        ('format("%s:%s", "a", var.unset)', "a:${var.unset}"),
        ('jsonencode({ a = "x${var.unset}", b = 1 })', '{"a":"x${var.unset}","b":1}'),
        ('trimprefix("ab${var.unset}", "a")', "b${var.unset}"),
        ('base64decode(base64encode("a${var.unset}"))', "a${var.unset}"),
    ],
)
def test_functions_work_around_holes(tmp_path: Path, expression: str, shown: str) -> None:
    assert as_string(value(root(tmp_path, FILES), expression)).shown == shown


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('startswith("ab${var.unset}", "ab")', "true"),
        ('"x${var.unset}" == "y"', "false"),
        ("false && var.unset", "false"),
        ("true || var.unset", "true"),
        ("false && {}.a", "false"),
        ("{}.a && false", "false"),
        ("([1] <= 3) || true", "true"),
        ("null || true", "true"),
        ('try({}.a && true, "refused")', '"refused"'),
        ('try("x" && false, "refused")', '"refused"'),
        ('try(null && true, "refused")', '"refused"'),
        ('true ? 1 : "a${var.unset}"', '"1"'),
        ('true ? 1 : "%{ for x in concat(toset([]), []) }%{ endfor }"', '"1"'),
        ('trimprefix("", "")', '""'),
        ('format("%v-%s", 1000000, 1000000)', '"1e+06-1000000"'),
        ("var.unset ? [1, 2] : [1, 2]", "[1,2]"),
        ("merge(var.unset, { a = 1 }).a", "1"),
        ('lookup(merge(var.unset, { a = 1 }), "a", 2)', "1"),
        ('can("${var.unset}")', "HOLE"),
        ("merge({ a = 1 }, var.unset).a", "HOLE"),
        ('startswith("a${var.unset}", "ab")', "HOLE"),
        ('replace("a${var.unset}", "ab", "c")', "HOLE"),
        ("try(var.unset.a, 1)", "HOLE"),
        ("coalesce(var.unset, 1)", "HOLE"),
        ("length([for x in [var.unset] : x if x])", "HOLE"),
    ],
)
def test_only_what_a_hole_decides_waits_for_it(tmp_path: Path, expression: str, expected: str) -> None:
    assert told(root(tmp_path, FILES), expression)[: len(expected)] == expected


def test_a_block_may_say_more_once_it_is_applied(tmp_path: Path) -> None:
    module = root(tmp_path, {"main.tf": 'resource "a" "b" {\n c { d = 1 }\n lifecycle { ignore_changes = [c] }\n}\n'})
    assert told(module, "[resource.a.b.c[0].d, a.b.c[0].d]") == "[1,1]"
    assert told(module, "a.b.c[0].e").startswith("HOLE it is known only after it is applied")
    assert told(module, "[for name, _ in a.b : name]").startswith("HOLE")


def test_files_of_variables_in_their_order(tmp_path: Path) -> None:
    files = {
        "main.tf": "\n".join(f'variable "{each}" {{ default = "default" }}' for each in "abcd"),
        "terraform.tfvars": 'a = "plain"\nb = "plain"\n',
        "z.auto.tfvars": 'b = "z"\n',
        "a.auto.tfvars.json": '{"b": "a", "c": "json"}',
        "prod.tfvars": 'd = "prod"\n',
    }
    assert told(root(tmp_path, files), "[var.a, var.b, var.c, var.d]") == '["plain","z","json","default"]'


def test_json_says_the_same(tmp_path: Path) -> None:
    written = {
        "variable": {"x": {"type": "list(string)", "default": [1]}},
        "locals": {"y": "${var.x[0]}-${1 + 1}", "//": "a comment"},
        "resource": {"helm_release": {"op": {"chart": "gpu-operator", "set": [{"name": "a", "value": "b"}]}}},
    }
    module = root(tmp_path, {"main.tf.json": json.dumps(written)})
    assert told(module, "[var.x, local.y, helm_release.op.set[0].value]") == '[["1"],"1-2","b"]'


def test_an_override_has_the_last_word(tmp_path: Path) -> None:
    files = {
        "main.tf": 'resource "a" "b" {\n x = 1\n y = 2\n}\n',
        "override.tf": 'resource "a" "b" {\n x = 3\n}\n',
    }
    assert told(root(tmp_path, files), "[a.b.x, a.b.y]") == "[3,2]"


def test_tofu_takes_its_own_file_in_place_of_the_other(tmp_path: Path) -> None:
    files = {"main.tf": "locals { x = 1 }", "main.tofu": "locals { x = 2 }"}
    assert told(root(tmp_path, files), "local.x") == "2"


def test_a_file_that_does_not_parse_is_told_and_hides_what_may_stand_in_it(tmp_path: Path) -> None:
    module = root(tmp_path, {"a.tf": "locals {\n x = \n}\n", "b.tf": "locals { y = 1 }"})
    assert [str(each.place) for each in module.faults] == ["a.tf:2:6"]
    assert told(module, "local.y") == "1"
    assert told(module, "local.x") == "HOLE it may stand in a.tf, which can't be parsed"


def test_an_installed_module_is_read(tmp_path: Path) -> None:
    manifest = {"Modules": [{"Key": "", "Dir": "."}, {"Key": "m", "Dir": ".terraform/modules/m"}]}
    files = {
        "main.tf": 'module "m" {\n source = "somebody/x/aws"\n version = "1.0.0"\n said = "s"\n}\n',
        ".terraform/modules/modules.json": json.dumps(manifest),
        ".terraform/modules/m/main.tf": INNER,
    }
    assert told(root(tmp_path, files), "module.m.both") == '"s-d"'


def test_what_refers_to_itself_ends(tmp_path: Path) -> None:
    module = root(tmp_path, {"main.tf": "locals {\n a = local.b\n b = local.a\n}\n"})
    assert told(module, "local.a").startswith("HOLE")


def test_modules_that_call_themselves_end(tmp_path: Path) -> None:
    module = root(
        tmp_path, {"main.tf": 'module "a" { source = "./" }\nmodule "b" { source = "./" }\nresource "r" "x" {}\n'}
    )
    found = []
    try:
        found = list(module.everything())
    except Exception as problem:  # noqa: BLE001 - which one it is, the next line says
        assert type(problem).__name__ == "TooMuch"
    assert len(found) < 200_000


def test_what_a_part_of_a_root_refers_to_stands_elsewhere(tmp_path: Path) -> None:
    part = {"nodes.tf": 'resource "aws_eks_node_group" "a" {\n  cluster_name = var.cluster\n}\n'}
    for expression in ("var.cluster", "local.groups", "aws_eks_cluster.this.name"):
        made = value(root(tmp_path, part), expression)
        assert isinstance(made, Hole)
        assert made.why == "it is declared in a file of this root that is not here"


def test_a_file_alone_is_a_part_though_it_declares_a_variable(tmp_path: Path) -> None:
    alone = {"nodes.tf": 'variable "reservation" {}\n'}
    made = value(root(tmp_path, alone), "module.vpc.private_subnets")
    assert isinstance(made, Hole)
    assert made.why == "it is declared in a file of this root that is not here"


def test_what_a_whole_root_does_not_declare_terraform_refuses(tmp_path: Path) -> None:
    whole = {"variables.tf": 'variable "region" {\n  default = "eu-west-1"\n}\n', "nodes.tf": "locals {\n  a = 1\n}\n"}
    with pytest.raises(Refusal, match=r"nothing is called var\.cluster here"):
        value(root(tmp_path, whole), "var.cluster")


def test_of_which_files_a_root_is_made_is_gathered_once(tmp_path: Path) -> None:
    """Each of its files asks: worked out anew, a root of 1,000 files would name a million."""
    shown: list[str] = []

    def show(path: str) -> str:
        shown.append(path)
        return Path(path).name

    write(tmp_path, {f"nodes-{number}.tf": "" for number in range(9)})
    disk = Disk(str(tmp_path), show)
    open_root(str(tmp_path), disk)
    made = [disk.parsed_files for _ in range(9)]
    assert made[-1] == {f"nodes-{number}.tf" for number in range(9)}
    assert len(shown) == len(set(shown))
    assert all(each is made[0] for each in made)


@pytest.mark.parametrize(
    "written",
    [
        "{ z = 1, a = [true, null, 1.50, 1e3, -7], m = { deep = {} , none = [] } }",
        'toset(["b", "a"])',
        '{ for name in ["y", "1", "null", "0x10", "a: b", "", " x ", "#"] : name => name }',
        '{ lines = "one\\ntwo\\n", block = "  indented\\n", last = "a\\n\\n", tab = "a\\tb" }',
        '[local.socket, var.unset, { part = "${local.socket}/${var.unset}" }]',
        "local.socket",
        "tomap({ b = 1, a = 2 })",
    ],
)
def test_what_is_read_of_yaml_that_was_just_written_is_what_its_text_says(tmp_path: Path, written: str) -> None:
    module = root(tmp_path, {**FILES, "more.tf": f"locals {{\n  written = {written}\n}}\n"})
    at_once = value(module, "yamldecode(yamlencode(local.written))")
    by_its_text = value(module, 'yamldecode("${yamlencode(local.written)}\\n")')
    assert _outline(at_once) == _outline(by_its_text)


def _outline(made: Value) -> object:
    """What it is, and where each part of it stands."""
    at = str(made.spot.place)
    if isinstance(made, Obj):
        return (
            made.kind,
            at,
            [(name, _outline(each), str(made.key_spot(name).place)) for name, each in made.items.items()],
        )
    if isinstance(made, Seq):
        return made.kind, at, [_outline(each) for each in made.items]
    if isinstance(made, Str):
        return at, made.known, made.shown
    return at, made.why if isinstance(made, Hole) else made.value
