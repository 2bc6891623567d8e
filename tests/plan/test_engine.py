"""What the engine tells the program, and what it writes down of it."""

from __future__ import annotations

from pathlib import Path

from tests.plan.programs import inputs, preview, project

EVERYTHING = """
class Layer(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("toy:index:Layer", name, {}, opts)
        self.inner = Thing("inner", {"of": name}, pulumi.ResourceOptions(parent=self))
        self.register_outputs({})

def tagged(args):
    return pulumi.ResourceTransformResult({**args.props, "stack": "tagged"}, args.opts)

def its_own(args):
    return pulumi.ResourceTransformResult({**args.props, "own": True}, args.opts)

pulumi.runtime.register_resource_transform(tagged)
first = Raw("toy:index:Thing", "first", {"size": 3, "share": 0.5, "empty": None})
password = pulumi.Output.secret("hunter2")
second = Thing(
    "second",
    {
        "whose": first.id,
        "known": first.urn,
        "text": pulumi.Output.concat("of ", first.id),
        "password": password,
        "login": password.apply(lambda p: f"me:{p}"),
        "many": [1, first.id, password],
        "file": pulumi.StringAsset("whole"),
    },
    pulumi.ResourceOptions(protect=True, ignore_changes=["many"], depends_on=[first], transforms=[its_own]),
)
Layer("layer")
Thing("hooked", {}, pulumi.ResourceOptions(hooks=pulumi.ResourceHookBinding(before_create=[lambda args: None])))

class Existing(pulumi.CustomResource):
    state: pulumi.Output[str]
    def __init__(self, name, opts):
        super().__init__("toy:index:Existing", name, {"state": None}, opts)

there = Existing("there", pulumi.ResourceOptions(id="x-1"))
Thing("reader", {"id": there.id, "state": there.state})
pulumi.export("password", password)
pulumi.export("id", first.id)
"""


def test_a_program_is_told_what_a_first_preview_knows(tmp_path: Path) -> None:
    ran = preview(project(tmp_path, EVERYTHING), "--no-simulate")
    assert ran.code == 0, ran.err
    given = inputs(ran)
    assert given["first"] == {"size": 3, "share": 0.5, "stack": "tagged"}
    assert given["second"] == {
        "whose": "(unknown)",
        "known": "urn:pulumi:dev::toy::toy:index:Thing::first",
        "text": "(unknown)",
        "password": "(secret)",
        "login": "(secret)",
        "many": "(secret)",  # the SDK lifts a secret out of a list when it hands it to a transform
        "file": {"text": "whole"},
        "own": True,
        "stack": "tagged",
    }
    assert given["inner"] == {"of": "layer", "stack": "tagged"}
    assert given["reader"] == {"id": "(unknown)", "state": "(unknown)", "stack": "tagged"}
    assert ran.report["preview"]["outputs"] == {"id": "(unknown)", "password": "(secret)"}
    assert "hunter2" not in ran.out + ran.err


def test_urns_are_those_of_the_real_engine_and_in_order(tmp_path: Path) -> None:
    resources = preview(project(tmp_path, EVERYTHING), "--no-simulate").report["preview"]["resources"]
    urns = [each["urn"] for each in resources]
    assert urns == sorted(urns)
    assert "urn:pulumi:dev::toy::toy:index:Layer$toy:index:Thing::inner" in urns
    assert {each["name"] for each in resources if each.get("read")} == {"there"}
    lines = (tmp_path / "__main__.py").read_text().splitlines()
    first = next(each for each in resources if each["name"] == "first")
    assert first["path"] == "__main__.py"
    assert '"first", {"size"' in lines[first["line"] - 1]


def test_one_urn_is_one_resource(tmp_path: Path) -> None:
    ran = preview(project(tmp_path, "Thing('twice')\nThing('twice')\n"))
    assert ran.code == 2
    assert "Duplicate resource URN 'urn:pulumi:dev::toy::toy:index:Thing::twice'" in ran.err


def test_a_transform_that_raises_is_the_programs_own_fault(tmp_path: Path) -> None:
    program = (
        "def bad(args):\n    raise KeyError('zone')\n\npulumi.runtime.register_resource_transform(bad)\nThing('a')\n"
    )
    ran = preview(project(tmp_path, program))
    assert ran.code == 2
    assert "zone" in ran.err
    assert ran.out == ""


def test_a_remote_component_is_named_and_never_passed(tmp_path: Path) -> None:
    program = """
class Remote(pulumi.ComponentResource):
    endpoint: pulumi.Output[str]
    def __init__(self, name):
        super().__init__("eks:index:Cluster", name, {"endpoint": None}, None, remote=True)

Thing("a", {"endpoint": Remote("main").endpoint})
"""
    ran = preview(project(tmp_path, program))
    assert ran.code == 3
    [found] = ran.findings
    assert (found["rule"], found["verdict"]) == ("looked-at", "unknown")
    assert "eks:index:Cluster 'main'" in found["message"]
    assert found["where"]["urn"].endswith("eks:index:Cluster::main")
    assert found["where"]["path"] == "__main__.py"
    assert inputs(ran)["a"] == {"endpoint": "(unknown)"}


def test_config_reaches_the_program_as_the_cli_hands_it_over(tmp_path: Path) -> None:
    config = """\
config:
  toy:text: plain
  toy:number: 3
  toy:flag: true
  toy:nested: {list: [1, "2"], deep: {secure: v1:AAAA:BBBB}}
  toy:password: {secure: v1:AAAA:CCCC}
  bare: of the project
  other:config:old: form
"""
    program = """
config = pulumi.Config()
Thing("a", {
    "text": config.require("text"), "number": config.require_int("number"), "flag": config.require_bool("flag"),
    "nested": config.require_object("nested"), "password": config.require_secret("password"),
    "login": config.require_secret("password").apply(lambda it: "me:" + it),
    "parts": config.require_secret("password").apply(lambda it: it.split(":")[1]),
    "port": config.require_secret_int("password").apply(lambda it: it + 1),
    "user": config.require_secret_object("nested")["deep"],
    "bare": config.require("bare"), "old": pulumi.Config("other").require("old"), "default": config.require("default"),
})
"""
    project(tmp_path, program, config)
    (tmp_path / "Pulumi.yaml").write_text("name: toy\nruntime: python\nconfig:\n  default: {value: of the project}\n")
    ran = preview(tmp_path, "--no-simulate")
    assert ran.code == 3, ran.err  # no fleet, nothing to judge
    assert inputs(ran)["a"] == {
        "text": "plain",
        "number": 3,
        "flag": True,
        "nested": {"list": [1, "2"], "deep": "(unknown)"},
        "password": "(secret)",
        "login": "(secret)",
        "parts": "(secret)",
        "port": "(secret)",
        "user": "(secret)",
        "bare": "of the project",
        "old": "form",
        "default": "of the project",
    }


def test_an_alias_bomb_in_the_config_is_refused(tmp_path: Path) -> None:
    levels = [f"  toy:b{n}: &b{n} [{', '.join([f'*b{n - 1}'] * 9)}]" for n in range(1, 9)]
    ran = preview(project(tmp_path, "Thing('a')\n", "config:\n  toy:b0: &b0 [lol]\n" + "\n".join(levels)))
    assert ran.code == 2
    assert "its aliases m" in ran.err
    assert ran.out == ""
