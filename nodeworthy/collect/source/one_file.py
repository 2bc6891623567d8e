"""What stands in one file: a boot script, a node's file, jobs, or documents with whatever they bring."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from nodeworthy.collect.objects import facts_of, objects
from nodeworthy.collect.source.boot_scripts import (
    NO_BOOT_SCRIPT,
    includes_tasks,
    is_boot_script,
    is_nodes_firewall,
    is_script,
    is_tasks_of_a_node,
    may_ask_for_nodes,
    may_install_charts,
)
from nodeworthy.collect.source.comments import annotation_suppressions, comments, evidence_suppressions
from nodeworthy.collect.source.completed_values import (
    KUSTOMIZATIONS,
    complete_values,
    is_charts_own,
    may_be_values,
    with_base,
)
from nodeworthy.collect.source.file_marks import config_title, node_file, slurm_configuration, slurm_jobs, ufw_file
from nodeworthy.collect.source.files import STDIN, Source, Unreadable, any_text
from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.collect.source.parsing import (
    OF_GPU_METRICS,
    FileContents,
    InputRefused,
    content,
    documents_in,
    is_arm_template,
    may_be_plan,
    may_be_preview,
    may_be_template,
    scripts_of_classes,
)
from nodeworthy.collect.source.stack_files import STACK_FILE
from nodeworthy.documents.release import LOOSE
from nodeworthy.documents.tree import Tree
from nodeworthy.errors import InputError
from nodeworthy.facts.not_seen import UnreadableInput, doubled_keys
from nodeworthy.facts.operator.fleet_operator import operator_of_fleet
from nodeworthy.facts.secrets.plain_text import (
    ENCRYPTED,
    IN_A_JOB,
    IN_A_STACK,
    IN_COMPOSE,
    PlainText,
    what_is_in_plain_words,
)
from nodeworthy.facts.secrets.planned_secret import (
    installs,
    is_kubeadms,
    is_readable_secret,
    is_telling_config_map,
    secret_manifests,
    without_packed,
)
from nodeworthy.fleet.model import Fleet, has_fleet
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.collect.aws.stack import Stack
    from nodeworthy.facts.boot.script import BootScript
    from nodeworthy.facts.node.files import NodeFile
    from nodeworthy.facts.pod.template import PodTemplate


# What Bicep, Terraform and Packer read by their names.
OF_A_TOOL = (".bicep", ".tf", ".tofu", ".tfvars", ".tf.json", ".tofu.json", ".tfvars.json", ".pkr.hcl")
# What of Terraform reads a file of the disk, to fill it in or as it stands.
_FILLS = pattern(rb"\b(?:templatefile|file|filebase64)[ \t]*\(")
# By these whoever writes a template for Terraform names it.
_TEMPLATES = (".tftpl", ".tpl", ".tmpl", ".sh", ".yaml", ".yml")
_OF_TOOLS = (may_be_plan, may_be_preview, is_arm_template)
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_OF_PACKER = (b'"provisioners"', b'"inline"')
_DOCKERFILE = pattern(r"(?i)(?:^|[._-])(?:dockerfile|containerfile)(?:$|[._-])")
_BEGINS_WITH = pattern(rb"(?mi)^[ \t]*FROM[ \t]+\S")
_OF_NVIDIA = pattern(rb"nvidia/cuda|NVIDIA_DRIVER_CAPABILITIES", words=(b"nvidia/cuda", b"NVIDIA_DRIVER_CAPABILITIES"))
_VAGRANTFILE = "Vagrantfile"
_ANSWERS = pattern(rb"(?m)^(?:%(?:packages|post)\b|d-i[ \t])", words=(b"%packages", b"%post", b"d-i"))
_BUILDS = pattern(r"(?i)dockerfile|containerfile|^Vagrantfile|\.json$|\.ks$|^ks[\w.-]*\.cfg$|kickstart|preseed")
_PROGRAMS = (".py", ".ts", ".js", ".mjs")
_USER_DATA = pattern(rb"(?i)user_?data|startup[_-]?script|custom_?data")
_OF_PULUMI = pattern(rb"@pulumi/|\bpulumi_", words=(b"@pulumi/", b"pulumi_"))
_DIRECTIVES = ("{{", "{%", "%{", "%#")
# Inventories, variables and what installers of k3s and RKE2 are told have keys of their own; a token has its form.
_JOIN_TOKEN = pattern(r"(?<![\w.])K10[0-9a-f]{64}::\w")
# As nodes are called that variables of Ansible's speak of.
OF_AN_INVENTORY = "the nodes of inventory"
OF_AN_INSTALLER = "what an installer of the cluster reads"
OF_KUBEADM = "kubeadm's config"
_REMEDIES = {
    OF_KUBEADM: "let whatever builds the node fill it in (kubeadm token create makes one for each join); "
    "then take it away, for it has been seen: kubeadm token delete",
    OF_AN_INSTALLER: "hand it over when the installer runs (a vault, a variable of the environment); "
    "then change it, for it has been seen: k3s token rotate, rke2 token rotate",
    "a compose file": IN_COMPOSE,
}
# Ansible's modules that do.
_ASKS_A_CLUSTER = pattern(
    rb"(?m)^[ \t]*(?:-[ \t]+)?(?:[\w.]+\.)?(?:k8s|kubernetes|helm)[ \t]*:", words=(b"k8s", b"kubernetes", b"helm")
)
# A program of Pulumi's in YAML stands in one of these.
_PULUMI_PROGRAMS = ("Pulumi.yaml", "Pulumi.yml", "Main.yaml", "Main.yml")
# By these a release names the files that hold its values.
_NAME_FILES = ("valuesFrom", "valueFiles", "helmCharts", "releases:")


def whats_in(source: Source, rules: frozenset[str]) -> FileContents | None:
    """What stands in a file; None where it is nothing that we know."""
    data = content(source)
    if data is None:
        return None
    try:
        return _read_by_kind(source, data, rules)
    except Unreadable as problem:
        # Of a kind that is known, and no text.
        raise InputRefused(Place(source.shown), f"it {problem.why}") from None


def _read_by_kind(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    if source.path.name.endswith(OF_A_TOOL) or any(may_be(data) for may_be in _OF_TOOLS):
        from nodeworthy.collect.source.infrastructure import read_by_its_tool

        return read_by_its_tool(source, data, rules)
    if source.path.suffix in _PROGRAMS or _BUILDS.search(source.path.name):
        found = _read_what_builds(source, data, rules)
        if found is not None:
            return found
    found = _read_infrastructure(source, data, rules)
    return found if found is not None else _read_by_content(source, data, rules)


def _read_what_builds(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    """A Vagrantfile, a template of Packer's in JSON, a Dockerfile, or the user data that a program gives to machines.
    None of what is none of these, or makes no node."""
    if source.path.name.startswith(_VAGRANTFILE):
        from nodeworthy.collect.source.vagrantfiles import contents as of_vagrant

        found = of_vagrant(source, data, rules)
        return found and replace(found, facts=[*found.facts, *_told_openly(source, data, rules)])
    if all(mark in data for mark in _OF_PACKER):
        from nodeworthy.collect.source.infrastructure import packer_in_json

        return packer_in_json(source, data, rules)
    if source.path.suffix in _PROGRAMS:
        return _read_program(source, data, rules)
    if _ANSWERS.search(data):
        from nodeworthy.collect.source.installer_answers import contents as of_an_installer

        return of_an_installer(source, data, rules)
    return _read_dockerfile(source, data, rules) if _OF_NVIDIA.search(data) else None


def _read_program(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    """What a program gives to machines as user data, and what one of Pulumi's asks for."""
    found = made = None
    if _USER_DATA.search(data):
        from nodeworthy.collect.source import user_data_in_programs

        if user_data_in_programs.may_give_user_data(data):
            found = user_data_in_programs.contents(source, data, rules)
    if _OF_PULUMI.search(data):
        from nodeworthy.collect.source import pulumi_program

        made = pulumi_program.contents(source, data, rules) if pulumi_program.may_be_program(data) else None
    if found is None or made is None:
        return found or made
    return replace(found, facts=[*found.facts, *made.facts])


def _read_infrastructure(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    """A template that a root of Terraform fills in, a template of CloudFormation, or a program of Pulumi. None of any
    other file."""
    filling = _folders_that_fill(source) if source.named and source.path.suffix in _TEMPLATES else ()
    is_program = source.path.name in _PULUMI_PROGRAMS
    if not (filling or is_program or may_be_template(source, data)):
        return None
    from nodeworthy.collect.source.infrastructure import cloudformation_template, filled_in_template, pulumi_program

    found = filled_in_template(source, filling, data, rules) if filling else None
    if found is not None:
        found.facts += _secrets_as_written(source, data, rules)
    elif may_be_template(source, data):
        found = cloudformation_template(source, data, rules)
    return pulumi_program(source, data, rules) if found is None and is_program else found


def _folders_that_fill(source: Source) -> Iterable[Path]:
    """Where something of Terraform names a file that it fills in."""
    name = source.path.name.encode()
    reading = (each for each in source.scope.holding(_FILLS, (".tf", ".tofu")) if name in each.data)
    return dict.fromkeys(each.path.parent for each in reading)


def _read_dockerfile(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    """What it begins with, and what it says to NVIDIA's runtime."""
    if not (_DOCKERFILE.search(source.path.name) and _BEGINS_WITH.search(data)):
        return None
    from nodeworthy.facts.pod.named_images import in_dockerfile

    text = any_text(data)
    facts: list[Fact] = list(in_dockerfile(text, source.shown))
    told = comments(text, Place(source.shown), rules, is_yaml=False)
    return FileContents(facts, suppressions=list(told)) if facts else None


def _read_by_content(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    of_node = node_file(data, source.shown, source.lies)
    if of_node is not None:
        return _read_node_file(of_node, any_text(data), source, rules)
    jobs = slurm_jobs(source, data)
    if jobs and not is_boot_script(data, source.path.name):
        return _read_jobs(jobs, any_text(data), source, rules)
    found = _read_script(source, data, rules)
    if found is not None:
        return found
    if source.path.suffix == ".csv" and OF_GPU_METRICS.encode() in data:
        from nodeworthy.facts.services.gpu_queries import collected_metrics

        return FileContents(list(collected_metrics(any_text(data), Place(source.shown))))
    called = slurm_configuration(source, data)
    if called is not None:
        return _read_slurm_configuration(called, any_text(data), source, rules)
    ufw = ufw_file(data, source.shown, source.lies)
    if ufw is not None:
        return FileContents(ufw=[ufw], suppressions=list(comments(any_text(data), ufw.place, rules, is_yaml=False)))
    config = config_title(data, source.shown)
    if config is not None:
        return _read_k3s_config(config, data, source, rules)
    documents = _read_documents(source, data, rules)
    if documents is not None and not all(map(_is_of_an_inventory, documents.facts)):
        return documents
    openly = _read_for_secrets(source, data, rules)
    if documents is not None and openly is not None:
        return replace(openly, facts=[*openly.facts, *documents.facts])
    return openly or documents


def _read_script(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    """A script that boots a node, that works on another machine, or that only hands secrets on; and the objects that it
    gives to a cluster."""
    found, applied = _read_commands(source, data, rules), _applied_objects(source, data)
    started = _machines_started(source, data)
    if not applied and not started:
        return found
    if found is None:
        told = comments(any_text(data), Place(source.shown), rules, is_yaml=False)
        return FileContents(applied, suppressions=list(told), stacks=started)
    return replace(found, facts=[*found.facts, *applied], stacks=[*found.stacks, *started])


def _machines_started(source: Source, data: bytes) -> list[Stack]:
    """The machines that a script has EC2 start."""
    if b"run-instances" not in data or not is_script(data, source.path.name):
        return []
    from nodeworthy.boot.unpack import unpack
    from nodeworthy.collect.source.machines_started import stack_of_machines
    from nodeworthy.facts.boot.script import BootScript

    place = Place(path=source.shown)
    stack = stack_of_machines(BootScript(place, unpack(data, place, name=source.path.name)), any_text(data))
    return [stack] if stack is not None else []


def _applied_objects(source: Source, data: bytes) -> list[Fact]:
    """The objects that a script gives to a cluster, or changes there, and the containers that it starts itself."""
    if not is_script(data, source.path.name):
        return []
    found = _objects_applied(source, data)
    if b"clusterpolic" in data:
        from nodeworthy.collect.source.patched_policies import patched_policies

        found += patched_policies(any_text(data), source.shown)
    if b"NVIDIA_" in data:
        from nodeworthy.facts.pod.docker_gpus import containers_run

        found += containers_run(any_text(data), source.shown)
    return found


def _objects_applied(source: Source, data: bytes) -> list[Fact]:
    if b"apiVersion" not in data or b"<<" not in data:
        return []
    from nodeworthy.collect.source.applied_manifests import applied_objects

    every = (_with_surroundings(each, source) for each in applied_objects(any_text(data), source.shown))
    if not may_ask_for_nodes(data):
        return list(every)
    from nodeworthy.facts.fleet.asked_by_commands import OF_NODES

    return [each for each in every if type(each).__name__ not in OF_NODES]  # these are read with what asks for nodes


def _read_commands(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    if is_boot_script(data, source.path.name) or is_nodes_firewall(data) or _includes_tasks_of_a_node(source, data):
        found, started = _read_boot_script(source, data, rules), _scripts_for_new_machines(source, data)
        if found.scripts[0].is_meant or found.scripts[0].makes_a_node:
            facts = [*found.facts, *_facts_of_cluster_tasks(source, data), *_told_by_tasks(found, source, data, rules)]
            return replace(found, facts=facts, scripts=[*found.scripts, *started])
        if started:
            told = _beside_scripts(_told_openly(source, data, rules), started)
            return replace(found, facts=[*found.facts, *told], scripts=started)
        if found.facts:
            # It makes no node of this machine, and asks something of another one, or of a cloud.
            return replace(found, scripts=[])
    elif (may_install_charts(data) or may_ask_for_nodes(data)) and (shell := _as_shell_script(source, data)):
        found = _read_boot_script(source, shell, rules)
        if found.facts:
            return replace(found, scripts=[], facts=[*found.facts, *_told_openly(source, data, rules)])
    return _read_for_secrets(source, data, rules) if is_script(data, source.path.name) else None


def _includes_tasks_of_a_node(source: Source, data: bytes) -> bool:
    """Tasks that do nothing but include those of a node."""
    if not includes_tasks(data):
        return False
    from nodeworthy.collect.source.included_tasks import play_of

    play = play_of(source, data)
    return play is not None and play.is_of_a_node


def _scripts_for_new_machines(source: Source, data: bytes) -> list[BootScript]:
    """The user data that a script hands over to machines which it starts."""
    if not is_script(data, source.path.name):
        return []
    from nodeworthy.collect.source.handed_over import scripts_handed_over

    return list(scripts_handed_over(any_text(data), source.shown, source.scope))


def _facts_of_cluster_tasks(source: Source, data: bytes) -> list[Fact]:
    """What tasks that make a node ask of its cluster."""
    if not _ASKS_A_CLUSTER.search(data) or not is_tasks_of_a_node(data):
        return []
    every = (each for document in documents_in(source, data)[0] for each in objects(document) if each.is_mapping)
    return [fact for each in every for fact in facts_of(each)]


def _as_shell_script(source: Source, data: bytes) -> bytes:
    """A script as it stands. Of a makefile or a pipeline, the script that its commands come down to."""
    if is_script(data, source.path.name):
        return data
    if source.path.name in _MAKEFILES or source.path.suffix == ".mk":
        from nodeworthy.collect.source.makefiles import as_shell

        return as_shell(data)
    from nodeworthy.collect.source import pipelines

    return pipelines.as_shell(data) if pipelines.is_pipeline(data, source.path.name) else b""


def _read_boot_script(source: Source, data: bytes, rules: frozenset[str]) -> FileContents:
    from nodeworthy.collect.source.script_files import boot_script

    return boot_script(source, data, rules)


def _secrets_as_written(source: Source, data: bytes, rules: frozenset[str]) -> list[Fact]:
    """The secrets in a template as it is kept. It is read for everything else once it is filled in, and may be nothing
    that can be read before."""
    try:
        found = _read_by_content(source, data, rules)
    except InputRefused:
        return []
    return [each for each in found.facts if isinstance(each, PlainText)] if found is not None else []


def _read_documents(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    documents, text = _parse_documents(source, data)
    found = FileContents()
    stack = next((each for each in documents if has_fleet(each)), None)
    if stack is not None:
        found.fleet = _own_fleet(stack, source)
        found.facts += _facts_of_fleet(found.fleet)
    every = [each for document in documents for each in objects(document)]
    beside = found.beside = FilesBeside(source)
    if any(name in text for name in _NAME_FILES):
        every = _with_values(every, beside)
    first_lines = sorted(each.place.line for each in every if each.place.line)
    for each in every:
        brought = [_with_surroundings(fact, source) for fact in with_base(each, list(facts_of(each)), beside)]
        found.facts += brought
        if brought:
            found.facts += _doubled_keys(each, text)
            found.suppressions += annotation_suppressions(each, rules, _lines(each, first_lines))
    found.facts = [*complete_values(found.facts, beside), *_asks_of_gpus(documents, text), *_starts(documents, text)]
    found.scripts += scripts_of_classes(found.facts, source)
    kept = any(map(is_readable_secret, every))
    of_others = all(map(_is_of_an_inventory, found.facts))
    held = "" if not (of_others or any(map(is_kubeadms, every))) else _title_by_secrets(source, documents, every, text)
    if not found.facts and not kept and not held and not _holds_secrets_openly(source, every, documents, text):
        return None
    if found.facts and of_others and not held:
        return found  # an inventory's other variables are not ours to judge
    secrets = list(secret_manifests(every))
    readable = what_is_in_plain_words(without_packed(text, secrets), documents)
    remedy = ENCRYPTED if kept else IN_A_STACK if stack is not None else ""
    whole = _plain_text(source, readable, held or _name_of_contents(found), remedy)
    found.facts += [*secrets, replace(whole, is_applied=bool(every) and all(map(installs, every)))]
    found.suppressions += comments(text, Place(path=source.shown), rules, is_yaml=True)
    found.suppressions += evidence_suppressions(beside.texts, rules)
    return found


def _asks_of_gpus(documents: Sequence[Tree], text: str) -> list[Fact]:
    if OF_GPU_METRICS not in text:
        return []
    from nodeworthy.facts.services.gpu_queries import asks_of_gpus

    return [fact for each in documents for fact in asks_of_gpus(each)]


def _starts(documents: Sequence[Tree], text: str) -> list[Fact]:
    """With which options the exporter of those metrics is started."""
    if OF_GPU_METRICS not in text and "dcgm" not in text:
        return []
    from nodeworthy.facts.services.exporter_options import refused_options

    return [fact for each in documents for fact in refused_options(each)]


def _is_of_an_inventory(fact: Fact) -> bool:
    return getattr(fact, "noun", "") == OF_AN_INVENTORY


def _title_by_secrets(source: Source, documents: Sequence[Tree], every: Sequence[Tree], text: str) -> str:
    """What to call a file that is here for its secrets alone. Empty where no secrets are looked for in it."""
    if any(map(is_kubeadms, every)):
        return OF_KUBEADM
    if _holds_grafanas(every) or _are_values_with_secrets(source, documents, text):
        return LOOSE
    return OF_AN_INSTALLER if _JOIN_TOKEN.search(text) is not None else ""


def _holds_grafanas(every: Sequence[Tree]) -> bool:
    from nodeworthy.facts.services.monitoring_recognition import is_grafana_values

    return any(map(is_grafana_values, every))


def _are_values_with_secrets(source: Source, documents: Sequence[Tree], text: str) -> bool:
    """Values of a chart that nobody here knows, where they hold what belongs in a Secret."""
    if not may_be_values(source, documents) or documents[0].get("sops").is_mapping:
        return False
    from nodeworthy.facts.secrets.plain_text import secrets_in

    return any(secrets_in(text))


def _holds_secrets_openly(source: Source, every: Sequence[Tree], documents: Sequence[Tree], text: str) -> bool:
    """Whether something holds in plain words what belongs in a Secret; most hold nothing of ours."""
    if any(map(is_telling_config_map, every)):
        return True
    if source.path.name not in KUSTOMIZATIONS and not any(map(_is_applied, every)):
        return False
    from nodeworthy.facts.secrets.plain_text import secrets_in

    return any(secrets_in(what_is_in_plain_words(text, documents)))


def _is_applied(tree: Tree) -> bool:
    """Whether it is an object that a cluster, a program of it or kustomize is given, whatever its kind."""
    return tree.is_mapping and tree.get("kind").text is not None and tree.get("apiVersion").text is not None


def _doubled_keys(document: Tree, text: str) -> Sequence[Fact]:
    """None in a template: which of the two keys is there is decided when it is filled in."""
    return [] if any(mark in text for mark in _DIRECTIVES) else list(doubled_keys(document))


def _with_surroundings(fact: Fact, source: Source) -> Fact:
    """The fact; of a pod that names the GPUs that it sees, together with what lies around it."""
    if type(fact).__name__ != "PodTemplate" or source.shown == STDIN:
        return fact
    from nodeworthy.facts.pod.visible_devices import around

    return around(cast("PodTemplate", fact), source.scope)


def _plain_text(source: Source, readable: str, called: str, remedy: str) -> PlainText:
    is_of_a_chart = called == LOOSE and is_charts_own(source)
    what, mends = "its values" if is_of_a_chart else called, remedy or _REMEDIES.get(called, "")
    return PlainText(Place(source.shown), readable, what, mends, is_of_a_chart)


def _with_values(every: list[Tree], beside: FilesBeside) -> list[Tree]:
    from nodeworthy.collect.source.values_elsewhere import with_values

    return [with_values(each, every, beside) for each in every]


def _parse_documents(source: Source, data: bytes) -> tuple[list[Tree], str]:
    """Raises InputRefused for a script: all scripts that are judged here were recognised before."""
    if source.named and is_script(data, source.path.name):
        raise InputRefused(Place(source.shown), NO_BOOT_SCRIPT)
    return documents_in(source, data)


def _read_node_file(file: NodeFile, text: str, source: Source, rules: frozenset[str]) -> FileContents:
    from nodeworthy.collect.source.node_file_reading import ON_A_NODE, refuse_unparsed

    refuse_unparsed(file)
    whole = PlainText(Place(source.shown), text, file.kind.value, ON_A_NODE)
    told = comments(whole.text, whole.place, rules, is_yaml=False)
    return FileContents([whole], node_files=[file], suppressions=list(told))


def _read_k3s_config(called: str, data: bytes, source: Source, rules: frozenset[str]) -> FileContents:
    from nodeworthy.collect.source.k3s_config import REMEDY, fault, nodes_of, own_lines

    text, place = any_text(data), Place(source.shown)
    broken = fault(data, text, place)
    facts: list[Fact] = [PlainText(place, text if broken is None else own_lines(text), called, REMEDY)]
    facts.append(nodes_of(data, called, place))
    if broken is not None:
        facts.append(UnreadableInput(*broken))
    return FileContents(facts, suppressions=list(comments(text, place, rules, is_yaml=True)))


def _read_jobs(jobs: Sequence[Fact], text: str, source: Source, rules: frozenset[str]) -> FileContents:
    whole = PlainText(Place(source.shown), text, "a job script", IN_A_JOB)
    return FileContents([*jobs, whole], suppressions=list(comments(text, jobs[0].place, rules, is_yaml=False)))


def _beside_scripts(told: Sequence[Fact], scripts: Sequence[BootScript]) -> list[Fact]:
    """What stands beside the scripts that it hands over: these are looked at as what their machines are given."""
    beside = list[Fact]()
    for each in told:
        if isinstance(each, PlainText):
            lines = each.text.split("\n")
            for part in (part for script in scripts for part in script.userdata.parts):
                first, count = (part.place.line or 1) - 1, len(part.text.split("\n"))
                lines[first : first + count] = [""] * count
            each = replace(each, text="\n".join(lines))  # noqa: PLW2901
        if not isinstance(each, PlainText) or each.secrets:
            beside.append(each)
    return beside


def _told_by_tasks(found: FileContents, source: Source, data: bytes, rules: frozenset[str]) -> Sequence[Fact]:
    """Of Ansible's, where their variables are set; of any other script its commands are looked at."""
    from nodeworthy.boot.userdata import PartKind

    return _told_openly(source, data, rules) if found.scripts[0].userdata.has(PartKind.PLAYBOOK) else ()


def _told_openly(source: Source, data: bytes, rules: frozenset[str]) -> Sequence[Fact]:
    """The secrets of a file that is read for other things as well."""
    openly = _read_for_secrets(source, data, rules)
    return openly.facts if openly is not None else ()


def _read_for_secrets(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    """A file that is read for the secrets that it hands on, and for nothing else. None where it is no such file."""
    from nodeworthy.collect.source.scripts_and_variables import (
        ANY_FILE,
        FOR_ONESELF,
        OF_YAML,
        REMEDIES,
        RUN,
        told_openly,
    )

    called = told_openly(data, Path(source.lies))
    if not called:
        return None
    whole = PlainText(
        *(Place(source.shown), any_text(data), called, REMEDIES[called]),
        is_applied=called in RUN,
        is_for_oneself=called in FOR_ONESELF,
        is_of_others=called == ANY_FILE,
    )
    told = comments(whole.text, whole.place, rules, is_yaml=called in OF_YAML)
    return FileContents([whole], suppressions=list(told))


def _read_slurm_configuration(called: str, text: str, source: Source, rules: frozenset[str]) -> FileContents:
    from nodeworthy.facts.slurm.configuration import KEPT_BY_SLURM, gres_conf, slurm_conf

    place = Place(source.shown)
    facts: list[Fact] = [PlainText(place, text, called, KEPT_BY_SLURM)]
    if called == "slurm.conf":
        facts.append(slurm_conf(text, place))
    elif called == "gres.conf":
        facts.append(gres_conf(text, place))
    elif called == "cgroup.conf":
        from nodeworthy.facts.slurm.configuration_faults import cgroup_conf

        facts.append(cgroup_conf(text, place))
    return FileContents(facts, suppressions=list(comments(text, place, rules, is_yaml=False)))


def _name_of_contents(found: FileContents) -> str:
    origins = (origin for each in found.facts if (origin := getattr(each, "origin", None)))
    return "stack config" if found.fleet is not None else next(origins, "this file")


def _facts_of_fleet(fleet: Fleet) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.pool_claim import pool_claims
    from nodeworthy.facts.fleet.pool_system import pool_systems, version_of_fleet

    yield from pool_claims(fleet)
    yield from pool_systems(fleet)
    yield from version_of_fleet(fleet)
    values = operator_of_fleet(fleet)
    if values is not None:
        yield values


def _own_fleet(document: Tree, source: Source) -> Fleet:
    from nodeworthy.fleet.read import Malformed, read_fleet

    stack = STACK_FILE.fullmatch(source.path.name)
    try:
        return read_fleet(document, stack["stack"] if stack else None)
    except Malformed as malformed:
        first, *others = ((each.place, each.message) for each in malformed.faults)
        raise InputRefused(*first, *others) from None
    except InputError as malformed:
        raise InputRefused(Place(path=source.shown), str(malformed)) from None


def _lines(one: Tree, first_lines: Sequence[int]) -> range:
    """The lines of an object: from its first to that of the next one."""
    first = one.place.line or 1
    later = bisect_right(first_lines, first)
    return range(first, first_lines[later] if later < len(first_lines) else 1 << 31)
