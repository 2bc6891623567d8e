"""What stands in one file: a boot script, a node's file, jobs, or documents with whatever they bring."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from nodeworthy.collect.objects import facts_of, objects
from nodeworthy.collect.source.beside import Beside
from nodeworthy.collect.source.boot_scripts import (
    NO_BOOT_SCRIPT,
    is_boot_script,
    is_firewall_script,
    is_meant_as_one,
    is_nodes_firewall,
    is_script,
    may_install_charts,
)
from nodeworthy.collect.source.comments import annotation_suppressions, comments, evidence_suppressions
from nodeworthy.collect.source.completed_values import complete_values, is_charts_own, may_be_values, with_base
from nodeworthy.collect.source.file_marks import config_title, node_file, slurm_configuration, slurm_jobs, ufw_file
from nodeworthy.collect.source.files import STDIN, Source, as_text
from nodeworthy.collect.source.fleets import Fleets
from nodeworthy.collect.source.parsing import (
    Refused,
    content,
    documents_in,
    may_be_plan,
    may_be_preview,
    may_be_template,
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
    IN_A_TEMPLATE,
    PlainText,
    without_encrypted,
)
from nodeworthy.facts.secrets.planned_secret import (
    hands_over,
    installs,
    is_kubeadms,
    is_readable_secret,
    is_telling_config_map,
    secret_manifests,
    without_packed,
)
from nodeworthy.fleet.model import Firewall, Fleet, has_fleet
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


_OF_TERRAFORM = (".tf", ".tofu", ".tfvars", ".tf.json", ".tofu.json", ".tfvars.json")
# What of Terraform reads a file of the disk, to fill it in or as it stands.
_FILLS = pattern(rb"\b(?:templatefile|file|filebase64)[ \t]*\(")
# By these whoever writes a template for Terraform names it.
_TEMPLATES = (".tftpl", ".tpl", ".tmpl", ".sh", ".yaml", ".yml")
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_DIRECTIVES = ("{{", "{%", "%{")
# Inventories, variables and what installers of k3s and RKE2 are told have keys of their own; a token has its form.
_JOIN_TOKEN = pattern(r"(?<![\w.])K10[0-9a-f]{64}::\w")
OF_AN_INSTALLER = "what an installer of the cluster reads"
OF_KUBEADM = "kubeadm's config"
_REMEDIES = {
    OF_KUBEADM: "let whatever builds the node fill it in (kubeadm token create makes one for each join); "
    "then take it away, for it has been seen: kubeadm token delete",
    OF_AN_INSTALLER: "hand it over when the installer runs (a vault, a variable of the environment); "
    "then change it, for it has been seen: k3s token rotate, rke2 token rotate",
}
# A program of Pulumi's in YAML stands in one of these.
_PULUMI_PROGRAMS = ("Pulumi.yaml", "Pulumi.yml", "Main.yaml", "Main.yml")
# By these a release names the files that hold its values.
_NAME_FILES = ("valuesFrom", "valueFiles", "helmCharts", "releases:")


@dataclass
class Found:
    facts: list[Fact] = field(default_factory=list)
    scripts: list[BootScript] = field(default_factory=list)
    ufw: list[UfwFile] = field(default_factory=list)
    node_files: list[NodeFile] = field(default_factory=list)
    suppressions: list[Suppression] = field(default_factory=list)
    fleet: Fleet | None = None
    # What else was read for it.
    beside: Beside | None = None
    # Of a root of Terraform: its folder, the GPU nodes that it asks of other clouds, and all files that it is
    # made of.
    root: str = ""
    pools: Sequence[GpuPool] = ()
    files_of_root: frozenset[str] = frozenset()
    # The templates that it fills in.
    templates: frozenset[str] = frozenset()
    # The resources of AWS that it declares, each stack of them for itself.
    stacks: list[Stack] = field(default_factory=list)
    # Whatever a plan makes is of one root.
    is_plan: bool = False


def whats_in(source: Source, rules: frozenset[str]) -> Found | None:
    """What stands in a file; None where it is nothing that we know."""
    data = content(source)
    if data is None:
        return None
    if source.path.name.endswith(_OF_TERRAFORM):
        return _terraform(source, _plain(data), rules)
    if source.path.name.endswith(".pkr.hcl"):
        return _packer(source, data, rules)
    if may_be_plan(data):
        return _plan(source, data, rules)
    if may_be_preview(data):
        return _preview(source, data)
    found = _of_infrastructure(source, data, rules)
    return found if found is not None else _of_content(source, data, rules)


def _of_infrastructure(source: Source, data: bytes, rules: frozenset[str]) -> Found | None:
    """What a root of Terraform fills in, a template of CloudFormation, a program of Pulumi: None of what is none."""
    found = None
    if source.named and source.path.suffix in _TEMPLATES:
        found = _filled_in(source, data, rules)
    if found is None and may_be_template(source, data):
        found = _cloudformation(source, data, rules)
    if found is None and source.path.name in _PULUMI_PROGRAMS:
        found = _pulumi_program(source, data, rules)
    return found


def _pulumi_program(source: Source, data: bytes, rules: frozenset[str]) -> Found | None:
    from nodeworthy.collect.source.pulumi_yaml import read_program
    from nodeworthy.documents.yaml import NotYaml

    try:
        read = read_program(as_text(data), source.shown, rules, source.scope, Path(source.lies))
    except NotYaml as problem:
        raise Refused(problem.place, problem.why) from None
    if read is None:
        return None
    return Found(list(read.facts), suppressions=list(read.suppressions), stacks=list(read.stacks))


def _plan(source: Source, data: bytes, rules: frozenset[str]) -> Found | None:
    from nodeworthy.collect.source.terraform_plan import read_plan

    read = read_plan(source, data, rules)
    if read is None:
        return None
    beside = Beside(source)
    beside.asked += read.asked
    found = Found(list(read.facts), suppressions=read.suppressions, stacks=read.stacks, beside=beside, is_plan=True)
    return replace(found, pools=read.pools)


def _preview(source: Source, data: bytes) -> Found | None:
    from nodeworthy.collect.source.pulumi_preview import read_preview

    read = read_preview(source, data)
    if read is None:
        return None
    beside = Beside(source)
    beside.asked += read.asked
    return Found(read.facts, stacks=list(read.stacks), beside=beside, is_plan=True)


def _cloudformation(source: Source, data: bytes, rules: frozenset[str]) -> Found | None:
    from nodeworthy.collect.source.cloudformation.reading import read_template
    from nodeworthy.documents.yaml import NotYaml

    text = as_text(data)
    try:
        read = read_template(text, source.shown, rules, source.scope)
    except NotYaml as problem:
        if "{{" in text or "{%" in text:  # somebody fills it in first
            return None
        raise Refused(problem.place, problem.why) from None
    if read is None:
        return None
    place = Place(source.shown)
    facts = [*read.facts, PlainText(place, read.text, "a template", IN_A_TEMPLATE)]
    told = [*read.suppressions, *comments(text, place, rules, is_yaml=True)]
    return Found(facts, suppressions=told, stacks=read.stacks)


def _packer(source: Source, data: bytes, rules: frozenset[str]) -> Found | None:
    from nodeworthy.collect.source.packer import scripts_of_template, suppressions_of

    scripts = scripts_of_template(source)
    return Found(scripts=scripts, suppressions=suppressions_of(data, source, rules)) if scripts else None


def _of_content(source: Source, data: bytes, rules: frozenset[str]) -> Found | None:
    of_node = node_file(data, source.shown, source.lies)
    if of_node is not None:
        return _node_file(of_node, _plain(data), source, rules)
    jobs = slurm_jobs(source, data)
    if jobs and not is_boot_script(data, source.path.name):
        return _jobs(jobs, _plain(data), source, rules)
    found = _of_a_script(source, data, rules)
    if found is not None:
        return found
    called = slurm_configuration(source, data)
    if called is not None:
        return _of_slurm(called, _plain(data), source, rules)
    ufw = ufw_file(data, source.shown, source.lies)
    if ufw is not None:
        return Found(ufw=[ufw], suppressions=list(comments(_plain(data), ufw.place, rules, is_yaml=False)))
    config = config_title(data, source.shown)
    if config is not None:
        return _k3s_config(config, data, source, rules)
    return _documents(source, data, rules) or _told_openly(source, data, rules)


def _of_a_script(source: Source, data: bytes, rules: frozenset[str]) -> Found | None:
    """What boots a node, what does something elsewhere, what only hands secrets on."""
    if is_boot_script(data, source.path.name) or is_nodes_firewall(data):
        found = _boot_script(source, data, rules)
        if found.scripts[0].is_meant or found.scripts[0].makes_a_node:
            return found
        if found.facts:
            # It does nothing here, and something elsewhere.
            return replace(found, scripts=[])
    elif _holds_commands(source, data) and may_install_charts(data):
        found = _boot_script(source, _as_shell(data) if _is_makefile(source) else data, rules)
        if found.facts:
            openly = _told_openly(source, data, rules)
            return replace(found, scripts=[], facts=[*found.facts, *(openly.facts if openly is not None else ())])
    return _told_openly(source, data, rules) if is_script(data, source.path.name) else None


def _holds_commands(source: Source, data: bytes) -> bool:
    return is_script(data, source.path.name) or _is_makefile(source)


def _is_makefile(source: Source) -> bool:
    return source.path.name in _MAKEFILES or source.path.suffix == ".mk"


def _as_shell(data: bytes) -> bytes:
    from nodeworthy.collect.source.makefiles import as_shell

    return as_shell(data)


def _terraform(source: Source, text: str, rules: frozenset[str]) -> Found | None:
    from nodeworthy.collect.source.terraform import facts_in, suppressions_of

    brought = facts_in(source)
    if brought is None or not (brought.root.is_of_ours or (brought.text is not None and brought.text.found)):
        return None
    told = suppressions_of(text, source.shown, rules)
    beside = Beside(source)
    root = brought.root
    beside.asked += map(Path, root.newly_asked())
    facts = [*brought.facts, *([brought.text] if brought.text is not None else [])]
    found = Found(facts, suppressions=told, beside=beside, root=root.folder, pools=root.pools)
    found.scripts += _of_node_classes(found.facts, source)
    found.scripts += (each for each in brought.provisioned.on_machines if each.makes_a_node)
    for script in (*brought.provisioned.on_machines, *brought.provisioned.beside_itself):
        run = "\n".join(part.text for part in script.userdata.parts).encode()
        found.facts += [*_for_other_machines(script, run), *_by_helm(script, run, beside)]
    return replace(found, stacks=list(brought.stacks), files_of_root=brought.files, templates=root.templates)


def _filled_in(source: Source, data: bytes, rules: frozenset[str]) -> Found | None:
    """A template as what it becomes, a secret in it as it stands: None of one that no root of Terraform fills in."""
    name = source.path.name.encode()
    reading = (each for each in source.scope.holding(_FILLS, (".tf", ".tofu")) if name in each.data)
    folders = dict.fromkeys(each.path.parent for each in reading)
    if not folders:
        return None
    from nodeworthy.collect.source.terraform import root_of_template

    brought = root_of_template(source, folders)
    if brought is None:
        return None
    root, told = brought.root, list(comments(_plain(data), Place(source.shown), rules, is_yaml=True))
    facts = [*brought.facts, *_secrets_as_written(source, data, rules)]
    found = Found(facts, suppressions=told, beside=Beside(source), root=root.folder, pools=root.pools)
    return replace(found, stacks=list(brought.stacks), files_of_root=brought.files, templates=root.templates)


def _secrets_as_written(source: Source, data: bytes, rules: frozenset[str]) -> list[Fact]:
    """Of a template that is nothing before it is filled in, none."""
    try:
        found = _of_content(source, data, rules)
    except Refused:
        return []
    return [each for each in found.facts if isinstance(each, PlainText)] if found is not None else []


def _documents(source: Source, data: bytes, rules: frozenset[str]) -> Found | None:
    documents, text = _read(source, data)
    found = Found()
    stack = next((each for each in documents if has_fleet(each)), None)
    if stack is not None:
        found.fleet = _own_fleet(stack, source)
        found.facts += _of_fleet(found.fleet)
    every = [each for document in documents for each in objects(document)]
    beside = found.beside = Beside(source)
    if any(name in text for name in _NAME_FILES):
        every = _with_values(every, beside)
    first_lines = sorted(each.place.line for each in every if each.place.line)
    for each in every:
        brought = [_placed(fact, source) for fact in with_base(each, list(facts_of(each)), beside)]
        found.facts += brought
        if brought:
            found.facts += _doubled_keys(each, text)
            found.suppressions += annotation_suppressions(each, rules, _lines(each, first_lines))
    found.facts = complete_values(found.facts, beside)
    found.scripts += _of_node_classes(found.facts, source)
    kept = any(map(is_readable_secret, every))
    held = "" if found.facts and not any(map(is_kubeadms, every)) else _held_by(source, documents, every, text)
    if not found.facts and not kept and not held and not _is_telling(every, text):
        return None
    secrets = list(secret_manifests(every))
    readable = without_encrypted(without_packed(text, secrets), documents)
    remedy = ENCRYPTED if kept else IN_A_STACK if stack is not None else _REMEDIES.get(held, "")
    whole = _plain_text(source, readable, held or _called(found), remedy)
    found.facts += [*secrets, replace(whole, is_applied=bool(every) and all(map(installs, every)))]
    found.suppressions += comments(text, Place(path=source.shown), rules, is_yaml=True)
    found.suppressions += evidence_suppressions(beside.texts, rules)
    return found


def _of_node_classes(facts: Sequence[Fact], source: Source) -> Iterator[BootScript]:
    """What Karpenter, eksctl or Cluster API hands to machines as their user data."""
    for each in facts:
        if type(each).__name__ in ("KarpenterClass", "AskedNodes"):
            scripts: Sequence[BootScript] = getattr(each, "scripts", ())
            yield from (replace(script, surroundings=source.scope) for script in scripts)


def _held_by(source: Source, documents: Sequence[Tree], every: Sequence[Tree], text: str) -> str:
    """What a file is that holds nothing else of ours; empty where its secrets are not looked for."""
    if any(map(is_kubeadms, every)):
        return OF_KUBEADM
    if _holds_grafanas(every) or _are_telling_values(source, documents, text):
        return LOOSE
    return OF_AN_INSTALLER if _JOIN_TOKEN.search(text) is not None else ""


def _holds_grafanas(every: Sequence[Tree]) -> bool:
    from nodeworthy.facts.services.grafana_values import is_grafana_values

    return any(map(is_grafana_values, every))


def _are_telling_values(source: Source, documents: Sequence[Tree], text: str) -> bool:
    """Values of a chart that nobody here knows, where they hold what belongs in a Secret."""
    if not may_be_values(source, documents) or documents[0].get("sops").is_mapping:
        return False
    from nodeworthy.facts.secrets.plain_text import secrets_in

    return any(secrets_in(text))


def _is_telling(every: Sequence[Tree], text: str) -> bool:
    """Whether something holds in plain words what belongs in a Secret; most hold nothing of ours."""
    if any(map(is_telling_config_map, every)):
        return True
    if not any(map(hands_over, every)):
        return False
    from nodeworthy.facts.secrets.plain_text import secrets_in

    return any(secrets_in(text))


def _doubled_keys(document: Tree, text: str) -> Sequence[Fact]:
    """Of a template, which of the two is there is decided later."""
    return [] if any(mark in text for mark in _DIRECTIVES) else list(doubled_keys(document))


def _placed(fact: Fact, source: Source) -> Fact:
    """A pod that names the GPUs that it sees is asked what lies around it."""
    if type(fact).__name__ != "PodTemplate" or source.shown == STDIN:
        return fact
    from nodeworthy.facts.pod.visible_devices import around

    return around(cast("PodTemplate", fact), source.scope)


def _plain_text(source: Source, readable: str, called: str, remedy: str) -> PlainText:
    is_of_a_chart = called == LOOSE and is_charts_own(source)
    return PlainText(Place(source.shown), readable, "its values" if is_of_a_chart else called, remedy, is_of_a_chart)


def _with_values(every: list[Tree], beside: Beside) -> list[Tree]:
    from nodeworthy.collect.source.values_elsewhere import with_values

    return [with_values(each, every, beside) for each in every]


def _read(source: Source, data: bytes) -> tuple[list[Tree], str]:
    """What is left is no script, unless somebody names one that is none of ours."""
    if source.named and is_script(data, source.path.name):
        raise Refused(Place(source.shown), NO_BOOT_SCRIPT)
    return documents_in(source, data)


def _node_file(file: NodeFile, text: str, source: Source, rules: frozenset[str]) -> Found:
    from nodeworthy.collect.source.node_file_reading import ON_A_NODE, refuse_unparsed

    refuse_unparsed(file)
    whole = PlainText(Place(source.shown), text, file.kind.value, ON_A_NODE)
    told = comments(whole.text, whole.place, rules, is_yaml=False)
    return Found([whole], node_files=[file], suppressions=list(told))


def _k3s_config(called: str, data: bytes, source: Source, rules: frozenset[str]) -> Found:
    from nodeworthy.collect.source.k3s_config import REMEDY, fault, nodes_of, own_lines

    text, place = _plain(data), Place(source.shown)
    broken = fault(data, text, place)
    facts: list[Fact] = [PlainText(place, text if broken is None else own_lines(text), called, REMEDY)]
    facts.append(nodes_of(data, called, place))
    if broken is not None:
        facts.append(UnreadableInput(*broken))
    return Found(facts, suppressions=list(comments(text, place, rules, is_yaml=True)))


def _jobs(jobs: Sequence[Fact], text: str, source: Source, rules: frozenset[str]) -> Found:
    whole = PlainText(Place(source.shown), text, "a job script", IN_A_JOB)
    return Found([*jobs, whole], suppressions=list(comments(text, jobs[0].place, rules, is_yaml=False)))


def _told_openly(source: Source, data: bytes, rules: frozenset[str]) -> Found | None:
    """What hands secrets on, where one stands in it; most of it holds none, and nothing else of ours."""
    from nodeworthy.collect.source.scripts_and_variables import A_SCRIPT, AN_INVENTORY, REMEDIES, RUN, told_openly

    called = told_openly(data, source.path.name)
    if not called:
        return None
    whole = PlainText(Place(source.shown), _plain(data), called, REMEDIES[called], is_applied=called in RUN)
    is_yaml = called not in (A_SCRIPT, AN_INVENTORY)
    return Found([whole], suppressions=list(comments(whole.text, whole.place, rules, is_yaml=is_yaml)))


def _of_slurm(called: str, text: str, source: Source, rules: frozenset[str]) -> Found:
    from nodeworthy.facts.slurm.configuration import KEPT_BY_SLURM, gres_conf, slurm_conf

    place = Place(source.shown)
    facts: list[Fact] = [PlainText(place, text, called, KEPT_BY_SLURM)]
    if called == "slurm.conf":
        facts.append(slurm_conf(text, place))
    elif called == "gres.conf":
        facts.append(gres_conf(text, place))
    return Found(facts, suppressions=list(comments(text, place, rules, is_yaml=False)))


def _called(found: Found) -> str:
    origins = (origin for each in found.facts if (origin := getattr(each, "origin", None)))
    return "stack config" if found.fleet is not None else next(origins, "this file")


def _boot_script(source: Source, data: bytes, rules: frozenset[str]) -> Found:
    from nodeworthy.boot.unpack import unpack
    from nodeworthy.facts.boot.script import BootScript

    place = Place(path=source.shown)
    is_meant = is_meant_as_one(source.path.name)
    read = unpack(data, place, name=source.path.name)
    script = BootScript(place, read, is_meant=is_meant, surroundings=source.scope)
    told = list(comments(_plain(data), place, rules, is_yaml=False))
    beside = Beside(source)
    facts = [*_for_other_machines(script, data), *_by_helm(script, data, beside)]
    return Found(facts, scripts=[script], suppressions=told, beside=beside)


def _for_other_machines(script: BootScript, data: bytes) -> list[Fact]:
    if b"ssh" not in data:
        return []
    from nodeworthy.facts.boot.remote_script import remote_scripts, sending_script

    return [*remote_scripts(script), *sending_script(script)]


def _by_helm(script: BootScript, data: bytes, beside: Beside) -> list[Fact]:
    if not may_install_charts(data):
        return []
    from nodeworthy.collect.source.helm_commands import installed_by_helm

    return list(installed_by_helm(script, beside))


def firewall_script(source: Source, fleets: Fleets, rules: frozenset[str]) -> Found | None:
    """A script that only sets up a firewall is a node's where a pool of the fleet beside it has one."""
    if source.path.suffix not in (".sh", ".bash") or source.shown == STDIN:
        return None
    try:
        data = content(source)
    except Refused:
        return None
    if data is None or not is_firewall_script(data):
        return None
    try:
        fleet = fleets.beside(source.path.parent).fleet
    except InputError:
        return _boot_script(source, data, rules)  # whose it is, nobody can say, and that is told with it
    wanted = fleet is not None and any(pool.firewall is Firewall.UFW for pool in fleet.pools)
    return _boot_script(source, data, rules) if wanted else None


def _plain(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _of_fleet(fleet: Fleet) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.pool_claim import pool_claims
    from nodeworthy.facts.fleet.pool_system import pool_systems

    yield from pool_claims(fleet)
    yield from pool_systems(fleet)
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
        raise Refused(*first, *others) from None
    except InputError as malformed:
        raise Refused(Place(path=source.shown), str(malformed)) from None


def _lines(one: Tree, first_lines: Sequence[int]) -> range:
    """The lines of an object: from its first to that of the next one."""
    first = one.place.line or 1
    later = bisect_right(first_lines, first)
    return range(first, first_lines[later] if later < len(first_lines) else 1 << 31)
