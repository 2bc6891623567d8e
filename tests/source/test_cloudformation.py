"""Templates of CloudFormation: what their functions come to, where each value stands, and what no template may do."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from nodeworthy.collect.source.cloudformation.nodes import child
from nodeworthy.collect.source.cloudformation.reading import read_template
from nodeworthy.collect.source.cloudformation.template import Template
from nodeworthy.documents.yaml import NotYaml, compose
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.hcl.source import File
from nodeworthy.hcl.trees import tree
from nodeworthy.hcl.values import Hole
from nodeworthy.verdict import Place, Unknown
from tests.run import run

_HEAD = """
AWSTemplateFormatVersion: "2010-09-09"
Parameters:
  Named: {Type: String, Default: training}
  Open: {Type: String}
  Count: {Type: Number, Default: 4}
  Zones: {Type: CommaDelimitedList, Default: "a, b,c"}
  Hidden: {Type: String, NoEcho: true, Default: x}
Mappings:
  Images:
    eu-west-1: {gpu: ami-1, all: ami-9}
    us-east-2: {gpu: ami-2, all: ami-9}
Conditions:
  Four: !Equals [!Ref Count, "4"]
  Five: !Not [!Condition Four]
  Perhaps: !Equals [!Ref Open, "yes"]
  Never: !And [!Condition Five, !Condition Perhaps]
  Always: !Or [!Condition Four, !Condition Perhaps]
Resources:
  Other: {Type: "AWS::EC2::SecurityGroup"}
  It:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      Said: SAID
"""


def said(text: str) -> object:
    """What an expression comes to, as plain data; a hole by its reason."""
    document = _HEAD.replace("SAID", text)
    template = Template(File("t.yaml", document), compose(document, Place("t.yaml"))[0])
    node = child(template.root, "Resources", "It", "Properties", "Said")
    assert node is not None
    value = template.value(node)
    return _plain(tree(value)) if not isinstance(value, Hole) else f"? {value.why}"


def _plain(made: object) -> object:
    value = made.value  # type: ignore[attr-defined]
    if isinstance(value, Unknown):
        return f"? {value.why}"
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value


_LATER = "it is known only when the stack is deployed"
FUNCTIONS: dict[str, object] = {
    "!Ref Named": "training",
    "{Ref: Count}": 4,
    "!Ref Zones": ["a", "b", "c"],
    "!Ref Open": "? the parameter Open has no default",
    "!Ref Hidden": "? the parameter Hidden is secret",
    "!Ref Other": f"? {_LATER}: Other",
    "!GetAtt Other.GroupId": f"? {_LATER}: Other.GroupId",
    "{'Fn::GetAtt': [Other, GroupId]}": f"? {_LATER}: Other.GroupId",
    "!Ref AWS::Region": "? the template does not say to which region it is deployed",
    "!Ref Nobody": "? the template has no parameter and no resource Nobody",
    "!Sub 'to-${Named}-${!HOME}'": "to-training-${HOME}",
    "!Sub ['${a}/${Named}', {a: !Ref Count}]": "4/training",
    "!Sub '${Open}-x'": "? ${Open}-x: the parameter Open has no default",
    "!Join ['-', [a, !Ref Named, 3]]": "a-training-3",
    "!Join [',', !Ref Zones]": "a,b,c",
    "!Split [',', 'a,b']": ["a", "b"],
    "!Select [1, !Ref Zones]": "b",
    "!Select [7, !Ref Zones]": "? CloudFormation refuses it: the list has no element 7",
    "!FindInMap [Images, eu-west-1, gpu]": "ami-1",
    "!FindInMap [Images, !Ref AWS::Region, gpu]": "? the template does not say to which region it is deployed",
    "!FindInMap [Images, !Ref AWS::Region, all]": "ami-9",
    "!FindInMap [Images, nowhere, gpu, {DefaultValue: none}]": "none",
    "!If [Four, yes-four, no]": "yes-four",
    "!If [Five, a, b]": "b",
    "!If [Never, a, b]": "b",
    "!If [Always, a, b]": "a",
    "!If [Perhaps, same, same]": "same",
    "!If [Perhaps, a, b]": "? it depends on the condition Perhaps: the parameter Open has no default",
    "[a, !If [Five, b, !Ref 'AWS::NoValue']]": ["a"],
    "{a: 1, b: !Ref 'AWS::NoValue'}": {"a": 1},
    "!Base64 hello": "aGVsbG8=",
    "{'Fn::Base64': {'Fn::Sub': '${Named}'}}": "dHJhaW5pbmc=",
    "!Cidr [10.0.0.0/16, 2, 8]": ["10.0.0.0/24", "10.0.1.0/24"],
    "!Length [a, b]": 2,
    "!ToJsonString {a: [1, x, true]}": '{"a":[1,"x",true]}',
    "!ImportValue of-others": "? another stack exports it: of-others",
    "!Transform {Name: AWS::Include}": "? a transform makes it",
    "!Nobody x": "? Fn::Nobody is no function that is read here",
}


@pytest.mark.parametrize("text", FUNCTIONS)
def test_what_a_function_comes_to(text: str) -> None:
    assert said(text) == FUNCTIONS[text]


_NODES = """AWSTemplateFormatVersion: "2010-09-09"
Parameters:
  Cluster: {Type: String}
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    %s
    Properties:
      LaunchTemplateData:
        ImageId: ami-0123456789abcdef0
        InstanceType: p4d.24xlarge
        UserData:
          Fn::Base64: !Sub |
            #!/bin/bash
            set -e
            /etc/eks/bootstrap.sh ${Cluster}
"""


def _scripts(text: str) -> list[BootScript]:
    read = read_template(text, "nodes.yaml", frozenset({"shell-parses"}), None)
    assert read is not None
    return [each for each in read.stacks[0].facts(None) if isinstance(each, BootScript)]


def test_each_line_of_user_data_stands_where_it_is_written() -> None:
    script = _scripts(_NODES % "DependsOn: []")[0]
    begin = _NODES.split("\n").index("            #!/bin/bash") + 1
    part = script.userdata.parts[0]
    assert [part.origin.at(line).line for line in (1, 2, 3)] == [begin, begin + 1, begin + 2]
    assert part.origin.at(2, 5).column == 17
    assert script.holder == "Nodes"


def test_lines_that_stand_in_one_line_are_counted(tmp_path: Path) -> None:
    lines = ["#!/bin/bash\n", "if true; then\n", "/etc/eks/bootstrap.sh x\n"]
    properties = {"InstanceType": "p5.48xlarge", "UserData": {"Fn::Base64": {"Fn::Join": ["", ["".join(lines)]]}}}
    resource = {"Type": "AWS::EC2::Instance", "Properties": properties}
    (tmp_path / "a.json").write_text(json.dumps({"Resources": {"One": resource}}), encoding="utf-8")
    ran = run("check", "a.json", "--rule", "shell-parses", "--format", "json", cwd=tmp_path)
    finding = ran.findings[0]
    assert finding["where"]["line"] == 1
    assert finding["where"]["subject"].endswith("of the user data")


@pytest.mark.parametrize(
    "how",
    [
        "Metadata: {nodeworthy: {ignore: shell-parses it is a sample}}",
        "Metadata: {nodeworthy: {ignore: [shell-parses it is a sample]}}",
        "Metadata: {nodeworthy: {ignore: {shell-parses: it is a sample}}}",
        "Metadata: {nodeworthy: ignore shell-parses it is a sample}",
    ],
)
def test_metadata_suppresses(how: str, tmp_path: Path) -> None:
    text = (_NODES % how).replace("set -e", "if true; then").replace("${Cluster}", "training")
    (tmp_path / "nodes.yaml").write_text(text, encoding="utf-8")
    ran = run("check", "nodes.yaml", "--rule", "shell-parses", "--format", "json", cwd=tmp_path)
    report = ran.report
    assert ran.code == 0, ran.out
    assert report["summary"]["suppressed"] == 1


_TASKS = (
    "# of the agent's second version\n            version: 1.1\n            tasks:\n            - task: executeScript"
)


@pytest.mark.parametrize("first", ["<powershell>", _TASKS])
def test_windows_has_no_boot_script_of_ours(first: str) -> None:
    text = _NODES % "DependsOn: []"
    assert _scripts(text)
    assert not _scripts(text.replace("#!/bin/bash", first))


@pytest.mark.parametrize(
    "text",
    [
        "Resources: {A: {Type: 'AWS::S3::Bucket'}}",
        "Resources: {A: {Type: 'AWS::EC2::Instance', Properties: {InstanceType: t3.micro}}}",
        "Resources: {A: {Type: 'AWS::ECS::Cluster'}}",
    ],
)
def test_what_starts_no_node_is_not_judged(text: str) -> None:
    assert read_template(text, "a.yaml", frozenset(), None) is None


def test_a_macro_may_make_anything(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"Transform: OurMacro\n{_NODES % 'DependsOn: []'}", encoding="utf-8")
    ran = run("check", "a.yaml", "--rule", "looked-at", "--format", "json", cwd=tmp_path)
    assert "the macro OurMacro may make anything" in ran.findings[0]["message"]


LOOP = """\
Transform: AWS::LanguageExtensions
Resources:
  Fn::ForEach::Nodes:
    - Name
    - [A, B]
    - Gpu${Name}:
        Type: AWS::EC2::Instance
        Properties:
          InstanceType: g5.xlarge
          MetadataOptions: {HttpTokens: optional}
"""


def test_a_template_of_nothing_but_a_loop_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(LOOP, encoding="utf-8")
    ran = run("check", "a.yaml", "--rule", "instance-metadata-guarded", "--format", "json", cwd=tmp_path)
    assert [each["message"] for each in ran.findings] == [
        "nodes of Instance 'GpuA' answer IMDSv1",
        "nodes of Instance 'GpuB' answer IMDSv1",
    ]


HOSTILE = {
    "it refers to itself": "Conditions: {A: !Not [!Condition A]}\nResources: {A: {Type: 'AWS::EKS::Cluster', Condition: A}}",
    "a parameter in a circle": "Resources: {A: {Type: 'AWS::EKS::Cluster', Properties: {Name: !Ref A}}}",
    "what is no mapping": "Resources: {A: {Type: 'AWS::EKS::Cluster', Properties: [1, 2]}, B: [], C: 3}",
    "functions of nothing": "Resources: {A: {Type: 'AWS::EKS::Cluster', Properties: {Name: !Sub , Version: !Join }}}",
    "no arguments": "Resources: {A: {Type: 'AWS::EKS::Nodegroup', Properties: {Subnets: !Split [], Tags: !If [a]}}}",
    "nested deeply": "Resources: {A: {Type: 'AWS::EKS::Cluster', Properties: {Name: " + "[" * 90 + "]" * 90 + "}}}",
    "a loop over nothing": "Resources: {'Fn::ForEach::A': [x, !Ref Y, {A: {Type: 'AWS::EKS::Cluster'}}], B: {Type: 'AWS::EKS::Cluster'}}",
    "a disk that is none": "Resources: {A: {Type: 'AWS::EC2::Instance', Properties: {InstanceType: p5.48xlarge, "
    "BlockDeviceMappings: [1, {Ebs: 2}, {DeviceName: [x]}], NetworkInterfaces: [3, {GroupSet: 4}], UserData: [5]}}}",
    "a default that another tool fills in": "Parameters: {Size: {Type: Number, Default: {{ size }}}}\n"
    "Resources: {A: {Type: 'AWS::EKS::Nodegroup', Properties: {InstanceTypes: [!Ref Size]}}}",
    "mappings that are empty": "Resources: {A: {Type: 'AWS::EKS::Nodegroup', Properties: {Name: !Sub {}, A: !Ref {}, "
    "B: !Join [{}, {}], C: !!set {a}, D: !Base64 {}, E: !GetAtt {}, F: !Select [{}, []], G: !If [{}, {}, {}]}}}",
    "rules that are none": "Resources: {A: {Type: 'AWS::EKS::Cluster'}, B: {Type: 'AWS::EC2::SecurityGroup', "
    "Properties: {SecurityGroupIngress: [1, {IpProtocol: [2], FromPort: {}}], Tags: [1, {Key: [2]}]}}}",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_nothing_makes_it_fail(what: str) -> None:
    read = read_template(HOSTILE[what], "a.yaml", frozenset(), None)
    assert read is not None
    for stack in read.stacks:
        stack.facts(None)


def test_a_bomb_is_refused_at_once() -> None:
    anchors = "\n".join(f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12))
    began = time.process_time()
    with pytest.raises(NotYaml):
        read_template(f"Metadata:\n  a0: &a0 [1]\n{anchors}\nResources: {{}}\n", "a.yaml", frozenset(), None)
    assert time.process_time() - began < 2


def test_what_doubles_with_every_step_is_given_up() -> None:
    names = "".join(f"  C{n}: {{Type: String, Default: x}}\n" for n in range(2))
    nested = "!Ref C0"
    for _ in range(40):
        nested = f"!Join ['', [{nested}, {nested}]]" if len(nested) < 20_000 else nested
    text = f"Parameters:\n{names}Resources: {{A: {{Type: 'AWS::EKS::Cluster', Properties: {{Name: {nested}}}}}}}\n"
    assert read_template(text, "a.yaml", frozenset(), None) is not None
