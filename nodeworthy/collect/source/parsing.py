"""Turns files into documents: what is worth parsing, what to make of files that can't be, and what is found in one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from nodeworthy.backstop import TookTooLong, allow
from nodeworthy.collect.source.boot_scripts import asks_a_cluster, is_tasks_of_a_node
from nodeworthy.collect.source.files import STDIN, Source, Unreadable, as_text, read_bytes
from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.limits import SECONDS_A_MIB
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.scene import Fact
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.collect.aws.stack import Stack
    from nodeworthy.facts.boot.script import BootScript
    from nodeworthy.facts.firewall.ufw_files import UfwFile
    from nodeworthy.facts.fleet.gpu_pool import GpuPool
    from nodeworthy.facts.node.files import NodeFile
    from nodeworthy.facts.pod.template import PodTemplate
    from nodeworthy.fleet.model import Fleet

# What makes a text worth parsing at all; without one of these it holds nothing that we know.
_MARKS = (b"toolkit", b"gpu-operator", b"nodeworthy:fleet", b"devicePlugin", b"dcgmExporter")
# Tasks that define pools of Karpenter's.
_OF_POOLS = b"karpenter.sh/"
# The same for files of these kinds only: the words are common ones.
_POD_MARKS = (b"containers", b"RuntimeClass", b"PriorityClass")
# As each metric of NVIDIA's DCGM exporter begins; alerts and dashboards have braces of their own.
OF_GPU_METRICS = "DCGM_FI_"
OF_SERVERS_METRICS = ("vllm_", "vllm:")
_BUTANE = ".bu"
_OBJECTS = (".yaml", ".yml", _BUTANE, ".json", ".tpl", ".tmpl", ".gotmpl")
_YAML = (".yaml", ".yml")
_MEASURED = (".yaml", ".yml", ".json")
_MAY_BE_YAML = ("", ".txt", ".values", ".j2", ".tftpl", *_OBJECTS)
# What a chart's, Ansible's and Terraform's templates have, and other files have no use for.
_TEMPLATED = (b"{{", b"{%", b"%{", b"${")
# A word that a program replaces, and no space before it: `env:EXTRA_VARIABLES`, `"All"MORE_LINES`.
_FILLED_IN = pattern(rb"""(?m)(?:\w:|["'])[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,8}[ \t]*$""", words=(b"_",))
# A template that says so is one of values of ours, and that it could not be read must not stay untold.
_OF_VALUES = pattern(rb"(?m)^[ \t]*(?:toolkit|devicePlugin|dcgmExporter|gpu-operator)[ \t]*:")
# A chart's own template: what it makes is known when somebody gives it values, and those are read.
_OF_A_CHART = pattern(rb"\{\{[^{}\n]{0,200}\.(?:Values|Chart)\b", words=(b".Values", b".Chart"))
_MAKEFILE = pattern(r"(?i)(?:GNU)?makefile(?:\.\w{1,40})?|[Jj]ustfile")
# Values of charts: words for a template's sake may stand in them, in a comment or in a dashboard.
_OF_CHARTS = (
    b"prometheusSpec:",
    b"assword:",
    b"grafana.ini:",
    b"additionalDataSources:",
    b"dashboardProviders",
)

# What is filled in before Helm reads it.
_TEMPLATE_OF_VALUES = pattern(r"values.*\.ya?ml\.(?:tftpl|tpl|tmpl|gotmpl|j2)$")
# What a file of any name begins with that is one of Kubernetes'.
_IS_AN_OBJECT = pattern(rb"(?:[ \t]*(?:#[^\r\n]*|---[^\r\n]*)?\r?\n)*(?:---[ \t]+)?(?:apiVersion|kind)[ \t]*:")
# A machine config of Talos, a patch of one or a talconfig, which are filled in as often as not.
_OF_TALOS = pattern(
    rb"(?m)^(?:machine|talosVersion|customization)[ \t]*:",
    words=(b"machine", b"talosVersion", b"customization"),
    in_a_line=True,
)
# Variables that choose a release of k3s or RKE2 stand among others that Ansible fills in.
_OF_A_RELEASE = pattern(
    rb"(?m)^[ \t]*\w*(?:k3s|rke2)\w*version[ \t]*:[ \t]*[\"']?v?1\.\d+\.\d+\+",
    words=(b"k3s", b"rke2"),
    in_a_line=True,
)


class InputRefused(Exception):
    """An input that can't be read, or that does not parse; of a fleet, everything that is wrong with it."""

    def __init__(self, place: Place, why: str, *others: tuple[Place, str]) -> None:
        self.faults = ((place, why), *others)
        super().__init__("\n".join(f"{where}: {what}" for where, what in self.faults))
        self.place = place
        self.why = why


class NoBootScript(InputRefused):
    """A script that somebody named, and that makes no node."""


def refused_as_too_long(source: Source, problem: TookTooLong) -> InputRefused:
    return InputRefused(Place(path=source.shown), f"it was not judged: {problem.why}")


def parse_json(data: bytes, place: Place, called: str) -> Any:
    """What a program has written. Raises InputRefused for what is no JSON."""
    import json

    try:
        return json.loads(data)
    except (ValueError, RecursionError) as problem:
        why = "it is nested too deeply" if isinstance(problem, RecursionError) else str(problem)
        raise InputRefused(place, f"{called} is no JSON: {why}") from None


@dataclass
class FileContents:
    """What stands in one file."""

    facts: list[Fact] = field(default_factory=list)
    scripts: list[BootScript] = field(default_factory=list)
    ufw: list[UfwFile] = field(default_factory=list)
    node_files: list[NodeFile] = field(default_factory=list)
    suppressions: list[Suppression] = field(default_factory=list)
    fleet: Fleet | None = None
    # What else was read for it.
    beside: FilesBeside | None = None
    # Of a root of Terraform, and of tasks that include others: its folder. Of the former, the GPU nodes that it asks of
    # other clouds, and all files that it is made of.
    root: str = ""
    pools: Sequence[GpuPool] = ()
    files_of_root: frozenset[str] = frozenset()
    # Of tasks of Ansible: all files of the list that they are a part of, where that includes some.
    files_of_play: frozenset[str] = frozenset()
    # The templates that it fills in.
    templates: frozenset[str] = frozenset()
    # The resources of AWS that it declares, each stack of them for itself.
    stacks: list[Stack] = field(default_factory=list)
    # Whatever a plan makes is of one root.
    is_plan: bool = False


def scripts_of_classes(facts: Sequence[Fact], source: Source) -> Iterator[BootScript]:
    """What Karpenter, eksctl or Cluster API hands to machines as their user data."""
    for each in facts:
        if type(each).__name__ in ("KarpenterClass", "AskedNodes"):
            scripts: Sequence[BootScript] = getattr(each, "scripts", ())
            yield from (replace(script, surroundings=source.scope) for script in scripts)


def content(source: Source) -> bytes | None:
    """What a file holds; None where one that nobody named can't be read and is no kind of file to worry about."""
    try:
        data = read_bytes(source)
    except Unreadable as problem:
        _unreadable(source, problem)
        return None
    allow(len(data) / 2**20 * SECONDS_A_MIB)
    return data


def _unreadable(source: Source, problem: Unreadable) -> None:
    if source.named or problem.denied or not (problem.binary or source.path.suffix not in _YAML):
        raise InputRefused(Place(path=source.shown), f"it {problem.why}") from None


def documents_in(source: Source, data: bytes) -> tuple[list[Tree], str]:
    """The documents of a source, and the text that they stand in."""
    place = Place(path=source.shown)
    if not _worth_parsing(source, data):
        return [], ""
    try:
        text = as_text(data)
    except Unreadable as problem:
        ours = source.path.suffix in _YAML and any(mark in data for mark in _MARKS)
        _unreadable(source, Unreadable(problem.why, denied=True) if ours else problem)
        return [], ""
    try:
        return _read_all(_in_jinjas_braces(text), place), text
    except NotYaml as problem:
        if _is_template(source, data) and not _is_ansibles(source, data):
            if not _may_be_of_values(source) or _OF_VALUES.search(data) is None or _OF_A_CHART.search(data):
                return [], text
            raise InputRefused(
                problem.place, f"this template can't be read before it is filled in: {problem.why}"
            ) from None
        if source.named and not _could_be_yaml(source, text):
            return [], text
        if not source.named and (source.path.suffix not in _YAML or _is_of_a_tool(source)):
            return [], text
        raise InputRefused(problem.place, problem.why) from None


def _may_be_of_values(source: Source) -> bool:
    """A makefile has targets of these names, and is no template of values."""
    return source.path.suffix in _MAY_BE_YAML and not _MAKEFILE.fullmatch(source.path.name)


def _in_jinjas_braces(text: str) -> str:
    """makejinja's own, which YAML takes for comments, and with them for values that are not there. They are as long."""
    if "}#" not in text and "%#" not in text:
        return text
    return _OF_MAKEJINJA.sub(lambda found: f"{{{found[0][1:-1]}}}", text)


def _is_ansibles(source: Source, data: bytes) -> bool:
    """Tasks are read as they stand, and what is in braces is filled in afterwards; unless a directive makes them."""
    return source.path.suffix in _YAML and not _DIRECTIVE.search(data) and is_tasks_of_a_node(data)


_OF_MAKEJINJA = pattern(r"#\{[^\n]{0,400}?\}#|#%[^\n]{0,400}?%#")
_DIRECTIVE = pattern(rb"(?m)^[ \t]*\{[%{]", words=(b"{%", b"{{"), in_a_line=True)
_OF_TEMPLATES = (".yaml", ".yml", ".json", ".template", ".cfn", ".txt", "")
_OF_AWS = pattern(
    rb"""["']?Type["']?[ \t]*:[ \t]*["']?(?:AWS|Custom)::\w""", words=(b"AWS::", b"Custom::"), in_a_line=True
)


def may_be_template(source: Source, data: bytes) -> bool:
    """Whether it is worth reading as a template of CloudFormation."""
    if source.path.suffix not in _OF_TEMPLATES or b"Resources" not in data or data.startswith(b"#!"):
        return False
    return b"::" in data and _OF_AWS.search(data) is not None


_HEAD_OF_A_PLAN = 400


def may_be_plan(data: bytes) -> bool:
    """Whether it is worth reading as a plan of Terraform in JSON."""
    if b'"format_version"' not in data[:_HEAD_OF_A_PLAN] or not data.lstrip().startswith(b"{"):
        return False
    return b'"planned_values"' in data or b'"resource_changes"' in data


def is_arm_template(data: bytes) -> bool:
    """Whether it is a template of Azure's that makes a cluster."""
    return b"deploymentTemplate.json" in data[:_HEAD_OF_A_PLAN] and b"Microsoft.ContainerService" in data


def may_be_preview(data: bytes) -> bool:
    """Whether it is worth reading as what `pulumi preview --json` prints."""
    return data.lstrip().startswith(b"{") and b'"steps"' in data and b'"newState"' in data and b"urn:pulumi:" in data


def _read_all(text: str, place: Place) -> list[Tree]:
    """Every document; of a chart's template what can be seen without filling it in. Values may hold templates of
    another program (Alertmanager's, in a text of many lines): those are YAML as they stand."""
    if not any(mark.decode() in text for mark in _TEMPLATED):
        return read_all(text, place)
    from nodeworthy.collect.source.helm_template import read_templated

    try:
        return read_templated(text, place)
    except NotYaml as problem:
        try:
            return read_all(text, place)
        except NotYaml:
            raise problem from None


# The words of a model, by their numbers: a hundred thousand keys, of which one or another is called as ours are.
# A page or a drawing: what it shows of values is nobody's, and megabytes of it may be one line.
_MARKUP = pattern(rb"(?i)\s*+<(?:!doctype|\?xml|html|svg)\b")
_OF_A_MODEL = frozenset(("vocab.json", "tokenizer.json"))
_KIND = pattern(rb"(?m)^kind:[ \t]*[\"']?(\w+)", words=(b"kind:",), in_a_line=True)


def _are_schemas_alone(data: bytes) -> bool:
    """Definitions of resources are megabytes long, and ask for nothing."""
    if b"CustomResourceDefinition" not in data:
        return False
    return {each[1] for each in _KIND.finditer(data)} == {b"CustomResourceDefinition"}


def looks_like_ours(source: Source, data: bytes) -> bool:
    """At a glance: nearly all that holds something of ours has one of these words, and little of what holds nothing."""
    if b"#SBATCH" in data or any(mark in data for mark in _MARKS):
        return True
    return source.path.suffix in _OBJECTS and any(mark in data for mark in _POD_MARKS)


def _worth_parsing(source: Source, data: bytes) -> bool:
    """A broken YAML file is worth a word even where it holds nothing of ours, unless it is somebody's template."""
    if source.path.name in _OF_A_MODEL or _MARKUP.match(data) or _are_schemas_alone(data):
        return False
    if any(mark in data for mark in _MARKS):
        return True
    if source.path.suffix in _OBJECTS and any(mark in data for mark in _POD_MARKS):
        return True
    if source.path.suffix in _MEASURED and any(each.encode() in data for each in (OF_GPU_METRICS, *OF_SERVERS_METRICS)):
        return True
    if source.shown == STDIN or _IS_AN_OBJECT.match(data) or _TEMPLATE_OF_VALUES.search(source.path.name):
        return True
    if _OF_TALOS.search(data) or _OF_A_RELEASE.search(data):
        return True
    if source.path.suffix not in (*_YAML, _BUTANE):
        return False
    if not any(mark in data for mark in (b"{{", b"{%")) or any(mark in data for mark in _OF_CHARTS):
        return True
    return _is_ansibles(source, data) or (_OF_POOLS in data and asks_a_cluster(data))


def variables_of_tasks(source: Source, data: bytes) -> Mapping[str, Tree]:
    """What a role and an inventory fill into tasks that ask something of a cluster."""
    if b"{{" not in data or not asks_a_cluster(data):
        return {}
    from nodeworthy.collect.source.role_variables import variables_around

    return variables_around(source, data)


def _is_of_a_tool(source: Source) -> bool:
    """Whether it lies in a folder such as .github, or is a file such as .gitlab-ci.yml: what stands there is no
    cluster's."""
    return any(each.startswith(".") for each in (source.path.name, *source.scope.folders_of(source.path)))


def _is_template(source: Source, data: bytes) -> bool:
    named = "template" in source.path.name.lower()
    return any(mark in data for mark in _TEMPLATED) or (named and _FILLED_IN.search(data) is not None)


def _could_be_yaml(source: Source, text: str) -> bool:
    """A program or a Terraform file that speaks of the operator is no broken YAML."""
    suffix = source.path.suffix
    return suffix in _YAML or (suffix in _MAY_BE_YAML and any(mark.decode() in text for mark in _MARKS))


def with_surroundings(fact: Fact, source: Source) -> Fact:
    """The fact; a pod that names the GPUs that it sees gets what lies around it."""
    if type(fact).__name__ != "PodTemplate" or source.shown == STDIN:
        return fact
    from nodeworthy.facts.pod.visible_devices import around

    return around(cast("PodTemplate", fact), source.scope)
